// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/control/control.hpp"
#include "model/formula.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

// How the numbers of an instant follow from each other, in any scalar.
namespace freeplay::dynamics {

/// Instants nearer to each other than this are the same.
inline double time_noise(double t) {
  return 64 * std::numeric_limits<double>::epsilon() * std::abs(t);
}

template <class T>
void Control::size(Numbers<T>& numbers) const {
  std::size_t most = 0;
  for (const ControlNode& node : net_.nodes) most = std::max(most, node.in.size());
  numbers.readings.resize(readings_.size());
  numbers.values.resize(net_.nodes.size());
  numbers.raw.resize(net_.nodes.size());
  numbers.kept.resize(static_cast<std::size_t>(channels_));
  numbers.rates.resize(static_cast<std::size_t>(states_));
  numbers.in.resize(most);
}

template <class T>
void Control::gather(const ControlNode& node, Numbers<T>& at) const {
  using Kind = ControlNode::Source::Kind;
  for (std::size_t i = 0; i < node.in.size(); ++i) {
    const ControlNode::Source& s = node.in[i];
    const auto k = static_cast<std::size_t>(s.index);
    if (s.kind != Kind::recorded) at.in[i] = s.kind == Kind::node ? at.values[k] : at.readings[k];
  }
}

/// Derivatives one variable after the other: there are few.
template <class T>
T Control::formula(const ControlNode& node, double t, std::span<const T> in) const {
  using Number = Series<double, 2>;
  const std::size_t n = node.in.size();
  for (std::size_t i = 0; i < n; ++i) arguments_[i] = Number(value_of(in[i]));
  const std::span<const Number> variables(arguments_.data(), n);
  const auto value = [&] {
    return model::evaluate<Number>(node.signal->formula, {0.0, 0.0, t, variables});
  };
  T out(value().c[0]);
  if constexpr (!std::is_same_v<T, double>)
    for (std::size_t i = 0; i < n; ++i) {
      arguments_[i] = Number::variable(value_of(in[i]));
      out.d += in[i].d * value().c[1];
      arguments_[i] = Number(value_of(in[i]));
    }
  return out;
}

template <class T>
T Control::limited(const ControlNode& node, const T& raw, const double* memory) const {
  if (node.limited < 0) return raw;
  switch (static_cast<int>(memory[node.limited])) {
    case ControlNode::kInside:
      return raw;
    case ControlNode::kAbove:
      return T(*node.upper);
    case ControlNode::kBelow:
      return T(*node.lower);
    default:
      if (node.upper && raw > *node.upper) return T(*node.upper);
      if (node.lower && raw < *node.lower) return T(*node.lower);
      return raw;
  }
}

template <class T>
laws::Seen<T> Control::seen(const ControlNode& node, double t, const T* z, const double* memory,
                            std::span<const T> in) const {
  laws::Seen<T> out{in, z + node.state};
  if (node.channel >= 0)
    out.has_past = history_.at(node.channel, t - node.delay,
                               memory[node.past + ControlNode::kStretch], out.past);
  return out;
}

/// Its output, before limits and behind them.
template <class T>
void Control::put_out(std::size_t k, double t, const T* z, const double* memory,
                      Numbers<T>& at) const {
  const ControlNode& node = net_.nodes[k];
  T& raw = at.raw[k];
  const std::span<const T> in(at.in.data(), node.in.size());
  if (node.sampled()) {
    at.values[k] = raw = T(memory[node.samples + ControlNode::kOutput]);
    return;
  }
  if (node.law) {
    raw = std::visit([&](const auto& law) { return T(law.raw(seen(node, t, z, memory, in))); },
                     *node.law);
  } else if (node.delay > 0) {
    const auto now = seen(node, t, z, memory, in);
    raw = T(now.has_past ? now.past : memory[node.past + ControlNode::kBefore]);
  } else {
    raw = node.filter > 0 ? z[node.state] : formula(node, t, in);
  }
  at.values[k] = limited(node, raw, memory);
}

template <class T>
void Control::evaluate(double t, const T* z, const double* memory, Numbers<T>& at) const {
  // What does not depend on anything of this instant, then what does, one behind the other.
  std::fill(at.in.begin(), at.in.end(), T(0.0));
  for (std::size_t k = 0; k < net_.nodes.size(); ++k)
    if (!net_.nodes[k].direct()) put_out(k, t, z, memory, at);
  for (const int k : net_.direct) {
    const auto own = static_cast<std::size_t>(k);
    gather(net_.nodes[own], at);
    put_out(own, t, z, memory, at);
  }
  // Now all is known that goes in.
  for (std::size_t k = 0; k < net_.nodes.size(); ++k) {
    const ControlNode& node = net_.nodes[k];
    if (node.states == 0 && node.channel < 0) continue;
    gather(node, at);
    const std::span<const T> in(at.in.data(), node.in.size());
    T* rates = at.rates.data() + node.state;
    if (node.law) {
      const auto sight = seen(node, t, z, memory, in);
      std::visit(
          [&](const auto& law) {
            law.rates(sight, at.raw[k], at.values[k], rates);
            if (node.channel >= 0)
              at.kept[static_cast<std::size_t>(node.channel)] = law.kept(sight);
          },
          *node.law);
      continue;
    }
    const T x = formula(node, t, in);
    if (node.filter > 0) rates[0] = (x - z[node.state]) / node.filter;
    if (node.channel >= 0)
      at.kept[static_cast<std::size_t>(node.channel)] = node.filter > 0 ? z[node.state] : x;
  }
}

}  // namespace freeplay::dynamics
