// SPDX-License-Identifier: Apache-2.0
#include "study/orbit.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freeplay::study {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
/// Of the scale of each number: differences for Newton's method, and for the directions in which
/// the constraints let a state move.
constexpr double kWidth = 1e-6;
/// Directions shorter than this after projection are none: those that the constraints take away
/// keep a share of the order of kWidth.
constexpr double kDirection = 1e-4;
/// An orbit is closed to this; chosen: a thousand times the tolerance of the runs.
constexpr double kClosed = 1e-9;
constexpr int kSteps = 40, kHalvings = 10;
/// chosen: widths for the multipliers, from where curvature counts to where rounding does. The pair
/// that agrees best is taken, or the first that agrees to kAgreed.
constexpr double kWidths[] = {1e-4, 1e-5, 1e-6, 1e-7};
constexpr double kAgreed = 1e-7;
/// What remembered approach speeds are changed by, and the least effect that counts; by the scales.
constexpr double kMemoryShift = 1e-3, kMemoryEffect = 1e-7;

/// visit(i) for every number of memory that is a motion's own.
template <class Visit>
void each_own(const State& state, Visit&& visit) {
  for (const Block& block : state.layout->of(BlockKind::memory))
    if (block.perturbation == Perturbation::continuous)
      for (int k = 0; k < block.size; ++k) visit(static_cast<std::size_t>(block.offset + k));
}

class Shooting {
 public:
  Shooting(State guess, const VecX& scale, Eigen::Index moving, const ReturnMap& map)
      : at_(std::move(guess)), scale_(scale.head(moving)), moving_(moving), map_(map) {}

  Orbit find() {
    Orbit out;
    refresh();
    double missed = size(miss_);
    // Once closed, one more step takes the rest of what a quadratic method leaves.
    for (bool polished = false; !polished; ++out.steps) {
      polished = missed < kClosed;
      if (out.steps == kSteps)
        throw NoOrbit(
            fmt::format("no periodic motion was found in {} steps: a turn still misses "
                        "its start by {:.1e} of the scale of the motion",
                        kSteps, missed));
      const MatX to = return_matrix(kWidth, false);
      const MatX I = MatX::Identity(to.rows(), to.cols());
      // Least squares: where a family of orbits exists, the nearest of them.
      const VecX step =
          (I - to).completeOrthogonalDecomposition().solve(basis_.transpose() * miss_);
      missed = walk(step, missed, polished);
    }
    out.closure = missed;
    multipliers(out);
    out.state = at_;
    return out;
  }

 private:
  [[nodiscard]] VecX displacement(const State& from, const State& to) const {
    return study::displacement(from, to, scale_);
  }

  [[nodiscard]] static double size(const VecX& miss) {
    return miss.size() > 0 ? miss.cwiseAbs().maxCoeff() : 0;
  }

  [[nodiscard]] State moved(const VecX& change) const {
    State out = at_;
    out.y.head(moving_) += change.cwiseProduct(scale_);
    map_.project(out);
    return out;
  }

  /// A turn from where the search is, and the directions in which it may go on.
  void refresh() {
    end_ = map_.turn(at_);
    miss_ = displacement(at_, end_);
    MatX ways(moving_, moving_);
    for (Eigen::Index i = 0; i < moving_; ++i) {
      VecX unit = VecX::Zero(moving_);
      unit[i] = kWidth;
      ways.col(i) = displacement(at_, moved(unit)) / kWidth;
    }
    const Eigen::JacobiSVD<MatX> svd(ways, Eigen::ComputeThinU);
    const Eigen::Index free = (svd.singularValues().array() > kDirection).count();
    if (free == 0) throw NoOrbit("the mechanism has nothing that could move otherwise");
    basis_ = svd.matrixU().leftCols(free);
  }

  /// How a turn leads on small deviations along the basis: one-sided differences, or central ones.
  [[nodiscard]] MatX return_matrix(double width, bool central) const {
    MatX out(basis_.cols(), basis_.cols());
    for (Eigen::Index i = 0; i < basis_.cols(); ++i) {
      const VecX way = width * basis_.col(i);
      const State ahead = map_.turn(moved(way));
      const State behind = central ? map_.turn(moved(-way)) : end_;
      out.col(i) = basis_.transpose() * displacement(behind, ahead) / (central ? 2 * width : width);
    }
    return out;
  }

  /// Goes on by the step, or by as much of it as brings the ends of the turn nearer to each other.
  double walk(const VecX& step, double missed, bool polishing) {
    const State before = at_, end = end_;
    double share = 1;
    for (int k = 0; k < kHalvings; ++k, share *= 0.5) {
      at_ = before;
      at_ = moved(basis_ * (share * step));
      // What contacts remember is what the turn before left in them.
      each_own(at_, [&](std::size_t i) { at_.memory[i] = end.memory[i]; });
      refresh();
      const double now = size(miss_);
      if (now < missed) return now;
      if (polishing) break;  // it is as near as the runs are exact
    }
    if (!polishing)
      throw NoOrbit(fmt::format(
          "no periodic motion is near: a turn misses its start by {:.1e} of the scale of the "
          "motion, and no step lessens it (a fold may lie between, a grazing contact, or one just "
          "at the section: look at another instant)",
          missed));
    at_ = before;
    refresh();
    return size(miss_);
  }

