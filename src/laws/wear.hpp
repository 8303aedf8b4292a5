// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/law.hpp"

#include <string>

// The words of the wear laws: how fast a surface loses depth where another one rubs on it. Geometry
// says where and under which pressure (joints/wearing.hpp); the law answers for one place of one
// part and knows neither parts nor time.
namespace freeplay::laws {

/// What a place of a surface is subject to.
struct Rubbing {
  double pressure = 0;  ///< Pa
  double slip = 0;      ///< of the other surface over it; m/s
  double shear = 0;     ///< friction over area; Pa
  double depth = 0;     ///< what it has lost so far; m
  double factor = 1;    ///< what the table of the law says there
};

/// A worked example: the law with its defaults, the coefficient of the outer part.
struct WearSample {
  Rubbing at;
  double rate;  ///< m/s
};

/// What the factors of a law belong to.
enum class WearTable { none, pressure, speed };

/// What most laws have in common.
struct WearLawBase {
  static constexpr bool uses_shear = false;
  static constexpr WearTable table = WearTable::none;
  double outer = 1e-14, inner = 1e-14;  ///< 1/Pa

  [[nodiscard]] std::string conflict() const {
    return outer > 0 || inner > 0 ? "" : "neither part wears: both coefficients are 0";
  }
};

/// The coefficients of both parts.
template <class L>
constexpr Field<L> outer_field() {
  return {&L::outer, "outer", "1/Pa", "coefficient k of the outer part", 0, 1e-6, true};
}
template <class L>
constexpr Field<L> inner_field() {
  return {&L::inner, "inner", "1/Pa", "coefficient k of the inner part", 0, 1e-6, true};
}

template <class L>
concept WearLawType = Law<L> && requires(const L& law, const Rubbing& at) {
  { law.uses_shear } -> std::convertible_to<bool>;
  { L::table } -> std::convertible_to<WearTable>;
  { law.rate(1.0, at) } -> std::same_as<double>;  // of depth, with that coefficient; m/s
  { law.outer } -> std::convertible_to<double>;
  { law.inner } -> std::convertible_to<double>;
};

}  // namespace freeplay::laws
