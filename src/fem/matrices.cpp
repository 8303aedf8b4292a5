// SPDX-License-Identifier: Apache-2.0
#include "fem/matrices.hpp"

#include "fem/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace freeplay::fem {
namespace fs = std::filesystem;
namespace {

/// What a row of the matrices is: a direction of a node.
struct Dof {
  int node, direction;  // position in the deck; 0, 1, 2
};

struct Numbers {
  explicit Numbers(Place where, std::string_view text) : place(std::move(where)), rest(text) {}
  Place place;
  std::string_view rest;
  const char* expected = "";

  /// The next line that is not empty.
  bool next_line() {
    while (!rest.empty()) {
      const auto end = std::min(rest.find('\n'), rest.size());
      line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++place.line;
      if (line.find_first_not_of(" \t\r") != line.npos) return true;
    }
    return false;
  }
  template <class T>
  T take(char behind) {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    const bool ends = end == line.data() + line.size() || *end == behind || *end == '\r';
    if (error != std::errc() || !ends)
      refuse(place, "", fmt::format("expected {}", expected),
             "the file is damaged, or of another program");
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (!line.empty() && line.front() == behind) line.remove_prefix(1);
    return value;
  }
  std::string_view line;
};

std::vector<Dof> read_dofs(const fs::path& file, const Deck& deck) {
  const std::string text = read_file(file, file.string());
  std::vector<Dof> out;
  Numbers in({file.string(), 0}, text);
  in.expected = "NODE.DIRECTION";
  while (in.next_line()) {
    const int node = in.take<int>('.'), direction = in.take<int>(' ');
    if (direction < 1 || direction > 3)
      refuse(
          in.place, "",
          fmt::format("node {} has the degree of freedom {}; solids have 1, 2, 3", node, direction),
          "couple the part here, by --interface, and not by *RIGID BODY in the deck");
    const auto found = deck.index.find(node);
    if (found == deck.index.end())
      refuse(in.place, "", fmt::format("node {} is not in the deck", node),
             "the matrices belong to another deck");
    out.push_back({found->second, direction - 1});
  }
  if (out.empty()) refuse({file.string(), 0}, "", "the file is empty", "run CalculiX again");
  return out;
}

/// Rows of the degrees of freedom among the nodes that have any; each must be free to move in all
/// three directions.
std::vector<int> rows_of(const std::vector<Dof>& dofs, const Deck& deck, const Place& place,
                         std::vector<int>& nodes) {
  std::vector<int> seen(deck.points.size(), 0);
  for (const Dof& d : dofs) {
    int& bits = seen[static_cast<std::size_t>(d.node)];
    if (bits & (1 << d.direction))
      refuse(place, "",
             fmt::format("{}.{} is there twice", deck.numbers[static_cast<std::size_t>(d.node)],
                         d.direction + 1),
             "the file is damaged");
    bits |= 1 << d.direction;
  }
  std::vector<bool> used(deck.points.size(), false);
  for (const Element& element : deck.elements)
    for (const int node : element.nodes) used[static_cast<std::size_t>(node)] = true;
  std::vector<int> row(deck.points.size(), -1);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (!used[k] && seen[k] == 0) continue;
    if (seen[k] != 7)
      refuse(
          place, "",
          fmt::format("node {} cannot move in all directions: the deck holds it", deck.numbers[k]),
          "the part has to be free: leave *BOUNDARY, *EQUATION, *MPC and *RIGID BODY out");
    row[k] = static_cast<int>(nodes.size());
    nodes.push_back(static_cast<int>(k));
  }
  std::vector<int> out;
  for (const Dof& d : dofs) out.push_back(3 * row[static_cast<std::size_t>(d.node)] + d.direction);
  return out;
}

using Triplets = std::vector<Eigen::Triplet<double>>;

/// visit(row, column, value) of the entries of one triangle.
template <class Visit>
void read_entries(const fs::path& file, const std::vector<int>& rows, Visit&& visit) {
  const std::string text = read_file(file, file.string());
  Numbers in({file.string(), 0}, text);
  in.expected = "ROW COLUMN VALUE";
  const auto size = static_cast<int>(rows.size());
  std::vector<bool> diagonal(rows.size(), false);
  while (in.next_line()) {
    const int row = in.take<int>(' '), column = in.take<int>(' ');
    const double value = in.take<double>(' ');
    for (const int k : {row, column})
      if (k < 1 || k > size)
        refuse(in.place, "",
               fmt::format("row or column {}, but the .dof file has {} lines", k, size),
               "the three files come from different runs");
    if (!std::isfinite(value)) refuse(in.place, "", "the value is not finite", "");
    if (row == column) diagonal[static_cast<std::size_t>(row - 1)] = true;
    visit(rows[static_cast<std::size_t>(row - 1)], rows[static_cast<std::size_t>(column - 1)],
          value);
  }
  const auto missing = std::find(diagonal.begin(), diagonal.end(), false);
  if (missing != diagonal.end())
    refuse({file.string(), 0}, "",
           fmt::format("row {} of {} has no diagonal entry", missing - diagonal.begin() + 1, size),
           "the file is cut off, or the three files come from different runs");
}

Sparse symmetric(int size, Triplets& entries) {
  const std::size_t number = entries.size();
  for (std::size_t k = 0; k < number; ++k)
    if (entries[k].row() != entries[k].col())
      entries.emplace_back(entries[k].col(), entries[k].row(), entries[k].value());
  Sparse out(size, size);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

/// The mass of a solid is the same in all directions: one number for a pair of nodes.
Sparse read_mass(const fs::path& file, const std::vector<int>& rows, int nodes) {
  Triplets by_direction[3];
  double largest = 0, crossed = 0;
  read_entries(file, rows, [&](int i, int j, double value) {
    largest = std::max(largest, std::abs(value));
    if (i % 3 != j % 3)
      crossed = std::max(crossed, std::abs(value));
    else if (value != 0)
      by_direction[i % 3].emplace_back(i / 3, j / 3, value);
  });
  if (!(largest > 0))
    refuse({file.string(), 0}, "", "the part has no mass", "give its material a *DENSITY");
  Sparse of[3];
  for (int d = 0; d < 3; ++d) of[d] = symmetric(nodes, by_direction[d]);
  double apart = crossed;
  for (int d = 1; d < 3; ++d) {
    const Sparse difference = of[d] - of[0];
    for (int k = 0; k < difference.outerSize(); ++k)
      for (Sparse::InnerIterator it(difference, k); it; ++it)
        apart = std::max(apart, std::abs(it.value()));
  }
  constexpr double kSame = 1e-9;  // digits of the file: 14
  if (apart > kSame * largest)
    refuse({file.string(), 0}, "", "the mass is not the same in all directions",
           "the matrix is not that of a part made of solid elements");
  return of[0];
}

}  // namespace

Matrices read_matrices(const fs::path& stem, const Deck& deck) {
  const auto with = [&](const char* ending) {
    fs::path out = stem;
    return out += ending;
  };
  Matrices out;
  const fs::path dof_file = with(".dof");
  const std::vector<int> rows =
      rows_of(read_dofs(dof_file, deck), deck, {dof_file.string(), 0}, out.nodes);
  const int nodes = static_cast<int>(out.nodes.size());
  Triplets entries;
  read_entries(with(".sti"), rows,
               [&](int i, int j, double value) { entries.emplace_back(i, j, value); });
  out.stiffness = symmetric(3 * nodes, entries);
  out.mass = read_mass(with(".mas"), rows, nodes);
  return out;
}

}  // namespace freeplay::fem
