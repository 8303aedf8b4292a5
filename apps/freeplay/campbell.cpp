// SPDX-License-Identifier: Apache-2.0
#include "campbell.hpp"

#include "io/replace_file.hpp"
#include "io/text.hpp"
#include "io/units.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "report/figure.hpp"
#include "still_rotor.hpp"
#include "terminal.hpp"
#include <freeplay/equilibrium.hpp>
#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

// `freeplay modes --over PATH=FROM:TO`: how modes change with one value of the model. Over the
// speed of a shaft that is a Campbell diagram.
namespace freeplay::cli {
namespace {

/// The values asked for, in the unit in which they are written.
struct Range {
  std::string path, unit;  ///< empty unit: none
  double from = 0, to = 0;
  double factor = 1;      ///< of the unit, in SI
  bool is_speed = false;  ///< a speed of rotation
  [[nodiscard]] std::string text(double value) const {
    return fmt::format("{:.12g}{}{}", value, unit.empty() ? "" : " ", unit);
  }
};

std::optional<Range> range_of(const std::string& text) {
  Range out;
  const auto equals = text.find('='), colon = text.find(':', equals == text.npos ? 0 : equals);
  if (equals == text.npos || equals == 0 || colon == text.npos) return {};
  out.path = text.substr(0, equals);
  const auto number = [](std::string word, double& value, std::string& unit) {
    word.erase(0, word.find_first_not_of(" \""));
    while (!word.empty() && (word.back() == ' ' || word.back() == '"')) word.pop_back();
    const bool negative = word.starts_with('-');
    if (negative) word.erase(0, 1);
    const auto length = io::scan_number(word, value);
    if (length == 0 || !std::isfinite(value)) return false;
    if (negative) value = -value;
    unit = word.substr(length);
    unit.erase(0, unit.find_first_not_of(' '));
    return true;
  };
  std::string first;
  if (!number(text.substr(equals + 1, colon - equals - 1), out.from, first) ||
      !number(text.substr(colon + 1), out.to, out.unit))
    return {};
  // "500:9000 rpm" is in rpm from end to end.
  if (!first.empty() && first != out.unit) return {};
  if (!out.unit.empty()) {
    const auto unit = io::parse_unit(out.unit);
    if (!unit) return {};
    out.factor = unit->in_si();
    out.is_speed =
        unit->dimension.turn != io::Turn::none && unit->dimension.same_physics({.s = -1});
  }
  return out.to > out.from ? std::optional(out) : std::nullopt;
}

/// What the modes are at one value; nothing, and why, where there is no equilibrium.
struct At {
  std::vector<Mode> modes;
  std::string failure;
  std::string uneven;  ///< body whose modes change as it turns
  std::string still;   ///< a rotor that should turn and does not
  [[nodiscard]] bool grows() const {
    return std::ranges::any_of(modes, [](const Mode& m) { return m.grows(); });
  }
};

At modes_at(const ModesArguments& a, const Range& range, double value) {
  ModelArguments changed = a.model;
  changed.set.push_back(range.path + "=" +
                        (range.unit.empty() ? range.text(value) : "\"" + range.text(value) + "\""));
  const Model model = load(changed).model;
  At out;
  State about;
  if (a.at_start) {
    about = assemble(changed, model).start;
  } else {
    const Equilibrium equilibrium = naming_the_file(changed, model, find_equilibrium);
    if (!equilibrium.found) {
      out.failure = equilibrium.reason;
      return out;
    }
    about = equilibrium.state;
    out.still = still_rotor(changed, model, equilibrium);
  }
  out.modes = natural_modes(model, about);
  out.uneven = uneven_rotor(model, about);
  return out;
}

/// The value at which motion begins to grow, or ceases to, between two that differ in it.
double onset(const ModesArguments& a, const Range& range, double from, double to,
             bool grows_at_to) {
  for (int i = 0; i < 14; ++i) {
    const double middle = 0.5 * (from + to);
    const At at = modes_at(a, range, middle);
    if (!at.failure.empty()) break;
    (at.grows() == grows_at_to ? to : from) = middle;
  }
  return 0.5 * (from + to);
}

double damping_of(std::complex<double> value) { return -value.real() / std::abs(value); }
double frequency_of(std::complex<double> value) { return value.imag() / (2 * M_PI); }

report::FigureData diagram(const Range& range, const std::string& title, const ModesOver& over) {
  const auto& [tracks, x] = std::tie(over.tracks, over.x);
  report::FigureData out;
  out.title = title;
  out.x_label = range.path;
  out.x_unit = range.unit.empty() ? "1" : range.unit;
  report::FigurePanel frequency{"frequency", "Hz", {}}, damping{"damping ratio", "1", {}};
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    report::FigureLine f, d;
    f.label = d.label = fmt::format("{}", t + 1);
    for (std::size_t i = 0; i < tracks[t].values.size(); ++i) {
      const auto value = tracks[t].values[i];
      f.x.push_back(x[tracks[t].first + i]);
      f.y.push_back(frequency_of(value));
      d.y.push_back(damping_of(value));
    }
    d.x = f.x;
    frequency.lines.push_back(std::move(f));
    damping.lines.push_back(std::move(d));
  }
  if (range.is_speed) {
    // In the picture as far as there are modes to meet.
    report::FigureLine once{{}, {}, "once a turn"};
    for (const double v : x) {
      once.x.push_back(v);
      once.y.push_back(std::abs(v) * range.factor / (2 * M_PI));
    }
    frequency.lines.push_back(std::move(once));
  }
  out.panels = {std::move(frequency), std::move(damping)};
  return out;
}

std::string table_of(const ModesOver& over) {
  const auto& [tracks, x] = std::tie(over.tracks, over.x);
  std::string out = fmt::format("{} [{}]", over.path, over.unit.empty() ? "1" : over.unit);
  for (std::size_t t = 0; t < tracks.size(); ++t)
    out += fmt::format(",mode {0} frequency [Hz],mode {0} damping ratio [1],mode {0} real [1/s]",
                       t + 1);
  for (std::size_t k = 0; k < x.size(); ++k) {
    out += "\n" + digits15(x[k]);
    for (const analysis::ModeTrack& track : tracks) {
      if (k < track.first || k >= track.end()) {
        out += ",,,";
        continue;
      }
      const auto value = track.values[k - track.first];
      out += "," + digits15(frequency_of(value)) + "," + digits15(damping_of(value)) + "," +
             digits15(value.real());
    }
  }
  return out + "\n";
}

/// In as many digits as anybody reads.
std::string from_to(double a, double b) { return fmt::format("{:.5g} ... {:.5g}", a, b); }
double rounded(double value) { return std::stod(fmt::format("{:.5g}", value)); }

/// `grew`: a motion grows at the first value.
void print_summary(const std::string& name, const Range& range, const ModesOver& over, bool grew) {
  const auto& [tracks, x] = std::tie(over.tracks, over.x);
  print(bold(name) +
        fmt::format(": oscillations from {} to {}\n", range.text(x.front()), range.text(x.back())));
  Table table({"mode", range.path, "frequency, Hz", "damping ratio", "moves most at first"});
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const auto& v = tracks[t].values;
    std::string motion;
    for (const Mode& mode : over.modes[tracks[t].first])
      if (mode.real == v[0].real() && mode.imaginary == v[0].imag()) motion = mode.motion;
    table.add({std::to_string(t + 1), from_to(x[tracks[t].first], x[tracks[t].end() - 1]),
               from_to(frequency_of(v.front()), frequency_of(v.back())),
               from_to(damping_of(v.front()), damping_of(v.back())), motion});
  }
  print(tracks.empty() ? "  nothing oscillates\n" : table.text());
  for (const auto& c : over.critical)
    print(fmt::format("  once a turn at {}: mode {}, damping ratio {:.4g}\n",
                      range.text(rounded(c.speed / range.factor)), c.track + 1, c.damping));
  if (over.onsets.empty())
    print(grew ? "  unstable: a motion grows everywhere\n" : "  stable: no mode grows\n");
  for (const ModesOver::Onset& o : over.onsets)
    print(fmt::format("  {} from {} on\n", o.grows ? "unstable" : "stable",
                      range.text(rounded(o.at))));
}

}  // namespace

