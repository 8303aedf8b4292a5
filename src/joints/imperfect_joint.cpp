// SPDX-License-Identifier: Apache-2.0
#include "joints/imperfect_joint.hpp"

#include "core/scalars.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::joints {
namespace {

[[noreturn]] void refuse(const Joint& joint, const std::string& path, const std::string& message) {
  Issue issue;
  issue.line = joint.line;
  issue.path = path;
  issue.message = message;
  throw ModelError(issue);
}

/// A law from the catalogue with the parameters of the model.
template <class V>
V choose(const Joint& joint, const LawChoice& choice, const std::string& path) {
  auto law = laws::make_law<V>(choice.key);
  if (!law) refuse(joint, path + ".law", fmt::format("'{}' is not in the catalogue", choice.key));
  for (const auto& [key, value] : choice.parameters) {
    if (double* parameter = laws::find_parameter(*law, key))
      *parameter = value;
    else if (bool* flag = laws::find_flag(*law, key))
      *flag = value != 0;
    else
      refuse(joint, path + "." + key, fmt::format("law '{}' has no such parameter", choice.key));
  }
  return *law;
}

/// A touch shorter than this many contact times is an impact, a longer one following motion
/// (physics 8.2).
constexpr double kImpactTimes = 3;

}  // namespace

ImperfectJoint::ImperfectJoint(const Model& model, JointIndex index)
    : joint_(index), geometry_(make_geometry(model, index)) {
  const Joint& joint = model.joints[index];
  const Clearance& c = *joint.clearance;
  const std::string path = "joints." + joint.name + ".clearance";
  first_ = joint.first.body;
  second_ = joint.second.body;
  contacts_ = std::visit([](const auto& g) { return g.contacts(); }, geometry_);
  min_approach_speed_ = c.min_approach_speed;
  const laws::ContactSite site = site_of(model, joint);
  free_mass_ = site.mass;
  contact_ = choose<laws::ContactLaw>(joint, c.contact, path + ".contact");
  std::visit(
      [&](auto& law) {
        if (const std::string why = law.misfit(site); !why.empty())
          refuse(joint, path + ".contact",
                 fmt::format("law '{}' cannot serve here: {}", law.key, why));
        law.prepare(site);
        if constexpr (requires { law.restitution; })
          if (law.impulsive) impulse_ = law.restitution;
      },
      contact_);
  if (const double stiffness = face_stiffness(model, joint); stiffness > 0 && !impulse_) {
    // End faces: a linear foundation that restitutes like the contact law.
    laws::PlaneFace face;
    face.stiffness = stiffness;
    face.restitution = std::visit(
        [](const auto& law) {
          if constexpr (requires { law.restitution; })
            return std::max(law.restitution, laws::PlaneFace::min_restitution);
          else
            return 1.0;
        },
        contact_);
    face.prepare(site);
    face_ = face;
  }
  if (!c.friction) return;
  friction_ = choose<laws::FrictionLaw>(joint, *c.friction, path + ".friction");
  std::visit(
      [&](const auto& law) {
        std::string why = law.conflict();
        if constexpr (requires { law.breakaway(); })
          dry_ = DryFriction{law.kinetic, law.breakaway()};
        else if (impulse_)
          why = "an impulse has no duration for it: Newton's impact law takes Coulomb friction";
        if (!why.empty())
          refuse(joint, path + ".friction",
                 fmt::format("law '{}' cannot serve here: {}", law.key, why));
        states_ = law.states;
      },
      *friction_);
}

std::array<double, kMaxFrictionStates> ImperfectJoint::state_scale() const {
  std::array<double, kMaxFrictionStates> out{1, 1, 1, 1};
  if (!friction_) return out;
  std::visit(
      [&](const auto& law) {
        if constexpr (requires { law.deflection_scale(); })
          out[0] = out[1] = out[2] = law.deflection_scale();
      },
      *friction_);
  return out;
}

template <class T>
T ImperfectJoint::normal_force(const ContactPoint<T>& point, const T& rate,
                               const ContactMemory& past) const {
  const laws::Contact<T> contact{point.depth, rate, past.impact_rate, past.mass_ratio};
  return std::visit([&](const auto& law) { return T(law.force(contact)); },
                    point.surface == 1 && face_ ? *face_ : contact_) *
         point.weight;
}