  void multipliers(Orbit& out) {
    std::vector<std::complex<double>> last;
    out.error = std::numeric_limits<double>::infinity();
    for (const double width : kWidths) {
      const auto found = eigenvalues(return_matrix(width, true));
      if (!last.empty()) {
        double apart = 0;
        for (std::size_t k = 0; k < found.size(); ++k)
          apart = std::max(apart, std::abs(found[k] - last[k]));
        if (apart < out.error) out.error = apart, out.multipliers = found;
        if (apart < kAgreed) break;
      }
      last = found;
    }
    if (!std::isfinite(out.error)) throw NoOrbit("the multipliers of the orbit are not finite");
    refuse_contact_at_section();
  }

  /// The largest first; of a conjugate pair, the one above the axis first.
  static std::vector<std::complex<double>> eigenvalues(const MatX& matrix) {
    const Eigen::VectorXcd found = matrix.eigenvalues();
    std::vector<std::complex<double>> out(found.begin(), found.end());
    std::ranges::sort(out, [](const auto& a, const auto& b) {
      const double p = std::abs(a), q = std::abs(b);
      if (std::abs(p - q) > 1e-9 * std::max(p, q)) return p > q;
      return a.imag() != b.imag() ? a.imag() > b.imag() : a.real() > b.real();
    });
    return out;
  }

  /// A contact in progress at the section remembers how it began. The matrix above leaves that
  /// out, which is right where memory does not act, or is the same after the turn however it began
  /// (a contact that never opens).
  void refuse_contact_at_section() {
    State shifted = at_;
    bool any = false;
    each_own(at_, [&](std::size_t i) {
      shifted.memory[i] *= 1 + kMemoryShift;
      any |= at_.memory[i] != 0;
    });
    if (!any || size(displacement(end_, map_.turn(shifted))) < kMemoryEffect * kMemoryShift) return;
    const State ahead = map_.turn(moved(kWidth * basis_.rowwise().sum()));
    double changed = 0;
    each_own(at_, [&](std::size_t i) {
      const double size = std::abs(end_.memory[i]);
      if (size > 0) changed = std::max(changed, std::abs(ahead.memory[i] - end_.memory[i]) / size);
    });
    if (changed > 1e-12)
      throw NoOrbit(
          "a contact is in progress at the section and remembers how it began; look at another "
          "instant ('from' or 'angle' of the section)");
  }

  State at_, end_;
  VecX scale_;
  Eigen::Index moving_;
  const ReturnMap& map_;
  VecX miss_;   // from the start of the turn to its end, by the scales
  MatX basis_;  // of the directions that the constraints leave, by the scales; orthonormal
};

}  // namespace

VecX displacement(const State& from, const State& to, const VecX& scale) {
  VecX d = (to.y - from.y).head(scale.size());
  for (const Block& block : from.layout->of(BlockKind::position)) {
    if (block.unit == "rad")
      for (int k = 0; k < block.size; ++k)
        d[block.offset + k] = std::remainder(d[block.offset + k], kTurn);
    if (block.unit == "1" && block.size == 4) {
      const auto a = from.y.segment<4>(block.offset), b = to.y.segment<4>(block.offset);
      if (a.dot(b) < 0) d.segment<4>(block.offset) = -b - a;
    }
  }
  return d.cwiseQuotient(scale);
}

Orbit find_orbit(State guess, const VecX& scale, Eigen::Index moving, const ReturnMap& map) {
  return Shooting(std::move(guess), scale, moving, map).find();
}

Bifurcation kind_of(std::complex<double> multiplier) {
  if (std::abs(multiplier.imag()) > 1e-6 * std::abs(multiplier)) return Bifurcation::torus;
  return multiplier.real() > 0 ? Bifurcation::fold : Bifurcation::flip;
}

std::optional<double> locate_sign(double a, double at_a, double b, double at_b,
                                  const std::function<std::optional<double>(double)>& value) {
  const double near = 1e-10 * std::abs(b - a);
  int kept = 0;  // which end stayed last: -1 a, 1 b
  for (int k = 0; k < 60 && std::abs(b - a) > near; ++k) {
    const double x = (a * at_b - b * at_a) / (at_b - at_a);
    const auto found = value(x);
    if (!found) return {};
    if (*found == 0) return x;
    if ((*found > 0) == (at_b > 0)) {
      b = x, at_b = *found;
      if (kept == -1) at_a *= 0.5;
      kept = -1;
    } else {
      a = x, at_a = *found;
      if (kept == 1) at_b *= 0.5;
      kept = 1;
    }
    if (std::abs(*found) < 1e-9) return x;
  }
  return (a * at_b - b * at_a) / (at_b - at_a);
}

}  // namespace freeplay::study
