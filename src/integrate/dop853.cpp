// SPDX-License-Identifier: Apache-2.0
#include "integrate/dop853_control.hpp"
#include "integrate/dop853_rows.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/first_step.hpp"
#include "integrate/integrator.hpp"
#include "integrate/lane_driver.hpp"
#include "integrate/stiffness_watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

// Explicit Runge-Kutta 8(5,3) with step control and dense output of order 7. The workhorse for
// smooth motion and for impacts: one-step, so it loses nothing at an event or after a projection.
namespace freeplay::integrate {
namespace {

using namespace dop853;

class Dop853 final : public Integrator {
 public:
  Dop853(Problem& problem, const Settings& settings)
      : problem_(problem),
        in_lanes_(dynamic_cast<LaneProblem*>(&problem)),
        settings_(settings),
        n_(problem.size()),
        // One more component: time, in steps that land.
        norm_(problem),
        stiffness_((n_ + kUnit) / kUnit * kUnit) {
    const VecX zero = VecX::Zero((n_ + kUnit) / kUnit * kUnit);
    moving_ = (n_ - problem.quadratures() + kUnit - 1) / kUnit * kUnit;
    k_.fill(zero);
    dense_.fill(zero);
    stage_ = from_ = to_ = largest_ = weight_ = slope_ = error_ = zero_ = zero;
  }

  ~Dop853() override {
    if (LaneDriver* const lanes = LaneDriver::here()) lanes->forget(k_.data());
  }
  Dop853(const Dop853&) = delete;
  Dop853& operator=(const Dop853&) = delete;

  void start(double t, const VecX& y, double step, Onset onset) override {
    time_ = previous_ = origin_ = t;
    y_ = y;
    to_.head(n_) = y;
    next_step_ = step;
    have_slope_ = false;
    home_ = onset == Onset::root ? Clock::root : Clock::time;
    error_old_ = kLeastErrorBefore;
    stiffness_.restart();
    landed_ = false;
  }

  void expect(int event, double time) override {
    expected_ = event;
    expected_time_ = time;
  }
  bool landed() const override { return landed_; }

  Outcome step(double t_stop) override {
    if (!find_slope()) return {false, kNoSlopeAtStart};
    from_.head(n_) = y_;
    if (next_step_ <= 0) {
      problem_.weights(y_.data(), weight_.data());
      next_step_ =
          first_step(from_, slope_, weight_, n_, t_stop - time_, stage_, k_[1],
                     [&](double h, const VecX& y, VecX& f) { return evaluate(time_ + h, y, f); });
    }
    landed_ = false;
    double longest = settings_.max_step;
    if (expected_ >= 0) {
      const double left = expected_time_ - time_;
      const bool worth_it = left > kWorthLanding * next_step_;
      if (worth_it && left < kReach * next_step_ && land(t_stop)) return {};
      // Not across it, and not close to it: the last step is best made from here.
      if (worth_it && left < kShy * next_step_) {
        const double half = std::max(0.5 * left, 0.2 * next_step_);
        longest = longest > 0 ? std::min(longest, half) : half;
      }
    }
    clock_ = home_;
    bool rejected = false;
    for (;;) {
      const auto [h, last] = trial_step(t_stop, longest);
      if (h == 0) return {false, "the step became too small to advance time"};

      x_ = clock_at(time_);
      width_ = clock_at(time_ + h) - x_;
      const double t_new = last ? t_stop : time_ + h;
      const double error = attempt(t_new);
      const bool good = error <= kMost;
      if (good && (last || !refuse_on_purpose())) {
        if (!finish(t_new)) {  // the new point cannot be used: try shorter
          ++counters_.rejected;
          rejected = true;
          next_step_ = 0.25 * h;
          continue;
        }
        watch_stiffness(error);
        ideal_step_ = time_after(
            previous_, kFirst * std::pow(std::max(error, kLeastError), -1.0 / 8) * width_);
        // Step size: exponent 1/8, with the slight memory of Gustafsson's PI controller.
        double factor = 0.9 * std::pow(std::max(error, kLeastError), -1.0 / 8 + 0.02) *
                        std::pow(error_old_, 0.02);
        factor = std::clamp(factor, 0.333, rejected ? 1.0 : 6.0);
        error_old_ = std::max(error, kLeastErrorBefore);
        double wanted = time_after(time_, factor * width_);
        if (clock_ == Clock::root) wanted = std::min(wanted, std::max(kGrowth, 0.5 * factor) * h);
        // A step cut short for another reason says nothing against the longer one wanted before.
        next_step_ = h < next_step_ ? std::max(next_step_, wanted) : wanted;
        return {};
      }
      ++counters_.rejected;
      if (good) {  // refused on purpose: shorter this once
        longest = 0.5 * h;
        continue;
      }
      rejected = true;
      const double factor =
          std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, -1.0 / 8)) : 0.1;
      next_step_ = time_after(time_, factor * width_);
    }
  }

