// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/choice.hpp"

#include "dynamics/constraints/constraint_rows.hpp"
#include "dynamics/elements/contacts.hpp"
#include "dynamics/tree/articulated.hpp"
#include "dynamics/tree/topology.hpp"
#include "model/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {

namespace {

/// Inertia of a tree against one of its motions, relative to its bodies: below, there is none.
/// chosen: far below the thinnest rod anybody models, far above round-off.
constexpr double kNoInertia = 1e-11;

/// Rows that close loops: joints outside the tree, drives it cannot prescribe (those of joints with
/// play among them), couplings.
int loop_rows(const Model& model, const Topology& topology) {
  int rows = static_cast<int>(std::ranges::count_if(
      model.couplings, [](const Coupling& c) { return !c.teeth.has_value(); }));
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    for (const RowSpec& spec : rows_of(model.joints[j], model.planar, 1))
      if (!topology.in_tree[j] ||
          (spec.drive >= 0 && !topology.prescribes(model, static_cast<JointIndex>(j), spec.drive)))
        ++rows;
  }
  return rows;
}

/// Name of a body whose freedom has (almost) no inertia behind it; empty: none. Looked for in the
/// written pose and in a few others, since a thin chain can hide one in line.
template <int Rd>
std::string weightless_freedom(const Model& model, const Topology& topology) {
  const TreeKernel<Rd> kernel(model, topology);
  Articulated<Rd, double> bodies(kernel);
  // The scale of a single body: its mass and the distance of its joints.
  double mass = 0, arm = 0;
  for (const Body& body : model.bodies) mass = std::max(mass, body.mass);
  for (const Joint& joint : model.joints)
    for (const Frame* f : {&joint.first, &joint.second})
      if (f->body != kGround) arm = std::max(arm, f->point.norm());
  if (arm == 0) arm = scales_of(model).length;
  VecX q(kernel.positions()), v = VecX::Zero(kernel.speeds());
  std::vector<NodeMotion<Rd, double>> motion(kernel.nodes().size());
  for (int pose = 0; pose < 4; ++pose) {
    for (int k = 0; k < q.size(); ++k) q[k] = std::sin(1.0 + 1.7 * k + 2.9 * pose);
    kernel.template move<double>(q.data(), v.data(), motion.data());
    if (!bodies.factorise(motion.data()))
      return model.bodies[kernel.nodes()[bodies.failed_node()].body].name;
    if (bodies.least_pivot(mass, arm) < kNoInertia) return "a body";
  }
  return {};
}

}  // namespace

std::string tree_misfit(const Model& model) {
  if (model.simulation.analysis == Analysis::kinematic)
    return "a kinematic analysis follows the constraints of every joint";
  if (model.simulation.baumgarte)
    return "Baumgarte's terms belong to the constraints of every joint";
  if (kind_of(model.simulation.method).constrained)
    return std::string(name_of(model.simulation.method)) + " integrates the constrained equations";
  for (const Body& body : model.bodies)
    if (body.flexible) return fmt::format("the body '{}' is flexible", body.name);
  for (const Joint& joint : model.joints)
    if (joint.friction)
      return fmt::format("the friction of the ideal joint '{}' loads itself by its reaction",
                         joint.name);
  Layout unused("");
  Contacts contacts(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    contacts.add(static_cast<JointIndex>(j), unused);
  for (const auto& element : contacts.elements())
    if (element.dry_friction() || element.impulse_restitution())
      return fmt::format("contacts of '{}' come to rest by constraints",
                         model.joints[element.joint()].name);
  const Topology topology = span_tree(model);
  // With every motion prescribed only work would be left under error control, and a drive that sets
  // in between two steps could be overlooked.
  if (std::all_of(topology.nodes.begin(), topology.nodes.end(), [](const TreeNode& node) {
        const auto* end = node.column.begin() + node.columns;
        return node.kind != TreeKind::free && node.kind != TreeKind::ball &&
               std::all_of(node.column.begin(), end,
                           [](const TreeColumn& column) { return column.drive >= 0; });
      }))
    return "every motion is prescribed, so there is nothing to integrate";
  const std::string weightless = model.planar ? weightless_freedom<1>(model, topology)
                                              : weightless_freedom<3>(model, topology);
  if (!weightless.empty())
    return weightless + " has a freedom without inertia once the loops are cut";
  return {};
}

bool tree_is_faster(const Model& model) {
  // Where play, oil or rubber opens every loop, nothing is left to be kept closed. Elsewhere
  // Cartesian coordinates are as fast, and their multipliers give the reactions.
  const bool loose =
      std::any_of(model.joints.begin(), model.joints.end(), holds_by_force) ||
      std::ranges::any_of(model.couplings, [](const Coupling& c) { return c.teeth.has_value(); });
  return loose && loop_rows(model, span_tree(model)) == 0;
}

}  // namespace freeplay::dynamics
