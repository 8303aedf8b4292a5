// SPDX-License-Identifier: Apache-2.0
#include "integrate/error_norm.hpp"
#include "integrate/integrator.hpp"
#include "integrate/lane_driver.hpp"
#include "integrate/radau_coefficients.hpp"
#include "integrate/radau_systems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

// Implicit Runge-Kutta of Radau IIA type for stiff following motion: L-stable, so that the
// vibration of the contact dies out instead of holding the steps back; one-step, so that an event
// costs no history; of an order that lets steps follow the slow motion. Hairer & Wanner 1996, IV.8:
// simplified Newton, the linear systems of the stages decoupled by the eigenvectors of the inverse
// of A into a real one and two complex ones (radau_systems.hpp).
namespace freeplay::integrate {
namespace {

using Eigen::Array2d;
using radau::kStages;

static_assert(kStages == 5, "ComplexPair holds the two complex systems of five stages");

// One state at the stages, or in the eigenvectors of the inverse of A: the real parts of the two
// complex ones, their imaginary parts, the real one. A sixth row of zeros makes three pairs of
// doubles of a column, as processors like them.
using Rows = Eigen::Matrix<double, kStages + 1, 1>;
using Transform = Eigen::Matrix<double, kStages + 1, kStages>;

// chosen, by the evaluations of the four-bar with friction (bench/yardsticks) from 0.3 s to 2 s:
constexpr double kShare = 3;         // multiple of the tolerance that the estimate may reach: it is
                                     // of order kStages, the step of order 2 kStages - 1
constexpr int kIterations = 10;      // Newton's, at most
constexpr double kConverged = 0.01;  // what Newton may leave, in units of the tolerance
// What an iteration may still change of the integrals taken along, in the same units. Much less is
// left then; how much less, the contraction of the motion does not tell. chosen on a toggle press
// at eight tolerances: a residual of energy of up to 2700 tolerances without, 57 with 0.1; 23
// with 0.01, for 2 % more evaluations of the four-bar with friction.
constexpr double kSameIntegrals = 0.1;
// Steps that follow those of another motion: iterations at most, and the contraction at which
// nothing but rounding is left of the corrections.
constexpr int kUntilRounding = 60;
constexpr double kStillFalls = 0.5;
constexpr double kFreshJacobian =
    0.1;                       // contraction of Newton beyond which the Jacobian is renewed
constexpr double kGrowth = 2;  // of the step, at most
constexpr int kCautious = 5;   // steps without growth after Newton has failed

// Controllers of steps see no smaller error: below it the step grows by its largest factor anyway.
constexpr double kLeastError = 1e-12;
// What the predictive controller remembers at least of the error before (Hairer, Wanner 1996,
// RADAU5: ERRACC).
constexpr double kLeastErrorBefore = 1e-2;
// The first step where nobody suggests one, relative to the way ahead; the error then corrects it.
// chosen
constexpr double kBlindStep = 1e-3;
// Of kConverged: a correction so small needs no second one to tell how fast they fall.
constexpr double kSettled = 1e-3;
// Contraction from which corrections do not fall any more: round-off.
constexpr double kStagnant = 0.99;
// Up to here dense factors are the faster ones; beyond, sparse ones where an unknown has at most
// this share of the others for neighbours. chosen
constexpr std::size_t kSmall = 40, kSparse = 4;
// Keeps quotients finite; below every number that arises.
constexpr double kNotZero = 1e-300;

template <class Systems>
class Radau final : public Integrator {
 public:
  Radau(Problem& problem, const Settings& settings)
      : problem_(problem),
        in_lanes_(dynamic_cast<LaneProblem*>(&problem)),
        settings_(settings),
        c_(radau::coefficients()),
        systems_(problem),
        norm_(problem) {
    const int n = problem.size();
    n_ = n - problem.quadratures();
    for (VecX* x : {&y_, &y_old_, &y_new_, &stage_, &weight_, &slope_, &error_, &at_new_, &sum_})
      x->setZero(n);
    real_.setZero(n_);
    right_.setZero(n_);
    integrals_.setZero(n - n_);
    for (MatX* x : {&z_, &f_, &dense_}) x->setZero(n, kStages);
    stages_.setZero(n, kLanes);
    complex_.resize(n_);
    increment_.resize(n_);
    const auto [a, b] = c_.lambda;
    lambda_ = {Array2d(a.real(), b.real()), Array2d(a.imag(), b.imag())};
    into_.setZero();
    back_.setZero();
    for (int i = 0; i < kStages; ++i) {
      const auto& v = c_.vectors[i];
      for (int k = 0; k < 2; ++k) {
        into_(k, i) = c_.inverse[1 + k][i].real();
        into_(2 + k, i) = c_.inverse[1 + k][i].imag();
        // v w + conj(v w) = 2 Re v Re w - 2 Im v Im w
        back_(i, k) = 2 * v[1 + k].real();
        back_(i, 2 + k) = -2 * v[1 + k].imag();
      }
      into_(4, i) = c_.inverse[0][i].real();
      back_(i, 4) = v[0].real();
    }
  }

