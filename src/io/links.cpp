// SPDX-License-Identifier: Apache-2.0
#include "io/links.hpp"

#include "core/rotation.hpp"
#include "io/frames.hpp"
#include "io/text.hpp"

#include <cmath>
#include <numbers>

// Rod: body x from the first point to the second, y and z the global axes turned by the smallest
// rotation that takes global x there, so that a rod in the x-y plane is turned about z alone.
// Plate: x from the first corner to the second, z normal to it, right-handed with the order of the
// corners in space, global z in the plane.
namespace freeplay::io {
namespace {

constexpr std::size_t kMostCorners = 1000;

/// Cross section of a rod, or thickness of a plate; 0 where it is not given.
struct Section {
  double diameter = 0, bore = 0, width = 0, thickness = 0;  // m
};

/// A body that is made of one thing: volume, and inertia per mass about its centre in its axes.
struct Solid {
  Vec3 centre = Vec3::Zero();
  Mat3 axes = Mat3::Identity();
  double volume = 0;             // m^3; 0: the section is not known
  Mat3 gyration = Mat3::Zero();  // m^2
};

/// Global x turned into d by the smallest rotation; half a turn about z for its opposite.
Vec4 turned_to(const Vec3& d) {
  Vec4 q(1 + d[0], 0, -d[2], d[1]);
  if (q.squaredNorm() < 1e-24) return {0, 0, 0, 1};
  return q.normalized();
}

Solid rod(const Vec3& a, const Vec3& b, const Section& s) {
  const Vec3 d = b - a;
  const double length = d.norm(), square = length * length / 12;
  Solid out;
  out.centre = (a + b) / 2;
  out.axes = rotation_matrix(turned_to(d / length));
  if (s.diameter > 0) {
    const double both = s.diameter * s.diameter + s.bore * s.bore;
    out.volume = std::numbers::pi / 4 * (s.diameter * s.diameter - s.bore * s.bore) * length;
    out.gyration.diagonal() << both / 8, square + both / 16, square + both / 16;
  } else {
    const double w = s.width * s.width / 12, t = s.thickness * s.thickness / 12;
    out.volume = s.width * s.thickness * length;
    out.gyration.diagonal() << w + t, square + t, square + w;
  }
  return out;
}

/// Do the sides ab and cd meet?
bool cross(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const auto side = [](const Vec3& p, const Vec3& q, const Vec3& r) {
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
  };
  return side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0;
}

/// Corners in the plane of the plate; empty when it has none.
std::vector<Vec3> flattened(const std::vector<Vec3>& corners, bool planar, Mat3& axes) {
  Vec3 normal = Vec3::Zero();  // Newell
  double size = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 a = corners[i] - corners[0], b = corners[(i + 1) % corners.size()] - corners[0];
    normal += a.cross(b);
    size = std::max(size, a.norm());
  }
  const Vec3 first = corners[1] - corners[0];
  if (!(normal.norm() > 1e-12 * size * size) || !(first.norm() > 0)) return {};
  axes.col(2) = planar ? Vec3::UnitZ() : Vec3(normal.normalized());
  axes.col(0) = first.normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  std::vector<Vec3> out;
  for (const Vec3& corner : corners) out.emplace_back(axes.transpose() * (corner - corners[0]));
  for (const Vec3& p : out)
    if (std::abs(p[2]) > 1e-9 * size) return {};
  return out;
}

/// From the corners in its plane: moments of a polygon by Green's theorem, about the first corner
/// and then moved to the centre (Steger 1996).
Solid plate(const std::vector<Vec3>& flat, const Vec3& first, const Mat3& axes, const Section& s) {
  double twice = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const Vec3 &p = flat[i], &q = flat[(i + 1) % flat.size()];
    const double c = p[0] * q[1] - q[0] * p[1];
    twice += c;
    x += (p[0] + q[0]) * c;
    y += (p[1] + q[1]) * c;
    xx += (p[0] * p[0] + p[0] * q[0] + q[0] * q[0]) * c;
    yy += (p[1] * p[1] + p[1] * q[1] + q[1] * q[1]) * c;
    xy += (2 * p[0] * p[1] + p[0] * q[1] + q[0] * p[1] + 2 * q[0] * q[1]) * c;
  }
  const double cx = x / (3 * twice), cy = y / (3 * twice);
  // Mean squares over the area, about the centre.
  xx = xx / (6 * twice) - cx * cx;
  yy = yy / (6 * twice) - cy * cy;
  xy = xy / (12 * twice) - cx * cy;
  const double t = s.thickness * s.thickness / 12;
  Solid out;
  out.axes = axes;
  out.centre = first + axes * Vec3(cx, cy, 0);
  out.volume = std::abs(twice) / 2 * s.thickness;
  xy = 0 - xy;  // and not -0, which a file would not keep
  out.gyration << yy + t, xy, 0, xy, xx + t, 0, 0, 0, xx + yy;
  return out;
}

class LinkReader {
 public:
  LinkReader(Build& build, const Entry& entry, const std::string& path)
      : build_(build), entry_(entry), path_(path), planar_(build.model.planar) {}

