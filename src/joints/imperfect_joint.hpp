// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/transition.hpp"
#include "joints/contact_memory.hpp"
#include "joints/friction_action.hpp"
#include "joints/geometry.hpp"
#include "laws/contact_laws.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

// A joint that holds by contact: geometry says where the parts are near, the laws what they do to
// each other, the wrenches on both bodies come out. What a contact remembers is in the State; this
// object is constant.
namespace freeplay::joints {

/// What one contact does to the two bodies.
template <class T>
struct ContactForces {
  Wrench<T> on_first, on_second;
  T normal = T(0.0);                                 ///< sum of the normal forces; N
  T normal_power = T(0.0), friction_power = T(0.0);  ///< W
  std::array<T, kMaxFrictionStates> state_rate{};    ///< of the friction law's states
};

/// What the surfaces do to each other at one point.
template <class T>
struct PointForces {
  T normal;
  Vec3T<T> friction = Vec3T<T>::Zero();  ///< on the inner part, of a law without states
};

/// The resultant of the normal forces of a contact, where friction that has one state acts.
template <class T>
struct Resultant {
  T normal = T(0.0);                 ///< N
  Vec3T<T> push = Vec3T<T>::Zero();  ///< sum of force times normal; N
  Vec3T<T> normal_direction = Vec3T<T>::Zero();
  Vec3T<T> arm1 = Vec3T<T>::Zero(), arm2 = Vec3T<T>::Zero();  ///< to the centre of pressure; m

  void add(const ContactPoint<T>& point, const T& force) {
    normal += force;
    push += point.normal * force;
    arm1 += point.arm1 * force;
    arm2 += point.arm2 * force;
  }
  /// From sums to means; false when nothing presses.
  bool finish() {
    using std::sqrt;
    if (!(value_of(normal) > 0)) return false;
    arm1 /= normal;
    arm2 /= normal;
    normal_direction = push / sqrt(push.dot(push));
    return true;
  }
};

/// What is known of a contact beyond pose and memory when its states change.
struct LoadHistory {
  double load_rate = 0;      ///< of the normal force; N/s
  Vec3 turn = Vec3::Zero();  ///< angular velocity of the tangent plane; rad/s
};

/// What is recorded of an imperfect joint besides its reaction.
struct JointObservation {
  Vec3 eccentricity = Vec3::Zero();
  double ratio = 0, gap = 0, penetration = 0, normal_force = 0, slip_speed = 0;
  Vec3 friction_force = Vec3::Zero();
  double friction_use = 0;   ///< largest |friction| of a contact over what its law allows there
  double mode = 0;           ///< 0 free flight, 1 impact, 2 following, 3 stick
  double contact_state = 0;  ///< which surfaces touch, as the geometry numbers it
  double film_thickness = 0, film_pressure = 0, film_power = 0;  ///< of the oil; m, Pa, W
};

class ImperfectJoint {
 public:
  /// The clearance of a joint. Throws ModelError when the laws do not fit it.
  ImperfectJoint(const Model& model, JointIndex joint);
  /// One of the end stops of a joint; likewise.
  ImperfectJoint(const Model& model, JointIndex joint, const Stop& stop);

  [[nodiscard]] JointIndex joint() const { return joint_; }
  [[nodiscard]] BodyIndex first() const { return first_; }
  [[nodiscard]] BodyIndex second() const { return second_; }
  [[nodiscard]] int contacts() const { return contacts_; }
  [[nodiscard]] const Geometry& geometry() const { return geometry_; }
  /// Takes another shape of its surfaces, of a joint whose pressure follows wear: depths lost, cell
  /// by cell.
  void reshape(const Model& model, std::span<const double> outer, std::span<const double> inner);
  /// Numbers of memory of one contact: its own, and behind them those of its law.
  [[nodiscard]] int contact_memory() const { return contact_memory_; }
  /// What its contact law remembers; empty for most.
  [[nodiscard]] std::span<const MemoryField> law_memory() const { return law_memory_; }
  /// A new contact begins, for a law that remembers; `memory`: of that contact.
  void begin_law(double depth, double* memory) const;
  /// How far such a law is from the end of its stretch, and what happens there.
  [[nodiscard]] laws::StretchEnd stretch_end(int contact, const Pose<double>& p1,
                                             const Pose<double>& p2, const double* memory) const;
  [[nodiscard]] bool stretch_is_length(const double* memory) const;
  void turn_law(int contact, const Pose<double>& p1, const Pose<double>& p2, double* memory) const;
  /// States of the friction law, per contact.
  [[nodiscard]] int states() const { return states_; }
  /// Their sizes when friction gives way, to which the tolerance is relative.
  [[nodiscard]] double deflection_scale() const;
  [[nodiscard]] bool has_friction() const { return friction_.has_value(); }
  [[nodiscard]] double min_approach_speed() const { return min_approach_speed_; }
  /// Mass of the two free bodies, to which an effective mass is compared; kg.
  [[nodiscard]] double free_mass() const { return free_mass_; }
  /// Friction that sticks by events; absent for other laws.
  [[nodiscard]] const std::optional<DryFriction>& dry_friction() const { return dry_; }
  /// Newton's impact law: an impulse at the touch; absent for laws with a force.
  [[nodiscard]] const std::optional<double>& impulse_restitution() const { return impulse_; }

