// SPDX-License-Identifier: Apache-2.0
#include "io/build.hpp"
#include "io/law_tables.hpp"
#include "io/model_tables.hpp"
#include "io/text.hpp"
#include "joints/imperfect_joint.hpp"
#include <freeplay/errors.hpp>

#include <array>

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

/// What the outer and inner radius of a joint are called.
std::pair<std::string, std::string> radius_names(JointType type) {
  return type == JointType::spherical
             ? std::pair<std::string, std::string>{"socket_radius", "ball_radius"}
             : std::pair<std::string, std::string>{"bearing_radius", "journal_radius"};
}

}  // namespace

TableShape clearance_table() {
  TableShape out{"[joints.NAME.clearance]",
                 "Play in a joint: its parts collide instead of being held. Delete the table and "
                 "the joint is ideal again. "
                 "Spherical joints, and revolute joints of planar mechanisms.",
                 {}};
  out.keys = {
      key("socket_radius", quantity("m").above(0),
          "spherical joints: radius of the socket (first body)"),
      key("ball_radius", quantity("m").above(0), "spherical joints: radius of the ball")
          .excludes({"radial"}),
      key("bearing_radius", quantity("m").above(0),
          "revolute joints: radius of the bearing (first body)"),
      key("journal_radius", quantity("m").above(0), "revolute joints: radius of the journal")
          .excludes({"radial"}),
      key("radial", quantity("m").at_least(0), "radial clearance, in place of the inner radius"),
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
      key("offset", vector("m"), "start: inner minus outer centre, global; absent: concentric"),
  };
  return out;
}

void read_clearance(Build& build, const Entry& entry, const std::string& joint_path, Joint& joint) {
  const Node* node = entry.node.find("clearance");
  if (!node) return;
  const std::string path = joint_path + ".clearance";
  const bool fits = joint.type == JointType::spherical ||
                    (joint.type == JointType::revolute && build.model.planar);
  if (!fits)
    return build.error(node->place, path,
                       "clearance in a " + std::string(name_of(joint.type)) + " joint of a " +
                           (build.model.planar ? "planar" : "spatial") +
                           " mechanism is not available",
                       "it is for spherical joints, and for revolute joints of planar mechanisms");
  if (!joint.drives.empty() || !joint.start_speeds.empty())
    build.error(node->place, path, "a joint with clearance holds by contact and cannot be driven",
                "put the drive or start speed on another joint");

  Clearance out;
  const auto number = [&](const std::string& key) -> std::optional<double> {
    const Node* value = node->find(key);
    return value ? std::optional(value->number()) : std::nullopt;
  };
  const auto [outer_name, inner_name] = radius_names(joint.type);
  for (const char* other : {"socket_radius", "ball_radius", "bearing_radius", "journal_radius"})
    if (const Entry* stray = node->entry(other);
        stray && other != outer_name && other != inner_name)
      build.error(stray->place, path + "." + other,
                  "a " + std::string(name_of(joint.type)) + " joint has no '" + other + "'",
                  "its radii are called " + outer_name + " and " + inner_name);
  const auto outer = number(outer_name), inner = number(inner_name), radial = number("radial");
  if (!outer)
    build.error(node->place, path + "." + outer_name, "'" + outer_name + "' is missing");
  else if (!inner && !radial)
    build.error(node->place, path + ".radial", "'" + inner_name + "' or 'radial' is missing");
  else {
    out.outer_radius = *outer;
    out.inner_radius = inner ? *inner : *outer - *radial;
    if (out.inner_radius > out.outer_radius)
      build.error(node->place, path + "." + inner_name,
                  brief(out.inner_radius * 1e3) + " mm is larger than the " + outer_name + " of " +
                      brief(out.outer_radius * 1e3) + " mm");
    else if (out.inner_radius <= 0)
      build.error(node->place, path + ".radial",
                  brief(*radial * 1e3) + " mm of clearance leave nothing of the inner part: the " +
                      outer_name + " is " + brief(out.outer_radius * 1e3) + " mm",
                  "a bare number is in m");
    else if (out.outer_radius - out.inner_radius > 0.2 * out.outer_radius)
      build.diagnostics.warn(node->place, path, "the clearance is more than a fifth of the radius",
                             "is the unit right?");
  }
  if (const Node* material = node->find("material")) out.outer = out.inner = material_of(*material);
  if (const Node* material = node->find("inner_material")) out.inner = material_of(*material);
  if (const Node* curvature = node->find("curvature"))
    out.external_curvature = curvature->text() == "external";
  if (const Node* contact = node->find("contact")) {
    out.contact = read_law(*contact, "exact", {"min_approach_speed"});
    if (const Node* speed = contact->find("min_approach_speed"))
      out.min_approach_speed = speed->number();
  }
  if (const Node* friction = node->find("friction")) out.friction = read_law(*friction, "");
  if (const Node* offset = node->find("offset")) out.offset = vec(*offset);
  joint.clearance = std::move(out);
}

void check_laws(Build& build) {
  const Node* section = build.tree.find("joints");
  for (std::size_t j = 0; j < build.model.joints.size(); ++j) {
    const Joint& joint = build.model.joints[j];
    if (!joint.clearance || joint.clearance->inner_radius <= 0) continue;
    try {
      static_cast<void>(joints::ImperfectJoint(build.model, static_cast<JointIndex>(j)));
    } catch (const ModelError& error) {
      const Node* table = section ? section->find(joint.name) : nullptr;
      const Node* place = table ? table->find("clearance") : nullptr;
      for (const Issue& issue : error.issues())
        build.error(place ? place->place : Place{}, issue.path, issue.message, issue.hint);
    }
  }
}

}  // namespace freeplay::io
