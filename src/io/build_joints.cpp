// SPDX-License-Identifier: Apache-2.0
#include "io/build.hpp"
#include "io/frames.hpp"
#include "io/model_tables.hpp"
#include "io/text.hpp"
#include "model/joint_types.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freeplay::io {
namespace {

constexpr double kPerpendicular = 1e-3;  // rad; four printed digits are meant to be perpendicular
constexpr double kDegree = std::numbers::pi / 180;

/// Both axes of a joint as unit vectors, global; `common`: one axis for both bodies.
struct Axes {
  Vec3 first, second;
  bool common = true;
};

/// { BODY = axis } in the frame of that body, or a global vector; global unit vector.
std::optional<Vec3> axis_on(Build& build, const Node& node, BodyIndex body,
                            const std::string& path) {
  if (!node.is_table()) return direction(build, node, path);
  const std::string& name = build.model.bodies[body].name;
  const Node* local = node.find(name);
  if (!local) {
    if (!node.has(name))
      build.error(node.place, path, "the axis on " + quote(name) + " is missing");
    return {};
  }
  const auto unit = direction(build, *local, path + "." + name);
  if (!unit) return {};
  return Vec3(rotation_of(build.model, body) * *unit);
}

/// Every name of { BODY = axis } must be one of these bodies.
bool names_fit(Build& build, const Node& node, std::initializer_list<BodyIndex> bodies,
               const std::string& path) {
  if (!node.is_table()) return true;
  std::vector<std::string> names;
  for (const BodyIndex b : bodies) names.push_back(build.model.bodies[b].name);
  bool fit = true;
  for (const Entry& entry : node.entries()) {
    if (std::ranges::find(names, entry.key) != names.end()) continue;
    build.error(entry.place, path + "." + entry.key,
                "an axis on " + quote(entry.key) + " has no place here",
                "expected " + one_of_these(names));
    fit = false;
  }
  return fit;
}

class JointReader {
 public:
  JointReader(Build& build, const Entry& entry, JointType type)
      : build_(build),
        entry_(entry),
        path_("joints." + entry.key),
        planar_(build.model.planar),
        kind_(kind_of(type)) {
    joint_.name = entry.key;
    joint_.line = entry.place.line;
    joint_.type = type;
  }

  Joint read() {
    if (const std::string remedy = kind_.file.planar_remedy; planar_ && !remedy.empty()) {
      build_.error(place_of("type"), path_ + ".type",
                   "a " + std::string(name_of(joint_.type)) +
                       " joint needs three dimensions; the mechanism is planar",
                   remedy);
      return std::move(joint_);
    }
    if (const auto mount = read_mount(build_, entry_, path_, kind_.file.two_points))
      read_frames(*mount);
    read_own_keys();
    read_curve();
    read_drives();
    read_speeds();
    read_clearance(build_, entry_, path_, joint_);
    read_imperfections(build_, entry_, path_, joint_);
    return std::move(joint_);
  }

 private:
  [[nodiscard]] Place place_of(const std::string& key) const {
    const Entry* found = entry_.node.entry(key);
    return found ? found->node.place : entry_.place;
  }

  // ---- frames

  void read_frames(const Mount& mount) {
    if (entry_.node.has("axes")) return read_own_frames(mount);
    // Both frames coincide with the global ones unless an axis says otherwise.
    std::optional<std::pair<Mat3, Mat3>> axes(std::in_place, Mat3::Identity(), Mat3::Identity());
    switch (kind_.file.frames) {
      case FrameRule::cross:
        axes = universal_axes(mount);
        break;
      case FrameRule::common:
        if (has_axis()) axes = common_axes(mount);
        break;
      case FrameRule::body_axes:
        axes = std::pair(rotation_of(build_.model, mount.first),
                         rotation_of(build_.model, mount.second));
        break;
      case FrameRule::pitch_line:
        return read_pitch_line(mount);
    }
    if (!axes) return;
    joint_.first = make_frame(build_.model, mount.first, mount.first_point, axes->first);
    joint_.second = make_frame(build_.model, mount.second, mount.second_point, axes->second);
  }

