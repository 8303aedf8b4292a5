// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/constraints/constraint_rows.hpp"
#include "dynamics/elements/forces.hpp"
#include "joints/contact_memory.hpp"
#include "joints/friction_action.hpp"
#include <freeplay/model.hpp>

#include <array>
#include <cstring>
#include <optional>

// Friction in an ideal joint. The surfaces slip with what the joint leaves free: along a slide, or
// with the radius of the pin around it. The load is the reaction the constraint brings, so load and
// friction are found together by the formulation.
namespace freeplay::dynamics {

/// What Coulomb friction remembers, as it lies in State::memory.
struct SlipMemory {
  double sticking = 0;         ///< kSlips, kSticks or kYields
  double slip[3] = {0, 0, 0};  ///< unit vector of the last slip, in slip components
  double anchor[2] = {0, 0};   ///< coordinates at which it sticks; m, rad
};
inline constexpr int kSlipMemory = sizeof(SlipMemory) / sizeof(double);
/// The same, as it is declared.
inline constexpr std::array kSlipFields = {
    MemoryField{"sticking", "1", Perturbation::shared},
    MemoryField{"slip", "1", Perturbation::continuous, 3},
    MemoryField{"anchor", "m or rad", Perturbation::continuous, 2}};
static_assert(count_numbers(kSlipFields) == kSlipMemory);
inline SlipMemory recall_slip(const double* memory) {
  SlipMemory out;
  std::memcpy(static_cast<void*>(&out), memory, sizeof out);
  return out;
}
inline void remember_slip(double* memory, const SlipMemory& slip) {
  std::memcpy(memory, &slip, sizeof slip);
}

class JointFriction {
 public:
  /// Throws ModelError when the joint has no surface for it or the law refuses.
  JointFriction(const Model& model, JointIndex joint);

  [[nodiscard]] JointIndex joint() const { return joint_; }
  /// Slip components: 1 for a slide or a pin, 2 for a pin that slides, 3 for a ball.
  [[nodiscard]] int components() const { return components_; }
  [[nodiscard]] int states() const { return states_; }
  [[nodiscard]] double state_scale() const;
  [[nodiscard]] const std::optional<joints::DryFriction>& dry() const { return dry_; }
  /// The part of the reaction force on the second body that presses the surfaces together; N.
  [[nodiscard]] Vec3 pressing(const Vec3& reaction, const Vec3& axis) const;
  /// The most friction over load that the law gives at a speed.
  [[nodiscard]] double bound(double speed) const;
  /// Where a law of the user was found to have no value; empty: nowhere.
  [[nodiscard]] std::string trouble() const { return laws::trouble_of(law_); }
  /// What presses them without any reaction; N.
  [[nodiscard]] double preload() const { return preload_; }

  /// Each slip component as a row: its rate is the slip (m/s), an effort on it a force at the
  /// surface (N).
  template <class T>
  std::array<RowValue<T>, 3> rows(const Joint& joint, const Pose<T>& p1, const Pose<T>& p2,
                                  bool planar) const;
  /// The coordinates that slip, as they are near `reference`; none for a ball. m, rad
  void coordinates(const Joint& joint, const Pose<double>& p1, const Pose<double>& p2, bool planar,
                   const double* reference, double* out) const;
  /// How far a slip component is from where its coordinate was; m.
  [[nodiscard]] double strayed(int component, double coordinate, double anchor) const {
    return lever_[component] * (coordinate - anchor);
  }
  /// Slip components that are rates of coordinates: all, or none for a ball.
  [[nodiscard]] int holonomic() const { return surfaces_ == Surfaces::ball ? 0 : components_; }
  template <class T>
  Vec3T<T> slip(const std::array<RowValue<T>, 3>& rows, const Pose<T>& p1, const Pose<T>& p2) const;
  template <class T>
  joints::FrictionAction<T> act(const Vec3T<T>& slip, const T& load, const T* states,
                                double load_rate, const double* memory) const;

 private:
  JointIndex joint_;
  Surfaces surfaces_ = Surfaces::none;
  laws::FrictionLaw law_;
  std::optional<joints::DryFriction> dry_;
  double preload_ = 0, radius_ = 0, aimless_ = 0;
  int components_ = 1, states_ = 0;
  std::array<RowSpec, 2> specs_;
  std::array<Coordinate, 2> coordinate_{};
  std::array<double, 2> lever_{};
};

}  // namespace freeplay::dynamics
