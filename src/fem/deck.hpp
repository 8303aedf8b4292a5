// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

// What a part needs of a CalculiX (or Abaqus) input deck: nodes, solid elements, sets of nodes.
namespace freeplay::fem {

/// A solid element; nodes by their position in Deck::points, corners first.
struct Element {
  int corners = 0;  ///< 4, 6 or 8
  std::vector<int> nodes;
};

struct Deck {
  std::string name;          ///< as the user named the file
  std::vector<int> numbers;  ///< of the nodes, as the deck counts them
  std::map<int, int> index;  ///< node number -> position in `numbers` and `points`
  std::vector<Vec3> points;  ///< in the unit of the deck
  std::vector<Element> elements;
  std::map<std::string, std::vector<int>> sets;  ///< of nodes, by upper-case name
  /// Elements without volume that mesh programs write for faces and edges: not part of the part.
  int skins = 0;
  bool has_step = false, stores_matrices = false, has_density = false;
  /// The deck in one piece, without these elements and what belongs to them: for CalculiX.
  std::string text;

  [[nodiscard]] std::string set_names() const;
};

/// Reads a deck with all it includes. Throws ModelError (with file and line) or IoError.
[[nodiscard]] Deck read_deck(const std::filesystem::path& file);

/// Upper case, as CalculiX compares names.
[[nodiscard]] std::string upper(std::string_view text);

}  // namespace freeplay::fem
