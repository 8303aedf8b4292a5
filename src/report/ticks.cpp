// SPDX-License-Identifier: Apache-2.0
#include "report/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

// Differences are taken in halves throughout: -1e308 to 1e308 is a range like any other.
namespace freeplay::report {
namespace {

constexpr double kHuge = std::numeric_limits<double>::max();

std::string with_minus(std::string text) {
  for (auto at = text.find('-'); at != text.npos; at = text.find('-', at + 3))
    text.replace(at, 1, "\xE2\x88\x92");
  return text;
}

std::string superscript(int number) {
  static constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴",
                                                       "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (const char c : std::to_string(number)) out += c == '-' ? "⁻" : kDigits[std::size_t(c - '0')];
  return out;
}

std::string without_zero_sign(std::string text) {
  if (text.starts_with('-') && text.find_first_not_of("-0.") == text.npos) text.erase(0, 1);
  return text;
}

}  // namespace

Range padded(double low, double high, double air) {
  if (!(low <= high) || !std::isfinite(low) || !std::isfinite(high)) return {0, 1};
  if (low == high) {
    const double half = low == 0 ? 1 : std::abs(low) * 0.1;
    return {std::max(low - half, -kHuge), std::min(high + half, kHuge)};
  }
  const double pad = std::min((high / 2 - low / 2) * air * 2, kHuge);
  return {low - pad < -kHuge ? -kHuge : low - pad, high + pad > kHuge ? kHuge : high + pad};
}

std::vector<double> ticks(Range range, double pieces) {
  const double raw = range.high / pieces - range.low / pieces;
  if (!(raw > 0) || !std::isfinite(raw)) return {range.low};
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  if (!(power > 0)) return {range.low, range.high};  // below the smallest normal number
  double step = 10 * power;
  for (const double m : {1.0, 2.0, 2.5, 5.0})
    if (m * power >= raw * 0.999) {
      step = m * power;
      break;
    }
  std::vector<double> out;
  const double first = std::ceil(range.low / step - 1e-9),
               last = std::floor(range.high / step + 1e-9);
  for (double k = first; k <= last && out.size() < 200; ++k) out.push_back(k * step);
  return out;
}

std::vector<std::string> tick_labels(const std::vector<double>& values) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  const double step = values.size() > 1 ? std::abs(values[1] - values[0]) : largest;
  std::vector<std::string> out;
  const bool scientific = largest >= 1e5 || largest < 1e-3;
  // Decimals of the step, one more where the step is 2.5 of something.
  const auto decimals_for = [&](double unit) {
    int decimals = 0;
    double rest = step / unit;
    while (decimals < 12 && std::abs(rest - std::round(rest)) > 1e-6 * std::max(rest, 1e-300)) {
      rest *= 10;
      ++decimals;
    }
    return decimals;
  };
  for (const double v : values) {
    if (v == 0 || std::abs(v) < 1e-6 * step)
      out.emplace_back("0");
    else if (scientific) {
      const int exponent = static_cast<int>(std::floor(std::log10(std::abs(v)) + 1e-12));
      const double unit = std::pow(10.0, exponent);
      const double mantissa = unit > 0 ? v / unit : v;
      const auto digits = fmt::format("{:.{}f}", mantissa, unit > 0 ? decimals_for(unit) : 0);
      out.push_back(with_minus(digits == "1"    ? "10" + superscript(exponent)
                               : digits == "-1" ? "-10" + superscript(exponent)
                                                : digits + "×10" + superscript(exponent)));
    } else
      out.push_back(with_minus(without_zero_sign(fmt::format("{:.{}f}", v, decimals_for(1)))));
  }
  return out;
}

DisplayUnit display_unit(const std::string& unit, double largest) {
  struct Prefix {
    const char* name;
    double factor;
  };
  static constexpr std::array<Prefix, 7> kPrefixes{
      {{"G", 1e-9}, {"M", 1e-6}, {"k", 1e-3}, {"", 1}, {"m", 1e3}, {"µ", 1e6}, {"n", 1e9}}};
  if (unit == "1") return {"", 1};
  const bool takes_all = unit == "N" || unit == "Pa" || unit == "J" || unit == "W";
  const bool takes_small = unit == "m" || unit == "s" || unit == "m/s";
  const bool takes_large = unit == "N m" || unit == "Hz";
  if ((takes_all || takes_small || takes_large) && largest > 0 && std::isfinite(largest))
    for (const auto& p : kPrefixes) {
      if ((takes_small && p.factor < 1) || (takes_large && p.factor > 1)) continue;
      if (largest * p.factor < 1 && &p != &kPrefixes.back()) continue;
      if (largest * p.factor >= 1) return {p.name + unit, p.factor};
    }
  // "m/s^2" as it is printed.
  std::string pretty = unit;
  for (const auto& [from, to] : {std::pair{"^2", "²"}, {"^3", "³"}, {"^-1", "⁻¹"}})
    if (const auto at = pretty.find(from); at != pretty.npos)
      pretty.replace(at, std::string_view(from).size(), to);
  return {pretty, 1};
}

}  // namespace freeplay::report
