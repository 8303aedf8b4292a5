// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/mesh.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <unordered_map>

// Triangles as they come out of a file, put together: corners that are the same to the last bit are
// one vertex.
namespace freeplay::io {

class MeshCollector {
 public:
  using Corner = std::array<double, 3>;

  int corner(Corner c) {
    for (double& x : c) {
      finite = finite && std::isfinite(x);
      x += 0.0;  // -0 is 0
    }
    const auto [known, is_new] = known_.emplace(c, static_cast<int>(mesh.vertices.size()));
    if (is_new) mesh.vertices.emplace_back(c[0], c[1], c[2]);
    return known->second;
  }
  void triangle(const std::array<int, 3>& t) {
    // Triangles of no area come from welding; they enclose nothing and leave no hole.
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
  }

  Mesh mesh;
  bool finite = true;

 private:
  struct Hash {
    std::size_t operator()(const Corner& c) const {
      std::size_t out = 0;
      for (const double x : c) out = out * 1000003 + std::hash<double>{}(x);
      return out;
    }
  };
  std::unordered_map<Corner, int, Hash> known_;
};

}  // namespace freeplay::io
