// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fem/deck.hpp"

#include <array>

// Outer faces of the solid elements of a deck: the skin that is seen, and the areas by which the
// motion of a bore is averaged.
namespace freeplay::fem {

/// Corners counter-clockwise seen from outside, then the nodes in the middles of the edges, the
/// first between the first two corners; 3, 4, 6 or 8 nodes.
using Face = std::vector<int>;

/// Those that belong to one element only, in the order of the elements.
[[nodiscard]] std::vector<Face> outer_faces(const Deck& deck);

/// Share of each node in the area of faces: int N dA, (FE.4); by node, 0 where it has no part.
/// Faces all of whose nodes are in the set count.
struct Areas {
  std::vector<double> of_node;
  double total = 0;
  Vec3 centroid = Vec3::Zero();
};
[[nodiscard]] Areas areas_of(const Deck& deck, const std::vector<Face>& faces,
                             const std::vector<int>& set);

/// Triangles between the corners of faces, outward; by node.
[[nodiscard]] std::vector<std::array<int, 3>> triangles_of(const std::vector<Face>& faces);

}  // namespace freeplay::fem