  void start(double t, const VecX& y, double step, Onset) override {
    time_ = previous_ = t;
    y_ = y;
    next_step_ = step;
    have_slope_ = have_jacobian_ = have_past_ = false;
    factored_step_ = step_old_ = 0;
    error_old_ = 1;
    cautious_ = 0;
  }

  Outcome step(double t_stop) override {
    if (!have_slope_) {
      if (!evaluate(time_, y_, slope_.data()))
        return {false, "the motion cannot be evaluated at the start of the step"};
      have_slope_ = true;
    }
    problem_.weights(y_.data(), weight_.data());
    weight_ /= kShare;
    if (next_step_ <= 0) next_step_ = kBlindStep * (t_stop - time_);
    bool rejected = false;
    for (;;) {
      const auto [h, last] = trial_step(t_stop, settings_.max_step);
      if (h == 0) return {false, "the step became too small to advance time"};
      if (!have_jacobian_ && !find_jacobian())
        return {false, "the Jacobian of the motion cannot be evaluated"};
      const bool regular = h == factored_step_ || factorise(h);

      double contraction = 0;
      const int iterations = regular ? solve_stages(h, contraction) : 0;
      if (iterations == 0) {
        ++counters_.rejected;
        rejected = true;
        cautious_ = kCautious;
        if (fresh_jacobian_)
          next_step_ = 0.5 * h;
        else
          have_jacobian_ = false;
        continue;
      }
      take_quadratures(h);
      const double error = estimate(h, rejected || !have_past_);
      const double safety = 0.9 * (2 * kIterations + 1) / (2 * kIterations + iterations);
      double factor = safety * std::pow(std::max(error, kLeastError), -1.0 / (kStages + 1));
      const bool good = error <= 1;
      if (!good || (!last && refuse_on_purpose())) {
        ++counters_.rejected;
        rejected = rejected || !good;
        next_step_ = h * (good ? 0.5 : std::clamp(factor, 0.1, 0.9));
        continue;
      }
      const double t_new = last ? t_stop : time_ + h;
      y_new_ = y_ + z_.col(kStages - 1);
      if (!problem_.project(t_new, y_new_.data()) || !evaluate(t_new, y_new_, at_new_.data())) {
        ++counters_.rejected;
        rejected = true;
        next_step_ = 0.25 * h;
        continue;
      }
      // Gustafsson 1994: what the last two steps say together.
      if (step_old_ > 0)
        factor = std::min(factor, 0.9 * h / step_old_ *
                                      std::pow(error_old_ / std::max(error * error, kLeastError),
                                               1.0 / (kStages + 1)));
      factor = std::clamp(factor, 0.125, rejected || cautious_ > 0 ? 1.0 : kGrowth);
      cautious_ = std::max(0, cautious_ - 1);
      step_old_ = h;
      error_old_ = std::max(error, kLeastErrorBefore);
      accept(t_new);
      if (contraction > kFreshJacobian) have_jacobian_ = false;
      // While the factors serve, a slightly longer step is not worth new ones.
      if (have_jacobian_ && factor >= 1 && factor <= 1.2) factor = 1;
      next_step_ = last && h < next_step_ ? std::max(next_step_, factor * h) : factor * h;
      return {};
    }
  }

