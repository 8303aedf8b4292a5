// SPDX-License-Identifier: Apache-2.0
#include "joints/imperfect_joint.hpp"

// Contact laws that remember: a new contact, how far a stretch of theirs is from its end, and what
// happens there (theory/contact_laws (C.23)); and laws that fail.
namespace freeplay::joints {

void ImperfectJoint::begin_law(double depth, double* memory) const {
  std::visit(
      [&]<class L>(const L& law) {
        if constexpr (laws::RemembersContact<L>) law.begin(depth, memory + kContactMemory);
      },
      contact_);
}

/// The one point at which a law that remembers is asked. Before and after the touch nothing presses
/// there, but the rate goes on.
laws::Contact<double> ImperfectJoint::seen_by_law(int contact, const Pose<double>& p1,
                                                  const Pose<double>& p2,
                                                  const double* memory) const {
  const Remembered past = recall(memory + contact * contact_memory());
  laws::Contact<double> out{0, 0, past.impact_rate, past.mass_ratio, past.law};
  ContactPoint<double> point;
  if (!leading(contact, p1, p2, point)) return out;
  out.depth = point.depth;
  out.rate = motion_at(point, p1, p2).rate;
  return out;
}

laws::StretchEnd ImperfectJoint::stretch_end(int contact, const Pose<double>& p1,
                                             const Pose<double>& p2, const double* memory) const {
  return std::visit(
      [&]<class L>(const L& law) -> laws::StretchEnd {
        if constexpr (laws::RemembersContact<L>)
          return law.stretch_end(seen_by_law(contact, p1, p2, memory));
        return {};
      },
      contact_);
}

bool ImperfectJoint::stretch_is_length(const double* memory) const {
  return std::visit(
      [&]<class L>(const L& law) {
        if constexpr (laws::RemembersContact<L>) return law.ends_at_depth(memory + kContactMemory);
        return false;
      },
      contact_);
}

void ImperfectJoint::turn_law(int contact, const Pose<double>& p1, const Pose<double>& p2,
                              double* memory) const {
  std::visit(
      [&]<class L>(const L& law) {
        if constexpr (laws::RemembersContact<L>)
          law.turn(seen_by_law(contact, p1, p2, memory),
                   memory + contact * contact_memory() + kContactMemory);
      },
      contact_);
}

std::string ImperfectJoint::trouble() const {
  std::string out = laws::trouble_of(contact_);
  if (out.empty() && friction_) out = laws::trouble_of(*friction_);
  return out;
}

}  // namespace freeplay::joints
