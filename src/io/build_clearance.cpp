// SPDX-License-Identifier: Apache-2.0
#include "films/catalogue.hpp"
#include "io/build.hpp"
#include "io/frames.hpp"
#include "io/law_tables.hpp"
#include "io/model_tables.hpp"
#include "io/text.hpp"
#include "joints/geometry.hpp"
#include "joints/imperfect_joint.hpp"
#include <freeplay/errors.hpp>

#include <array>
#include <cmath>

// [joints.NAME.clearance]: geometry, materials and laws of a joint with play.
namespace freeplay::io {
namespace {

struct NamedMaterial {
  std::string_view name;
  Material material;
};
// Handbook values at room temperature; a model that depends on the third digit should give its own.
constexpr std::array<NamedMaterial, 8> kMaterials{{{"steel", {207e9, 0.3}},
                                                   {"cast-iron", {110e9, 0.27}},
                                                   {"aluminium", {70e9, 0.33}},
                                                   {"bronze", {110e9, 0.34}},
                                                   {"brass", {100e9, 0.34}},
                                                   {"titanium", {114e9, 0.34}},
                                                   {"nylon", {2.8e9, 0.4}},
                                                   {"ptfe", {0.5e9, 0.46}}}};

Shape material_shape() {
  std::vector<std::string> names;
  for (const NamedMaterial& m : kMaterials) names.emplace_back(m.name);
  return either(
      {choice(names), table({"material",
                             "Linear elastic.",
                             {key("young", quantity("Pa").above(0), "Young's modulus").require(),
                              key("poisson", number().at_least(0).at_most(0.499),
                                  "Poisson's ratio; absent: 0.3")}})});
}

Material material_of(const Node& node) {
  if (node.is_text()) {
    for (const NamedMaterial& m : kMaterials)
      if (m.name == node.text()) return m.material;
    return {};
  }
  Material out;
  if (const Node* young = node.find("young")) out.young = young->number();
  if (const Node* poisson = node.find("poisson")) out.poisson = poisson->number();
  return out;
}

// ---- which keys of geometry a joint has

enum class Part { ball, bore, guide, slot, arc };

Part part_of(JointType type) {
  switch (type) {
    case JointType::spherical:
      return Part::ball;
    case JointType::prismatic:
      return Part::guide;
    case JointType::point_on_line:
      return Part::slot;
    case JointType::distance:
      return Part::arc;
    default:
      return Part::bore;
  }
}

struct GeometryKey {
  std::string_view name;
  bool (*fits)(JointType type, bool planar);
};
bool has_stops(JointType type, bool planar) {
  return (type == JointType::revolute && !planar) || type == JointType::universal;
}
bool finite_bore(JointType type, bool planar) {
  return has_stops(type, planar) || type == JointType::cylindrical;
}
bool is_slot(JointType type, bool) {
  return type == JointType::point_on_line || type == JointType::distance;
}
bool is_guide(JointType type, bool) { return type == JointType::prismatic; }
bool is_tube(JointType type, bool planar) { return type == JointType::prismatic && !planar; }
bool is_ball(JointType type, bool) { return type == JointType::spherical; }
bool is_bore(JointType type, bool) { return part_of(type) == Part::bore; }

constexpr std::array<GeometryKey, 24> kGeometryKeys{{
    {"socket_radius", is_ball},
    {"ball_radius", is_ball},
    {"bearing_radius", is_bore},
    {"journal_radius", is_bore},
    {"bearing_length", is_bore},
    {"journal_length", finite_bore},
    {"axial", has_stops},
    {"through", has_stops},
    {"flange_radius", has_stops},
    {"face_modulus", has_stops},
    {"guide_width", is_guide},
    {"slider_width", is_guide},
    {"guide_height", is_tube},
    {"slider_height", is_guide},
    {"guide_length", [](JointType type, bool planar) { return is_guide(type, planar) && planar; }},
    {"slider_length", is_guide},
    {"width_direction", is_tube},
    {"corner_radius", is_guide},
    {"slot_radius", is_slot},
    {"pin_radius", is_slot},
    {"slot", [](JointType type, bool) { return type == JointType::point_on_line; }},
    {"arc", [](JointType type, bool) { return type == JointType::distance; }},
    {"cross", [](JointType type, bool) { return type == JointType::universal; }},
    {"form", [](JointType type,
                bool planar) { return finite_bore(type, planar) || is_guide(type, planar); }},
}};

TableShape stretch_table(const std::string& name, const std::string& doc, const std::string& unit) {
  return {name,
          doc,
          {key("from", quantity(unit), "first end of the centre line").require(),
           key("to", quantity(unit), "last end").require()}};
}

/// Turns the frames of a tube about its axis so that x is the direction of the widths.
void turn_to_width(Build& build, const Node& node, const std::string& path, Joint& joint) {
  const auto wide = direction(build, node, path);
  if (!wide) return;
  const Mat3 R1 = rotation_of(build.model, joint.first.body),
             R2 = rotation_of(build.model, joint.second.body);
  const Vec3 axis = R1 * joint.first.axes.col(2);
  if (std::abs(axis.dot(*wide)) > 1e-3)
    return build.error(node.place, path, "is not perpendicular to the axis of the joint",
                       "the widths of guide and slider lie across it");
  joint.first.axes = R1.transpose() * frame_about(axis, *wide);
  joint.second.axes = R2.transpose() * frame_about(R2 * joint.second.axes.col(2), *wide);
}

/// Points z of the frame of an arc slot to its pin as written: angles count from there.
void turn_to_pin(const Model& model, Joint& joint) {
  const Vec3 pin = to_global(model, joint.second.body, joint.second.point) -
                   to_global(model, joint.first.body, joint.first.point);
  if (!(pin.norm() > 0)) return;
  joint.first.axes =
      rotation_of(model, joint.first.body).transpose() * frame_in_plane(pin.normalized());
}

/// Reads one clearance table. Mistakes are reported; then nothing comes back.
class ClearanceReader {
 public:
  ClearanceReader(Build& build, const Node& node, std::string path, const Joint& joint)
      : build_(build),
        node_(node),
        path_(std::move(path)),
        joint_(joint),
        planar_(build.model.planar),
        keys_(joints::clearance_keys(joint.type)) {}

