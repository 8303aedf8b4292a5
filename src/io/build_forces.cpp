// SPDX-License-Identifier: Apache-2.0
#include "io/build.hpp"
#include "io/force_tables.hpp"
#include "io/frames.hpp"
#include "io/text.hpp"

#include <set>

namespace freeplay::io {
namespace {

using dynamics::ForceKind;

std::optional<ForceTable> read_force_table(Build& build, const Node& table,
                                           const std::string& path) {
  const Node* x = table.find("x");
  const Node* force = table.find("force");
  if (!x || !force || !is_function(build, *x, *force, path, "x")) return {};
  return make_force_table(numbers(*x), numbers(*force));
}

/// What it follows in place of plain numbers; a spring without any of them is none.
template <class S>
void read_characteristic(Build& build, const Entry& entry, const std::string& path, S& out) {
  const Node& node = entry.node;
  if (const Node* table = node.find("table"))
    out.table = read_force_table(build, *table, path + ".table");
  if (const Node* text = node.find("formula"))
    out.formula = read_formula(build, *text, path + ".formula", false);
  if (!node.has("stiffness") && !node.has("damping") && !node.has("preload") &&
      !node.has("table") && !node.has("formula"))
    build.error(entry.place, path,
                "the spring has neither stiffness, damping, preload, table nor formula",
                "give at least one of them");
}

/// What an element along a line is mounted on. False when something is wrong, which is reported.
template <class S>
bool read_line(Build& build, const Entry& entry, const std::string& path, S& out) {
  if (entry.node.has("joint")) {
    const auto on = find_joint_coordinate(build, entry, path);
    if constexpr (requires { out.on; }) {
      if (on) out.on = *on;
    } else if constexpr (requires { out.along; }) {
      if (on) out.along = *on;
    }
    return on.has_value();
  }
  if (!entry.node.has("bodies") && !entry.node.has("markers")) return false;
  const auto mount = read_mount(build, entry, path, true);
  if (!mount) return false;
  PointPair points{make_frame(build.model, mount->first, mount->first_point, Mat3::Identity()),
                   make_frame(build.model, mount->second, mount->second_point, Mat3::Identity())};
  if constexpr (requires { out.first, out.second; }) {
    out.first = points.first;
    out.second = points.second;
  } else if constexpr (requires { out.along; }) {
    out.along = std::move(points);
  }
  for (const dynamics::ForceNumber<S>& number : ForceKind<S>::numbers())
    if (number.placed) out.*number.member = distance(build.model, *mount);
  return true;
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

/// The point of its body that a force acts at: the centre of mass unless it says.
bool read_point(Build& build, const Node& node, const std::string& path, BodyIndex body,
                Frame& out) {
  Vec3 point = Vec3::Zero();
  if (const Node* at = node.find("at")) {
    const std::string& name = build.model.bodies[body].name;
    if (at->is_array()) {
      point = to_body(build.model, body, vec(*at));
    } else if (const Node* local = at->find(name); local && at->entries().size() == 1) {
      point = vec(*local);
    } else {
      if (!at->has(name) || at->entries().size() != 1)
        build.error(at->place, path + ".at",
                    "expected { " + name + " = point }, the body it acts on");
      return false;
    }
  }
  out = make_frame(build.model, body, point, Mat3::Identity());
  return true;
}

/// Why a formula has no x here; empty: it has.
template <class S>
std::string why_no_coordinate(const Build& build, const Node& node) {
  if (kOnBody<S>) return build.model.planar ? "" : "a torque on a body in space has no angle";
  return follows(node) ? "a force that follows its body has no coordinate" : "";
}

/// An element of type S, by what S has.
template <class S>
std::optional<ForceElement> read_as(Build& build, const Entry& entry, const std::string& path) {
  const Node& node = entry.node;
  S out;
  bool sound = true;
  if constexpr (kAtPoint<S> || kOnBody<S>) {
    const auto body = acted_on(build, node, path);
    sound = read_vector(build, node, path, out, why_no_coordinate<S>(build, node)) && body;
    if constexpr (kAtPoint<S>)
      sound = (!body || read_point(build, node, path, *body, out.at)) && sound;
    else if (body)
      out.body = *body;
  } else {
    if constexpr (requires { out.table; }) read_characteristic(build, entry, path, out);
    sound = read_line(build, entry, path, out);
    if constexpr (requires { out.magnitude; }) {
      const Node* magnitude = node.find("magnitude");
      const auto motion =
          magnitude ? read_magnitude(build, *magnitude, path + ".magnitude") : std::nullopt;
      if (motion) out.magnitude = *motion;
      sound = sound && motion;
    }
  }
  fill(out, node, number_fields<S>());
  if (!sound) return {};
  return out;
}

/// Is the table written for an element of type S, or for another of its section?
template <class S>
bool is_for(const Node& node) {
  return node.has("joint") ? kOnCoordinate<S> : !kOnCoordinate<S> || kBetweenPoints<S>;
}

}  // namespace

void read_forces(Build& build) {
  std::map<std::string, std::string> owner;  // results list all of them together
  std::set<std::string_view> done;
  dynamics::each_force_type([&]<class First>(std::type_identity<First>) {
    const std::string_view section = ForceKind<First>::section;
    const Node* table = build.tree.find(std::string(section));
    if (!table || !done.insert(section).second) return;
    for (const Entry& entry : table->entries()) {
      const std::string path = std::string(section) + "." + entry.key;
      if (const auto [known, fresh] = owner.emplace(entry.key, path); !fresh)
        build.error(entry.place, path, "the name is already used by " + quote(known->second),
                    section_words() + " share their names");
      if (entry.node.broken()) continue;
      bool read = false;
      dynamics::each_force_type([&]<class S>(std::type_identity<S>) {
        if (read || ForceKind<S>::section != section || !is_for<S>(entry.node)) return;
        read = true;
        if (auto element = read_as<S>(build, entry, path))
          build.model.forces.push_back({entry.key, std::move(*element), entry.place.line});
      });
    }
  });
}

}  // namespace freeplay::io
