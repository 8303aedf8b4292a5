// SPDX-License-Identifier: Apache-2.0
#include "joints/traced_contact.hpp"

#include "tape/branches.hpp"

#include <array>

namespace freeplay::joints {
namespace {

using tape::Traced;

/// Normal force, its power and that of friction, and friction.
using Numbers = std::array<Traced, 6>;

/// ContactExpression::force where the parts touch.
std::optional<Traced> formula_force(const laws::ContactExpression& law,
                                    const laws::Contact<Traced>& contact) {
  if (!law.compiled) return {};
  const std::array at{contact.depth, contact.rate, contact.impact_rate,
                      law.mass * contact.mass_ratio};
  const auto force = law.compiled->on_tape(at);
  if (!force || law.tension) return force;
  return laws::never_tensile(*force);
}

std::optional<Traced> normal_force(const laws::ContactLaw& law,
                                   const laws::Contact<Traced>& contact) {
  return std::visit(
      [&]<class L>(const L& l) -> std::optional<Traced> {
        if constexpr (laws::is_recordable<L>())
          return l.force(contact);
        else if constexpr (std::is_same_v<L, laws::ContactExpression>)
          return formula_force(l, contact);
        else
          return {};
      },
      law);
}

std::optional<Vec3T<Traced>> friction_force(const laws::FrictionLaw& law, const Vec3T<Traced>& slip,
                                            const Traced& load) {
  return std::visit(
      [&]<class L>(const L& l) -> std::optional<Vec3T<Traced>> {
        if constexpr (laws::is_recordable<L>())
          return slip_force(l, slip, load);
        else
          return {};
      },
      law);
}

}  // namespace

std::optional<TracedForces> traced_forces(const ImperfectJoint& joint,
                                          const ContactPoint<Traced>& point,
                                          const ContactMotion<Traced>& motion,
                                          const TracedMemory& past) {
  bool recordable = true;
  const auto all = tape::Branches::record([&]() -> Numbers {
    Numbers out;
    out.fill(Traced(0.0));
    // In flight the parts pass through each other unhindered, as in ImperfectJoint::evaluate.
    if (past.touching == Traced(0.0) || !(point.depth > Traced(0.0))) return out;
    const auto normal =
        normal_force(joint.contact_law(),
                     {point.depth, motion.rate, past.impact_rate, past.mass_ratio, nullptr});
    recordable = recordable && normal.has_value();
    if (!normal) return out;
    out[0] = *normal * point.weight;
    out[1] = -out[0] * motion.rate;
    if (!joint.friction_law() || !(out[0] > Traced(0.0))) return out;
    const auto friction = friction_force(*joint.friction_law(), motion.slip, out[0]);
    recordable = recordable && friction.has_value();
    if (!friction) return out;
    out[2] = freeplay::dot(*friction, motion.slip);
    for (int k = 0; k < 3; ++k) out[static_cast<std::size_t>(k + 3)] = (*friction)[k];
    return out;
  });
  if (!all || !recordable) return {};
  return TracedForces{(*all)[0], (*all)[1], (*all)[2], {(*all)[3], (*all)[4], (*all)[5]}};
}

}  // namespace freeplay::joints