  /// The one contact of a joint whose forces follow from depth and velocity at one point; null for
  /// all others.
  [[nodiscard]] const RadialGap* single_point() const {
    return states_ == 0 && !impulse_ && law_memory_.empty() ? std::get_if<RadialGap>(&geometry_)
                                                            : nullptr;
  }
  /// The laws of its contacts.
  [[nodiscard]] const laws::ContactLaw& contact_law() const { return contact_; }
  [[nodiscard]] const std::optional<laws::FrictionLaw>& friction_law() const { return friction_; }
  template <class T>
  PointForces<T> forces_at(const ContactPoint<T>& point, const ContactMotion<T>& motion,
                           const Remembered& past) const;
  /// Friction of a law without states under a given load, on the inner part; none where the contact
  /// sticks.
  template <class T>
  Vec3T<T> dry_force(const Vec3T<T>& slip, const T& load, const ContactMemory& past) const;
  /// Forces of one contact; `states` are those of its friction law (none: ignored). All zero in
  /// free flight.
  template <class T>
  void evaluate(int contact, const Pose<T>& p1, const Pose<T>& p2, const double* memory,
                const T* states, const LoadHistory& history, ContactForces<T>& out) const;
  /// Normal forces alone, as one resultant.
  template <class T>
  Resultant<T> resultant(int contact, const Pose<T>& p1, const Pose<T>& p2,
                         const double* memory) const;

  [[nodiscard]] Vec3 edge_push(int contact, const Pose<double>& p1, const Pose<double>& p2) const;
  /// The most friction that the law allows one contact at its present loads and slips; N.
  [[nodiscard]] double allowed_friction(int contact, const Pose<double>& p1, const Pose<double>& p2,
                                        const double* memory) const;

  /// Half the play of the joint, or none at a stop: as deep as that nothing should be pressed; m.
  [[nodiscard]] double half_play() const;
  /// Depth at which the smaller part would have left through the wall: its radius or half its
  /// width; for a stop ten times the size of the mechanism, or a turn. No law means anything there;
  /// m, rad.
  [[nodiscard]] double depth_limit() const { return depth_limit_; }
  /// Depth of one contact; m or rad.
  [[nodiscard]] double depth(int contact, const Pose<double>& p1, const Pose<double>& p2) const;
  /// Depth of each contact, the functions whose zeros are touches and separations; m.
  void depths(const Pose<double>& p1, const Pose<double>& p2, double* out) const;
  /// True for stops on an angle, whose depth is one.
  [[nodiscard]] bool is_angle() const;
  /// The clearance where the depth of a contact is a distance from a centre less that; 0: it is
  /// not.
  [[nodiscard]] double play(int contact) const;
  /// Rate of the depth; NaN where it has no direction. m/s
  [[nodiscard]] double depth_rate(int contact, const Pose<double>& p1,
                                  const Pose<double>& p2) const;
  /// The deepest point of a contact; false where it has no direction.
  template <class T>
  bool leading(int contact, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const;
  /// What an impact at that speed would be by the elastic part of the law; zeros if it has none.
  struct ImpactEstimate {
    double duration = 0, force = 0;  ///< s, N
  };
  [[nodiscard]] ImpactEstimate estimate_impact(double speed, double mass) const;
  [[nodiscard]] JointObservation observe(double t, const Pose<double>& p1, const Pose<double>& p2,
                                         const double* memory, const double* states) const;
  /// Where a law of the user was found to have no value; empty: nowhere.
  [[nodiscard]] std::string trouble() const;
  /// What the laws worked out for this joint, for `freeplay check`.
  [[nodiscard]] std::vector<laws::Derived> derived() const;
  [[nodiscard]] std::string contact_name(int contact) const;

 private:
  /// Whether friction acts once under the whole load of a contact, or at each point under its own.
  [[nodiscard]] bool rubs_as_one() const { return states_ > 0 || dry_.has_value(); }
  void choose_contact(const Joint& joint, const LawChoice& choice, const laws::ContactSite& site,
                      const std::string& path);
  template <class T>
  T normal_force(const ContactPoint<T>& point, const T& rate, const Remembered& past) const;
  [[nodiscard]] laws::Contact<double> seen_by_law(int contact, const Pose<double>& p1,
                                                  const Pose<double>& p2,
                                                  const double* memory) const;
  template <class T>
  void add_point(const ContactPoint<T>& point, const Pose<T>& p1, const Pose<T>& p2,
                 const Remembered& past, ContactForces<T>& out, Resultant<T>& sum) const;

  template <class T>
  void add_edge(const ContactPoint<T>& point, const Pose<T>& p1, const Pose<T>& p2,
                ContactForces<T>& out) const;

  JointIndex joint_;
  BodyIndex first_, second_;
  Geometry geometry_;
  laws::ContactLaw contact_;
  std::optional<laws::ContactLaw> face_;   // where the geometry has faces
  std::optional<laws::ContactLaw> whole_;  // of a bed: what the sum over it is nearly
  std::optional<laws::FrictionLaw> friction_;
  std::optional<films::TransitionLaw> transition_;  // where oil fills the gap
  double clearance_ = 0, early_ = 0;                // m
  std::optional<DryFriction> dry_;
  std::optional<double> impulse_;
  int contacts_ = 1, states_ = 0;
  std::span<const MemoryField> law_memory_;
  int contact_memory_ = kContactMemory;
  double min_approach_speed_ = 1e-5, free_mass_ = 0, depth_limit_ = 0, aimless_ = 0;
};

}  // namespace freeplay::joints
