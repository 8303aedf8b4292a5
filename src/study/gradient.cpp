// SPDX-License-Identifier: Apache-2.0
#include "study/gradient.hpp"

#include "io/text.hpp"
#include "io/units.hpp"
#include "sim/cpu_time.hpp"
#include "study/series_columns.hpp"
#include <freeplay/assembly.hpp>
#include <freeplay/errors.hpp>

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

namespace freeplay::study {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Of each number: differences to one side, to both. theory/gradients (D.6): a truncation of the
/// step itself and of its square, each against rounding over the step. chosen on the slider-crank
/// with play, where rounding of places is 1e-12 of the clearance after three impacts
constexpr double kOneSided = 3e-7, kCentral = 3e-5;
/// The check of central differences takes half their step.
constexpr double kCheck = 0.5;
/// What the times of events, and results, may show of second order in relation to the first: beyond
/// this the linear range ends. chosen
constexpr double kLinear = 0.1;
/// Roundings of a time, or of a result, that differences of two runs may be off. chosen
constexpr double kRoundings = 32;

ModelError mistake(const std::string& path, const char* message, const char* hint) {
  Issue issue;
  issue.path = path;
  issue.message = message;
  issue.hint = hint;
  return ModelError(issue);
}

[[noreturn]] void refuse_limit(const std::string& path) {
  throw mistake(path, "cannot be moved to both sides: it is at the limit of what it may be",
                "take differences to one side alone");
}

/// One run along the way: as it is, or with all numbers moved by these shares of their steps.
struct Neighbour {
  std::vector<double> moved;
  Model model;
  Readings readings;
  sim::Followed followed;
  std::vector<double> values;  ///< of the measures
  double cpu_seconds = 0;
  bool is_there = false;  ///< it was run before
};

class Differentiation {
 public:
  Differentiation(std::vector<Measure> measures, const std::vector<io::NumberAt>& variables,
                  const std::function<Model(std::span<const double>)>& model,
                  const Differences& differences)
      : variables_(variables), model_(model), how_(differences) {
    const double before = sim::cpu_seconds();
    Model base = model_at({});
    const State start = assemble(base).start;
    sights_.times = MeasurePlan::instants(measures);
    RunResult run = sim::keep_itinerary(base, start, way_, sights_, how_.keep_going);
    if (run.status != RunStatus::done) throw NoGradient(trouble(run));
    out_.run_seconds = out_.cpu_seconds = sim::cpu_seconds() - before;
    end_ = run.time;
    start_ = start.time;
    plan_.emplace(std::move(measures), describe(base), way_);
    choose_steps(scales_of(base));
  }

