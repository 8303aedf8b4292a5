// SPDX-License-Identifier: Apache-2.0
#include "core/rotation.hpp"
#include "io/build.hpp"
#include "io/flexible_table.hpp"
#include "io/frames.hpp"
#include "io/links.hpp"
#include "io/shapes.hpp"
#include "io/text.hpp"

#include <cmath>

namespace freeplay::io {
namespace {

/// Euler parameters from the one form that is given.
Vec4 read_orientation(Build& build, const Node& table, const std::string& path) {
  if (const Node* p_node = table.find("euler_parameters")) {
    Vec4 p;
    for (int i = 0; i < 4; ++i) p[i] = p_node->items()[i].number();
    const double off = p.squaredNorm() - 1;
    // 1e-3: three printed digits are meant as a unit quaternion, 0.5 is a mistake
    // (theory/multibody). From four digits on there is nothing to tell.
    if (!(std::abs(off) <= 1e-3)) {
      build.error(p_node->place, path + ".euler_parameters",
                  "the squares add up to " + brief(1 + off) + "; expected 1 within 1e-3");
      return {1, 0, 0, 0};
    }
    if (std::abs(off) > 1e-4)
      build.diagnostics.warn(p_node->place, path + ".euler_parameters",
                             "normalised: the squares add up to 1 " +
                                 std::string(off < 0 ? "- " : "+ ") + brief(std::abs(off)));
    return is_unit(p.squaredNorm()) ? p : p.normalized();
  }
  if (const Node* axis = table.find("axis")) {
    const Node* angle = table.find("angle");
    const auto n = direction(build, *axis, path + ".axis");
    if (!n || !angle) return {1, 0, 0, 0};
    const double half = angle->number() / 2;
    return Vec4(std::cos(half), std::sin(half) * (*n)[0], std::sin(half) * (*n)[1],
                std::sin(half) * (*n)[2])
        .normalized();
  }
  if (const Node* rotation = table.find("rotation_vector"))
    return quaternion_exp(vec(*rotation)).normalized();
  if (const Node* xyz = table.find("xyz")) {
    // Intrinsic x, y', z'': the later rotation acts in the turned axes, hence on the right.
    const Vec3 a = vec(*xyz);
    const Vec4 x = quaternion_exp(a[0] * Vec3::UnitX()), y = quaternion_exp(a[1] * Vec3::UnitY()),
               z = quaternion_exp(a[2] * Vec3::UnitZ());
    return quaternion_product(quaternion_product(x, y), z).normalized();
  }
  return {1, 0, 0, 0};
}

Body read_body(Build& build, const Entry& entry, const std::string& path) {
  Body out;
  out.name = entry.key;
  out.line = entry.place.line;
  const Node& table = entry.node;
  if (!table.is_table()) return out;
  if (const Node* node = table.find("mass")) out.mass = node->number();
  if (const Node* node = table.find("inertia")) out.inertia = read_inertia(*node);
  if (const Node* node = table.find("position")) out.position = vec(*node);
  if (const Node* node = table.find("orientation"))
    out.orientation = read_orientation(build, *node, path + ".orientation");
  if (const Node* node = table.find("angle")) {
    out.angle = node->number();
    out.orientation = {std::cos(out.angle / 2), 0, 0, std::sin(out.angle / 2)};
  }
  read_link(build, entry, path, out);
  read_shape(build, entry, path, out);
  read_flexible(build, entry, path, out);
  if (const Node* node = table.find("velocity")) out.velocity = vec(*node);
  if (const Node* node = table.find("angular_velocity"))
    out.angular_velocity = node->is_number() ? Vec3(0, 0, node->number()) : vec(*node);
  return out;
}

std::optional<Frame> read_marker(Build& build, const Node& table, const std::string& path) {
  bool sound = true;
  Mat3 axes = Mat3::Identity();
  if (const Node* axis = table.find("axis")) {
    const auto z = direction(build, *axis, path + ".axis");
    if (z) axes = build.model.planar ? frame_in_plane(*z) : frame_about(*z);
    sound = z.has_value();
  }
  const Node* name = table.find("body");
  if (!name) return {};
  const Node* own_axes = table.find("axes");
  const auto own = own_axes ? read_frame_axes(build, *own_axes, path + ".axes") : std::nullopt;
  if (table.has("axes") && !own) return {};
  const auto body = find_body(build, *name, path + ".body");
  if (!body || !sound) return {};
  const Node *local = table.find("local"), *at = table.find("at");
  if (!local && !at) return {};
  Frame out = make_frame(build.model, *body,
                         local ? vec(*local) : to_body(build.model, *body, vec(*at)), axes);
  if (own) out.axes = *own;
  return out;
}

}  // namespace

void read_mechanism(Build& build) {
  const Node* table = build.tree.find("mechanism");
  Model& model = build.model;
  if (table) {
    if (const Node* node = table->find("name")) model.name = node->text();
    if (const Node* node = table->find("planar")) model.planar = node->truth();
    if (const Node* node = table->find("gravity")) model.gravity = vec(*node);
  }
  const bool given = build.tree.has("mechanism") && (!table || table->has("gravity"));
  if (!given)
    build.diagnostics.warn(table ? table->place : build.tree.place, "mechanism.gravity",
                           "no gravity is given, so none acts",
                           model.planar ? "write gravity = [0, -9.81], or [0, 0]"
                                        : "write gravity = [0, 0, -9.81], or [0, 0, 0]");
}

Mat3 read_inertia(const Node& node) {
  Mat3 out = Mat3::Zero();
  if (node.is_number()) {
    out(2, 2) = node.number();
    return out;
  }
  const Node::Items& v = node.items();
  out.diagonal() << v[0].number(), v[1].number(), v[2].number();
  if (v.size() == 6) {
    out(0, 1) = out(1, 0) = v[3].number();
    out(0, 2) = out(2, 0) = v[4].number();
    out(1, 2) = out(2, 1) = v[5].number();
  }
  return out;
}

void read_bodies(Build& build) {
  build.bodies.emplace("ground", kGround);
  const Node* section = build.tree.find("bodies");
  if (!section || section->entries().empty()) {
    if (!build.tree.has("bodies") || section)
      build.error(section ? section->place : build.tree.place, "bodies", "the model has no bodies",
                  "add a [bodies.NAME] table");
    return;
  }
  for (const Entry& entry : section->entries()) {
    build.bodies.emplace(entry.key, static_cast<BodyIndex>(build.model.bodies.size()));
    build.model.bodies.push_back(read_body(build, entry, "bodies." + entry.key));
  }
}

void read_markers(Build& build) {
  const Node* section = build.tree.find("markers");
  if (!section) return;
  for (const Entry& entry : section->entries()) {
    const auto frame = read_marker(build, entry.node, "markers." + entry.key);
    build.markers.emplace(entry.key, static_cast<int>(build.model.markers.size()));
    build.marker_sound.push_back(frame.has_value());
    build.model.markers.push_back({entry.key, frame.value_or(Frame{})});
  }
}

}  // namespace freeplay::io