  bool can_repeat() const override { return true; }
  StepShape shape() const override {
    if (clock_ != Clock::landing) return {};
    return {expected_, landed_, -width_ / x_};
  }
  Outcome repeat(const StepShape& shape, double end) override {
    if (!find_slope()) return {false, kNoSlopeAtStart};
    from_.head(n_) = y_;
    landed_ = false;
    if (shape.landing >= 0) return repeat_landing(shape);
    clock_ = home_;
    x_ = clock_at(time_);
    width_ = clock_at(end) - x_;
    return advance() && finish(end) ? Outcome{} : Outcome{false, kNoStep};
  }

  void interpolate(double t, VecX& y) override {
    if (!dense_ready_) prepare_dense();
    const double x = part_of_step(t);
    y.resize(n_);
    for (Eigen::Index i = 0; i < n_; ++i) y[i] = polynomial(i, x);
  }

  bool can_be_saved() const override { return true; }
  void carry(Archive& archive) override {
    archive(time_, previous_, next_step_, y_, to_, slope_, have_slope_, home_, origin_, error_old_,
            ideal_step_, acceptable_);
    stiffness_.carry(archive);
  }

  double ideal_step() const override { return ideal_step_; }
  int order() const override { return 8; }
  bool stiff() const override { return stiffness_.stiff(); }

 private:
  bool evaluate(double t, const VecX& y, VecX& f) {
    ++counters_.evaluations;
    return problem_.rhs(t, y.data(), f.data());
  }

  bool find_slope() {
    if (!have_slope_) have_slope_ = evaluate(time_, to_, slope_);
    return have_slope_;
  }

  // Clocks.

  double clock_at(double t) const {
    return clock_ == Clock::root ? std::sqrt(std::max(0.0, t - origin_)) : t;
  }
  /// Time that passes from t on while the clock advances by that much.
  double time_after(double t, double advance) const {
    return clock_ == Clock::root ? (2 * clock_at(t) + advance) * advance : advance;
  }
  /// Seconds per unit of the clock at x; 0 with `ok` false where the clock runs back.
  double pace(double x, double t, const VecX& y, bool& ok) {
    if (clock_ == Clock::time) return 1;
    if (clock_ == Clock::root) return 2 * x;
    double g = 0, rate = 0;
    ok = problem_.event(expected_, t, y.data(), g, rate) && rate < 0;
    return ok ? 2 * x / rate : 0;
  }
  /// Slope along the clock at x.
  bool slope_at(double x, VecX& y, VecX& k) {
    const double t = clock_ == Clock::time ? x : clock_ == Clock::root ? origin_ + x * x : y[n_];
    if (!evaluate(t, y, k)) return false;
    if (clock_ == Clock::time) return true;
    bool ok = true;
    const double speed = pace(x, t, y, ok);
    k *= speed;
    k[n_] = clock_ == Clock::landing ? speed : 0;
    return ok;
  }
  /// Fraction of the last step, by its clock, at time t.
  double part_of_step(double t) const {
    if (clock_ != Clock::landing) return (clock_at(t) - x_) / width_;
    // Time runs out with the square of what is left: a good guess for Newton's method.
    const double all = time_ - previous_;
    double x = 1 - std::sqrt(std::clamp((time_ - t) / all, 0.0, 1.0));
    for (int k = 0; k < 8; ++k) {
      const double rate =
          (polynomial(n_, x + kDifference) - polynomial(n_, x - kDifference)) / (2 * kDifference);
      const double change = rate > 0 ? (polynomial(n_, x) - t) / rate : 0;
      x = std::clamp(x - change, 0.0, 1.0);
      if (std::abs(change) < kArrived) break;
    }
    return x;
  }