  void read(Body& out) {
    const Node* link = entry_.node.find("link");
    if (!link) return;
    std::vector<Vec3> points;
    for (const Node& point : link->items()) points.push_back(vec(point));
    const auto section = read_section(points.size());
    const auto solid = section ? make(points, *section, link->place) : std::nullopt;
    if (!solid) return;
    out.position = solid->centre;
    if (planar_) {
      const Vec3 d = points[1] - points[0];
      out.angle = std::atan2(d[1], d[0]);
      out.orientation = {std::cos(out.angle / 2), 0, 0, std::sin(out.angle / 2)};
    } else {
      out.orientation = quaternion_of(solid->axes);
    }
    if (const Node* density = entry_.node.find("density")) {
      if (solid->volume > 0)
        out.mass = density->number() * solid->volume;
      else if (!entry_.node.has("section"))
        build_.error(density->place, path_ + ".density", "'density' needs 'section' beside it",
                     points.size() > 2 ? "section = { thickness = \"5 mm\" }"
                                       : "section = { diameter = \"20 mm\" }");
    }
    if (entry_.node.has("inertia")) return;
    if (planar_)
      out.inertia(2, 2) = out.mass * solid->gyration(2, 2);
    else
      out.inertia = out.mass * solid->gyration;
  }

 private:
  [[nodiscard]] std::optional<Section> read_section(std::size_t points) {
    Section out;
    const Node* table = entry_.node.find("section");
    if (!table) return entry_.node.has("section") ? std::nullopt : std::optional(out);
    bool sound = true;
    const auto take = [&](const char* key, double& member) {
      if (const Node* number = table->find(key)) member = number->number();
      if (table->has(key) && !table->find(key)) sound = false;
    };
    take("diameter", out.diameter);
    take("bore", out.bore);
    take("width", out.width);
    take("thickness", out.thickness);
    if (!sound) return {};
    const auto refuse = [&](std::string why, std::string hint) {
      build_.error(table->place, path_ + ".section", std::move(why), std::move(hint));
      return std::nullopt;
    };
    const bool is_plate = points > 2;
    if (is_plate && (out.diameter > 0 || out.width > 0 || !(out.thickness > 0)))
      return refuse("a link of three points or more is a plate",
                    "its section is { thickness = ... }");
    if (!is_plate && !(out.diameter > 0) && !(out.width > 0 && out.thickness > 0))
      return refuse("the section of a rod is not complete",
                    "expected { diameter }, { diameter, bore } or { width, thickness }");
    if (out.bore > 0 && out.bore >= out.diameter)
      return refuse("the bore of " + brief(1e3 * out.bore) + " mm leaves nothing of the diameter",
                    "a bare number is in m");
    return out;
  }

  [[nodiscard]] std::optional<Solid> make(const std::vector<Vec3>& points, const Section& section,
                                          Place place) {
    const auto refuse = [&](std::string why, std::string hint) {
      build_.error(place, path_ + ".link", std::move(why), std::move(hint));
      return std::nullopt;
    };
    if (points.size() < 2 || points.size() > kMostCorners)
      return refuse("found " + std::to_string(points.size()) + " points; expected 2 for a rod, 3 " +
                        "or more for a plate",
                    points.size() == 1 ? "link = [\"A\", \"B\"]" : "");
    double size = 0;
    for (const Vec3& p : points) size = std::max(size, (p - points[0]).norm());
    for (std::size_t i = 0; i + (points.size() == 2 ? 1 : 0) < points.size(); ++i)
      if (!((points[(i + 1) % points.size()] - points[i]).norm() > 1e-12 * size))
        return refuse("two points of the link are the same", "a link needs a length");
    if (points.size() == 2) return rod(points[0], points[1], section);
    Mat3 axes;
    const std::vector<Vec3> flat = flattened(points, planar_, axes);
    if (flat.empty())
      return refuse("the corners do not span a plane",
                    "a rod has two points; a plate has corners in one plane, not in one line");
    for (std::size_t i = 0; i < flat.size(); ++i)
      for (std::size_t k = i + 2; k < flat.size(); ++k)
        if ((k + 1) % flat.size() != i &&
            cross(flat[i], flat[i + 1], flat[k], flat[(k + 1) % flat.size()]))
          return refuse("sides of the plate cross each other", "name the corners in their order");
    return plate(flat, points[0], axes, section);
  }

  Build& build_;
  const Entry& entry_;
  std::string path_;
  bool planar_;
};

}  // namespace

std::vector<Key> link_keys() {
  const auto length = [] { return quantity("m").above(0); };
  const TableShape section{
      "section",
      "Cross section of a rod, x being along it: round, or `width` along y and `thickness` along "
      "z. "
      "A plate has its thickness.",
      {key("diameter", length(), "of a round rod").excludes({"width", "thickness"}),
       key("bore", length(), "of a tube").needs({"diameter"}),
       key("width", length(), "of a rectangular rod, along its y").needs({"thickness"}),
       key("thickness", length(), "of a rectangular rod along its z, or of a plate")}};
  return {
      key("link", list(vector("m")),
          "points it joins: of two, it is a uniform rod with x from the first to the second, of "
          "more a uniform plate with these corners; centre, pose and inertia follow")
          .excludes({"position", "angle", "orientation"}),
      key("section", table(section),
          "cross section of a link; absent: a thin rod or plate, which needs a mass")
          .needs({"link"}),
      key("density", quantity("kg/m^3").above(0), "of a link with a section, in place of mass")
          .needs({"link"})};
}

void read_link(Build& build, const Entry& entry, const std::string& path, Body& out) {
  LinkReader(build, entry, path).read(out);
}

}  // namespace freeplay::io
