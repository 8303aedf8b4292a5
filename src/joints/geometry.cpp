// SPDX-License-Identifier: Apache-2.0
#include "joints/geometry.hpp"

namespace freeplay::joints {
namespace {

/// Mass two bodies bring to a contact if nothing else holds them: m1 m2 / (m1 + m2); kg.
double contact_mass(const Model& model, const Joint& joint) {
  double inverse = 0;
  for (BodyIndex b : {joint.first.body, joint.second.body})
    if (b != kGround && model.bodies[b].mass > 0) inverse += 1 / model.bodies[b].mass;
  return inverse > 0 ? 1 / inverse : 0;
}

}  // namespace

Geometry make_geometry(const Model& model, JointIndex index) {
  const Joint& joint = model.joints[index];
  return RadialGap{joint.first, joint.second, joint.clearance->outer_radius,
                   joint.clearance->inner_radius};
}

laws::ContactSite site_of(const Model& model, const Joint& joint) {
  const Clearance& c = *joint.clearance;
  const auto compliance = [](const Material& m) { return (1 - m.poisson * m.poisson) / m.young; };
  laws::ContactSite site;
  if (c.outer.young > 0 && c.inner.young > 0)
    site.composite_modulus = 1 / (compliance(c.outer) + compliance(c.inner));
  site.outer_radius = c.outer_radius;
  site.inner_radius = c.inner_radius;
  site.mass = contact_mass(model, joint);
  site.spherical = joint.type == JointType::spherical;
  site.external_curvature = c.external_curvature;
  return site;
}

}  // namespace freeplay::joints
