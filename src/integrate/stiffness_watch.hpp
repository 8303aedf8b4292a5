// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.hpp"
#include <freeplay/math.hpp>

#include <cmath>

// Whether an explicit method of high order is held back by stiffness, from its accepted steps. Two
// signs of it. Near the bound of stability h |lambda| itself says so (Hairer & Wanner 1996, IV.2).
// Well inside, the error estimate may already hold the steps: a stiff component that has died out
// still speaks in the stages, which are of low order (IV.15: order reduction). Then steps are
// far shorter than the motion asks for, and so smooth from one to the next that the cubic through
// the ends of one and their slopes foretells the end of the next.
namespace freeplay::integrate {

class StiffnessWatch {
 public:
  /// A step as accepted; `slope_from` is dy/dt at its start, `count` the components that move.
  struct Step {
    double begin, end;  ///< s
    const VecX &from, &slope_from, &to, &weight;
    Eigen::Index count;
    double error;  ///< in units of what the step control aims at
    double reach;  ///< h |lambda|, for the largest eigenvalue that shows
  };

  explicit StiffnessWatch(Eigen::Index size) : before_(VecX::Zero(size)), slope_before_(before_) {}

  void restart() {
    near_ = far_ = smooth_ = 0;
    stiff_ = have_before_ = false;
  }
  void see(const Step& step) {
    see_smoothness(step);
    if (step.reach > kBound) {
      far_ = 0;
      if (++near_ == kNear) stiff_ = true;
    } else if (++far_ == kFar) {
      near_ = 0;
    }
  }
  [[nodiscard]] bool stiff() const { return stiff_; }
  void carry(Archive& archive) {
    archive(near_, far_, smooth_, stiff_, have_before_, time_before_, before_, slope_before_);
  }

 private:
  // So many steps near the bound with little interruption. It is 6.1 on the real axis for DOP853;
  // chosen: 4, since contacts vibrate with little damping.
  static constexpr double kBound = 4;
  static constexpr int kNear = 15, kFar = 6;
  // From this reach on, while the error bids no longer steps and the cubic misses by less than the
  // tolerance, so many times on end: an order of 8 could then take steps ten times as long. chosen
  // on the governor of verification/cases A5 at tolerances from 1e-6 to 1e-11, where the reach
  // settles between 2.2 and 0.5, and by the evaluations of the shipped four-bars with play.
  static constexpr double kSuspect = 0.3, kHeldBack = 0.1, kForetold = 1;
  static constexpr int kSure = 30;

  void see_smoothness(const Step& s) {
    if (!(s.reach > kSuspect) || s.error < kHeldBack) {
      have_before_ = false;
      smooth_ = 0;
      return;
    }
    if (have_before_) {
      if (miss(s) > kForetold)
        smooth_ = 0;
      else if (++smooth_ == kSure)
        stiff_ = true;
    }
    before_ = s.from;
    slope_before_ = s.slope_from;
    time_before_ = s.begin;
    have_before_ = true;
  }
  /// Of the cubic at the end of the step, in tolerances.
  double miss(const Step& s) const {
    const double h = s.begin - time_before_, x = (s.end - time_before_) / h, u = x - 1;
    double square = 0;
    for (Eigen::Index i = 0; i < s.count; ++i) {
      const double foretold = u * u * ((1 + 2 * x) * before_[i] + h * x * slope_before_[i]) +
                              x * x * ((1 - 2 * u) * s.from[i] + h * u * s.slope_from[i]);
      const double miss = (foretold - s.to[i]) * s.weight[i];
      square += miss * miss;
    }
    return std::sqrt(square / static_cast<double>(s.count));
  }

  int near_ = 0, far_ = 0;  // steps near the bound, and away from it
  int smooth_ = 0;          // foretold ones, on end
  bool stiff_ = false, have_before_ = false;
  double time_before_ = 0;      // where the step before began; s
  VecX before_, slope_before_;  // y and dy/dt there
};

}  // namespace freeplay::integrate