  /// out = base + width times the sum of a row's slopes, for the first `count` components.
  template <int kRow>
  void combine(const VecX& base, Eigen::Index count, VecX& out) const {
    using Pair = double __attribute__((vector_size(2 * sizeof(double))));
    dop853::combine<kRow>([&](int j) { return k_[j].data(); }, base.data(), Pair{width_, width_},
                          count, out.data());
  }
  /// Stages kFirst up to kFirst + sizeof...(kNext) - 1 of the step; false when one cannot be
  /// evaluated.
  template <int kFirst, int... kNext>
  bool take_stages(std::integer_sequence<int, kNext...>) {
    // What nothing depends on is not needed inside a step; time is, where it is integrated along.
    const Eigen::Index count = clock_ == Clock::landing ? stage_.size() : moving_;
    return ((combine<kFirst + kNext>(from_, count, stage_),
             slope_at(x_ + kC[kFirst + kNext] * width_, stage_, k_[kFirst + kNext])) &&
            ...);
  }

  /// Slope along the clock where the step begins; false when that cannot be evaluated.
  bool set_out() {
    bool ok = true;
    const double first = pace(x_, time_, from_, ok);
    k_[0] = first * slope_;
    k_[0][n_] = clock_ == Clock::landing ? first : 0;
    return ok;
  }
  /// From there by width_ of the clock, into to_.
  bool go() {
    if (!take_stages<1>(std::make_integer_sequence<int, kStages - 1>{})) return false;
    combine<kResult>(from_, to_.size(), to_);
    return true;
  }
  /// Both, without a look at the error and in plain code.
  bool advance() {
    if (LaneDriver* const lanes = LaneDriver::here()) lanes->forget(k_.data());
    made_in_lanes_ = false;
    return set_out() && go();
  }