int modes_over_command(const ModesArguments& a) {
  const auto range = range_of(a.over);
  if (!range)
    throw UsageError(
        "--over wants PATH=FROM:TO, both ends in one unit and the second the larger, such as "
        "\"parameters.speed=500:9000 rpm\", not " +
        io::quote(a.over));
  const auto format = report::figure_format(a.output);
  if (!a.output.empty() && !format)
    throw UsageError("a picture is FILE.svg, FILE.pdf or FILE.png, not " + io::quote(a.output));
  for (const std::string& file : {a.output, a.csv})
    if (!file.empty()) refuse_to_overwrite({a.model.file}, file);
  const auto [model, warnings, record] = load(a.model);
  show(warnings);

  ModesOver out{range->path, range->unit, {}, {}, {}, {}, {}};
  std::vector<double> turning;  // rad/s
  std::vector<At> found;        // where there is an equilibrium
  std::string failure;
  ProgressBar bar(!a.json);
  for (int k = 0; k < a.positions; ++k) {
    const double x = range->from + (range->to - range->from) * k / (a.positions - 1);
    bar.show(static_cast<double>(k) / a.positions, range->text(x));
    At at = modes_at(a, *range, x);
    if (!at.failure.empty()) {
      bar.clear();
      warn(fmt::format("left out, for there is no equilibrium at {}: {}", range->text(x),
                       at.failure));
      failure = at.failure;
      continue;
    }
    out.x.push_back(x);
    out.modes.push_back(at.modes);
    turning.push_back(x * range->factor);
    found.push_back(std::move(at));
  }
  bar.clear();
  if (found.empty()) {
    complain("there is no equilibrium at any of the values: " + failure);
    if (a.json) print(json_of_error("failed", failure, {}));
    return kFailed;
  }
  const auto told = [&](std::string At::*what) {
    const auto first = std::ranges::find_if(found, [&](const At& f) { return !(f.*what).empty(); });
    return first == found.end() ? std::string() : (*first).*what;
  };
  if (const std::string still = told(&At::still); !still.empty()) warn(still);
  if (const std::string uneven = told(&At::uneven); !uneven.empty())
    warn(
        fmt::format("the inertia of {} is not the same all around the axis it spins about: its "
                    "modes change as it turns; these hold for the position of the equilibrium",
                    uneven));
  out.tracks = analysis::track_modes(out.modes, out.x);
  if (range->is_speed) out.critical = analysis::critical_speeds(out.tracks, turning);
  for (std::size_t k = 0; k + 1 < found.size(); ++k) {
    const bool grows = found[k + 1].grows();
    if (found[k].grows() != grows)
      out.onsets.push_back({onset(a, *range, out.x[k], out.x[k + 1], grows), grows});
  }

  const std::string name = model.name.empty() ? "mechanism" : model.name;
  if (!a.output.empty())
    io::write_file(a.output, report::draw(diagram(*range, name, out), *format, {160, 70}));
  if (!a.csv.empty()) io::write_file(a.csv, table_of(out));
  if (a.json) {
    print(json_of(out));
    return kDone;
  }
  print_summary(name, *range, out, found.front().grows());
  if (!a.output.empty()) print("  figure: " + a.output + "\n");
  if (!a.csv.empty()) print("  table: " + a.csv + "\n");
  return kDone;
}

}  // namespace freeplay::cli
