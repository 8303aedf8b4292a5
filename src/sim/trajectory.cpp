// SPDX-License-Identifier: Apache-2.0
#include "sim/trajectory.hpp"

#include "core/lanes.hpp"
#include "dynamics/structure.hpp"
#include "integrate/lane_driver.hpp"
#include "model/words.hpp"
#include "sim/nonsmooth.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::sim {
namespace {

using dynamics::System;

/// Error weights: tolerance x (|y| + scale) for the motion, tolerance x E_scale for the work
/// integrals.
void fill_weights(const System& system, const VecX& scale, const double* y, int motion, int size,
                  double* w) {
  const double tolerance = system.model().simulation.tolerance;
  for (int k = 0; k < motion; ++k) w[k] = 1 / (tolerance * (std::abs(y[k]) + scale[k]));
  for (int k = motion; k < size; ++k) w[k] = 1 / (tolerance * system.energy_scale());
}

class Dynamic final : public Trajectory, public integrate::LaneProblem {
 public:
  Dynamic(System& system, State& state)
      : system_(system),
        laned_(dynamic_cast<Laned*>(&system)),
        state_(state),
        scale_(system.error_scale()),
        events_(system.event_count()),
        rates_(events_) {}

  int size() const override { return system_.size(); }
  int quadratures() const override { return system_.work_size(); }
  bool rhs(double t, const double* y, double* f) override {
    return system_.derivative(t, y, state_.memory.data(), f);
  }
  bool jacobian(double t, const double* y, MatX& dfdy) override {
    return system_.jacobian(t, y, state_.memory.data(), dfdy);
  }
  Structure structure() const override { return dynamics::structure_of(system_); }
  bool project(double t, double* y) override { return system_.project(t, y, state_.memory.data()); }
  bool event(int which, double t, const double* y, double& g, double& rate) override {
    if (!system_.event_rates(t, y, state_.memory.data(), events_.data(), rates_.data()))
      return false;
    g = events_[which];
    rate = rates_[which];
    return true;
  }
  void weights(const double* y, double* w) const override {
    fill_weights(system_, scale_, y, size() - system_.work_size(), size(), w);
  }
  integrate::LaneView in_lanes() override {
    Variant* const variant = laned_ ? laned_->variant() : nullptr;
    if (!variant) return {};
    return {variant, state_.memory.data(), system_.model().simulation.tolerance,
            system_.energy_scale(), scale_.data()};
  }
  const VecX& reduce(const State& state) override { return state.y; }
  bool complete(double t, const VecX& y, State& state) override {
    state.time = t;
    state.y = y;
    return project(t, state.y.data());
  }

 private:
  System& system_;
  Laned* laned_;  // the same; null: lanes cannot take it
  State& state_;
  VecX scale_;
  std::vector<double> events_, rates_;
};

class Kinematic final : public Trajectory {
 public:
  Kinematic(System& system, State& state)
      : system_(system), state_(state), slope_(system.size()), scale_(system.error_scale()) {
    pose_ = state.y;
    time_ = state.time;
    have_slope_ = system_.derivative(time_, pose_.data(), state_.memory.data(), slope_.data());
  }

  int size() const override { return system_.work_size(); }
  bool rhs(double t, const double*, double* f) override {
    if (!move_to(t)) return false;
    std::copy_n(slope_.data() + system_.size() - size(), size(), f);
    return true;
  }
  bool jacobian(double, const double*, MatX& dfdy) override {  // a pure quadrature
    dfdy.setZero(size(), size());
    return true;
  }
  void weights(const double* y, double* w) const override {
    fill_weights(system_, scale_, y, 0, size(), w);
  }
  const VecX& reduce(const State& state) override {
    reduced_ = state.y.tail(size());
    return reduced_;
  }
  bool complete(double t, const VecX& y, State& state) override {
    if (!move_to(t)) return false;
    state.time = t;
    state.y = pose_;
    state.y.tail(size()) = y;
    return true;
  }
  void carry(Archive& archive) override { archive(pose_, time_, slope_, have_slope_); }

 private:
  /// Follows the motion from the last pose to time t: predict by the rates, then close the joints,
  /// in pieces small enough that the prediction stays on the same branch.
  bool move_to(double t) {
    if (!have_slope_) return false;
    // chosen: a motion that has to be followed in more pieces than this within one step of its work
    // does not get past a dead point; the integrator then takes a shorter one.
    constexpr int kMostPieces = 200;
    // A correction of a fifth of the prediction, beside its round-off (m or rad): another branch.
    constexpr double kSameBranch = 0.2, kRoundOff = 1e-9;
    for (int pieces = 0; time_ != t; ++pieces) {
      if (pieces == kMostPieces) return false;
      double h = t - time_;
      bool moved = false;
      for (int halving = 0; halving < 40 && !moved; ++halving, h /= 2) {
        trial_ = pose_ + h * slope_;
        const double goal = halving == 0 ? t : time_ + h;
        const double before = (trial_ - pose_).cwiseAbs().maxCoeff();
        if (!system_.project(goal, trial_.data(), state_.memory.data())) continue;
        const int positions = system_.layout()->size(BlockKind::position);
        const double correction =
            (trial_ - pose_ - h * slope_).head(positions).cwiseAbs().maxCoeff();
        if (correction > kSameBranch * before + kRoundOff && halving < 39) continue;
        if (!system_.derivative(goal, trial_.data(), state_.memory.data(), slope_.data())) continue;
        pose_ = trial_;
        time_ = goal;
        moved = true;
      }
      if (!moved) {
        have_slope_ = system_.derivative(time_, pose_.data(), state_.memory.data(), slope_.data());
        return false;
      }
    }
    return true;
  }

  System& system_;
  State& state_;
  VecX pose_, trial_, slope_, scale_, reduced_;
  double time_ = 0;
  bool have_slope_ = false;
};

}  // namespace

std::unique_ptr<Trajectory> make_trajectory(System& system, State& state) {
  if (kind_of(system.model().simulation.method).non_smooth)
    return make_stepped_trajectory(system, state);
  if (system.model().simulation.analysis == Analysis::kinematic)
    return std::make_unique<Kinematic>(system, state);
  return std::make_unique<Dynamic>(system, state);
}

}  // namespace freeplay::sim