  bool can_repeat() const override { return true; }
  Outcome repeat(const StepShape&, double end) override {
    if (!have_slope_ && !evaluate(time_, y_, slope_.data()))
      return {false, "the motion cannot be evaluated at the start of the step"};
    have_slope_ = true;
    problem_.weights(y_.data(), weight_.data());
    const double h = end - time_;
    for (bool found = false; !found;) {
      if (!have_jacobian_ && !find_jacobian())
        return {false, "the Jacobian of the motion cannot be evaluated"};
      found = (h == factored_step_ || factorise(h)) && solve_to_rounding(h);
      if (!found && fresh_jacobian_) return {false, "the stages of the step cannot be found"};
      if (!found) have_jacobian_ = false;
    }
    take_quadratures(h);
    y_new_ = y_ + z_.col(kStages - 1);
    if (!problem_.project(end, y_new_.data()) || !evaluate(end, y_new_, at_new_.data()))
      return {false, "the motion cannot be evaluated within the step"};
    accept(end);
    return {};
  }

  void interpolate(double t, VecX& y) override {
    polynomial((t - previous_) / (time_ - previous_), y);
    y += y_old_;
  }

  int order() const override { return 2 * kStages - 1; }

 private:
  bool evaluate(double t, const VecX& y, double* f) {
    ++counters_.evaluations;
    return problem_.rhs(t, y.data(), f);
  }
  bool refuse_on_purpose() {
    if (settings_.reject_every <= 0) return false;
    return ++acceptable_ % settings_.reject_every == 0;
  }

  bool find_jacobian() {
    ++counters_.jacobians;
    have_jacobian_ = fresh_jacobian_ = true;
    factored_step_ = 0;
    return systems_.find_jacobian(y_, slope_, stage_, error_, [&](const VecX& y, VecX& f) {
      return evaluate(time_, y, f.data());
    });
  }

  bool factorise(double h) {
    factored_step_ = h;
    return systems_.factorise(c_.gamma / h, {lambda_.re / h, lambda_.im / h});
  }

  /// m times one state of x
  static Rows transformed(const Transform& m, const MatX& x, Eigen::Index state) {
    const Eigen::Matrix<double, kStages, 1> row = x.row(state).transpose();
    return m.lazyProduct(row);
  }

  /// Z and W from the polynomial of the last step, prolonged.
  void predict(double h) {
    Transform newton;  // its divided differences to the stages of the new step
    newton.setZero();
    const double ratio = h / (time_ - previous_);
    for (int i = 0; i < kStages; ++i) {
      const double x = 1 + c_.c[i] * ratio;
      newton(i, 0) = x;
      for (int d = 1; d < kStages; ++d) newton(i, d) = newton(i, d - 1) * (x - c_.c[d - 1]);
    }
    for (Eigen::Index k = 0; k < n_; ++k) {
      const Rows z = transformed(newton, dense_, k);
      const double from = y_[k] - y_old_[k];
      for (int i = 0; i < kStages; ++i) z_(k, i) = z[i] - from;
      const Rows w = transformed(into_, z_, k);
      complex_[k] = {w.segment<2>(0), w.segment<2>(2)};
      real_[k] = w[4];
    }
  }

  /// One iteration of Newton, after the slopes at the stages; the size of its increment.
  double iterate(double h) {
    const double gamma = c_.gamma / h;
    const ComplexPair lambda{lambda_.re / h, lambda_.im / h};
    for (Eigen::Index k = 0; k < n_; ++k) {
      const Rows f = transformed(into_, f_, k);
      increment_[k] = {f.segment<2>(0), f.segment<2>(2)};
      increment_[k] -= small_lu::product(lambda, complex_[k]);
      right_[k] = f[4] - gamma * real_[k];
    }
    systems_.solve_real(right_.data());
    systems_.solve_complex(increment_.data());
    double size = 0;
    if (norm_.grouped()) norm_.clear();
    for (Eigen::Index k = 0; k < n_; ++k) {
      const ComplexPair& d = increment_[k];
      const double square =
          (right_[k] * right_[k] + 2 * (d.re * d.re + d.im * d.im).sum()) * weight_[k] * weight_[k];
      if (norm_.grouped())
        norm_.add(k, square);
      else
        size += square;
      real_[k] += right_[k];
      ComplexPair& w = complex_[k];
      w.re += d.re;
      w.im += d.im;
      const Eigen::Matrix<double, kStages, 1> modes(w.re[0], w.re[1], w.im[0], w.im[1], real_[k]);
      const Rows z = back_.lazyProduct(modes);
      for (int i = 0; i < kStages; ++i) z_(k, i) = z[i];
    }
    if (norm_.grouped()) return norm_.worst() / std::sqrt(static_cast<double>(kStages));
    return std::sqrt(size / static_cast<double>(kStages * n_));
  }

