// SPDX-License-Identifier: Apache-2.0
#include "io/frames.hpp"

#include "core/rotation.hpp"

#include <cmath>

namespace freeplay::io {

Mat3 rotation_of(const Model& model, BodyIndex body) {
  const Body& b = model.bodies[body];
  return model.planar ? rotation_about_z(b.angle) : rotation_matrix(b.orientation);
}

Vec3 to_body(const Model& model, BodyIndex body, const Vec3& point) {
  return rotation_of(model, body).transpose() * (point - model.bodies[body].position);
}

Vec3 to_global(const Model& model, BodyIndex body, const Vec3& point) {
  return model.bodies[body].position + rotation_of(model, body) * point;
}

Mat3 frame_about(const Vec3& z) {
  // x = R e_x with R the smallest rotation from e_z to z (Frisvad 2012, eq. 6), undefined only at z
  // = -e_z, where the half turn about x is taken.
  const double c = 1 + z[2];
  const Vec3 x = c > 1e-9 ? Vec3(1 - z[0] * z[0] / c, -z[0] * z[1] / c, -z[0]) : Vec3(1, 0, 0);
  Mat3 out;
  out.col(2) = z;
  out.col(0) = (x - z * z.dot(x)).normalized();  // the formula loses digits near -e_z
  out.col(1) = z.cross(out.col(0));
  return out;
}

Mat3 frame_about(const Vec3& z, const Vec3& x) {
  const Vec3 across = x - z * z.dot(x);
  if (across.norm() < 1e-6) return frame_about(z);
  Mat3 out;
  out.col(2) = z;
  out.col(0) = across.normalized();
  out.col(1) = z.cross(out.col(0));
  return out;
}

Mat3 frame_in_plane(const Vec3& z) {
  Mat3 out;
  out.col(2) = z;
  out.col(1) = Vec3::UnitZ();
  out.col(0) = Vec3::UnitZ().cross(z);
  return out;
}

Frame make_frame(const Model& model, BodyIndex body, const Vec3& point, const Mat3& global_axes) {
  Frame out;
  out.body = body;
  out.point = point;
  out.axes = rotation_of(model, body).transpose() * global_axes;
  return out;
}

}  // namespace freeplay::io
