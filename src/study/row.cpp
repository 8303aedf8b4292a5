// SPDX-License-Identifier: Apache-2.0
#include "study/row.hpp"

#include "study/collector.hpp"
#include "study/lyapunov.hpp"
#include "study/neighbours.hpp"
#include "study/repeatability.hpp"
#include "study/row_life.hpp"
#include "study/row_motion.hpp"
#include "study/row_orbit.hpp"
#include "study/sections.hpp"
#include "study/series_columns.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeplay::study {
namespace {

/// Of the distance at which neighbours start: below it nothing of it is left but round-off.
constexpr double kOneMotion = 1e-6;

class Row : RowMotion {
 public:
  using RowMotion::RowMotion;

  RowOutcome run(const Carry* from) {
    begin();
    RowOutcome out;
    if (!study_.section)
      run_plain(out);
    else if (study_.section->by == Section::By::joint || study_.section->by == Section::By::time)
      run_by_clock(from, out);
    else
      run_until_seen(out);
    // Minus infinity is the exponent of a motion that forgets its start.
    for (const double value : out.outputs)
      if (!std::isfinite(value) && value != -std::numeric_limits<double>::infinity())
        throw Failure{RowStatus::failed, "an output is not finite"};
    return out;
  }

 private:
  // ---- one run, looked at as a whole

  void run_plain(RowOutcome& out) {
    Collector collector(study_, Collector::Turns::whole_run);
    Simulation& sim = model_.simulation;
    sim.output = sim.duration / collector.subdivision();
    if (study_.kind == Kind::fit) {
      // Fine enough that a cubic between its points adds nothing to what was measured.
      double spacing = study_.measured_time[1] - study_.measured_time[0];
      for (std::size_t i = 2; i < study_.measured_time.size(); ++i)
        spacing = std::min(spacing, study_.measured_time[i] - study_.measured_time[i - 1]);
      sim.output = std::min(sim.output, spacing / 4);
      sim.duration = study_.measured_time.back() - sim.start;
      collector.keep_series(study_.measured_series);
    }
    const RunResult result = simulate(start_, &collector, collector.needs_steps());
    collector.end_turn(result);
    if (study_.kind == Kind::fit) out.outputs.push_back(misfit(collector));
    const Points& points = collector.points();
    out.outputs.insert(out.outputs.end(), points.values.begin(), points.values.end());
  }

  /// Root mean square difference from what was measured.
  [[nodiscard]] double misfit(const Collector& collector) const {
    const auto& t = collector.kept_time();
    const auto& y = collector.kept_value();
    double square = 0;
    for (std::size_t i = 0; i < study_.measured_time.size(); ++i) {
      const double at = study_.measured_time[i];
      // Cubic through the four points around it (Lagrange).
      const auto right = std::ranges::lower_bound(t, at) - t.begin();
      const auto first = static_cast<std::size_t>(
          std::clamp<std::ptrdiff_t>(right - 2, 0, static_cast<std::ptrdiff_t>(t.size()) - 4));
      double value = 0;
      for (std::size_t a = first; a < first + 4; ++a) {
        double weight = 1;
        for (std::size_t b = first; b < first + 4; ++b)
          if (b != a) weight *= (at - t[b]) / (t[a] - t[b]);
        value += weight * y[a];
      }
      square += (value - study_.measured_value[i]) * (value - study_.measured_value[i]);
    }
    return std::sqrt(square / static_cast<double>(study_.measured_time.size()));
  }

  // ---- by the clock: driven joints and periods

  void run_by_clock(const Carry* from, RowOutcome& out) {
    const Clock look = clock();
    State state = from && fits(*from) ? after_transient(adopt(*from), look.period) : settled(look);
    Collector collector(study_, Collector::Turns::by_clock);
    model_.simulation.duration = study_.record * look.period;
    model_.simulation.output = look.period / collector.subdivision();
    const RunResult result = simulate(state, &collector, collector.needs_steps());
    coordinate_ += coordinate_change((study_.transient + study_.record) * look.period);
    summarise(collector.points(), out);
    if (study_.lyapunov > 0) exponents(result.final_state, look.period, out);
    if (study_.continuation)
      out.carry = Carry{result.final_state, coordinate_, start_.layout->digest(), {}};
  }

  // ---- until it was seen often enough: events and levels

  void run_until_seen(RowOutcome& out) {
    Collector collector(study_, study_.section->by == Section::By::event
                                    ? Collector::Turns::by_event
                                    : Collector::Turns::by_level);
    const int turns = study_.transient + study_.record;
    Simulation& sim = model_.simulation;
    if (sim.output <= 0) sim.output = sim.duration / 1000;  // as a run of its own would have it
    sim.duration *= turns;  // a motion that no longer passes there must end too
    simulate(start_, &collector, true, collector.enough());
    const auto seen = static_cast<int>(collector.points().size());
    if (seen < study_.record)
      throw Failure{RowStatus::failed,
                    fmt::format("only {} of {} turns were seen within {:g} s",
                                collector.turns_seen(), turns, model_.simulation.duration)};
    summarise(collector.points(), out);
  }

  // ---- what is made of the samples

