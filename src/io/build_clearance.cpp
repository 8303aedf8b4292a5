// SPDX-License-Identifier: Apache-2.0
#include "io/build.hpp"
#include "io/frames.hpp"
#include "io/law_tables.hpp"
#include "io/materials.hpp"
#include "io/model_tables.hpp"
#include "io/profile_tables.hpp"
#include "io/refuse_drives.hpp"
#include "io/text.hpp"
#include "joints/geometry.hpp"
#include "joints/imperfect_joint.hpp"
#include "joints/wearing.hpp"
#include "model/drivable.hpp"
#include "model/joint_types.hpp"
#include <freeplay/errors.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

// [joints.NAME.clearance]: geometry, materials and laws of a joint with play.
namespace freeplay::io {
namespace {

// ---- which keys of geometry a joint has

using enum PlayParts;

struct GeometryKey {
  std::string_view name;
  bool (*fits)(PlayParts parts, bool planar);
};
bool has_stops(PlayParts parts, bool planar) {
  return (parts == bore && !planar) || parts == cross;
}
bool finite_bore(PlayParts parts, bool planar) {
  return has_stops(parts, planar) || parts == sleeve;
}
bool is_slot(PlayParts parts, bool) { return parts == slot || parts == arc; }
bool is_guide(PlayParts parts, bool) { return parts == guide; }
bool is_tube(PlayParts parts, bool planar) { return parts == guide && !planar; }
bool is_ball(PlayParts parts, bool) { return parts == ball; }
bool is_bore(PlayParts parts, bool) { return parts == bore || parts == sleeve || parts == cross; }

bool is_flat_bore(PlayParts parts, bool planar) { return parts == bore && planar; }

constexpr std::array<GeometryKey, 27> kGeometryKeys{{
    {"socket_radius", is_ball},
    {"ball_radius", is_ball},
    {"bearing_radius", is_bore},
    {"journal_radius", is_bore},
    {"bearing_profile", is_flat_bore},
    {"journal_profile", is_flat_bore},
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
    {"guide_length", [](PlayParts parts, bool planar) { return parts == guide && planar; }},
    {"slider_length", is_guide},
    {"width_direction", is_tube},
    {"corner_radius", is_guide},
    {"slot_radius", is_slot},
    {"pin_radius", is_slot},
    {"pin_length", [](PlayParts parts, bool planar) { return planar && is_slot(parts, planar); }},
    {"slot", [](PlayParts parts, bool) { return parts == slot; }},
    {"arc", [](PlayParts parts, bool) { return parts == arc; }},
    {"cross", [](PlayParts parts, bool) { return parts == cross; }},
    {"form", [](PlayParts parts,
                bool planar) { return finite_bore(parts, planar) || is_guide(parts, planar); }},
}};

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
        parts_(kind_of(joint).play),
        keys_(joints::clearance_keys(joint.type)) {}

