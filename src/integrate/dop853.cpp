// SPDX-License-Identifier: Apache-2.0
#include "integrate/dop853_coefficients.hpp"
#include "integrate/dop853_control.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/integrator.hpp"
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

/// Rows of the method besides its stages: the result, and its errors against orders 5 and 3.
constexpr int kResult = kAllStages, kFifth = kAllStages + 1, kThird = kAllStages + 2;
constexpr int terms_of(int row) { return row < kAllStages ? row : kStages; }
constexpr double coefficient(int row, int j) {
  if (row < kAllStages) return kA[row][j];
  return row == kResult ? kB[j] : row == kFifth ? kE5[j] : kE3[j];
}

/// What a step advances by equal parts of. Motion that is smooth in one clock has a root or a kink
/// in another, and no step of high order gets across one.
enum class Clock {
  time,
  root,    ///< sqrt(t - t0): after a touch, where Hertz's force grows with (t - t0)^1.5
  landing  ///< sqrt(g) down to zero, g the depth of a contact that parts: the step ends on the
           ///< separation itself (Henon 1982), and time is integrated along
};

class Dop853 final : public Integrator {
 public:
  Dop853(Problem& problem, const Settings& settings)
      : problem_(problem),
        settings_(settings),
        n_(problem.size()),
        // One more component: time, in steps that land.
        norm_(problem),
        stiffness_((n_ + kLane) / kLane * kLane) {
    const VecX zero = VecX::Zero((n_ + kLane) / kLane * kLane);
    moving_ = (n_ - problem.quadratures() + kLane - 1) / kLane * kLane;
    k_.fill(zero);
    dense_.fill(zero);
    stage_ = from_ = to_ = largest_ = weight_ = slope_ = error_ = zero_ = zero;
  }

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
    if (next_step_ <= 0) next_step_ = first_step(t_stop);
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
      const double error = attempt();
      const bool good = error <= kMost;
      if (good && (last || !refuse_on_purpose())) {
        if (!finish(last ? t_stop : time_ + h)) {  // the new point cannot be used: try shorter
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

  /// Hairer, Norsett & Wanner 1993, II.4: a step whose Euler error is about a hundredth of the
  /// tolerance.
  double first_step(double t_stop) {
    problem_.weights(y_.data(), weight_.data());
    const double n = static_cast<double>(n_);
    const auto norm = [&](const auto& v) {
      return std::sqrt(v.head(n_).cwiseProduct(weight_.head(n_)).squaredNorm() / n);
    };
    const double d0 = norm(from_), d1 = norm(slope_);
    double h = d0 < kNoScale || d1 < kNoScale ? kBlindStep * (t_stop - time_) : 0.01 * d0 / d1;
    h = std::clamp(h, kShortestFirst * (t_stop - time_), t_stop - time_);
    stage_ = from_ + h * slope_;
    if (!evaluate(time_ + h, stage_, k_[1])) return kMoreCareful * h;
    const double d2 = norm(k_[1] - slope_) / h;
    const double worst = std::max(d1, d2);
    const double h1 = worst <= kNoSlope ? std::max(kBlindStep * (t_stop - time_), h * kMoreCareful)
                                        : std::pow(0.01 / worst, 1.0 / 8);
    return std::min({100 * h, h1, t_stop - time_});
  }

  /// out = base + width times the sum of a row's slopes, for the first `count` components. Rows are
  /// known to the compiler: it leaves out zeros and makes one pass over the components.
  template <int kRow>
  void combine(const VecX& base, Eigen::Index count, VecX& out) const {
    using Pair = Eigen::Array2d;
    const auto at = [](const VecX& x, Eigen::Index i) {
      return Eigen::Map<const Pair>(x.data() + i);
    };
    for (Eigen::Index i = 0; i < count; i += kLane) {
      Pair low = Pair::Zero(), high = Pair::Zero();
      const auto add = [&]<int kTerm>(std::integral_constant<int, kTerm>) {
        constexpr double c = coefficient(kRow, kTerm);
        if constexpr (c != 0) {
          low += c * at(k_[kTerm], i);
          high += c * at(k_[kTerm], i + 2);
        }
      };
      [&]<int... kTerm>(std::integer_sequence<int, kTerm...>) {
        (add(std::integral_constant<int, kTerm>{}), ...);
      }
      (std::make_integer_sequence<int, terms_of(kRow)>{});
      Eigen::Map<Pair>(out.data() + i) = at(base, i) + width_ * low;
      Eigen::Map<Pair>(out.data() + i + 2) = at(base, i + 2) + width_ * high;
    }
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

  /// By width_ from x_ of the clock, into to_; false when that cannot be evaluated.
  bool advance() {
    bool ok = true;
    const double first = pace(x_, time_, from_, ok);
    if (!ok) return false;
    k_[0] = first * slope_;
    k_[0][n_] = clock_ == Clock::landing ? first : 0;
    if (!take_stages<1>(std::make_integer_sequence<int, kStages - 1>{})) return false;
    combine<kResult>(from_, to_.size(), to_);
    return true;
  }

  /// A trial of that; returns its scaled error (1 = as
  /// aimed at, infinite = not computable).
  double attempt() {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    if (!advance()) return kNever;

    // Weights from the larger of both ends.
    largest_ = from_.cwiseAbs().cwiseMax(to_.cwiseAbs());
    problem_.weights(largest_.data(), weight_.data());
    // An error of time is one of all that moves meanwhile.
    weight_[n_] =
        clock_ == Clock::landing ? slope_.head(n_).cwiseProduct(weight_.head(n_)).norm() : 0;
    combine<kFifth>(zero_, error_.size(), error_);
    if (norm_.grouped()) norm_.take_first(error_, weight_);
    time_error_[0] = error_[n_] * weight_[n_];
    const double e5 = error_.cwiseProduct(weight_).squaredNorm();
    combine<kThird>(zero_, error_.size(), error_);
    if (norm_.grouped()) norm_.take_second(error_, weight_);
    time_error_[1] = error_[n_] * weight_[n_];
    const double e3 = error_.cwiseProduct(weight_).squaredNorm();
    // Stages that flew off: an overflow in the denominator would pass for a perfect step.
    if (!(e5 < 1e100 && e3 < 1e100)) return kNever;
    if (e5 == 0 && e3 == 0) return 0;
    if (norm_.grouped()) return worst_error();
    const double error = e5 / (kShare * std::sqrt((e5 + 0.01 * e3) * static_cast<double>(n_)));
    return std::isfinite(error) ? error : kNever;
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
    if (!problem_.project(t_new, to_.data())) return false;
    if (!evaluate(t_new, to_, k_[kStages])) return false;
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
      const double error = attempt();
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

  static constexpr const char *kNoSlopeAtStart =
                                  "the motion cannot be evaluated at the start of the step",
                              *kNoStep = "the motion cannot be evaluated within the step";

  Problem& problem_;
  Settings settings_;
  Eigen::Index n_, moving_;  // moving_: what others depend on, filled up to a multiple of kLane
  std::array<VecX, kAllStages> k_;  // slopes along the clock
  std::array<VecX, kDense> dense_;
  VecX stage_, from_, to_, largest_, weight_, error_, zero_;
  ErrorNorm norm_;
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
  StiffnessWatch stiffness_;
  std::int64_t acceptable_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_dop853(Problem& problem, const Settings& settings) {
  return std::make_unique<Dop853>(problem, settings);
}

}  // namespace freeplay::integrate
