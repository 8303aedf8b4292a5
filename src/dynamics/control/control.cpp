// SPDX-License-Identifier: Apache-2.0
#include "dynamics/control/control.hpp"

#include "dynamics/control/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeplay::dynamics {
namespace {

using Node = ControlNode;
using laws::kInfinity;

/// How often something that happened comes back before it is smooth enough to be passed unseen:
/// every time it has gone through the motion it is smoother by one derivative at least. chosen: the
/// order of the best method.
constexpr int kGenerations = 8;

/// Of a limit: what projection and round-off may do to what is at it. chosen
constexpr double kNoise = 1e-10;

/// Of a delay: steps need not be shorter, whatever they were in the past. chosen
constexpr double kLeastStep = 1e-6;

/// How often a jump comes back in a law that remembers itself by R: until it is below the
/// tolerance.
int generations_of(const Node& node, double tolerance) {
  const auto* law = node.law ? std::get_if<laws::ExtendedDelayedFeedback>(&*node.law) : nullptr;
  const double share = law ? std::abs(law->R) : 0;
  if (!(share > 0)) return kGenerations;
  return kGenerations + static_cast<int>(std::ceil(std::log(tolerance) / std::log(share)));
}

}  // namespace

Control::Control(const Model& model, Layout& layout)
    : model_(model), net_(model), start_(model.simulation.start), history_(0, 0, 0) {
  if (empty()) return;
  for (const std::string& path : net_.readings) readings_.push_back(*find_reading(model, path));
  constexpr MemoryField kBegun[] = {{"begun", "1", Perturbation::shared}};
  begun_ = layout.declare("signals", kBegun);
  first_state_ = layout.size(BlockKind::state);
  const double tolerance = model.simulation.tolerance;
  shortest_delay_ = kInfinity;
  std::size_t most = 0;
  for (Node& node : net_.nodes) {
    declare(node, layout);
    most = std::max(most, node.in.size());
    if (node.delay > 0) {
      node.channel = channels_++;
      shortest_delay_ = std::min(shortest_delay_, node.delay);
      longest_delay_ = std::max(longest_delay_, node.delay);
      generations_ = std::max(generations_, generations_of(node, tolerance));
    }
  }
  history_ = History(channels_, 1.01 * longest_delay_, tolerance);
  arguments_.resize(most);
  size(now_);
}

void Control::declare(Node& node, Layout& layout) {
  node.state = states_;
  states_ += node.states;
  const std::string unit =
      node.signal
          ? node.signal->unit
          : model_
                .controllers[static_cast<std::size_t>(
                    &node - net_.nodes.data() - static_cast<std::ptrdiff_t>(model_.signals.size()))]
                .unit;
  double scale = 1;
  for (const auto& limit : {node.lower, node.upper})
    if (limit) scale = std::max(scale, std::abs(*limit));
  if (node.states > 0)
    layout.declare({node.path + "/state", BlockKind::state, node.states, "1", scale});
  if (node.sampled()) {
    const MemoryField fields[] = {{"samples", "1", Perturbation::shared},
                                  {"in_effect", "1", Perturbation::shared},
                                  {"output", unit},
                                  {"pending", unit}};
    node.samples = layout.declare(node.path, fields);
    if (node.stored > 0) {
      const MemoryField stored[] = {{"stored", "1", Perturbation::continuous, node.stored}};
      layout.declare(node.path, stored);
    }
  }
  if (node.delay > 0) {
    constexpr MemoryField kPast[] = {{"past_stretch", "s", Perturbation::shared}, {"before", "1"}};
    node.past = layout.declare(node.path, kPast);
  }
  if (node.sampled() || (!node.lower && !node.upper)) return;
  constexpr MemoryField kLimited[] = {{"limited", "1", Perturbation::shared}};
  node.limited = layout.declare(node.path, kLimited);
  const int index = static_cast<int>(&node - net_.nodes.data());
  if (node.upper) watched_.push_back({index, true});
  if (node.lower) watched_.push_back({index, false});
}

bool Control::reads(FrameIndex frame) const {
  return std::ranges::any_of(
      readings_, [&](const Reading& r) { return r.first == frame || r.second == frame; });
}

