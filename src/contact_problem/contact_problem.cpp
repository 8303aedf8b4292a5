// SPDX-License-Identifier: Apache-2.0
#include "contact_problem/contact_problem.hpp"

#include "contact_problem/facets.hpp"

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace freeplay::contact_problem {
namespace {

using Kind = Contact::Kind;

/// The conditions count as met when they are to this share of the largest force: what round-off
/// leaves of a few dozen unknowns. Break-away is watched with a hundred times this slack.
constexpr double kMet = 1e-13;
/// Forces so many times what the motion asks for are no solution but round-off of none.
constexpr double kSane = 1e6;
/// Newton's method takes a handful of steps, one for each set of pieces that it tries.
constexpr int kNewtonSteps = 40;
/// Sweeps between two tries of it, and how many tries at each compliance; chosen.
constexpr int kSweeps = 50, kTries = 3;
/// How often the small compliance is taken out; the first one of an approach, and how it goes on;
/// chosen.
constexpr int kYields = 4;
constexpr double kFirst = 1e-2, kCloser = 0.3, kFarther = 20;
/// Corners of the polygons that friction is limited to, how often they turn, and how often forces
/// are approached from those of before; chosen.
constexpr int kCorners = 8, kTurns = 12, kApproaches = 100;
/// What moves less than this, against what it would without any of the forces, is held: rows that
/// repeat each other but for the depth of their contacts differ by as much.
constexpr double kHeld = 1e-5;
/// Rows that repeat each other to this share are redundant. A compliance as small is added to each,
/// so that forces are unique and the least possible; by how much it yields under them is taken
/// back, each time leaving its square. It is that of the mechanism's own solver (kkt.cpp).
constexpr double kRedundant = 1e-7;

class Solver {
 public:
  Solver(const Problem& problem, Search search)
      : problem_(problem),
        thorough_(search == Search::thorough),
        n_(static_cast<int>(problem.b.size())),
        W_(problem.W),
        b_(problem.b),
        mu_(problem.elements.size()),
        step_(problem.elements.size()),
        p_(VecX::Zero(n_)),
        F_(n_),
        J_(n_, n_) {
    const double stiffest = n_ > 0 ? problem.W.diagonal().maxCoeff() : 0;
    for (std::size_t e = 0; e < mu_.size(); ++e) {
      const Contact& element = problem.elements[e];
      mu_[e] = element.slides ? element.sliding : element.at_rest;
      const double own = problem.W.diagonal().segment(element.row, element.count).maxCoeff();
      // Rows that nothing can move (a drive does) have no pace of their own.
      step_[e] = 1 / (own > 1e-12 * stiffest ? own : stiffest > 0 ? stiffest : 1.0);
      force_scale_ =
          std::max(force_scale_,
                   step_[e] * problem.b.segment(element.row, element.count).cwiseAbs().maxCoeff());
      if (element.kind == Kind::friction)
        force_scale_ = std::max(force_scale_, mu_[e] * load(element, p_));
      planar_ = planar_ && (element.kind == Kind::unilateral || element.count == 1);
    }
    add_compliance(kRedundant);
  }

  Solution solve() {
    Solution out;
    // What does not hold at rest slides, each with its smaller coefficient; at most once each.
    for (std::size_t round = 0; round <= mu_.size(); ++round) {
      b_ = problem_.b;
      out.solved = find();
      if (!out.solved && refuted_) break;
      out.solved = out.solved ? yield() : approach();
      if (!out.solved || !let_slide()) break;
    }
    out.residual = residual_ / scale();
    if (!out.solved) {
      Eigen::Index worst = 0;
      F_.cwiseAbs().maxCoeff(&worst);
      for (std::size_t e = 0; e < mu_.size(); ++e)
        if (worst >= problem_.elements[e].row) out.culprit = static_cast<int>(e);
    }
    out.force = p_;
    out.motion = problem_.W * p_ + problem_.b;
    classify(out);
    out.redundant = out.solved && redundant(out.mode);
    return out;
  }

 private:
  [[nodiscard]] double scale() const {
    return std::max({force_scale_, n_ > 0 ? p_.cwiseAbs().maxCoeff() : 0.0, 1e-300});
  }

  [[nodiscard]] static double load(const Contact& element, const VecX& p) {
    double N = element.fixed;
    if (element.normal >= 0) N += std::max(0.0, p[element.normal]);
    if (element.response.size() > 0) N += (element.reaction + element.response * p).norm();
    return N;
  }
  /// Row of derivatives of the load.
  [[nodiscard]] Eigen::RowVectorXd load_slope(const Contact& element) const {
    Eigen::RowVectorXd slope = Eigen::RowVectorXd::Zero(n_);
    if (element.normal >= 0 && p_[element.normal] > 0) slope[element.normal] = 1;
    if (element.response.size() > 0) {
      const Vec3 reaction = element.reaction + element.response * p_;
      const double size = reaction.norm();
      if (size > 0) slope += reaction.transpose() / size * element.response;
    }
    return slope;
  }

  /// Where the projection is taken from: the force, less a step along the motion it causes.
  [[nodiscard]] VecX target(std::size_t e) const {
    const Contact& element = problem_.elements[e];
    return p_.segment(element.row, element.count) -
           step_[e] * (W_.middleRows(element.row, element.count) * p_ +
                       b_.segment(element.row, element.count));
  }
  [[nodiscard]] double radius(std::size_t e) const {
    return mu_[e] * load(problem_.elements[e], p_);
  }

  /// F(p) = 0 are the conditions; its largest entry is returned.
  double conditions() {
    for (std::size_t e = 0; e < mu_.size(); ++e) {
      const Contact& element = problem_.elements[e];
      auto F = F_.segment(element.row, element.count);
      const auto p = p_.segment(element.row, element.count);
      if (element.slides) {
        F = p + radius(e) * element.direction.head(element.count);
        continue;
      }
      const VecX w = target(e);
      if (element.kind == Kind::unilateral) {
        F[0] = p[0] - std::max(0.0, w[0]);
      } else {
        const double size = w.norm(), r = radius(e);
        F = p - (size > r ? r / size : 1.0) * w;
      }
    }
    return residual_ = n_ > 0 ? F_.cwiseAbs().maxCoeff() : 0;
  }

  /// What Newton's method has to lessen: F as an energy, in which small and large bodies count
  /// alike.
  [[nodiscard]] double merit() const {
    double sum = 0;
    for (std::size_t e = 0; e < mu_.size(); ++e)
      sum +=
          F_.segment(problem_.elements[e].row, problem_.elements[e].count).squaredNorm() / step_[e];
    return sum;
  }

  /// A generalised Jacobian of F.
  void differentiate() {
    J_.setZero();
    for (std::size_t e = 0; e < mu_.size(); ++e) {
      const Contact& element = problem_.elements[e];
      const int row = element.row, count = element.count;
      auto J = J_.middleRows(row, count);
      const auto W = W_.middleRows(row, count);
      const auto own = [&](double factor) {
        J.middleCols(row, count).diagonal().array() += factor;
      };
      if (element.slides) {
        own(1);
        J += mu_[e] * element.direction.head(count) * load_slope(element);
        continue;
      }
      const VecX w = target(e);
      if (element.kind == Kind::unilateral) {
        if (w[0] > 0)
          J = step_[e] * W;
        else
          own(1);
        continue;
      }
      const double size = w.norm(), r = radius(e);
      if (size <= r) {
        J = step_[e] * W;
        continue;
      }
      const VecX d = w / size;
      MatX turn = -(r / size) * (MatX::Identity(count, count) - d * d.transpose());
      J = -step_[e] * turn * W;
      J.middleCols(row, count) += turn;
      own(1);
      J -= mu_[e] * d * load_slope(element);
    }
  }

  /// From the present p; true when the conditions are met.
  bool newton() {
    double now = conditions();
    for (int step = 0; step < kNewtonSteps; ++step) {
      if (now <= kMet * scale()) return p_.cwiseAbs().maxCoeff() <= kSane * force_scale_;
      differentiate();
      const VecX from = p_, change = J_.partialPivLu().solve(F_);
      if (!change.allFinite()) return false;
      const double before = merit();
      double share = 1;
      for (;; share /= 2) {
        p_ = from - share * change;
        now = conditions();
        if (merit() < (1 - 1e-4 * share) * before) break;
        if (share < 1e-3) {  // stuck where two pieces meet, or at the end of round-off
          p_ = from;
          now = conditions();
          return now <= 10 * kMet * scale();
        }
      }
    }
    return now <= kMet * scale() && p_.cwiseAbs().maxCoeff() <= kSane * force_scale_;
  }

  /// Block Gauss-Seidel, loads from the sweep before.
  void sweep() {
    for (int k = 0; k < kSweeps; ++k)
      for (std::size_t e = 0; e < mu_.size(); ++e) {
        const Contact& element = problem_.elements[e];
        auto p = p_.segment(element.row, element.count);
        const double r = element.kind == Kind::friction ? radius(e) : 0;
        if (element.slides) {
          p = -r * element.direction.head(element.count);
          continue;
        }
        const VecX w = target(e);
        if (element.kind == Kind::unilateral)
          p[0] = std::max(0.0, w[0]);
        else
          p = (w.norm() > r ? r / w.norm() : 1.0) * w;
        if (!p.allFinite() || p.cwiseAbs().maxCoeff() > 1e12 * force_scale_) {
          p.setZero();  // load and friction drive each other up
          return;
        }
      }
  }

  void add_compliance(double share) {
    W_ = problem_.W;
    for (std::size_t e = 0; e < mu_.size(); ++e) {
      const Contact& element = problem_.elements[e];
      W_.diagonal().segment(element.row, element.count).array() += share / step_[e];
    }
  }

  /// With the given compliance taken away in decades, from where everything is nearly on its own:
  /// each answer is the start of the next.
  bool find() {
    if (newton()) return true;
    if (turn_facets()) return true;
    if (refuted_ || !thorough_) return false;
    p_.setZero();
    bool solved = false;
    for (double share = 1; share > 0.5 * kRedundant; share /= 10) {
      add_compliance(share);
      solved = newton();
      for (int k = 0; k < kTries && !solved; ++k) {
        sweep();
        const VecX swept = p_;
        solved = newton();
        if (!solved) p_ = swept;
      }
    }
    conditions();
    return solved;
  }

  /// By pivoting, with polygons in the place of the discs of friction, which turn until they have a
  /// corner where the friction of the answer is.
  bool turn_facets() {
    if (!has_facets(problem_)) return false;
    std::vector<Corners> corners(mu_.size());
    for (int turn = 0; turn < (planar_ ? 1 : kTurns); ++turn) {
      const VecX motion = W_ * p_ + b_;
      for (std::size_t e = 0; e < mu_.size(); ++e)
        if (problem_.elements[e].kind == Kind::friction) corners[e] = corners_along(e, motion);
      const FacetAnswer answer = solve_by_facets(problem_, W_, b_, mu_, corners);
      refuted_ = false;
      if (!answer.solved) return false;
      p_ = answer.force;
      refuted_ = p_.cwiseAbs().maxCoeff() > kSane * force_scale_;
      if (refuted_) return false;
      if (newton()) return true;
      p_ = answer.force;
    }
    return false;
  }

  /// Takes the small compliance out of an answer. One that is exact but for what a compliance
  /// leaves the second time will do where no other is found.
  bool yield() {
    VecX good;
    for (int k = 0; k < kYields; ++k) {
      if (meets()) return true;
      if (!find()) break;
      good = p_;
    }
    if (meets() || approach()) return true;
    if (good.size() == 0) return false;
    p_ = good;
    meets();
    return true;
  }

  /// Proximal points (Rockafellar 1976): with a compliance about the forces of the time before,
  /// until these stay; as small a one as can be solved. Where forces are shared in more than one
  /// way that finds one of them, the least ones or not.
  bool approach() {
    if (!thorough_) return false;
    double share = kFirst;
    p_.setZero();
    for (int k = 0; k < kApproaches && share <= 1; ++k) {
      const VecX from = p_;
      add_compliance(share);
      b_ = problem_.b - (W_ - problem_.W) * from;
      const bool found = newton() || turn_facets();
      if (found && meets()) return true;
      if (!found) p_ = from;
      share = found ? std::max(share * kCloser, kRedundant) : share * kFarther;
    }
    add_compliance(kRedundant);
    b_ = problem_.b;
    return false;
  }

  /// Whether the forces meet the conditions without any compliance; the small one is then made one
  /// that they have yielded already.
  bool meets() {
    add_compliance(kRedundant);
    b_ = problem_.b - (W_ - problem_.W) * p_;
    return conditions() <= 5 * kMet * scale();
  }

  /// Directions of friction of an element, one of them against its motion.
  [[nodiscard]] Corners corners_along(std::size_t e, const VecX& motion) const {
    const Contact& element = problem_.elements[e];
    if (element.count == 1) return {VecX::Constant(1, 1.0), VecX::Constant(1, -1.0)};
    const VecX slip = motion.segment(element.row, element.count);
    const double begin = slip.norm() > 0 ? std::atan2(-slip[1], -slip[0]) : 0;
    Corners out;
    for (int k = 0; k < kCorners; ++k) {
      const double angle = begin + 2 * M_PI * k / kCorners;
      out.push_back(Eigen::Vector2d(std::cos(angle), std::sin(angle)));
    }
    return out;
  }

  [[nodiscard]] bool slides_now(std::size_t e) const {
    const Contact& element = problem_.elements[e];
    if (element.kind != Kind::friction) return false;
    if (element.slides) return true;
    const double motion = (problem_.W.middleRows(element.row, element.count) * p_ +
                           problem_.b.segment(element.row, element.count))
                              .norm();
    return target(e).norm() > radius(e) + kMet * scale() && step_[e] * motion > kHeld * scale();
  }

  /// Whether anything that was held by its coefficient at rest slides: it gets the other one.
  bool let_slide() {
    bool any = false;
    for (std::size_t e = 0; e < mu_.size(); ++e) {
      const double sliding = problem_.elements[e].sliding;
      if (mu_[e] == sliding || !slides_now(e)) continue;
      mu_[e] = sliding;
      any = true;
    }
    return any;
  }

  /// Whether other forces would hold the same.
  [[nodiscard]] bool redundant(const std::vector<Mode>& mode) const {
    std::vector<Eigen::Index> held;
    for (std::size_t e = 0; e < mu_.size(); ++e)
      if (mode[e] == Mode::stick || mode[e] == Mode::closed)
        for (int k = 0; k < problem_.elements[e].count; ++k)
          held.push_back(problem_.elements[e].row + k);
    if (held.empty()) return false;
    Eigen::ColPivHouseholderQR<MatX> factors;
    factors.setThreshold(kRedundant);
    return factors.compute(problem_.W(held, held)).rank() < static_cast<Eigen::Index>(held.size());
  }

  void classify(Solution& out) const {
    for (std::size_t e = 0; e < mu_.size(); ++e) {
      const Contact& element = problem_.elements[e];
      Vec3 direction = Vec3::Zero();
      if (element.kind == Kind::unilateral) {
        out.mode.push_back(target(e)[0] > 0 ? Mode::closed : Mode::open);
      } else if (!slides_now(e)) {
        out.mode.push_back(Mode::stick);
      } else {
        out.mode.push_back(Mode::slip);
        // Against the force; without a load, along the motion.
        const VecX p = p_.segment(element.row, element.count),
                   c = out.motion.segment(element.row, element.count);
        if (element.slides)
          direction = element.direction;
        else if (p.norm() > 0)
          direction.head(element.count) = -p.normalized();
        else
          direction.head(element.count) = c.normalized();
      }
      out.direction.push_back(direction);
    }
  }

  const Problem& problem_;
  bool thorough_;
  int n_;
  MatX W_;  // with a little compliance of its own on the diagonal
  VecX b_;
  std::vector<double> mu_, step_;
  VecX p_, F_;
  MatX J_;
  double force_scale_ = 0, residual_ = 0;
  bool planar_ = true;    // friction along lines only
  bool refuted_ = false;  // the last pivoting found no sane forces
};

}  // namespace

Solution solve(const Problem& problem, Search search) { return Solver(problem, search).solve(); }

}  // namespace freeplay::contact_problem
