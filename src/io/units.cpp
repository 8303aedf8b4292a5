// SPDX-License-Identifier: Apache-2.0
#include "io/units.hpp"

#include "io/text.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace freeplay::io {
namespace {

constexpr double kPi = std::numbers::pi;

struct Known {
  std::string_view name;
  double factor;
  int tens;
  Dimension dimension;
  std::string_view prefixes;  // those that are in use with it, one letter each
};

constexpr Dimension kLength{.m = 1}, kMass{.kg = 1}, kTime{.s = 1};
constexpr Dimension kForce{.m = 1, .kg = 1, .s = -2}, kPressure{.m = -1, .kg = 1, .s = -2};
constexpr Dimension kEnergy{.m = 2, .kg = 1, .s = -2}, kPower{.m = 2, .kg = 1, .s = -3};
constexpr Dimension kAngle{.turn = Turn::angle}, kSpeed{.s = -1, .turn = Turn::angle};
constexpr Dimension kFrequency{.s = -1, .turn = Turn::cycle};

// Conversion factors are exact by definition (BIPM SI brochure, 9th edition; NIST SP 811 for the
// inch-pound ones) except psi, which is lbf/in^2. No `t` for the tonne: t is time.
constexpr std::array kUnits{
    Known{"m", 1, 0, kLength, "numcdk"},
    Known{"in", 254, -4, kLength, ""},
    Known{"ft", 3048, -4, kLength, ""},
    Known{"g", 1, -3, kMass, "umk"},
    Known{"tonne", 1, 3, kMass, ""},
    Known{"lb", 45359237, -8, kMass, ""},
    Known{"s", 1, 0, kTime, "num"},
    Known{"min", 60, 0, kTime, ""},
    Known{"h", 3600, 0, kTime, ""},
    Known{"N", 1, 0, kForce, "umkM"},
    Known{"lbf", 0.45359237 * 9.80665, 0, kForce, ""},
    Known{"Pa", 1, 0, kPressure, "mhkMG"},
    Known{"bar", 1, 5, kPressure, "m"},
    Known{"psi", 0.45359237 * 9.80665 / (0.0254 * 0.0254), 0, kPressure, ""},
    Known{"J", 1, 0, kEnergy, "umkM"},
    Known{"W", 1, 0, kPower, "umkM"},
    Known{"P", 1, -1, {.m = -1, .kg = 1, .s = -1}, "cm"},
    Known{"St", 1, -4, {.m = 2, .s = -1}, "c"},
    Known{"L", 1, -3, {.m = 3}, "m"},
    Known{"K", 1, 0, {.K = 1}, "m"},
    Known{"rad", 1, 0, kAngle, "um"},
    Known{"deg", kPi / 180, 0, kAngle, ""},
    Known{"\u00b0", kPi / 180, 0, kAngle, ""},
    Known{"rev", 2 * kPi, 0, kAngle, ""},
    Known{"rpm", 2 * kPi / 60, 0, kSpeed, ""},
    Known{"Hz", 1, 0, kFrequency, "mkM"},
    Known{"%", 1, -2, {}, ""},
};

int prefix_tens(char prefix) {
  switch (prefix) {
    case 'n':
      return -9;
    case 'u':
      return -6;
    case 'm':
      return -3;
    case 'c':
      return -2;
    case 'd':
      return -1;
    case 'h':
      return 2;
    case 'k':
      return 3;
    case 'M':
      return 6;
    case 'G':
      return 9;
    default:
      return 0;
  }
}

const Known* exact(std::string_view name) {
  for (const Known& unit : kUnits)
    if (unit.name == name) return &unit;
  return nullptr;
}

bool near(double a, double b) {
  return std::abs(a - b) < 1e-9;
}  // exponents are sums of short decimals

Turn either(Turn a, Turn b) { return a != Turn::none ? a : b; }

void skip_blanks(std::string_view text, std::size_t& at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
}

bool take(std::string_view text, std::size_t& at, std::string_view word) {
  if (!text.substr(at).starts_with(word)) return false;
  at += word.size();
  return true;
}

/// "^2", "^-1", "^1.5" or a superscript; 1 when there is none.
double scan_exponent(std::string_view text, std::size_t& at) {
  if (take(text, at, "\u00b2")) return 2;
  if (take(text, at, "\u00b3")) return 3;
  std::size_t ahead = at;
  skip_blanks(text, ahead);
  if (!take(text, ahead, "^")) return 1;
  skip_blanks(text, ahead);
  const double sign = take(text, ahead, "-") ? -1 : 1;
  double value = 0;
  const std::size_t length = scan_number(text.substr(ahead), value);
  if (length == 0) return 1;
  at = ahead + length;
  return sign * value;
}

/// One unit with its exponent. A name with an opening parenthesis right behind it is a function:
/// min(...).
std::optional<Unit> scan_factor(std::string_view text, std::size_t& at) {
  if (at >= text.size() || !starts_name(text[at])) return {};
  std::size_t end = at + 1;
  if (text[at] != '%')
    while (end < text.size() && continues_name(text[end]) &&
           !text.substr(end).starts_with("\u00b2") && !text.substr(end).starts_with("\u00b3") &&
           !text.substr(end).starts_with("\u00b7"))
      ++end;
  if (end < text.size() && text[end] == '(') return {};
  const auto unit = find_unit(text.substr(at, end - at));
  if (!unit) return {};
  at = end;
  const double exponent = scan_exponent(text, at);
  if (exponent == 1) return unit;
  if (const double tens = unit->tens * exponent; tens == std::round(tens) && std::abs(tens) < 400)
    return Unit{std::pow(unit->factor, exponent), static_cast<int>(tens),
                power(unit->dimension, exponent)};
  return Unit{std::pow(unit->in_si(), exponent), 0, power(unit->dimension, exponent)};
}

}  // namespace

