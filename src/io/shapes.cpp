// SPDX-License-Identifier: Apache-2.0
#include "io/shapes.hpp"

#include "core/rotation.hpp"
#include "io/frames.hpp"
#include "io/mesh.hpp"
#include "io/solids.hpp"
#include "io/text.hpp"
#include <freeplay/errors.hpp>

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

namespace freeplay::io {
namespace {

struct NamedColour {
  std::string_view name, value;
};
constexpr std::array<NamedColour, 20> kColours{
    {{"black", "#1b1f24"},     {"white", "#f5f6f7"},   {"grey", "#8b939c"},
     {"silver", "#c3c9d0"},    {"red", "#c8352b"},     {"orange", "#e07b1f"},
     {"yellow", "#e8c22e"},    {"green", "#2f9555"},   {"teal", "#1f8f93"},
     {"blue", "#2c6fbb"},      {"purple", "#7a4fa3"},  {"pink", "#d872a0"},
     {"brown", "#86603a"},     {"steel", "#8f9aa6"},   {"cast-iron", "#5b6168"},
     {"aluminium", "#b8bfc6"}, {"bronze", "#a9743a"},  {"brass", "#c2a34a"},
     {"copper", "#b9673f"},    {"titanium", "#878681"}}};

/// "#rrggbb" in small letters; nothing when it is no colour.
std::optional<std::string> colour_of(std::string_view text) {
  for (const NamedColour& known : kColours)
    if (known.name == text) return std::string(known.value);
  if (text.size() != 7 || text[0] != '#' ||
      text.find_first_not_of("0123456789abcdefABCDEF", 1) != std::string_view::npos)
    return {};
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

double number_or_zero(const Node& table, const char* key) {
  const Node* node = table.find(key);
  return node ? node->number() : 0;
}

/// A body that says itself where it is: its shapes are only drawn.
bool is_placed(const Node& body) {
  return body.has("position") || body.has("angle") || body.has("orientation") || body.has("link");
}

class ShapeReader {
 public:
  ShapeReader(Build& build, const Entry& entry, const std::string& path)
      : build_(build), entry_(entry), path_(path + ".shape"), planar_(build.model.planar) {}

  void read(Body& out) {
    const Node* shape = entry_.node.find("shape");
    if (!shape) return;
    const bool drawn_only = is_placed(entry_.node);
    const Node::Items one{*shape};
    const Node::Items& tables = shape->is_array() ? shape->items() : one;
    const Node *mass = entry_.node.find("mass"), *density = entry_.node.find("density");
    if (drawn_only && !entry_.node.has("mass") && !entry_.node.has("link"))
      return build_.error(shape->place, path_,
                          "shapes of a body with a position of its own are only drawn, and nothing "
                          "else says what it weighs",
                          "give it a mass, or leave position, angle and orientation out: they "
                          "follow from the shapes");
    std::vector<Solid> parts;
    std::vector<double> masses;
    double volume = 0;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const std::string path = path_ + (shape->is_array() ? "." + std::to_string(i) : "");
      const Node* own = tables[i].find("density");
      auto part = read_part(tables[i], path, drawn_only);
      if (own && (mass || drawn_only))
        return build_.error(own->place, path + ".density",
                            "the body has a 'mass'; its shapes have no densities then",
                            "leave one of them out");
      if (!drawn_only && !mass && !own && !density)
        return build_.error(tables[i].place, path + ".density",
                            "'density' is missing: nothing says what this shape weighs",
                            "give the shape or the body a density, or the body a mass");
      if (!part) return;
      out.shapes.push_back(std::move(part->drawn));
      volume += part->solid.volume;
      parts.push_back(part->solid);
      masses.push_back(part->solid.volume * (own       ? own->number()
                                             : density ? density->number()
                                                       : 1.0));
    }
    if (!drawn_only) weigh(*shape, mass, volume, parts, masses, out);
    const Mat3 R = planar_ ? rotation_about_z(out.angle) : rotation_matrix(out.orientation);
    for (std::size_t i = 0; i < tables.size(); ++i)
      if (!tables[i].has("local")) into_body(out, R, out.shapes[i]);
  }

 private:
  /// A shape in global axes, unless it has its place in those of the body, and what it weighs.
  struct Part {
    freeplay::Shape drawn;
    Solid solid;
  };

  /// Mass, centre and inertia from the parts, whose masses are given up to a common factor.
  void weigh(const Node& shape, const Node* mass, double volume, const std::vector<Solid>& parts,
             std::vector<double>& masses, Body& out) {
    if (mass)  // all of one material
      for (double& m : masses) m *= mass->number() / volume;
    const Assembled whole = assembled(parts, masses);
    if (!std::isfinite(whole.mass) || !whole.inertia.allFinite() || !whole.centre.allFinite())
      return build_.error(shape.place, path_, "mass and inertia come to no finite numbers",
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

  static void into_body(const Body& body, const Mat3& R, freeplay::Shape& shape) {
    shape.centre = R.transpose() * (shape.centre - body.position);
    shape.axes = R.transpose() * shape.axes;
    // -0 is not what a file keeps.
    shape.centre.array() += 0.0;
    shape.axes.array() += 0.0;
  }

  [[nodiscard]] std::optional<Part> read_part(const Node& table, const std::string& path,
                                              bool drawn_only) {
    Part out;
    if (table.has("colour")) {
      const Node* colour = table.find("colour");
      if (!colour || !read_colour(*colour, path, out.drawn.colour)) return {};
    }
    if (table.has("plate")) {
      const Node* plate = table.find("plate");
      if (!plate || !read_plate(*plate, table, path, out)) return {};
    } else if (!read_form(table, path, drawn_only, out) ||
               !read_place(table, path, drawn_only, out)) {
      return {};
    }
    return out;
  }

  /// What it is, about the origin, along x.
  bool read_form(const Node& table, const std::string& path, bool drawn_only, Part& out) {
    using Kind = freeplay::Shape::Kind;
    freeplay::Shape& drawn = out.drawn;
    Solid& solid = out.solid;
    if (const Node* box = table.find("box")) {
      drawn.kind = Kind::box;
      drawn.size = vec(*box);
      solid = box_of(drawn.size);
    } else if (const Node* cylinder = table.find("cylinder")) {
      drawn.kind = Kind::cylinder;
      drawn.size = {number_or_zero(*cylinder, "diameter"), number_or_zero(*cylinder, "bore"),
                    number_or_zero(*cylinder, "length")};
      if (drawn.size[1] >= drawn.size[0] && drawn.size[0] > 0) {
        build_.error(cylinder->place, path + ".cylinder",
                     "the bore leaves nothing of the cylinder");
        return false;
      }
      solid = cylinder_of(drawn.size[0], drawn.size[1], drawn.size[2]);
      drawn.axes << 0, 0, -1, 0, 1, 0, 1, 0, 0;  // along z
    } else if (const Node* sphere = table.find("sphere")) {
      drawn.kind = Kind::sphere;
      drawn.size[0] = sphere->number();
      solid = sphere_of(drawn.size[0]);
    } else if (const Node* capsule = table.find("capsule")) {
      drawn.kind = Kind::capsule;
      drawn.size = {number_or_zero(*capsule, "diameter"), 0, number_or_zero(*capsule, "length")};
      solid = capsule_of(drawn.size[0], drawn.size[2]);
    } else if (const Node* mesh = table.find("mesh")) {
      drawn.kind = Kind::mesh;
      const Node *vertices = mesh->find("vertices"), *triangles = mesh->find("triangles");
      if (!vertices || !triangles) return false;
      Refusal why;
      auto surface = mesh_of(vertices->text(), triangles->text(), why);
      std::optional<Solid> enclosing;
      if (surface && !drawn_only) enclosing = enclosed(*surface, why);
      if (!surface || (!drawn_only && !enclosing)) {
        build_.error(mesh->place, path + ".mesh", why.message, why.hint);
        return false;
      }
      if (enclosing) solid = *enclosing;
      drawn.vertices = std::move(surface->vertices);
      drawn.triangles = std::move(surface->triangles);
      return true;
    }
    return solid.volume > 0;  // otherwise broken, and said so
  }

  bool read_place(const Node& table, const std::string& path, bool drawn_only, Part& out) {
    freeplay::Shape& drawn = out.drawn;
    if (table.has("local")) {
      const Node *local = table.find("local"), *axes = table.find("axes");
      if (!local || (table.has("axes") && !axes)) return false;
      if (!drawn_only) {
        build_.error(local->place, path + ".local",
                     "the body has no frame before its shapes are placed",
                     "use 'at' and 'axis', or give the body its position and mass");
        return false;
      }
      drawn.centre = vec(*local);
      drawn.axes = Mat3::Identity();
      if (!axes) return true;
      for (int i = 0; i < 9; ++i)
        drawn.axes(i % 3, i / 3) = axes->items()[static_cast<std::size_t>(i)].number();
      if ((drawn.axes.transpose() * drawn.axes - Mat3::Identity()).cwiseAbs().maxCoeff() <= 1e-9 &&
          drawn.axes.determinant() > 0)
        return true;
      build_.error(axes->place, path + ".axes",
                   "the three axes are not unit vectors at right angles, right-handed",
                   "nine numbers: those of x, then of y = z x x, then of z");
      return false;
    }
    if (const Node* axis = table.find("axis")) {
      const auto d = direction(build_, *axis, path + ".axis");
      if (!d) return false;
      drawn.axes = rotation_matrix(turned_to(*d));
    } else if (table.has("axis")) {
      return false;
    }
    if (const Node* at = table.find("at"))
      drawn.centre = vec(*at);
    else if (table.has("at"))
      return false;
    out.solid.axes = drawn.axes;
    out.solid.centre = drawn.centre + drawn.axes * out.solid.centre;
    return true;
  }

  bool read_plate(const Node& plate, const Node& table, const std::string& path, Part& out) {
    std::vector<Vec3> corners;
    if (const Node* list = plate.find("corners"))
      for (const Node& corner : list->items()) corners.push_back(vec(corner));
    const double thickness = number_or_zero(plate, "thickness");
    if (corners.empty() || !(thickness > 0)) return false;
    for (const char* key : {"at", "axis", "local"})
      if (const Entry* stray = table.entry(key)) {
        build_.error(stray->place, path + "." + key, "a plate is where its corners are",
                     "leave '" + std::string(key) + "' out");
        return false;
      }
    Refusal why;
    const auto solid = plate_of(corners, planar_, thickness, why);
    if (!solid) {
      build_.error(plate.place, path + ".plate", why.message, why.hint);
      return false;
    }
    for (Vec3& corner : corners) corner = solid->axes.transpose() * (corner - solid->centre);
    Mesh mesh = extruded(corners, thickness);
    out.solid = *solid;
    out.drawn.kind = freeplay::Shape::Kind::mesh;
    out.drawn.vertices = std::move(mesh.vertices);
    out.drawn.triangles = std::move(mesh.triangles);
    out.drawn.centre = solid->centre;
    out.drawn.axes = solid->axes;
    return true;
  }

  bool read_colour(const Node& node, const std::string& path, std::string& out) {
    if (const auto colour = colour_of(node.text())) {
      out = *colour;
      return true;
    }
    std::string names;
    for (const NamedColour& known : kColours)
      names += (names.empty() ? "" : ", ") + quote(known.name);
    build_.error(node.place, path + ".colour", "no colour is called " + quote(node.text()),
                 "expected \"#rrggbb\" or one of " + names);
    return false;
  }

  Build& build_;
  const Entry& entry_;
  std::string path_;
  bool planar_;
};

Node mesh_node(const std::vector<Vec3>& vertices,
               const std::vector<std::array<int, 3>>& triangles) {
  return TableWriter()
      .put("vertices", vertices_text(vertices))
      .put("triangles", triangles_text(triangles))
      .done();
}

/// One of a file, m in a unit of it.
double metres(const Node* unit) {
  const auto found = unit && unit->is_text() ? find_unit(unit->text()) : std::nullopt;
  return found ? found->in_si() : 0;
}

/// `weighs`: the surface has to enclose something.
void read_mesh_file(Node& table, const std::string& path, bool weighs, const CheckInput& input) {
  const Entry* file = table.entry("file");
  if (!file || !file->node.is_text()) return;
  const double scale = metres(table.find("unit"));
  if (!(scale > 0)) return;  // the table says what is missing or wrong
  Refusal why;
  std::optional<Mesh> mesh;
  try {
    const auto beside = [&](const std::string& name) {
      return input.document.read_beside(file->node.place, name);
    };
    mesh = read_mesh(beside(file->node.text()), file->node.text(), why, beside);
  } catch (const IoError& error) {
    why = {error.what(), ""};
  }
  if (mesh && weighs && !enclosed(*mesh, why)) mesh.reset();
  Node out;
  out.place = file->node.place;
  if (!mesh) {
    input.diagnostics.error(file->node.place, path + ".file",
                            "cannot use " + quote(file->node.text()) + ": " + why.message,
                            why.hint);
  } else {
    for (Vec3& v : mesh->vertices) v *= scale;
    out = mesh_node(mesh->vertices, mesh->triangles);
    for (Entry& entry : out.entries()) entry.place = entry.node.place = file->node.place;
    out.place = file->node.place;
  }
  const Entry surface{"mesh", file->place, std::move(out)};
  std::erase_if(table.entries(), [](const Entry& e) { return e.key == "file" || e.key == "unit"; });
  table.entries().push_back(surface);
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
  const TableShape mesh{
      "mesh",
      "Triangles, in base64: coordinates of vertices as doubles, their numbers as four bytes each.",
      {key("vertices", text(), "x, y, z of each").require(),
       key("triangles", text(), "three vertices of each, anticlockwise from outside").require()}};
  TableShape out{
      "shape",
      "A uniform part of a body, in the pose as written; exactly one form. The report draws it.",
      {key("box", list(length(), {3}), "lengths of its edges; the first along `axis`"),
       key("cylinder", table(round), "along `axis`, absent: z"),
       key("sphere", length(), "its diameter"),
       key("capsule", table(capsule), "along `axis`, absent: x"),
       key("plate", table(plate), "between corners, in their plane"),
       key("file", text(),
           "closed surface of triangles, .stl, .obj, .glb or .gltf, beside the model; in global "
           "axes from `at`")
           .needs({"unit"}),
       key("mesh", table(mesh), "the same as text, in m, as programs write it"),
       key("unit", choice({"m", "mm", "cm", "in"}), "of the numbers in the file").needs({"file"}),
       key("at", vector("m"), "its centre, or the origin of a file; absent: the origin"),
       key("axis", vector("1"), "global direction; absent: x, of a cylinder z"),
       key("local", list(quantity("m"), {2, 3}),
           "its centre in the frame of the body, in place of at and axis; as programs write it")
           .excludes({"at", "axis"}),
       key("axes", list(number(), {9}),
           "its x (along which it lies), y and z axis in body axes; absent: those of the body")
           .needs({"local"}),
       key("density", quantity("kg/m^3").above(0), "absent: that of the body"),
       key("colour", text(), "\"#rrggbb\" or a name; absent: the viewer's choice")},
      "",
      {"box", "cylinder", "sphere", "capsule", "plate", "file", "mesh"}};
  return key("shape", either({table(out), list(table(out))}),
             "what it is made of, or a list of parts: mass, centre and inertia follow; with a "
             "`mass` all of it is of one material; with a `position` or `link` it is only drawn")
      .excludes({"flexible"});
}

Node write_shape(Writing& writing, const Body& body, const freeplay::Shape& shape) {
  using Kind = freeplay::Shape::Kind;
  TableWriter out(body.line);
  const auto round = [&](bool bore) {
    TableWriter table(body.line);
    table.put("diameter", shape.size[0]).put("length", shape.size[2]);
    if (bore) table.put_unless(0, "bore", shape.size[1]);
    return table.done();
  };
  bool no_use = shape.kind != Kind::mesh && !(shape.vertices.empty() && shape.triangles.empty());
  switch (shape.kind) {
    case Kind::box:
      out.put("box", std::span<const double>(shape.size.data(), 3));
      break;
    case Kind::cylinder:
      out.put("cylinder", round(true));
      break;
    case Kind::sphere:
      out.put("sphere", shape.size[0]);
      no_use = no_use || shape.size[1] != 0 || shape.size[2] != 0;
      break;
    case Kind::capsule:
      out.put("capsule", round(false));
      no_use = no_use || shape.size[1] != 0;
      break;
    case Kind::mesh:
      out.put("mesh", mesh_node(shape.vertices, shape.triangles));
      no_use = shape.size != Vec3::Zero();
      break;
  }
  if (no_use)
    writing.refuse(body.line, "bodies." + body.name + ".shape",
                   "a shape has sizes or triangles that its kind does not have",
                   "leave them zero and empty");
  out.put("local", std::span<const double>(shape.centre.data(), 3));
  out.put("axes", node_of_axes(shape.axes));
  if (!shape.colour.empty()) out.put("colour", shape.colour);
  return out.done();
}

void read_mesh_files(Node& root, const CheckInput& input) {
  Entry* bodies = root.entry("bodies");
  if (!bodies || !bodies->node.is_table()) return;
  for (Entry& body : bodies->node.entries()) {
    Entry* shape = body.node.entry("shape");
    if (!shape) continue;
    const std::string path = "bodies." + body.key + ".shape";
    const bool weighs = !is_placed(body.node);
    if (shape->node.is_table()) read_mesh_file(shape->node, path, weighs, input);
    if (shape->node.is_array())
      for (std::size_t i = 0; i < shape->node.items().size(); ++i)
        read_mesh_file(shape->node.items()[i], path + "." + std::to_string(i), weighs, input);
  }
}

void read_shape(Build& build, const Entry& entry, const std::string& path, Body& out) {
  ShapeReader(build, entry, path).read(out);
}

}  // namespace freeplay::io