  std::optional<Clearance> read() {
    refuse_strays();
    read_cross_section();
    read_lengths();
    read_slot();
    read_form();
    take("flange_radius", out_.flange_radius);
    take("corner_radius", out_.corner_radius);
    take("face_modulus", out_.face_modulus);
    if (const Node* material = node_.find("material"))
      out_.outer = out_.inner = material_of(*material);
    if (const Node* material = node_.find("inner_material")) out_.inner = material_of(*material);
    if (const Node* curvature = node_.find("curvature"))
      out_.external_curvature = curvature->text() == "external";
    if (const Node* contact = node_.find("contact")) {
      out_.contact = read_law(*contact, "exact", {"min_approach_speed"});
      if (const Node* speed = contact->find("min_approach_speed"))
        out_.min_approach_speed = speed->number();
    }
    refuse_spread_impulse();
    if (const Node* friction = node_.find("friction")) out_.friction = read_law(*friction, "");
    if (const Node* film = node_.find("film")) {
      Film oil;
      oil.law = read_law(*film, "", {"transition", "torque"});
      if (const Node* torque = film->find("torque")) oil.torque = torque->truth();
      if (const Node* rule = film->find("transition")) oil.transition = read_law(*rule, "additive");
      out_.film = std::move(oil);
      // Oil needs no material; the walls behind it do.
      if (!node_.has("material") && !node_.has("contact"))
        out_.outer = out_.inner = kMaterials.front().material;
    }
    if (const Node* offset = node_.find("offset")) out_.offset = vec(*offset);
    return sound_ && !has_mistake(node_) ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  /// Something in it is wrong and reported; what a default in its place leads to would mislead.
  static bool has_mistake(const Node& node) {
    if (node.is_array()) return std::ranges::any_of(node.items(), has_mistake);
    if (node.is_table())
      return std::ranges::any_of(node.entries(),
                                 [](const Entry& entry) { return has_mistake(entry.node); });
    return node.broken();
  }

  void error(const std::string& key, std::string message, std::string hint = {}) {
    const Entry* entry = node_.entry(key);
    error_at(entry ? entry->place : node_.place, key, std::move(message), std::move(hint));
  }
  void error_at(Place place, const std::string& key, std::string message, std::string hint = {}) {
    sound_ = false;
    build_.error(place, path_ + "." + key, std::move(message), std::move(hint));
  }
  [[nodiscard]] std::optional<double> number(std::string_view key) {
    const Node* value = node_.find(key);
    if (!value && node_.has(key)) sound_ = false;  // broken, and said so
    return value ? std::optional(value->number()) : std::nullopt;
  }
  void take(std::string_view key, double& out) {
    if (const auto value = number(key)) out = *value;
  }
  static std::string mm(double length) { return brief(length * 1e3) + " mm"; }

  void refuse_strays() {
    std::vector<std::string> own;
    for (const GeometryKey& k : kGeometryKeys)
      if (k.fits(joint_.type, planar_)) own.emplace_back(k.name);
    for (const GeometryKey& k : kGeometryKeys) {
      const Entry* stray = node_.entry(k.name);
      if (!stray || k.fits(joint_.type, planar_)) continue;
      error_at(stray->place, std::string(k.name),
               std::string(planar_ ? "a planar " : "a ") + std::string(name_of(joint_.type)) +
                   " joint has no '" + std::string(k.name) + "'",
               "its geometry is given by " + one_of_these(own));
    }
  }

  /// A pair of sizes of outer and inner part; the inner one may be left to the clearance. `sides`
  /// is how often the clearance fits between them: once for radii, twice for widths.
  void read_pair(std::string_view outer_key, std::string_view inner_key, std::string_view gap_key,
                 double sides, double& outer, double& inner) {
    const auto given_outer = number(outer_key), given_inner = number(inner_key),
               gap = number(gap_key);
    const std::string outer_name(outer_key), inner_name(inner_key), gap_name(gap_key);
    if (given_inner && gap) {
      // The table says itself which of them exclude each other; a height only has this reader.
      if (inner_key == "slider_height")
        error(inner_name, "'slider_height' and 'radial' are both given", "leave one of them out");
      sound_ = false;
      return;
    }
    if (!given_outer) {
      if (!node_.has(outer_key))
        error_at(node_.place, outer_name, "'" + outer_name + "' is missing");
      return;
    }
    if (!given_inner && !gap) {
      if (!node_.has(inner_key) && !node_.has(gap_key))
        error_at(node_.place, gap_name, "'" + inner_name + "' or '" + gap_name + "' is missing");
      return;
    }
    outer = *given_outer;
    inner = given_inner ? *given_inner : outer - sides * *gap;
    if (inner > outer)
      return error(inner_name,
                   mm(inner) + " is larger than the " + outer_name + " of " + mm(outer));
    if (inner <= 0)
      return error(gap_name,
                   mm(*gap) + " of clearance leave nothing of the inner part: the " + outer_name +
                       " is " + mm(outer),
                   "a bare number is in m");
    if (outer - inner > 0.2 * outer)
      build_.diagnostics.warn(node_.place, path_,
                              sides == 1 ? "the clearance is more than a fifth of the radius"
                                         : "the clearance is more than a fifth of the width",
                              "is the unit right?");
  }

  void read_cross_section() {
    if (part_of(joint_.type) != Part::guide)
      return read_pair(keys_.outer, keys_.inner, "radial", 1, out_.outer_radius, out_.inner_radius);
    read_pair("guide_width", "slider_width", "radial", 2, out_.outer_width, out_.inner_width);
    if (planar_)
      take("slider_height", out_.inner_height);
    else
      read_pair("guide_height", "slider_height", "radial", 2, out_.outer_height, out_.inner_height);
  }

  void read_lengths() {
    if (part_of(joint_.type) == Part::guide) {
      take("guide_length", out_.outer_length);
      take("slider_length", out_.inner_length);
      if (!node_.has("slider_length"))
        error_at(node_.place, "slider_length", "'slider_length' is missing");
      return;
    }
    if (part_of(joint_.type) != Part::bore) return;
    take("bearing_length", out_.outer_length);
    take("journal_length", out_.inner_length);
    if (const Node* through = node_.find("through")) out_.through = through->truth();
    if (out_.through && !node_.has("flange_radius"))
      error("through", "'flange_radius' is missing: a through-pin is held by its flanges");
    if (!finite_bore(joint_.type, planar_)) return;
    if (joint_.type == JointType::cylindrical) {
      if (!node_.has("journal_length"))
        error_at(node_.place, "journal_length", "'journal_length' is missing",
                 "the contact spreads over it; without a bearing_length the bore has no ends");
      return;
    }
    if (!node_.has("bearing_length"))
      return error_at(node_.place, "bearing_length", "'bearing_length' is missing");
    const auto axial = number("axial");
    if (node_.has("journal_length") && axial) return;  // said by the table
    if (!node_.has("journal_length") && !node_.has("axial"))
      return error_at(node_.place, "axial", "'journal_length' or 'axial' is missing");
    if (axial) out_.inner_length = out_.outer_length + (out_.through ? 2 : -2) * *axial;
    if (axial && out_.inner_length <= 0)
      error("axial", mm(*axial) +
                         " on both sides leave nothing of the journal: the bearing_length is " +
                         mm(out_.outer_length));
  }

  void read_slot() {
    const Node* table = node_.find(part_of(joint_.type) == Part::arc ? "arc" : "slot");
    if (!table) return;
    const Node *from = table->find("from"), *to = table->find("to");
    if (from && to)
      out_.ends = Clearance::Ends{from->number(), to->number()};
    else
      sound_ = false;
  }

  [[nodiscard]] std::string point_form() const {
    return part_of(joint_.type) == Part::guide ? "corner" : "rim";
  }
  void read_form() {
    const Node* form = node_.find("form");
    if (!form || form->text() == "distributed") return;
    const std::string own = point_form();
    if (form->text() != own && sound_)
      error("form",
            "a " + std::string(name_of(joint_.type)) + " joint has no form '" + form->text() + "'",
            "expected 'distributed' or '" + own + "'");
    out_.points = true;
  }
  /// Impulses act at points: that form goes without saying, another cannot be had.
  void refuse_spread_impulse() {
    const Node* form = node_.find("form");
    if (!form || form->text() != "distributed" || !laws::is_impulsive(out_.contact.key)) return;
    error("form", "an impulse cannot be spread over lines and faces: they have no pressure",
          "leave 'form' out or take '" + point_form() +
              "'; or take a contact law with a force, such as 'exact'");
  }

  Build& build_;
  const Node& node_;
  std::string path_;
  const Joint& joint_;
  bool planar_;
  joints::ClearanceKeys keys_;
  Clearance out_;
  bool sound_ = true;
};

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
      key("socket_radius", length(), "spherical: radius of the socket (first body)"),
      key("ball_radius", length(), "spherical: radius of the ball").excludes({"radial"}),
      key("bearing_radius", length(), "bearings: radius of the bore (first body)"),
      key("journal_radius", length(), "bearings: radius of the journal").excludes({"radial"}),
      key("bearing_length", length(),
          "bearings: length of the bore; in the plane only line laws ask for it"),
      key("journal_length", length(),
          "bearings: length of the journal, or between the flanges of a through-pin")
          .excludes({"axial"}),
      key("guide_width", length(), "guides: distance of the walls (first body)"),
      key("slider_width", length(), "guides: width of the slider").excludes({"radial"}),
      key("guide_height", length(), "tubes: distance of the other walls"),
      key("slider_height", length(),
          "tubes: height of the box; in the plane the thickness of the slider, absent: its length"),
      key("guide_length", length(), "guides in the plane; absent: endless"),
      key("slider_length", length(), "guides: length of the slider"),
      key("slot_radius", length(), "slots: half the width (first body)"),
      key("pin_radius", length(), "slots: radius of the pin").excludes({"radial"}),
      key("radial", quantity("m").at_least(0),
          "clearance on each side, in place of the size of the inner part"),
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
      key("offset", vector("m"), "start: inner minus outer centre, global; absent: concentric"),
  };
  return out;
}

void read_clearance(Build& build, const Entry& entry, const std::string& joint_path, Joint& joint) {
  const Node* node = entry.node.find("clearance");
  if (!node) return;
  const std::string path = joint_path + ".clearance";
  const bool universal = joint.type == JointType::universal;
  if (!universal && !joints::takes_clearance(joint.type, build.model.planar))
    return build.error(
        node->place, path,
        "clearance in a " + std::string(name_of(joint.type)) + " joint of a " +
            (build.model.planar ? "planar" : "spatial") + " mechanism is not available",
        "it is for spherical, revolute, cylindrical, prismatic, point-on-line and universal "
        "joints, and for distance joints of planar mechanisms");
  // A start speed is that of the ideal joint, in whose motion the run starts.
  if (!joint.drives.empty())
    build.error(node->place, path, "a joint with clearance holds by contact and cannot be driven",
                "put the drive on another joint");
  joint.clearance = ClearanceReader(build, *node, path, joint).read();
  if (!joint.clearance) return;
  if (const Node* wide = node->find("width_direction"))
    turn_to_width(build, *wide, path + ".width_direction", joint);
  if (joint.type == JointType::distance) turn_to_pin(build.model, joint);
}

void check_laws(Build& build) {
  const Node* section = build.tree.find("joints");
  for (std::size_t j = 0; j < build.model.joints.size(); ++j) {
    const Joint& joint = build.model.joints[j];
    if (!joint.clearance) continue;
    try {
      static_cast<void>(joints::make_geometry(build.model, static_cast<JointIndex>(j)));
      static_cast<void>(joints::face_stiffness(build.model, joint));
      static_cast<void>(joints::ImperfectJoint(build.model, static_cast<JointIndex>(j)));
    } catch (const ModelError& error) {
      // The halves of a universal joint are written in the table of the whole.
      std::string written = joint.name;
      if (section && !section->find(written)) written = written.substr(0, written.rfind('_'));
      const Node* table = section ? section->find(written) : nullptr;
      const Node* place = table ? table->find("clearance") : nullptr;
      for (const Issue& issue : error.issues()) {
        std::string hint = issue.hint;
        if (hint.empty() && joint.type == JointType::prismatic && issue.path.ends_with(".contact"))
          hint =
              "give contact.stiffness or corner_radius for a point law, or a material for law = "
              "\"plane-face\"";
        const std::string key = issue.path.substr(("joints." + joint.name).size());
        build.error(place ? place->place : Place{}, "joints." + written + key, issue.message, hint);
      }
    }
  }
}

}  // namespace freeplay::io
