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
  if (!node.has("stiffness") && !node.has("damping") && !node.has("preload") && !node.has("table"))
    build.error(entry.place, path, "the spring has neither stiffness, damping, preload nor table",
                "give at least one of them");
  if (node.has("joint")) {
    const auto on = find_joint_coordinate(build, entry, path);
    if (!on) return {};
    CoordinateSpring out;
    out.on = *on;
    fill(out, node, coordinate_spring_fields());
    out.table = table;
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

/// Direction and magnitude of a force or torque: `vector` (or `value`), or `direction` with
/// `magnitude`.
template <class T>
bool read_vector(Build& build, const Node& node, const std::string& path, T& out) {
  out.follows_body = follows(node);
  if (const Node* vector_node = node.find("vector")) {
    out.direction = vec(*vector_node);
    out.magnitude = Constant{1};
    return true;
  }
  const Node* value = node.find("value");
  const Node* magnitude = value ? value : node.find("magnitude");
  if (!magnitude) return false;
  const auto motion = read_magnitude(build, *magnitude, path + (value ? ".value" : ".magnitude"));
  if (motion) out.magnitude = *motion;
  if (!node.has("direction")) return motion.has_value();  // planar torques are about z
  const Node* along_node = node.find("direction");
  const auto along = along_node ? direction(build, *along_node, path + ".direction") : std::nullopt;
  if (!motion || !along) return false;
  out.direction = *along;
  return true;
}

std::optional<Law> read_force(Build& build, const Entry& entry, const std::string& path) {
  const auto body = acted_on(build, entry.node, path);
  PointForce out;
  bool sound = read_vector(build, entry.node, path, out);
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
  if (!read_vector(build, entry.node, path, out) || !body) return {};
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
