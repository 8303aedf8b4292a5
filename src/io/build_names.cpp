// SPDX-License-Identifier: Apache-2.0
#include "io/build.hpp"
#include "io/frames.hpp"
#include "io/model_tables.hpp"
#include "io/text.hpp"

#include <algorithm>
#include <cmath>

// Names to indices, lists to vectors, `bodies` + `at` to points on bodies: what several sections
// need.
namespace freeplay::io {
namespace {

template <class Place>
std::vector<std::string> keys(const std::map<std::string, Place>& index) {
  std::vector<std::string> out;
  out.reserve(index.size());
  for (const auto& [name, i] : index) out.push_back(name);
  return out;
}

template <class Place>
std::optional<Place> find_name(Build& build, const std::map<std::string, Place>& index,
                               const char* what, const Node& name, const std::string& path) {
  if (const auto found = index.find(name.text()); found != index.end()) return found->second;
  build.error(name.place, path, "there is no " + std::string(what) + " " + quote(name.text()),
              build.diagnostics.full() ? "" : did_you_mean(name.text(), keys(index)));
  return {};
}

/// A section that is itself wrong: its names are unknown, so that no reference can be judged.
bool section_broken(const Build& build, const char* section) {
  return build.tree.has(section) && !build.tree.find(section);
}

/// { BODY = [..], OTHER = [..] } for the two bodies at hand, in their order.
std::optional<std::pair<Vec3, Vec3>> per_body(Build& build, const Node& table, BodyIndex first,
                                              BodyIndex second, const std::string& path) {
  const std::vector<std::string> names = {build.model.bodies[first].name,
                                          build.model.bodies[second].name};
  bool sound = true;
  for (const Entry& entry : table.entries()) {
    if (entry.node.broken()) sound = false;
    if (std::ranges::find(names, entry.key) != names.end()) continue;
    build.error(entry.place, path + "." + entry.key,
                quote(entry.key) + " is not one of the two bodies",
                "expected " + one_of_these(names));
    sound = false;
  }
  for (const std::string& name : names) {
    if (table.has(name)) continue;
    build.error(table.place, path, "the point on " + quote(name) + " is missing");
    sound = false;
  }
  if (!sound) return {};
  return std::pair(vec(*table.find(names[0])), vec(*table.find(names[1])));
}

std::optional<Mount> mount_on_markers(Build& build, const Node& list, const std::string& path) {
  const auto a = find_marker(build, list.items()[0], path + ".0");
  const auto b = find_marker(build, list.items()[1], path + ".1");
  if (!a || !b) return {};
  if (!build.marker_sound[*a] || !build.marker_sound[*b]) return {};
  const Frame& first = build.model.markers[*a].frame;
  const Frame& second = build.model.markers[*b].frame;
  if (first.body == second.body) {
    build.error(list.place, path,
                "both markers are on " + quote(build.model.bodies[first.body].name),
                "a body cannot be joined with itself");
    return {};
  }
  Mount out;
  out.first = first.body;
  out.second = second.body;
  out.first_point = first.point;
  out.second_point = second.point;
  out.marker_axes =
      std::pair<Vec3, Vec3>(rotation_of(build.model, first.body) * first.axes.col(2),
                            rotation_of(build.model, second.body) * second.axes.col(2));
  return out;
}

}  // namespace

std::optional<BodyIndex> find_body(Build& build, const Node& name, const std::string& path) {
  if (section_broken(build, "bodies")) return {};
  return find_name(build, build.bodies, "body", name, path);
}

std::optional<int> find_marker(Build& build, const Node& name, const std::string& path) {
  if (section_broken(build, "markers")) return {};
  return find_name(build, build.markers, "marker", name, path);
}

std::optional<JointIndex> find_joint(Build& build, const Node& name, const std::string& path) {
  if (section_broken(build, "joints")) return {};
  return find_name(build, build.joints, "joint", name, path);
}

std::optional<Coordinate> find_coordinate(Build& build, JointType type, const Node* wanted,
                                          Place place, const std::string& path, Measure measure) {
  const auto free = coordinates_of(type);
  std::vector<std::string> names;
  for (const Coordinate c : free) names.emplace_back(name_of(c));
  const std::string joint = "a " + std::string(name_of(type)) + " joint";
  if (free.empty()) {
    build.error(place, path, joint + " has no coordinate", "use a joint that leaves a motion free");
    return {};
  }
  if (wanted) {
    const auto c = coordinate(wanted->text());
    if (c && std::ranges::find(free, *c) != free.end()) return c;
    build.error(wanted->place, path, joint + " has no coordinate " + quote(wanted->text()),
                "it has " + one_of_these(names));
    return {};
  }
  std::vector<Coordinate> candidates;
  for (const Coordinate c : free)
    if (measure == Measure::unknown || is_angle(c) == (measure == Measure::angle))
      candidates.push_back(c);
  if (candidates.size() == 1) return candidates[0];
  if (candidates.empty())
    build.error(place, path,
                joint + " has no " + (measure == Measure::angle ? "angle" : "displacement"),
                "it has " + one_of_these(names));
  else
    build.error(place, path, joint + " has several coordinates; which is meant?",
                "write " + one_of_these(names));
  return {};
}

std::optional<JointCoordinate> find_joint_coordinate(Build& build, const Entry& table,
                                                     const std::string& path) {
  const Node* name = table.node.find("joint");
  if (!name) return {};
  const auto joint = find_joint(build, *name, path + ".joint");
  if (!joint || !build.joint_types[*joint]) return {};
  if (table.node.has("coordinate") && !table.node.find("coordinate")) return {};
  const auto c = find_coordinate(build, *build.joint_types[*joint], table.node.find("coordinate"),
                                 table.place, path + ".coordinate");
  if (!c) return {};
  return JointCoordinate{*joint, *c};
}

Vec3 vec(const Node& list) {
  Vec3 out = Vec3::Zero();
  for (std::size_t i = 0; i < list.items().size() && i < 3; ++i)
    out[static_cast<Eigen::Index>(i)] = list.items()[i].number();
  return out;
}

std::optional<Vec3> direction(Build& build, const Node& list, const std::string& path) {
  const Vec3 v = vec(list);
  const double largest = v.cwiseAbs().maxCoeff();
  if (largest > 0) return Vec3((v / largest).normalized());  // scaled first: 1e-200 has no square
  build.error(list.place, path, "a direction of length zero");
  return {};
}

std::optional<Mat3> read_frame_axes(Build& build, const Node& list, const std::string& path) {
  Mat3 out;
  for (int i = 0; i < 9; ++i)
    out(i % 3, i / 3) = list.items()[static_cast<std::size_t>(i)].number();
  const double off = (out.transpose() * out - Mat3::Identity()).cwiseAbs().maxCoeff();
  // Written by programs, with all digits: what is not a frame to nine of them is a mistake.
  if (!(off <= 1e-9) || out.determinant() < 0) {
    build.error(list.place, path,
                "the three axes are not unit vectors at right angles, right-handed",
                "nine numbers: those of x, then of y = z x x, then of z");
    return {};
  }
  if (build.model.planar && !((out.row(2).cwiseAbs().array() - 1).abs() < 1e-9).any()) {
    build.error(list.place, path, "no axis is normal to the plane of the mechanism");
    return {};
  }
  return out;
}

std::optional<Mount> read_mount(Build& build, const Entry& table, const std::string& path,
                                bool two_points) {
  const Node& node = table.node;
  if (const Node* markers = node.find("markers"))
    return mount_on_markers(build, *markers, path + ".markers");
  const Node* bodies = node.find("bodies");
  if (!bodies) {
    if (!node.has("bodies") && !node.has("markers"))
      build.error(table.place, path + ".bodies", "'bodies' is missing; expected two names");
    return {};
  }
  const auto first = find_body(build, bodies->items()[0], path + ".bodies.0");
  const auto second = find_body(build, bodies->items()[1], path + ".bodies.1");
  if (first && second && *first == *second) {
    build.error(bodies->place, path + ".bodies",
                "joins " + quote(bodies->items()[0].text()) + " with itself");
    return {};
  }
  const Node* at = node.find("at");
  if (!at && !node.has("at"))
    build.error(
        table.place, path + ".at",
        std::string("'at' is missing; expected ") + (two_points ? "two points" : "a point"));
  if (!first || !second || !at) return {};

  Mount out;
  out.first = *first;
  out.second = *second;
  if (at->is_table()) {
    const auto points = per_body(build, *at, *first, *second, path + ".at");
    if (!points) return {};
    out.first_point = points->first;
    out.second_point = points->second;
    return out;
  }
  const bool pair = at->items()[0].is_array();
  if (pair != two_points) {
    build.error(
        at->place, path + ".at",
        two_points ? "found one point; expected two, [first, second]"
                   : "found two points; expected one",
        two_points ? "" : "points in body frames are written { BODY = point, OTHER = point }");
    return {};
  }
  out.first_point = to_body(build.model, *first, vec(pair ? at->items()[0] : *at));
  out.second_point = to_body(build.model, *second, vec(pair ? at->items()[1] : *at));
  return out;
}

double distance(const Model& model, const Mount& mount) {
  return (to_global(model, mount.second, mount.second_point) -
          to_global(model, mount.first, mount.first_point))
      .norm();
}

}  // namespace freeplay::io
