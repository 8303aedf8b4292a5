// SPDX-License-Identifier: Apache-2.0
#include "integrate/dop853_coefficients.hpp"
#include "integrate/integrator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

// Explicit Runge-Kutta 8(5,3) with step control and dense output of order 7. The workhorse for
// smooth motion and for impacts: one-step, so it loses nothing at an event or after a projection.
namespace freeplay::integrate {
namespace {

using namespace dop853;

// Share of the tolerance that one step may use: local errors add up over a run. chosen: 0.2
// costs 1.2x the evaluations and keeps the error of the reference cases within a few tolerances.
constexpr double kShare = 0.2;

/// out = base + sum of c_j k_j, term by term in the order given: all terms in one pass over the
/// components. With a dozen states it saves one instruction in a hundred of a whole run.
void combine(Eigen::Index n, const double* base, int terms, const double* c, const double* const* k,
             double* out) {
  Eigen::Index i = 0;
  for (; i + 4 <= n; i += 4) {
    double a0 = base[i], a1 = base[i + 1], a2 = base[i + 2], a3 = base[i + 3];
    for (int j = 0; j < terms; ++j) {
      const double* x = k[j] + i;
      a0 += c[j] * x[0];
      a1 += c[j] * x[1];
      a2 += c[j] * x[2];
      a3 += c[j] * x[3];
    }
    out[i] = a0, out[i + 1] = a1, out[i + 2] = a2, out[i + 3] = a3;
  }
  for (; i < n; ++i) {
    double a = base[i];
    for (int j = 0; j < terms; ++j) a += c[j] * k[j][i];
    out[i] = a;
  }
}

class Dop853 final : public Integrator {
 public:
  Dop853(Problem& problem, const Settings& settings) : problem_(problem), settings_(settings) {
    const int n = problem.size();
    for (VecX& k : k_) k = VecX::Zero(n);
    for (VecX& f : dense_) f = VecX::Zero(n);
    stage_ = y_new_ = y_old_ = largest_ = weight_ = VecX::Zero(n);
  }

  void start(double t, const VecX& y, double step) override {
    time_ = previous_ = t;
    y_ = y;
    next_step_ = step;
    have_slope_ = false;
    error_old_ = 1e-4;
    stiff_hits_ = easy_hits_ = 0;
  }

  Outcome step(double t_stop) override {
    if (!have_slope_) {
      if (!evaluate(time_, y_, k_[0]))
        return {false, "the motion cannot be evaluated at the start of the step"};
      have_slope_ = true;
    }
    if (next_step_ <= 0) next_step_ = first_step(t_stop);
    bool rejected = false;
    for (;;) {
      const auto [h, last] = trial_step(t_stop, settings_.max_step);
      if (h == 0) return {false, "the step became too small to advance time"};

      const double error = attempt(h);
      const bool good = error <= 1;
      if (good && (last || !refuse_on_purpose())) {
        const double t_new = last ? t_stop : time_ + h;
        if (!finish(t_new, h)) {  // the new point cannot be used: try shorter
          ++counters_.rejected;
          rejected = true;
          next_step_ = 0.25 * h;
          continue;
        }
        // Step size: exponent 1/8, with the slight memory of Gustafsson's PI controller.
        double factor =
            0.9 * std::pow(std::max(error, 1e-12), -1.0 / 8 + 0.02) * std::pow(error_old_, 0.02);
        factor = std::clamp(factor, 0.333, rejected ? 1.0 : 6.0);
        error_old_ = std::max(error, 1e-4);
        // A step cut short to land on t_stop says nothing against the longer one wanted before.
        next_step_ = last && h < next_step_ ? std::max(next_step_, factor * h) : factor * h;
        return {};
      }
      ++counters_.rejected;
      rejected = rejected || !good;  // one refused on purpose was not too long
      next_step_ =
          h * (std::isfinite(error) ? (good ? 0.5 : std::max(0.2, 0.9 * std::pow(error, -1.0 / 8)))
                                    : 0.1);
    }
  }

  void interpolate(double t, VecX& y) override {
    if (!dense_ready_) prepare_dense();
    const double h = time_ - previous_, x = (t - previous_) / h, u = 1 - x;
    const Eigen::Index n = y_old_.size();
    y.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      double v = dense_[6][i] * x;
      for (int k = 5; k >= 0; --k) v = (v + dense_[k][i]) * (k % 2 == 0 ? x : u);
      y[i] = v + y_old_[i];
    }
  }

  int order() const override { return 8; }
  bool stiff() const override { return stiff_; }

 private:
  bool evaluate(double t, const VecX& y, VecX& f) {
    ++counters_.evaluations;
    return problem_.rhs(t, y.data(), f.data());
  }

  /// Hairer, Norsett & Wanner 1993, II.4: a step whose Euler error is about a hundredth of the
  /// tolerance.
  double first_step(double t_stop) {
    problem_.weights(y_.data(), weight_.data());
    const double n = static_cast<double>(y_.size());
    const double d0 = std::sqrt(y_.cwiseProduct(weight_).squaredNorm() / n);
    const double d1 = std::sqrt(k_[0].cwiseProduct(weight_).squaredNorm() / n);
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 * (t_stop - time_) : 0.01 * d0 / d1;
    // A start that is zero but for round-off says nothing of the scale of the motion.
    h = std::clamp(h, 1e-9 * (t_stop - time_), t_stop - time_);
    stage_ = y_ + h * k_[0];
    if (!evaluate(time_ + h, stage_, k_[1])) return 1e-3 * h;
    const double d2 = std::sqrt((k_[1] - k_[0]).cwiseProduct(weight_).squaredNorm() / n) / h;
    const double worst = std::max(d1, d2);
    const double h1 = worst <= 1e-15 ? std::max(1e-6 * (t_stop - time_), h * 1e-3)
                                     : std::pow(0.01 / worst, 1.0 / 8);
    return std::min({100 * h, h1, t_stop - time_});
  }

