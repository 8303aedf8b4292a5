// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

// Explicit stepping for the yardsticks, independent of the engine on purpose: Fehlberg's method of
// order 8 with an error estimate of order 7 (Fehlberg 1968, NASA TR R-287, table X), and touches
// and separations located by repeating the step with another length until it ends on them.
namespace yardstick {

struct Cost {
  long steps = 0, rejected = 0, evaluations = 0, events = 0;
};

/// A mechanism with one contact provides
///   Real                             its numbers: double, or long double for the reference
///   kSize, scale()                   number of states; sizes to which the tolerance is relative
///   derivative(t, y, f)              the motion in the present mode
///   gap(t, y, depth, rate)           depth > 0: the surfaces overlap; rate > 0: they approach
///   touching, touch(rate), part()    the mode, and its changes
template <class Mechanism>
class Rkf78 {
 public:
  using Real = typename Mechanism::Real;
  static constexpr int n = Mechanism::kSize;
  using Vector = std::array<Real, n>;

  Rkf78(Mechanism& mechanism, Real tolerance) : m_(mechanism), tolerance_(tolerance) {
    scale_ = m_.scale();
  }

  /// From (t, y) to t_end, through every event on the way.
  void run(Real t, Vector& y, Real t_end) {
    run(t, y, t_end, [](Real, const Vector&) {});
  }
  /// Likewise; `each(t, y)` sees every step.
  template <class Each>
  void run(Real t, Vector& y, Real t_end, Each&& each) {
    Real h = 1e-3 * (t_end - t);
    Real first_in_contact = h, first_in_flight = h;  // what a mode began with last time
    bool fresh = false;
    while (t < t_end) {
      const bool last = h >= t_end - t;
      const Real trial = last ? t_end - t : h;
      m_.derivative(t, y.data(), k_[0].data());
      ++cost.evaluations;
      const Real error = stages(t, y, trial);
      const Real factor = Real(0.9) * std::pow(std::max(error, Real(1e-8)), Real(-1) / 8);
      if (!(error <= 1)) {
        ++cost.rejected;
        h = trial * (std::isfinite(error) ? std::clamp(factor, Real(0.1), Real(0.9)) : Real(0.1));
        continue;
      }
      ++cost.steps;
      if (fresh) (m_.touching ? first_in_contact : first_in_flight) = trial;
      Real used = trial;
      const bool event = find_event(t, y, trial, used);
      y = next_;
      m_.normalise(y.data());
      t = last && !event ? t_end : t + used;
      if (event) {
        ++cost.events;
        Real depth = 0, rate = 0;
        m_.gap(t, y.data(), depth, rate);
        if (m_.touching)
          m_.part();
        else
          m_.touch(rate);
      }
      each(t, std::as_const(y));
      fresh = event;
      h = event ? (m_.touching ? first_in_contact : first_in_flight)
                : trial * std::clamp(factor, Real(0.2), Real(5));
    }
  }

  Cost cost;

