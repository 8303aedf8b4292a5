// SPDX-License-Identifier: Apache-2.0
#include "joints/imperfect_joint.hpp"

#include "core/scalars.hpp"
#include "joints/geometry.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <cmath>

namespace freeplay::joints {
namespace {

/// A law from the catalogue with the parameters of the model.
template <class V>
V choose(const LawChoice& choice, const std::string& path) {
  auto law = laws::make_law<V>(choice.key);
  const auto refuse = [&](const std::string& where, const std::string& message) {
    Issue issue;
    issue.path = where;
    issue.message = message;
    throw ModelError(issue);
  };
  if (!law) refuse(path + ".law", fmt::format("'{}' is not in the catalogue", choice.key));
  for (const auto& [key, value] : choice.parameters) {
    if (double* parameter = laws::find_parameter(*law, key))
      *parameter = value;
    else if (bool* flag = laws::find_flag(*law, key))
      *flag = value != 0;
    else
      refuse(path + "." + key, fmt::format("law '{}' has no such parameter", choice.key));
  }
  return *law;
}

/// Friction force on the inner part: -ratio(v) F_N v_T (physics 4: the minus sign is not optional).
template <class T>
Vec3T<T> friction_force(const laws::FrictionLaw& law, const Vec3T<T>& slip, const T& normal_force) {
  using std::sqrt;
  return std::visit(
      [&]<class L>(const L& l) -> Vec3T<T> {
        if constexpr (requires { l.ratio(normal_force); }) {
          const T speed = sqrt(slip.dot(slip) + 1e-40);
          return slip * T(-l.ratio(speed) * normal_force);
        } else {
          return Vec3T<T>::Zero();
        }
      },
      law);
}

}  // namespace

ImperfectJoint::ImperfectJoint(const Model& model, JointIndex index) : joint_(index) {
  const Joint& joint = model.joints[index];
  const Clearance& c = *joint.clearance;
  const std::string path = "joints." + joint.name + ".clearance";
  gap_.first = joint.first;
  gap_.second = joint.second;
  gap_.outer_radius = c.outer_radius;
  gap_.inner_radius = c.inner_radius;
  min_approach_speed_ = c.min_approach_speed;
  const laws::ContactSite site = site_of(model, joint);
  contact_ = choose<laws::ContactLaw>(c.contact, path + ".contact");
  std::visit(
      [&](auto& law) {
        std::string why = law.misfit(site);
        if (why.empty() && law.impulsive) why = "impulses do not run in clearance joints yet";
        if (!why.empty()) {
          Issue issue;
          issue.line = joint.line;
          issue.path = path + ".contact";
          issue.message = fmt::format("law '{}' cannot serve here: {}", law.key, why);
          throw ModelError(issue);
        }
        law.prepare(site);
      },
      contact_);
  if (!c.friction) return;
  friction_ = choose<laws::FrictionLaw>(*c.friction, path + ".friction");
  std::visit(
      [&](const auto& law) {
        std::string why = law.conflict();
        if (why.empty() && law.states > 0) why = "bristle laws do not run in clearance joints yet";
        if (why.empty() && law.sticks_by_events)
          why = "stick by events does not run in clearance joints yet";
        if (why.empty()) return;
        Issue issue;
        issue.line = joint.line;
        issue.path = path + ".friction";
        issue.message = fmt::format("law '{}' cannot serve here: {}", law.key, why);
        throw ModelError(issue);
      },
      *friction_);
}

template <class T>
JointForces<T> ImperfectJoint::evaluate(const Pose<T>& p1, const Pose<T>& p2,
                                        const double* memory) const {
  JointForces<T> out;
  const ContactMemory past = recall(memory);
  // In flight the parts pass through each other unhindered: the step stays smooth, and the touch is
  // located on it before it counts.
  ContactPoint<T> point;
  if (past.touching == 0 || !gap_.contact(p1, p2, point) || value_of(point.depth) <= 0) return out;
  const ContactMotion<T> motion = motion_at(point, p1, p2);
  const T normal = std::visit(
      [&](const auto& law) {
        return law.force(laws::Contact<T>{point.depth, motion.rate, past.impact_rate});
      },
      contact_);
  Vec3T<T> on_inner = point.normal * T(-normal);
  out.normal_power = -normal * motion.rate;
  if (friction_) {
    const Vec3T<T> tangential = friction_force(*friction_, motion.slip, normal);
    on_inner += tangential;
    out.friction_power = tangential.dot(motion.slip);
  }
  out.on_second.add(on_inner, point.arm2);
  out.on_first.add(-on_inner, point.arm1);
  return out;
}

void ImperfectJoint::depths(const Pose<double>& p1, const Pose<double>& p2, double* out) const {
  out[0] = gap_.depth(p1, p2);
}

double ImperfectJoint::approach_speed(int, const Pose<double>& p1, const Pose<double>& p2) const {
  ContactPoint<double> point;
  return gap_.contact(p1, p2, point) ? motion_at(point, p1, p2).rate : 0;
}

std::pair<double, double> ImperfectJoint::load(int, const Pose<double>& p1, const Pose<double>& p2,
                                               const double* memory) const {
  const JointObservation now = observe(p1, p2, memory);
  return {now.normal_force, now.penetration};
}

JointObservation ImperfectJoint::observe(const Pose<double>& p1, const Pose<double>& p2,
                                         const double* memory) const {
  JointObservation out;
  const ContactMemory past = recall(memory);
  const double c = gap_.clearance();
  out.eccentricity = gap_.eccentricity(p1, p2);
  const double depth = gap_.depth(p1, p2);
  out.ratio = c > 0 ? out.eccentricity.norm() / c : 0;
  out.gap = std::max(0.0, -depth);
  ContactPoint<double> point;
  if (past.touching == 0 || depth <= 0 || !gap_.contact(p1, p2, point)) return out;
  const ContactMotion<double> motion = motion_at(point, p1, p2);
  out.penetration = depth;
  out.mode = 1;
  out.slip_speed = motion.slip.norm();
  out.normal_force = std::visit(
      [&](const auto& law) {
        return law.force(laws::Contact<double>{depth, motion.rate, past.impact_rate});
      },
      contact_);
  if (friction_) out.friction_force = friction_force(*friction_, motion.slip, out.normal_force);
  return out;
}

std::vector<laws::Derived> ImperfectJoint::derived() const {
  return std::visit([](const auto& law) { return law.derived(); }, contact_);
}

template JointForces<double> ImperfectJoint::evaluate(const Pose<double>&, const Pose<double>&,
                                                      const double*) const;
template JointForces<PairDual> ImperfectJoint::evaluate(const Pose<PairDual>&,
                                                        const Pose<PairDual>&, const double*) const;

}  // namespace freeplay::joints
