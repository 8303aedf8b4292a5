// SPDX-License-Identifier: Apache-2.0
#include "fem/make_part.hpp"

#include "fem/calculix.hpp"
#include "fem/faces.hpp"
#include "fem/refuse.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace freeplay::fem {
namespace fs = std::filesystem;
namespace {

struct NamedUnit {
  std::string_view name;
  double in_si;
};
constexpr std::array<NamedUnit, 5> kLengths{
    {{"m", 1}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}, {"in", 0.0254}}};
constexpr std::array<NamedUnit, 3> kMasses{{{"kg", 1}, {"g", 1e-3}, {"t", 1e3}}};
constexpr std::array<NamedUnit, 2> kTimes{{{"s", 1}, {"ms", 1e-3}}};

template <std::size_t N>
std::optional<double> unit(const std::array<NamedUnit, N>& known, std::string_view name) {
  for (const NamedUnit& u : known)
    if (u.name == name) return u.in_si;
  return {};
}

/// Rows of the matrices by node of the deck; -1 for nodes without.
std::vector<int> rows_by_node(const Deck& deck, const Matrices& matrices) {
  std::vector<int> out(deck.points.size(), -1);
  for (std::size_t k = 0; k < matrices.nodes.size(); ++k)
    out[static_cast<std::size_t>(matrices.nodes[k])] = static_cast<int>(k);
  return out;
}

Coupling couple(const Deck& deck, const InterfaceRequest& request, const std::vector<Face>& faces,
                const std::vector<int>& rows, const DeckUnits& units) {
  const std::string path = "interfaces." + request.set;
  const auto set = deck.sets.find(upper(request.set));
  if (set == deck.sets.end())
    refuse({deck.name, 0}, path, "the deck has no node set of that name",
           "it has " + deck.set_names());
  const std::vector<int>& members = set->second;
  if (members.empty()) refuse({deck.name, 0}, path, "the set is empty", "");
  Coupling out;
  out.name = request.set;
  out.averaged = request.averaged;
  const Areas areas = areas_of(deck, faces, members);
  if (!(areas.total > 0) && (request.averaged || !request.point))
    refuse({deck.name, 0}, path,
           fmt::format("its {} nodes make no face of the part's surface", members.size()),
           request.averaged ? "an average needs faces; name the nodes of a whole bore"
                            : "say where its point is: " + request.set + "=rigid@X,Y,Z");
  for (const int node : members) {
    const int row = rows[static_cast<std::size_t>(node)];
    const double weight = areas.of_node[static_cast<std::size_t>(node)];
    if (row < 0)
      refuse({deck.name, 0}, path,
             fmt::format("node {} belongs to no solid element",
                         deck.numbers[static_cast<std::size_t>(node)]),
             "the set may only have nodes of the part");
    if (request.averaged && weight == 0) continue;
    out.nodes.push_back(row);
    if (request.averaged) out.weights.push_back(weight / areas.total);
  }
  out.point = units.length * request.point.value_or(areas.centroid);
  return out;
}

/// Rounded to what is seen, so that files stay small.
void round_to_float(MatX& m) {
  m = m.unaryExpr([](double x) { return static_cast<double>(static_cast<float>(x)); });
}

void add_skin(const std::vector<Face>& faces, const std::vector<int>& rows, const FreePart& part,
              Reduction& out) {
  const auto triangles = triangles_of(faces);
  std::vector<int> corner(part.points.size(), -1);
  std::vector<int> seen;
  out.part.triangles.resize(3, static_cast<Eigen::Index>(triangles.size()));
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const int row = rows[static_cast<std::size_t>(triangles[t][k])];
      int& number = corner[static_cast<std::size_t>(row)];
      if (number < 0) {
        number = static_cast<int>(seen.size());
        seen.push_back(row);
      }
      out.part.triangles(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(t)) = number;
    }
  const auto n = static_cast<Eigen::Index>(seen.size());
  out.part.skin.resize(3, n);
  out.part.skin_shapes.resize(3 * n, out.basis.cols());
  for (Eigen::Index k = 0; k < n; ++k) {
    const int row = seen[static_cast<std::size_t>(k)];
    out.part.skin.col(k) = part.points[static_cast<std::size_t>(row)] - out.part.centre;
    out.part.skin_shapes.middleRows<3>(3 * k) = out.basis.middleRows<3>(3 * row);
  }
  round_to_float(out.part.skin);
  round_to_float(out.part.skin_shapes);
}

