// SPDX-License-Identifier: Apache-2.0
#include "joints/worn_surface.hpp"

#include "model/joint_types.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freeplay::joints {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

}  // namespace

int WornSurface::cell_of(const Row& row, double x) {
  if (!row.closed) return row.first + static_cast<int>(std::clamp(x, 0.0, row.cells - 0.5));
  const double turn = x - row.cells * std::floor(x / row.cells);
  return row.first + std::min(static_cast<int>(turn), row.cells - 1);
}

void WornSurface::add(int cells, double width, double shift, double low, double high, bool closed) {
  rows_.push_back({cells_, cells, width, shift, low, high, closed});
  cells_ += cells;
}

WornSurface WornSurface::ring(double radius, double length, int sectors) {
  WornSurface out;
  out.add(sectors, kTurn / sectors, 0.5, 0, 1, true);
  out.cell_area_ = radius * length * kTurn / sectors;
  return out;
}

WornSurface WornSurface::cylinder(double radius, double length, int sectors, int stations) {
  WornSurface out;
  for (int k = 0; k < stations; ++k)
    out.add(sectors, kTurn / sectors, 0.5, length * k / stations - 0.5 * length,
            length * (k + 1) / stations - 0.5 * length, true);
  out.cell_area_ = radius * length * kTurn / sectors / stations;
  return out;
}

WornSurface WornSurface::sphere(double radius, int cells) {
  WornSurface out;
  out.cell_area_ = 2 * kTurn * radius * radius / cells;
  // Between the caps, zones of about the width of a cell; each takes the cells that its area holds,
  // and its borders then move to where they hold them exactly. Area is uniform in z (Archimedes).
  const double cap = std::acos(1 - 2.0 / cells), side = std::sqrt(2 * kTurn / cells);
  const int zones = std::max(1, static_cast<int>(std::lround((std::numbers::pi - 2 * cap) / side)));
  const double breadth = (std::numbers::pi - 2 * cap) / zones;
  const auto height = [&](int count) { return 2.0 * count / cells - 1; };
  const auto add_zone = [&](int count) {
    const int before = out.cells_;
    out.add(count, kTurn / count, 0.5, height(before), height(before + count), true);
  };
  add_zone(1);
  double carry = 0;
  for (int k = 0; k < zones; ++k) {
    const double ideal =
        0.5 * cells * (std::cos(cap + k * breadth) - std::cos(cap + (k + 1) * breadth)) + carry;
    const int last = cells - 1 - out.cells_;
    const int count = k + 1 < zones ? static_cast<int>(std::lround(ideal)) : last;
    carry = ideal - count;
    add_zone(count);
  }
  add_zone(1);
  return out;
}

WornSurface WornSurface::faces(double length, double height, int stations) {
  WornSurface out;
  for (int face = 0; face < 2; ++face)
    out.add(stations, length / stations, 0.5 * stations, face, face + 1, false);
  out.cell_area_ = length * height / stations;
  return out;
}

WornSurface WornSurface::outline(double perimeter, double height, int cells) {
  WornSurface out;
  out.add(cells, perimeter / cells, 0, 0, 1, true);
  out.cell_area_ = perimeter * height / cells;
  return out;
}

const WornSurface::Row& WornSurface::row_at(double v) const {
  const auto beyond =
      std::ranges::partition_point(rows_, [&](const Row& r) { return r.high <= v; });
  return beyond == rows_.end() ? rows_.back() : *beyond;
}

std::array<WornSurface, 2> worn_surfaces(const Joint& joint, bool planar) {
  const Clearance& c = *joint.clearance;
  const Wear& wear = *c.wear;
  const PlayParts parts = kind_of(joint).play;
  const double outer = c.outer_radius, inner = c.inner_radius;
  switch (parts) {
    case PlayParts::ball:
      return {WornSurface::sphere(outer, wear.cells), WornSurface::sphere(inner, wear.cells)};
    case PlayParts::guide: {
      const double height = c.inner_height > 0 ? c.inner_height : c.inner_length;
      return {WornSurface::faces(c.outer_length, height, wear.stations),
              WornSurface::faces(c.inner_length, height, wear.stations)};
    }
    case PlayParts::slot:
    case PlayParts::arc: {
      const double span = c.ends ? c.ends->to - c.ends->from : 0,
                   centre_line = parts == PlayParts::arc ? joint.length * span : span;
      return {WornSurface::outline(2 * centre_line + kTurn * outer, c.inner_length, wear.sectors),
              WornSurface::ring(inner, c.inner_length, wear.sectors)};
    }
    case PlayParts::bore:
    case PlayParts::sleeve:
    case PlayParts::cross:
    case PlayParts::none:
      break;
  }
  if (!planar)
    return {WornSurface::cylinder(outer, c.outer_length, wear.sectors, wear.stations),
            WornSurface::cylinder(inner, c.inner_length, wear.sectors, wear.stations)};
  const double a = c.outer_length, b = c.inner_length,
               length = a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
  return {WornSurface::ring(outer, length, wear.sectors),
          WornSurface::ring(inner, length, wear.sectors)};
}

int worn_cells(const Joint& joint, bool planar) {
  const Wear& wear = *joint.clearance->wear;
  const PlayParts parts = kind_of(joint).play;
  if (parts == PlayParts::ball) return wear.cells;
  if (parts == PlayParts::guide) return 2 * wear.stations;
  const bool long_cells = planar || parts == PlayParts::slot || parts == PlayParts::arc;
  return wear.sectors * (long_cells ? 1 : wear.stations);
}

}  // namespace freeplay::joints
