// SPDX-License-Identifier: Apache-2.0
#include "joints/geometry.hpp"

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

/// Refuses the clearance of one joint, naming the key at fault.
class Refusal {
 public:
  explicit Refusal(const Joint& joint)
      : path_("joints." + joint.name + ".clearance"), line_(joint.line) {}

  [[noreturn]] void operator()(const std::string& key, std::string message,
                               std::string hint = {}) const {
    Issue issue;
    issue.line = line_;
    issue.path = key.empty() ? path_ : path_ + "." + key;
    issue.message = std::move(message);
    issue.hint = std::move(hint);
    throw ModelError(issue);
  }
  void need(double value, const std::string& key, const std::string& hint = {}) const {
    if (!(value > 0)) (*this)(key, fmt::format("'{}' is missing", key), hint);
  }
  /// The outer part must be the larger one.
  void fit(double outer, double inner, std::string_view outer_key,
           std::string_view inner_key) const {
    need(outer, std::string(outer_key));
    need(inner, std::string(inner_key));
    if (inner > outer)
      (*this)(std::string(inner_key), fmt::format("{:.6g} mm is larger than the {} of {:.6g} mm",
                                                  inner * 1e3, outer_key, outer * 1e3));
  }

 private:
  std::string path_;
  int line_;
};

bool gives(const LawChoice& law, std::string_view key) {
  return std::ranges::any_of(law.parameters, [&](const auto& p) { return p.first == key; });
}

/// Some laws cannot be spread over a line or a face: they act at rims and corners.
bool touches_at_points(const Clearance& c) {
  return c.points || laws::acts_at_points(c.contact.key);
}

/// Is one of its surfaces not a circle?
bool has_profile(const Clearance& c) { return c.outer_profile || c.inner_profile; }
/// Out of round, or going to be.
bool is_outlined(const Clearance& c) {
  return has_profile(c) || (c.wear && c.contact.key == laws::ElasticFoundation::key);
}
/// Does that part of a joint wear?
bool wears(const Clearance& c, std::string_view part) {
  return std::ranges::any_of(c.wear->law.parameters, [&](const auto& parameter) {
    return parameter.first == part && parameter.second > 0;
  });
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
G outlined(const Joint& joint) {
  const Clearance& c = *joint.clearance;
  G out;
  out.first = joint.first;
  out.second = joint.second;
  out.share = force_share(c.force_point);
  out.outer_radius = c.outer_radius;
  out.inner_radius = c.inner_radius;
  const Profile *outer = c.outer_profile ? &*c.outer_profile : nullptr,
                *inner = c.inner_profile ? &*c.inner_profile : nullptr;
  out.bearing = outline_of(outer, c.outer_radius);
  out.journal = outline_of(inner, c.inner_radius);
  // Only a bed knows the pressure on a worn surface.
  if (!c.wear || !has_bed(c)) return out;
  const std::vector<double> none(static_cast<std::size_t>(c.wear->sectors), 0.0);
  const auto depth = [&](const std::vector<double>& given) -> const std::vector<double>& {
    return given.empty() ? none : given;
  };
  out.bearing = worn_outline(outer, c.outer_radius, depth(c.wear->outer_depth), 1);
  if (!c.wear->inner_depth.empty() || wears(c, "inner"))
    out.journal = worn_outline(inner, c.inner_radius, depth(c.wear->inner_depth), -1);
  return out;
}

Geometry profiled_gap(const Joint& joint, const Refusal& refuse) {
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
    auto out = outlined<BedGap>(joint);
    fit(out);
    out.prepare(c.wear ? c.wear->sectors : 0);
    return out;
  }
  auto out = outlined<ProfileGap>(joint);
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

/// Profiles are for journals in bearings of planar mechanisms, dry.
void refuse_outline(const Model& model, const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  const std::string key = c.outer_profile ? "bearing_profile" : "journal_profile";
  if (kind_of(joint).play != PlayParts::bore || !model.planar)
    refuse(key,
           fmt::format("a {} joint of a {} mechanism is round: profiles are for revolute joints of "
                       "planar mechanisms",
                       name_of(joint.type), model.planar ? "planar" : "spatial"),
           "leave it out, or model the joint in the plane");
  if (c.film)
    refuse(key, "oil films know round bearings only",
           "leave out the profile for an oiled joint, or the film for a dry one");
}

/// Wear is followed in journals and bearings of planar mechanisms.
void refuse_wear(const Model& model, const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  const Wear& wear = *c.wear;
  if (kind_of(joint).play != PlayParts::bore || !model.planar)
    refuse("wear",
           fmt::format("wear of a {} joint in a {} mechanism is not followed: it is for revolute "
                       "joints of planar mechanisms",
                       name_of(joint.type), model.planar ? "planar" : "spatial"),
           "leave it out, or model the joint in the plane");
  if (laws::is_impulsive(c.contact.key))
    refuse("wear", "an impulse of Newton's impact law has no pressure that could wear",
           "take a contact law with a force, such as 'elastic-foundation' or 'exact'");
  if (wear.sectors < 36 || wear.sectors > 7200)
    refuse("wear.sectors", fmt::format("{} is outside [36, 7200]", wear.sectors));
  const bool bed = c.contact.key == laws::ElasticFoundation::key;
  for (const auto& [depth, key] : {std::pair(&wear.outer_depth, "wear.outer_depth"),
                                   std::pair(&wear.inner_depth, "wear.inner_depth")}) {
    if (depth->empty()) continue;
    if (depth->size() != static_cast<std::size_t>(wear.sectors))
      refuse(key, fmt::format("{} depths for {} sectors", depth->size(), wear.sectors));
    if (std::ranges::any_of(*depth, [](double d) { return !(d >= 0); }))
      refuse(key, "a depth is negative", "what is worn away counts as positive on both parts");
    if (!bed && std::ranges::any_of(*depth, [](double d) { return d > 0; }))
      refuse(
          key,
          fmt::format("law '{}' presses with the radii of the new parts, which a worn surface no "
                      "longer has",
                      c.contact.key),
          "take law = \"elastic-foundation\", whose pressure follows the worn shape");
  }
  if (bed && c.film)
    refuse("wear", "oil films know round bearings only, and this bed goes out of round",
           "leave out the film, or take a contact law that acts at a point");
}

/// Does the joint have end faces under a law of their own?
bool has_faces(const Model& model, const Joint& joint) {
  return kind_of(joint).play == PlayParts::bore && !model.planar &&
         !touches_at_points(*joint.clearance);
}

}  // namespace

bool has_bed(const Clearance& c) {
  return is_outlined(c) && c.contact.key == laws::ElasticFoundation::key;
}

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
  switch (kind_of(joint).play) {
    case PlayParts::ball:
      return radial_gap(joint, refuse);
    case PlayParts::bore:
      if (model.planar && is_outlined(*joint.clearance)) return profiled_gap(joint, refuse);
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
      // A bed out of round is pressed place by place, like a face: R L of it to the radian.
      if (has_bed(c)) site.face_half_width = 0.5 * std::sqrt(c.outer_radius * site.length);
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