// ---- limits

Watched Control::watch(int k) const {
  const Limit& limit = watched_[static_cast<std::size_t>(k)];
  const Node& node = net_.nodes[static_cast<std::size_t>(limit.node)];
  const double raw = now_.raw[static_cast<std::size_t>(limit.node)];
  return {limit.upper ? *node.upper - raw : raw - *node.lower,
          std::numeric_limits<double>::quiet_NaN()};
}

EventTrait Control::trait(int k, const double* memory) const {
  const Limit& limit = watched_[static_cast<std::size_t>(k)];
  const Node& node = net_.nodes[static_cast<std::size_t>(limit.node)];
  const int mode = static_cast<int>(memory[node.limited]);
  const double scale = std::abs(limit.upper ? *node.upper : *node.lower);
  if (mode == Node::kUnknown) return {0, scale, 0};
  const bool beyond = mode == (limit.upper ? Node::kAbove : Node::kBelow);
  return {beyond ? -1 : 1, scale, 0};
}

void Control::turn(int k, bool upward, double* memory) const {
  const Limit& limit = watched_[static_cast<std::size_t>(k)];
  const Node& node = net_.nodes[static_cast<std::size_t>(limit.node)];
  double& mode = memory[node.limited];
  const int beyond = limit.upper ? Node::kAbove : Node::kBelow;
  if (!upward)
    mode = beyond;
  else if (mode == beyond)
    mode = Node::kInside;
}

void Control::follow(double* memory, bool again) const {
  for (const Limit& limit : watched_) {
    const Node& node = net_.nodes[static_cast<std::size_t>(limit.node)];
    double& mode = memory[node.limited];
    if (mode != Node::kUnknown && !again) continue;
    const double raw = now_.raw[static_cast<std::size_t>(limit.node)];
    // What is at a limit but for round-off stays on its side of it.
    const auto beyond = [&](const std::optional<double>& bound, int there, double way) {
      if (!bound) return false;
      const double noise = mode == Node::kUnknown ? 0 : kNoise * std::abs(*bound);
      return way * (raw - *bound) > (mode == there ? -noise : noise);
    };
    mode = beyond(node.upper, Node::kAbove, 1)    ? Node::kAbove
           : beyond(node.lower, Node::kBelow, -1) ? Node::kBelow
                                                  : Node::kInside;
  }
}

// ---- the past

double Control::next_mark(const Node& node, const double* memory) const {
  const double stretch = memory[node.past + Node::kStretch];
  const auto next = std::ranges::upper_bound(marks_, stretch, {}, &Mark::time);
  return next == marks_.end() ? kInfinity : next->time;
}

void Control::mark(double t, int level) {
  if (!has_past() || level >= generations_) return;
  const auto out_of_sight = [&](const Mark& m) { return m.time < t - 2 * longest_delay_; };
  if (!marks_.empty() && out_of_sight(marks_.front())) std::erase_if(marks_, out_of_sight);
  if (!marks_.empty() && t - marks_.back().time <= time_noise(t)) {
    marks_.back().level = std::min(marks_.back().level, level);
    return;
  }
  marks_.push_back({t, level});
  history_.begin_stretch(t);
}

double Control::latest(double t) const {
  if (!has_past()) return kInfinity;
  double out = t + shortest_delay_;
  for (const Node& node : net_.nodes)
    if (node.delay > 0) out = std::min(out, history_.latest(t - node.delay) + node.delay);
  return std::max(out, t + kLeastStep * shortest_delay_);
}

void Control::record(double t0, double t1, const std::function<void(double)>& sense_at) {
  if (!has_past() || !(t1 > t0)) return;
  history_.record(t0, t1, [&](double t) -> std::span<const double> {
    sense_at(t);
    return now_.kept;
  });
}

void Control::carry(Archive& archive) {
  if (!has_past()) return;
  history_.carry(archive);
  std::size_t count = marks_.size();
  archive(count);
  marks_.resize(count);
  for (Mark& m : marks_) archive(m.time, m.level);
}

/// For those who do not see numbers.hpp.
template void Control::evaluate(double, const double*, const double*, Numbers<double>&) const;

}  // namespace freeplay::dynamics