  std::optional<Clearance> read() {
    refuse_strays();
    read_profiles();
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
    refuse_to_spread();
    if (const Node* friction = node_.find("friction")) {
      out_.friction = read_law(*friction, "");
      say_departure(build_, *friction, path_ + ".friction", laws::friction_catalogue());
    }
    if (const Node* film = node_.find("film")) {
      Film oil;
      oil.law = read_law(*film, "", {"transition", "torque"});
      if (const Node* torque = film->find("torque")) oil.torque = torque->truth();
      if (const Node* rule = film->find("transition")) oil.transition = read_law(*rule, "additive");
      out_.film = std::move(oil);
      // Oil needs no material; the walls behind it do.
      if (!node_.has("material") && !node_.has("contact")) out_.outer = out_.inner = steel();
    }
    take_steel();
    if (const Node* wear = node_.find("wear")) read_wear(*wear);
    if (const Node* point = node_.find("force_point"))
      out_.force_point = point->text() == "socket" ? ForcePoint::socket
                         : point->text() == "ball" ? ForcePoint::ball
                                                   : ForcePoint::midway;
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
      if (k.fits(parts_, planar_)) own.emplace_back(k.name);
    for (const GeometryKey& k : kGeometryKeys) {
      const Entry* stray = node_.entry(k.name);
      if (!stray || k.fits(parts_, planar_)) continue;
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
    const auto given_outer = size_of(outer_key, out_.outer_profile),
               given_inner = size_of(inner_key, out_.inner_profile), gap = number(gap_key);
    const std::string outer_name(outer_key), inner_name(inner_key), gap_name(gap_key);
    if (given_inner && gap && !node_.has(inner_key) && inner_key == keys_.inner) {
      error(gap_name, "the profile of the journal has radii of its own", "leave one of them out");
      return;
    }
    if (given_outer && given_inner && gap) {
      error(inner_name,
            "'" + outer_name + "', '" + inner_name + "' and '" + gap_name +
                "' are given together; two of them say the third",
            "leave one of them out");
      return;
    }
    if (!given_outer && !(given_inner && gap)) {
      if (!node_.has(outer_key) && sound_)
        error_at(node_.place, outer_name, "'" + outer_name + "' is missing");
      return;
    }
    if (!given_inner && !gap) {
      if (!node_.has(inner_key) && !node_.has(gap_key))
        error_at(node_.place, gap_name, "'" + inner_name + "' or '" + gap_name + "' is missing");
      return;
    }
    outer = given_outer ? *given_outer : *given_inner + sides * *gap;
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

  void read_profiles() {
    for (auto& [key, profile, radius] :
         {std::tuple("bearing_profile", &out_.outer_profile, "bearing_radius"),
          std::tuple("journal_profile", &out_.inner_profile, "journal_radius")}) {
      const Node* table = node_.find(key);
      if (!table || !is_flat_bore(parts_, planar_)) continue;
      *profile = read_profile(build_, *table, path_ + "." + key);
      if (!*profile) {
        sound_ = false;
      } else if (own_radius(**profile) > 0 && node_.has(radius)) {
        error(radius, "the profile has radii of its own", "leave one of them out");
      }
    }
  }
  /// The size of a part: as given, or the mean radius of the profile in its place.
  [[nodiscard]] std::optional<double> size_of(std::string_view key,
                                              const std::optional<Profile>& profile) {
    const double own = profile ? own_radius(*profile) : 0;
    return own > 0 ? std::optional(own) : number(key);
  }

  void read_cross_section() {
    if (parts_ != guide)
      return read_pair(keys_.outer, keys_.inner, "radial", 1, out_.outer_radius, out_.inner_radius);
    read_pair("guide_width", "slider_width", "radial", 2, out_.outer_width, out_.inner_width);
    if (planar_)
      take("slider_height", out_.inner_height);
    else
      read_pair("guide_height", "slider_height", "radial", 2, out_.outer_height, out_.inner_height);
  }

  void read_lengths() {
    if (parts_ == guide) {
      take("guide_length", out_.outer_length);
      take("slider_length", out_.inner_length);
      if (!node_.has("slider_length"))
        error_at(node_.place, "slider_length", "'slider_length' is missing");
      return;
    }
    if (is_slot(parts_, planar_)) take("pin_length", out_.inner_length);
    if (!is_bore(parts_, planar_)) return;
    take("bearing_length", out_.outer_length);
    take("journal_length", out_.inner_length);
    if (const Node* through = node_.find("through")) out_.through = through->truth();
    if (out_.through && !node_.has("flange_radius"))
      error("through", "'flange_radius' is missing: a through-pin is held by its flanges");
    if (!finite_bore(parts_, planar_)) return;
    if (parts_ == sleeve) {
      if (!node_.has("journal_length"))
        error_at(node_.place, "journal_length", "'journal_length' is missing",
                 "the contact spreads over it; without a bearing_length the bore has no ends");
      return;
    }
    if (!node_.has("bearing_length"))
      return error_at(node_.place, "bearing_length", "'bearing_length' is missing");
    auto axial = number("axial");
    if (node_.has("journal_length") && axial) return;  // said by the table
    if (!node_.has("journal_length") && !node_.has("axial")) {
      if (!sound_) return;
      axial = out_.outer_radius - out_.inner_radius;
      build_.diagnostics.warn(node_.place, path_ + ".axial",
                              "no 'journal_length' and no 'axial' are given: the axial play is the "
                              "radial one, " +
                                  mm(*axial),
                              "write axial = \"" + mm(*axial) + "\" to say so");
    }
    if (axial) out_.inner_length = out_.outer_length + (out_.through ? 2 : -2) * *axial;
    if (axial && out_.inner_length <= 0)
      error("axial", mm(*axial) +
                         " on both sides leave nothing of the journal: the bearing_length is " +
                         mm(out_.outer_length));
  }

  void read_slot() {
    const Node* table = node_.find(parts_ == arc ? "arc" : "slot");
    if (!table) return;
    const Node *from = table->find("from"), *to = table->find("to");
    if (from && to)
      out_.ends = Clearance::Ends{from->number(), to->number()};
    else
      sound_ = false;
  }

  /// Laws that derive their stiffness need a material; what nobody names is steel.
  void take_steel() {
    const LawChoice& law = out_.contact;
    if (node_.has("material") || node_.has("film") || laws::is_impulsive(law.key)) return;
    if (law.expression && law.expression->text.find("modulus") == std::string::npos) return;
    if (law.key == laws::kPluginKey) return;  // it says what it misses
    const auto given = [&](std::string_view key) {
      return std::ranges::any_of(law.parameters, [&](const auto& p) { return p.first == key; });
    };
    const Entry* contact = node_.entry("contact");
    if (given("stiffness") || given("layer_modulus") || (contact && has_mistake(contact->node)))
      return;
    out_.outer = out_.inner = steel();
    build_.diagnostics.warn(node_.place, path_ + ".material",
                            "no material and no contact stiffness are given: both parts are steel",
                            "write material = \"steel\" to say so");
  }

  void read_wear(const Node& table) {
    Wear wear;
    wear.law = read_law(
        table, "",
        {"x", "factor", "sectors", "stations", "cells", "outer_depth", "inner_depth", "update"});
    if (const Node* update = table.find("update")) wear.update = update->number();
    for (const auto& [key, to] :
         {std::pair("x", &wear.x), std::pair("factor", &wear.factor),
          std::pair("outer_depth", &wear.outer_depth), std::pair("inner_depth", &wear.inner_depth)})
      if (const Node* given = table.find(key))
        for (const Node& item : given->items()) to->push_back(item.number());
    for (const auto& [key, to] :
         {std::pair("sectors", &wear.sectors), std::pair("stations", &wear.stations),
          std::pair("cells", &wear.cells)}) {
      const Node* count = table.find(key);
      if (!count) continue;
      if (count->number() != std::round(count->number()))
        error_at(count->place, std::string("wear.") + key,
                 brief(count->number()) + " is not a whole number");
      *to = static_cast<int>(count->number());
    }
    const double clearance = parts_ == guide ? 0.5 * (out_.outer_width - out_.inner_width)
                                             : out_.outer_radius - out_.inner_radius;
    for (const auto* depth : {&wear.outer_depth, &wear.inner_depth})
      if (sound_ && !depth->empty() && *std::ranges::max_element(*depth) > clearance)
        build_.diagnostics.warn(
            table.place, path_ + ".wear",
            "a part has lost " + mm(*std::ranges::max_element(*depth)) +
                ", more than the clearance of " + mm(clearance),
            "a run does not change the shape that touches: follow such depths with a study, kind = "
            "\"wear\"");
    out_.wear = std::move(wear);
  }

  [[nodiscard]] std::string point_form() const { return parts_ == guide ? "corner" : "rim"; }
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
  /// Impulses and laws that remember act at points: that form goes without saying, another cannot
  /// be had.
  void refuse_to_spread() {
    const Node* form = node_.find("form");
    const std::string& law = out_.contact.key;
    if (!form || form->text() != "distributed" || !laws::acts_at_points(law)) return;
    error("form",
          laws::is_impulsive(law)
              ? "an impulse cannot be spread over lines and faces: they have no pressure"
              : "the law " + quote(law) + " remembers one depth of each contact, and cannot be " +
                    "spread over lines and faces",
          "leave 'form' out or take '" + point_form() +
              "'; or take another contact law with a force, such as 'exact'");
  }

  Build& build_;
  const Node& node_;
  std::string path_;
  const Joint& joint_;
  bool planar_;
  PlayParts parts_;
  joints::ClearanceKeys keys_;
  Clearance out_;
  bool sound_ = true;
};

}  // namespace

void read_clearance(Build& build, const Entry& entry, const std::string& joint_path, Joint& joint) {
  const Node* node = entry.node.find("clearance");
  if (!node) return;
  const std::string path = joint_path + ".clearance";
  const PlayParts parts = kind_of(joint).play;
  if (parts != cross && !joints::takes_clearance(joint.type, build.model.planar))
    return build.error(node->place, path,
                       "clearance in a " + std::string(name_of(joint.type)) + " joint of a " +
                           (build.model.planar ? "planar" : "spatial") +
                           " mechanism is not available" + kind_of(joint).no_play,
                       "it is for " + joint_words([](const JointKind& k) {
                         return k.play != none && k.play != arc;
                       }) + " joints, and for " +
                           joint_words([](const JointKind& k) { return k.play == arc; }) +
                           " joints of planar mechanisms");
  joint.clearance = ClearanceReader(build, *node, path, joint).read();
  if (!joint.clearance) return;
  refuse_drives(build, entry, joint_path, joint);
  if (const Node* wide = node->find("width_direction"))
    turn_to_width(build, *wide, path + ".width_direction", joint);
  if (parts == arc && !entry.node.has("axes")) turn_to_pin(build.model, joint);
}

void refuse_drives(Build& build, const Entry& entry, const std::string& joint_path,
                   const Joint& joint) {
  const std::string why = undrivable(joint);
  if (joint.drives.empty() || why.empty()) return;
  const Entry* drives = entry.node.entry("drive");
  build.error(drives ? drives->place : entry.place, joint_path + ".drive", why,
              "put the drive on another joint");
}

void check_laws(Build& build) {
  const Node* section = build.tree.find("joints");
  for (std::size_t j = 0; j < build.model.joints.size(); ++j) {
    const Joint& joint = build.model.joints[j];
    if (!joint.clearance) continue;
    try {
      static_cast<void>(joints::make_geometry(build.model, static_cast<JointIndex>(j)));
      static_cast<void>(joints::face_stiffness(build.model, joint));
      const joints::ImperfectJoint part(build.model, static_cast<JointIndex>(j));
      if (joint.clearance->wear)
        static_cast<void>(joints::Wearing(build.model, static_cast<JointIndex>(j), part));
    } catch (const ModelError& error) {
      // The halves of a universal joint are written in the table of the whole.
      std::string written = joint.name;
      if (section && !section->find(written)) written = written.substr(0, written.rfind('_'));
      const Node* table = section ? section->find(written) : nullptr;
      const Node* place = table ? table->find("clearance") : nullptr;
      for (const Issue& issue : error.issues()) {
        std::string hint = issue.hint;
        if (hint.empty() && kind_of(joint).play == guide && issue.path.ends_with(".contact"))
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
