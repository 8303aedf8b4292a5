// SPDX-License-Identifier: Apache-2.0
#include "films/catalogue.hpp"
#include "io/law_tables.hpp"
#include "io/materials.hpp"
#include "io/model_tables.hpp"
#include "io/profile_tables.hpp"
#include "laws/catalogue.hpp"

namespace freeplay::io {
namespace {

TableShape stretch_table(const std::string& name, const std::string& doc, const std::string& unit) {
  return {name,
          doc,
          {key("from", quantity(unit), "first end of the centre line").require(),
           key("to", quantity(unit), "last end").require()}};
}

TableShape wear_table() {
  return law_table(
      "wear",
      "How the surfaces of a joint wear: `outer` is the bearing, socket, guide or slot, `inner` "
      "the "
      "journal, ball, slider or pin. Depths are followed in cells of equal area on each part: "
      "sectors round a journal and its bearing, the first centred on the x axis, anticlockwise; in "
      "space for every station along the axis; zones over a ball and its socket; stations along "
      "the faces of a guide; sectors along the outline of a slot. A run does not change the shape "
      "that touches unless told by `update`; a study with kind = \"wear\" does, for revolute "
      "joints in the plane.",
      laws::wear_catalogue(), "",
      {key("x", list(quantity("").at_least(0)),
           "table of a law that has one: pressures in Pa, or speeds in m/s")
           .needs({"factor"}),
       key("factor", list(number().at_least(0)), "what the coefficients are multiplied by there")
           .needs({"x"}),
       key("sectors", number().at_least(36).at_most(7200),
           "round a bearing and its journal, round a pin and along the outline of its slot; "
           "absent: "
           "360"),
       key("stations", number().at_least(1).at_most(1000),
           "along the axis of a bearing in space, along each face of a guide; absent: 10"),
       key("cells", number().at_least(100).at_most(100'000),
           "of a ball, and of its socket; absent: 2000"),
       key("outer_depth", list(quantity("m").at_least(0)),
           "what the outer part has lost before the start, cell by cell; absent: nothing"),
       key("inner_depth", list(quantity("m").at_least(0)), "the same of the inner part"),
       key("update", quantity("m").above(0),
           "elastic-foundation in the plane: the shape that touches follows within a run, whenever "
           "a cell has lost so much since it last did; well below the elastic depth. Absent: a run "
           "keeps its shape")});
}

}  // namespace

TableShape clearance_table() {
  TableShape out{
      "[joints.NAME.clearance]",
      "Play in a joint: its parts collide instead of being held. Delete the table and the joint is "
      "ideal again. Spherical: a ball in its socket. Revolute: a journal in its bearing, in space "
      "with axial stops, in cylindrical joints without. Prismatic: a slider in its guide, in space "
      "a box in a rectangular tube. Point-on-line: a pin in a straight slot; planar distance: a "
      "pin in an arc slot about the first point. Universal: a cross in four bearings, which "
      "becomes the body NAME_cross and the revolute joints NAME_first and NAME_second.",
      {}};
  const auto length = [] { return quantity("m").above(0); };
  out.keys = {
      key("use", text(),
          "name of one of the `[clearances.NAME]`; keys beside it go before those of that table")
          .resolve_away(),
      key("socket_radius", length(), "spherical: radius of the socket (first body)"),
      key("ball_radius", length(), "spherical: radius of the ball"),
      key("bearing_radius", length(), "bearings: radius of the bore (first body)"),
      key("journal_radius", length(), "bearings: radius of the journal"),
      key("bearing_profile", table(profile_table("bearing_profile")),
          "planar revolute: how the bore departs from its circle; absent: round")
          .in_plane(),
      key("journal_profile", table(profile_table("journal_profile")),
          "planar revolute: how the journal departs from its circle; absent: round")
          .in_plane(),
      key("bearing_length", length(),
          "bearings: length of the bore; in the plane only line laws ask for it"),
      key("journal_length", length(),
          "bearings: length of the journal, or between the flanges of a through-pin")
          .excludes({"axial"}),
      key("guide_width", length(), "guides: distance of the walls (first body)"),
      key("slider_width", length(), "guides: width of the slider"),
      key("guide_height", length(), "tubes: distance of the other walls"),
      key("slider_height", length(),
          "tubes: height of the box; in the plane the thickness of the slider, absent: its length"),
      key("guide_length", length(), "guides in the plane; absent: endless"),
      key("slider_length", length(), "guides: length of the slider"),
      key("slot_radius", length(), "slots: half the width (first body)"),
      key("pin_radius", length(), "slots: radius of the pin"),
      key("pin_length", length(), "slots: how long the pin bears on the wall; wear asks for it")
          .in_plane(),
      key("radial", quantity("m").at_least(0),
          "clearance on each side, in place of the size of the inner or of the outer part"),
      key("axial", quantity("m").at_least(0),
          "axial clearance on each side, in place of the length of the journal"),
      key("width_direction", vector("1"),
          "tubes: direction of the widths, global; absent: z for an axis along x, else x turned as "
          "z turns into the axis")
          .in_space(),
      key("slot", table(stretch_table("slot", "Ends of a straight slot.", "m")),
          "point-on-line: ends of the centre line along the axis, from the joint point; absent: "
          "endless"),
      key("arc", table(stretch_table("arc", "Ends of an arc slot.", "rad")),
          "distance: ends of the arc, anticlockwise from the pin as written; absent: a full circle")
          .in_plane(),
      key("through", truth(), "the journal runs through the bearing and is stopped by its flanges"),
      key("flange_radius", length(), "through-pins: outer radius of bearing face and flange")
          .needs({"through"}),
      key("face_modulus", quantity("Pa/m").above(0),
          "pressure of the end faces per depth; absent: from the materials as plane faces"),
      key("corner_radius", length(),
          "guides: radius of the corners, from which point laws derive their stiffness"),
      key("form", choice({"distributed", "rim", "corner"}),
          "contact along lines and faces (the default), or at rims (bearings) or corners (guides) "
          "only, as published and always with Newton's impact law"),
      key("cross",
          table({"cross",
                 "The body between the two axes of a universal joint.",
                 {key("mass", quantity("kg").above(0), "mass").require(),
                  key("inertia", list(quantity("kg m^2"), {3, 6}),
                      "about its centre, which is the joint point; z along the axis, x along the "
                      "second axis: xx yy zz, or xx yy zz xy xz yz")
                      .require()}}),
          "universal: mass and inertia of the cross")
          .in_space(),
      key("material", material_shape(), "of both parts; needed unless contact.stiffness is given"),
      key("inner_material", material_shape(), "of the inner part, if it is another")
          .needs({"material"}),
      key("curvature", choice({"internal", "external"}),
          "stiffness from the difference of the radii (right for a hollow), or from their sum as "
          "some papers print it"),
      key("contact",
          table(law_table("contact", "The normal contact law.", laws::contact_catalogue(), "exact",
                          {key("min_approach_speed", quantity("m/s").above(0),
                               "damping laws divide by the approach speed: not by less than this; "
                               "absent: 1e-5 m/s")})),
          "normal law; absent: exact restitution with its defaults"),
      key("friction",
          table(law_table("friction", "The friction law.", laws::friction_catalogue(), "")),
          "absent: none"),
      key("film",
          table(law_table("film", "Oil in the gap of a spherical, revolute or cylindrical joint.",
                          films::film_catalogue(), "",
                          {key("torque", truth(),
                               "false: the film pushes but does not drag, as published work has "
                               "it; absent: true"),
                           key("transition",
                               table(law_table("transition", "Between oil and dry contact.",
                                               films::transition_catalogue(), "additive")),
                               "absent: film and contact add up")})),
          "oil; absent: dry. Dry contact remains beyond the gap (steel unless told otherwise)"),
      key("wear", table(wear_table()), "absent: the surfaces stay as they are"),
      key("force_point", choice({"midway", "socket", "ball"}),
          "where both bodies are pushed and their slip is measured: halfway between the "
          "overlapping "
          "surfaces (the default), on that of the outer part (socket, bearing, guide, slot) or of "
          "the inner one, for comparison with programs that do so"),
      key("offset", vector("m"), "start: inner minus outer centre, global; absent: concentric"),
  };
  // Surfaces touch in m and N, whatever the joint leaves free.
  out.measure = [](const Node&, const Node&, const Node*) { return Measure::length; };
  return out;
}

}  // namespace freeplay::io