  /// x along the line, y to the centre of the pinion, where the line begins below it.
  void read_pitch_line(const Mount& mount) {
    if (!has_axis()) return;
    std::optional<Vec3> along;
    if (mount.marker_axes) {
      along = mount.marker_axes->first;
    } else {
      const Node* node = entry_.node.find("axis");
      if (!node || !names_fit(build_, *node, {mount.first}, path_ + ".axis")) return;
      along = axis_on(build_, *node, mount.first, path_ + ".axis");
    }
    if (!along) return;
    if (planar_ && std::abs((*along)[2]) > 0.5)
      return build_.error(place_of("markers"), path_ + ".markers",
                          "a planar rack joint needs the direction of its pitch line",
                          "give the first marker an 'axis'");
    const Vec3 point = to_global(build_.model, mount.first, mount.first_point),
               centre = to_global(build_.model, mount.second, mount.second_point);
    const Vec3 foot = point + *along * along->dot(centre - point);
    if (!((centre - foot).norm() > 1e-9 * (1 + (centre - point).norm())))
      return build_.error(place_of("at"), path_ + ".at",
                          "the centre of the pinion lies on the pitch line of the rack",
                          "expected [point of the pitch line, centre of the pinion]");
    Mat3 axes;
    axes.col(0) = *along;
    axes.col(1) = (centre - foot).normalized();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    joint_.first =
        make_frame(build_.model, mount.first, to_body(build_.model, mount.first, foot), axes);
    joint_.second = make_frame(build_.model, mount.second, mount.second_point, axes);
  }

  void read_curve() {
    const Node* table = entry_.node.find("curve");
    if (!kind_.file.curve || !table) return;
    const std::string path = path_ + ".curve";
    const Node *x = table->find("x"), *y = table->find("y"), *z = table->find("z"),
               *closed = table->find("closed");
    if (!x || !y || (!planar_ && !z)) return;  // said by the table
    const std::vector<double> xs = numbers(*x), ys = numbers(*y),
                              zs = z ? numbers(*z) : std::vector<double>(xs.size(), 0.0);
    if (xs.size() != ys.size() || xs.size() != zs.size())
      return build_.error(table->place, path,
                          "the lists have " + std::to_string(xs.size()) + ", " +
                              std::to_string(ys.size()) +
                              (z ? " and " + std::to_string(zs.size()) : "") +
                              " entries; every point has one of each");
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < xs.size(); ++i) points.emplace_back(xs[i], ys[i], zs[i]);
    const bool round = closed && closed->truth();
    if (const std::string why = Curve::fault(points, round); !why.empty())
      return build_.error(table->place, path, why);
    joint_.curve = make_curve(std::move(points), round);
  }

  /// Numbers that the type has of its own; absent ones follow from the poses as written.
  void read_own_keys() {
    const Vec3 d = to_global(build_.model, joint_.second.body, joint_.second.point) -
                   to_global(build_.model, joint_.first.body, joint_.first.point);
    const Mat3 axes = rotation_of(build_.model, joint_.first.body) * joint_.first.axes;
    for (const JointKey& own : kind_.keys)
      if (const Node* value = entry_.node.find(own.name))
        joint_.*own.member = value->number();
      else if (own.as_written)
        joint_.*own.member = own.as_written(d, axes);
  }

  /// Both frames as they are, in body axes.
  void read_own_frames(const Mount& mount) {
    const Node* node = entry_.node.find("axes");
    if (!node || !names_fit(build_, *node, {mount.first, mount.second}, path_ + ".axes")) return;
    const auto read = [&](BodyIndex body) -> std::optional<Mat3> {
      const std::string& name = build_.model.bodies[body].name;
      const std::string path = path_ + ".axes." + name;
      const Node* own = node->find(name);
      if (!own && !node->has(name))
        build_.error(node->place, path, "the axes on " + quote(name) + " are missing");
      auto axes = own ? read_frame_axes(build_, *own, path) : std::nullopt;
      const JointKind::File& file = kind_.file;
      const bool by_axis = file.axis && file.frames != FrameRule::pitch_line;
      if (axes && planar_ && by_axis && file.in_plane == (std::abs((*axes)(2, 2)) > 0.5)) {
        build_.error(own->place, path,
                     "z of a planar " + std::string(name_of(joint_.type)) + " joint " +
                         (file.in_plane ? "lies in the plane" : "is normal to the plane"));
        return {};
      }
      return axes;
    };
    const auto first = read(mount.first), second = read(mount.second);
    if (!first || !second) return;
    joint_.first = {mount.first, mount.first_point, *first};
    joint_.second = {mount.second, mount.second_point, *second};
  }

