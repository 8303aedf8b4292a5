// SPDX-License-Identifier: Apache-2.0
#include "io/shapes.hpp"

#include "core/rotation.hpp"
#include "io/frames.hpp"
#include "io/mesh.hpp"
#include "io/solids.hpp"
#include "io/text.hpp"
#include <freeplay/errors.hpp>

#include <cmath>

namespace freeplay::io {
namespace {

double number_or_zero(const Node& table, const char* key) {
  const Node* node = table.find(key);
  return node ? node->number() : 0;
}

class ShapeReader {
 public:
  ShapeReader(Build& build, const Entry& entry, const std::string& path)
      : build_(build), entry_(entry), path_(path + ".shape"), planar_(build.model.planar) {}

  void read(Body& out) {
    const Node* shape = entry_.node.find("shape");
    if (!shape) return;
    std::vector<Solid> parts;
    std::vector<double> masses;
    const Node::Items one{*shape};
    const Node::Items& tables = shape->is_array() ? shape->items() : one;
    const Node *mass = entry_.node.find("mass"), *density = entry_.node.find("density");
    double volume = 0;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const std::string path = path_ + (shape->is_array() ? "." + std::to_string(i) : "");
      const auto solid = read_part(tables[i], path);
      const Node* own = tables[i].find("density");
      if (mass && own)
        return build_.error(own->place, path + ".density",
                            "the body has a 'mass'; its shapes have no densities then",
                            "leave one of them out");
      if (!mass && !own && !density)
        return build_.error(tables[i].place, path + ".density",
                            "'density' is missing: nothing says what this shape weighs",
                            "give the shape or the body a density, or the body a mass");
      if (!solid) return;
      volume += solid->volume;
      parts.push_back(*solid);
      masses.push_back(solid->volume * (own ? own->number() : density ? density->number() : 1.0));
    }
    if (mass)  // all of one material
      for (double& m : masses) m *= mass->number() / volume;
    const Assembled whole = assembled(parts, masses);
    if (!std::isfinite(whole.mass) || !whole.inertia.allFinite() || !whole.centre.allFinite())
      return build_.error(shape->place, path_, "mass and inertia come to no finite numbers",
                          "a bare number is in m, a density in kg/m^3");
    out.mass = mass ? mass->number() : whole.mass;
    out.position = whole.centre;
    if (planar_) out.position[2] = 0;
    if (entry_.node.has("inertia")) return;
    if (planar_)
      out.inertia(2, 2) = whole.inertia(2, 2);
    else
      out.inertia = whole.inertia;
  }

 private:
  [[nodiscard]] std::optional<Solid> read_part(const Node& table, const std::string& path) {
    if (const Node* plate = table.find("plate")) return read_plate(*plate, table, path);
    std::optional<Solid> out;
    Mat3 own = Mat3::Identity();  // axes without `axis`
    if (const Node* box = table.find("box")) {
      out = box_of(vec(*box));
    } else if (const Node* cylinder = table.find("cylinder")) {
      const double diameter = number_or_zero(*cylinder, "diameter"),
                   bore = number_or_zero(*cylinder, "bore");
      if (bore >= diameter && diameter > 0) {
        build_.error(cylinder->place, path + ".cylinder",
                     "the bore leaves nothing of the cylinder");
        return {};
      }
      out = cylinder_of(diameter, bore, number_or_zero(*cylinder, "length"));
      own << 0, 0, -1, 0, 1, 0, 1, 0, 0;  // along z
    } else if (const Node* sphere = table.find("sphere")) {
      out = sphere_of(sphere->number());
    } else if (const Node* capsule = table.find("capsule")) {
      out = capsule_of(number_or_zero(*capsule, "diameter"), number_or_zero(*capsule, "length"));
    } else if (const Node* solid = table.find("solid")) {
      out = read_solid(*solid);
    }
    if (!out || !(out->volume > 0)) return {};  // broken, and said so
    out->axes = own;
    if (const Node* axis = table.find("axis")) {
      const auto d = direction(build_, *axis, path + ".axis");
      if (!d) return {};
      out->axes = rotation_matrix(turned_to(*d));
    } else if (table.has("axis")) {
      return {};
    }
    if (const Node* at = table.find("at")) out->centre += vec(*at);
    return out;
  }

  [[nodiscard]] std::optional<Solid> read_plate(const Node& plate, const Node& table,
                                                const std::string& path) {
    std::vector<Vec3> corners;
    if (const Node* list = plate.find("corners"))
      for (const Node& corner : list->items()) corners.push_back(vec(corner));
    const double thickness = number_or_zero(plate, "thickness");
    if (corners.empty() || !(thickness > 0)) return {};
    for (const char* key : {"at", "axis"})
      if (const Entry* stray = table.entry(key)) {
        build_.error(stray->place, path + "." + key, "a plate is where its corners are",
                     "leave '" + std::string(key) + "' out");
        return {};
      }
    Refusal why;
    auto out = plate_of(corners, planar_, thickness, why);
    if (!out) build_.error(plate.place, path + ".plate", why.message, why.hint);
    return out;
  }