/// Friction of laws without memory: -ratio(v) F_N v_T (physics 4: the minus sign is not optional).
template <class T>
Vec3T<T> ImperfectJoint::slip_friction(const Vec3T<T>& slip, const T& normal,
                                       const ContactMemory& past) const {
  using std::sqrt;
  if (dry_) {
    // Against the slip; the direction is carried smoothly through a reversal, which is an event.
    const double along = value_of(slip[0]) * past.slip[0] + value_of(slip[1]) * past.slip[1] +
                         value_of(slip[2]) * past.slip[2];
    const T speed = sqrt(slip.dot(slip) + 1e-40);
    if (value_of(speed) < 1e-18)
      return Vec3T<T>(Vec3(past.slip[0], past.slip[1], past.slip[2]).template cast<T>() *
                      T(-dry_->kinetic * normal));
    return slip * T(-(along < 0 ? -1.0 : 1.0) * dry_->kinetic * normal / speed);
  }
  return std::visit(
      [&]<class L>(const L& l) -> Vec3T<T> {
        if constexpr (L::states == 0) {
          const T speed = sqrt(slip.dot(slip) + 1e-40);
          return slip * T(-l.ratio(speed) * normal);
        } else {
          return Vec3T<T>::Zero();
        }
      },
      *friction_);
}

template <class T>
void ImperfectJoint::add_point(const ContactPoint<T>& point, const Pose<T>& p1, const Pose<T>& p2,
                               const ContactMemory& past, ContactForces<T>& out,
                               Resultant<T>& sum) const {
  const ContactMotion<T> motion = motion_at(point, p1, p2);
  const T normal = normal_force(point, motion.rate, past);
  Vec3T<T> on_inner = point.normal * T(-normal);
  out.normal += normal;
  out.normal_power -= normal * motion.rate;
  if (friction_ && states_ == 0 && past.sticking == 0) {
    const Vec3T<T> tangential = slip_friction(motion.slip, normal, past);
    on_inner += tangential;
    out.friction_power += tangential.dot(motion.slip);
  }
  if (states_ > 0) sum.add(point, normal);
  out.on_second.add(on_inner, point.arm2);
  out.on_first.add(-on_inner, point.arm1);
}

/// Where the end of a part cuts a pressed line short: the energy per length pushes the parts apart
/// along it. Elastic, without friction; far below the normal force.
template <class T>
void ImperfectJoint::add_edge(const ContactPoint<T>& point, const Pose<T>& p1, const Pose<T>& p2,
                              ContactForces<T>& out) const {
  const T force =
      std::visit([&](const auto& law) { return T(law.potential(point.depth)); }, contact_) *
      point.weight;
  const Vec3T<T> on_inner = point.normal * T(-force);
  out.normal_power -= force * motion_at(point, p1, p2).rate;
  out.on_second.add(on_inner, point.arm2);
  out.on_first.add(-on_inner, point.arm1);
}

template <class T>
ContactForces<T> ImperfectJoint::evaluate(int contact, const Pose<T>& p1, const Pose<T>& p2,
                                          const double* memory, const T* states,
                                          const LoadHistory& history) const {
  ContactForces<T> out;
  const ContactMemory past = recall(memory + contact * kContactMemory);
  // In flight the parts pass through each other unhindered: the step stays smooth, and the touch is
  // located on it before it counts.
  if (past.touching == 0 || impulse_) return out;
  Resultant<T> sum;
  std::visit(
      [&](const auto& geometry) {
        geometry.points(contact, p1, p2, [&](const ContactPoint<T>& point) {
          add_point(point, p1, p2, past, out, sum);
        });
        const auto edge = [&](const ContactPoint<T>& point) { add_edge(point, p1, p2, out); };
        if constexpr (requires { geometry.edges(contact, p1, p2, edge); })
          geometry.edges(contact, p1, p2, edge);
      },
      geometry_);
  if (states_ == 0 || !sum.finish()) return out;

  // Bristles act where the normal forces do on the whole.
  const Vec3T<T>& normal = sum.normal_direction;
  const Vec3T<T> slip = motion_at(normal, sum.arm1, sum.arm2, p1, p2).slip;
  std::visit(
      [&]<class L>(const L& law) {
        if constexpr (L::states > 0) {
          laws::BristleState<T, L::states> z;
          for (int k = 0; k < L::states; ++k) z[k] = states[k];
          Vec3T<T> bent = z.template head<3>();
          bent -= normal * T(normal.dot(bent));  // what the turn of the plane left outside it
          z.template head<3>() = bent;
          const auto result =
              law.evaluate(laws::Slip<T>{slip, sum.normal}, T(history.load_rate), z);
          out.on_second.add(result.force, sum.arm2);
          out.on_first.add(-result.force, sum.arm1);
          out.friction_power = result.force.dot(slip);
          for (int k = 0; k < L::states; ++k) out.state_rate[k] = result.rate[k];
          const Vec3T<T> carried = Vec3T<T>(history.turn.template cast<T>()).cross(bent);
          for (int k = 0; k < 3; ++k) out.state_rate[k] += carried[k];
        }
      },
      *friction_);
  return out;
}

