// SPDX-License-Identifier: Apache-2.0
#include "io/columns.hpp"

#include "io/text.hpp"

#include <cmath>
#include <optional>

namespace freeplay::io {
namespace {

constexpr int kMostComplaints = 5;  // one wrong separator makes every line wrong

std::vector<std::string_view> fields_of(std::string_view line) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  std::vector<std::string_view> out;
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && blank(line[at])) ++at;
    if (at >= line.size()) return out;
    const std::size_t start = at;
    while (at < line.size() && !blank(line[at]) && line[at] != ',' && line[at] != ';') ++at;
    out.push_back(line.substr(start, at - start));
    while (at < line.size() && blank(line[at])) ++at;
    if (at < line.size() && (line[at] == ',' || line[at] == ';')) ++at;
  }
}

std::optional<double> number(std::string_view field) {
  double sign = 1;
  if (field.starts_with('-') || field.starts_with('+')) {
    if (field[0] == '-') sign = -1;
    field.remove_prefix(1);
  }
  double value = 0;
  if (scan_number(field, value) != field.size() || field.empty() || !std::isfinite(value))
    return {};
  return sign * value;
}

}  // namespace

std::vector<std::vector<double>> read_columns(std::string_view text, std::size_t columns, int file,
                                              Diagnostics& diagnostics) {
  std::vector<std::vector<double>> out(columns);
  int line_number = 0, complaints = 0;
  bool first = true;
  while (!text.empty() && complaints < kMostComplaints) {
    ++line_number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0].starts_with('#')) continue;
    const bool heading = first && !number(fields[0]);
    first = false;
    if (heading) continue;
    if (fields.size() != columns) {
      diagnostics.error({file, line_number, 1}, "",
                        "found " + std::to_string(fields.size()) + " columns; expected " +
                            std::to_string(columns));
      ++complaints;
      continue;
    }
    for (std::size_t i = 0; i < columns; ++i) {
      if (const auto value = number(fields[i])) {
        out[i].push_back(*value);
      } else {
        diagnostics.error({file, line_number, static_cast<int>(fields[i].data() - line.data()) + 1},
                          "", "found " + quote(fields[i]) + "; expected a finite number in SI");
        ++complaints;
      }
    }
  }
  if (complaints > 0) out.clear();
  return out;
}

}  // namespace freeplay::io