Matrices matrices_for(const PartJob& job, const Deck& deck) {
  if (job.run) {
    const TemporaryFolder folder;
    return read_matrices(run_calculix(deck, folder), deck);
  }
  const fs::path stem =
      job.matrices.empty() ? fs::path(job.deck).replace_extension() : job.matrices;
  for (const char* ending : {".dof", ".sti", ".mas"}) {
    const fs::path file = fs::path(stem) += ending;
    std::error_code error;
    if (!fs::exists(file, error))
      refuse({deck.name, 0}, "",
             fmt::format("its matrices are missing: there is no '{}'", file.string()),
             "add --run, or run CalculiX with *STEP, *FREQUENCY, SOLVER=MATRIXSTORAGE, *END STEP");
  }
  return read_matrices(stem, deck);
}

}  // namespace

std::optional<DeckUnits> parse_deck_units(std::string_view text) {
  const auto first = text.find('-'), second = text.find('-', first + 1);
  if (first == text.npos || second == text.npos) return {};
  const auto length = unit(kLengths, text.substr(0, first));
  const auto mass = unit(kMasses, text.substr(first + 1, second - first - 1));
  const auto time = unit(kTimes, text.substr(second + 1));
  if (!length || !mass || !time) return {};
  return DeckUnits{*length, *mass, *time};
}

InterfaceRequest parse_interface(std::string_view text) {
  const auto bad = [&](const char* why) {
    refuse({}, "--interface", fmt::format("'{}': {}", text, why),
           "write SET=rigid or SET=averaged, with @X,Y,Z where its point is not the middle of the "
           "face");
  };
  InterfaceRequest out;
  const auto equals = text.find('='), places = text.find('@');
  if (equals == text.npos || equals == 0) bad("no coupling is named");
  out.set = text.substr(0, equals);
  const std::string_view kind = text.substr(equals + 1, places - equals - 1);
  if (kind != "rigid" && kind != "averaged") bad("the coupling is neither rigid nor averaged");
  out.averaged = kind == "averaged";
  if (places == text.npos) return out;
  std::string_view rest = text.substr(places + 1);
  Vec3 point;
  for (int c = 0; c < 3; ++c) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), point[c]);
    if (error != std::errc() || !std::isfinite(point[c])) bad("the point is not three numbers");
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (c < 2 ? !rest.starts_with(',') : !rest.empty()) bad("the point is not three numbers");
    if (c < 2) rest.remove_prefix(1);
  }
  out.point = point;
  return out;
}

MadePart make_part(const PartJob& job) {
  const Deck deck = read_deck(job.deck);
  Matrices matrices = matrices_for(job, deck);
  const std::vector<int> rows = rows_by_node(deck, matrices);
  const std::vector<Face> faces = outer_faces(deck);
  FreePart part;
  part.name = deck.name;
  for (const int node : matrices.nodes) {
    part.points.push_back(job.units.length * deck.points[static_cast<std::size_t>(node)]);
    part.numbers.push_back(deck.numbers[static_cast<std::size_t>(node)]);
  }
  // A force is mass times length over time squared, a stiffness that over length.
  part.stiffness = matrices.stiffness * (job.units.mass / (job.units.time * job.units.time));
  part.mass = matrices.mass * job.units.mass;
  matrices = {};
  std::vector<Coupling> couplings;
  for (const InterfaceRequest& request : job.interfaces) {
    for (const Coupling& other : couplings)
      if (upper(other.name) == upper(request.set))
        refuse({}, "--interface", fmt::format("'{}' is named twice", request.set), "");
    couplings.push_back(couple(deck, request, faces, rows, job.units));
  }
  MadePart out;
  out.reduction = reduce(part, couplings, job.modes);
  add_skin(faces, rows, part, out.reduction);
  out.reduction.part.source = job.deck.filename().string();
  out.nodes = part.points.size();
  out.elements = deck.elements.size();
  out.skins = deck.skins;
  return out;
}

}  // namespace freeplay::fem
