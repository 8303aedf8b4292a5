// SPDX-License-Identifier: Apache-2.0
#include "sim/nonsmooth.hpp"

#include "dynamics/nonsmooth/time_stepping.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeplay::sim {
namespace {

using dynamics::Cartesian;
using dynamics::TimeStepping;
using integrate::Outcome;

/// Goes on by time steps. What they leave behind of contacts belongs to the memory of the state,
/// and comes with the step in hand.
class Stepped final : public Trajectory {
 public:
  Stepped(Cartesian& system, State& state)
      : system_(system), state_(state), stepping_(system), pending_(state.memory) {}

  int size() const override { return system_.size(); }
  int quadratures() const override { return system_.work_size(); }
  bool rhs(double t, const double* y, double* f) override {
    return system_.derivative(t, y, state_.memory.data(), f);
  }
  bool jacobian(double t, const double* y, MatX& dfdy) override {
    return system_.jacobian(t, y, state_.memory.data(), dfdy);
  }
  void weights(const double*, double* w) const override { std::fill_n(w, size(), 1.0); }
  const VecX& reduce(const State& state) override { return state.y; }

  /// One step; `out` is where it ends.
  TimeStepping::Outcome leap(double t, double h, const VecX& y, VecX& out) {
    const TimeStepping::Outcome outcome = stepping_.step(t, h, y, state_.memory, out, pending_);
    from_ = t;
    to_ = outcome.ok ? t + h : t;
    return outcome;
  }
  /// The last one ends exactly there.
  void lands_on(double t) { to_ = t; }
  [[nodiscard]] const TimeStepping& stepping() const { return stepping_; }
  [[nodiscard]] int positions() const { return system_.position_size(); }

  bool complete(double t, const VecX& y, State& state) override {
    state.time = t;
    state.y = y;
    if (t > from_ && t <= to_) system_.step_record()->copy(pending_.data(), state.memory.data());
    // The step itself ends on the constraints.
    return t == to_ || system_.project(t, state.y.data(), state.memory.data());
  }
  void add_warnings(std::vector<std::string>& warnings) const override {
    if (stepping_.lessened() == 0) return;
    warnings.push_back(fmt::format(
        "in {} steps the impacts would have gained energy, or no impulses had let all of them "
        "bounce "
        "so, as Newton's law can with friction, in wedges and with unequal restitution: all of the "
        "step bounced less, as little as was needed",
        stepping_.lessened()));
  }

 private:
  Cartesian& system_;
  State& state_;
  TimeStepping stepping_;
  std::vector<double> pending_;
  double from_ = std::numeric_limits<double>::infinity(), to_ = from_;
};

class MoreauSteps final : public integrate::Integrator {
 public:
  MoreauSteps(const Model& model, Stepped& trajectory, const integrate::Settings& settings)
      : trajectory_(trajectory),
        settings_(settings),
        tolerance_(model.simulation.tolerance),
        first_(kFirst * std::min(scales_of(model).time, model.simulation.duration)) {
    trial_ = VecX::Zero(trajectory.size());
  }

  void start(double t, const VecX& y, double step, integrate::Onset) override {
    time_ = previous_ = begin_ = t;
    y_ = y_old_ = y;
    count_ = 0;
    next_step_ = settings_.step > 0 ? settings_.step : step > 0 ? step : first_;
  }

  Outcome step(double t_stop) override {
    return settings_.step > 0 ? step_as_told(t_stop) : step_by_error(t_stop);
  }

  /// Positions change along the step; velocities and works are those of its end, as the method has
  /// them.
  void interpolate(double t, VecX& y) override {
    const double share = (t - previous_) / (time_ - previous_);
    const int positions = trajectory_.positions();
    y = y_;
    y.head(positions) = (1 - share) * y_old_.head(positions) + share * y_.head(positions);
  }

  int order() const override { return 1; }
  bool can_be_saved() const override { return true; }
  void carry(Archive& archive) override {
    archive(time_, previous_, next_step_, y_, y_old_, begin_, count_);
  }

 private:
  static constexpr double kFirst = 1e-4;  // of the time of the mechanism; chosen
  // Less than this share of a step before a stop is round-off of the grid, not a step. chosen
  static constexpr double kSliver = 1e-9;

  Outcome step_as_told(double t_stop) {
    // The grid is begin + k h, computed afresh so that round-off does not pile up.
    double t_new = begin_ + static_cast<double>(count_ + 1) * settings_.step;
    const bool stops = t_new > t_stop - kSliver * settings_.step;
    if (stops) t_new = t_stop;
    const TimeStepping::Outcome outcome = leap(t_new - time_);
    if (!outcome.ok) return {false, outcome.reason};
    take(t_new);
    ++count_;
    if (stops) begin_ = t_new, count_ = 0;
    return {};
  }

  Outcome step_by_error(double t_stop) {
    bool rejected = false;
    for (;;) {
      const Trial trial = trial_step(t_stop, settings_.max_step);
      if (!(trial.step > 0)) return {false, "the step became too small: " + reason_};
      const TimeStepping::Outcome outcome = leap(trial.step);
      const double error = outcome.error / tolerance_;
      if (outcome.ok && error <= 1) {
        // A step cut short by a stop says nothing against the longer one it was to be.
        double wanted = trial.step * std::min(kSafe / std::sqrt(error), rejected ? 1 : kGrowth);
        if (trial.last && !rejected) wanted = std::max(wanted, next_step_);
        next_step_ = wanted;
        take(trial.last ? t_stop : time_ + trial.step);
        return {};
      }
      ++counters_.rejected;
      rejected = true;
      reason_ = outcome.ok ? "an impact asks for more accuracy than there are digits in time"
                           : outcome.reason;
      next_step_ = trial.step * (outcome.ok ? std::clamp(kSafe / error, 0.1, 0.5) : 0.25);
    }
  }

  TimeStepping::Outcome leap(double h) {
    ++counters_.evaluations;
    const TimeStepping::Outcome out = trajectory_.leap(time_, h, y_, trial_);
    counters_.jacobians = trajectory_.stepping().factorisations();
    return out;
  }
  void take(double t) {
    previous_ = time_;
    time_ = t;
    trajectory_.lands_on(t);
    y_old_.swap(y_);
    y_.swap(trial_);
    ++counters_.steps;
  }

  static constexpr double kSafe = 0.8, kGrowth = 2;
  Stepped& trajectory_;
  integrate::Settings settings_;
  double tolerance_, first_, begin_ = 0;
  std::int64_t count_ = 0;
  VecX trial_, y_old_;
  std::string reason_;
};

}  // namespace

std::unique_ptr<Trajectory> make_stepped_trajectory(dynamics::System& system, State& state) {
  auto* cartesian = dynamic_cast<Cartesian*>(&system);
  if (!cartesian) {
    Issue issue;
    issue.path = "simulation.integrator";
    issue.message = "moreau needs the Cartesian formulation";
    issue.hint = "set formulation = \"cartesian\"";
    throw ModelError(issue);
  }
  return std::make_unique<Stepped>(*cartesian, state);
}

std::unique_ptr<integrate::Integrator> make_moreau(const Model& model, Trajectory& trajectory,
                                                   const integrate::Settings& settings) {
  return std::make_unique<MoreauSteps>(model, dynamic_cast<Stepped&>(trajectory), settings);
}

}  // namespace freeplay::sim
