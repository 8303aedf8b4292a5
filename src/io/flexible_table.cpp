// SPDX-License-Identifier: Apache-2.0
#include "io/flexible_table.hpp"

#include "core/rotation.hpp"
#include "io/frames.hpp"
#include "io/materials.hpp"
#include "io/part_table.hpp"
#include "io/solids.hpp"
#include "io/text.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace freeplay::io {
namespace {

struct NamedDensity {
  std::string_view material;
  double density;  // kg/m^3
};
// Handbook values at room temperature, of the materials that have a name (materials.cpp).
constexpr std::array<NamedDensity, 8> kDensities{{{"steel", 7850},
                                                  {"cast-iron", 7200},
                                                  {"aluminium", 2700},
                                                  {"bronze", 8800},
                                                  {"brass", 8500},
                                                  {"titanium", 4430},
                                                  {"nylon", 1140},
                                                  {"ptfe", 2200}}};

/// Area, second moments, torsion constant and outermost fibres of a section; m.
struct Geometry {
  double A = 0, I_y = 0, I_z = 0, J = 0, y = 0, z = 0;
};

Geometry rectangle(double b, double h) {  // b along y, h along z
  const double s = std::min(b, h), l = std::max(b, h), ratio = s / l;
  Geometry out{b * h, b * h * h * h / 12, h * b * b * b / 12, 0, b / 2, h / 2};
  // Torsion of a rectangle, within 0.5 % (Roark), theory/beams (BE.13).
  out.J = l * s * s * s * (1.0 / 3 - 0.21 * ratio * (1 - std::pow(ratio, 4) / 12));
  return out;
}
Geometry tube(double outer, double inner) {
  const double A = std::numbers::pi / 4 * (outer * outer - inner * inner);
  const double I = std::numbers::pi / 64 * (std::pow(outer, 4) - std::pow(inner, 4));
  return {A, I, I, 2 * I, outer / 2, outer / 2};
}

class FlexibleReader {
 public:
  FlexibleReader(Build& build, const Entry& entry, const Node& table, const std::string& path)
      : build_(build), entry_(entry), table_(table), path_(path + ".flexible") {}

  void read(Body& body) {
    Flexible out;
    if (!read_stiffness(out) || !place(body, out) || !read_mass(body, out)) return;
    if (const Node* n = table_.find("elements")) out.elements = static_cast<int>(n->number());
    if (const Node* n = table_.find("modes")) out.modes = static_cast<int>(n->number());
    take("max_frequency", out.max_frequency);
    take("damping", out.damping);
    take("damping_time", out.damping_time);
    if (const Node* n = table_.find("method"); n && n->text() == "beam")
      out.method = FlexibleMethod::beam;
    if (!table_.has("elements")) out.elements = out.method == FlexibleMethod::beam ? 8 : 16;
    if (const Node* n = table_.find("strain"); n && n->text() == "green")
      out.strain = BeamStrain::green;
    if (out.strain == BeamStrain::green && !build_.model.planar)
      error("strain", "Green's strain is that of planar beams",
            "leave it out: beams in space have engineering strain");
    for (const char* key : {"elements", "modes"})
      if (const Node* n = table_.find(key); n && n->number() != std::floor(n->number()))
        error(key, "found " + brief(n->number()) + "; expected a whole number");
    if (out.method == FlexibleMethod::beam) {
      for (const char* key : {"modes", "max_frequency", "damping"})
        if (table_.has(key))
          error(key, "belongs to method = \"modal\"",
                "leave it out; beams are damped by damping_time");
    } else if (table_.has("strain")) {
      error("strain", "a modal body is linear and has no choice of strain",
            "leave it out, or choose method = \"beam\"");
    }
    if (build_.model.simulation.analysis == Analysis::kinematic)
      error("", "a kinematic analysis has no forces, so that nothing bends",
            "leave the table out, or use analysis = \"dynamic\"");
    body.flexible = out;
  }

 private:
  void take(const char* key, double& member) {
    if (const Node* n = table_.find(key)) member = n->number();
  }
  void error(const std::string& key, std::string message, std::string hint = {}) {
    const Node* node = key.empty() ? nullptr : table_.find(key);
    build_.error(node ? node->place : table_.place, key.empty() ? path_ : path_ + "." + key,
                 std::move(message), std::move(hint));
  }

