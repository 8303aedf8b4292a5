// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/radial_gap.hpp"
#include "laws/contact_laws.hpp"
#include "laws/friction_laws.hpp"

#include <cstring>
#include <optional>

// A joint that holds by contact: geometry says where the parts are near, the laws what they do to
// each other, the wrenches on both bodies come out. What a contact remembers is in the State; this
// object is constant.
namespace freeplay::joints {

/// What one contact remembers, as it lies in State::memory.
struct ContactMemory {
  double touching = 0;     ///< 1 between a located touch and the separation that ends it
  double impact_rate = 0;  ///< approach speed at the touch, limited below; m/s
  double approach = 0;     ///< the same as it was; m/s
  double start = 0;        ///< time of the touch; s
  double work = 0;         ///< of the normal law at the touch; J
  double peak_force = 0;   ///< N
  double peak_depth = 0;   ///< m
};
inline constexpr int kContactMemory = sizeof(ContactMemory) / sizeof(double);

inline ContactMemory recall(const double* memory) {
  ContactMemory out;
  std::memcpy(static_cast<void*>(&out), memory, sizeof out);
  return out;
}
inline void remember(double* memory, const ContactMemory& contact) {
  std::memcpy(memory, &contact, sizeof contact);
}

template <class T>
struct JointForces {
  Wrench<T> on_first, on_second;
  T normal_power = T(0.0), friction_power = T(0.0);  ///< W
};

/// What is recorded of an imperfect joint besides its reaction.
struct JointObservation {
  Vec3 eccentricity = Vec3::Zero();
  double ratio = 0, gap = 0, penetration = 0, normal_force = 0, slip_speed = 0;
  Vec3 friction_force = Vec3::Zero();
  double mode = 0;  ///< 0 free flight, 1 contact
};

class ImperfectJoint {
 public:
  /// Throws ModelError when the laws do not fit the joint.
  ImperfectJoint(const Model& model, JointIndex joint);

  [[nodiscard]] JointIndex joint() const { return joint_; }
  [[nodiscard]] BodyIndex first() const { return gap_.first.body; }
  [[nodiscard]] BodyIndex second() const { return gap_.second.body; }
  [[nodiscard]] int contacts() const { return RadialGap::kContacts; }
  [[nodiscard]] int memory_size() const { return contacts() * kContactMemory; }
  [[nodiscard]] bool has_friction() const { return friction_.has_value(); }
  [[nodiscard]] double min_approach_speed() const { return min_approach_speed_; }

  template <class T>
  JointForces<T> evaluate(const Pose<T>& p1, const Pose<T>& p2, const double* memory) const;

  /// Depth of each contact, the functions whose zeros are touches and separations; m.
  void depths(const Pose<double>& p1, const Pose<double>& p2, double* out) const;
  /// Approach speed of a contact; m/s.
  [[nodiscard]] double approach_speed(int contact, const Pose<double>& p1,
                                      const Pose<double>& p2) const;
  /// Force and depth of a contact now, for its peaks; N, m.
  [[nodiscard]] std::pair<double, double> load(int contact, const Pose<double>& p1,
                                               const Pose<double>& p2, const double* memory) const;
  [[nodiscard]] JointObservation observe(const Pose<double>& p1, const Pose<double>& p2,
                                         const double* memory) const;
  /// What the laws worked out for this joint, for `freeplay check`.
  [[nodiscard]] std::vector<laws::Derived> derived() const;

 private:
  JointIndex joint_ = 0;
  RadialGap gap_;
  laws::ContactLaw contact_;
  std::optional<laws::FrictionLaw> friction_;
  double min_approach_speed_ = 1e-5;
};

}  // namespace freeplay::joints
