// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

// Explicit stepping for the yardsticks, independent of the engine on purpose: Fehlberg's method of
// order 8 with an error estimate of order 7 (Fehlberg 1968, NASA TR R-287, table X), and touches
// and separations located by repeating the step with another length until it ends on them.
namespace yardstick {

struct Cost {
  long steps = 0, rejected = 0, evaluations = 0, events = 0;
};

/// A mechanism with one contact provides
///   kSize, scale()                   number of states; sizes to which the tolerance is relative
///   derivative(t, y, f)              the motion in the present mode
///   gap(t, y, depth, rate)           depth > 0: the surfaces overlap; rate > 0: they approach
///   touching, touch(rate), part()    the mode, and its changes
template <class Mechanism>
class Rkf78 {
 public:
  static constexpr int n = Mechanism::kSize;
  using Vector = std::array<double, n>;

  Rkf78(Mechanism& mechanism, double tolerance) : m_(mechanism), tolerance_(tolerance) {
    scale_ = m_.scale();
  }

  /// From (t, y) to t_end, through every event on the way.
  void run(double t, Vector& y, double t_end) {
    double h = 1e-3 * (t_end - t);
    double first_in_contact = h, first_in_flight = h;  // what a mode began with last time
    bool fresh = false;
    while (t < t_end) {
      const bool last = h >= t_end - t;
      const double trial = last ? t_end - t : h;
      m_.derivative(t, y.data(), k_[0].data());
      ++cost.evaluations;
      const double error = stages(t, y, trial);
      const double factor = 0.9 * std::pow(std::max(error, 1e-8), -1.0 / 8);
      if (!(error <= 1)) {
        ++cost.rejected;
        h = trial * (std::isfinite(error) ? std::clamp(factor, 0.1, 0.9) : 0.1);
        continue;
      }
      ++cost.steps;
      if (fresh) (m_.touching ? first_in_contact : first_in_flight) = trial;
      double used = trial;
      const bool event = find_event(t, y, trial, used);
      y = next_;
      m_.normalise(y.data());
      t = last && !event ? t_end : t + used;
      if (event) {
        ++cost.events;
        double depth = 0, rate = 0;
        m_.gap(t, y.data(), depth, rate);
        if (m_.touching)
          m_.part();
        else
          m_.touch(rate);
      }
      fresh = event;
      h = event ? (m_.touching ? first_in_contact : first_in_flight)
                : trial * std::clamp(factor, 0.2, 5.0);
    }
  }

  Cost cost;

 private:
  /// One step of length h into next_; returns its error over the tolerance. k_[0] is set.
  double stages(double t, const Vector& y, double h) {
    // clang-format off
    static constexpr double c[13] = {0, 2. / 27, 1. / 9, 1. / 6, 5. / 12, 1. / 2, 5. / 6, 1. / 6,
                                     2. / 3, 1. / 3, 1, 0, 1};
    static constexpr double a[13][12] = {
        {},
        {2. / 27},
        {1. / 36, 1. / 12},
        {1. / 24, 0, 1. / 8},
        {5. / 12, 0, -25. / 16, 25. / 16},
        {1. / 20, 0, 0, 1. / 4, 1. / 5},
        {-25. / 108, 0, 0, 125. / 108, -65. / 27, 125. / 54},
        {31. / 300, 0, 0, 0, 61. / 225, -2. / 9, 13. / 900},
        {2, 0, 0, -53. / 6, 704. / 45, -107. / 9, 67. / 90, 3},
        {-91. / 108, 0, 0, 23. / 108, -976. / 135, 311. / 54, -19. / 60, 17. / 6, -1. / 12},
        {2383. / 4100, 0, 0, -341. / 164, 4496. / 1025, -301. / 82, 2133. / 4100, 45. / 82,
         45. / 164, 18. / 41},
        {3. / 205, 0, 0, 0, 0, -6. / 41, -3. / 205, -3. / 41, 3. / 41, 6. / 41},
        {-1777. / 4100, 0, 0, -341. / 164, 4496. / 1025, -289. / 82, 2193. / 4100, 51. / 82,
         33. / 164, 12. / 41, 0, 1}};
    // clang-format on
    Vector stage;
    [&]<std::size_t... S>(std::index_sequence<S...>) {
      (
          [&] {
            constexpr int s = static_cast<int>(S) + 1;
            for (int i = 0; i < n; ++i) {
              double sum = 0;
              for (int j = 0; j < s; ++j) sum += a[s][j] * k_[j][i];
              stage[i] = y[i] + h * sum;
            }
            m_.derivative(t + c[s] * h, stage.data(), k_[s].data());
          }(),
          ...);
    }
    (std::make_index_sequence<12>{});
    cost.evaluations += 12;
    double square = 0;
    for (int i = 0; i < n; ++i) {
      next_[i] =
          y[i] + h * (34. / 105 * k_[5][i] + 9. / 35 * (k_[6][i] + k_[7][i]) +
                      9. / 280 * (k_[8][i] + k_[9][i]) + 41. / 840 * (k_[11][i] + k_[12][i]));
      const double e = h * 41. / 840 * (k_[0][i] + k_[10][i] - k_[11][i] - k_[12][i]);
      const double size = std::abs(y[i]) + scale_[i];  // not next_: it may have flown off
      square += e * e / (size * size);
    }
    return std::sqrt(square / n) / tolerance_;
  }

  /// True when the contact changes within the step; `used` is then the length up to that instant
  /// and next_ the state there.
  bool find_event(double t, const Vector& y, double h, double& used) {
    double depth = 0, rate = 0;
    m_.gap(t + h, next_.data(), depth, rate);
    double lower = 0, upper = h, x = h;
    if ((depth > 0) == m_.touching) {
      // Both ends are on one side: has it been across and back? The cubic through both ends says.
      double g0 = 0, r0 = 0;
      m_.gap(t, y.data(), g0, r0);
      const double side = m_.touching ? 1 : -1;
      if (side * r0 >= 0 || side * rate <= 0) return false;  // it never came nearer
      if (std::abs(g0) < 1e-15) return false;                // the last event itself
      const double turn = h * r0 / (r0 - rate), u = turn / h;
      const double value = (1 + 2 * u) * (1 - u) * (1 - u) * g0 + u * (1 - u) * (1 - u) * h * r0 +
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
      const double before = x;
      x -= depth / rate;
      if (!(x > lower && x < upper)) x = 0.5 * (lower + upper);
      if (std::abs(x - before) <= 4e-16 * (t + h)) break;
      stages(t, y, x);
      m_.gap(t + x, next_.data(), depth, rate);
      ((depth > 0) == m_.touching ? lower : upper) = x;
    }
    used = x;
    return true;
  }

  Mechanism& m_;
  double tolerance_;
  Vector scale_{}, next_{};
  std::array<Vector, 13> k_{};
};

}  // namespace yardstick
