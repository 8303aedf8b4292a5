// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "films/catalogue.hpp"
#include "films/chart.hpp"
#include "io/expression.hpp"
#include "io/text.hpp"
#include "json.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

// `freeplay bearing`: what a designer looks up in charts, for one journal bearing.
namespace freeplay::cli {
namespace {

/// "3000 rpm" where rad/s are asked for. Throws UsageError.
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
  // Charts count the whole film as sheared; `--set full_shear=false` leaves the cavitated part out.
  const bool conserving = a.law == "reynolds-mass-conserving";
  if (bool* flag = laws::find_flag(*law, "full_shear")) *flag = !conserving;
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

std::string number_or_dash(double value, int digits = 4) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}g}", value, digits);
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
               "h min, um", "kxx", "kxy", "kyx", "kyy", "cxx", "cxy", "cyx", "cyy"});
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
  if (const std::string why = films::misfit(bearing.law, bearing.site); !why.empty())
    throw UsageError("law `" + a.law + "`: " + why);
  if (a.inlet && !laws::find_parameter(bearing.law, "grooves"))
    throw UsageError("--inlet needs one of the reynolds laws");

  if (!a.load.empty()) {
    const double load = positive("--load", a.load, "N");
    const auto point = films::point_at_load(bearing, load);
    if (!point) {
      const std::string reason = fmt::format(
          "no eccentricity ratio between 0.0001 and 0.999 carries {:g} N; change the geometry, the "
          "speed or the viscosity",
          load);
      complain(reason);
      if (a.json) print(json_of_error("failed", reason, {}));
      return kFailed;
    }
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
    if (point)
      points.push_back(*point);
    else
      warn(fmt::format("at ratio {:g} no attitude carries a load in this direction", ratio));
  }
  if (a.json)
    print(json_of(points, a.law));
  else
    print_table(points);
  return points.empty() ? kFailed : kDone;
}

}  // namespace freeplay::cli
