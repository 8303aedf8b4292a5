// SPDX-License-Identifier: Apache-2.0
#include "films/catalogue.hpp"
#include "io/model_tables.hpp"
#include "io/model_tree.hpp"
#include "io/profile_tables.hpp"
#include "joints/geometry.hpp"
#include "laws/catalogue.hpp"
#include "model/curve.hpp"
#include "model/joint_types.hpp"
#include "model/words.hpp"

#include <algorithm>
#include <array>

// [joints.NAME] with all its tables, from the model.
namespace freeplay::io {
namespace {

const std::vector<laws::Entry>& contacts() {
  static const auto out = laws::contact_catalogue();
  return out;
}
const std::vector<laws::Entry>& frictions() {
  static const auto out = laws::friction_catalogue();
  return out;
}
const std::vector<laws::Entry>& wears() {
  static const auto out = laws::wear_catalogue();
  return out;
}
const std::vector<laws::Entry>& films() {
  static const auto out = films::film_catalogue();
  return out;
}
const std::vector<laws::Entry>& transitions() {
  static const auto out = films::transition_catalogue();
  return out;
}

/// A type that the reader will refuse by its number has no parts.
PlayParts parts_of(JointType type) {
  const auto known = joint_types();
  return std::ranges::find(known, type) != known.end() ? kind_of(type).play : PlayParts::none;
}

Node write_material(const Material& material) {
  return TableWriter().put("young", material.young).put("poisson", material.poisson).done();
}

bool is_given(const Material& m) { return m.young != 0 || m.poisson != Material{}.poisson; }
bool equal(const Material& a, const Material& b) {
  return a.young == b.young && a.poisson == b.poisson;
}

Node write_contact(const LawChoice& law, double min_approach_speed, double usual) {
  return law_writer(law, contacts())
      .put_unless(usual, "min_approach_speed", min_approach_speed)
      .done();
}

Node write_film(const Film& film) {
  TableWriter out = law_writer(film.law, films());
  if (!film.torque) out.put_flag("torque", false);
  if (film.transition) out.put("transition", law_writer(*film.transition, transitions()).done());
  return out.done();
}

Node write_wear(const Wear& wear) {
  TableWriter out = law_writer(wear.law, wears());
  if (!wear.x.empty()) out.put("x", wear.x);
  if (!wear.factor.empty()) out.put("factor", wear.factor);
  out.put_unless(Wear{}.sectors, "sectors", wear.sectors)
      .put_unless(Wear{}.stations, "stations", wear.stations)
      .put_unless(Wear{}.cells, "cells", wear.cells);
  out.put_unless(0, "update", wear.update);
  if (!wear.outer_depth.empty()) out.put("outer_depth", wear.outer_depth);
  if (!wear.inner_depth.empty()) out.put("inner_depth", wear.inner_depth);
  return out.done();
}

/// Every size under the key that the type of the joint reads it by; where it reads none, under that
/// of the types that do.
void write_geometry(const Joint& joint, TableWriter& out) {
  const Clearance& c = *joint.clearance;
  const PlayParts parts = parts_of(joint.type);
  const bool guide = parts == PlayParts::guide, round = parts != PlayParts::none && !guide;
  const joints::ClearanceKeys radii =
      round ? joints::clearance_keys(joint.type)
            : joints::ClearanceKeys{"bearing_radius", "journal_radius"};
  // A profile with radii of its own stands in place of the radius.
  const auto replaced = [](const std::optional<Profile>& profile) {
    return profile && own_radius(*profile) > 0;
  };
  if (!replaced(c.outer_profile)) out.put_unless(0, std::string(radii.outer), c.outer_radius);
  if (!replaced(c.inner_profile)) out.put_unless(0, std::string(radii.inner), c.inner_radius);
  if (c.outer_profile) out.put("bearing_profile", write_profile(*c.outer_profile));
  if (c.inner_profile) out.put("journal_profile", write_profile(*c.inner_profile));
  out.put_unless(0, guide ? "guide_length" : "bearing_length", c.outer_length)
      .put_unless(0,
                  guide                                                 ? "slider_length"
                  : parts == PlayParts::slot || parts == PlayParts::arc ? "pin_length"
                                                                        : "journal_length",
                  c.inner_length)
      .put_unless(0, "guide_width", c.outer_width)
      .put_unless(0, "slider_width", c.inner_width)
      .put_unless(0, "guide_height", c.outer_height)
      .put_unless(0, "slider_height", c.inner_height);
  if (c.ends)
    out.put(parts == PlayParts::arc ? "arc" : "slot",
            TableWriter().put("from", c.ends->from).put("to", c.ends->to).done());
  if (c.through) out.put_flag("through", true);
  out.put_unless(0, "flange_radius", c.flange_radius)
      .put_unless(0, "face_modulus", c.face_modulus)
      .put_unless(0, "corner_radius", c.corner_radius);
  if (c.points) out.put("form", std::string(guide ? "corner" : "rim"));
}

Node write_clearance(Writing& writing, const Joint& joint) {
  const Clearance& c = *joint.clearance;
  TableWriter out(joint.line);
  write_geometry(joint, out);
  if (is_given(c.outer)) out.put("material", write_material(c.outer));
  if (!equal(c.outer, c.inner)) out.put("inner_material", write_material(c.inner));
  if (c.external_curvature) out.put("curvature", std::string("external"));
  out.put("contact",
          write_contact(c.contact, c.min_approach_speed, Clearance{}.min_approach_speed));
  if (c.friction) out.put("friction", law_writer(*c.friction, frictions()).done());
  if (c.film) out.put("film", write_film(*c.film));
  if (c.wear) out.put("wear", write_wear(*c.wear));
  if (c.force_point != ForcePoint::midway)
    out.put("force_point", std::string(c.force_point == ForcePoint::socket ? "socket"
                                       : c.force_point == ForcePoint::ball ? "ball"
                                                                           : "none"));
  if (c.offset != Vec3::Zero()) out.put("offset", writing.vector(c.offset));
  return out.done();
}

Node write_curve(const Bushing::Curve& curve) {
  if (curve.x.empty() && curve.force.empty()) return node_of(curve.slope);
  TableWriter out;
  out.put("x", curve.x).put("force", curve.force);
  if (curve.slope != 0) out.put("slope", curve.slope);  // a curve has points or a slope
  return out.done();
}

Node write_guide(const Curve& curve, bool planar) {
  std::vector<double> along[3];
  for (const Vec3& point : curve.points())
    for (int k = 0; k < 3; ++k) along[k].push_back(point[k]);
  TableWriter out;
  out.put("x", along[0]).put("y", along[1]);
  if (!planar) out.put("z", along[2]);
  return out.put_flag("closed", curve.closed()).done();
}

Node write_bushing(const Joint& joint) {
  const Bushing& b = *joint.bushing;
  TableWriter out(joint.line);
  if (b.law) {
    if (b.law->key != "radial") out.put("law", b.law->key);  // there is no other
    static const auto catalogue = films::bushing_catalogue();
    const Node law = law_writer(*b.law, catalogue).done();
    for (const Entry& entry : law.entries())
      if (entry.key != "law") out.put(entry.key, entry.node);
  }
  const auto curve = [&](const char* key, const Bushing::Curve& given) {
    if (given.slope != 0 || !given.x.empty() || !given.force.empty())
      out.put(key, write_curve(given));
  };
  curve("radial", b.radial);
  curve("axial", b.axial);
  curve("twist", b.twist);
  curve("tilt", b.tilt);
  if (b.damping != std::array<double, 6>{}) out.put("damping", b.damping);
  if (!b.coupling.empty()) out.put("coupling", b.coupling);
  if (!b.branches.empty()) {
    Node::Items items;
    for (const Bushing::Branch& branch : b.branches)
      items.push_back(
          TableWriter().put("stiffness", branch.stiffness).put("time", branch.time).done());
    Node list;
    list.value = std::move(items);
    out.put("branches", std::move(list));
  }
  return out.done();
}

Node write_stop(const Stop& stop) {
  TableWriter out;
  out.put("coordinate", word_of(stop.coordinate));
  if (stop.lower) out.put("lower", *stop.lower);
  if (stop.upper) out.put("upper", *stop.upper);
  out.put("contact",
          write_contact(stop.contact, stop.min_approach_speed, Stop{}.min_approach_speed));
  return out.done();
}

/// One for each, in the order of the model.
template <class T, class Write>
Node list_of(const std::vector<T>& given, Write&& write) {
  Node::Items items;
  for (std::size_t i = 0; i < given.size(); ++i) items.push_back(write(given[i], i));
  Node out;
  out.value = std::move(items);
  return out;
}

Node write_speeds(std::vector<StartSpeed> speeds) {
  std::ranges::stable_sort(speeds, {}, &StartSpeed::coordinate);  // as files have them
  TableWriter out;
  for (const StartSpeed& s : speeds) out.put(word_of(s.coordinate), s.speed);
  return out.done();
}

}  // namespace

Node write_joint(Writing& writing, const Joint& joint) {
  const std::string path = "joints." + joint.name;
  const std::array frames{joint.first, joint.second};
  TableWriter out(joint.line);
  out.put("type", word_of(joint.type));
  Node bodies;
  bodies.value = Node::Items{node_of(writing.body(joint.first.body)),
                             node_of(writing.body(joint.second.body))};
  out.put("bodies", std::move(bodies));
  out.put("at", writing.points(frames));
  TableWriter axes(joint.line);
  for (const Frame& frame : frames) axes.put(writing.body(frame.body), node_of_axes(frame.axes));
  out.put("axes", axes.done());
  // Numbers that only other types have are written too: the reader refuses them by name.
  for (const JointKind& kind : JointTypes::kinds)
    for (const JointKey& own : kind.keys)
      out.put_unless(0, std::string(own.name), joint.*own.member);
  if (joint.curve) out.put("curve", write_guide(*joint.curve, writing.model.planar));
  if (!joint.start_speeds.empty()) out.put("speed", write_speeds(joint.start_speeds));
  if (!joint.drives.empty())
    out.put(
        "drive", list_of(joint.drives, [&](const Drive& drive, std::size_t i) {
          Node node = write_motion(writing, drive.motion, true, joint.line,
                                   path + ".drive." + std::to_string(i));
          node.entries().push_back({"coordinate", node.place, node_of(word_of(drive.coordinate))});
          return node;
        }));
  if (joint.clearance) out.put("clearance", write_clearance(writing, joint));
  if (joint.bushing) out.put("bushing", write_bushing(joint));
  if (joint.friction)
    out.put("friction", law_writer(joint.friction->law, frictions())
                            .put_unless(0, "preload", joint.friction->preload)
                            .put_unless(0, "radius", joint.friction->radius)
                            .done());
  if (!joint.stops.empty())
    out.put("stop",
            list_of(joint.stops, [](const Stop& stop, std::size_t) { return write_stop(stop); }));
  return out.done();
}

}  // namespace freeplay::io
