// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/linearised.hpp"

#include <string>
#include <vector>

// A mechanism comes to rest in honey: sigma M q' = forces, by implicit Euler,
//
//   B^T (K + sigma M) B x = B^T (Q - sigma M d),   dq = B x,   K = d(J^T lambda - Q)/dq exact,
//
// B the motions that the joints allow, iterated until the step d from the last pose is balanced.
// That is a proximal point method: where forces have a potential every step lowers it, however
// stiff the contacts that the step runs into, so it goes downhill to a stable pose and not to the
// nearest unstable one. sigma falls as the balance is approached; at sigma = 0 the step is
// Newton's.
namespace freeplay::analysis {

class Settling {
 public:
  /// `spin`: velocities that go on for ever; zero for a mechanism at rest.
  Settling(dynamics::Cartesian& system, State start, VecX spin);

  /// True when the balance was found.
  bool settle();
  /// Leaves an unstable pose along a displacement, of which any size is given.
  void nudge(const VecX& direction);

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] int iterations() const { return iterations_; }
  /// Largest acceleration, in lengths and radians per time scale squared; NaN if the mechanism is
  /// singular.
  [[nodiscard]] double imbalance() const { return imbalance_; }
  /// Accelerations and multipliers where it stands.
  [[nodiscard]] const VecX& accelerations() const { return acceleration_; }
  [[nodiscard]] const VecX& multipliers() const { return lambda_; }
  /// It has moved further than the mechanism could and still is driven: nothing stops it.
  [[nodiscard]] bool ran_away() const { return travelled_ > kFarAway; }
  [[nodiscard]] Linearised linearised();

 private:
  static constexpr double kFarAway = 30;  // characteristic lengths

  /// Accelerations of a pose under its forces less `resistance`; false if it is singular.
  bool balance(const State& state, const VecX& resistance, VecX& a, VecX& lambda);
  [[nodiscard]] double size_of(const VecX& a) const;
  /// Takes out what would change a spin: it is taken as kept up.
  void keep_spins(VecX& x) const;
  /// Round-off of the accelerations: what the last bit of a position does to the stiffest contact.
  [[nodiscard]] double noise(const MatX& K) const;
  bool step(double sigma, State& to, VecX& displacement);
  void limit(const State& from, VecX& dq);
  bool place(State& state, const VecX& dq);
  /// From the pose where it stands to another, as a displacement in body axes.
  [[nodiscard]] VecX moved_to(const State& to) const;
  void refresh_contacts(State& state);
  /// How deep each contact is at a pose, whether it is held or not; m.
  [[nodiscard]] std::vector<double> depths(const State& at, const VecX& y);
  void release_pulling_rests();

  dynamics::Cartesian& system_;
  State state_;
  VecX spin_;
  MatX mass_;
  VecX acceleration_, lambda_;
  std::vector<double> play_;  // of each contact: what it may be overrun by; m or rad
  std::vector<char> oiled_;
  double imbalance_ = 0, travelled_ = 0, noise_ = 0, first_step_ = 0;
  int iterations_ = 0;
};

}  // namespace freeplay::analysis
