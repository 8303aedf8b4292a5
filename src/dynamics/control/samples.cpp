// SPDX-License-Identifier: Apache-2.0
#include "core/random_normal.hpp"
#include "dynamics/control/numbers.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

// What happens at instants: the start, samples, outputs that take effect after their computation,
// events that come back after a delay.
namespace freeplay::dynamics {
namespace {

using Node = ControlNode;
using Kind = Node::Source::Kind;
using laws::kInfinity;

double within(const Node& node, double x) {
  if (node.lower) x = std::max(x, *node.lower);
  if (node.upper) x = std::min(x, *node.upper);
  return x;
}

/// A stream of noise for each name.
std::uint64_t stream_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

/// One of the channels, with its component.
int column_of(const std::vector<Channel>& channels, const std::string& path) {
  for (const Channel& channel : channels) {
    if (channel.width == 1 && path == channel.path) return channel.offset;
    if (channel.width == 1 || path.size() != channel.path.size() + 2 ||
        !path.starts_with(channel.path) || path[channel.path.size()] != '.')
      continue;
    const std::size_t at = std::string_view(channel.width == 4 ? "wxyz" : "xyz").find(path.back());
    if (at < static_cast<std::size_t>(channel.width)) return channel.offset + static_cast<int>(at);
  }
  return -1;
}

}  // namespace

void Control::bind(const std::vector<Channel>& channels) {
  for (Node& node : net_.nodes)
    for (Node::Source& s : node.in) {
      if (s.kind != Kind::recorded) continue;
      asks_for_row_ = true;
      s.index = column_of(channels, s.path);
      if (s.index >= 0) continue;
      Issue issue;
      issue.path = node.signal ? "signals." + node.name : "controllers." + node.name;
      issue.message = fmt::format("nothing of the name '{}' is recorded", s.path);
      issue.hint = "results list what is: 'freeplay get RESULT --list'; components are .x .y .z";
      throw ModelError(issue);
    }
}

double Control::sample_instant(const Node& node, double number) const {
  return start_ + number * node.period;
}

double Control::next_instant(const std::vector<double>& memory) const {
  double out = kInfinity;
  for (const Node& node : net_.nodes) {
    if (node.sampled()) {
      const double* m = &memory[static_cast<std::size_t>(node.samples)];
      out = std::min(out, sample_instant(node, m[Node::kTaken]));
      if (m[Node::kInEffect] < m[Node::kTaken])
        out = std::min(out, sample_instant(node, m[Node::kInEffect]) + node.computation_delay);
    }
    if (node.channel >= 0) out = std::min(out, next_mark(node, memory.data()) + node.delay);
  }
  return out;
}

bool Control::due(double t, const std::vector<double>& memory) const {
  return !empty() && next_instant(memory) <= t + time_noise(t);
}

bool Control::begin(State& state, const Sense& sense, std::span<const double> row) {
  double* memory = state.memory.data();
  if (empty() || has_begun(state)) return false;
  memory[begun_] = 1;
  history_.clear();
  marks_.clear();
  double* z = state.y.data() + state.layout->begin(BlockKind::state) + first_state_;
  for (const Node& node : net_.nodes)
    if (node.past >= 0) memory[node.past + Node::kStretch] = History::kNever;
  for (const int k : net_.order) {
    const Node& node = net_.nodes[static_cast<std::size_t>(k)];
    sense();
    begin_states(node, z);
    sense();
    if (node.past >= 0)
      memory[node.past + Node::kBefore] = now_.kept[static_cast<std::size_t>(node.channel)];
    if (!node.sampled()) continue;
    double* m = memory + node.samples;
    m[Node::kTaken] = m[Node::kInEffect] =
        std::floor((state.time - start_) / node.period + time_noise(state.time) / node.period);
    gather(node, now_);
    if (node.law)
      std::visit(
          [&](const auto& law) {
            law.start_samples({now_.in.data(), node.in.size()}, m + Node::kStored);
          },
          *node.law);
    take(node, state.time, memory, z, row);
  }
  sense();
  follow(memory, true);
  mark(state.time, 0);
  return true;
}

void Control::begin_states(const Node& node, double* z) const {
  if (node.states == 0) return;
  Numbers<double> at = now_;
  gather(node, at);
  const std::span<const double> in(at.in.data(), node.in.size());
  if (node.law)
    std::visit([&](const auto& law) { law.start(in, z + node.state); }, *node.law);
  else
    z[node.state] = formula<double>(node, start_, in);
}

void Control::carry_out(State& state, const Sense& sense, std::span<const double> row) {
  const double t = state.time, soon = t + time_noise(t);
  double* memory = state.memory.data();
  const double* z = state.y.data() + state.layout->begin(BlockKind::state) + first_state_;
  int level = generations_;
  for (const Node& node : net_.nodes) {
    if (node.channel < 0) continue;
    for (double next = next_mark(node, memory); next + node.delay <= soon;
         next = next_mark(node, memory)) {
      const auto which = std::ranges::lower_bound(marks_, next, {}, &Mark::time);
      level = std::min(level, which->level + 1);
      memory[node.past + Node::kStretch] = next;
    }
  }
  const auto in_effect = [&](const Node& node) {
    double* m = memory + node.samples;
    return node.sampled() && m[Node::kInEffect] < m[Node::kTaken] &&
           sample_instant(node, m[Node::kInEffect]) + node.computation_delay <= soon;
  };
  for (const Node& node : net_.nodes) {
    if (!node.sampled() || !in_effect(node)) continue;
    double* m = memory + node.samples;
    m[Node::kOutput] = m[Node::kPending];
    m[Node::kInEffect] = m[Node::kTaken];
    level = 0;
  }
  for (const int k : net_.order) {
    const Node& node = net_.nodes[static_cast<std::size_t>(k)];
    if (!node.sampled() || sample_instant(node, memory[node.samples + Node::kTaken]) > soon)
      continue;
    sense();
    take(node, t, memory, z, row);
    level = 0;
  }
  sense();
  follow(memory, true);
  mark(t, level);
}

/// One sample, of what is known now.
void Control::take(const Node& node, double t, double* memory, const double* z,
                   std::span<const double> row) {
  gather(node, now_);
  for (std::size_t i = 0; i < node.in.size(); ++i)
    if (node.in[i].kind == Kind::recorded)
      now_.in[i] = row[static_cast<std::size_t>(node.in[i].index)];
  const std::span<const double> in(now_.in.data(), node.in.size());
  double* m = memory + node.samples;
  const double number = m[Node::kTaken];
  double out = 0;
  if (node.law) {
    std::visit(
        [&](const auto& law) {
          double* stored = m + Node::kStored;
          const double raw = law.at_sample(in, node.period, stored);
          out = within(node, raw);
          law.next(in, node.period, raw, out, stored);
        },
        *node.law);
  } else {
    const auto sight = seen<double>(node, t, z, memory, in);
    out = node.delay > 0    ? (sight.has_past ? sight.past : memory[node.past + Node::kBefore])
          : node.filter > 0 ? z[node.state]
                            : formula<double>(node, t, in);
    if (node.signal->noise > 0)
      out += node.signal->noise * standard_normal(static_cast<std::uint64_t>(node.signal->seed),
                                                  stream_of(node.name),
                                                  static_cast<std::uint64_t>(number));
    out = within(node, out);
  }
  m[Node::kTaken] = number + 1;
  m[Node::kPending] = out;
  if (node.computation_delay > 0) return;
  m[Node::kInEffect] = number + 1;
  m[Node::kOutput] = out;
}

}  // namespace freeplay::dynamics