  void begin_stages(double h) {
    if (have_past_) return predict(h);
    z_.setZero();
    real_.setZero();
    std::fill(complex_.begin(), complex_.end(), ComplexPair{Array2d::Zero(), Array2d::Zero()});
  }

  /// Newton for the stages; the number of iterations, 0: no convergence.
  int solve_stages(double h, double& contraction) {
    begin_stages(h);
    double before = 0;
    contraction = 0;
    for (int iteration = 1; iteration <= kIterations; ++iteration) {
      if (!find_slopes(h)) return 0;
      const double size = iterate(h), work = change_of_integrals(h, iteration);
      if (!std::isfinite(size)) return 0;
      if (iteration == 1) {
        if (size < kSettled * kConverged) return 1;
      } else {
        const double now = size / std::max(before, kNotZero);
        contraction = iteration == 2 ? now : std::sqrt(now * contraction);
        if (contraction >= kStagnant) return size < kSettled * kConverged ? iteration : 0;
        const double left = contraction / (1 - contraction) * size;
        if (left <= kConverged && work <= kSameIntegrals) return iteration;
        if (left * std::pow(contraction, kIterations - iteration - 1) > kConverged) return 0;
      }
      before = size;
    }
    return 0;
  }

  /// Newton until rounding stops it: what comes out does not tell from which Jacobian.
  bool solve_to_rounding(double h) {
    begin_stages(h);
    double before = std::numeric_limits<double>::infinity();
    for (int iteration = 1; iteration <= kUntilRounding; ++iteration) {
      if (!find_slopes(h)) return false;
      const double size = iterate(h);
      if (!std::isfinite(size)) return false;
      if (size == 0 || (size > kStillFalls * before && size < kConverged)) {
        have_jacobian_ = iteration <= kIterations;
        return true;
      }
      before = size;
    }
    return false;
  }

  /// Those of all stages; false when one cannot be evaluated. They do not depend on each other:
  /// where there are lanes, as many as possible at once.
  bool find_slopes(double h) {
    int i = find_in_lanes(h) ? kLanes : 0;
    for (; i < kStages; ++i) {
      stage_ = y_ + z_.col(i);
      if (!evaluate(time_ + c_.c[i] * h, stage_, f_.col(i).data())) return false;
    }
    return true;
  }
  bool find_in_lanes(double h) {
    static_assert(kLanes <= kStages);
    LaneDriver* const lanes = in_lanes_ ? LaneDriver::here() : nullptr;
    const LaneView view = lanes ? in_lanes_->in_lanes() : LaneView{};
    if (!view.variant) return false;
    std::array<double, kLanes> times{};
    for (int i = 0; i < kLanes; ++i) {
      times[static_cast<std::size_t>(i)] = time_ + c_.c[i] * h;
      stages_.col(i) = y_ + z_.col(i);
    }
    if (!lanes->evaluate(problem_, view, times.data(), stages_.data(), f_.data())) return false;
    counters_.evaluations += kLanes;
    return true;
  }

  /// By how much the integrals over the step differ from those of the iteration before; infinite
  /// for the first. What Newton leaves of the motion is nothing beside its tolerance, yet the force
  /// of a stiff contact along it may be a thousand tolerances of the energy.
  double change_of_integrals(double h, int iteration) {
    double square = 0;
    for (Eigen::Index q = n_; q < y_.size(); ++q) {
      double sum = 0;
      for (int j = 0; j < kStages; ++j) sum += c_.a[kStages - 1][j] * f_(q, j);
      const double change = (h * sum - integrals_[q - n_]) * weight_[q];
      square += change * change;
      integrals_[q - n_] = h * sum;
    }
    if (iteration == 1) return std::numeric_limits<double>::infinity();
    return std::sqrt(square / static_cast<double>(std::max<Eigen::Index>(1, y_.size() - n_)));
  }

