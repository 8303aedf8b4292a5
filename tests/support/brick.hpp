// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fem/reduced_part.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

// A box of twenty-node hexahedra with its matrices, made without any finite-element program: a part
// whose every number a test can compute in another way.
namespace freeplay::testing {

class Brick {
 public:
  /// From x = 0 to x = size, y and z about 0. Steel unless said otherwise; SI.
  explicit Brick(Vec3 size, std::array<int, 3> cells, double young = 2.1e11, double poisson = 0.3,
                 double density = 7850);

  [[nodiscard]] int nodes() const { return static_cast<int>(points.size()); }
  /// Nodes with x = 0 (false) or x = size (true).
  [[nodiscard]] std::vector<int> end(bool far) const;

  /// STEM.inp, STEM.dof, STEM.sti, STEM.mas in mm, t, s; sets LEFT and RIGHT.
  void write(const std::filesystem::path& stem) const;

  Vec3 size;
  std::vector<Vec3> points;
  std::vector<std::array<int, 20>> elements;
  MatX stiffness;  ///< 3 rows a node
  MatX mass;       ///< one row a node

 private:
  void add_element(const std::array<int, 20>& nodes, const Vec3& edge, double young, double poisson,
                   double density);
};

/// The motion of nodes that follow a point: 3 nodes x 6.
[[nodiscard]] MatX follow(const Brick& brick, const std::vector<int>& nodes, const Vec3& point);
/// The mean motion of a rectangular end about a point, by the areas of its eight-node faces: 6
/// rows.
[[nodiscard]] MatX mean_motion(const Brick& brick, bool far, const Vec3& point);

/// A part of the brick, by the files: interfaces LEFT and RIGHT in the middle of its ends.
[[nodiscard]] fem::ReducedPart reduced(const Brick& brick, const std::string& left,
                                       const std::string& right, int modes);

}  // namespace freeplay::testing
