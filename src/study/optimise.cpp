// SPDX-License-Identifier: Apache-2.0
#include "study/optimise.hpp"

#include "study/distribution.hpp"
#include "study/random.hpp"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <numbers>

namespace freeplay::study {
namespace {

using Optimiser = std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)>;

double penalty_of(const Evaluation& e) {
  double sum = 0;
  for (double c : e.constraints) sum += std::max(0.0, c);
  return sum;
}

/// Asks once per point, remembers the best, and ends the search when it must.
class Asker {
 public:
  explicit Asker(const Search& problem) : problem_(problem) {
    result_.x = VecX::Constant(problem.variables, 0.5);
  }

  Evaluation ask(const VecX& x, bool slopes = false) {
    const bool same = last_x_.size() == x.size() && last_x_ == x;
    if (same && (!slopes || last_.slope.size() > 0)) return last_;
    Evaluation e = problem_.evaluate(x, slopes);
    ++result_.evaluations;
    // A failed run must look worse than all others, but not so much that models break on it.
    if (!e.ok) e.goal = worst_ + std::abs(worst_) + 1;
    worst_ = std::max(worst_, e.goal);
    if (!e.ok) e.constraints.assign(static_cast<std::size_t>(problem_.constraints), 0.0);
    if (slopes && !e.ok) {
      e.slope.setZero(x.size());
      e.constraint_slopes.assign(e.constraints.size(), VecX::Zero(x.size()));
    }
    if (e.ok && penalty_of(e) <= 1e-9 && (!result_.found || e.goal < result_.goal)) {
      result_.found = true;
      result_.goal = e.goal;
      result_.x = x;
    }
    last_x_ = x;
    last_ = e;
    return e;
  }
  [[nodiscard]] bool over() const {
    return result_.evaluations >= problem_.evaluations || (problem_.stop && problem_.stop());
  }
  [[nodiscard]] SearchResult& result() { return result_; }

  // NLopt is C: exceptions wait here until it has returned.
  std::exception_ptr trouble;
  nlopt_opt running = nullptr;

 private:
  const Search& problem_;
  SearchResult result_;
  VecX last_x_;
  Evaluation last_;
  double worst_ = 0;
};

struct ConstraintData {
  Asker* asker;
  std::size_t index;
};

double goal_of(unsigned n, const double* x, double* slope, void* data) {
  auto& asker = *static_cast<Asker*>(data);
  try {
    if (!asker.over()) {
      const Evaluation e = asker.ask(Eigen::Map<const VecX>(x, n), slope != nullptr);
      if (slope) Eigen::Map<VecX>(slope, n) = e.slope;
      return e.goal;
    }
  } catch (...) {
    asker.trouble = std::current_exception();
  }
  nlopt_force_stop(asker.running);
  return 0;
}

double constraint_of(unsigned n, const double* x, double* slope, void* data) {
  const auto& constraint = *static_cast<ConstraintData*>(data);
  auto& asker = *constraint.asker;
  try {
    if (!asker.over()) {
      const Evaluation e = asker.ask(Eigen::Map<const VecX>(x, n), slope != nullptr);
      if (slope) Eigen::Map<VecX>(slope, n) = e.constraint_slopes[constraint.index];
      return e.constraints[constraint.index];
    }
  } catch (...) {
    asker.trouble = std::current_exception();
  }
  nlopt_force_stop(asker.running);
  return 0;
}

nlopt_algorithm nlopt_name(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::bobyqa:
      return NLOPT_LN_BOBYQA;
    case Algorithm::nelder_mead:
      return NLOPT_LN_NELDERMEAD;
    case Algorithm::subplex:
      return NLOPT_LN_SBPLX;
    case Algorithm::direct:
      return NLOPT_GN_DIRECT_L;
    case Algorithm::crs:
      return NLOPT_GN_CRS2_LM;
    case Algorithm::isres:
      return NLOPT_GN_ISRES;
    case Algorithm::slsqp:
      return NLOPT_LD_SLSQP;
    case Algorithm::mma:
      return NLOPT_LD_MMA;
    default:
      return NLOPT_LN_COBYLA;
  }
}

