// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/beam_line.hpp"
#include "dynamics/bodies/spatial_beam_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

// What is fixed to a spatial beam moves with the node at its place as with a rigid body.
namespace freeplay::dynamics {

namespace {

using NodeDual = Dual<13>;

}  // namespace

SpatialBeam::Fixture SpatialBeam::fixture_at(const Vec3& point) const {
  // Joints, forces and markers have nodes of their own: the nearest is theirs.
  const double x = along_axis(beam_, point);
  const auto nearer = [&](double a, double b) { return std::abs(a - x) < std::abs(b - x); };
  const auto nearest = std::min_element(places_.begin(), places_.end(), nearer);
  return {static_cast<int>(nearest - places_.begin()), point - *nearest * axes_.col(0)};
}

int SpatialBeam::attach(const Vec3& point) {
  fixtures_.push_back(fixture_at(point));
  return attached() - 1;
}

DeformingBody::Reach SpatialBeam::reach(int frame) const {
  const int node = fixture(frame).node;
  return {7 * node, 7, 6 * node, 6};
}

template <class T>
Pose<T> SpatialBeam::frame_on(const Node<T>& node, const Vec3& offset) const {
  const Vec3T<T> d = offset.cast<T>();
  Pose<T> out;
  out.R = node.R;
  out.w = node.R * node.w;
  out.r = node.r + node.R * d;
  out.v = node.v + node.R * Vec3T<T>(node.w.cross(d));
  return out;
}

template <class T>
Pose<T> SpatialBeam::acceleration_on(const Node<T>& node, const Vec3& offset) const {
  const Vec3T<T> d = offset.cast<T>(), alpha = node.alpha.template cast<T>();
  Pose<T> out;
  out.v = node.a.template cast<T>() +
          node.R * Vec3T<T>(alpha.cross(d) + node.w.cross(Vec3T<T>(node.w.cross(d))));
  out.w = node.R * alpha;
  return out;
}

void SpatialBeam::place(const double* q, const double* v, Pose<double>& own,
                        Pose<double>* attached) const {
  for (int frame = -1; frame < this->attached(); ++frame) {
    const Fixture& at = fixture(frame);
    (frame < 0 ? own : attached[frame]) =
        frame_on(read<double>(q + 7 * at.node, v + 6 * at.node, nullptr, 0), at.offset);
  }
}

void SpatialBeam::accelerate(const double* q, const double* v, const double* a, const Pose<double>&,
                             FrameAcceleration& out, FrameAcceleration* attached) const {
  for (int frame = -1; frame < this->attached(); ++frame) {
    const Fixture& at = fixture(frame);
    const Pose<double> x = acceleration_on(
        read<double>(q + 7 * at.node, v + 6 * at.node, a + 6 * at.node, 0), at.offset);
    (frame < 0 ? out : attached[frame]) = {x.v, x.w};
  }
}

void SpatialBeam::spread(const double* q, int frame, const Wrench<double>& wrench,
                         double* out) const {
  const Fixture& at = fixture(frame);
  const Mat3 R = rotation_matrix(Vec4(vec4(q + 7 * at.node + 3)));
  vec3(out + 6 * at.node) += wrench.force;
  vec3(out + 6 * at.node + 3) +=
      R.transpose() * wrench.moment + at.offset.cross(R.transpose() * wrench.force);
}

void SpatialBeam::spread_derivative(const double* q, int frame, const Wrench<double>& wrench,
                                    const Sink& sink) const {
  const Fixture& at = fixture(frame);
  const double rest[6] = {};
  const auto node = read<NodeDual>(q + 7 * at.node, rest, nullptr, 0);
  const Vec3T<NodeDual> force = node.R.transpose() * wrench.force.cast<NodeDual>(),
                        moment = node.R.transpose() * wrench.moment.cast<NodeDual>();
  const Vec3T<NodeDual> sum = moment + at.offset.cast<NodeDual>().cross(force);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 7; ++c) sink(6 * at.node + 3 + r, 7 * at.node + c, sum[r].d[c]);
}

void SpatialBeam::frame_derivative(const double* q, const double* v, int frame, MatX& out) const {
  const Fixture& at = fixture(frame);
  const int nq = positions();
  if (out.rows() != kNode || out.cols() != nq + velocities()) out.setZero(kNode, nq + velocities());
  const Pose<NodeDual> pose =
      frame_on(read<NodeDual>(q + 7 * at.node, v + 6 * at.node, nullptr, 0), at.offset);
  for (int c = 0; c < kNode; ++c) {
    auto to = out.col(c < 7 ? 7 * at.node + c : nq + 6 * at.node + c - 7);
    to.setZero();
    Mat3 R, dR;
    for (int i = 0; i < 3; ++i) {
      to[i] = pose.r[i].d[c];
      to[kVelocityVariable + i] = pose.v[i].d[c];
      to[kSpinVariable + i] = pose.w[i].d[c];
      for (int j = 0; j < 3; ++j) R(i, j) = pose.R(i, j).value, dR(i, j) = pose.R(i, j).d[c];
    }
    const Mat3 turn = dR * R.transpose();  // the skew matrix of the turn
    to.segment<3>(kTurnVariable) << turn(2, 1), turn(0, 2), turn(1, 0);
  }
}

void SpatialBeam::acceleration_derivative(const double* q, const double* v, const double* a,
                                          int frame, const Vec3& row_v, const Vec3& row_w,
                                          const Sink& sink) const {
  const Fixture& at = fixture(frame);
  const Pose<NodeDual> x = acceleration_on(
      read<NodeDual>(q + 7 * at.node, v + 6 * at.node, a + 6 * at.node, 0), at.offset);
  NodeDual sum(0);
  for (int i = 0; i < 3; ++i) sum += x.v[i] * row_v[i] + x.w[i] * row_w[i];
  for (int c = 0; c < kNode; ++c)
    sink(0, c < 7 ? 7 * at.node + c : positions() + 6 * at.node + c - 7, sum.d[c]);
}

}  // namespace freeplay::dynamics
