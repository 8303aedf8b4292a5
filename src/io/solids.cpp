// SPDX-License-Identifier: Apache-2.0
#include "io/solids.hpp"

#include <cmath>
#include <numbers>

namespace freeplay::io {
namespace {

constexpr std::size_t kMostCorners = 1000;

/// Do the sides ab and cd meet?
bool cross(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const auto side = [](const Vec3& p, const Vec3& q, const Vec3& r) {
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
  };
  return side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0;
}

/// Corners in the plane of the plate; empty when it has none.
std::vector<Vec3> flattened(const std::vector<Vec3>& corners, bool planar, Mat3& axes) {
  Vec3 normal = Vec3::Zero();  // Newell
  double size = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 a = corners[i] - corners[0], b = corners[(i + 1) % corners.size()] - corners[0];
    normal += a.cross(b);
    size = std::max(size, a.norm());
  }
  const Vec3 first = corners[1] - corners[0];
  if (!(normal.norm() > 1e-12 * size * size) || !(first.norm() > 0)) return {};
  axes.col(2) = planar ? Vec3::UnitZ() : Vec3(normal.normalized());
  axes.col(0) = first.normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  std::vector<Vec3> out;
  for (const Vec3& corner : corners) out.emplace_back(axes.transpose() * (corner - corners[0]));
  for (const Vec3& p : out)
    if (std::abs(p[2]) > 1e-9 * size) return {};
  return out;
}

/// From the corners in its plane: moments of a polygon by Green's theorem, about the first corner
/// and then moved to the centre.
Solid plate(const std::vector<Vec3>& flat, const Vec3& first, const Mat3& axes, double thickness) {
  double twice = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const Vec3 &p = flat[i], &q = flat[(i + 1) % flat.size()];
    const double c = p[0] * q[1] - q[0] * p[1];
    twice += c;
    x += (p[0] + q[0]) * c;
    y += (p[1] + q[1]) * c;
    xx += (p[0] * p[0] + p[0] * q[0] + q[0] * q[0]) * c;
    yy += (p[1] * p[1] + p[1] * q[1] + q[1] * q[1]) * c;
    xy += (2 * p[0] * p[1] + p[0] * q[1] + q[0] * p[1] + 2 * q[0] * q[1]) * c;
  }
  const double cx = x / (3 * twice), cy = y / (3 * twice);
  // Mean squares over the area, about the centre.
  xx = xx / (6 * twice) - cx * cx;
  yy = yy / (6 * twice) - cy * cy;
  xy = xy / (12 * twice) - cx * cy;
  const double t = thickness * thickness / 12;
  Solid out;
  out.axes = axes;
  out.centre = first + axes * Vec3(cx, cy, 0);
  out.volume = std::abs(twice) / 2 * thickness;
  xy = 0 - xy;  // and not -0, which a file would not keep
  out.gyration << yy + t, xy, 0, xy, xx + t, 0, 0, 0, xx + yy;
  return out;
}

}  // namespace

Vec4 turned_to(const Vec3& d) {
  Vec4 q(1 + d[0], 0, -d[2], d[1]);
  if (q.squaredNorm() < 1e-24) return {0, 0, 0, 1};
  return q.normalized();
}

std::optional<Solid> plate_of(const std::vector<Vec3>& corners, bool planar, double thickness,
                              Refusal& why) {
  if (corners.size() < 3 || corners.size() > kMostCorners) {
    why = {"found " + std::to_string(corners.size()) + " corners; a plate has 3 to " +
               std::to_string(kMostCorners),
           ""};
    return {};
  }
  for (std::size_t i = 0; i < corners.size(); ++i)
    if (corners[i] == corners[(i + 1) % corners.size()]) {
      why = {"two corners that follow each other are the same", "name every corner once"};
      return {};
    }
  Mat3 axes;
  const std::vector<Vec3> flat = flattened(corners, planar, axes);
  if (flat.empty()) {
    why = {"the corners do not span a plane",
           "a rod has two points; a plate has corners in one plane, not in one line"};
    return {};
  }
  for (std::size_t i = 0; i < flat.size(); ++i)
    for (std::size_t k = i + 2; k < flat.size(); ++k)
      if ((k + 1) % flat.size() != i &&
          cross(flat[i], flat[i + 1], flat[k], flat[(k + 1) % flat.size()])) {
        why = {"sides of the plate cross each other", "name the corners in their order"};
        return {};
      }
  return plate(flat, corners[0], axes, thickness);
}

Solid box_of(const Vec3& edges) {
  const Vec3 square = edges.cwiseProduct(edges) / 12;
  Solid out;
  out.volume = edges.prod();
  out.gyration.diagonal() << square[1] + square[2], square[0] + square[2], square[0] + square[1];
  return out;
}

Solid cylinder_of(double diameter, double bore, double length) {
  const double both = diameter * diameter + bore * bore, across = length * length / 12 + both / 16;
  Solid out;
  out.volume = std::numbers::pi / 4 * (diameter * diameter - bore * bore) * length;
  out.gyration.diagonal() << both / 8, across, across;
  return out;
}

Solid sphere_of(double diameter) {
  Solid out;
  out.volume = std::numbers::pi / 6 * diameter * diameter * diameter;
  out.gyration.diagonal().setConstant(diameter * diameter / 10);
  return out;
}

Solid capsule_of(double diameter, double length) {
  // Half a ball about the centre of its flat side has 2/5 m r^2, its own centre 3/8 r away.
  const double r = diameter / 2;
  const Solid cylinder = cylinder_of(diameter, 0, length), ball = sphere_of(diameter);
  Solid out;
  out.volume = cylinder.volume + ball.volume;
  const double share = ball.volume / out.volume,
               ends = 0.4 * r * r + length * length / 4 + 0.375 * length * r;
  const double across = (1 - share) * cylinder.gyration(1, 1) + share * ends;
  out.gyration.diagonal() << (1 - share) * cylinder.gyration(0, 0) + share * 0.4 * r * r, across,
      across;
  return out;
}

Assembled assembled(const std::vector<Solid>& parts, const std::vector<double>& masses) {
  Assembled out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out.mass += masses[i];
    out.centre += masses[i] * parts[i].centre;
  }
  out.centre /= out.mass;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Vec3 d = parts[i].centre - out.centre;
    const Mat3 own = parts[i].axes * parts[i].gyration * parts[i].axes.transpose();
    out.inertia += masses[i] * (own + d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  // Products of axes that do not mix come out as rounding.
  const double least = 1e-15 * out.inertia.trace();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      const double mean = (out.inertia(r, c) + out.inertia(c, r)) / 2;
      if (r < c) out.inertia(r, c) = out.inertia(c, r) = std::abs(mean) > least ? mean : 0.0;
    }
  return out;
}

}  // namespace freeplay::io