  Gradient find() {
    if (plan_->searches()) {
      std::vector<Neighbour> scan{neighbour(nobody())};
      run_all(scan);
      plan_->settle(scan[0].readings);
    }
    std::vector<Neighbour> all{itself()};
    if (!how_.values_only) add_neighbours(all);
    run_all(all);
    if (all[0].followed.legs < way_.legs.size())
      throw NoGradient("the run cannot be followed: " + all[0].followed.parted);
    if (!how_.values_only) find_horizon(all);
    for (std::size_t m = 0; m < plan_->measures().size(); ++m) conclude(m, all);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string trouble(const RunResult& run) const {
    return run.status == RunStatus::interrupted
               ? "interrupted"
               : run.reason + (run.remedy.empty() ? "" : " (" + run.remedy + ")");
  }

  // ---- neighbours

  /// Which numbers are moved, by shares of their steps.
  using Moves = std::vector<double>;
  [[nodiscard]] Moves nobody() const { return Moves(variables_.size(), 0.0); }
  [[nodiscard]] Moves one(std::size_t variable, double by) const {
    Moves out = nobody();
    out[variable] = by;
    return out;
  }
  [[nodiscard]] Neighbour neighbour(Moves moves) const {
    const double before = sim::cpu_seconds();
    Model model = model_at(moves);
    Neighbour out;
    out.moved = std::move(moves);
    out.model = std::move(model);
    out.cpu_seconds = sim::cpu_seconds() - before;
    return out;
  }

  /// The run itself is one of them. What it was asked for beforehand need not be looked for again.
  [[nodiscard]] Neighbour itself() const {
    if (plan_->looks_into_legs()) return neighbour(nobody());
    Neighbour out;
    out.moved = nobody();
    out.followed.legs = way_.legs.size();
    for (const sim::Leg& leg : way_.legs) out.followed.ends.push_back(leg.end);
    out.followed.events = way_.events;
    out.readings = plan_->readings();
    const std::span<const int> columns = plan_->columns();
    for (std::size_t n = 0, sight = 0; n < plan_->looks().size(); ++n) {
      const std::vector<double>& row =
          plan_->looks()[n].by_time ? sights_.rows[sight++] : sights_.last;
      for (std::size_t c = 0; c < columns.size(); ++c)
        out.readings.values[n * columns.size() + c] = row[static_cast<std::size_t>(columns[c])];
    }
    out.readings.start = start_;
    out.is_there = true;
    return out;
  }

  /// Each number moved alone, and all of them together to see how linear that is.
  void add_neighbours(std::vector<Neighbour>& all) {
    const std::size_t n = variables_.size();
    Moves others = how_.central ? Moves(n, kCheck) : Moves(n, -1);
    for (std::size_t k = 0; k < n; ++k) {
      try {
        all.push_back(neighbour(one(k, 1)));
      } catch (const ModelError&) {  // it may be the largest there can be: then to the other side
        if (how_.central) refuse_limit(variables_[k].path);
        steps_[k] = out_.variables[k].step = -steps_[k];
        all.push_back(neighbour(one(k, 1)));
        others[k] = 0;
      }
    }
    for (std::size_t k = 0; k < n && how_.central; ++k) {
      try {
        all.push_back(neighbour(one(k, -1)));
      } catch (const ModelError&) {
        refuse_limit(variables_[k].path);
      }
    }
    all.push_back(opposite(std::move(others)));
    if (!how_.central) return;
    all.push_back(neighbour(Moves(n, -kCheck)));
  }
  /// Numbers that are the least there can be stay.
  [[nodiscard]] Neighbour opposite(Moves moves) const {
    try {
      return neighbour(moves);
    } catch (const ModelError&) {
    }
    for (std::size_t k = 0; k < moves.size(); ++k) {
      try {
        static_cast<void>(model_at(one(k, moves[k])));
      } catch (const ModelError&) {
        moves[k] = 0;
      }
    }
    return neighbour(std::move(moves));
  }

  /// With the numbers of the variables moved by shares of their steps; empty: as they are.
  [[nodiscard]] Model model_at(const Moves& moved) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < variables_.size(); ++k)
      values.push_back(variables_[k].value + (moved.empty() ? 0 : moved[k] * steps_[k]));
    return model_(values);
  }

