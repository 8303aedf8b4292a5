// SPDX-License-Identifier: Apache-2.0
#include "dynamics/constraints/constraint_rows.hpp"

namespace freeplay::dynamics {
using Kind = RowSpec::Kind;

RowSpec coordinate_row(const Joint& joint, Coordinate coordinate) {
  RowSpec row;
  row.label = "coordinate";
  switch (coordinate) {
    case Coordinate::angle:
      row.kind = holds_by_force(joint) ? Kind::loose_turn : Kind::turn;
      row.a = joint.first.axes.col(2);
      row.b = joint.second.axes.col(kind_of(joint).hand);
      break;
    case Coordinate::universal_second:
      row.kind = Kind::second_turn;
      row.b = joint.second.axes.col(2);
      break;
    case Coordinate::displacement:
      if (const auto own = kind_of(joint).displacement) return own(joint);
      row.kind = Kind::dot_distance;
      row.a = joint.first.axes.col(2);
      break;
    case Coordinate::displacement_x:
    case Coordinate::displacement_y:
      row.kind = Kind::dot_distance;
      row.a = joint.first.axes.col(coordinate == Coordinate::displacement_x ? 0 : 1);
      break;
    case Coordinate::length:
      row.kind = Kind::length;
      break;
  }
  return row;
}

std::vector<RowSpec> rows_of(const Joint& joint, bool planar_mechanism, double L) {
  std::vector<RowSpec> rows;
  if (!holds_by_force(joint)) rows = kind_of(joint).rows(joint, planar_mechanism, L);
  for (std::size_t d = 0; d < joint.drives.size(); ++d) {
    const Drive& drive = joint.drives[d];
    if (drive.coordinate == Coordinate::length &&
        !rows.empty()) {  // the drive replaces the constant length
      rows.front().drive = static_cast<int>(d);
      rows.front().constant = 0;
      rows.front().label = "drive";
      continue;
    }
    RowSpec row = coordinate_row(joint, drive.coordinate);
    row.drive = static_cast<int>(d);
    row.scale = is_angle(drive.coordinate) ? 1 : L;
    row.label = "drive";
    rows.push_back(row);
  }
  return rows;
}

}  // namespace freeplay::dynamics