  /// One trial of the clock from x_ by width_, into to_: its scaled error (1 = as aimed at,
  /// infinite = not computable). `t_new`: where it leads, if that is known.
  double attempt(double t_new) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    if (!set_out()) return kNever;
    made_in_lanes_ = make_in_lanes(t_new);
    if (!made_in_lanes_ && !make_alone()) return kNever;
    // Stages that flew off: an overflow in the denominator would pass for a perfect step.
    if (!(e5_ < 1e100 && e3_ < 1e100)) return kNever;
    if (e5_ == 0 && e3_ == 0) return 0;
    if (norm_.grouped()) return worst_error();
    const double error = e5_ / (kShare * std::sqrt((e5_ + 0.01 * e3_) * static_cast<double>(n_)));
    return std::isfinite(error) ? error : kNever;
  }

  /// Together with other runs of this thread, if some are of its kind; with the slope at the end.
  /// Steps that land want events at each stage, large mechanisms errors by groups: made alone.
  bool make_in_lanes(double t_new) {
    LaneDriver* const lanes = LaneDriver::here();
    if (!lanes) return false;
    lanes->forget(k_.data());
    if (!in_lanes_ || clock_ == Clock::landing || norm_.grouped()) return false;
    const LaneView view = in_lanes_->in_lanes();
    if (!view.variant) return false;
    LaneTrial trial{problem_,
                    view,
                    from_,
                    k_.data(),
                    stage_,
                    to_,
                    weight_,
                    x_,
                    width_,
                    origin_,
                    clock_ == Clock::root,
                    t_new};
    if (!lanes->make(trial)) return false;
    counters_.evaluations += kStages - 1;
    e5_ = trial.fifth;
    e3_ = trial.third;
    weight_[n_] = 0;
    return true;
  }

  bool make_alone() {
    if (!go()) return false;

    // Weights from the larger of both ends.
    largest_ = from_.cwiseAbs().cwiseMax(to_.cwiseAbs());
    problem_.weights(largest_.data(), weight_.data());
    // An error of time is one of all that moves meanwhile.
    weight_[n_] =
        clock_ == Clock::landing ? slope_.head(n_).cwiseProduct(weight_.head(n_)).norm() : 0;
    combine<kFifth>(zero_, error_.size(), error_);
    if (norm_.grouped()) norm_.take_first(error_, weight_);
    time_error_[0] = error_[n_] * weight_[n_];
    e5_ = error_.cwiseProduct(weight_).squaredNorm();
    combine<kThird>(zero_, error_.size(), error_);
    if (norm_.grouped()) norm_.take_second(error_, weight_);
    time_error_[1] = error_[n_] * weight_[n_];
    e3_ = error_.cwiseProduct(weight_).squaredNorm();
    return true;
  }

  /// (I.3) for the worst group of components; time, where it is integrated along, is one.
  double worst_error() const {
    // Just after a touch velocities are x^5 and then x^10 in the root x of time: the estimate of
    // order 3 sees the first and that of order 5 only the second, and (I.3), which expects the
    // powers between, would take their ratio for a sign of accuracy.
    const bool from_touch = clock_ == Clock::root && x_ == 0;
    const auto square = [&](double e5, double e3) {
      if (from_touch) return e5 / (kShare * kShare);
      return e5 > 0 ? e5 * e5 / (kShare * kShare * (e5 + 0.01 * e3)) : 0.0;
    };
    const auto time = [&](int k) {
      return time_error_[k] * time_error_[k] / static_cast<double>(n_);
    };
    return std::max(norm_.worst(square), std::sqrt(square(time(0), time(1))));
  }

  bool refuse_on_purpose() {
    if (settings_.reject_every <= 0) return false;
    return ++acceptable_ % settings_.reject_every == 0;
  }

  /// Moves on to the new point: projects it and takes the slope there, the first of the next step.
  bool finish(double t_new) {
    if (made_in_lanes_)
      ++counters_.evaluations;
    else if (!problem_.project(t_new, to_.data()) || !evaluate(t_new, to_, k_[kStages]))
      return false;
    move_on(t_new);
    return true;
  }
  void move_on(double t_new) {
    slope_.swap(k_[kStages]);  // scaled again for the dense output, if anybody asks
    previous_ = time_;
    time_ = t_new;
    y_ = to_.head(n_);
    ++counters_.steps;
    dense_ready_ = false;
  }

  /// A step towards the zero of the expected event, and onto it where the error allows, when the
  /// next one would come near it. False when there is nothing to land on.
  bool land(double t_stop) {
    double g = 0, rate = 0;
    if (!problem_.event(expected_, time_, from_.data(), g, rate) || !(g > 0 && rate < 0))
      return false;
    if (settings_.max_step > 0 && -g / rate > settings_.max_step) return false;
    clock_ = Clock::landing;
    x_ = std::sqrt(g);
    width_ = -x_;
    from_[n_] = time_;
    for (int tries = 0; tries < 4; ++tries) {
      const double error = attempt(time_);
      const bool in_time = to_[n_] > time_ && to_[n_] <= t_stop;
      if (error <= kMost && in_time && !refuse_on_purpose() &&
          problem_.project(to_[n_], to_.data()) && evaluate(to_[n_], to_, k_[kStages])) {
        if (landed_ = width_ == -x_; landed_ && !settle(t_stop)) break;
        const double before = next_step_;
        move_on(to_[n_]);
        next_step_ = before;
        ideal_step_ = time_ - previous_;
        return true;
      }
      ++counters_.rejected;
      if (!(error > kMost && std::isfinite(error)) || !in_time) break;
      width_ *= std::max(0.2, 0.9 * std::pow(error, -1.0 / 8));
    }
    landed_ = false;
    return false;
  }
  Outcome repeat_landing(const StepShape& shape) {
    expected_ = shape.landing;
    double g = 0, rate = 0;
    if (!problem_.event(expected_, time_, from_.data(), g, rate) || !(g > 0))
      return {false, kNoStep};
    clock_ = Clock::landing;
    x_ = std::sqrt(g);
    width_ = -x_ * shape.share;
    from_[n_] = time_;
    if (!advance() || !problem_.project(to_[n_], to_.data()) ||
        !evaluate(to_[n_], to_, k_[kStages]))
      return {false, kNoStep};
    landed_ = shape.landed;
    if (landed_ && !settle(std::numeric_limits<double>::infinity())) return {false, kNoStep};
    move_on(to_[n_]);
    return {};
  }

  /// What a landing left of the event function is the error of the step: along the motion to its
  /// zero, and just past it.
  bool settle(double t_stop) {
    double g = 0, rate = 0, shift = 0;
    double least = kRounding * std::max(std::abs(to_[n_]), std::abs(time_));
    for (int k = 0; k < 60; ++k) {
      if (!problem_.event(expected_, to_[n_], to_.data(), g, rate) || !(rate < 0)) return false;
      if (g <= 0 && k > 0) break;
      double by = -g / rate;
      if (k > 0) by = std::max(by, least), least *= 2;
      to_.head(n_) += by * k_[kStages].head(n_);
      to_[n_] += by;
      shift += by;
    }
    return g <= 0 && to_[n_] > time_ && to_[n_] <= t_stop &&
           std::abs(shift) < kLandingError * (to_[n_] - time_);
  }

  /// Hairer & Wanner 1996, IV.2: the last stage and the new point lie at the same time, so the
  /// ratio of their slopes to their distance estimates the largest eigenvalue.
  void watch_stiffness(double error) {
    bool ok = true;
    const double x = x_ + width_, speed = pace(x, time_, to_, ok);
    const Eigen::Index count = n_ - problem_.quadratures();
    const auto norm = [&](const auto& v) {
      return v.head(count).cwiseProduct(weight_.head(count)).squaredNorm();
    };
    const double slopes = norm(speed * slope_ - k_[kStages - 1]), distance = norm(to_ - stage_);
    if (distance <= 0) return;
    // move_on has put the slope of the start behind the stages.
    stiffness_.see({previous_, time_, from_, k_[kStages], to_, weight_, count, error,
                    width_ * std::sqrt(slopes / distance)});
  }

  double polynomial(Eigen::Index i, double x) const {
    const double u = 1 - x;
    double v = dense_[6][i] * x;
    for (int k = 5; k >= 0; --k) v = (v + dense_[k][i]) * (k % 2 == 0 ? x : u);
    return v + from_[i];
  }

  /// Three more evaluations, made only when somebody looks inside the step.
  void prepare_dense() {
    if (made_in_lanes_) LaneDriver::here()->fetch(k_.data());
    bool ok = true;
    const double speed = pace(x_ + width_, time_, to_, ok);
    k_[kStages] = speed * slope_;
    k_[kStages][n_] = clock_ == Clock::landing ? speed : 0;
    if (!take_stages<kStages + 1>(std::make_integer_sequence<int, kAllStages - kStages - 1>{}))
      for (int s = kStages + 1; s < kAllStages; ++s) k_[s] = k_[kStages];
    const VecX &f_old = k_[0], &f_new = k_[kStages];
    dense_[0] = to_ - from_;
    dense_[1] = width_ * f_old - dense_[0];
    dense_[2] = 2 * dense_[0] - width_ * (f_new + f_old);
    for (int d = 0; d < 4; ++d) {
      dense_[3 + d].setZero();
      for (int j = 0; j < kAllStages; ++j)
        if (kD[d][j] != 0) dense_[3 + d] += (width_ * kD[d][j]) * k_[j];
    }
    dense_ready_ = true;
  }

  Problem& problem_;
  LaneProblem* in_lanes_;  // the same; null: lanes cannot take it
  Settings settings_;
  Eigen::Index n_, moving_;  // moving_: what others depend on, filled up to a multiple of kUnit
  std::array<VecX, kAllStages> k_;  // slopes along the clock
  std::array<VecX, kDense> dense_;
  VecX stage_, from_, to_, largest_, weight_, error_, zero_;
  ErrorNorm norm_;
  double e5_ = 0, e3_ = 0;         // squares of the errors of the last trial, in tolerances
  double time_error_[2] = {0, 0};  // of time, in steps that land, against orders 5 and 3
  VecX slope_;                     // f at the newest point
  Clock home_ = Clock::time, clock_ = Clock::time;
  double origin_ = 0;         // of the root clock; s
  double x_ = 0, width_ = 0;  // where the step began and its length, by its clock
  int expected_ = -1;         // event whose zero is near
  double expected_time_ = 0;  // and when that may be; s
  double ideal_step_ = 0;
  double error_old_ = kLeastErrorBefore;
  bool have_slope_ = false, dense_ready_ = false, landed_ = false;
  bool made_in_lanes_ = false;  // the last trial
  StiffnessWatch stiffness_;
  std::int64_t acceptable_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_dop853(Problem& problem, const Settings& settings) {
  return std::make_unique<Dop853>(problem, settings);
}

}  // namespace freeplay::integrate