  void choose_steps(const Scales& scales) {
    const double share = how_.step > 0 ? how_.step : how_.central ? kCentral : kOneSided;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      const io::NumberAt& v = variables_[k];
      // What is zero has no size of its own; the mechanism has one for lengths, times and masses.
      double size = how_.sizes.empty() ? std::abs(v.value) : how_.sizes[k];
      if (size == 0) size = size_of(v.unit, scales);
      // A power of two, so that the number moves by exactly that.
      steps_.push_back(std::exp2(std::round(std::log2(share * size))));
      out_.variables.push_back({v.path, v.unit, v.value, steps_.back()});
    }
  }
  [[nodiscard]] static double size_of(const std::string& unit, const Scales& scales) {
    const auto known = io::parse_unit(unit);
    if (unit.empty() || !known) return 1;
    const io::Dimension& d = known->dimension;
    return std::pow(scales.length, d.m) * std::pow(scales.mass, d.kg) * std::pow(scales.time, d.s);
  }

  void go(Neighbour& run) const {
    if (!run.is_there) follow(run);
    run.readings.events = &run.followed.events;
    run.readings.ends = &run.followed.ends;
    run.readings.legs = run.followed.legs;
    for (std::size_t m = 0; m < plan_->measures().size(); ++m)
      run.values.push_back(plan_->value(m, run.readings));
  }

  void follow(Neighbour& run) const {
    const double before = sim::cpu_seconds();
    const State start = assemble(run.model).start;
    run.readings = plan_->readings();
    const std::span<const int> columns = plan_->columns();
    run.followed =
        sim::follow_itinerary(run.model, start, way_, plan_->looks(),
                              [&](std::size_t look, double, std::span<const double> row) {
                                for (std::size_t c = 0; c < columns.size(); ++c)
                                  run.readings.values[look * columns.size() + c] =
                                      row[static_cast<std::size_t>(columns[c])];
                              });
    run.readings.start = start.time;
    run.cpu_seconds += sim::cpu_seconds() - before;
  }

  void run_all(std::vector<Neighbour>& all) {
    std::atomic<bool> stopped{false};
    const auto work = [&](std::size_t i) {
      if (how_.keep_going && !how_.keep_going()) stopped = true;
      if (!stopped) go(all[i]);
    };
    if (how_.workers == 1)
      for (std::size_t i = 0; i < all.size(); ++i) work(i);
    else
      tbb::task_arena(how_.workers > 0 ? how_.workers : tbb::task_arena::automatic).execute([&] {
        tbb::parallel_for(std::size_t{0}, all.size(), work);
      });
    if (stopped) throw NoGradient("interrupted");
    for (const Neighbour& run : all) {
      out_.neighbours += run.is_there ? 0 : 1;
      out_.cpu_seconds += run.cpu_seconds;
    }
  }

  // ---- how far they can be trusted

  /// The runs to one side, to the other, and those with all numbers moved.
  [[nodiscard]] const Neighbour& ahead(const std::vector<Neighbour>& all, std::size_t k) const {
    return all[1 + k];
  }
  [[nodiscard]] const Neighbour& behind(const std::vector<Neighbour>& all, std::size_t k) const {
    return all[1 + variables_.size() + k];
  }

  /// First and second order of a number of the runs, both as sums over the variables: what differs,
  /// and by how much differences of other steps contradict. theory/gradients (D.7), (D.8)
  struct Orders {
    double first = 0, second = 0;
  };
  template <class Get>
  [[nodiscard]] Orders orders(const std::vector<Neighbour>& all, const Get& get) const {
    const double here = get(all[0]);
    const Neighbour& check = all[all.size() - (how_.central ? 2 : 1)];
    Orders out;
    double foreseen = 0;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      const double d = how_.central ? 0.5 * (get(ahead(all, k)) - get(behind(all, k)))
                                    : get(ahead(all, k)) - here;
      foreseen += check.moved[k] * d;
      out.first += std::abs(d);
    }
    const double seen = how_.central ? 0.5 * (get(check) - get(all.back())) : get(check) - here;
    out.second = std::abs(seen - foreseen) / (how_.central ? kCheck : 1);
    return out;
  }

  /// The last leg that can be trusted ends where one of the runs loses the way, or before an event
  /// whose instants are no longer linear in what was moved.
  void find_horizon(const std::vector<Neighbour>& all) {
    trusted_ = way_.legs.size();
    for (const Neighbour& run : all)
      if (run.followed.legs < trusted_) {
        trusted_ = run.followed.legs;
        out_.horizon = run.followed.parted;
      }
    for (std::size_t leg = 0; leg < trusted_; ++leg) {
      const sim::Leg& way = way_.legs[leg];
      if (way.crossings.empty()) continue;
      const Orders found =
          orders(all, [&](const Neighbour& run) { return run.followed.ends[leg]; });
      if (found.second <= kLinear * found.first + kRoundings * kEpsilon * std::abs(end_)) continue;
      trusted_ = leg;
      out_.horizon =
          fmt::format("{}: its time is not linear within the step (try a smaller one)",
                      way.events > 0 ? sim::text_of(way_.events[way.first_event])
                                     : fmt::format("the event at t = {:.9g} s", way.end));
    }
    out_.trusted_until = trusted_ == way_.legs.size() ? end_ : way_.legs[trusted_].begin;
    if (trusted_ < way_.legs.size() && out_.horizon.empty()) out_.horizon = "the way is lost";
  }

  // ---- numbers

  /// What rounding of a result is relative to.
  [[nodiscard]] static double size_of(const Measure& measure, double value) {
    double square = 0;  // a misfit may vanish, the numbers that it is a difference of do not
    for (const double measured : measure.value) square += measured * measured;
    return measure.value.empty() ? std::abs(value)
                                 : square / static_cast<double>(measure.value.size());
  }

  void conclude(std::size_t m, const std::vector<Neighbour>& all) {
    const Measure& measure = plan_->measures()[m];
    GradientOutput out{measure.name, measure.unit, all[0].values[m], {}, {}, {}};
    if (how_.values_only) {
      out_.outputs.push_back(std::move(out));
      return;
    }
    if (plan_->last_leg(m) >= trusted_) {
      out.refused = fmt::format("beyond t = {:.9g} s there are no gradients: {}",
                                out_.trusted_until, out_.horizon);
      out_.outputs.push_back(std::move(out));
      return;
    }
    const Orders found = orders(all, [&](const Neighbour& run) { return run.values[m]; });
    const double size = size_of(measure, out.value), noise = kRoundings * kEpsilon * size;
    if (!how_.any_curvature && found.second > kLinear * found.first + noise)
      out.refused = fmt::format(
          "it is not linear within the step: second order is {:.2g} of the first (try a smaller "
          "one)",
          found.second / found.first);
    const double relative = found.first > 0 ? found.second / found.first : 0;
    // What is rounding of it is no smaller for those who do little.
    const auto n = static_cast<double>(variables_.size());
    const double rounding = found.second / std::sqrt(how_.central ? n + 4 : 0.5 * n + 1);
    for (std::size_t k = 0; k < variables_.size() && out.refused.empty(); ++k) {
      const double f = all[0].values[m], up = ahead(all, k).values[m];
      const double difference = how_.central ? 0.5 * (up - behind(all, k).values[m]) : up - f;
      double off = relative;
      if (how_.central && difference != 0) {
        // The square of what one side shows of second order is of third.
        const double bend = (0.5 * (up + behind(all, k).values[m]) - f) / difference;
        off = std::max(off, bend * bend);
      }
      out.slope.push_back(difference / steps_[k]);
      out.error.push_back(std::max({off * std::abs(difference), rounding, kEpsilon * size}) /
                          std::abs(steps_[k]));
    }
    out_.outputs.push_back(std::move(out));
  }

  const std::vector<io::NumberAt>& variables_;
  const std::function<Model(std::span<const double>)>& model_;
  const Differences& how_;
  sim::Itinerary way_;
  std::optional<MeasurePlan> plan_;
  std::vector<double> steps_;
  sim::Sights sights_;
  double start_ = 0, end_ = 0;
  std::size_t trusted_ = 0;  // legs
  Gradient out_;
};

