// SPDX-License-Identifier: Apache-2.0
#include "io/build.hpp"
#include "io/frames.hpp"
#include "io/model_tables.hpp"
#include "io/text.hpp"

#include <array>

namespace freeplay::io {
namespace {

using Law = decltype(Force::law);

std::optional<ForceTable> read_force_table(Build& build, const Node& table,
                                           const std::string& path) {
  const Node* x = table.find("x");
  const Node* force = table.find("force");
  if (!x || !force || !is_function(build, *x, *force, path, "x")) return {};
  return make_force_table(numbers(*x), numbers(*force));
}

std::optional<Law> read_spring(Build& build, const Entry& entry, const std::string& path) {
  const Node& node = entry.node;
  const auto table = node.find("table")
                         ? read_force_table(build, *node.find("table"), path + ".table")
                         : std::nullopt;
  const Node* text = node.find("formula");
  const auto formula = text ? read_formula(build, *text, path + ".formula", false) : std::nullopt;
  if (!node.has("stiffness") && !node.has("damping") && !node.has("preload") &&
      !node.has("table") && !node.has("formula"))
    build.error(entry.place, path,
                "the spring has neither stiffness, damping, preload, table nor formula",
                "give at least one of them");
  if (node.has("joint")) {
    const auto on = find_joint_coordinate(build, entry, path);
    if (!on) return {};
    CoordinateSpring out;
    out.on = *on;
    fill(out, node, coordinate_spring_fields());
    out.table = table;
    out.formula = formula;
    return out;
  }
  if (!node.has("bodies") && !node.has("markers")) return {};
  const auto mount = read_mount(build, entry, path, true);
  if (!mount) return {};
  PointSpring out;
  out.first = make_frame(build.model, mount->first, mount->first_point, Mat3::Identity());
  out.second = make_frame(build.model, mount->second, mount->second_point, Mat3::Identity());
  out.free_length = distance(build.model, *mount);
  fill(out, node, point_spring_fields());
  out.table = table;
  out.formula = formula;
  return out;
}

/// The body a force or torque acts on; the ground would not notice.
std::optional<BodyIndex> acted_on(Build& build, const Node& node, const std::string& path) {
  const Node* name = node.find("body");
  if (!name) return {};
  const auto body = find_body(build, *name, path + ".body");
  if (!body || *body != kGround) return body;
  build.error(name->place, path + ".body", "the ground does not feel it", "name a moving body");
  return {};
}

bool follows(const Node& node) {
  const Node* frame = node.find("frame");
  return frame && frame->text() == "body";
}

/// A formula may only use the coordinate where the element has one.
bool has_coordinate(Build& build, const Node& magnitude, const std::string& path,
                    const Motion& motion, const std::string& why) {
  const auto* formula = std::get_if<Formula>(&motion);
  if (!formula || why.empty()) return true;
  for (const Formula::Instruction& i : formula->code)
    if (i.op == Formula::Op::coordinate) {
      build.error(magnitude.place, path + ".formula", quote(formula->text) + " uses x, but " + why,
                  "use v and t alone, or an effort on a joint coordinate");
      return false;
    }
  return true;
}

/// Direction and magnitude of a force or torque: `vector` (or `value`), or `direction` with
/// `magnitude`.
template <class T>
bool read_vector(Build& build, const Node& node, const std::string& path, T& out,
                 const std::string& why_no_coordinate) {
  out.follows_body = follows(node);
  if (const Node* vector_node = node.find("vector")) {
    out.direction = vec(*vector_node);
    out.magnitude = Constant{1};
    return true;
  }
  const Node* value = node.find("value");
  const Node* magnitude = value ? value : node.find("magnitude");
  if (!magnitude) return false;
  const std::string place = path + (value ? ".value" : ".magnitude");
  const auto motion = read_magnitude(build, *magnitude, place);
  if (motion) out.magnitude = *motion;
  if (motion && !has_coordinate(build, *magnitude, place, *motion, why_no_coordinate)) return false;
  if (!node.has("direction")) return motion.has_value();  // planar torques are about z
  const Node* along_node = node.find("direction");
  const auto along = along_node ? direction(build, *along_node, path + ".direction") : std::nullopt;
  if (!motion || !along) return false;
  // What is of unit length to rounding stays as it is: normalising again would move the last digit
  // of a direction that a program wrote.
  const Vec3 given = vec(*along_node);
  out.direction = is_unit(given.squaredNorm()) ? given : *along;
  return true;
}

std::optional<Law> read_force(Build& build, const Entry& entry, const std::string& path) {
  const auto body = acted_on(build, entry.node, path);
  PointForce out;
  bool sound =
      read_vector(build, entry.node, path, out,
                  follows(entry.node) ? "a force that follows its body has no coordinate" : "");
  if (!body) return {};
  Vec3 point = Vec3::Zero();
  if (const Node* at = entry.node.find("at")) {
    const std::string& name = build.model.bodies[*body].name;
    if (at->is_array()) {
      point = to_body(build.model, *body, vec(*at));
    } else if (const Node* local = at->find(name); local && at->entries().size() == 1) {
      point = vec(*local);
    } else {
      if (!at->has(name) || at->entries().size() != 1)
        build.error(at->place, path + ".at",
                    "expected { " + name + " = point }, the body it acts on");
      sound = false;
    }
  }
  if (!sound) return {};
  out.at = make_frame(build.model, *body, point, Mat3::Identity());
  return out;
}

std::optional<Law> read_torque(Build& build, const Entry& entry, const std::string& path) {
  const auto body = acted_on(build, entry.node, path);
  BodyTorque out;
  const bool planar = build.model.planar;
  if (!read_vector(build, entry.node, path, out,
                   planar ? "" : "a torque on a body in space has no angle") ||
      !body)
    return {};
  out.body = *body;
  return out;
}

std::optional<Law> read_effort(Build& build, const Entry& entry, const std::string& path) {
  const auto on = find_joint_coordinate(build, entry, path);
  const Node* magnitude = entry.node.find("magnitude");
  const auto motion =
      magnitude ? read_magnitude(build, *magnitude, path + ".magnitude") : std::nullopt;
  if (!on || !motion) return {};
  return JointEffort{*on, *motion};
}

}  // namespace

void read_forces(Build& build) {
  struct Section {
    const char* name;
    std::optional<Law> (*read)(Build&, const Entry&, const std::string&);
  };
  constexpr std::array sections{Section{"springs", read_spring}, Section{"forces", read_force},
                                Section{"torques", read_torque}, Section{"efforts", read_effort}};
  std::map<std::string, std::string> owner;  // results list all of them together
  for (const Section& section : sections) {
    const Node* table = build.tree.find(section.name);
    if (!table) continue;
    for (const Entry& entry : table->entries()) {
      const std::string path = std::string(section.name) + "." + entry.key;
      if (const auto [known, fresh] = owner.emplace(entry.key, path); !fresh)
        build.error(entry.place, path, "the name is already used by " + quote(known->second),
                    "springs, forces, torques and efforts share their names");
      if (entry.node.broken()) continue;
      if (auto law = section.read(build, entry, path))
        build.model.forces.push_back({entry.key, std::move(*law), entry.place.line});
    }
  }
}

}  // namespace freeplay::io
