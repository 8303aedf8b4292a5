// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/cartesian/frame_maps.hpp"
#include "dynamics/cartesian/residual.hpp"

#include <array>
#include <set>
#include <utility>

// Teeth push on two joints by what both of them do. The derivative of an effort is a row over all
// of y, by way of the two coordinates and their rates; that of its lever concerns its own joint
// alone.
namespace freeplay::dynamics {
namespace {

/// The four numbers that a mesh follows, as variables 0 ... 3.
MeshMotion<PairDual> seeded(const MeshMotion<double>& motion) {
  return {PairDual::variable(motion.first, 0), PairDual::variable(motion.first_rate, 1),
          PairDual::variable(motion.second, 2), PairDual::variable(motion.second_rate, 3)};
}

}  // namespace

void Cartesian::mesh_derivative(const FrameMaps& maps, const double* memory,
                                const Sink& sink) const {
  const Meshes& meshes = elements_.meshes();
  if (meshes.empty()) return;
  const int nv = velocity_size(), works = nv + rows() + state_size();
  const Residual residual{{sink, maps}};
  for (const Mesh& mesh : meshes.list()) {
    const MeshMotion<double> motion = meshes.now<double>(mesh, poses_, angles(memory)).motion();
    const MeshAction<PairDual> action = mesh.act<PairDual>(seeded(motion), memory);
    MatX by = MatX::Zero(4, motion_size());  // of the four numbers
    std::set<int> columns, touched;          // whether or not the teeth touch just now
    std::array<VecX, 2> lever{VecX::Zero(nv), VecX::Zero(nv)};
    int side = 0;
    for (const JointCoordinate* on : {&mesh.first(), &mesh.second()}) {
      const Joint& joint = model_.joints[on->joint];
      const FrameIndex b1 = joint.first.body, b2 = joint.second.body;
      const auto p1 = maps.pose(b1, 0), p2 = maps.pose(b2, kBodyVariables);
      const auto now = coordinate_now<PairDual>(model_, *on, p1, p2,
                                                angle_reference(on->joint, on->coordinate, memory));
      for (const auto& [number, row] :
           {std::pair{&now.value, 2 * side}, {&now.rate, 2 * side + 1}}) {
        const auto give = [&, row = row](int column, double x) {
          by(row, column) += x;
          columns.insert(column);
        };
        maps.coordinates(b1, *number, 0, give);
        maps.coordinates(b2, *number, kBodyVariables, give);
      }
      const double effort = side == 0 ? action.on_first.value : action.on_second.value;
      Wrench<PairDual> first, second;
      add_effort(now.row, PairDual(effort), first, second);
      residual.subtract(b1, p1, first, b1, b2);
      residual.subtract(b2, p2, second, b1, b2);
      meshes.push<double>(*on, meshes.now_of<double>(*on, poses_, angles(memory)).row, 1.0,
                          [&](FrameIndex frame, const Wrench<double>& wrench) {
                            add_wrench(frame, wrench, lever[static_cast<std::size_t>(side)].data());
                          });
      for (const FrameIndex f : {b1, b2}) {
        if (f == kGround) continue;
        const int owner = bodies_.owner(f), at = bodies_.velocity_of(owner);
        for (int r = 0; r < bodies_.body(owner).velocities(); ++r) touched.insert(at + r);
      }
      ++side;
    }
    const auto slope = [&](const PairDual& x, int column) {
      double out = 0;
      for (int k = 0; k < 4; ++k) out += x.d[k] * by(k, column);
      return out;
    };
    for (const int c : columns) {
      const double first = slope(action.on_first, c), second = slope(action.on_second, c);
      for (const int r : touched) sink(r, c, -(lever[0][r] * first + lever[1][r] * second));
      sink(works + mesh.work(), c, slope(action.power, c));
      if (mesh.friction_work() >= 0)
        sink(works + mesh.friction_work(), c, slope(action.friction_power, c));
    }
  }
}

}  // namespace freeplay::dynamics