template <class T>
Resultant<T> ImperfectJoint::resultant(int contact, const Pose<T>& p1, const Pose<T>& p2,
                                       const double* memory) const {
  Resultant<T> sum;
  const ContactMemory past = recall(memory + contact * kContactMemory);
  if (past.touching == 0 || impulse_) return sum;
  std::visit(
      [&](const auto& geometry) {
        geometry.points(contact, p1, p2, [&](const ContactPoint<T>& point) {
          sum.add(point, normal_force(point, motion_at(point, p1, p2).rate, past));
        });
      },
      geometry_);
  sum.finish();
  return sum;
}

void ImperfectJoint::depths(const Pose<double>& p1, const Pose<double>& p2, double* out) const {
  std::visit(
      [&](const auto& g) {
        for (int c = 0; c < contacts_; ++c) out[c] = g.depth(c, p1, p2);
      },
      geometry_);
}

bool ImperfectJoint::leading(int contact, const Pose<double>& p1, const Pose<double>& p2,
                             ContactPoint<double>& out) const {
  return std::visit([&](const auto& g) { return g.leading(contact, p1, p2, out); }, geometry_);
}

ImperfectJoint::ImpactEstimate ImperfectJoint::estimate_impact(double speed, double mass) const {
  if (!(speed > 0) || !(mass > 0)) return {};
  const double energy = 0.5 * mass * speed * speed;
  const auto stored = [&](double depth) {
    return std::visit([&](const auto& law) { return law.potential(depth); }, contact_);
  };
  double low = 0, high = 1e-12;
  while (stored(high) < energy) {
    low = high;
    high *= 4;
    if (high > 1e6) return {};  // no spring at all: an impulse
  }
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (stored(middle) < energy ? low : high) = middle;
  }
  // The duration is exact for Hertz, near enough for the rest (physics 2.7).
  return {2.9432 * high / speed,
          std::visit([&](const auto& law) { return law.elastic(high); }, contact_)};
}

JointObservation ImperfectJoint::observe(double t, const Pose<double>& p1, const Pose<double>& p2,
                                         const double* memory, const double* states) const {
  JointObservation out;
  std::visit(
      [&](const auto& g) {
        out.eccentricity = g.eccentricity(p1, p2);
        out.ratio = g.ratio(p1, p2);
        out.contact_state = g.state(p1, p2);
        double deepest = -laws::kInfinity;
        for (int c = 0; c < contacts_; ++c) deepest = std::max(deepest, g.depth(c, p1, p2));
        out.gap = std::max(0.0, -deepest);
      },
      geometry_);
  double most = 0;
  for (int c = 0; c < contacts_; ++c) {
    const ContactMemory past = recall(memory + c * kContactMemory);
    if (past.touching == 0) continue;
    ContactPoint<double> point;
    if (leading(c, p1, p2, point)) out.penetration = std::max(out.penetration, point.depth);
    const bool lasting = t - past.start > kImpactTimes * past.contact_time;
    out.mode = std::max(out.mode, past.sticking != 0 ? 3.0 : lasting ? 2.0 : 1.0);
    const ContactForces<double> forces =
        evaluate<double>(c, p1, p2, memory, states + c * states_, {});
    const Resultant<double> sum = resultant<double>(c, p1, p2, memory);
    out.normal_force += forces.normal;
    if (!(sum.normal > 0)) continue;
    out.friction_force += forces.on_second.force + sum.push;
    if (sum.normal <= most) continue;
    most = sum.normal;
    out.slip_speed = motion_at(sum.normal_direction, sum.arm1, sum.arm2, p1, p2).slip.norm();
  }
  out.penetration = std::max(0.0, out.penetration);
  return out;
}

std::vector<laws::Derived> ImperfectJoint::derived() const {
  return std::visit([](const auto& law) { return law.derived(); }, contact_);
}

std::string ImperfectJoint::contact_name(int contact) const {
  return std::visit([&](const auto& g) { return std::string(g.contact_name(contact)); }, geometry_);
}

template ContactForces<double> ImperfectJoint::evaluate(int, const Pose<double>&,
                                                        const Pose<double>&, const double*,
                                                        const double*, const LoadHistory&) const;
template ContactForces<PairDual> ImperfectJoint::evaluate(int, const Pose<PairDual>&,
                                                          const Pose<PairDual>&, const double*,
                                                          const PairDual*,
                                                          const LoadHistory&) const;
template Resultant<double> ImperfectJoint::resultant(int, const Pose<double>&, const Pose<double>&,
                                                     const double*) const;
template Resultant<TimeDual> ImperfectJoint::resultant(int, const Pose<TimeDual>&,
                                                       const Pose<TimeDual>&, const double*) const;

}  // namespace freeplay::joints