  /// Integrals taken along need no Newton: z = h A f, with the slopes of its last iteration.
  void take_quadratures(double h) {
    for (Eigen::Index q = n_; q < y_.size(); ++q)
      for (int i = 0; i < kStages; ++i) {
        double sum = 0;
        for (int j = 0; j < kStages; ++j) sum += c_.a[i][j] * f_(q, j);
        z_(q, i) = h * sum;
      }
  }

  /// Solves (gamma/h - J) x = x, in place.
  void filter(double h, VecX& x) {
    right_ = x.head(n_);
    systems_.solve_real(right_.data());
    x.head(n_) = right_;
    const Eigen::Index rest = x.size() - n_;
    systems_.add_to_quadratures(right_, x.tail(rest));
    x.tail(rest) *= h / c_.gamma;
  }

  /// Scaled error of the embedded formula of order kStages, filtered by the real factor so that
  /// stiff components do not swamp it; `again`: a second filter where there is no past to trust.
  double estimate(double h, bool again) {
    sum_.setZero();
    for (int i = 0; i < kStages; ++i) sum_ += (c_.error[i] / h) * z_.col(i);
    error_ = slope_ + sum_;
    filter(h, error_);
    double error = norm(error_);
    if (error >= 1 && again) {
      stage_ = y_ + error_;
      if (evaluate(time_, stage_, error_.data())) {
        error_ += sum_;
        filter(h, error_);
        error = norm(error_);
      }
    }
    return std::isfinite(error) ? error : 1e6;
  }
  double norm(const VecX& x) { return norm_(x, weight_); }

  void accept(double t_new) {
    y_old_.swap(y_);
    y_.swap(y_new_);
    slope_.swap(at_new_);
    previous_ = time_;
    time_ = t_new;
    ++counters_.steps;
    fresh_jacobian_ = false;
    // Divided differences of the collocation polynomial, which ends on the new state.
    z_.col(kStages - 1) = y_ - y_old_;
    for (int i = 0; i < kStages; ++i) dense_.col(i) = z_.col(i) / c_.c[i];
    for (int d = 1; d < kStages; ++d)
      for (int i = kStages - 1; i >= d; --i)
        dense_.col(i) = (dense_.col(i) - dense_.col(i - 1)) / (c_.c[i] - c_.c[i - d]);
    have_past_ = true;
  }
  /// The collocation polynomial of the last step less its start; x = 0 .. 1, and a little beyond.
  void polynomial(double x, VecX& out) const {
    out = dense_.col(kStages - 1);
    for (int i = kStages - 2; i >= 0; --i) out = dense_.col(i) + (x - c_.c[i]) * out;
    out *= x;
  }

  Problem& problem_;
  LaneProblem* in_lanes_;  // the same; null: lanes cannot take it
  Settings settings_;
  const radau::Coefficients& c_;
  ComplexPair lambda_;
  Transform into_, back_;  // W = V^-1 Z, Z = V W
  Systems systems_;
  ErrorNorm norm_;
  MatX z_, f_, dense_, stages_;
  Eigen::Index n_ = 0;  // without the integrals taken along
  VecX y_old_, y_new_, stage_, weight_, slope_, error_, right_, real_, at_new_, sum_;
  VecX integrals_;  // over the step, by the last iteration
  std::vector<ComplexPair> complex_, increment_;
  bool have_slope_ = false, have_jacobian_ = false, fresh_jacobian_ = false, have_past_ = false;
  double factored_step_ = 0, error_old_ = 1, step_old_ = 0;
  int cautious_ = 0;
  std::int64_t acceptable_ = 0;
};

}  // namespace

bool is_sparse(const Problem& problem) {
  const Structure structure = problem.structure();
  const std::size_t n = structure.group.size();
  return n > kSmall && SparseJacobian(structure).rows().size() * kSparse < n * n;
}

std::unique_ptr<Integrator> make_radau(Problem& problem, const Settings& settings) {
  if (is_sparse(problem)) return std::make_unique<Radau<SparseSystems>>(problem, settings);
  return std::make_unique<Radau<DenseSystems>>(problem, settings);
}

}  // namespace freeplay::integrate
