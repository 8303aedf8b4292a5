// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "io/impact_units.hpp"
#include "io/result_layout.hpp"
#include "io/state_layout.hpp"
#include "io/text.hpp"
#include "io/units.hpp"
#include "study_rows.hpp"
#include "terminal.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

// `freeplay get`: numbers for scripts, separated by tabs.
namespace freeplay::cli {
namespace {

std::string line_of(const double* values, std::size_t width) {
  std::string line;
  for (std::size_t i = 0; i < width; ++i) line += (i ? "\t" : "") + digits15(values[i]);
  return line;
}

void print_list(const Result& result) {
  for (const auto& c : result.channels()) {
    const auto names = component_names(c.width);
    // Fields are numbered: the first and the last say it all.
    const auto components = names.empty() ? std::string()
                            : c.width > 4 ? fmt::format(".{} to .{}", names.front(), names.back())
                                          : fmt::format(".{}", fmt::join(names, "|."));
    if (!print(fmt::format("{}{}\t{}\t{}\t{}\n", c.path, components, c.unit,
                           c.frame.empty() ? "-" : c.frame, c.long_name)))
      return;
  }
  for (const auto& [name, row, what] :
       {std::tuple{"events", io::event_row(0, 0), "located events"},
        std::tuple{"impacts", io::impact_row(0),
                   "contacts, from touch to separation or to the end"}})
    print(fmt::format("{}\t{}\t-\ttable: {}\n", name, io::units_of(row), what));
  print("state\t-\t-\ttable: meaning of the numbers of a stored state\n");
}

// Tables have a line of headings, because their columns are not all alike.
void print_events(const Result& result) {
  print(fmt::format("{}\n", fmt::join(io::event_headings(result), "\t")));
  for (const Event& e : result.events())
    if (!print(fmt::format("{}\t{}\t{}\t{}\t{}\n", digits15(e.time), e.joint, e.contact, e.kind,
                           digits15(e.speed))))
      return;
}

void print_impacts(const Result& result) {
  print(fmt::format("{}\n", fmt::join(io::impact_headings(result), "\t")));
  for (const Impact& i : result.impacts()) {
    const auto numbers = io::impact_numbers(i);
    if (!print(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", digits15(i.start), digits15(i.end), i.joint,
                           i.contact, line_of(numbers.data(), numbers.size()), i.open ? 1 : 0)))
      return;
  }
}

// What the numbers of a stored state are, block by block.
void print_state(const Result& result) { print(io::layout_text(*result.layout()) + "\n"); }

void print_values(const Result& result, const std::string& path,
                  const std::vector<std::string>& at) {
  for (const auto& text : at) {
    const auto values = result.at(path, parse_time(text, "--at"));
    if (!print(line_of(values.data(), values.size()) + "\n")) return;
  }
}

void print_series(const Series& series) {
  const auto width = static_cast<std::size_t>(series.channel.width);
  for (std::size_t i = 0; i < series.time.size(); ++i)
    if (!print(digits15(series.time[i]) + "\t" + line_of(&series.values[i * width], width) + "\n"))
      return;
}

// Steps crowd where the motion is quick, so means are taken over time, by the trapezoidal rule.
// Extremes are those of the motion, which lie between the steps.
void print_stats(const Result& result, const std::string& path) {
  const auto extremes = result.extremes(path);
  const Series series = result.dense(path);
  const auto width = static_cast<std::size_t>(series.channel.width);
  const auto names = component_names(series.channel.width);
  print("series\tunit\tmin\tmax\tmean\trms\tat_min\tat_max\n");
  for (std::size_t k = 0; k < width; ++k) {
    const auto value = [&](std::size_t i) { return series.values[i * width + k]; };
    double integral = 0, square = 0;
    for (std::size_t i = 1; i < series.time.size(); ++i) {
      const double h = series.time[i] - series.time[i - 1];
      integral += 0.5 * h * (value(i) + value(i - 1));
      square += 0.5 * h * (value(i) * value(i) + value(i - 1) * value(i - 1));
    }
    const double span = series.time.back() - series.time.front();
    const double mean = span > 0 ? integral / span : value(0);
    const double rms = span > 0 ? std::sqrt(square / span) : std::abs(value(0));
    const Extremes& e = extremes[k];
    print(fmt::format("{}{}\t{}\t{}\n", series.channel.path, names.empty() ? "" : "." + names[k],
                      series.channel.unit,
                      fmt::join(std::vector{digits15(e.min), digits15(e.max), digits15(mean),
                                            digits15(rms), digits15(e.at_min), digits15(e.at_max)},
                                "\t")));
  }
}

}  // namespace

double parse_time(const std::string& text, const std::string& option) {
  const bool negative = text.starts_with('-');
  const auto number = text.substr(negative ? 1 : 0);
  double value = 0;
  const auto length = io::scan_number(number, value);
  auto rest = number.substr(length);
  rest.erase(0, rest.find_first_not_of(' '));
  if (length > 0 && std::isfinite(value)) {
    if (rest.empty()) return negative ? -value : value;
    const auto unit = io::parse_unit(rest);
    if (unit && unit->dimension.same_physics({.s = 1})) {
      io::scan_number(number, value, unit->tens);  // shifts the decimal point without rounding
      return (negative ? -value : value) * unit->factor;
    }
  }
  throw UsageError(option + " wants a time such as 0.01 or \"10 ms\", not " + io::quote(text));
}

int get_command(const GetArguments& a) {
  if (a.series.empty() && !a.list)
    throw UsageError("which series? `freeplay get " + a.result + " --list` shows what there is");
  if (study::is_study(a.result)) return get_of_study(a);
  const bool is_table = a.series == "events" || a.series == "impacts" || a.series == "state";
  if (is_table && (!a.at.empty() || a.stats))
    throw UsageError(a.series + " is a table of rows, not a series in time; leave out " +
                     (a.stats ? "--stats" : "--at"));
  const Result result(a.result);
  warn_of(result);
  if (a.list)
    print_list(result);
  else if (a.series == "events")
    print_events(result);
  else if (a.series == "impacts")
    print_impacts(result);
  else if (a.series == "state")
    print_state(result);
  else if (!a.at.empty())
    print_values(result, a.series, a.at);
  else if (a.stats)
    print_stats(result, a.series);
  else if (const Series series = result.series(a.series);
           series.time.empty() && !result.has_steps() && !a.series.starts_with("uniform/"))
    throw NotInResult(
        fmt::format("{} keeps the uniform grid alone; ask for 'uniform/{}', or for "
                    "any instant with --at",
                    a.result, series.channel.path));
  else
    print_series(series);
  return kDone;
}

}  // namespace freeplay::cli
