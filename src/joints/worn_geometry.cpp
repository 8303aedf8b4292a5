// SPDX-License-Identifier: Apache-2.0
#include "joints/geometry.hpp"
#include "joints/geometry_rules.hpp"
#include "joints/imperfect_joint.hpp"
#include "joints/worn_surface.hpp"
#include "model/joint_types.hpp"

#include <algorithm>
#include <string>
#include <tuple>

// Which joints wear, which shapes follow, and the surfaces as they are by then.
namespace freeplay::joints {
namespace {

/// Does that part of a joint wear?
bool wears(const Clearance& c, std::string_view part) {
  return std::ranges::any_of(c.wear->law.parameters, [&](const auto& parameter) {
    return parameter.first == part && parameter.second > 0;
  });
}

/// Wear needs surfaces of known extent that are pressed over an area.
void refuse_unworn(const Model& model, const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  const PlayParts parts = kind_of(joint).play;
  const bool slot = parts == PlayParts::slot || parts == PlayParts::arc,
             bore = parts == PlayParts::bore || parts == PlayParts::sleeve;
  if (model.planar ? parts == PlayParts::ball : parts == PlayParts::guide || slot)
    refuse("wear",
           fmt::format("wear of a {} joint in a {} mechanism is not followed: it is for balls and "
                       "cylinders in space, and for pins, guides and slots in the plane",
                       name_of(joint.type), model.planar ? "planar" : "spatial"),
           "leave it out, or model the joint in the plane");
  if (c.points && (bore || parts == PlayParts::guide))
    refuse("wear", "rims and corners press without an area",
           "take form = \"distributed\", which spreads the contact over lines and faces");
  if (touches_at_points(c) && (parts == PlayParts::guide || (bore && !model.planar)))
    refuse("wear",
           fmt::format("law '{}' acts at rims and corners, which press without an area",
                       c.contact.key),
           "take another contact law with a force, such as 'exact'");
  if (bore && !model.planar) {
    refuse.need(c.outer_length, "bearing_length", "wear counts in stations along it");
    refuse.need(c.inner_length, "journal_length", "wear counts in stations along it");
  }
  if (parts == PlayParts::guide)
    refuse.need(c.outer_length, "guide_length", "wear counts in stations along it");
  if (!slot) return;
  refuse.need(c.inner_length, "pin_length", "pressure needs an area");
  if (!c.ends)
    refuse(parts == PlayParts::arc ? "arc" : "slot", "a slot without ends has no cells",
           "give its ends, 'from' and 'to'");
}

}  // namespace

bool is_outlined(const Clearance& c) {
  return has_profile(c) || (c.wear && c.contact.key == laws::ElasticFoundation::key);
}
bool has_bed(const Clearance& c) {
  return is_outlined(c) && c.contact.key == laws::ElasticFoundation::key;
}
bool has_bed(const Model& model, const Joint& joint) {
  return model.planar && kind_of(joint).play == PlayParts::bore && has_bed(*joint.clearance);
}
bool has_ball_bed(const Model& model, const Joint& joint) {
  return !model.planar && kind_of(joint).play == PlayParts::ball && has_bed(*joint.clearance);
}

void refuse_wear(const Model& model, const Joint& joint, const Refusal& refuse) {
  const Clearance& c = *joint.clearance;
  const Wear& wear = *c.wear;
  if (laws::is_impulsive(c.contact.key))
    refuse("wear", "an impulse of Newton's impact law has no pressure that could wear",
           "take a contact law with a force, such as 'elastic-foundation' or 'exact'");
  refuse_unworn(model, joint, refuse);
  for (const auto& [count, least, most, key] : {std::tuple(wear.sectors, 36, 7200, "sectors"),
                                                std::tuple(wear.stations, 1, 1000, "stations"),
                                                std::tuple(wear.cells, 100, 100'000, "cells")})
    if (count < least || count > most)
      refuse(std::string("wear.") + key, fmt::format("{} is outside [{}, {}]", count, least, most));
  if (wear.update > 0 && !follows_wear(model, joint))
    refuse(
        "wear.update",
        "only beds in bearings of the plane and in sockets have a pressure that follows the worn "
        "shape",
        "take law = \"elastic-foundation\" in a planar revolute or a spherical joint, or leave "
        "it out");
  if (has_ball_bed(model, joint) && c.film)
    refuse("wear", "oil films know round balls only, and this bed goes out of round",
           "leave out the film, or take a contact law that acts at a point");
  if (wear.update > 0 && c.film)
    refuse("wear.update", "an oil film keeps the shape that its bearing has at the start",
           "leave it out");
  const int cells = worn_cells(joint, model.planar);
  for (const auto& [depth, key] : {std::pair(&wear.outer_depth, "wear.outer_depth"),
                                   std::pair(&wear.inner_depth, "wear.inner_depth")}) {
    if (depth->empty()) continue;
    if (depth->size() != static_cast<std::size_t>(cells))
      refuse(key, fmt::format("{} depths for {} {}", depth->size(), cells,
                              cells == wear.sectors ? "sectors" : "cells"));
    if (std::ranges::any_of(*depth, [](double d) { return !(d >= 0); }))
      refuse(key, "a depth is negative", "what is worn away counts as positive on both parts");
    if (std::ranges::none_of(*depth, [](double d) { return d > 0; })) continue;
    if (c.contact.key != laws::ElasticFoundation::key)
      refuse(
          key,
          fmt::format("law '{}' presses with the radii of the new parts, which a worn surface no "
                      "longer has",
                      c.contact.key),
          "take law = \"elastic-foundation\", whose pressure follows the worn shape");
    if (!follows_wear(model, joint))
      refuse(key,
             fmt::format("the shape of a worn {} joint of a {} mechanism is not followed",
                         name_of(joint.type), model.planar ? "planar" : "spatial"),
             "leave it out: a run counts what is lost from then on");
  }
}

Outlines outlines_of(const Model& model, const Joint& joint) {
  const auto& wear = joint.clearance->wear;
  if (!wear) return outlines_of(model, joint, {}, {});
  return outlines_of(model, joint, wear->outer_depth, wear->inner_depth);
}

Outlines outlines_of(const Model& model, const Joint& joint, std::span<const double> outer_depth,
                     std::span<const double> inner_depth) {
  const Clearance& c = *joint.clearance;
  const Profile *outer = c.outer_profile ? &*c.outer_profile : nullptr,
                *inner = c.inner_profile ? &*c.inner_profile : nullptr;
  Outlines out{outline_of(outer, c.outer_radius), outline_of(inner, c.inner_radius)};
  // Only a bed knows the pressure on a worn surface.
  if (!c.wear || !has_bed(model, joint)) return out;
  const std::vector<double> none(static_cast<std::size_t>(c.wear->sectors), 0.0);
  const auto depth = [&](std::span<const double> given) {
    return given.empty() ? std::span<const double>(none) : given;
  };
  out.bearing = worn_outline(outer, c.outer_radius, depth(outer_depth), 1);
  if (!c.wear->inner_depth.empty() || wears(c, "inner"))
    out.journal = worn_outline(inner, c.inner_radius, depth(inner_depth), -1);
  return out;
}

bool follows_wear(const Model& model, const Joint& joint) {
  return has_bed(model, joint) || has_ball_bed(model, joint);
}

void ImperfectJoint::reshape(const Model& model, std::span<const double> outer,
                             std::span<const double> inner) {
  if (auto* ball = std::get_if<BallBedGap>(&geometry_)) {
    const auto surfaces = worn_surfaces(model.joints[joint_], model.planar);
    ball->socket = {surfaces[0], outer};
    ball->ball = {surfaces[1], inner};
    ball->prepare(surfaces[0]);
    return;
  }
  auto& bed = std::get<BedGap>(geometry_);
  Outlines worn = outlines_of(model, model.joints[joint_], outer, inner);
  bed.bearing = std::move(worn.bearing);
  bed.journal = std::move(worn.journal);
  bed.prepare(static_cast<int>(outer.size()));
}

}  // namespace freeplay::joints
