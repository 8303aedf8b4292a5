// SPDX-License-Identifier: Apache-2.0
#include "integrate/integrator.hpp"

#include <algorithm>
#include <cmath>

// Classical fixed-step Runge-Kutta methods, for studies of convergence and to repeat papers that
// used them. No error control: the result says so in its trust data (order and step are recorded).
namespace freeplay::integrate {
namespace {

// Less than this share of a step before a stop is round-off of the grid, not a step. chosen
constexpr double kSliver = 1e-9;

class FixedStep final : public Integrator {
 public:
  FixedStep(Method method, Problem& problem, const Settings& settings)
      : problem_(problem), h_(settings.step), rk4_(method == Method::rk4) {
    const int n = problem.size();
    k1_ = k2_ = k3_ = k4_ = stage_ = y_old_ = VecX::Zero(n);
  }

  void start(double t, const VecX& y, double, Onset) override {
    time_ = previous_ = t;
    y_ = y;
    next_step_ = h_;
    begin_ = t;
    count_ = 0;
    have_slope_ = false;
  }

  Outcome step(double t_stop) override {
    // The grid is begin + k h, computed afresh so that round-off does not pile up.
    double t_new = begin_ + static_cast<double>(count_ + 1) * h_;
    const bool stops = t_new > t_stop - kSliver * h_;
    if (stops) t_new = t_stop;
    const Outcome outcome = go_to(t_new);
    if (stops) begin_ = t_new, count_ = 0;  // a new grid from wherever we were stopped
    return outcome;
  }

  bool can_repeat() const override { return true; }
  Outcome repeat(const StepShape&, double end) override { return go_to(end); }

  /// Cubic Hermite through both ends.
  void interpolate(double t, VecX& y) override {
    const double h = time_ - previous_, u = (t - previous_) / h, w = 1 - u;
    // Chord, plus what makes the end slopes right.
    y = w * y_old_ + u * y_ +
        u * w * (w * (h * slope_old_ - (y_ - y_old_)) - u * (h * k1_ - (y_ - y_old_)));
  }

  bool can_be_saved() const override { return true; }
  void carry(Archive& archive) override {
    archive(time_, previous_, y_, k1_, have_slope_, begin_, count_);
  }
  int order() const override { return rk4_ ? 4 : 2; }

 private:
  Outcome go_to(double t_new) {
    const double h = t_new - time_;
    if (!have_slope_ && !evaluate(time_, y_, k1_)) return failed();
    have_slope_ = true;
    y_old_ = y_;
    if (rk4_) {
      stage_ = y_ + 0.5 * h * k1_;
      if (!evaluate(time_ + 0.5 * h, stage_, k2_)) return failed();
      stage_ = y_ + 0.5 * h * k2_;
      if (!evaluate(time_ + 0.5 * h, stage_, k3_)) return failed();
      stage_ = y_ + h * k3_;
      if (!evaluate(t_new, stage_, k4_)) return failed();
      stage_ = y_ + h / 6 * (k1_ + 2 * k2_ + 2 * k3_ + k4_);
    } else {
      stage_ = y_ + h * k1_;
      if (!evaluate(t_new, stage_, k2_)) return failed();
      stage_ = y_ + 0.5 * h * (k1_ + k2_);
    }
    if (!stage_.allFinite()) return {false, "the state is no longer finite"};
    if (!problem_.project(t_new, stage_.data()))
      return {false, "the constraints cannot be met after a step"};
    y_.swap(stage_);
    slope_old_ = k1_;
    previous_ = time_;
    time_ = t_new;
    ++count_;
    ++counters_.steps;
    if (!evaluate(time_, y_, k1_)) return failed();
    return {};
  }

  bool evaluate(double t, const VecX& y, VecX& f) {
    ++counters_.evaluations;
    return problem_.rhs(t, y.data(), f.data());
  }
  static Outcome failed() { return {false, "the motion cannot be evaluated within the step"}; }

  Problem& problem_;
  double h_, begin_ = 0;
  bool rk4_, have_slope_ = false;
  std::int64_t count_ = 0;
  VecX k1_, k2_, k3_, k4_, stage_, y_old_, slope_old_;
};

}  // namespace

std::unique_ptr<Integrator> make_fixed_step(Method method, Problem& problem,
                                            const Settings& settings) {
  return std::make_unique<FixedStep>(method, problem, settings);
}

}  // namespace freeplay::integrate