  [[nodiscard]] std::optional<Geometry> read_section(const Node& s) {
    const auto number = [&](const char* key) {
      const Node* n = s.find(key);
      return n ? n->number() : 0.0;
    };
    const double diameter = number("diameter"), bore = number("bore"), width = number("width"),
                 height = number("height"), web = number("web"), flange = number("flange");
    if (diameter > 0) {
      if (bore < diameter) return tube(diameter, bore);
      error("section", "the bore of " + brief(1e3 * bore) + " mm leaves nothing of the diameter",
            "a bare number is in m");
      return {};
    }
    if (!(width > 0 && height > 0)) {
      error("section", "the section is not complete",
            "expected { width, height }, { diameter }, { diameter, bore } or { width, height, web, "
            "flange }");
      return {};
    }
    if (!(web > 0)) return rectangle(width, height);
    // I: flanges at both ends of the width (along y), as broad as the height (along z).
    const double clear = width - 2 * flange;
    if (!(clear > 0 && web <= height)) {
      error("section", "web and flanges of the I do not fit into width and height",
            "two flanges are thinner than the width, the web is thinner than the height");
      return {};
    }
    const Geometry whole = rectangle(width, height);
    Geometry out = whole;
    out.A = 2 * flange * height + clear * web;
    out.I_z = whole.I_z - (height - web) * clear * clear * clear / 12;
    out.I_y = (2 * flange * std::pow(height, 3) + clear * std::pow(web, 3)) / 12;
    out.J = (2 * height * std::pow(flange, 3) + clear * std::pow(web, 3)) / 3;
    return out;
  }

  bool read_stiffness(Flexible& out) {
    if (const Node* section = table_.find("section")) {
      const auto g = read_section(*section);
      if (!g) return false;
      const Node* material = table_.find("material");
      if (!material) {
        if (!table_.has("material"))
          error("section", "a section needs its material",
                "material = \"steel\", or material = { young = \"207 GPa\", poisson = 0.3 }");
        return false;
      }
      const Material is = material_of(*material);
      double density = 0;
      if (material->is_text())
        for (const NamedDensity& d : kDensities)
          if (d.material == material->text()) density = d.density;
      take("density", density);
      const double G = is.young / (2 * (1 + is.poisson));
      out.EA = is.young * g->A, out.EI_y = is.young * g->I_y, out.EI_z = is.young * g->I_z;
      out.GJ = G * g->J;
      out.rhoA = density * g->A;
      gyration_ = (g->I_y + g->I_z) / g->A;
      gyration_z_ = g->I_z / g->A;
      gyration_y_ = g->I_y / g->A;
      out.young = is.young, out.fibre_y = g->y, out.fibre_z = g->z;
      return true;
    }
    if (table_.has("section")) return false;
    take("EA", out.EA);
    take("EI", out.EI_y);
    take("EI", out.EI_z);
    take("EI_y", out.EI_y);
    take("EI_z", out.EI_z);
    take("GJ", out.GJ);
    take("rhoA", out.rhoA);
    take("rhoJ", out.rhoJ);
    take("young", out.young);
    if (const Node* fibre = table_.find("fibre")) {
      out.fibre_y = fibre->items()[0].number();
      out.fibre_z = fibre->items()[1].number();
    }
    const bool planar = build_.model.planar;
    if (!(out.EA > 0) || !(out.EI_z > 0) || (!planar && (!(out.EI_y > 0) || !(out.GJ > 0)))) {
      error("", "the stiffness is not complete",
            planar ? "give a section and a material, or EA and EI"
                   : "give a section and a material, or EA, EI (or EI_y and EI_z) and GJ");
      return false;
    }
    return true;
  }

