// SPDX-License-Identifier: Apache-2.0
#include "sim/overload.hpp"

#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::sim {
namespace {

using dynamics::Deepest;
using dynamics::Snapshot;

/// chosen: what a contact can store comes from the energy in motion, or from the work of forces
/// that load the mechanism. Ten times that is far beyond what either can press into it.
constexpr double kJam = 10;
/// chosen: efforts of drives grow without bounds towards a dead point; a thousand times the energy
/// in motion per radian, or per length of the mechanism, is past any use.
constexpr double kLock = 1e3;

/// A depth for the reader: millimetres, or radians at the stop of an angle.
std::string size_text(double size, bool angle) {
  return angle ? fmt::format("{:.3g} rad", size) : fmt::format("{:.3g} mm", 1e3 * size);
}

/// The joint a contact belongs to, and whether its depth is an angle.
struct Place {
  const Joint& joint;
  const joints::ImperfectJoint& part;
  bool stop = false, angle = false;
};
Place place_of(const dynamics::System& system, int contact) {
  const dynamics::Contacts& all = *system.all_contacts();
  const joints::ImperfectJoint& part = all.element(contact);
  const Joint& joint = system.model().joints[part.joint()];
  const bool stop = all.element_of(part.joint()) != all.list()[contact].element;
  // Of several stops of one joint the message need not tell which.
  const bool angle = stop && std::all_of(joint.stops.begin(), joint.stops.end(),
                                         [](const Stop& s) { return is_angle(s.coordinate); });
  return {joint, part, stop, angle};
}

std::string overlap(const Place& at, const Deepest& deepest) {
  return fmt::format("the parts of joint {} are pressed {} into each other, deeper than {}",
                     at.joint.name, size_text(deepest.depth, at.angle),
                     at.stop ? std::string("anything that stops")
                             : "the radius or half width of the inner one, " +
                                   size_text(at.part.depth_limit(), false));
}

}  // namespace

OverloadWatch::OverloadWatch(dynamics::System& system) : system_(system) {
  if (const dynamics::Contacts* all = system.all_contacts())
    warned_.assign(all->elements().size(), false);
  const auto& works = system.layout()->of(BlockKind::work);
  for (std::size_t k = 0; k < works.size(); ++k)
    if (works[k].name.starts_with("forces/"))
      forces_.push_back(k);
    else if (works[k].name.find("/drive") != std::string::npos)
      drives_.push_back(k);
}

bool OverloadWatch::bearable(const State& state, const Snapshot& snapshot, double energy_scale) {
  const Deepest& deepest = snapshot.deepest;
  if (deepest.contact < 0) return true;
  const joints::ImperfectJoint& part = system_.all_contacts()->element(deepest.contact);
  if (deepest.depth <= part.half_play()) return true;

  const Place at = place_of(system_, deepest.contact);
  if (deepest.share > 1) {
    reason_ = fmt::format("{}, at t = {:.9g} s", overlap(at, deepest), state.time);
    remedy_ =
        "no contact law holds there: make the contact stiffer, or the load smaller, or check units";
    return false;
  }
  const auto element =
      static_cast<std::size_t>(system_.all_contacts()->list()[deepest.contact].element);
  if (!at.stop && !warned_[element]) {
    warned_[element] = true;
    Event event;
    event.time = state.time;
    event.joint = at.joint.name;
    event.contact = system_.all_contacts()->list()[deepest.contact].index;
    event.kind = "deep";
    pending_.push_back(
        {event, fmt::format("the parts of joint {} are pressed {} into each other at t = {:.6g} s, "
                            "deeper than the clearance of {}: contact laws are made for far less",
                            at.joint.name, size_text(deepest.depth, at.angle), state.time,
                            size_text(part.half_play(), false))});
  }

  // Jammed: the contact holds many times what was ever in motion, and drives have put it there.
  double driven = 0, usual = energy_scale;
  for (const std::size_t k : drives_) driven += std::max(0.0, snapshot.work[k]);
  for (const std::size_t k : forces_) usual += std::abs(snapshot.work[k]);
  if (driven < kJam * usual) return true;
  dynamics::Peak load;
  system_.loads(state.time, state.y.data(), state.memory.data(), deepest.contact, {&load, 1});
  if (load.force * load.depth < kJam * usual) return true;
  Snapshot all;
  std::string drive;
  if (system_.snapshot(state, all)) drive = blocked_drive(system_, all, 0);
  reason_ =
      fmt::format("{} at t = {:.9g} s: that presses joint {} {} deep with {:.3g} {}",
                  drive.empty() ? "the mechanism is jammed" : drive, state.time, at.joint.name,
                  size_text(deepest.depth, at.angle), load.force, at.angle ? "N m" : "N");
  remedy_ = "the mechanism jams: check lengths and the range of the drive, or drive it by a force";
  return false;
}

bool OverloadWatch::take_warning(Warning& out) {
  if (pending_.empty()) return false;
  out = std::move(pending_.back());
  pending_.pop_back();
  return true;
}

void refuse_overlap(const dynamics::System& system, const Snapshot& start) {
  if (start.deepest.contact < 0 || start.deepest.share <= 1) return;
  const Place at = place_of(system, start.deepest.contact);
  Issue issue;
  issue.line = at.joint.line;
  issue.path = "joints." + at.joint.name + (at.stop ? ".stop" : ".clearance");
  issue.message = "at the start " + overlap(at, start.deepest);
  issue.hint = at.stop ? "start between the stops"
                       : "check 'offset' and the positions of the bodies, and their units";
  throw ModelError(issue);
}

std::string blocked_drive(const dynamics::System& system, const Snapshot& snapshot,
                          double energy_scale) {
  const Model& model = system.model();
  const double length = system.scales().length;
  double most = kLock * energy_scale;
  std::string out;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const auto coordinates = coordinates_of(joint.type);
    for (std::size_t d = 0; d < joint.drives.size(); ++d) {
      const Coordinate driven = joint.drives[d].coordinate;
      const bool angle = is_angle(driven);
      const double push = std::abs(snapshot.joints[j].effort[d]) * (angle ? 1 : length);
      if (!(push > most)) continue;
      most = push;
      const auto place = std::find(coordinates.begin(), coordinates.end(), driven);
      if (place == coordinates.end()) continue;
      const double value =
          snapshot.joints[j].coordinate[static_cast<std::size_t>(place - coordinates.begin())];
      out = fmt::format("the drive of joint {} cannot take its {} past {:.6g} {}", joint.name,
                        name_of(driven), value, angle ? "rad" : "m");
    }
  }
  return out;
}

std::string most_loaded_joint(const std::vector<Channel>& channels,
                              const std::vector<double>& row) {
  double most = 0;
  std::string name;
  for (const Channel& c : channels) {
    if (!c.path.starts_with("joints/") || !c.path.ends_with("/reaction_force")) continue;
    double square = 0;
    for (int k = c.offset; k < c.offset + c.width; ++k)
      square += row[static_cast<std::size_t>(k)] * row[static_cast<std::size_t>(k)];
    if (square <= most) continue;
    most = square;
    name = c.path.substr(7, c.path.size() - 7 - std::string_view("/reaction_force").size());
  }
  return name.empty() ? name : fmt::format("joint {} ({:.3g} N)", name, std::sqrt(most));
}

}  // namespace freeplay::sim
