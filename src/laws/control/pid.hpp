// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/control.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::laws {

/// Proportional, integral and derivative action with tracking against wind-up:
/// theory/control (U.3) at all times, (U.4) sample by sample.
struct Pid : ControlLawBase {
  static constexpr Text key = "pid";
  static constexpr Text title = "PID";
  static constexpr Text cite = "Astrom & Hagglund 1995, sections 3.3 to 3.5";
  static constexpr Text formula =
      "v = kp e + I + D; u = v within its limits; I' = ki e + (u - v)/tracking_time; "
      "D = kd (e - f)/derivative_filter, f' = (e - f)/derivative_filter; "
      "D = kd e' with the rate as second input";
  static constexpr Text limits =
      "The first input is the error, wanted less measured. Derivative action needs a filter, or "
      "the "
      "rate of the error as second input. While the output is at a limit the integral follows it "
      "with the tracking time (default: sqrt(kd/ki), or kp/ki without derivative action).";

  double kp = 1, ki = 0, kd = 0;
  double derivative_filter = 0;
  double tracking_time = 0;

  static constexpr auto fields() {
    return std::array{
        Field<Pid>{&Pid::kp, "kp", "", "gain", -kInfinity, kInfinity},
        Field<Pid>{&Pid::ki, "ki", "", "gain of the integral of the error", -kInfinity, kInfinity},
        Field<Pid>{&Pid::kd, "kd", "", "gain of its rate", -kInfinity, kInfinity},
        Field<Pid>{&Pid::derivative_filter, "derivative_filter", "s",
                   "time constant of the derivative action", 0, kInfinity},
        Field<Pid>{&Pid::tracking_time, "tracking_time", "s",
                   "in which the integral follows an output at its limit; 0: as above", 0,
                   kInfinity}};
  }
  static constexpr std::array samples{ControlSample{2, 0, 0, 2}};

  [[nodiscard]] std::string conflict(int inputs) const {
    if (inputs > 2) return "it takes the error and, if there is one, its rate";
    if (kd != 0 && inputs < 2 && !(derivative_filter > 0))
      return "kd needs a derivative_filter, or the rate of the error as second input";
    if (inputs == 2 && kd == 0) return "the second input is for kd, which is 0";
    if (inputs == 2 && derivative_filter > 0)
      return "a derivative_filter is for the error; the rate is given as it is";
    return {};
  }
  [[nodiscard]] bool integrates() const { return ki != 0; }
  [[nodiscard]] bool filters() const { return kd != 0 && derivative_filter > 0; }
  [[nodiscard]] double tracking() const {
    if (tracking_time > 0) return tracking_time;
    const double square = kd / ki, ratio = kp / ki;
    return square > 0 ? std::sqrt(square) : ratio > 0 ? ratio : 1;
  }

  [[nodiscard]] int states(int /*inputs*/) const { return integrates() + filters(); }
  void start(std::span<const double> in, double* states) const {
    if (filters()) states[integrates()] = in[0];
  }
  template <class T>
  [[nodiscard]] T raw(const Seen<T>& seen) const {
    T v = kp * seen.in[0];
    if (integrates()) v += seen.states[0];
    if (filters())
      v += kd / derivative_filter * (seen.in[0] - seen.states[integrates()]);
    else if (kd != 0)
      v += kd * seen.in[1];
    return v;
  }
  template <class T>
  void rates(const Seen<T>& seen, const T& raw, const T& out, T* rates) const {
    if (integrates()) rates[0] = ki * seen.in[0] + (out - raw) / tracking();
    if (filters())
      rates[integrates()] = (seen.in[0] - seen.states[integrates()]) / derivative_filter;
  }

  // Kept: integral, derivative action, error of the sample before.
  [[nodiscard]] int stored(int /*inputs*/) const { return 3; }
  void start_samples(std::span<const double> in, double* stored) const { stored[2] = in[0]; }
  [[nodiscard]] double derivative(std::span<const double> in, double period,
                                  const double* stored) const {
    if (in.size() > 1) return kd * in[1];
    return (derivative_filter * stored[1] + kd * (in[0] - stored[2])) /
           (derivative_filter + period);
  }
  [[nodiscard]] double at_sample(std::span<const double> in, double period,
                                 const double* stored) const {
    return kp * in[0] + stored[0] + derivative(in, period, stored);
  }
  void next(std::span<const double> in, double period, double raw, double out,
            double* stored) const {
    stored[1] = derivative(in, period, stored);
    stored[2] = in[0];
    if (integrates())
      stored[0] += ki * period * in[0] + std::min(1.0, period / tracking()) * (out - raw);
  }
};

}  // namespace freeplay::laws
