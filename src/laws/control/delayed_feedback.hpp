// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/control.hpp"

namespace freeplay::laws {

/// Feedback of what the input was a period ago: theory/control (U.8).
template <class L>
struct DelayedFeedback : ControlLawBase {
  static constexpr bool sampled = false;
  double gain = 1, tau = 1;

  static constexpr Field<L> gain_field() {
    return {&L::gain, "gain", "", "K", -kInfinity, kInfinity, true};
  }
  static constexpr Field<L> tau_field() {
    return {&L::tau, "tau", "s", "period of the motion wanted", 1e-12, kInfinity, true};
  }
  [[nodiscard]] double delay() const { return tau; }
  /// K (S - y); nothing during the first period.
  template <class T>
  [[nodiscard]] T raw(const Seen<T>& seen) const {
    return seen.has_past ? T(gain * (seen.past - seen.in[0])) : T(0.0);
  }
  [[nodiscard]] double at_sample(std::span<const double> /*in*/, double /*period*/,
                                 const double* /*stored*/) const {
    return 0;  // `sampled` says so
  }
};

struct Pyragas : DelayedFeedback<Pyragas> {
  static constexpr Text key = "pyragas";
  static constexpr Text title = "Delayed feedback";
  static constexpr Text cite = "Pyragas 1992, eq. 3";
  static constexpr Text formula = "u = K (y(t - tau) - y(t)); 0 during the first period";
  static constexpr Text limits =
      "Vanishes on orbits of period tau. Those with an odd number of real Floquet multipliers "
      "above "
      "1 it cannot make stable. Steps are no longer than tau.";

  static constexpr auto fields() { return std::array{gain_field(), tau_field()}; }
  static constexpr std::array samples{ControlSample{2, 0, 3, 1}};

  template <class T>
  [[nodiscard]] T kept(const Seen<T>& seen) const {
    return seen.in[0];
  }
};

struct ExtendedDelayedFeedback : DelayedFeedback<ExtendedDelayedFeedback> {
  static constexpr Text key = "edfc";
  static constexpr Text title = "Extended delayed feedback";
  static constexpr Text cite = "Socolar, Sukow & Gauthier 1994, eq. 2";
  static constexpr Text formula =
      "u = K (S - y); S(t) = (1 - R) y(t - tau) + R S(t - tau); 0 during the first period";
  static constexpr Text limits =
      "As delayed feedback (R = 0), over a wider range of gains. Earlier periods are remembered as "
      "if the motion had been the same in them.";

  double R = 0.5;

  static constexpr auto fields() {
    using L = ExtendedDelayedFeedback;
    return std::array{
        gain_field(), tau_field(),
        Field<L>{&L::R, "R", "1", "weight of the periods before the last", -0.999, 0.999, true}};
  }
  static constexpr std::array samples{ControlSample{2, 0, 3, 1}};

  template <class T>
  [[nodiscard]] T kept(const Seen<T>& seen) const {
    return seen.has_past ? T((1 - R) * seen.in[0] + R * seen.past) : seen.in[0];
  }
};

}  // namespace freeplay::laws
