// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Units of the model file. A quantity is an SI value with the exponents of its base units, so that
// "400 cP" where a length belongs is found out. Angles are dimensionless, as in SI, but the *word*
// counts: "30 deg" is no length, and "5 Hz" is not taken for 5 rad/s.
namespace freeplay::io {

/// Which dimensionless word a unit contained. Numbers without any fit everywhere.
enum class Turn { none, angle, cycle };

/// Exponents of the base units; not whole for contact stiffnesses such as N/m^1.5.
struct Dimension {
  double m = 0, kg = 0, s = 0, K = 0;
  Turn turn = Turn::none;

  /// Same exponents, whatever is said of angles.
  [[nodiscard]] bool same_physics(const Dimension& other) const;
  [[nodiscard]] bool dimensionless() const { return same_physics({}); }
  /// A number and nothing more.
  [[nodiscard]] bool plain() const { return dimensionless() && turn == Turn::none; }
};
[[nodiscard]] Dimension operator*(const Dimension& a, const Dimension& b);
[[nodiscard]] Dimension operator/(const Dimension& a, const Dimension& b);
[[nodiscard]] Dimension power(const Dimension& a, double exponent);

/// A unit: one of it is factor x 10^tens in SI. The power of ten stands apart because it only
/// shifts the decimal point of the number before it, which costs no rounding.
struct Unit {
  double factor = 1;
  int tens = 0;
  Dimension dimension;

  [[nodiscard]] double in_si() const;
};

/// A value in SI with its dimension.
struct Quantity {
  double value = 0;
  Dimension dimension;
};

/// May a value of dimension `found` stand where `expected` is asked for? Plain numbers always may:
/// a number without a unit is SI.
[[nodiscard]] bool fits(const Dimension& found, const Dimension& expected);

/// One unit with its prefix ("mm", "GPa", "rpm"); nothing if there is no such unit.
[[nodiscard]] std::optional<Unit> find_unit(std::string_view name);

/// A unit expression starting at `position`: "N m/rad", "kg*m^2", "1/Pa", "J/(kg K)". Moves
/// `position` behind it. Stops before whatever is no unit, so that "3 mm * x" leaves "* x". Nothing
/// if none begins.
[[nodiscard]] std::optional<Unit> scan_unit(std::string_view text, std::size_t& position);

/// A whole string as a unit; "1" is the plain number.
[[nodiscard]] std::optional<Unit> parse_unit(std::string_view text);

/// The SI unit of a dimension in words: "m", "N", "kg m^2", "a number without unit".
[[nodiscard]] std::string unit_name(const Dimension& dimension);

/// Names of all units without prefixes, for suggestions.
[[nodiscard]] const std::vector<std::string>& unit_names();

/// First byte of an identifier, or one of its other bytes. Bytes of UTF-8 sequences count as
/// letters.
[[nodiscard]] bool starts_name(char c);
[[nodiscard]] bool continues_name(char c);

}  // namespace freeplay::io
