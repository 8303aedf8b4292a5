// SPDX-License-Identifier: Apache-2.0
#include "core/cubic_piece.hpp"
#include "core/rotation.hpp"
#include "core/smooth_slopes.hpp"
#include <freeplay/model.hpp>

#include <algorithm>
#include <cmath>

namespace freeplay {

Mechanism::Mechanism() {
  Body ground;
  ground.name = "ground";
  bodies.push_back(ground);
}

bool is_angle(Coordinate coordinate) {
  return coordinate == Coordinate::angle || coordinate == Coordinate::universal_second;
}

ForceTable make_force_table(std::vector<double> x, std::vector<double> force) {
  std::vector<double> slope = smooth_slopes(x, force), area(x.size(), 0.0);
  for (std::size_t k = 0; k + 1 < x.size(); ++k)
    area[k + 1] =
        area[k] +
        CubicPiece(x[k + 1] - x[k], force[k], force[k + 1], slope[k], slope[k + 1]).integral(1.0);
  // Measured from x = 0, wherever that lies.
  double origin = 0;
  if (x.front() >= 0) {
    const double u = -x.front();
    origin = u * (force.front() + 0.5 * slope.front() * u);
  } else if (x.back() <= 0) {
    const double u = -x.back();
    origin = area.back() + u * (force.back() + 0.5 * slope.back() * u);
  } else {
    const auto k =
        static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), 0.0) - x.begin()) - 1;
    const double h = x[k + 1] - x[k];
    origin =
        area[k] + CubicPiece(h, force[k], force[k + 1], slope[k], slope[k + 1]).integral(-x[k] / h);
  }
  for (double& a : area) a -= origin;
  return {std::move(x), std::move(force), std::move(slope), std::move(area)};
}

Scales scales_of(const Model& model) {
  Scales scales;
  const auto world = [&](const Frame& f) -> Vec3 {
    const Body& b = model.bodies[f.body];
    const Mat3 R = model.planar ? rotation_about_z(b.angle) : rotation_matrix(b.orientation);
    return b.position + R * f.point;
  };
  // Length: the largest extent of the joint points; a single joint is measured to the centres of
  // mass.
  std::vector<Vec3> points;
  for (const Joint& j : model.joints) {
    points.push_back(world(j.first));
    points.push_back(world(j.second));
  }
  const auto extent = [&] {
    // Bounding box diagonal direction by direction: O(n), and within sqrt(3) of the largest
    // distance.
    if (points.empty()) return 0.0;
    Vec3 low = points[0], high = points[0];
    for (const Vec3& p : points) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    return (high - low).norm();
  };
  // Joints all but in one place (a shaft in its bearing, moved within its play) say nothing of the
  // size of the mechanism; where its bodies are does.
  constexpr double kOnePlace = 1e-3, kNothing = 1e-12;  // of the size with bodies; m
  double length = extent();
  for (std::size_t b = 1; b < model.bodies.size(); ++b) points.push_back(model.bodies[b].position);
  if (const double all = extent(); length < std::max(kOnePlace * all, kNothing)) length = all;
  if (length > kNothing) scales.length = length;

  // Time: the shortest drive period, else free fall over L, else the fastest start speed.
  double shortest = 0;
  for (const Joint& j : model.joints)
    for (const Drive& d : j.drives) {
      const double T = period(d.motion, is_angle(d.coordinate) ? 2 * M_PI : scales.length);
      if (T > 0 && (shortest == 0 || T < shortest)) shortest = T;
    }
  if (shortest > 0) {
    scales.time = shortest;
  } else if (model.gravity.norm() > 0) {
    scales.time = std::sqrt(scales.length / model.gravity.norm());
  } else {
    double rate = 0;
    for (const Body& b : model.bodies) {
      if (b.velocity) rate = std::max(rate, b.velocity->norm() / scales.length);
      if (b.angular_velocity) rate = std::max(rate, b.angular_velocity->norm());
    }
    for (const Joint& j : model.joints)
      for (const StartSpeed& s : j.start_speeds)
        rate = std::max(rate, std::abs(s.speed) / (is_angle(s.coordinate) ? 1.0 : scales.length));
    if (rate > 0) scales.time = 1 / rate;
  }
  double mass = 0;
  for (const Body& b : model.bodies) mass += b.mass;
  if (mass > 0) scales.mass = mass;
  return scales;
}

}  // namespace freeplay
