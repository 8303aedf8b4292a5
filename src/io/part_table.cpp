// SPDX-License-Identifier: Apache-2.0
#include "io/part_table.hpp"

#include "core/rotation.hpp"
#include "fem/free_modes.hpp"
#include "fem/refuse.hpp"
#include "io/frames.hpp"
#include "io/part_file.hpp"
#include "io/sha256.hpp"
#include "io/solids.hpp"
#include "io/text.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/modal_part.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace freeplay::io {
namespace {

/// What fits: distances, as shares of the part's size; mass and inertia, as shares of themselves.
constexpr double kSamePlace = 1e-3, kSameMass = 1e-6;
/// Modes between the interfaces that are kept unless the table says how many.
constexpr int kPlanarModes = 10, kSpatialModes = 16;

std::string millimetres(double metres) { return brief(1e3 * metres) + " mm"; }

class PartTableReader {
 public:
  PartTableReader(Build& build, const Entry& entry, const Node& table, const std::string& path)
      : build_(build),
        entry_(entry),
        table_(table),
        path_(path + ".flexible"),
        planar_(build.model.planar) {}

  void read(Body& body) {
    Flexible out;
    take("damping", out.damping);
    take("damping_time", out.damping_time);
    if (build_.model.simulation.analysis == Analysis::kinematic)
      return error("", "a kinematic analysis has no forces, so that nothing bends",
                   "leave the table out, or use analysis = \"dynamic\"");
    if (const Node* part = table_.find("part")) {
      if (!(out.part = read_written(*part))) return;
    } else {
      const auto file = build_.parts.find(entry_.key);
      if (file == build_.parts.end() || !file->second || !use(*file->second, body, out)) return;
    }
    body.flexible = std::move(out);
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

  /// A part file: modes of it, mass, pose.
  bool use(const PartFile& file, Body& body, Flexible& out) {
    if (const Node* digest = table_.find("digest"); digest && digest->text() != file.digest) {
      error("digest", "the file has changed: its digest is " + quote(file.digest, 70),
            "write that one where the new part is wanted");
      return false;
    }
    fem::ModeChoice choice;
    choice.planar = planar_;
    choice.modes = planar_ ? kPlanarModes : kSpatialModes;
    if (const Node* n = table_.find("modes")) {
      if (n->number() != std::floor(n->number())) {
        error("modes", "found " + brief(n->number()) + "; expected a whole number");
        return false;
      }
      choice.modes = static_cast<int>(n->number());
      if (choice.modes > file.part.fixed_frequency.size()) {
        error("modes",
              "found " + brief(choice.modes) + "; the file has " +
                  std::to_string(file.part.fixed_frequency.size()),
              "make it anew with freeplay flex --modes");
        return false;
      }
    }
    if (table_.has("max_frequency")) choice.modes = 0;
    take("max_frequency", choice.max_frequency);
    ModalPart part;
    try {
      part = fem::free_modes(file.part, choice);
    } catch (const ModelError& mistake) {
      for (const Issue& issue : mistake.issues()) error("file", issue.message, issue.hint);
      return false;
    }
    if (const Node* n = table_.find("file")) part.file = n->text();
    part.digest = file.digest;
    out.part = std::make_shared<const ModalPart>(std::move(part));
    return weigh(file.part, body) && place(file.part, body);
  }

  bool weigh(const fem::ReducedPart& part, Body& body) {
    if (body.mass > 0 && std::abs(body.mass - part.mass) > kSameMass * part.mass) {
      error("file",
            "the part weighs " + brief(part.mass) + " kg, but the body has " + brief(body.mass) +
                " kg",
            "leave the mass out: it follows from the file");
      return false;
    }
    body.mass = part.mass;
    Mat3 inertia = part.inertia;
    if (planar_) {
      inertia.setZero();
      inertia(2, 2) = part.inertia(2, 2);
    }
    if (entry_.node.has("inertia") &&
        (body.inertia - inertia).cwiseAbs().maxCoeff() > kSameMass * inertia.maxCoeff()) {
      error("file", "the inertia of the part is not that of the body",
            "leave the inertia out: it follows from the file");
      return false;
    }
    body.inertia = inertia;
    return true;
  }

  /// The pose, from the places of the first two interfaces.
  bool place(const fem::ReducedPart& part, Body& body) {
    const Node *from = table_.find("from"), *to = table_.find("to");
    const Node* link = entry_.node.find("link");
    if (!from && !to && link && link->items().size() == 2)
      from = &link->items()[0], to = &link->items()[1];
    if (link && !from) {
      error("", "a plate cannot be a part from a file", "give from and to, and no link");
      return false;
    }
    if (!from || !to) return true;  // position and orientation are those of the body
    if (entry_.node.has("position") || entry_.node.has("shape")) {
      error("from", "from and to say where the part is, and so does the body",
            "leave the position or from and to out");
      return false;
    }
    if (part.interfaces.size() < 2) {
      error("from", "the part has one interface, " + quote(part.interfaces[0].name),
            "give the position and orientation of the body");
      return false;
    }
    Vec3 a = part.interfaces[0].point, b = part.interfaces[1].point;
    if (planar_) a[2] = b[2] = 0;
    const Vec3 here = vec(*from), d = vec(*to) - here, own = b - a;
    if (!(own.norm() > kSamePlace * part.size) ||
        std::abs(d.norm() - own.norm()) > kSamePlace * part.size) {
      error("to",
            "the points are " + millimetres(d.norm()) + " apart, the interfaces " +
                quote(part.interfaces[0].name) + " and " + quote(part.interfaces[1].name) + " " +
                millimetres(own.norm()),
            "the first interface lies at from, the second at to");
      return false;
    }
    Mat3 R;
    if (planar_) {
      if (link || !entry_.node.has("angle"))
        body.angle = std::remainder(std::atan2(d[1], d[0]) - std::atan2(own[1], own[0]),
                                    2 * std::numbers::pi);
      body.orientation = {std::cos(body.angle / 2), 0, 0, std::sin(body.angle / 2)};
      R = rotation_about_z(body.angle);
    } else {
      if (link || !entry_.node.has("orientation")) {
        const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(own, d);
        body.orientation = {turn.w(), turn.x(), turn.y(), turn.z()};
      }
      R = rotation_matrix(body.orientation);
    }
    body.position = here - R * a;
    if ((body.position + R * b - vec(*to)).norm() > 2 * kSamePlace * part.size) {
      error("to", "with that orientation of the body, its second interface lies elsewhere",
            "leave the angle or orientation out");
      return false;
    }
    return true;
  }

  /// As write_part_table wrote it.
  std::shared_ptr<const ModalPart> read_written(const Node& table) {
    ModalPart out;
    if (const Node* n = table.find("file")) out.file = n->text();
    if (const Node* n = table.find("digest")) out.digest = n->text();
    const Node *size = table.find("size"), *frequency = table.find("frequency"),
               *names = table.find("interfaces");
    if (!size || !frequency || !names) return {};
    out.size = size->number();
    const auto n = static_cast<Eigen::Index>(frequency->items().size()),
               k = static_cast<Eigen::Index>(names->items().size());
    MatX points, places, turns, f, products;
    const std::vector<int> blocks = pairs(planar_);
    const auto number = static_cast<Eigen::Index>(blocks.size());
    if (!matrix(table, "frequency", n, 1, f) || !matrix(table, "points", k, 3, points) ||
        !matrix(table, "place", 3 * k, n, places) || !matrix(table, "turn", 3 * k, n, turns) ||
        !matrix(table, "moments", 9, n, out.moments) ||
        !matrix(table, "products", number * n, n, products))
      return {};
    out.frequency = f;
    for (Eigen::Index i = 0; i < k; ++i)
      out.interfaces.push_back({names->items()[static_cast<std::size_t>(i)].text(),
                                points.row(i).transpose(), places.middleRows<3>(3 * i),
                                turns.middleRows<3>(3 * i)});
    out.products.fill(MatX::Zero(n, n));
    for (Eigen::Index i = 0; i < number; ++i) {
      const int block = blocks[static_cast<std::size_t>(i)], turned = 3 * (block % 3) + block / 3;
      const MatX m = products.middleRows(i * n, n);
      out.products[static_cast<std::size_t>(turned)] = m.transpose();
      out.products[static_cast<std::size_t>(block)] = m;
    }
    return std::make_shared<const ModalPart>(std::move(out));
  }

  bool matrix(const Node& table, const char* key, Eigen::Index rows, Eigen::Index columns,
              MatX& out) {
    const Node* node = table.find(key);
    if (!node) return false;
    const std::vector<double> given = numbers(*node);
    if (static_cast<Eigen::Index>(given.size()) != rows * columns) {
      build_.error(node->place, path_ + ".part." + key,
                   "found " + std::to_string(given.size()) + " numbers; expected " +
                       std::to_string(rows * columns),
                   "programs write this table; give the file");
      return false;
    }
    out.resize(rows, columns);
    for (Eigen::Index i = 0; i < rows; ++i)
      for (Eigen::Index j = 0; j < columns; ++j)
        out(i, j) = given[static_cast<std::size_t>(i * columns + j)];
    return true;
  }

 public:
  /// Blocks of the products that are written: the others are these turned over, or of no use in
  /// the plane.
  static std::vector<int> pairs(bool planar) {
    return planar ? std::vector<int>{0, 1, 4} : std::vector<int>{0, 1, 2, 4, 5, 8};
  }

 private:
  Build& build_;
  const Entry& entry_;
  const Node& table_;
  std::string path_;
  bool planar_;
};

Node flat(const MatX& m) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(m.size()));
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) out.push_back(m(i, j));
  return node_of(out);
}

}  // namespace