  /// out = base + h sum of a_j k_j over the slopes so far; zero coefficients are left out.
  void add_slopes(const VecX& base, double h, const double* a, int count, VecX& out) {
    const double* k[kAllStages];
    double c[kAllStages];
    int terms = 0;
    for (int j = 0; j < count; ++j)
      if (a[j] != 0) {
        k[terms] = k_[j].data();
        c[terms++] = h * a[j];
      }
    combine(base.size(), base.data(), terms, c, k, out.data());
  }

  /// One trial step into y_new_; returns its scaled error (1 = just acceptable, infinite = not
  /// computable).
  double attempt(double h) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    for (int s = 1; s < kStages; ++s) {
      add_slopes(y_, h, kA[s], s, stage_);
      if (!evaluate(time_ + kC[s] * h, stage_, k_[s])) return kNever;
    }
    add_slopes(y_, h, kB, kStages, y_new_);

    // Weights from the larger of both ends.
    largest_ = y_.cwiseAbs().cwiseMax(y_new_.cwiseAbs());
    problem_.weights(largest_.data(), weight_.data());
    double e5 = 0, e3 = 0;
    for (Eigen::Index i = 0; i < y_.size(); ++i) {
      double a = 0, b = 0;
      for (int j = 0; j < kStages; ++j) {
        a += kE5[j] * k_[j][i];
        b += kE3[j] * k_[j][i];
      }
      e5 += std::pow(a * weight_[i], 2);
      e3 += std::pow(b * weight_[i], 2);
    }
    // Stages that flew off: an overflow in the denominator would pass for a perfect step.
    if (!(e5 < 1e100 && e3 < 1e100)) return kNever;
    if (e5 == 0 && e3 == 0) return 0;
    const double error =
        h * e5 / (kShare * std::sqrt((e5 + 0.01 * e3) * static_cast<double>(y_.size())));
    return std::isfinite(error) ? error : kNever;
  }

  bool refuse_on_purpose() {
    if (settings_.reject_every <= 0) return false;
    return ++acceptable_ % settings_.reject_every == 0;
  }

  /// Moves on to the new point: projects it and takes the slope there, the first of the next step.
  bool finish(double t_new, double h) {
    if (!problem_.project(t_new, y_new_.data())) return false;
    if (!evaluate(t_new, y_new_, k_[kStages])) return false;
    watch_stiffness(h);
    y_old_.swap(y_);
    y_.swap(y_new_);
    k_[0].swap(k_[kStages]);  // k_[kStages] now is the slope at the old point
    previous_ = time_;
    time_ = t_new;
    h_ = h;
    ++counters_.steps;
    dense_ready_ = false;
    return true;
  }

  /// Hairer & Wanner 1996, IV.2: the last stage and the new point lie at the same time, so the
  /// ratio of their slopes to their distance estimates the largest eigenvalue; near the stability
  /// bound of the method, fifteen times with little interruption, the problem is stiff here. The
  /// bound is 6.1 on the real axis; chosen: 4, since contacts vibrate with little damping.
  void watch_stiffness(double h) {
    const double slopes = (k_[kStages] - k_[kStages - 1]).cwiseProduct(weight_).squaredNorm();
    const double distance = (y_new_ - stage_).cwiseProduct(weight_).squaredNorm();
    if (distance <= 0) return;
    if (h * std::sqrt(slopes / distance) > 4.0) {
      easy_hits_ = 0;
      if (++stiff_hits_ == 15) stiff_ = true;
    } else if (++easy_hits_ == 6) {
      stiff_hits_ = 0;
    }
  }

  /// Three more evaluations, made only when somebody looks inside the step.
  void prepare_dense() {
    const VecX &f_old = k_[kStages], &f_new = k_[0];
    const auto slope = [&](int j) -> const VecX& {
      return j == 0 ? f_old : j == kStages ? f_new : k_[j];
    };
    for (int s = kStages + 1; s < kAllStages; ++s) {
      stage_ = y_old_;
      for (int j = 0; j < s; ++j)
        if (kA[s][j] != 0) stage_ += (h_ * kA[s][j]) * slope(j);
      if (!evaluate(previous_ + kC[s] * h_, stage_, k_[s])) k_[s] = f_new;
    }
    dense_[0] = y_ - y_old_;
    dense_[1] = h_ * f_old - dense_[0];
    dense_[2] = 2 * dense_[0] - h_ * (f_new + f_old);
    for (int d = 0; d < 4; ++d) {
      dense_[3 + d].setZero();
      for (int j = 0; j < kAllStages; ++j)
        if (kD[d][j] != 0) dense_[3 + d] += (h_ * kD[d][j]) * slope(j);
    }
    dense_ready_ = true;
  }

  Problem& problem_;
  Settings settings_;
  std::array<VecX, kAllStages> k_;
  std::array<VecX, kDense> dense_;
  VecX stage_, y_new_, y_old_, largest_, weight_;
  double h_ = 0, error_old_ = 1e-4;
  bool have_slope_ = false, dense_ready_ = false, stiff_ = false;
  int stiff_hits_ = 0, easy_hits_ = 0;
  std::int64_t acceptable_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_dop853(Problem& problem, const Settings& settings) {
  return std::make_unique<Dop853>(problem, settings);
}

}  // namespace freeplay::integrate
