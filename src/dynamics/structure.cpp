// SPDX-License-Identifier: Apache-2.0
#include "dynamics/structure.hpp"

#include "dynamics/cartesian/cartesian.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace freeplay::dynamics {
namespace {

/// Bodies that constraints may hold together, at any time. The ground holds nothing together.
Clusters held_together(const Model& model, const Elements& elements) {
  Clusters clusters(static_cast<int>(model.bodies.size()));
  const auto join = [&](int a, int b) {
    if (a != kGround && b != kGround) clusters.join(a, b);
  };
  for (const Joint& joint : model.joints)
    if (!holds_by_force(joint)) join(joint.first.body, joint.second.body);
  // Drives of joints with play, and couplings, are constraints as well.
  for (const Joint& joint : model.joints)
    if (!joint.drives.empty()) join(joint.first.body, joint.second.body);
  for (const Coupling& coupling : model.couplings) {
    int last = kGround;
    for (const JointCoordinate* on : {&coupling.first, &coupling.second})
      for (const BodyIndex body :
           {model.joints[on->joint].first.body, model.joints[on->joint].second.body}) {
        join(last, body);
        if (body != kGround) last = body;
      }
  }
  // So are contacts that stick or rest; rates of states follow the accelerations.
  for (const auto& element : elements.contacts().elements())
    if (element.dry_friction() || element.impulse_restitution() || element.states() > 0)
      join(element.first(), element.second());
  for (const auto* list : {&elements.forces(), &elements.joints()})
    for (const auto& entry : *list)
      if (entry.element->states() > 0) join(entry.element->first(), entry.element->second());
  return clusters;
}

/// The body behind each unknown, by the names of their blocks; empty where one is not known.
std::vector<int> bodies_behind(const System& system, int unknowns) {
  const Model& model = system.model();
  std::unordered_map<std::string, int> body;
  for (std::size_t b = 1; b < model.bodies.size(); ++b)
    body["bodies/" + model.bodies[b].name] = static_cast<int>(b);
  for (const Joint& joint : model.joints)
    body["joints/" + joint.name] =
        joint.second.body != kGround ? joint.second.body : joint.first.body;
  std::vector<int> out(static_cast<std::size_t>(unknowns), -1);
  for (const Block& block : system.layout()->blocks()) {
    if (block.kind == BlockKind::work || block.kind == BlockKind::memory) continue;
    const std::size_t first = block.name.find('/'),
                      end = block.name.find('/', first == std::string::npos ? first : first + 1);
    const auto found = body.find(block.name.substr(0, end));
    if (found == body.end() || block.offset + block.size > unknowns) return {};
    std::fill_n(out.begin() + block.offset, block.size, found->second);
  }
  if (std::find(out.begin(), out.end(), -1) != out.end()) return {};
  return out;
}

}  // namespace

Structure structure_of(const System& system) {
  const Model& model = system.model();
  // Elements act on frames, and those of a body that deforms are not its own name.
  if (const auto* cartesian = dynamic_cast<const Cartesian*>(&system);
      cartesian && !cartesian->bodies().all_rigid())
    return {};
  // Signals reach from one body to any other.
  if (!model.signals.empty() || !model.controllers.empty()) return {};
  const int unknowns = system.size() - system.work_size();
  const std::vector<int> body = bodies_behind(system, unknowns);
  if (body.empty()) return {};
  Layout unused("");
  Elements elements(model, unused);
  elements.add_forces(model, unused);
  Clusters clusters = held_together(model, elements);

  Structure out;
  std::vector<int> number(clusters.size(), -1);  // of clusters, in the order of the unknowns
  int groups = 0;
  const auto group = [&](int b) {
    int& at = number[static_cast<std::size_t>(clusters.find(b))];
    return at < 0 ? at = groups++ : at;
  };
  for (const int b : body) out.group.push_back(group(b));
  for (const auto* list : {&elements.forces(), &elements.joints()})
    for (const auto& entry : *list) {
      const int a = entry.element->first(), b = entry.element->second();
      if (a == kGround || b == kGround) continue;
      const int one = number[static_cast<std::size_t>(clusters.find(a))],
                other = number[static_cast<std::size_t>(clusters.find(b))];
      if (one < 0 || other < 0) continue;  // led by drives all the way from the ground
      if (one != other) out.links.emplace_back(std::min(one, other), std::max(one, other));
    }
  std::sort(out.links.begin(), out.links.end());
  out.links.erase(std::unique(out.links.begin(), out.links.end()), out.links.end());
  if (groups < 2) return {};
  out.local.assign(out.group.size(), false);
  for (const Block& block : system.layout()->blocks())
    if (block.kind == BlockKind::position)
      std::fill_n(out.local.begin() + block.offset, block.size, true);
  return out;
}

}  // namespace freeplay::dynamics