std::vector<std::string> beam_words() {
  return {"local", "section", "material", "density", "EA",    "EI",       "EI_y",   "EI_z",
          "GJ",    "rhoA",    "rhoJ",     "fibre",   "young", "elements", "method", "strain"};
}

std::vector<Key> part_keys() {
  const auto numbers_in = [](const char* unit) { return list(quantity(unit)); };
  const TableShape part{
      "part",
      "Modes of a part, as programs write them; axes of the body, matrices row by row, [k] "
      "interfaces, [n] modes.",
      {key("file", text(), "that they came from; it is not read again"),
       key("digest", text(), "SHA-256 of that file"),
       key("size", quantity("m").above(0), "of the part").require(),
       key("interfaces", list(text()), "[k] names").require(),
       key("points", numbers_in("m"), "[k 3] their places").require(),
       key("frequency", list(quantity("rad/s").above(0)), "[n] angular").require(),
       key("place", numbers_in(""), "[3 k n] displacements of the interfaces").require(),
       key("turn", numbers_in(""), "[3 k n] small turns").require(),
       key("moments", numbers_in(""), "[9 n] of the mass: x psi").require(),
       key("products", numbers_in(""), "of the mass: psi psi; xx xy yy, in space xx xy xz yy yz zz")
           .require()}};
  std::vector<std::string> others = beam_words(), choices = others;
  choices.insert(choices.end(), {"file", "digest", "modes", "max_frequency", "from", "to"});
  return {key("file", text(),
              "a part that `freeplay flex` made, beside the model: its first interface lies at "
              "from, the second at to; or give position and orientation (axes of the mesh)")
              .excludes(others),
          key("digest", text(), "SHA-256 of the file; when given, a file that changed is refused")
              .needs({"file"}),
          key("part", table(part), "what was in the file").excludes(choices)};
}