SearchResult search_nlopt(const Search& problem) {
  Asker asker(problem);
  const auto n = static_cast<unsigned>(problem.variables);
  const Optimiser optimiser(nlopt_create(nlopt_name(problem.algorithm), n), &nlopt_destroy);
  asker.running = optimiser.get();
  nlopt_srand(static_cast<unsigned long>(problem.seed + 1));
  nlopt_set_lower_bounds1(optimiser.get(), 0);
  nlopt_set_upper_bounds1(optimiser.get(), 1);
  nlopt_set_min_objective(optimiser.get(), goal_of, &asker);
  std::vector<ConstraintData> constraints;
  for (int c = 0; c < problem.constraints; ++c)
    constraints.push_back({&asker, static_cast<std::size_t>(c)});
  for (ConstraintData& c : constraints)
    nlopt_add_inequality_constraint(optimiser.get(), constraint_of, &c, 1e-9);
  nlopt_set_xtol_abs1(optimiser.get(), problem.precision);
  nlopt_set_initial_step1(optimiser.get(), 0.25);
  std::vector<double> x(n, 0.5);
  double goal = 0;
  const nlopt_result code = nlopt_optimize(optimiser.get(), x.data(), &goal);
  if (asker.trouble) std::rethrow_exception(asker.trouble);
  SearchResult result = asker.result();
  if (problem.stop && problem.stop())
    result.reason = "interrupted";
  else if (asker.over())
    result.reason = "all evaluations are used";
  else if (code > 0)
    result.reason = "settled to the precision asked for";
  else
    result.reason = "the search could not go on";
  return result;
}

/// Largest value of a cheap function on the cube: many points, then downhill from the best.
template <class F>
VecX maximise_cheap(int n, std::uint64_t seed, std::uint32_t round, const F& f) {
  VecX best = VecX::Constant(n, 0.5), x(n);
  double most = f(best);
  const auto tries = static_cast<std::uint64_t>(500 * n);
  for (std::uint64_t i = 0; i < tries; ++i) {
    for (int k = 0; k < n; ++k)
      x[k] = uniform(seed, Purpose::sample, i, round * 64 + static_cast<std::uint32_t>(k));
    const double value = f(x);
    if (value > most) most = value, best = x;
  }
  for (double step = 0.1; step > 1e-4; step *= 0.5)
    for (bool moved = true; moved;) {
      moved = false;
      for (int k = 0; k < n; ++k)
        for (const double way : {-step, step}) {
          x = best;
          x[k] = std::clamp(x[k] + way, 0.0, 1.0);
          const double value = f(x);
          if (value > most) most = value, best = x, moved = true;
        }
    }
  return best;
}

/// Efficient global optimisation (Jones, Schonlau & Welch 1998): a Latin hypercube, then always the
/// point that promises the largest improvement of the surrogate.
SearchResult search_kriging(const Search& problem) {
  Asker asker(problem);
  const int n = problem.variables;
  const auto first = std::min<std::int64_t>(problem.evaluations, std::max(8, 6 * n));
  std::vector<VecX> points;
  for (std::int64_t i = 0; i < first; ++i) {
    VecX x(n);
    for (int k = 0; k < n; ++k) {
      const auto index = static_cast<std::uint32_t>(k);
      x[k] =
          (static_cast<double>(permuted(static_cast<std::uint64_t>(i),
                                        static_cast<std::uint64_t>(first), problem.seed, index)) +
           uniform(problem.seed, Purpose::jitter, static_cast<std::uint64_t>(i), index)) /
          static_cast<double>(first);
    }
    points.push_back(x);
  }
  if (problem.prepare) problem.prepare(points);
  std::vector<VecX> seen;
  std::vector<double> values;
  double scale = 1;
  const auto add = [&](const VecX& x) {
    const Evaluation e = asker.ask(x);
    // Constraints by a penalty as large as the goal's own range.
    seen.push_back(x);
    values.push_back(e.goal + scale * 10 * penalty_of(e));
  };
  for (const VecX& x : points) {
    if (asker.over()) break;
    add(x);
    const auto [low, high] = std::ranges::minmax(values);
    scale = std::max(high - low, 1e-12);
  }
  std::uint32_t round = 1;
  SearchResult& result = asker.result();
  while (!asker.over()) {
    const Kriging model(
        seen, Eigen::Map<const VecX>(values.data(), static_cast<Eigen::Index>(values.size())),
        problem.seed);
    // With noise, the least prediction at a known point says more than the luckiest sample.
    double least = std::numeric_limits<double>::infinity();
    for (const VecX& x : seen) least = std::min(least, model.predict(x).mean);
    const VecX next = maximise_cheap(n, problem.seed, round++, [&](const VecX& x) {
      return model.expected_improvement(x, least);
    });
    const double promise = model.expected_improvement(next, least);
    if (promise <= 1e-3 * problem.precision * scale) {
      result.reason = "no improvement is to be expected";
      return result;
    }
    add(next);
  }
  result.reason = problem.stop && problem.stop() ? "interrupted" : "all evaluations are used";
  return result;
}

}  // namespace

