// SPDX-License-Identifier: Apache-2.0
#include "io/build.hpp"
#include "io/model_tables.hpp"
#include "io/text.hpp"
#include "model/words.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::io {
namespace {

constexpr double kMostRows = 1e8;  // of the uniform series
/// Of a method of first order. chosen: a tenth of a micrometre in a mechanism of 0.1 m
constexpr double kSteppedTolerance = 1e-6;
constexpr double kMostSteps = 1e10;  // of a fixed-step run: hours to days

std::string size_text(double bytes) {
  return bytes > 1e12 ? brief(bytes / 1e12) + " TB" : brief(bytes / 1e9) + " GB";
}

/// Roughly what one row of a result holds: 20 numbers a body, 8 a joint, the energies (see
/// describe()).
double row_bytes(const Node& tree) {
  const auto count = [&](const char* section) {
    const Node* node = tree.find(section);
    return node ? static_cast<double>(node->entries().size()) : 0.0;
  };
  return 8 * (10 + 20 * count("bodies") + 8 * count("joints"));
}

}  // namespace

Record read_record(const Node& tree) {
  Record out;
  const Node* simulation = tree.find("simulation");
  const Node* record = simulation ? simulation->find("record") : nullptr;
  if (!record) return out;
  if (const Node* steps = record->find("steps")) out.steps = steps->truth();
  if (const Node* every = record->find("every")) out.every = static_cast<int>(every->number());
  if (const Node* series = record->find("series"))
    for (const Node& pattern : series->items())
      if (pattern.is_text()) out.series.push_back(pattern.text());
  return out;
}

void read_simulation(Build& build) {
  Simulation& out = build.model.simulation;
  const Node* table = build.tree.find("simulation");
  if (table) fill(out, *table, simulation_fields());
  if (!build.tree.has("simulation") || (table && !table->has("duration")))
    build.diagnostics.warn(table ? table->place : build.tree.place, "simulation.duration",
                           "no duration is given, so " + brief(out.duration) + " s is simulated");
  if (!table) return;

  const auto refuse = [&](const char* key, std::string message, std::string hint = {}) {
    const Node* node = table->find(key);
    build.error(node ? node->place : table->place, std::string("simulation.") + key,
                std::move(message), std::move(hint));
  };
  const bool duration_known = table->find("duration") || !table->has("duration");
  // chosen: a millionth of the run is the coarsest that events and outputs can be told apart by.
  const double tick = std::nextafter(std::abs(out.start), HUGE_VAL) - std::abs(out.start);
  if (duration_known && table->find("start") && tick > 1e-6 * out.duration)
    refuse("start",
           "beside a start at " + brief(out.start) + " s, times are told apart by " + brief(tick) +
               " s only, too coarse for a run of " + brief(out.duration) + " s",
           "start nearer to 0");
  if (duration_known && table->find("output")) {
    const double rows = out.duration / out.output;
    if (out.output > out.duration)
      refuse("output", "the output step of " + brief(out.output) + " s is longer than the run of " +
                           brief(out.duration) + " s");
    else if (rows > kMostRows)
      refuse("output",
             brief(rows) + " rows would follow, about " + size_text(rows * row_bytes(build.tree)),
             "at most 1e8 rows are written; make the step longer than " +
                 brief(out.duration / kMostRows) + " s");
  }
  if (const Node* record = table->find("record")) {
    const Node *every = record->find("every"), *steps = record->find("steps");
    if (every && every->number() != std::floor(every->number()))
      refuse("record",
             "'every' counts steps, and " + brief(every->number()) + " is no whole number");
    if (every && steps && steps->is_false())
      refuse("record", "'every' says which steps are kept, and 'steps' is false",
             "leave one of them out");
  }
  const bool method_known = table->find("integrator") || !table->has("integrator");
  const bool fixed_step = kind_of(out.method).fixed_step;
  if (method_known && fixed_step && !table->has("step"))
    refuse("step", "'step' is missing; a fixed-step integrator needs one",
           "write step = \"10 us\", say");
  const bool non_smooth = kind_of(out.method).non_smooth;
  if (method_known && !fixed_step && !non_smooth && table->has("step"))
    refuse("step", "'step' belongs to 'moreau' and the fixed-step integrators 'rk4' and 'heun'",
           "the others choose their steps by 'tolerance'; 'max_step' limits them");
  const bool told = has_fixed_step(out);
  if (method_known && told && table->has("max_step"))
    refuse("max_step", "'max_step' has no meaning where 'step' fixes all of them", "leave it out");
  if (method_known && !non_smooth && table->has("theta"))
    refuse("theta", "'theta' belongs to the integrator 'moreau'", "leave it out");
  if (method_known && non_smooth && !told && !table->has("tolerance")) {
    out.tolerance = kSteppedTolerance;
    build.diagnostics.warn(
        table->place, "simulation.tolerance",
        "no step and no tolerance are given: steps over impacts leave each of them " +
            brief(out.tolerance) + " of the mechanism's length, or of a radian, to chance",
        "write step = \"10 us\" or a tolerance, and compare with 'freeplay converge'");
  }
  if (told && table->find("step") && duration_known) {
    if (out.step > out.duration)
      refuse("step", "the step is longer than the run");
    else if (out.duration / out.step > kMostSteps)
      refuse("step", brief(out.duration / out.step) + " steps would follow");
  }
}

}  // namespace freeplay::io
