// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/cartesian/frame_maps.hpp"
#include "dynamics/control/numbers.hpp"

#include <algorithm>

// A signal depends on bodies that the forces which follow it do not act on. Its derivative is a row
// over all of y, and every force that follows it adds its wrench at magnitude 1 times that row:
// theory/control (U.10).
namespace freeplay::dynamics {
namespace {

/// Derivatives of what the nodes put out and integrate, one row each, by y.
struct Gradients {
  MatX values, rates;
};

/// Through the readings and states, as many at a time as a dual number has room for.
Gradients gradients_of(const Control& control, double t, const double* y, int first_state,
                       const FrameMaps& maps, const double* memory, int columns) {
  const int inputs = static_cast<int>(control.readings().size()), states = control.states();
  MatX seeds = MatX::Zero(inputs + states, columns);
  for (int k = 0; k < inputs; ++k) {
    const Reading& r = control.readings()[static_cast<std::size_t>(k)];
    const auto p1 = maps.pose(r.first, 0), p2 = maps.pose(r.second, kBodyVariables);
    const PairDual x = read<PairDual>(r, control.model(), p1, p2,
                                      control.now().readings[static_cast<std::size_t>(k)]);
    const auto give = [&](int column, double slope) { seeds(k, column) += slope; };
    maps.coordinates(r.first, x, 0, give);
    maps.coordinates(r.second, x, kBodyVariables, give);
  }
  for (int k = 0; k < states; ++k) seeds(inputs + k, first_state + control.state() + k) = 1;

  const int nodes = static_cast<int>(control.nodes().size());
  Gradients out{MatX::Zero(nodes, columns), MatX::Zero(states, columns)};
  Control::Numbers<PairDual> at;
  control.size(at);
  std::vector<PairDual> z(static_cast<std::size_t>(states));
  for (int from = 0; from < inputs + states; from += kPairVariables) {
    const int count = std::min(kPairVariables, inputs + states - from);
    const auto seeded = [&](double x, int k) {
      return k >= from && k < from + count ? PairDual::variable(x, k - from) : PairDual(x);
    };
    for (int k = 0; k < inputs; ++k)
      at.readings[static_cast<std::size_t>(k)] =
          seeded(control.now().readings[static_cast<std::size_t>(k)], k);
    for (int k = 0; k < states; ++k)
      z[static_cast<std::size_t>(k)] = seeded(y[first_state + control.state() + k], inputs + k);
    control.evaluate<PairDual>(t, z.data(), memory, at);
    for (int c = 0; c < count; ++c) {
      for (int k = 0; k < nodes; ++k)
        out.values.row(k) += at.values[static_cast<std::size_t>(k)].d[c] * seeds.row(from + c);
      for (int k = 0; k < states; ++k)
        out.rates.row(k) += at.rates[static_cast<std::size_t>(k)].d[c] * seeds.row(from + c);
    }
  }
  return out;
}

}  // namespace

void Cartesian::control_derivative(double t, const double* y, const FrameMaps& maps,
                                   const double* memory, const Sink& sink) const {
  const Control& control = elements_.control();
  if (control.empty()) return;
  const int nv = velocity_size(), columns = motion_size() + state_size();
  const Gradients d = gradients_of(control, t, y, motion_size(), maps, memory, columns);
  for (int k = 0; k < control.states(); ++k)
    for (int c = 0; c < columns; ++c)
      if (d.rates(k, c) != 0) sink(nv + rows() + control.state() + k, c, d.rates(k, c));
  const std::vector<double> ones(control.nodes().size(), 1.0);
  VecX push(nv);
  elements_.each(angles(memory), [&](const Element& element, double angle) {
    if (element.follows() < 0) return;
    const FrameIndex b1 = element.first(), b2 = element.second();
    Action<double> unit;
    element.act({t, poses_[static_cast<std::size_t>(b1)], poses_[static_cast<std::size_t>(b2)],
                 nullptr, memory, angle, ones.data()},
                nullptr, unit);
    push.setZero();
    add_wrench(b1, unit.on_first, push.data());
    add_wrench(b2, unit.on_second, push.data());
    const auto slope = d.values.row(element.follows());
    for (int c = 0; c < columns; ++c) {
      if (slope[c] == 0) continue;
      for (int r = 0; r < nv; ++r)
        if (push[r] != 0) sink(r, c, -push[r] * slope[c]);
      if (element.work() >= 0)
        sink(nv + rows() + state_size() + element.work(), c, unit.power * slope[c]);
    }
  });
}

}  // namespace freeplay::dynamics
