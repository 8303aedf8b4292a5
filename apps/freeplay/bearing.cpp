// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "films/catalogue.hpp"
#include "films/chart.hpp"
#include "io/expression.hpp"
#include "io/text.hpp"
#include "json.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

// `freeplay bearing`: what a designer looks up in charts, for one journal bearing.
namespace freeplay::cli {
namespace {

/// "3000 rpm" where rad/s are asked for. A number alone is refused: "30" for a diameter could be
/// metres as well as millimetres. Throws UsageError.
double quantity(const std::string& option, const std::string& text, std::string_view unit) {
  try {
    const io::Quantity q =
        io::evaluate(io::parse_expression(text), [](const std::string& name, std::size_t offset) {
          throw io::ExpressionError(offset, io::quote(name) + " is no number or unit");
          return io::Quantity{};
        });
    const auto expected = io::parse_unit(unit);
    if (!expected || !io::fits(q.dimension, expected->dimension))
      throw UsageError(fmt::format("{}: {} is {}, not {}", option, io::quote(text),
                                   io::unit_name(q.dimension), unit));
    if (q.dimension.plain() && !expected->dimension.plain())
      throw UsageError(fmt::format("{}: {} has no unit; write one, such as \"{} {}\"", option,
                                   io::quote(text), text, unit));
    if (!std::isfinite(q.value))
      throw UsageError(fmt::format("{}: {} is not finite", option, io::quote(text)));
    return q.value;
  } catch (const io::ExpressionError& error) {
    throw UsageError(fmt::format("{}: {}: {}", option, io::quote(text), error.what()));
  }
}

double positive(const std::string& option, const std::string& text, std::string_view unit) {
  const double value = quantity(option, text, unit);
  if (!(value > 0))
    throw UsageError(fmt::format("{}: {} is not positive", option, io::quote(text)));
  return value;
}

films::FilmLaw chosen_law(const BearingArguments& a) {
  std::vector<std::string> keys;
  for (const laws::Entry& e : films::film_catalogue()) keys.emplace_back(e.key);
  auto law = laws::make_law<films::FilmLaw>(a.law);
  if (!law)
    throw UsageError("there is no film law " + io::quote(a.law) + "; " +
                     io::did_you_mean(a.law, keys));
  *laws::find_parameter(*law, "viscosity") = positive("--viscosity", a.viscosity, "Pa s");
  const auto catalogue = films::film_catalogue();
  for (const std::string& assignment : a.set) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos)
      throw UsageError("--set " + io::quote(assignment) + ": write KEY=VALUE");
    const std::string key = assignment.substr(0, equals), value = assignment.substr(equals + 1);
    if (bool* flag = laws::find_flag(*law, key)) {
      if (value != "true" && value != "false")
        throw UsageError(fmt::format("--set {}: write true or false", key));
      *flag = value == "true";
      continue;
    }
    double* number = laws::find_parameter(*law, key);
    std::vector<std::string> known;
    std::string_view unit = "1";
    for (const laws::Entry& e : catalogue)
      if (e.key == a.law)
        for (const laws::Parameter& p : e.parameters) {
          known.emplace_back(p.key);
          if (p.key == key) unit = p.unit;
        }
    if (!number)
      throw UsageError(fmt::format("the law `{}` has no {}; {}", a.law, io::quote(key),
                                   io::did_you_mean(key, known)));
    *number = quantity("--set " + key, value, unit);
  }
  for (const laws::Fault& fault : films::faults(*law))
    throw UsageError(fmt::format("law `{}`: {}{}{}", a.law, fault.key,
                                 fault.key.empty() ? "" : ": ", fault.message));
  return *law;
}

/// A grid the user chose is kept.
bool chose_grid(const BearingArguments& a) {
  return std::any_of(a.set.begin(), a.set.end(), [](const std::string& assignment) {
    return assignment.starts_with("cells_around=") || assignment.starts_with("cells_along=");
  });
}

std::string number_or_dash(double value, int digits = 4) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}g}", value, digits);
}
std::string grid_or_dash(const films::BearingPoint& p) {
  return p.cells_around == 0 ? "-" : fmt::format("{}x{}", p.cells_around, p.cells_along);
}

/// Numbers that even the finest grid does not give as well as asked for, or that a grid chosen by
/// the user does not.
void warn_of_coarse_grid(const films::BearingPoint& p) {
  if (p.load_error > films::kLoadError || p.stiffness_error > films::kStiffnessError)
    warn(
        fmt::format("at ratio {:.4g} the grid of {} cells leaves an error of about {:.2g} % in "
                    "the load and {:.2g} % in the cross-coupled stiffness",
                    p.ratio, grid_or_dash(p), 100 * p.load_error, 100 * p.stiffness_error));
}

/// Where grooves lie matters for what can be carried at all.
std::string grooves_of(const films::FilmLaw& law) {
  return std::visit(
      []<class L>(const L& l) -> std::string {
        if constexpr (requires { l.grooves; })
          if (l.grooves > 0)
            return fmt::format(" with {:g} groove{}, the first {:g} deg ahead of the load",
                               l.grooves, l.grooves > 1 ? "s" : "",
                               l.groove_angle * 180 / std::numbers::pi);
        return "";
      },
      law);
}