SearchResult search(const Search& problem) {
  return problem.algorithm == Algorithm::kriging ? search_kriging(problem) : search_nlopt(problem);
}

// ---- Kriging

Kriging::Kriging(const std::vector<VecX>& points, const VecX& values, std::uint64_t seed)
    : points_(points) {
  offset_ = values.mean();
  scale_ = std::max(1e-300, std::sqrt((values.array() - offset_).square().mean()));
  values_ = (values.array() - offset_) / scale_;
  const auto n = static_cast<int>(points[0].size());
  // ln theta between -3 and 5 (lengths of 4 down to 0.08 cubes), ln nugget between -20 and 0.
  const auto likelihood = [&](const VecX& u) { return fit(u); };
  const VecX best = maximise_cheap(n + 1, seed, 0, likelihood);
  (void)fit(best);
}

double Kriging::fit(const VecX& u) {
  const auto n = static_cast<Eigen::Index>(points_[0].size()), count = values_.size();
  theta_ = (8 * u.head(n).array() - 3).exp();
  nugget_ = std::exp(-20 + 20 * u[n]);
  MatX R(count, count);
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const VecX d = points_[static_cast<std::size_t>(i)] - points_[static_cast<std::size_t>(j)];
      R(i, j) = R(j, i) =
          std::exp(-(theta_.array() * d.array().square()).sum()) + (i == j ? nugget_ + 1e-10 : 0.0);
    }
  factor_.compute(R);
  if (factor_.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
  const VecX ones = VecX::Ones(count);
  solved_ones_ = factor_.solve(ones);
  ones_ = ones.dot(solved_ones_);
  beta_ = solved_ones_.dot(values_) / ones_;
  const VecX residual = values_ - beta_ * ones;
  weights_ = factor_.solve(residual);
  variance_ = std::max(residual.dot(weights_) / static_cast<double>(count), 1e-300);
  const MatX& L = factor_.matrixLLT();
  const double log_determinant = 2 * L.diagonal().array().log().sum();
  return -0.5 * (static_cast<double>(count) * std::log(variance_) + log_determinant);
}

Kriging::Prediction Kriging::predict(const VecX& x) const {
  const Eigen::Index count = values_.size();
  VecX r(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const VecX d = points_[static_cast<std::size_t>(i)] - x;
    r[i] = std::exp(-(theta_.array() * d.array().square()).sum());
  }
  const VecX solved = factor_.solve(r);
  const double trend = 1 - solved_ones_.dot(r);
  const double square = variance_ * (1 - r.dot(solved) + trend * trend / ones_);
  return {offset_ + scale_ * (beta_ + r.dot(weights_)), scale_ * std::sqrt(std::max(0.0, square))};
}

double Kriging::expected_improvement(const VecX& x, double least) const {
  const Prediction p = predict(x);
  if (p.standard_deviation <= 0) return std::max(0.0, least - p.mean);
  const double z = (least - p.mean) / p.standard_deviation;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  return (least - p.mean) * normal_share(z) + p.standard_deviation * density;
}

}  // namespace freeplay::study
