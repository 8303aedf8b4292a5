// SPDX-License-Identifier: Apache-2.0
#include "dynamics/constraints/constraint_rows.hpp"

namespace freeplay::dynamics {
namespace {

using Kind = RowSpec::Kind;

RowSpec point(int component, double scale) {
  constexpr const char* labels[] = {"position x", "position y", "position z"};
  RowSpec row;
  row.kind = Kind::point;
  row.component = component;
  row.scale = scale;
  row.label = labels[component];
  return row;
}
RowSpec normal_axes(const Vec3& a, const Vec3& b, const char* label) {
  RowSpec row;
  row.kind = Kind::dot_axes;
  row.a = a;
  row.b = b;
  row.label = label;
  return row;
}
RowSpec in_plane(const Vec3& a, double scale, const char* label) {
  RowSpec row;
  row.kind = Kind::dot_distance;
  row.a = a;
  row.scale = scale;
  row.label = label;
  return row;
}

/// What an ideal joint holds.
std::vector<RowSpec> structural_rows(const Joint& joint, bool planar_mechanism, double L) {
  const auto first = [&](int k) -> Vec3 { return joint.first.axes.col(k); };
  const auto second = [&](int k) -> Vec3 { return joint.second.axes.col(k); };
  std::vector<RowSpec> rows;
  const auto points = [&] {
    for (int k = 0; k < (planar_mechanism ? 2 : 3); ++k) rows.push_back(point(k, L));
  };
  // z axes parallel: the first's z normal to x and y of the second.
  const auto parallel = [&] {
    rows.push_back(normal_axes(first(2), second(0), "axis"));
    rows.push_back(normal_axes(first(2), second(1), "axis"));
  };
  const auto no_turn = [&] { rows.push_back(normal_axes(first(0), second(1), "rotation")); };

  switch (joint.type) {
    case JointType::fixed:
      points();
      if (!planar_mechanism) parallel();
      no_turn();
      break;
    case JointType::revolute:
      points();
      if (!planar_mechanism) parallel();
      break;
    case JointType::prismatic:
      // In a planar mechanism z is the direction of travel, x its normal in the plane.
      rows.push_back(in_plane(first(0), L, "across"));
      if (planar_mechanism) {
        rows.push_back(normal_axes(first(0), second(2), "rotation"));
      } else {
        rows.push_back(in_plane(first(1), L, "across"));
        parallel();
        no_turn();
      }
      break;
    case JointType::cylindrical:
    case JointType::screw:
      rows.push_back(in_plane(first(0), L, "across"));
      rows.push_back(in_plane(first(1), L, "across"));
      parallel();
      if (joint.type == JointType::screw) {
        RowSpec row = in_plane(first(2), L, "thread");
        row.kind = Kind::screw;
        row.constant = joint.pitch / (2 * M_PI);
        rows.push_back(row);
      }
      break;
    case JointType::spherical:
      points();
      break;
    case JointType::universal:
      points();
      rows.push_back(normal_axes(first(2), second(2), "cross"));
      break;
    case JointType::planar:
      rows.push_back(in_plane(first(2), L, "out of plane"));
      parallel();
      break;
    case JointType::distance: {
      RowSpec row;
      row.kind = Kind::length;
      row.scale = L;
      row.constant = joint.length;
      row.label = "length";
      rows.push_back(row);
      break;
    }
    case JointType::point_on_line:
      rows.push_back(in_plane(first(0), L, "off the line"));
      if (!planar_mechanism) rows.push_back(in_plane(first(1), L, "off the line"));
      break;
    case JointType::point_in_plane:
      rows.push_back(in_plane(first(2), L, "out of plane"));
      break;
  }
  return rows;
}

}  // namespace

RowSpec coordinate_row(const Joint& joint, Coordinate coordinate) {
  RowSpec row;
  row.label = "coordinate";
  switch (coordinate) {
    case Coordinate::angle:
      row.kind = holds_by_force(joint) ? Kind::loose_turn : Kind::turn;
      row.a = joint.first.axes.col(2);
      row.b = joint.second.axes.col(joint.type == JointType::universal ? 2 : 0);
      break;
    case Coordinate::universal_second:
      row.kind = Kind::second_turn;
      row.b = joint.second.axes.col(2);
      break;
    case Coordinate::displacement:
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
  if (!holds_by_force(joint)) rows = structural_rows(joint, planar_mechanism, L);
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