void print_point(const films::BearingPoint& p) {
  Table table;
  const auto row = [&](const char* what, double value, const char* unit) {
    table.add({what, number_or_dash(value, 6), unit});
  };
  row("load", p.load, "N");
  row("Sommerfeld number S", p.sommerfeld, "");
  row("eccentricity ratio", p.ratio, "");
  row("attitude angle", p.attitude * 180 / std::numbers::pi, "deg");
  row("minimum film", p.min_film * 1e6, "um");
  row("largest pressure", p.max_pressure / 1e6, "MPa");
  row("friction variable f R/c", p.friction, "");
  row("friction torque", p.torque, "N m");
  row("power loss", p.power, "W");
  row("side flow", p.side_flow * 1e6, "cm^3/s");
  row("critical mass of a rigid journal", p.critical_mass, "kg");
  if (p.cells_around > 0) {
    table.add({"grid, around x along", grid_or_dash(p), "cells"});
    row("error of the load, estimated", 100 * p.load_error, "%");
    row("error of xy and yx stiffness, estimated", 100 * p.stiffness_error, "%");
  }
  std::string text = table.text();
  Table coefficients({"x along the load, y ahead of it", "xx", "xy", "yx", "yy"});
  const auto four = [&](const char* what, const std::array<double, 4>& v) {
    std::vector<std::string> cells{what};
    for (const double x : v) cells.push_back(fmt::format("{:.5g}", x));
    coefficients.add(std::move(cells));
  };
  four("stiffness, N/m", p.stiffness);
  four("damping, N s/m", p.damping);
  four("stiffness x c/W", p.stiffness_number);
  four("damping x c w/W", p.damping_number);
  print(text + "\n" + coefficients.text());
}

void print_table(const std::vector<films::BearingPoint>& points) {
  Table table({"ratio", "S", "attitude, deg", "load, N", "f R/c", "flow, cm^3/s", "p max, MPa",
               "h min, um", "kxx", "kxy", "kyx", "kyy", "cxx", "cxy", "cyx", "cyy", "grid",
               "error W, %", "error kxy, %"});
  for (const films::BearingPoint& p : points) {
    std::vector<std::string> cells{fmt::format("{:.2f}", p.ratio),
                                   number_or_dash(p.sommerfeld, 5),
                                   fmt::format("{:.2f}", p.attitude * 180 / std::numbers::pi),
                                   number_or_dash(p.load, 5),
                                   number_or_dash(p.friction, 5),
                                   number_or_dash(p.side_flow * 1e6),
                                   number_or_dash(p.max_pressure / 1e6),
                                   number_or_dash(p.min_film * 1e6)};
    for (const double x : p.stiffness_number) cells.push_back(fmt::format("{:.3g}", x));
    for (const double x : p.damping_number) cells.push_back(fmt::format("{:.3g}", x));
    cells.push_back(grid_or_dash(p));
    cells.push_back(number_or_dash(100 * p.load_error, 2));
    cells.push_back(number_or_dash(100 * p.stiffness_error, 2));
    table.add(std::move(cells));
  }
  print(table.text() + "  k: stiffness x c/W, c: damping x c w/W; x along the load\n");
}

}  // namespace

int bearing_command(const BearingArguments& a) {
  if (a.radius.empty() == a.diameter.empty())
    throw UsageError("give the journal by --diameter or by --radius");
  if (!a.load.empty() && !a.ratios.empty()) throw UsageError("give --load or --ratio, not both");
  films::BearingCase bearing;
  bearing.law = chosen_law(a);
  bearing.site.radius = a.radius.empty() ? 0.5 * positive("--diameter", a.diameter, "m")
                                         : positive("--radius", a.radius, "m");
  bearing.site.clearance = positive("--clearance", a.clearance, "m");
  bearing.site.length = positive("--length", a.length, "m");
  bearing.speed = positive("--speed", a.speed, "rad/s");
  bearing.inlet_at_widest_gap = a.inlet;
  bearing.refine = !chose_grid(a);
  if (const std::string why = films::misfit(bearing.law, bearing.site); !why.empty())
    throw UsageError("law `" + a.law + "`: " + why);
  if (a.inlet && !laws::find_parameter(bearing.law, "grooves"))
    throw UsageError("--inlet needs one of the reynolds laws");

  if (!a.load.empty()) {
    const double load = positive("--load", a.load, "N");
    const auto point = films::point_at_load(bearing, load);
    if (!point) {
      const std::string reason = fmt::format(
          "no eccentricity ratio between 0.0001 and 0.999 carries {:g} N{}; change the geometry, "
          "the speed or the viscosity",
          load, a.inlet ? "" : grooves_of(bearing.law));
      complain(reason);
      if (a.json) print(json_of_error("failed", reason, {}));
      return kFailed;
    }
    warn_of_coarse_grid(*point);
    if (a.json)
      print(json_of(std::vector<films::BearingPoint>{*point}, a.law));
    else
      print_point(*point);
    return kDone;
  }
  std::vector<double> ratios;
  for (const std::string& text : a.ratios) {
    ratios.push_back(quantity("--ratio", text, "1"));
    if (!(ratios.back() > 0 && ratios.back() < 1))
      throw UsageError("--ratio: " + io::quote(text) + " is not between 0 and 1");
  }
  if (ratios.empty()) ratios = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
  std::vector<films::BearingPoint> points;
  for (const double ratio : ratios) {
    const auto point = films::point_at_ratio(bearing, ratio);
    if (point) {
      warn_of_coarse_grid(*point);
      points.push_back(*point);
    } else {
      warn(fmt::format("at ratio {:g} no attitude carries a load in this direction", ratio));
    }
  }
  if (a.json)
    print(json_of(points, a.law));
  else
    print_table(points);
  return points.empty() ? kFailed : kDone;
}

}  // namespace freeplay::cli