  /// Is there an axis to be read? Reports one that is missing or has no place.
  bool has_axis() {
    const bool given = entry_.node.has("axis"), by_marker = entry_.node.has("markers");
    const JointKind::File& words = kind_.file;
    if (planar_ ? words.in_plane : words.in_space) {
      if (given || by_marker) return true;
      build_.error(
          entry_.place, path_ + ".axis",
          "'axis' is missing; a " + std::string(name_of(joint_.type)) + " joint needs one");
      return false;
    }
    if (given && planar_)
      build_.error(
          place_of("axis"), path_ + ".axis",
          "the axis of a planar " + std::string(name_of(joint_.type)) + " joint is always z",
          "leave it out");
    return (given || by_marker) && !planar_ && words.axis;
  }

  std::optional<Axes> read_axes(const Mount& mount) {
    if (mount.marker_axes) return Axes{mount.marker_axes->first, mount.marker_axes->second, false};
    const Node* node = entry_.node.find("axis");
    if (!node || !names_fit(build_, *node, {mount.first, mount.second}, path_ + ".axis")) return {};
    const auto first = axis_on(build_, *node, mount.first, path_ + ".axis");
    if (!first || !node->is_table())
      return first ? std::optional(Axes{*first, *first, true}) : std::nullopt;
    const auto second = axis_on(build_, *node, mount.second, path_ + ".axis");
    return second ? std::optional(Axes{*first, *second, false}) : std::nullopt;
  }

  std::optional<std::pair<Mat3, Mat3>> common_axes(const Mount& mount) {
    const auto axes = read_axes(mount);
    if (!axes) return {};
    if (planar_) {
      if (std::abs(axes->first[2]) > 0.5 || std::abs(axes->second[2]) > 0.5) {
        build_.error(place_of("markers"), path_ + ".markers",
                     "a planar " + std::string(name_of(joint_.type)) +
                         " joint needs a direction in the plane",
                     "give both markers an 'axis'");
        return {};
      }
      return std::pair(frame_in_plane(axes->first), frame_in_plane(axes->second));
    }
    const Mat3 first = frame_about(axes->first);
    if (axes->common) return std::pair(first, first);
    // Parallel axes have two solutions; assembly goes to the nearer one, so say which it will be.
    if (axes->first.dot(axes->second) < 0 && kind_.file.sense)
      build_.diagnostics.warn(
          place_of("axis"), path_ + ".axis",
          "the axes on the two bodies point in opposite directions in the poses as written",
          "turn one of them round unless that is meant");
    return std::pair(first, frame_about(axes->second, first.col(0)));
  }

  /// z of the first frame is the axis h on the first body, z of the second the cross axis k on the
  /// second; each is the other's x, so that both angles are zero as written.
  std::optional<std::pair<Mat3, Mat3>> universal_axes(const Mount& mount) {
    std::optional<Vec3> h, k;
    bool global = false;
    if (mount.marker_axes) {
      h = mount.marker_axes->first;
      k = mount.marker_axes->second;
    } else {
      const Node* axis = required("axis");
      const Node* cross = required("second_axis");
      if (!axis || !cross) return {};
      const bool axis_fits = names_fit(build_, *axis, {mount.first}, path_ + ".axis");
      const bool cross_fits = names_fit(build_, *cross, {mount.second}, path_ + ".second_axis");
      if (!axis_fits || !cross_fits) return {};
      h = axis_on(build_, *axis, mount.first, path_ + ".axis");
      k = axis_on(build_, *cross, mount.second, path_ + ".second_axis");
      global = !axis->is_table() && !cross->is_table();
    }
    if (!h || !k) return {};
    // Axes in body frames may be rough, to be assembled; global ones are where they will be.
    const double off = std::asin(std::clamp(std::abs(h->dot(*k)), 0.0, 1.0));
    if ((global && off > kPerpendicular) || off > 1.5) {
      build_.error(place_of("second_axis"), path_ + ".second_axis",
                   "the second axis is " + brief(off / kDegree) +
                       " degrees away from perpendicular to the axis; at most " +
                       brief(kPerpendicular / kDegree) + " are corrected");
      return {};
    }
    if (global) k = (*k - *h * h->dot(*k)).normalized();
    return std::pair(frame_about(*h, *k), frame_about(*k, *h));
  }

