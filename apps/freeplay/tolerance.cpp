// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "io/loose_dimensions.hpp"
#include "io/text.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "terminal.hpp"
#include <freeplay/tolerance.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

// `freeplay tolerance`: errors by play and tolerances of dimensions, without dynamics.
namespace freeplay::cli {
namespace {

io::LooseDimensions dimensions_of(const std::vector<std::string>& texts) {
  io::LooseDimensions out;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == text.npos || !out.add(text.substr(0, equals), text.substr(equals + 1)))
      throw UsageError(
          "--dimension wants PATH=VALUE+-TOLERANCE such as \"parameters.rod=120 mm+-0.05 mm\", "
          "not " +
          io::quote(text));
  }
  return out;
}

std::string curves(const Tolerances& found) {
  std::string out = "time [s]";
  for (const OutputTolerance& o : found.outputs)
    for (const char* what : {"nominal", "low", "high", "linear", "deviation"})
      out += fmt::format(",{} {} [{}]", o.path, what, o.unit);
  for (std::size_t k = 0; k < found.outputs.front().at.size(); ++k) {
    out += "\n" + digits15(found.outputs.front().at[k].time);
    for (const OutputTolerance& o : found.outputs) {
      const OutputError& e = o.at[k];
      for (const double value : {e.nominal, e.low, e.high, e.linear, e.deviation})
        out += "," + digits15(value);
    }
  }
  return out + "\n";
}

void save(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw IoError("cannot write " + file);
}

/// Lengths in micrometres, angles in millirad.
std::string small(double value, const std::string& unit) {
  return unit == "rad" ? fmt::format("{:.5g} mrad", 1e3 * value)
                       : fmt::format("{:.5g} um", 1e6 * value);
}

void print_output(const Tolerances& found, const OutputTolerance& output) {
  const OutputError& worst = output.at[output.worst];
  double deviation = 0, linear = 0;
  for (const OutputError& e : output.at) {
    deviation = std::max(deviation, e.deviation);
    linear = std::max(linear, e.linear);
  }
  print(bold(output.path) + fmt::format(", {} positions from t = {:.6g} to {:.6g} s\n",
                                        output.at.size(), output.at.front().time,
                                        output.at.back().time));
  Table numbers;
  numbers.add(
      {"worst case", fmt::format("{} ... +{} at t = {:.6g} s", small(worst.low, output.unit),
                                 small(worst.high, output.unit), worst.time)});
  numbers.add({"to first order", "+-" + small(linear, output.unit)});
  numbers.add({"standard deviation", "up to " + small(deviation, output.unit) + " (first order)"});
  if (const SampledError& s = output.sampled; s.samples > 0)
    numbers.add({fmt::format("{} random ones", s.samples),
                 fmt::format("{} on average, deviation {}, 95 % within {} ... {} at t = {:.6g} s",
                             small(s.mean, output.unit), small(s.deviation, output.unit),
                             small(s.low, output.unit), small(s.high, output.unit), s.time)});
  print(numbers.text());
  Table shares({"loose", "", "size", "share at the worst position", "largest share"});
  for (std::size_t l = 0; l < found.loose.size(); ++l) {
    double most = 0;
    for (const OutputError& e : output.at) most = std::max(most, e.shares[l]);
    shares.add(
        {found.loose[l].path, found.loose[l].what,
         found.loose[l].written.empty() ? small(found.loose[l].size, "m") : found.loose[l].written,
         fmt::format("{} ({:.0f} %)", small(worst.shares[l], output.unit),
                     worst.linear > 0 ? 100 * worst.shares[l] / worst.linear : 0),
         small(most, output.unit)});
  }
  print(shares.text());
}

}  // namespace

int tolerance_command(const ToleranceArguments& a) {
  if (a.outputs.empty())
    throw UsageError("the error of what? --of bodies/slider/position.x, say; may be repeated");
  const auto [model, warnings, record] = load(a.model);
  show(warnings);
  const io::LooseDimensions dimensions = dimensions_of(a.dimensions);
  ToleranceOptions options;
  options.outputs = a.outputs;
  options.positions = a.positions;
  if (!a.from.empty()) options.from = parse_time(a.from, "--from");
  if (!a.to.empty()) options.to = parse_time(a.to, "--to");
  if (a.from.empty() != a.to.empty()) throw UsageError("--from and --to go together");
  if (!a.from.empty() && !(options.to > options.from))
    throw UsageError("--to must be later than --from");
  options.played = a.anywhere ? PlayedAt::anywhere : PlayedAt::wall;
  options.samples = a.samples;
  options.seed = a.seed;
  options.dimensions = dimensions.list();
  options.moved = [&](std::span<const double> by) {
    ModelArguments changed = a.model;
    for (std::size_t k = 0; k < by.size(); ++k)
      changed.set.push_back(dimensions.list()[k].path + "=" + dimensions.value(k, by[k]));
    return load(changed).model;
  };
  // Paths and values of dimensions are checked before anything is computed.
  if (!dimensions.list().empty())
    static_cast<void>(options.moved(std::vector<double>(dimensions.list().size(), 0.0)));
  const Tolerances found =
      naming_the_file(a.model, model, [&](const Model& m) { return find_tolerances(m, options); });
  if (!a.csv.empty()) save(a.csv, curves(found));
  if (a.json) {
    print(json_of(found));
    return kDone;
  }
  for (const std::string& text : found.notes) note(text);
  for (const OutputTolerance& output : found.outputs) print_output(found, output);
  if (!a.csv.empty()) print("  curves over the working range: " + a.csv + "\n");
  return kDone;
}

}  // namespace freeplay::cli
