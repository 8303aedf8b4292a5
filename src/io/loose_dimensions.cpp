// SPDX-License-Identifier: Apache-2.0
#include "io/loose_dimensions.hpp"

#include "io/text.hpp"
#include "io/units.hpp"

#include <fmt/format.h>

#include <cmath>

namespace freeplay::io {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

bool LooseDimensions::read(std::string_view text, Nominal& out) {
  const std::string number(trimmed(text));
  const auto length = scan_number(number, out.value);
  if (length == 0 || !std::isfinite(out.value)) return false;
  out.unit = trimmed(std::string_view(number).substr(length));
  if (out.unit.empty()) return true;
  const auto unit = parse_unit(out.unit);
  if (!unit) return false;
  out.factor = unit->in_si();
  out.value *= out.factor;
  return true;
}

bool LooseDimensions::add(std::string_view path, std::string_view text) {
  constexpr std::string_view kSign = "+-";
  const auto sign = text.find(kSign);
  Nominal nominal, tolerance;
  if (path.empty() || sign == text.npos || !read(text.substr(0, sign), nominal) ||
      !read(text.substr(sign + kSign.size()), tolerance) || !(tolerance.value >= 0))
    return false;
  list_.push_back(
      {std::string(path), tolerance.value, std::string(trimmed(text.substr(sign + kSign.size())))});
  nominal_.push_back(std::move(nominal));
  return true;
}

std::string LooseDimensions::value(std::size_t k, double by) const {
  const Nominal& n = nominal_[k];
  return fmt::format("{:.17g}{}{}", (n.value + by) / n.factor, n.unit.empty() ? "" : " ", n.unit);
}

}  // namespace freeplay::io