  /// Ends of the axis in body axes, and the pose of a body that has none.
  bool place(Body& body, Flexible& out) {
    const bool planar = build_.model.planar;
    if (const Node* local = table_.find("local")) {
      out.from = vec(local->items()[0]), out.to = vec(local->items()[1]);
    } else {
      const Node *from = table_.find("from"), *to = table_.find("to");
      const Node* link = entry_.node.find("link");
      if (!from && !to && link && link->items().size() == 2)
        from = &link->items()[0], to = &link->items()[1];
      if (!from || !to) {
        if (!table_.has("from") && !table_.has("to"))
          error("", "the ends of the beam are not known",
                "give from and to, or make the body a link of two points");
        return false;
      }
      const Vec3 a = vec(*from), b = vec(*to), d = b - a;
      if (!(d.norm() > 0)) {
        error("to", "both ends are the same point", "a beam needs a length");
        return false;
      }
      if (!link && !entry_.node.has("position")) body.position = (a + b) / 2;
      if (!link && planar && !entry_.node.has("angle")) {
        body.angle = std::atan2(d[1], d[0]);
        body.orientation = {std::cos(body.angle / 2), 0, 0, std::sin(body.angle / 2)};
      } else if (!link && !planar && !entry_.node.has("orientation")) {
        body.orientation = turned_to(d / d.norm());
      }
      const Mat3 R = planar ? rotation_about_z(body.angle) : rotation_matrix(body.orientation);
      out.from = R.transpose() * (a - body.position);
      out.to = R.transpose() * (b - body.position);
    }
    const double length = out.length();
    if (!(length > 0 && std::isfinite(length))) {
      error("local", "both ends are the same point", "a beam needs a length");
      return false;
    }
    // chosen: printed to six digits, a position is meant as the middle
    if ((out.from + out.to).norm() / 2 > 1e-6 * length) {
      error("", "the centre of mass is not in the middle of the beam, which is uniform",
            "leave out the position of the body, or move from and to");
      return false;
    }
    return true;
  }

  bool read_mass(Body& body, Flexible& out) {
    const double length = out.length();
    if (body.mass > 0) {
      if (table_.has("rhoA") && std::abs(out.rhoA * length - body.mass) > 1e-6 * body.mass) {
        error("rhoA",
              "rhoA times the length is " + brief(out.rhoA * length) + " kg, but the body has " +
                  brief(body.mass) + " kg",
              "leave one of the two out");
        return false;
      }
      if (!table_.has("rhoA")) out.rhoA = body.mass / length;
    } else {
      body.mass = out.rhoA * length;
    }
    if (!(out.rhoA > 0)) {
      error("", "the beam has no mass", "give the body a mass, or the table rhoA or a density");
      return false;
    }
    if (!table_.has("rhoJ") && gyration_ > 0) out.rhoJ = out.rhoA * gyration_;
    if (!build_.model.planar && !(out.rhoJ > 0)) {
      error("", "nothing says how the beam resists being spun about its axis",
            "give rhoJ, the polar moment of inertia per length, or a section");
      return false;
    }
    if (entry_.node.has("inertia") || body.inertia != Mat3::Zero()) return true;
    const double square = length * length / 12;
    const Vec3 own(out.rhoJ / out.rhoA, square + gyration_y_, square + gyration_z_);
    if (build_.model.planar) {
      body.inertia(2, 2) = body.mass * own[2];
    } else {
      const Mat3 Q = rotation_matrix(turned_to((out.to - out.from) / length));
      body.inertia = body.mass * (Q * own.asDiagonal() * Q.transpose());
      body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
    }
    return true;
  }

  Build& build_;
  const Entry& entry_;
  const Node& table_;
  std::string path_;
  double gyration_ = 0, gyration_y_ = 0, gyration_z_ = 0;  // squares of radii; m^2
};

}  // namespace