 private:
  /// One step of length h into next_; returns its error over the tolerance. k_[0] is set.
  Real stages(Real t, const Vector& y, Real h) {
    // clang-format off
    static constexpr Real c[13] = {0, Real(2) / 27, Real(1) / 9, Real(1) / 6, Real(5) / 12, Real(1) / 2, Real(5) / 6, Real(1) / 6,
                                     Real(2) / 3, Real(1) / 3, 1, 0, 1};
    static constexpr Real a[13][12] = {
        {},
        {Real(2) / 27},
        {Real(1) / 36, Real(1) / 12},
        {Real(1) / 24, 0, Real(1) / 8},
        {Real(5) / 12, 0, -Real(25) / 16, Real(25) / 16},
        {Real(1) / 20, 0, 0, Real(1) / 4, Real(1) / 5},
        {-Real(25) / 108, 0, 0, Real(125) / 108, -Real(65) / 27, Real(125) / 54},
        {Real(31) / 300, 0, 0, 0, Real(61) / 225, -Real(2) / 9, Real(13) / 900},
        {2, 0, 0, -Real(53) / 6, Real(704) / 45, -Real(107) / 9, Real(67) / 90, 3},
        {-Real(91) / 108, 0, 0, Real(23) / 108, -Real(976) / 135, Real(311) / 54, -Real(19) / 60, Real(17) / 6, -Real(1) / 12},
        {Real(2383) / 4100, 0, 0, -Real(341) / 164, Real(4496) / 1025, -Real(301) / 82, Real(2133) / 4100, Real(45) / 82,
         Real(45) / 164, Real(18) / 41},
        {Real(3) / 205, 0, 0, 0, 0, -Real(6) / 41, -Real(3) / 205, -Real(3) / 41, Real(3) / 41, Real(6) / 41},
        {-Real(1777) / 4100, 0, 0, -Real(341) / 164, Real(4496) / 1025, -Real(289) / 82, Real(2193) / 4100, Real(51) / 82,
         Real(33) / 164, Real(12) / 41, 0, 1}};
    // clang-format on
    Vector stage;
    [&]<std::size_t... S>(std::index_sequence<S...>) {
      (
          [&] {
            constexpr int s = static_cast<int>(S) + 1;
            for (int i = 0; i < n; ++i) {
              Real sum = 0;
              for (int j = 0; j < s; ++j) sum += a[s][j] * k_[j][i];
              stage[i] = y[i] + h * sum;
            }
            m_.derivative(t + c[s] * h, stage.data(), k_[s].data());
          }(),
          ...);
    }
    (std::make_index_sequence<12>{});
    cost.evaluations += 12;
    Real square = 0;
    for (int i = 0; i < n; ++i) {
      next_[i] = y[i] + h * (Real(34) / 105 * k_[5][i] + Real(9) / 35 * (k_[6][i] + k_[7][i]) +
                             Real(9) / 280 * (k_[8][i] + k_[9][i]) +
                             Real(41) / 840 * (k_[11][i] + k_[12][i]));
      const Real e = h * Real(41) / 840 * (k_[0][i] + k_[10][i] - k_[11][i] - k_[12][i]);
      const Real size = std::abs(y[i]) + scale_[i];  // not next_: it may have flown off
      square += e * e / (size * size);
    }
    return std::sqrt(square / n) / tolerance_;
  }

  /// True when the contact changes within the step; `used` is then the length up to that instant
  /// and next_ the state there.
  bool find_event(Real t, const Vector& y, Real h, Real& used) {
    Real depth = 0, rate = 0;
    m_.gap(t + h, next_.data(), depth, rate);
    Real lower = 0, upper = h, x = h;
    if ((depth > 0) == m_.touching) {
      // Both ends are on one side: has it been across and back? The cubic through both ends says.
      Real g0 = 0, r0 = 0;
      m_.gap(t, y.data(), g0, r0);
      const Real side = m_.touching ? 1 : -1;
      if (side * r0 >= 0 || side * rate <= 0) return false;  // it never came nearer
      if (std::abs(g0) < 1e-15) return false;                // the last event itself
      const Real turn = h * r0 / (r0 - rate), u = turn / h;
      const Real value = (1 + 2 * u) * (1 - u) * (1 - u) * g0 + u * (1 - u) * (1 - u) * h * r0 +
                         u * u * (3 - 2 * u) * depth - u * u * (1 - u) * h * rate;
      if (side * value > 0) return false;
      stages(t, y, turn);
      m_.gap(t + turn, next_.data(), depth, rate);
      if (side * depth > 0) {  // it did not after all
        stages(t, y, h);
        return false;
      }
      upper = x = turn;
    }
    // Newton on the length of the step, kept inside the bracket.
    for (int k = 0; k < 60; ++k) {
      const Real before = x;
      x -= depth / rate;
      if (!(x > lower && x < upper)) x = 0.5 * (lower + upper);
      if (std::abs(x - before) <= 2 * std::numeric_limits<Real>::epsilon() * (t + h)) break;
      stages(t, y, x);
      m_.gap(t + x, next_.data(), depth, rate);
      ((depth > 0) == m_.touching ? lower : upper) = x;
    }
    used = x;
    return true;
  }

  Mechanism& m_;
  Real tolerance_;
  Vector scale_{}, next_{};
  std::array<Vector, 13> k_{};
};

}  // namespace yardstick