bool Dimension::same_physics(const Dimension& other) const {
  return near(m, other.m) && near(kg, other.kg) && near(s, other.s) && near(K, other.K);
}

Dimension operator*(const Dimension& a, const Dimension& b) {
  return {a.m + b.m, a.kg + b.kg, a.s + b.s, a.K + b.K, either(a.turn, b.turn)};
}

Dimension operator/(const Dimension& a, const Dimension& b) {
  return {a.m - b.m, a.kg - b.kg, a.s - b.s, a.K - b.K, either(a.turn, b.turn)};
}

Dimension power(const Dimension& a, double e) {
  return {a.m * e, a.kg * e, a.s * e, a.K * e, e == 0 ? Turn::none : a.turn};
}

double Unit::in_si() const { return factor * std::pow(10.0, tens); }

bool fits(const Dimension& found, const Dimension& expected) {
  if (found.plain()) return true;
  return found.same_physics(expected) && (found.turn == Turn::none || found.turn == expected.turn);
}

std::optional<Unit> find_unit(std::string_view name) {
  if (const Known* unit = exact(name)) return Unit{unit->factor, unit->tens, unit->dimension};
  char prefix = name.empty() ? '\0' : name[0];
  std::size_t length = 1;
  for (const std::string_view micro : {"\u00b5", "\u03bc"})  // micro sign, Greek mu
    if (name.starts_with(micro)) prefix = 'u', length = micro.size();
  const Known* unit = name.size() > length ? exact(name.substr(length)) : nullptr;
  if (!unit || unit->prefixes.find(prefix) == std::string_view::npos) return {};
  return Unit{unit->factor, unit->tens + prefix_tens(prefix), unit->dimension};
}

std::optional<Unit> scan_unit(std::string_view text, std::size_t& position) {
  std::size_t at = position;
  skip_blanks(text, at);
  // "1/Pa": the leading one is no number of its own but the numerator of the unit.
  Unit out;
  bool any = false;
  if (at < text.size() && text[at] == '1') {
    std::size_t ahead = at + 1;
    skip_blanks(text, ahead);
    if (ahead >= text.size() || text[ahead] != '/') return {};
    at += 1;
  } else {
    const auto first = scan_factor(text, at);
    if (!first) return {};
    out = *first;
    any = true;
  }
  for (;;) {
    std::size_t ahead = at;
    skip_blanks(text, ahead);
    const bool divide = take(text, ahead, "/");
    if (!divide && !take(text, ahead, "*")) take(text, ahead, "\u00b7");
    skip_blanks(text, ahead);
    std::optional<Unit> next;
    if (ahead < text.size() && text[ahead] == '(') {
      // "J/(kg K)" is one unit; "3 mm/(x + 1)" is arithmetic and left to others.
      std::size_t inside = ahead + 1;
      skip_blanks(text, inside);
      if (inside < text.size() && starts_name(text[inside])) next = scan_unit(text, inside);
      skip_blanks(text, inside);
      if (!next || !take(text, inside, ")")) break;
      ahead = inside;
    } else {
      next = scan_factor(text, ahead);
    }
    if (!next) break;
    out.factor = divide ? out.factor / next->factor : out.factor * next->factor;
    out.tens = divide ? out.tens - next->tens : out.tens + next->tens;
    out.dimension = divide ? out.dimension / next->dimension : out.dimension * next->dimension;
    at = ahead;
    any = true;
  }
  if (!any) return {};
  position = at;
  return out;
}

std::optional<Unit> parse_unit(std::string_view text) {
  if (text == "1") return Unit{};
  std::size_t at = 0;
  const auto unit = scan_unit(text, at);
  return unit && at == text.size() ? unit : std::nullopt;
}

std::string unit_name(const Dimension& dimension) {
  if (dimension.dimensionless()) {
    if (dimension.turn == Turn::angle) return "rad";
    return dimension.turn == Turn::cycle ? "cycles" : "a number without unit";
  }
  if (dimension.same_physics(kFrequency))
    return dimension.turn == Turn::angle ? "rad/s" : dimension.turn == Turn::cycle ? "Hz" : "1/s";
  for (const std::string_view name : {"N", "Pa", "J", "W"})
    if (dimension.same_physics(exact(name)->dimension)) return std::string(name);

  // Base units, the negative exponents behind one stroke.
  std::string above, below;
  const auto put = [&](std::string_view name, double exponent) {
    if (near(exponent, 0)) return;
    std::string& side = exponent > 0 ? above : below;
    if (!side.empty()) side += ' ';
    side += name;
    if (!near(std::abs(exponent), 1)) side += "^" + brief(std::abs(exponent));
  };
  put("kg", dimension.kg);
  put("m", dimension.m);
  put("K", dimension.K);
  put("s", dimension.s);
  if (below.empty()) return above;
  const bool several = below.find(' ') != std::string::npos;
  return (above.empty() ? "1" : above) + "/" + (several ? "(" + below + ")" : below);
}

const std::vector<std::string>& unit_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Known& unit : kUnits) {
      out.emplace_back(unit.name);
      for (const char prefix : unit.prefixes) out.push_back(prefix + std::string(unit.name));
    }
    return out;
  }();
  return names;
}

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool continues_name(char c) { return (starts_name(c) && c != '%') || (c >= '0' && c <= '9'); }

}  // namespace freeplay::io