std::vector<Measure> measures_of(const std::vector<std::string>& texts) {
  std::vector<Measure> out;
  std::vector<Issue> wrong;
  for (const std::string& text : texts) {
    std::string why;
    if (auto measure = parse_measure(text, why)) {
      out.push_back(std::move(*measure));
      continue;
    }
    Issue issue;
    issue.path = "of";
    issue.message = io::quote(text) + ": " + why;
    wrong.push_back(issue);
  }
  if (!wrong.empty()) throw ModelError(wrong);
  return out;
}

}  // namespace

Gradient differentiate(std::vector<Measure> measures, const std::vector<io::NumberAt>& variables,
                       const std::function<Model(std::span<const double>)>& model,
                       const Differences& differences) {
  return Differentiation(std::move(measures), variables, model, differences).find();
}

}  // namespace freeplay::study

namespace freeplay {

Gradient find_gradient(const ModelSource& model, const GradientOptions& options) {
  using namespace study;
  if (options.of.empty())
    throw mistake("of", "no output is given", "of = \"bodies/slider/position.x\", say");
  if (options.wrt.empty())
    throw mistake("wrt", "nothing to vary is given", "wrt = \"bodies.rod.mass\", say");
  const std::filesystem::path folder =
      model.file.has_parent_path() ? model.file.parent_path() : std::filesystem::path(".");
  const std::vector<io::NumberAt> variables =
      io::numbers_at(model.text, model.file.string(), folder, model.set, options.wrt);
  const auto model_of = [&](std::span<const double> values) {
    LoadOptions load{model.set, nullptr};
    for (std::size_t k = 0; k < values.size(); ++k)
      load.overrides.push_back({variables[k].path, variables[k].text(values[k])});
    return parse_model(model.text, model.file.string(), load, folder);
  };
  Differences how;
  how.central = options.central;
  how.step = options.step;
  how.workers = options.workers;
  if (options.stop) how.keep_going = [&] { return !options.stop->load(); };
  return differentiate(measures_of(options.of), variables, model_of, how);
}

}  // namespace freeplay
