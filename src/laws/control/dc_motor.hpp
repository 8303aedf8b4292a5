// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/control.hpp"

#include <cmath>

namespace freeplay::laws {

/// A direct-current motor with its gearbox: theory/control (U.11), (U.12).
struct DcMotor : ControlLawBase {
  static constexpr Text key = "dc-motor";
  static constexpr Text title = "DC motor with gearbox";
  static constexpr Text cite = "Fitzgerald, Kingsley & Umans 2003, chapter 7";
  static constexpr Text formula =
      "L i' = V - R i - ke N w; v = N kt i - (1 - efficiency) |N kt i| tanh(w/creep)";
  static constexpr Text limits =
      "Inputs: the voltage, and the rate of the joint that the effort acts on. Without inductance "
      "the torque lies on the speed line N kt (V - ke N w)/R, and `limit` makes it a motor of "
      "limited torque. Numbers are in V, A, ohm, H. The rotor's inertia, times ratio^2, belongs to "
      "the body. Friction of the gearbox grows with what it transmits: driven backwards it passes "
      "on 1/(2 - efficiency).";
  static constexpr bool sampled = false;

  double resistance = 1, inductance = 0, torque_constant = 0.1, speed_constant = 0, ratio = 1,
         efficiency = 1, creep = 1e-2;

  static constexpr auto fields() {
    using L = DcMotor;
    return std::array{
        Field<L>{&L::resistance, "resistance", "", "R of the winding; ohm", 1e-9, kInfinity, true},
        Field<L>{&L::inductance, "inductance", "", "L of the winding; H; 0: the current follows", 0,
                 kInfinity},
        Field<L>{&L::torque_constant, "torque_constant", "", "kt; N m/A", 1e-12, kInfinity, true},
        Field<L>{&L::speed_constant, "speed_constant", "",
                 "ke; V s/rad; 0: the same number as kt, as in SI it is", 0, kInfinity},
        Field<L>{&L::ratio, "ratio", "1", "N, turns of the motor to one of the joint", -kInfinity,
                 kInfinity},
        Field<L>{&L::efficiency, "efficiency", "1", "of the gearbox that drives", 0.5, 1},
        Field<L>{&L::creep, "creep", "rad/s",
                 "rate of the joint at which the gearbox's friction is fully developed", 1e-9,
                 kInfinity}};
  }
  static constexpr std::array samples{ControlSample{12, 0, 0, 1.2}};

  [[nodiscard]] std::string conflict(int inputs) const {
    if (inputs != 2) return "it takes the voltage and the rate of its joint";
    if (ratio == 0) return "a ratio of 0 transmits nothing";
    return {};
  }
  [[nodiscard]] int states(int /*inputs*/) const { return inductance > 0 ? 1 : 0; }
  [[nodiscard]] bool direct() const { return inductance == 0 || efficiency < 1; }
  template <class T>
  [[nodiscard]] T raw(const Seen<T>& seen) const {
    using std::abs;
    using std::tanh;
    const T torque =
        ratio * torque_constant * (inductance > 0 ? seen.states[0] : T(voltage(seen) / resistance));
    if (efficiency == 1) return torque;
    return torque - (1 - efficiency) * abs(torque) * tanh(speed(seen) / creep);
  }
  template <class T>
  void rates(const Seen<T>& seen, const T& /*raw*/, const T& /*out*/, T* rates) const {
    if (inductance > 0) rates[0] = (voltage(seen) - resistance * seen.states[0]) / inductance;
  }
  [[nodiscard]] double at_sample(std::span<const double> /*in*/, double /*period*/,
                                 const double* /*stored*/) const {
    return 0;  // `sampled` says so
  }

 private:
  template <class T>
  [[nodiscard]] static T speed(const Seen<T>& seen) {
    return seen.in.size() > 1 ? seen.in[1] : T(0.0);
  }
  /// What is left for the winding.
  template <class T>
  [[nodiscard]] T voltage(const Seen<T>& seen) const {
    const double ke = speed_constant > 0 ? speed_constant : torque_constant;
    return seen.in[0] - ke * ratio * speed(seen);
  }
};

}  // namespace freeplay::laws