PartFiles read_part_files(const Node& root, const CheckInput& input) {
  PartFiles out;
  const Entry* bodies = root.entry("bodies");
  if (!bodies || !bodies->node.is_table()) return out;
  for (const Entry& body : bodies->node.entries()) {
    const Entry* flexible = body.node.entry("flexible");
    const Entry* file = flexible ? flexible->node.entry("file") : nullptr;
    if (!file || !file->node.is_text()) continue;
    const Place place = file->node.place;
    try {
      const auto path = input.document.find_beside(place, file->node.text());
      auto part = std::make_shared<PartFile>();
      part->part = read_part(path);
      part->digest = sha256(fem::read_file(path, path.string()));
      out.emplace(body.key, std::move(part));
    } catch (const IoError& error) {
      input.diagnostics.error(place, "bodies." + body.key + ".flexible.file",
                              "cannot use " + quote(file->node.text()) + ": " + error.what(),
                              "freeplay flex makes such files");
    }
  }
  return out;
}

void read_part_table(Build& build, const Entry& entry, const Node& table, const std::string& path,
                     Body& out) {
  PartTableReader(build, entry, table, path).read(out);
}

void write_part_table(const Writing& writing, const Flexible& flexible, TableWriter& out) {
  const ModalPart& is = *flexible.part;
  TableWriter part;
  if (!is.file.empty()) part.put("file", is.file);
  if (!is.digest.empty()) part.put("digest", is.digest);
  part.put("size", is.size);
  const auto k = static_cast<Eigen::Index>(is.interfaces.size()), n = is.frequency.size();
  MatX points(k, 3), places(3 * k, n), turns(3 * k, n);
  Node::Items names;
  for (Eigen::Index i = 0; i < k; ++i) {
    const ModalPart::Interface& at = is.interfaces[static_cast<std::size_t>(i)];
    names.push_back(node_of(at.name));
    points.row(i) = at.point.transpose();
    places.middleRows<3>(3 * i) = at.place;
    turns.middleRows<3>(3 * i) = at.turn;
  }
  Node list;
  list.value = std::move(names);
  part.put("interfaces", std::move(list));
  part.put("points", flat(points));
  part.put("frequency", flat(is.frequency));
  part.put("place", flat(places));
  part.put("turn", flat(turns));
  part.put("moments", flat(is.moments));
  const std::vector<int> blocks = PartTableReader::pairs(writing.model.planar);
  MatX products(static_cast<Eigen::Index>(blocks.size()) * n, n);
  for (std::size_t b = 0; b < blocks.size(); ++b)
    products.middleRows(static_cast<Eigen::Index>(b) * n, n) =
        is.products[static_cast<std::size_t>(blocks[b])];
  part.put("products", flat(products));
  out.put("part", part.done());
  out.put_unless(0, "damping", flexible.damping);
  out.put_unless(0, "damping_time", flexible.damping_time);
}

}  // namespace freeplay::io
