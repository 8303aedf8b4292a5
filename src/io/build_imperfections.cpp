// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/joint_friction.hpp"
#include "films/catalogue.hpp"
#include "io/build.hpp"
#include "io/law_tables.hpp"
#include "io/model_tables.hpp"
#include "io/refuse_drives.hpp"
#include "io/text.hpp"
#include "joints/cushion.hpp"
#include "joints/imperfect_joint.hpp"
#include "model/joint_types.hpp"
#include <freeplay/errors.hpp>

#include <cmath>

// [joints.NAME.friction] and [joints.NAME.stop]: what an ideal joint may have besides its freedom.
namespace freeplay::io {

TableShape joint_friction_table() {
  TableShape out = law_table(
      "[joints.NAME.friction]",
      "Friction of an ideal joint; its load is the reaction plus `preload`. For " +
          joint_words([](const JointKind& kind) { return kind.surfaces != Surfaces::none; }) +
          " joints. A joint with clearance has its friction in the clearance table.",
      laws::friction_catalogue(), "",
      {key("preload", quantity("N").at_least(0), "constant part of the load; absent: 0"),
       key("radius", quantity("m").above(0), "of the pin or ball where the joint turns")});
  // Surfaces slip in m/s, whatever the joint leaves free.
  out.measure = [](const Node&, const Node&, const Node*) { return Measure::length; };
  return out;
}

TableShape bushing_table() {
  const auto curve = [](const std::string& unit, const std::string& force) {
    return either({quantity(force + "/" + unit),
                   table({"curve",
                          "Measured points; without overshoot between them, straight beyond.",
                          {key("x", list(quantity(unit)), "strictly increasing").require(),
                           key("force", list(quantity(force)), "restoring").require()}})});
  };
  TableShape out{
      "[joints.NAME.bushing]",
      "Rubber in place of an ideal joint: radial (`stiffness`, `damping_time`, `gap`), or "
      "by components.",
      {}};
  const std::vector<laws::Entry> bushings = films::bushing_catalogue();
  for (const laws::Parameter& p : bushings.front().parameters)
    out.keys.push_back(p.is_flag ? key(std::string(p.key), truth(), std::string(p.doc))
                                 : key(std::string(p.key),
                                       quantity(std::string(p.unit)).at_least(p.min).at_most(p.max),
                                       std::string(p.doc)));
  const std::vector<Key> more = {
      key("radial", curve("m", "N"), "across the axis").excludes({"stiffness"}),
      key("axial", curve("m", "N"), "along the axis").excludes({"stiffness"}),
      key("twist", curve("rad", "N m"), "about the axis").excludes({"stiffness"}),
      key("tilt", curve("rad", "N m"), "across the axis").excludes({"stiffness"}),
      key("damping", list(quantity(""), {6}),
          "N s/m along x, y, z of the first frame, N m s/rad about them")
          .excludes({"stiffness"}),
      key("coupling", list(quantity(""), {36}), "6 x 6 further stiffnesses, row by row; symmetric")
          .excludes({"stiffness"}),
      key("branches",
          list(table(
              {"branch",
               "A spring in series with a damper.",
               {key("stiffness", list(quantity(""), {6}), "x, y, z in N/m; about them in N m/rad")
                    .require(),
                key("time", quantity("s").above(0), "of relaxation").require()}})),
          "rubber that relaxes")
          .excludes({"stiffness"})};
  out.keys.insert(out.keys.end(), more.begin(), more.end());
  return out;
}

TableShape stop_table() {
  TableShape out{"[joints.NAME.stop]",
                 "End stops of a joint coordinate. The law works in the units of the coordinate.",
                 {}};
  out.keys = {
      key("coordinate", choice(words_of_coordinates()), "which, if the joint has several"),
      key("lower", quantity("{q}"), "absent: none on this side"),
      key("upper", quantity("{q}"), "absent: none on this side"),
      key("contact",
          table(law_table("contact", "The contact law of the stops.", laws::contact_catalogue(),
                          "newton",
                          {key("min_approach_speed", quantity("").above(0),
                               "damping laws divide by the approach speed: not by less than this; "
                               "absent: 1e-5")})),
          "absent: Newton's impact law with its default restitution"),
  };
  out.measure = [](const Node&, const Node& stop, const Node* joint) {
    return joint ? coordinate_measure(*joint, stop) : Measure::unknown;
  };
  return out;
}

namespace {

void read_bushing(const Node& table, Joint& joint) {
  Bushing out;
  if (table.has("stiffness")) {
    out.law = read_law(table, "radial");
  } else {
    const auto curve = [&](const char* key, Bushing::Curve& into) {
      const Node* node = table.find(key);
      if (!node) return;
      if (node->is_number()) {
        into.slope = node->number();
        return;
      }
      if (const Node* x = node->find("x")) into.x = numbers(*x);
      if (const Node* force = node->find("force")) into.force = numbers(*force);
    };
    curve("radial", out.radial);
    curve("axial", out.axial);
    curve("twist", out.twist);
    curve("tilt", out.tilt);
    const auto six = [](const Node* node, std::array<double, 6>& into) {
      if (!node) return;
      const std::vector<double> values = numbers(*node);
      std::copy_n(values.begin(), std::min<std::size_t>(6, values.size()), into.begin());
    };
    six(table.find("damping"), out.damping);
    if (const Node* coupling = table.find("coupling")) out.coupling = numbers(*coupling);
    if (const Node* branches = table.find("branches"))
      for (const Node& node : branches->items()) {
        Bushing::Branch branch;
        six(node.find("stiffness"), branch.stiffness);
        if (const Node* time = node.find("time")) branch.time = time->number();
        out.branches.push_back(branch);
      }
  }
  joint.bushing = std::move(out);
}

void read_stop(Build& build, const Node& table, const std::string& path, Joint& joint) {
  if (table.has("coordinate") && !table.find("coordinate")) return;
  const auto c = find_coordinate(build, joint.type, table.find("coordinate"), table.place,
                                 path + ".coordinate");
  if (!c) return;
  Stop out;
  out.coordinate = *c;
  if (const Node* lower = table.find("lower")) out.lower = lower->number();
  if (const Node* upper = table.find("upper")) out.upper = upper->number();
  if (!table.has("lower") && !table.has("upper"))
    return build.error(table.place, path, "a stop needs 'lower', 'upper' or both");
  if (out.lower && out.upper && *out.lower >= *out.upper)
    return build.error(
        table.place, path + ".upper",
        brief(*out.upper) + " does not lie above the lower stop at " + brief(*out.lower));
  if (comes_round(joint, *c, build.model.planar) && out.lower && out.upper &&
      *out.upper - *out.lower > (is_angle(*c) ? 2 * M_PI : round_of(joint)))
    return build.error(table.place, path,
                       is_angle(*c)
                           ? "stops of a spatial angle must lie within one turn of each other"
                           : "stops on a closed curve must lie within one round of each other");
  for (const Stop& other : joint.stops)
    if (other.coordinate == *c)
      return build.error(table.place, path, "the coordinate has stops already");
  if (const Node* contact = table.find("contact")) {
    out.contact = read_law(*contact, "newton", {"min_approach_speed"});
    if (const Node* speed = contact->find("min_approach_speed"))
      out.min_approach_speed = speed->number();
  }
  joint.stops.push_back(std::move(out));
}

}  // namespace

void read_imperfections(Build& build, const Entry& entry, const std::string& joint_path,
                        Joint& joint) {
  if (const Node* rubber = entry.node.find("bushing")) {
    read_bushing(*rubber, joint);
    for (const char* other : {"clearance", "friction", "stop"})
      if (entry.node.has(other))
        build.error(rubber->place, joint_path + ".bushing",
                    "a joint has rubber or " + quote(other) + ", not both",
                    "delete one of the two tables");
    refuse_drives(build, entry, joint_path, joint);
  }
  if (const Node* friction = entry.node.find("friction")) {
    JointFriction out;
    out.law = read_law(*friction, "", {"preload", "radius"});
    say_departure(build, *friction, joint_path + ".friction", laws::friction_catalogue());
    if (const Node* preload = friction->find("preload")) out.preload = preload->number();
    if (const Node* radius = friction->find("radius")) out.radius = radius->number();
    joint.friction = std::move(out);
  }
  const Node* stop = entry.node.find("stop");
  if (!stop) return;
  if (entry.node.has("clearance"))
    return build.error(stop->place, joint_path + ".stop",
                       "a joint with clearance has no coordinate to stop",
                       "put the stop on another joint");
  if (stop->is_table()) return read_stop(build, *stop, joint_path + ".stop", joint);
  for (std::size_t i = 0; i < stop->items().size(); ++i)
    read_stop(build, stop->items()[i], joint_path + ".stop." + std::to_string(i), joint);
}

void check_imperfections(Build& build) {
  const Node* section = build.tree.find("joints");
  for (std::size_t j = 0; j < build.model.joints.size(); ++j) {
    const Joint& joint = build.model.joints[j];
    const auto index = static_cast<JointIndex>(j);
    const auto check = [&](const char* key, auto&& build_it) {
      try {
        build_it();
      } catch (const ModelError& error) {
        const Node* table = section ? section->find(joint.name) : nullptr;
        const Node* at = table ? table->find(key) : nullptr;
        for (const Issue& issue : error.issues())
          build.error(at ? at->place : Place{}, issue.path, issue.message, issue.hint);
      }
    };
    if (joint.friction)
      check("friction", [&] { static_cast<void>(dynamics::JointFriction(build.model, index)); });
    if (joint.bushing)
      check("bushing", [&] { static_cast<void>(joints::Cushion(build.model, index)); });
    if (joint.clearance && joint.clearance->film && joint.clearance->inner_radius > 0)
      check("clearance", [&] { static_cast<void>(joints::Cushion(build.model, index)); });
    for (const Stop& stop : joint.stops)
      check("stop", [&] { static_cast<void>(joints::ImperfectJoint(build.model, index, stop)); });
  }
}

}  // namespace freeplay::io
