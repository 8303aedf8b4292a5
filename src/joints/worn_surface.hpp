// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

// The surface of a part that wears, cut into cells of equal area (theory/wear (W.6), (W.15)). All
// geometries have the same form of it: rows of equal boxes in coordinates (u, v) in which area is
// uniform.
//
//   journal in a bearing of the plane    one row            u: angle
//   cylinder in space                    a row per station  u: angle            v: along the axis
//   ball, socket                         a row per zone     u: longitude        v: z/R
//   guide, slider                        a row per face     u: along the face
//   slot                                 one row            u: along its outline
//
// Depths are means over cells; a pressed place that covers a part of a cell wears it by its share.
namespace freeplay::joints {

class WornSurface {
 public:
  struct Row {
    int first, cells;     ///< number of its first cell; how many there are
    double width, shift;  ///< of a cell in u (rad, m); how many of them lie below u = 0
    double low, high;     ///< v; where rows have no breadth, 0 and 1
    bool closed;          ///< the last cell is followed by the first
  };
  /// The cell of a row at x = u/width + shift, or the nearest one.
  [[nodiscard]] static int cell_of(const Row& row, double x);

  WornSurface() = default;
  static WornSurface ring(double radius, double length, int sectors);
  static WornSurface cylinder(double radius, double length, int sectors, int stations);
  /// Zones of equal cells as near to squares as they come, a cap at either pole (Leopardi 2006).
  static WornSurface sphere(double radius, int cells);
  /// Two faces, the upper and the lower one, u from -length/2; cut across.
  static WornSurface faces(double length, double height, int stations);
  /// A closed wall of that outline.
  static WornSurface outline(double perimeter, double height, int cells);

  [[nodiscard]] int cells() const { return cells_; }
  [[nodiscard]] double cell_area() const { return cell_area_; }  ///< m^2
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// visit(cell) for the cells of a sphere that come as near to a direction as that, and perhaps a
  /// few more; a chord of the unit sphere.
  template <class Visit>
  void visit_about(const Vec3& direction, double chord, Visit&& visit) const;
  /// The cell of a sphere in a direction.
  [[nodiscard]] int cell_at(const Vec3& direction) const {
    const Row& row = row_at(direction[2]);
    return cell_of(row, std::atan2(direction[1], direction[0]) / row.width + row.shift);
  }
  /// The row at v, or the nearest one.
  [[nodiscard]] const Row& row_at(double v) const;

 private:
  void add(int cells, double width, double shift, double low, double high, bool closed);

  std::vector<Row> rows_;
  int cells_ = 0;
  double cell_area_ = 0;
};

template <class Visit>
void WornSurface::visit_about(const Vec3& direction, double chord, Visit&& visit) const {
  const double pi = std::numbers::pi, angle = 2 * std::asin(std::min(1.0, 0.5 * chord)),
               polar = std::acos(std::clamp(direction[2], -1.0, 1.0)),
               longitude = std::atan2(direction[1], direction[0]);
  const double highest = polar > angle ? std::cos(polar - angle) : 1,
               lowest = polar + angle < pi ? std::cos(polar + angle) : -1;
  const double sine = std::sin(polar);
  const bool holds_pole = polar <= angle || polar + angle >= pi || std::sin(angle) >= sine;
  const double to_side = holds_pole ? pi : std::asin(std::sin(angle) / sine);
  for (const Row& row : rows_) {
    if (row.high < lowest || row.low > highest) continue;
    const double first = std::floor((longitude - to_side) / row.width + row.shift),
                 last = std::min((longitude + to_side) / row.width + row.shift,
                                 first + row.cells - 0.5);
    for (double k = first; k <= last; ++k) visit(cell_of(row, k));
  }
}

/// The surfaces of both parts of a joint that wears, and how many cells each of them has.
[[nodiscard]] std::array<WornSurface, 2> worn_surfaces(const Joint& joint, bool planar);
[[nodiscard]] int worn_cells(const Joint& joint, bool planar);

}  // namespace freeplay::joints
