// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>

// What a formula or a plug-in has to keep to be a law, looked at on points spread over what a
// mechanism can reach: the sampled places are named in the messages. A zero of a formula's divisor
// between two points is found by its change of sign; what is not found is left to the run, which
// stops at a force that is no number.
namespace freeplay::laws {

class CompiledFormula;
class PluginFunction;

/// A law in question: arguments are in the order of its kind.
struct Asked {
  std::function<double(const double*)> value;  ///< NaN where there is none
  std::function<std::array<double, 3>(const double*)> with_slopes;
  std::function<bool()> divides_by_zero;  ///< at one of the places asked for, or between two
};
[[nodiscard]] Asked asked(const CompiledFormula& formula);
[[nodiscard]] Asked asked(const PluginFunction& function);

/// Depths up to `deepest`, speeds up to 10 m/s, rates no faster than the touch. `tension`: the
/// contact may pull. Why it is no contact law; empty: it is one.
struct ContactReach {
  double deepest = 1e-3;  ///< m
  double mass = 1;        ///< kg
  bool tension = false;
};
[[nodiscard]] std::string contact_faults(const Asked& force, const ContactReach& reach);

/// Speeds up to 100 m/s, loads from 1 mN to 1 MN.
[[nodiscard]] std::string friction_faults(const Asked& coefficient, bool of_load);

/// Pressures from 1 kPa to 10 GPa, speeds up to 100 m/s, friction up to the pressure, 1 mm lost.
[[nodiscard]] std::string wear_faults(const Asked& rate);

/// Restitution of two free bodies that meet at `speed`; NaN where they do not part again. `mass` is
/// their effective mass, force(depth, rate, speed) what they push each other with.
[[nodiscard]] double free_restitution(const std::function<double(double, double, double)>& force,
                                      double mass, double speed);

}  // namespace freeplay::laws
