// SPDX-License-Identifier: Apache-2.0
#include "joints/imperfect_joint.hpp"

#include "core/scalars.hpp"
#include "joints/choose_law.hpp"
#include "joints/cushion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeplay::joints {
namespace {

/// A touch shorter than this many contact times is an impact, a longer one following motion
/// (theory/events).
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
  depth_limit_ = std::numeric_limits<double>::infinity();
  for (const double size : {c.inner_radius, 0.5 * c.inner_width, 0.5 * c.inner_height})
    if (size > 0) depth_limit_ = std::min(depth_limit_, size);
  const laws::ContactSite site = site_of(model, joint);
  free_mass_ = site.mass;
  choose_contact(joint, c.contact, site, path + ".contact");
  if (const double stiffness = face_stiffness(model, joint); stiffness > 0) {
    // Faces are a linear foundation that restitutes like the rest of the joint.
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
  if (c.film) {
    transition_ = transition_of(joint);
    clearance_ = c.outer_radius - c.inner_radius;
    // Some rules let roughness touch before the surfaces themselves do.
    if (auto* gap = std::get_if<RadialGap>(&geometry_)) {
      early_ = std::visit([](const auto& rule) { return rule.depth_offset(); }, *transition_);
      gap->outer_radius -= early_;
    }
  }
  if (!c.friction) return;
  friction_ = choose_law<laws::FrictionLaw>(joint, *c.friction, path + ".friction");
  std::visit(
      [&](const auto& law) {
        std::string why = law.conflict();
        if (impulse_ && why.empty() && !law.sticks_by_events)
          why =
              "an impulse of Newton's impact law has no finite load to work on; take 'coulomb', "
              "or a contact law with a force, such as 'exact'";
        const bool pulls = std::visit([](const auto& l) { return laws::pulls(l); }, contact_);
        if (law.states > 0 && pulls && why.empty())
          why =
              "its bristles need a load, and the contact law pulls before it lets go; take "
              "'memory-free', or friction without bristles";
        if (!why.empty())
          refuse(joint, path + ".friction",
                 fmt::format("law '{}' cannot serve here: {}", law.key, why));
        states_ = law.states;
      },
      *friction_);
  dry_ = joints::dry_friction(*friction_);
  if (dry_)
    aimless_ = aimless_speed(model);  // others have no use for it, and it looks at all joints
}

ImperfectJoint::ImperfectJoint(const Model& model, JointIndex index, const Stop& stop)
    : joint_(index) {
  const Joint& joint = model.joints[index];
  first_ = joint.first.body;
  second_ = joint.second.body;
  CoordinateStop geometry;
  geometry.joint = joint;
  geometry.coordinate = stop.coordinate;
  geometry.planar = model.planar;
  if (stop.lower) geometry.lower = *stop.lower;
  if (stop.upper) geometry.upper = *stop.upper;
  if (model.planar) {
    Pose<double> p1, p2;
    p1.R = p2.R = Mat3::Identity();
    p1.r = p2.r = Vec3::Zero();
    p1.angle = model.bodies[first_].angle;
    p2.angle = model.bodies[second_].angle;
    if (stop.coordinate == Coordinate::angle)
      geometry.turns = 2 * M_PI * std::round(geometry.measure(p1, p2).value / (2 * M_PI));
  }
  geometry_ = geometry;
  contacts_ = CoordinateStop::contacts();
  depth_limit_ = freeplay::is_angle(stop.coordinate) ? 2 * M_PI : 10 * scales_of(model).length;
  min_approach_speed_ = stop.min_approach_speed;
  // No materials and no curvature: laws that work out their stiffness need it given. The mass is
  // that of the coordinate, known only at each touch; dampers are scaled from 1.
  laws::ContactSite site;
  site.mass = free_mass_ = 1;
  choose_contact(joint, stop.contact, site, "joints." + joint.name + ".stop.contact");
}

void ImperfectJoint::choose_contact(const Joint& joint, const LawChoice& choice,
                                    const laws::ContactSite& site, const std::string& path) {
  contact_ = choose_law<laws::ContactLaw>(joint, choice, path);
  if (auto* own = std::get_if<laws::ContactPlugin>(&contact_))
    own->curved = !std::holds_alternative<SlotGap>(geometry_);  // there it changes along the slot
  std::visit(
      [&](auto& law) {
        if (const std::string why = law.misfit(site); !why.empty())
          refuse(joint, path, fmt::format("law '{}' cannot serve here: {}", law.key, why));
        law.prepare(site);
        law_memory_ = laws::memory_of<std::remove_cvref_t<decltype(law)>>();
        if constexpr (requires { law.restitution; })
          if (law.impulsive) impulse_ = law.restitution;
      },
      contact_);
  contact_memory_ = kContactMemory + count_numbers(law_memory_);
  // Place by place it is a face; as a whole the bearing of the mean circles.
  const bool ball = std::holds_alternative<BallBedGap>(geometry_);
  if (ball || std::holds_alternative<BedGap>(geometry_)) {
    laws::ContactSite round = site;
    round.face_half_width = 0;
    round.spherical = ball;
    whole_ = contact_;
    std::visit([&](auto& law) { law.prepare(round); }, *whole_);
  }
  if (const auto* own = std::get_if<laws::ContactExpression>(&contact_);
      own && own->code.uses(laws::ContactExpression::kRadius) &&
      std::holds_alternative<SlotGap>(geometry_))
    refuse(joint, path,
           fmt::format("law '{}' cannot serve here: its formula names 'radius', and the curvature "
                       "of a slot changes along it; give the formula a number of its own",
                       own->key));
  if (law_memory_.empty()) return;
  if (contacts_ > 1 && std::holds_alternative<ProfileGap>(geometry_))
    refuse(joint, path,
           fmt::format("law '{}' cannot serve here: the profile lets the parts touch at {} places, "
                       "and a dent would stay with one of them; take a law without memory",
                       laws::key_of(contact_), contacts_));
  if (const auto* slot = std::get_if<SlotGap>(&geometry_);
      slot && (slot->inner_scale != 1 || slot->end_scale != 1))
    refuse(joint, path,
           fmt::format("law '{}' cannot serve here: the curvature of the slot changes along it, "
                       "and with it what the law remembers; take a law without memory",
                       laws::key_of(contact_)));
}

double ImperfectJoint::deflection_scale() const {
  double out = 1;
  if (friction_)
    std::visit(
        [&](const auto& law) {
          if constexpr (requires { law.deflection_scale(); }) out = law.deflection_scale();
        },
        *friction_);
  return out;
}

template <class T>
T ImperfectJoint::normal_force(const ContactPoint<T>& point, const T& rate,
                               const Remembered& past) const {
  const laws::Contact<T> contact{point.depth, rate, past.impact_rate, past.mass_ratio, past.law};
  const T force = std::visit([&](const auto& law) { return T(law.force(contact)); },
                             point.surface == 1 && face_ ? *face_ : contact_) *
                  point.weight;
  if (!transition_) return force;
  const T e = point.depth + (clearance_ - early_);
  return force *
         std::visit([&](const auto& rule) { return rule.shares(e, clearance_).dry; }, *transition_);
}

template <class T>
PointForces<T> ImperfectJoint::forces_at(const ContactPoint<T>& point,
                                         const ContactMotion<T>& motion,
                                         const Remembered& past) const {
  PointForces<T> out{normal_force(point, motion.rate, past)};
  // Surfaces that pull at each other (laws with tension) are not rubbed by it.
  if (friction_ && !rubs_as_one() && value_of(out.normal) > 0)
    out.friction =
        act<T>(*friction_, motion.slip, out.normal, nullptr, 0, past.slip, aimless_).force;
  return out;
}

template <class T>
Vec3T<T> ImperfectJoint::dry_force(const Vec3T<T>& slip, const T& load,
                                   const ContactMemory& past) const {
  if (past.sticking == kSticks) return Vec3T<T>::Zero();
  if (past.sticking == kYields) return yield<T>(*dry_, load, past.slip);
  return act<T>(*friction_, slip, load, nullptr, 0, past.slip, aimless_).force;
}

template <class T>
void ImperfectJoint::add_point(const ContactPoint<T>& point, const Pose<T>& p1, const Pose<T>& p2,
                               const Remembered& past, ContactForces<T>& out,
                               Resultant<T>& sum) const {
  const ContactMotion<T> motion = motion_at(point, p1, p2);
  const PointForces<T> at = forces_at(point, motion, past);
  out.normal += at.normal;
  out.normal_power -= at.normal * motion.rate;
  Vec3T<T> on_inner = point.normal * T(-at.normal);
  if (friction_ && !rubs_as_one()) {
    on_inner += at.friction;
    out.friction_power += at.friction.dot(motion.slip);
  }
  if (rubs_as_one()) sum.add(point, at.normal);
  push(point, on_inner, out.on_first, out.on_second);
}

/// The end of a part that cuts a pressed line short is pushed out by the energy pressed there.
template <class T>
void ImperfectJoint::add_edge(const ContactPoint<T>& point, const Pose<T>& p1, const Pose<T>& p2,
                              ContactForces<T>& out) const {
  const T force =
      point.weight *
      std::visit([&](const auto& law) { return T(law.potential(point.depth)); }, contact_);
  out.normal_power -= force * motion_at(point, p1, p2).rate;
  push(point, Vec3T<T>(point.normal * T(-force)), out.on_first, out.on_second);
}

template <class T>
void ImperfectJoint::evaluate(int contact, const Pose<T>& p1, const Pose<T>& p2,
                              const double* memory, const T* states, const LoadHistory& history,
                              ContactForces<T>& out) const {
  out = {};
  const Remembered past = recall(memory + contact * contact_memory());
  // In flight the parts pass through each other unhindered: the step stays smooth, and the touch is
  // located on it before it counts.
  if (past.touching == 0 || impulse_) return;
  Resultant<T> sum;
  std::visit(
      [&](const auto& geometry) {
        geometry.points(contact, p1, p2, [&](const ContactPoint<T>& point) {
          add_point(point, p1, p2, past, out, sum);
        });
        if constexpr (requires { geometry.edges(0, p1, p2, [](const ContactPoint<T>&) {}); })
          geometry.edges(contact, p1, p2,
                         [&](const ContactPoint<T>& point) { add_edge(point, p1, p2, out); });
      },
      geometry_);
  if (!rubs_as_one() || !sum.finish()) return;

  // These laws act where the normal forces do on the whole: bristles since they are one, Coulomb's
  // since a contact sticks or slips as a whole.
  const Vec3T<T>& normal = sum.normal_direction;
  const Vec3T<T> slip = motion_at(normal, sum.arm1, sum.arm2, p1, p2).slip;
  if (dry_) {
    const Vec3T<T> force = dry_force<T>(slip, sum.normal, past);
    out.on_second.add(force, sum.arm2);
    out.on_first.add(-force, sum.arm1);
    out.friction_power = force.dot(slip);
    return;
  }
  std::array<T, kMaxFrictionStates> z;
  std::copy_n(states, states_, z.begin());
  Vec3T<T> bent(z[0], z[1], z[2]);
  bent -= normal * T(normal.dot(bent));  // what the turn of the plane left outside it
  for (int k = 0; k < 3; ++k) z[k] = bent[k];
  const auto action =
      act<T>(*friction_, slip, sum.normal, z.data(), history.load_rate, past.slip, aimless_);
  out.on_second.add(action.force, sum.arm2);
  out.on_first.add(-action.force, sum.arm1);
  out.friction_power = action.force.dot(slip);
  out.state_rate = action.state_rate;
  const Vec3T<T> carried = Vec3T<T>(history.turn.template cast<T>()).cross(bent);
  for (int k = 0; k < 3; ++k) out.state_rate[k] += carried[k];
}

template <class T>
Resultant<T> ImperfectJoint::resultant(int contact, const Pose<T>& p1, const Pose<T>& p2,
                                       const double* memory) const {
  Resultant<T> sum;
  const Remembered past = recall(memory + contact * contact_memory());
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

/// What ends that cut a pressed line short push the inner part with; N.
Vec3 ImperfectJoint::edge_push(int contact, const Pose<double>& p1, const Pose<double>& p2) const {
  Vec3 sum = Vec3::Zero();
  std::visit(
      [&](const auto& geometry) {
        if constexpr (requires { geometry.edges(0, p1, p2, [](const ContactPoint<double>&) {}); })
          geometry.edges(contact, p1, p2, [&](const ContactPoint<double>& point) {
            ContactForces<double> forces;
            add_edge(point, p1, p2, forces);
            sum += forces.on_second.force;
          });
      },
      geometry_);
  return sum;
}

double ImperfectJoint::allowed_friction(int contact, const Pose<double>& p1, const Pose<double>& p2,
                                        const double* memory) const {
  const Remembered past = recall(memory + contact * contact_memory());
  if (!friction_ || past.touching == 0 || impulse_) return 0;
  const auto most = [&](double speed, double load) {
    if (past.sticking != kSlips) speed = 0;
    return load * std::visit([&](const auto& law) { return laws::bound_under(law, speed, load); },
                             *friction_);
  };
  if (rubs_as_one()) {
    const Resultant<double> sum = resultant<double>(contact, p1, p2, memory);
    if (!(sum.normal > 0)) return 0;
    return most(motion_at(sum.normal_direction, sum.arm1, sum.arm2, p1, p2).slip.norm(),
                sum.normal);
  }
  double allowed = 0;
  std::visit(
      [&](const auto& geometry) {
        geometry.points(contact, p1, p2, [&](const ContactPoint<double>& point) {
          const ContactMotion<double> motion = motion_at(point, p1, p2);
          const double load = normal_force(point, motion.rate, past);
          if (load > 0) allowed += most(motion.slip.norm(), load);
        });
      },
      geometry_);
  return allowed;
}

double ImperfectJoint::half_play() const {
  return std::visit([](const auto& g) { return g.clearance(); }, geometry_);
}

double ImperfectJoint::depth(int contact, const Pose<double>& p1, const Pose<double>& p2) const {
  return std::visit([&](const auto& g) { return g.depth(contact, p1, p2); }, geometry_);
}

void ImperfectJoint::depths(const Pose<double>& p1, const Pose<double>& p2, double* out) const {
  std::visit(
      [&](const auto& g) {
        for (int c = 0; c < contacts_; ++c) out[c] = g.depth(c, p1, p2);
      },
      geometry_);
}

bool ImperfectJoint::is_angle() const {
  const auto* stop = std::get_if<CoordinateStop>(&geometry_);
  return stop && freeplay::is_angle(stop->coordinate);
}

double ImperfectJoint::play(int contact) const {
  if (const auto* gap = std::get_if<RadialGap>(&geometry_)) return gap->clearance();
  if (const auto* gap = std::get_if<SlotGap>(&geometry_)) return gap->clearance();
  if (const auto* gap = std::get_if<BoreGap>(&geometry_)) return contact < 2 ? gap->clearance() : 0;
  // Nearly one: the deepest place of a gap of the same width.
  if (const auto* gap = std::get_if<ProfileGap>(&geometry_); gap && contacts_ == 1)
    return gap->widest();
  if (const auto* gap = std::get_if<BedGap>(&geometry_)) return gap->widest();
  if (const auto* gap = std::get_if<BallBedGap>(&geometry_)) return gap->widest();
  return 0;
}

double ImperfectJoint::depth_rate(int contact, const Pose<double>& p1,
                                  const Pose<double>& p2) const {
  return std::visit(
      [&]<class G>(const G& g) {
        ContactPoint<double> point;
        bool known = false;
        if constexpr (requires { g.exists(contact); })
          if (!g.exists(contact)) return 0.0;
        if constexpr (requires { g.foremost(contact, p1, p2, point); })
          known = g.foremost(contact, p1, p2, point);
        else
          known = g.leading(contact, p1, p2, point);
        return known ? motion_at(point, p1, p2).rate : std::numeric_limits<double>::quiet_NaN();
      },
      geometry_);
}

template <class T>
bool ImperfectJoint::leading(int contact, const Pose<T>& p1, const Pose<T>& p2,
                             ContactPoint<T>& out) const {
  return std::visit([&](const auto& g) { return g.leading(contact, p1, p2, out); }, geometry_);
}

ImperfectJoint::ImpactEstimate ImperfectJoint::estimate_impact(double speed, double mass) const {
  if (!(speed > 0) || !(mass > 0)) return {};
  const double energy = 0.5 * mass * speed * speed;
  const laws::ContactLaw& whole = whole_ ? *whole_ : contact_;
  const auto stored = [&](double depth) {
    return std::visit([&](const auto& law) { return law.potential(depth); }, whole);
  };
  // Newton's method on logarithms: one step where the law is a power of the depth.
  constexpr double kFirstGuess = 1e-6, kNoSpring = 1e6;  // m
  constexpr double kSettled = 1e-12;                     // of the energy
  constexpr int kMostSteps = 60;
  double depth = kFirstGuess, force = 0;  // m, N
  for (int k = 0; k < kMostSteps; ++k) {
    const double work = stored(depth);
    force = std::visit([&](const auto& law) { return law.elastic(depth); }, whole);
    if (!(work > 0) || !(force > 0)) {
      depth *= 4;
    } else {
      if (std::abs(work - energy) < kSettled * energy) break;
      const double change = work / (force * depth) * std::log(energy / work);
      depth *= std::exp(std::clamp(change, -5.0, 5.0));
    }
    if (depth > kNoSpring) return {};  // no spring at all: an impulse
  }
  // The duration is exact for Hertz, near enough for the rest, theory/contact_laws (C.22).
  return {2.9432 * depth / speed, force};
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
    const Remembered past = recall(memory + c * contact_memory());
    if (past.touching == 0) continue;
    ContactPoint<double> point;
    if (leading(c, p1, p2, point)) out.penetration = std::max(out.penetration, point.depth);
    const bool lasting = t - past.start > kImpactTimes * past.contact_time;
    out.mode = std::max(out.mode, past.sticking != 0 ? 3.0 : lasting ? 2.0 : 1.0);
    ContactForces<double> forces;
    evaluate<double>(c, p1, p2, memory, states + c * states_, {}, forces);
    const Resultant<double> sum = resultant<double>(c, p1, p2, memory);
    out.normal_force += forces.normal;
    if (!(sum.normal > 0)) continue;
    const Vec3 friction = forces.on_second.force + sum.push - edge_push(c, p1, p2);
    out.friction_force += friction;
    // What sums of forces of this size leave as round-off is no friction.
    constexpr double kRounding = 1e-13;
    const double noise = kRounding * forces.normal, size = friction.norm();
    if (friction_ && size > noise)
      out.friction_use =
          std::max(out.friction_use, size / (allowed_friction(c, p1, p2, memory) + 10 * noise));
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

template PointForces<double> ImperfectJoint::forces_at(const ContactPoint<double>&,
                                                       const ContactMotion<double>&,
                                                       const Remembered&) const;
template Vec3 ImperfectJoint::dry_force(const Vec3&, const double&, const ContactMemory&) const;
template void ImperfectJoint::evaluate(int, const Pose<double>&, const Pose<double>&, const double*,
                                       const double*, const LoadHistory&,
                                       ContactForces<double>&) const;
template void ImperfectJoint::evaluate(int, const Pose<PairDual>&, const Pose<PairDual>&,
                                       const double*, const PairDual*, const LoadHistory&,
                                       ContactForces<PairDual>&) const;
template Resultant<double> ImperfectJoint::resultant(int, const Pose<double>&, const Pose<double>&,
                                                     const double*) const;
template Resultant<TimeDual> ImperfectJoint::resultant(int, const Pose<TimeDual>&,
                                                       const Pose<TimeDual>&, const double*) const;

template bool ImperfectJoint::leading(int, const Pose<double>&, const Pose<double>&,
                                      ContactPoint<double>&) const;
template bool ImperfectJoint::leading(int, const Pose<TimeDual>&, const Pose<TimeDual>&,
                                      ContactPoint<TimeDual>&) const;

}  // namespace freeplay::joints
