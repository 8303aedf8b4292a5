// SPDX-License-Identifier: Apache-2.0
#include "io/links.hpp"

#include "core/rotation.hpp"
#include "io/frames.hpp"
#include "io/mesh.hpp"
#include "io/solids.hpp"
#include "io/text.hpp"

#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

// Rod: body x from the first point to the second, y and z the global axes turned by the smallest
// rotation that takes global x there, so that a rod in the x-y plane is turned about z alone.
// Plates: solids.hpp.
namespace freeplay::io {
namespace {

/// Cross section of a rod, or thickness of a plate; 0 where it is not given.
struct Section {
  double diameter = 0, bore = 0, width = 0, thickness = 0;  // m
};

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

/// What a link with a section looks like, in its own axes.
std::optional<freeplay::Shape> shape_of(const std::vector<Vec3>& points, const Section& section,
                                        const Solid& solid) {
  freeplay::Shape out;
  if (points.size() > 2) {
    if (!(section.thickness > 0)) return {};
    std::vector<Vec3> corners;
    corners.reserve(points.size());
    for (const Vec3& p : points) corners.emplace_back(solid.axes.transpose() * (p - solid.centre));
    Mesh mesh = extruded(corners, section.thickness);
    out.kind = freeplay::Shape::Kind::mesh;
    out.vertices = std::move(mesh.vertices);
    out.triangles = std::move(mesh.triangles);
    return out;
  }
  const double length = (points[1] - points[0]).norm();
  if (section.diameter > 0) {
    out.kind = freeplay::Shape::Kind::cylinder;
    out.size = {section.diameter, section.bore, length};
  } else if (section.width > 0) {
    out.kind = freeplay::Shape::Kind::box;
    out.size = {length, section.width, section.thickness};
  } else {
    return {};
  }
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
    if (!entry_.node.has("shape") && !entry_.node.has("flexible"))
      if (const auto drawn = shape_of(points, *section, *solid)) out.shapes.push_back(*drawn);
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
    if (!std::isfinite(out.mass) || !out.inertia.allFinite())
      build_.error(link->place, path_ + ".link", "mass and inertia come to no finite numbers",
                   "a bare number is in m");
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
    if (points.size() < 2)
      return refuse("found " + std::to_string(points.size()) + " points; expected 2 for a rod, 3 " +
                        "or more for a plate",
                    points.size() == 1 ? "link = [\"A\", \"B\"]" : "");
    const double length = (points[1] - points[0]).norm();
    if (points.size() == 2 && !(length > 0 && std::isfinite(length)))
      return refuse("two points of the link are the same", "a link needs a length");
    if (points.size() == 2) return rod(points[0], points[1], section);
    Refusal why;
    const auto out = plate_of(points, planar_, section.thickness, why);
    return out ? out : refuse(why.message, why.hint);
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
      key("density", quantity("kg/m^3").above(0),
          "of a link with a section, or of its shapes, in place of mass")
          .needs({"link", "shape"})
          .excludes({"mass"})};
}

void read_link(Build& build, const Entry& entry, const std::string& path, Body& out) {
  LinkReader(build, entry, path).read(out);
}

}  // namespace freeplay::io