  const Node* required(const std::string& key) {
    if (!entry_.node.has(key))
      build_.error(
          entry_.place, path_ + "." + key,
          quote(key) + " is missing; a " + std::string(name_of(joint_.type)) + " joint needs it");
    return entry_.node.find(key);
  }

  // ---- motion

  void read_drives() {
    const Node* node = entry_.node.find("drive");
    if (!node) return;
    if (node->is_table()) return read_drive(*node, path_ + ".drive");
    for (std::size_t i = 0; i < node->items().size(); ++i)
      read_drive(node->items()[i], path_ + ".drive." + std::to_string(i));
  }

  void read_drive(const Node& table, const std::string& path) {
    if (table.has("coordinate") && !table.find("coordinate")) return;
    const auto c = find_coordinate(build_, joint_.type, table.find("coordinate"), table.place,
                                   path + ".coordinate");
    const auto motion = read_motion(build_, table, path, true);
    if (!c || !motion) return;
    if (std::ranges::any_of(joint_.drives, [&](const Drive& d) { return d.coordinate == *c; }))
      return build_.error(table.place, path,
                          "the coordinate " + quote(name_of(*c)) + " is driven twice");
    joint_.drives.push_back({*c, *motion});
  }

  void read_speeds() {
    const Node* node = entry_.node.find("speed");
    if (!node) return;
    const std::string path = path_ + ".speed";
    if (node->is_number()) {
      if (const auto c = find_coordinate(build_, joint_.type, nullptr, node->place, path))
        add_speed(*c, *node, path);
      return;
    }
    for (const Entry& entry : node->entries()) {
      if (entry.node.broken()) continue;
      Node name;
      name.place = entry.place;
      name.value = entry.key;
      if (const auto c =
              find_coordinate(build_, joint_.type, &name, entry.place, path + "." + entry.key))
        add_speed(*c, entry.node, path + "." + entry.key);
    }
  }

  void add_speed(Coordinate c, const Node& speed, const std::string& path) {
    if (std::ranges::any_of(joint_.drives, [&](const Drive& d) { return d.coordinate == c; }))
      return build_.error(
          speed.place, path,
          "the coordinate " + quote(name_of(c)) + " is driven, which sets its speed",
          "leave 'speed' or 'drive' out");
    joint_.start_speeds.push_back({c, speed.number()});
  }

  Build& build_;
  const Entry& entry_;
  std::string path_;
  bool planar_;
  const JointKind& kind_;
  Joint joint_;
};

}  // namespace

void read_joints(Build& build) {
  const Node* section = build.tree.find("joints");
  if (!section) return;
  for (const Entry& entry : section->entries()) {
    const Node* word = entry.node.find("type");
    const auto type = word ? joint_type(word->text()) : std::nullopt;
    const auto add = [&](Joint joint, std::optional<JointType> as) {
      build.joints.emplace(joint.name, static_cast<JointIndex>(build.model.joints.size()));
      build.joint_types.push_back(as);
      build.model.joints.push_back(std::move(joint));
    };
    if (type) {
      Joint joint = JointReader(build, entry, *type).read();
      if (kind_of(*type).play == PlayParts::cross && joint.clearance) {
        for (Joint& half : split_universal(build, entry, joint)) {
          if (section->has(half.name))
            build.error(section->entry(half.name)->place, "joints." + half.name,
                        "the clearance of " + quote(entry.key) + " makes a joint of this name",
                        "rename one of them");
          add(std::move(half), JointType::revolute);
        }
        continue;
      }
      add(std::move(joint), type);
    } else {
      Joint mistyped;  // its type is reported already; its bodies may be wrong as well, and later
                       // joints keep their indices
      mistyped.name = entry.key;
      if (const Node* bodies = entry.node.find("bodies"))
        for (std::size_t i = 0; i < 2; ++i)
          static_cast<void>(find_body(build, bodies->items()[i],
                                      "joints." + entry.key + ".bodies." + std::to_string(i)));
      add(std::move(mistyped), type);
    }
  }
}

}  // namespace freeplay::io