  void summarise(const Points& points, RowOutcome& out) {
    out.samples = points.values;
    const std::size_t width = study_.observe.size();
    const RunHeader header = describe(model_);
    const Scales scales = scales_of(model_);
    Points scaled = points;
    for (std::size_t c = 0; c < width; ++c) {
      std::vector<double> column;
      double largest = 0;
      for (std::size_t k = 0; k < points.size(); ++k) {
        column.push_back(points[k][c]);
        largest = std::max(largest, std::abs(column.back()));
      }
      const Repeatability r = repeatability(column);
      out.outputs.insert(out.outputs.end(), {r.mean, r.range, r.standard_deviation});
      // What stays below a millionth of the mechanism's own scale is nothing.
      const std::string unit = unit_of(header, study_.observe[c].series);
      const double own = unit == "m"       ? scales.length
                         : unit == "m/s"   ? scales.length / scales.time
                         : unit == "rad"   ? 1
                         : unit == "rad/s" ? 1 / scales.time
                                           : 0;
      const double scale = std::max({largest, 1e-6 * own, 1e-300});
      for (std::size_t k = 0; k < points.size(); ++k) scaled.values[k * width + c] /= scale;
    }
    // chosen: 1e-3 of the size of each observable; neighbouring branches of a bifurcation diagram
    // cannot be told apart by eye below that.
    const Regularity regularity = classify(scaled, 1, 1e-3);
    out.outputs.push_back(regularity.period);
    if (!study_.recurrence) return;
    const Recurrence r = recurrence(scaled, regularity.epsilon);
    out.outputs.insert(out.outputs.end(), {r.rate, r.determinism});
  }

  /// Runs a small distance apart, brought together again each turn.
  void exponents(const State& from, double period, RowOutcome& out) {
    model_.simulation.tolerance = std::min(model_.simulation.tolerance, 1e-10);
    begin_at(from.time);
    const auto system = dynamics::make_system(model_);
    system->prepare(from);
    const Eigen::Index moving = from.y.size() - system->work_size();
    State a = from;
    Neighbours near(from, system->error_scale(), moving, study_.lyapunov, study_.seed);
    StretchingAverage average(study_.lyapunov, period, 10, study_.record);
    std::vector<double> logarithms(static_cast<std::size_t>(study_.lyapunov));
    for (int turn = -1; turn < study_.record; ++turn) {
      for (State& b : near.states())
        if (!system->project(b.time, b.y.data(), b.memory.data()))
          throw Failure{RowStatus::failed, "the neighbouring motion leaves the constraints"};
      restart_audit(*system, a);  // it would compare with looser runs, and with another motion
      for (State& b : near.states()) restart_audit(*system, b);
      const double time = a.time + period;
      const std::vector<double> before = near.lengths(a);
      if (!(before[0] > kOneMotion * Neighbours::kDistance)) {
        near.states().clear();  // held at rest, it has no neighbours
        break;
      }
      for (std::size_t k = 1; k < before.size(); ++k)
        if (!(before[k] > kOneMotion * Neighbours::kDistance))
          throw Failure{
              RowStatus::failed,
              fmt::format("the motion has only {} exponents, {} are asked for", k, before.size())};
      model_.simulation.duration = period;
      model_.simulation.output = period;
      a = simulate(a, nullptr, false).final_state;
      for (State& b : near.states()) b = simulate(b, nullptr, false).final_state;
      begin_at(time);
      const std::vector<double> after = near.lengths(a);
      // A motion that comes to rest or sticks forgets how it began: neighbours become one with it.
      const auto forgotten = std::ranges::find_if(
          after, [](double d) { return !(d > kOneMotion * Neighbours::kDistance); });
      near.states().resize(static_cast<std::size_t>(forgotten - after.begin()));
      if (near.states().empty()) break;
      for (std::size_t k = 0; k < near.states().size(); ++k)
        logarithms[k] = std::log(after[k] / before[k]);
      // The first turn only lets the deviations find their directions.
      if (turn >= 0) average.add(logarithms.data());
      near.bring_together(a);
      a.time = time;
      for (State& b : near.states()) b.time = time;
    }
    const Lyapunov found = average.result();
    for (std::size_t k = 0; k < logarithms.size(); ++k)
      if (k < near.states().size())
        out.outputs.insert(out.outputs.end(), {found.exponents[k], found.standard_error[k]});
      else
        out.outputs.insert(out.outputs.end(), {-std::numeric_limits<double>::infinity(), 0.0});
  }
};

std::string first_line(const ModelError& error) {
  for (const Issue& issue : error.issues())
    if (issue.fatal) return issue.text();
  return error.what();
}

}  // namespace

RowOutcome run_row(const Study& study, std::span<const double> inputs, const Carry* from) {
  RowOutcome out;
  const auto fail = [&](RowStatus status, std::string reason) {
    out = {};
    out.status = status;
    out.error = std::move(reason);
    out.outputs.assign(outputs_of(study).size(), 0.0);
    if (study.samples_turns())
      out.samples.assign(study.observe.size() * static_cast<std::size_t>(study.record), 0.0);
  };
  try {
    out = study.kind == Kind::periodic ? run_orbit(study, inputs, from)
          : study.lives                ? make_row<RowLife>(study, inputs).run()
                                       : make_row<Row>(study, inputs).run(from);
  } catch (const Failure& failure) {
    fail(failure.status, failure.reason);
  } catch (const ModelError& error) {
    fail(RowStatus::bad_model, first_line(error));
  } catch (const AssemblyError& error) {
    fail(RowStatus::not_assembled, error.what());
  } catch (const IoError& error) {
    fail(RowStatus::failed, error.what());
  }
  return out;
}

}  // namespace freeplay::study
