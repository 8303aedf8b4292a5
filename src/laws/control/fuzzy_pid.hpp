// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::laws {

/// A PID controller whose gains follow rules: theory/control (U.13), (U.14).
struct FuzzyPid : ControlLawBase {
  static constexpr Text key = "fuzzy-pid";
  static constexpr Text title = "Fuzzy self-tuning PID";
  static constexpr Text cite = "Zhao, Tomizuka & Isaka 1993; Takagi & Sugeno 1985";
  static constexpr Text formula =
      "v = (kp + P) e + I + (kd + D) e', I' = (ki + K) e + (u - v)/tracking_time; P, K, D from "
      "kp_rules, ki_rules, kd_rules: sums of entries weighted by how far e and e' belong to their "
      "sets";
  static constexpr Text limits =
      "Inputs: the error and its rate. A table has one row for each set of the error, from very "
      "negative to very positive, one column for each set of the rate: n x n entries, n > 1, gains "
      "to be added. The n sets of each lie evenly over plus and minus its range, two of them "
      "overlap anywhere, as 3 u^2 - 2 u^3; beyond the range the last rules go on. An absent table "
      "leaves its gain as it is.";

  double kp = 1, ki = 0, kd = 0, error_range = 1, rate_range = 1, tracking_time = 1;
  std::vector<double> kp_rules, ki_rules, kd_rules;

  static constexpr auto fields() {
    using L = FuzzyPid;
    return std::array{
        Field<L>{&L::kp, "kp", "", "gain", -kInfinity, kInfinity},
        Field<L>{&L::ki, "ki", "", "gain of the integral of the error", -kInfinity, kInfinity},
        Field<L>{&L::kd, "kd", "", "gain of its rate", -kInfinity, kInfinity},
        Field<L>{&L::error_range, "error_range", "", "largest error that has rules of its own",
                 1e-300, kInfinity, true},
        Field<L>{&L::rate_range, "rate_range", "", "the same of the rate", 1e-300, kInfinity, true},
        Field<L>{&L::tracking_time, "tracking_time", "s",
                 "in which the integral follows an output at its limit", 1e-12, kInfinity}};
  }
  static constexpr auto lists() {
    using L = FuzzyPid;
    return std::array{ListField<L>{&L::kp_rules, "kp_rules", "n x n, row by row; added to kp"},
                      ListField<L>{&L::ki_rules, "ki_rules", "the same for ki"},
                      ListField<L>{&L::kd_rules, "kd_rules", "the same for kd"}};
  }
  static constexpr std::array samples{ControlSample{2, 0, 0, 2}};

  [[nodiscard]] std::string conflict(int inputs) const {
    if (inputs != 2) return "it takes the error and its rate";
    for (const std::vector<double>* rules : {&kp_rules, &ki_rules, &kd_rules}) {
      const int n = sets(*rules);
      if (!rules->empty() && (n < 2 || static_cast<std::size_t>(n) * n != rules->size()))
        return fmt::format("{} rules are no square table of 2 x 2 and more", rules->size());
    }
    return {};
  }
  [[nodiscard]] bool integrates() const { return ki != 0 || !ki_rules.empty(); }
  [[nodiscard]] int states(int /*inputs*/) const { return integrates() ? 1 : 0; }
  template <class T>
  [[nodiscard]] T raw(const Seen<T>& seen) const {
    const T e = seen.in[0], rate = rate_of(seen.in);
    T v = (kp + rule(kp_rules, e, rate)) * e + (kd + rule(kd_rules, e, rate)) * rate;
    if (integrates()) v += seen.states[0];
    return v;
  }
  template <class T>
  void rates(const Seen<T>& seen, const T& raw, const T& out, T* rates) const {
    if (!integrates()) return;
    const T e = seen.in[0];
    rates[0] = (ki + rule(ki_rules, e, rate_of(seen.in))) * e + (out - raw) / tracking_time;
  }

  // Kept: the integral.
  [[nodiscard]] int stored(int /*inputs*/) const { return 1; }
  [[nodiscard]] double at_sample(std::span<const double> in, double /*period*/,
                                 const double* stored) const {
    return raw(Seen<double>{in, stored});
  }
  void next(std::span<const double> in, double period, double raw, double out,
            double* stored) const {
    if (!integrates()) return;
    stored[0] += period * (ki + rule(ki_rules, in[0], rate_of(in))) * in[0] +
                 std::min(1.0, period / tracking_time) * (out - raw);
  }

  /// The sum over a table.
  template <class T>
  [[nodiscard]] T rule(const std::vector<double>& rules, const T& e, const T& rate) const {
    if (rules.empty()) return T(0.0);
    const int n = sets(rules);
    const auto [row, down] = place(e / error_range, n);
    const auto [column, across] = place(rate / rate_range, n);
    const auto at = [&, r = row, c = column](int i, int k) {
      return rules[static_cast<std::size_t>((r + i) * n + c + k)];
    };
    const T above = at(0, 0) + across * (at(0, 1) - at(0, 0)),
            below = at(1, 0) + across * (at(1, 1) - at(1, 0));
    return above + down * (below - above);
  }

 private:
  [[nodiscard]] static int sets(const std::vector<double>& rules) {
    return static_cast<int>(std::lround(std::sqrt(static_cast<double>(rules.size()))));
  }
  template <class T>
  [[nodiscard]] static T rate_of(std::span<const T> in) {
    return in.size() > 1 ? in[1] : T(0.0);
  }
  /// The lower of the two sets that x, -1 ... 1, belongs to, and its share in the upper one.
  template <class T>
  [[nodiscard]] static std::pair<int, T> place(const T& x, int n) {
    if (x <= T(-1.0)) return {0, T(0.0)};
    if (x >= T(1.0)) return {n - 2, T(1.0)};
    const T u = 0.5 * (n - 1) * (x + 1.0);
    int lower = 0;
    while (lower < n - 2 && u >= T(lower + 1.0)) ++lower;
    const T part = u - static_cast<double>(lower);
    return {lower, part * part * (3.0 - 2.0 * part)};
  }
};

}  // namespace freeplay::laws
