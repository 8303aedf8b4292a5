// SPDX-License-Identifier: Apache-2.0
#include "joints/geometry.hpp"

#include "films/transition.hpp"
#include "joints/geometry_rules.hpp"
#include "joints/worn_surface.hpp"
#include "laws/contact_laws.hpp"
#include "model/joint_types.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>

namespace freeplay::joints {
namespace {

bool gives(const LawChoice& law, std::string_view key) {
  return std::ranges::any_of(law.parameters, [&](const auto& p) { return p.first == key; });
}

/// Mass two bodies bring to a contact if nothing else holds them: m1 m2 / (m1 + m2); kg.
double contact_mass(const Model& model, const Joint& joint) {
  double inverse = 0;
  for (BodyIndex b : {joint.first.body, joint.second.body})
    if (b != kGround && model.bodies[b].mass > 0) inverse += 1 / model.bodies[b].mass;
  return inverse > 0 ? 1 / inverse : 0;
}

double composite_modulus(const Clearance& c) {
  const auto compliance = [](const Material& m) { return (1 - m.poisson * m.poisson) / m.young; };
  return c.outer.young > 0 && c.inner.young > 0 ? 1 / (compliance(c.outer) + compliance(c.inner))
                                                : 0;
}

// ---- curvature of a slot's walls against its pin, as 1/R_eff; 1/m

double end_curvature(const Clearance& c) { return 1 / c.inner_radius - 1 / c.outer_radius; }
double outer_wall_curvature(const Model& model, const Joint& joint) {
  const Clearance& c = *joint.clearance;
  if (kind_of(joint).play == PlayParts::arc)
    return 1 / c.inner_radius - 1 / (joint.length + c.outer_radius);
  // A ball in a round tube: flat along it, hollow across; the geometric mean serves for the
  // ellipse.
  return model.planar ? 1 / c.inner_radius : std::sqrt(end_curvature(c) / c.inner_radius);
}
double inner_wall_curvature(const Model& model, const Joint& joint) {
  const Clearance& c = *joint.clearance;
  return kind_of(joint).play == PlayParts::arc
             ? 1 / c.inner_radius + 1 / (joint.length - c.outer_radius)
             : outer_wall_curvature(model, joint);
}

// ---- one geometry each

RadialGap radial_gap(const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  const ClearanceKeys keys = clearance_keys(joint.type);
  refuse.fit(c.outer_radius, c.inner_radius, keys.outer, keys.inner);
  RadialGap out;
  out.first = joint.first;
  out.second = joint.second;
  out.share = force_share(c.force_point);
  out.outer_radius = c.outer_radius;
  out.inner_radius = c.inner_radius;
  return out;
}

/// What a bearing that is out of round has in common, point contact or bed.
template <class G>
G outlined(const Model& model, const Joint& joint) {
  const Clearance& c = *joint.clearance;
  G out;
  out.first = joint.first;
  out.second = joint.second;
  out.share = force_share(c.force_point);
  out.outer_radius = c.outer_radius;
  out.inner_radius = c.inner_radius;
  auto [bearing, journal] = outlines_of(model, joint);
  out.bearing = std::move(bearing);
  out.journal = std::move(journal);
  return out;
}

BallBedGap ball_bed_gap(const Model& model, const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  const ClearanceKeys keys = clearance_keys(joint.type);
  refuse.fit(c.outer_radius, c.inner_radius, keys.outer, keys.inner);
  BallBedGap out;
  out.first = joint.first;
  out.second = joint.second;
  out.share = force_share(c.force_point);
  out.outer_radius = c.outer_radius;
  out.inner_radius = c.inner_radius;
  const auto surfaces = worn_surfaces(joint, model.planar);
  out.socket = {surfaces[0], c.wear->outer_depth};
  out.ball = {surfaces[1], c.wear->inner_depth};
  out.prepare(surfaces[0]);
  return out;
}

Geometry profiled_gap(const Model& model, const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  refuse.fit(c.outer_radius, c.inner_radius, "bearing_radius", "journal_radius");
  for (const auto& [profile, radius, key] :
       {std::tuple(&c.outer_profile, c.outer_radius, "bearing_profile"),
        std::tuple(&c.inner_profile, c.inner_radius, "journal_profile")})
    if (*profile && own_radius(**profile) > 0 && own_radius(**profile) != radius)
      refuse(key,
             fmt::format("its mean radius of {:.17g} m is not the radius of {:.17g} m beside it",
                         own_radius(**profile), radius));
  const auto fit = [&](const auto& gap) {
    const double least = gap.clearance() + gap.bearing.least() - gap.journal.greatest();
    if (!(least > 0))
      refuse(c.inner_profile ? "journal_profile" : "bearing_profile",
             fmt::format("at its highest place the journal does not fit into the narrowest of the "
                         "bearing: {:.6g} mm too large",
                         -least * 1e3),
             "make the clearance larger or the profiles flatter");
  };
  if (has_bed(c)) {
    auto out = outlined<BedGap>(model, joint);
    fit(out);
    out.prepare(c.wear ? c.wear->sectors : 0);
    return out;
  }
  auto out = outlined<ProfileGap>(model, joint);
  fit(out);
  const char* const remedy =
      "take law = \"elastic-foundation\", which presses wherever the surfaces overlap; or a "
      "flatter "
      "or more strongly filtered profile";
  if (!out.divide())
    refuse("journal_profile",
           "bearing and journal are both out of round, and bent so sharply that they touch at "
           "several places which wander over both; point contacts cannot follow them",
           remedy);
  if (out.contacts() > kMostPatches)
    refuse(c.inner_profile ? "journal_profile" : "bearing_profile",
           fmt::format("the surface has {} places to touch at; point contacts are for up to {}",
                       out.contacts(), kMostPatches),
           remedy);
  return out;
}

BoreGap bore_gap(const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  refuse.fit(c.outer_radius, c.inner_radius, "bearing_radius", "journal_radius");
  BoreGap out;
  out.first = joint.first;
  out.second = joint.second;
  out.share = force_share(c.force_point);
  out.outer_radius = c.outer_radius;
  out.inner_radius = c.inner_radius;
  out.outer_half_length = 0.5 * c.outer_length;
  out.inner_half_length = 0.5 * c.inner_length;
  out.points_only = touches_at_points(c);
  refuse.need(c.inner_length, "journal_length");
  if (kind_of(joint).play == PlayParts::sleeve) {
    if (c.through)
      refuse("through", "nothing stops a cylindrical joint along its axis", "leave it out");
    out.through = c.outer_length > 0 && c.inner_length > c.outer_length;
    return out;
  }
  refuse.need(c.outer_length, "bearing_length");
  out.faces = true;
  out.through = c.through;
  if (!c.through) {
    if (c.inner_length > c.outer_length)
      refuse("journal_length",
             fmt::format("{:.6g} mm is larger than the bearing_length of {:.6g} mm",
                         c.inner_length * 1e3, c.outer_length * 1e3),
             "a pin that runs through its bearing, with flanges at its ends, has through = true");
    out.face_outer = c.inner_radius;
    return out;
  }
  if (c.inner_length < c.outer_length)
    refuse("journal_length",
           fmt::format("{:.6g} mm between the flanges leave no room for the bearing_length of "
                       "{:.6g} mm",
                       c.inner_length * 1e3, c.outer_length * 1e3));
  refuse.need(c.flange_radius, "flange_radius", "a through-pin is held by its flanges");
  if (c.flange_radius <= c.outer_radius)
    refuse("flange_radius", fmt::format("{:.6g} mm is not larger than the bearing_radius of "
                                        "{:.6g} mm",
                                        c.flange_radius * 1e3, c.outer_radius * 1e3));
  out.face_inner = c.outer_radius;
  out.face_outer = c.flange_radius;
  return out;
}

GuideGap guide_gap(const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  refuse.fit(c.outer_width, c.inner_width, "guide_width", "slider_width");
  refuse.need(c.inner_length, "slider_length");
  GuideGap out;
  out.first = joint.first;
  out.second = joint.second;
  out.share = force_share(c.force_point);
  out.outer_width = c.outer_width;
  out.inner_width = c.inner_width;
  out.outer_half_length = 0.5 * c.outer_length;
  out.inner_half_length = 0.5 * c.inner_length;
  out.points_only = touches_at_points(c);
  return out;
}

TubeGap tube_gap(const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  refuse.fit(c.outer_width, c.inner_width, "guide_width", "slider_width");
  refuse.fit(c.outer_height, c.inner_height, "guide_height", "slider_height");
  refuse.need(c.inner_length, "slider_length");
  if (c.outer_length > 0)
    refuse("guide_length", "a tube has no ends", "leave it out: the box must stay inside");
  TubeGap out;
  out.first = joint.first;
  out.second = joint.second;
  out.share = force_share(c.force_point);
  out.outer_size = {c.outer_width, c.outer_height};
  out.inner_size = {c.inner_width, c.inner_height};
  out.inner_half_length = 0.5 * c.inner_length;
  out.points_only = touches_at_points(c);
  return out;
}

SlotGap slot_gap(const Model& model, const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  refuse.fit(c.outer_radius, c.inner_radius, "slot_radius", "pin_radius");
  SlotGap out;
  out.first = joint.first;
  out.second = joint.second;
  out.share = force_share(c.force_point);
  out.outer_radius = c.outer_radius;
  out.inner_radius = c.inner_radius;
  out.ends = c.ends;
  const bool arc = kind_of(joint).play == PlayParts::arc;
  if (c.ends && !(c.ends->to > c.ends->from)) refuse("slot.to", "is not beyond 'from'");
  if (arc) {
    out.arc_radius = joint.length;
    if (joint.length <= c.outer_radius)
      refuse("slot_radius",
             fmt::format("{:.6g} mm reach over the centre of the arc, {:.6g} mm away",
                         c.outer_radius * 1e3, joint.length * 1e3));
    if (c.ends && c.ends->to - c.ends->from >= 2 * std::numbers::pi)
      refuse("slot.to", "the arc closes on itself", "leave the ends out: a full circle has none");
  }
  // Only a stiffness that comes from the radii changes along the slot.
  if (gives(c.contact, "stiffness") || c.contact.expression || laws::is_impulsive(c.contact.key))
    return out;
  const double wall = outer_wall_curvature(model, joint);
  const auto scale = [&](double curvature) { return std::pow(wall / curvature, 0.2); };
  out.inner_scale = scale(inner_wall_curvature(model, joint));
  out.end_scale = c.outer_radius > c.inner_radius ? scale(end_curvature(c)) : 1;
  return out;
}

/// Profiles are for journals in bearings of planar mechanisms.
void refuse_outline(const Model& model, const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  const std::string key = c.outer_profile ? "bearing_profile" : "journal_profile";
  if (kind_of(joint).play != PlayParts::bore || !model.planar)
    refuse(key,
           fmt::format("a {} joint of a {} mechanism is round: profiles are for revolute joints of "
                       "planar mechanisms",
                       name_of(joint.type), model.planar ? "planar" : "spatial"),
           "leave it out, or model the joint in the plane");
}

/// Where both oil and walls bear, rules between them measure from the middle of round surfaces.
void refuse_rule(const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  if (c.film->transition && c.film->transition->key != films::AdditiveTransition::key)
    refuse("film.transition",
           fmt::format("rule '{}' measures from the middle of round surfaces",
                       c.film->transition->key),
           "leave it out: film and contact of surfaces out of round add up");
}

/// Does the joint have end faces under a law of their own?
bool has_faces(const Model& model, const Joint& joint) {
  return kind_of(joint).play == PlayParts::bore && !model.planar &&
         !touches_at_points(*joint.clearance);
}

}  // namespace

ClearanceKeys clearance_keys(JointType type) {
  switch (kind_of(type).play) {
    case PlayParts::ball:
      return {"socket_radius", "ball_radius"};
    case PlayParts::bore:
    case PlayParts::sleeve:
    case PlayParts::cross:
      return {"bearing_radius", "journal_radius"};
    case PlayParts::guide:
      return {"guide_width", "slider_width"};
    case PlayParts::slot:
    case PlayParts::arc:
      return {"slot_radius", "pin_radius"};
    case PlayParts::none:
      break;
  }
  return {};
}

bool takes_clearance(JointType type, bool planar) {
  const PlayParts parts = kind_of(type).play;
  if (parts == PlayParts::arc) return planar;
  return parts != PlayParts::none && parts != PlayParts::cross;
}

Geometry make_geometry(const Model& model, JointIndex index) {
  const Joint& joint = model.joints[index];
  const Refusal refuse(joint);
  if (has_profile(*joint.clearance)) refuse_outline(model, joint, refuse);
  if (joint.clearance->wear) refuse_wear(model, joint, refuse);
  if (joint.clearance->film && (has_profile(*joint.clearance) || has_bed(model, joint)))
    refuse_rule(joint, refuse);
  switch (kind_of(joint).play) {
    case PlayParts::ball:
      if (has_ball_bed(model, joint)) return ball_bed_gap(model, joint, refuse);
      return radial_gap(joint, refuse);
    case PlayParts::bore:
      if (model.planar && is_outlined(*joint.clearance)) return profiled_gap(model, joint, refuse);
      if (model.planar) return radial_gap(joint, refuse);
      return bore_gap(joint, refuse);
    case PlayParts::sleeve:
      return bore_gap(joint, refuse);
    case PlayParts::guide:
      if (model.planar) return guide_gap(joint, refuse);
      return tube_gap(joint, refuse);
    case PlayParts::slot:
      return slot_gap(model, joint, refuse);
    case PlayParts::arc:
      if (model.planar) return slot_gap(model, joint, refuse);
      break;
    case PlayParts::cross:
    case PlayParts::none:
      break;
  }
  refuse("", fmt::format("a {} joint of a {} mechanism has no contact geometry",
                         name_of(joint.type), model.planar ? "planar" : "spatial"));
}

laws::ContactSite site_of(const Model& model, const Joint& joint) {
  const Clearance& c = *joint.clearance;
  laws::ContactSite site;
  site.composite_modulus = composite_modulus(c);
  site.mass = contact_mass(model, joint);
  const PlayParts parts = kind_of(joint).play;
  site.spherical = parts == PlayParts::ball;
  site.external_curvature = c.external_curvature;
  switch (parts) {
    case PlayParts::guide: {
      // Point laws see rounded corners on plane walls; the law of plane faces a square of the same
      // area (Lankarani 1988), the mean of the faces where a box has two kinds. A planar slider
      // without a height counts as square.
      if (c.corner_radius > 0) {
        site.inner_radius = c.corner_radius;
        site.outer_radius = laws::kInfinity;
      }
      const double height = c.inner_height > 0 ? c.inner_height : c.inner_length;
      const double across = model.planar ? height : 0.5 * (c.inner_width + c.inner_height);
      site.face_half_width = 0.5 * std::sqrt(c.inner_length * across);
      break;
    }
    case PlayParts::slot:
    case PlayParts::arc: {
      // The radius of the wall that gives the curvature of the contact (infinite: a plane).
      const double hollow = 1 / c.inner_radius - outer_wall_curvature(model, joint);
      site.inner_radius = c.inner_radius;
      site.outer_radius = hollow > 0 ? 1 / hollow : laws::kInfinity;
      break;
    }
    case PlayParts::ball:
    case PlayParts::bore:
    case PlayParts::sleeve:
    case PlayParts::cross: {
      site.outer_radius = c.outer_radius;
      site.inner_radius = c.inner_radius;
      const double a = c.outer_length, b = c.inner_length;
      site.length = a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
      // A bed out of round is pressed place by place, like a face: R L of it to the radian, R^2 to
      // the unit of solid angle.
      if (has_ball_bed(model, joint)) {
        site.spherical = false;
        site.face_half_width = 0.5 * c.outer_radius;
      }
      if (has_bed(model, joint))
        site.face_half_width = 0.5 * std::sqrt(c.outer_radius * site.length);
      break;
    }
    case PlayParts::none:
      break;
  }
  return site;
}

double face_stiffness(const Model& model, const Joint& joint) {
  if (!has_faces(model, joint)) return 0;
  const Clearance& c = *joint.clearance;
  const double R = c.through ? c.flange_radius : c.inner_radius,
               hole = c.through ? c.outer_radius : 0;
  const double area = std::numbers::pi * (R - hole) * (R + hole);
  if (c.face_modulus > 0) return c.face_modulus * area;
  const double modulus = composite_modulus(c);
  if (!(modulus > 0))
    Refusal{joint}("face_modulus", "the stiffness of the end faces is not known",
                   "give a 'material', or 'face_modulus' in Pa/m; or form = \"rim\" for point "
                   "contacts under the contact law");
  return 0.5 * std::sqrt(area) * modulus / 0.475;  // theory/contact_laws (C.21), equal area
}

}  // namespace freeplay::joints