  /// As read_mesh_files wrote it.
  [[nodiscard]] static Solid read_solid(const Node& node) {
    const auto at = [&](std::size_t i) { return node.items()[i].number(); };
    Solid out;
    out.volume = at(0);
    out.centre = {at(1), at(2), at(3)};
    out.gyration << at(4), at(7), at(8), at(7), at(5), at(9), at(8), at(9), at(6);
    return out;
  }

  Build& build_;
  const Entry& entry_;
  std::string path_;
  bool planar_;
};

/// One of a file, m in a unit of it.
double metres(const Node* unit) {
  const auto found = unit && unit->is_text() ? find_unit(unit->text()) : std::nullopt;
  return found ? found->in_si() : 0;
}

void read_mesh_file(Node& table, const std::string& path, const CheckInput& input) {
  const Entry* file = table.entry("file");
  if (!file || !file->node.is_text()) return;
  const double scale = metres(table.find("unit"));
  if (!(scale > 0)) return;  // the table says what is missing or wrong
  Refusal why;
  std::optional<Solid> solid;
  try {
    solid = read_mesh(input.document.read_beside(file->node.place, file->node.text()),
                      file->node.text(), why);
  } catch (const IoError& error) {
    why = {error.what(), ""};
  }
  Node out;
  out.place = file->node.place;
  if (!solid) {
    input.diagnostics.error(file->node.place, path + ".file",
                            "cannot use " + quote(file->node.text()) + ": " + why.message,
                            why.hint);
  } else {
    const Mat3& g = solid->gyration;
    const double two = scale * scale;
    Node::Items items;
    for (const double x :
         {solid->volume * scale * two, solid->centre[0] * scale, solid->centre[1] * scale,
          solid->centre[2] * scale, g(0, 0) * two, g(1, 1) * two, g(2, 2) * two, g(0, 1) * two,
          g(0, 2) * two, g(1, 2) * two})
      items.push_back({x, out.place});
    out.value = std::move(items);
  }
  const Entry solid_entry{"solid", file->place, std::move(out)};
  std::erase_if(table.entries(), [](const Entry& e) { return e.key == "file" || e.key == "unit"; });
  table.entries().push_back(solid_entry);
}

}  // namespace

Key shape_key() {
  const auto length = [] { return quantity("m").above(0); };
  const TableShape round{"cylinder",
                         "A round part.",
                         {key("diameter", length(), "of it").require(),
                          key("length", length(), "along its axis").require(),
                          key("bore", length(), "diameter of a hole through it; absent: none")}};
  const TableShape capsule{"capsule",
                           "A cylinder with half a ball at each end.",
                           {key("diameter", length(), "of it").require(),
                            key("length", length(), "between the centres of the balls").require()}};
  const TableShape plate{
      "plate",
      "A flat part.",
      {key("corners", list(vector("m")), "three or more, in their order").require(),
       key("thickness", length(), "half of it on either side").require()}};
  TableShape out{
      "shape",
      "A uniform part of a body, in the pose as written; exactly one form.",
      {key("box", list(length(), {3}), "lengths of its edges; the first along `axis`"),
       key("cylinder", table(round), "along `axis`, absent: z"),
       key("sphere", length(), "its diameter"),
       key("capsule", table(capsule), "along `axis`, absent: x"),
       key("plate", table(plate), "between corners, in their plane"),
       key("file", text(),
           "closed surface of triangles, .stl or .obj, beside the model; in global axes from `at`")
           .needs({"unit"}),
       key("solid", list(quantity(""), {10}),
           "volume, centre and squares of the radii of gyration (xx yy zz xy xz yz), as programs "
           "write it"),
       key("unit", choice({"m", "mm", "cm", "in"}), "of the numbers in the file").needs({"file"}),
       key("at", vector("m"), "its centre, or the origin of a file; absent: the origin"),
       key("axis", vector("1"), "global direction; absent: x, of a cylinder z"),
       key("density", quantity("kg/m^3").above(0), "absent: that of the body")},
      "",
      {"box", "cylinder", "sphere", "capsule", "plate", "file", "solid"}};
  return key("shape", either({table(out), list(table(out))}),
             "what it is made of, or a list of parts: mass, centre and inertia follow; with a "
             "`mass` "
             "all of it is of one material")
      .excludes({"position", "angle", "orientation", "link"});
}

void read_mesh_files(Node& root, const CheckInput& input) {
  Entry* bodies = root.entry("bodies");
  if (!bodies || !bodies->node.is_table()) return;
  for (Entry& body : bodies->node.entries()) {
    Entry* shape = body.node.entry("shape");
    if (!shape) continue;
    const std::string path = "bodies." + body.key + ".shape";
    if (shape->node.is_table()) read_mesh_file(shape->node, path, input);
    if (shape->node.is_array())
      for (std::size_t i = 0; i < shape->node.items().size(); ++i)
        read_mesh_file(shape->node.items()[i], path + "." + std::to_string(i), input);
  }
}

void read_shape(Build& build, const Entry& entry, const std::string& path, Body& out) {
  ShapeReader(build, entry, path).read(out);
}

}  // namespace freeplay::io