Key flexible_key() {
  const auto length = [] { return quantity("m").above(0); };
  const TableShape section{
      "section",
      "Cross section of a beam: a rectangle, round, a tube or an I.",
      {key("diameter", length(), "of a round beam").excludes({"width", "height", "web"}),
       key("bore", length(), "of a tube").needs({"diameter"}),
       key("width", length(), "along y: in the plane of a planar mechanism").needs({"height"}),
       key("height", length(), "along z").needs({"width"}),
       key("web", length(), "of an I: thickness of its web, which stands along y")
           .needs({"flange"}),
       key("flange", length(), "of an I: thickness of its flanges").needs({"web"})}};
  const auto stiffness = [](const char* unit) { return quantity(unit).above(0); };
  TableShape out{
      "[bodies.NAME.flexible]",
      "The body bends: a straight uniform beam, or a part of finite elements from a `file`. Mass, "
      "inertia, centre and pose follow unless the body gives them. Without this table the body is "
      "rigid. Cartesian formulation.",
      {key("from", vector("m"), "first end of the axis, global; absent: that of the link")
           .needs({"to"}),
       key("to", vector("m"), "other end").needs({"from"}),
       key("local", list(vector("m").in_body(), {2}), "both ends in the frame of the body")
           .excludes({"from", "to"}),
       key("section", table(section), "cross section").excludes({"EA", "EI", "EI_y", "EI_z", "GJ"}),
       key("material", material_shape(), "of a section").needs({"section"}),
       key("density", quantity("kg/m^3").above(0), "absent: that of the named material")
           .needs({"section"}),
       key("EA", stiffness("N"), "axial stiffness, in place of a section"),
       key("EI", stiffness("N m^2"), "bending stiffness in all directions")
           .excludes({"EI_y", "EI_z"}),
       key("EI_y", stiffness("N m^2"), "about y: bending towards z"),
       key("EI_z", stiffness("N m^2"), "about z: bending towards y, in the plane"),
       key("GJ", stiffness("N m^2"), "torsional stiffness"),
       key("rhoA", quantity("kg/m").above(0), "mass per length"),
       key("rhoJ", quantity("kg m").at_least(0), "polar moment of inertia per length"),
       key("fibre", list(quantity("m").at_least(0), {2}), "outermost fibres along y and z"),
       key("young", quantity("Pa").above(0), "for stress"),
       key("elements", number().at_least(2).at_most(1000),
           "along the axis; default 8 of a beam, 16 of the mesh that modes are made of"),
       key("method", choice({"modal", "beam"}),
           "a floating frame with modes (default), or finite elements for large deformations, in "
           "the "
           "plane"),
       key("strain", choice({"engineering", "green"}),
           "of beams in the plane; default engineering"),
       key("damping", number().at_least(0), "of every mode, share of the critical; default 0"),
       key("damping_time", quantity("s").at_least(0),
           "Kelvin-Voigt: stress is E (strain + time * rate); default 0"),
       key("modes", number().at_least(1).at_most(40),
           "modes kept beside those that the joints bring with them; default 10, in space 16")
           .excludes({"max_frequency"}),
       key("max_frequency", quantity("Hz").above(0), "keeps all modes below, at most 40")}};
  for (Key& of_part : part_keys()) out.keys.push_back(std::move(of_part));
  return key("flexible", table(out), "the body bends: a beam, or a real part; absent: rigid");
}

void read_flexible(Build& build, const Entry& entry, const std::string& path, Body& out) {
  const Node* table = entry.node.find("flexible");
  if (!table) return;
  if (table->has("file") || table->has("part"))
    read_part_table(build, entry, *table, path, out);
  else
    FlexibleReader(build, entry, *table, path).read(out);
}

Node write_flexible(Writing& writing, const Body& body) {
  const Flexible& f = *body.flexible;
  TableWriter out(body.line);
  if (f.part) {
    write_part_table(writing, f, out);
    return out.done();
  }
  Node ends;
  ends.value = Node::Items{writing.vector(f.from), writing.vector(f.to)};
  out.put("local", std::move(ends));
  out.put("EA", f.EA);
  out.put_unless(0, "EI_y", f.EI_y);
  out.put("EI_z", f.EI_z);
  out.put_unless(0, "GJ", f.GJ);
  out.put("rhoA", f.rhoA);
  out.put_unless(0, "rhoJ", f.rhoJ);
  if (f.fibre_y != 0 || f.fibre_z != 0)
    out.put("fibre", std::span<const double>(std::array<double, 2>{f.fibre_y, f.fibre_z}));
  out.put_unless(0, "young", f.young);
  out.put("elements", static_cast<double>(f.elements));
  if (f.method == FlexibleMethod::beam) out.put("method", std::string("beam"));
  if (f.strain == BeamStrain::green) out.put("strain", std::string("green"));
  out.put_unless(0, "damping", f.damping);
  out.put_unless(0, "damping_time", f.damping_time);
  out.put_unless(0, "modes", f.modes);
  out.put_unless(0, "max_frequency", f.max_frequency);
  return out.done();
}

}  // namespace freeplay::io
