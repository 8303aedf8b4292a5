// SPDX-License-Identifier: Apache-2.0
#include "joints/wearing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

// The pressed spot of a ball in its socket, theory/wear (W.19) to (W.21).
namespace freeplay::joints {
namespace {

/// Places that a spot is looked at lie so much of its radius apart; chosen: depths of cells are
/// right to a hundredth of the greatest, and volumes exactly.
constexpr double kSpacing = 1.0 / 8;

/// visit(cell, direction, share of the cell) for a lattice that is fixed to the surface, as far as
/// it lies within an angle of a direction. Borders of cells are borders of its boxes.
template <class Visit>
void visit_lattice(const WornSurface& surface, const Vec3& middle, double angle, Visit&& visit) {
  const double h = kSpacing * angle;
  const double polar = std::acos(std::clamp(middle[2], -1.0, 1.0)),
               longitude = std::atan2(middle[1], middle[0]), inside = std::cos(angle);
  const double highest = polar > angle ? std::cos(polar - angle) : 1,
               lowest = polar + angle < std::numbers::pi ? std::cos(polar + angle) : -1;
  for (const WornSurface::Row& row : surface.rows()) {
    if (row.high <= lowest || row.low >= highest) continue;
    const double from = std::acos(std::min(row.high, 1.0)),
                 breadth = std::acos(std::max(row.low, -1.0)) - from;
    const int strips = std::max(1, static_cast<int>(std::ceil(breadth / h)));
    const double least = std::min(std::abs(row.low), std::abs(row.high)),
                 widest = row.low * row.high <= 0 ? 1 : std::sqrt(1 - least * least);
    const int boxes = std::max(1, static_cast<int>(std::ceil(widest * row.width / h)));
    for (int i = 0; i < strips; ++i) {
      // Strips of equal breadth: of equal height they would be coarse about a pole.
      const double above = std::cos(from + breadth * i / strips),
                   below = std::cos(from + breadth * (i + 1) / strips);
      const double z = 0.5 * (above + below), part = (above - below) / (row.high - row.low);
      const double across = std::sqrt((1 - z) * (1 + z)),
                   reach = across * std::hypot(middle[0], middle[1]);
      // Longitudes within the angle: cos(angle) < z z_m + across across_m cos(difference).
      const double cosine = reach > 0                ? (inside - z * middle[2]) / reach
                            : inside < z * middle[2] ? -2
                                                     : 2;
      if (cosine >= 1) continue;
      const double to_side = cosine <= -1 ? std::numbers::pi : std::acos(cosine);
      const double box = row.width / boxes, first = (longitude - to_side) / box + row.shift * boxes,
                   last = (longitude + to_side) / box + row.shift * boxes;
      // A full circle begins and ends with the same box.
      const double end = std::min(std::floor(last) + 1, std::floor(first) + row.cells * boxes);
      for (double k = std::floor(first); k < end; ++k) {
        const double at = (k + 0.5 - row.shift * boxes) * box;
        visit(WornSurface::cell_of(row, std::floor(k / boxes)),
              Vec3(across * std::cos(at), across * std::sin(at), z), part / boxes);
      }
    }
  }
}

}  // namespace

void Wearing::ball_rates(const Look& look) const {
  const Remembered past = recall(look.contacts);
  ContactPoint<double> point;
  if (past.touching == 0 || !look.part.leading(0, look.p1, look.p2, point) || !(point.depth > 0))
    return;
  const ContactMotion<double> motion = motion_at(point, look.p1, look.p2);
  Spot spot;
  spot.load = look.part.forces_at(point, motion, past).normal;
  if (!(spot.load > 0)) return;
  spot.middle = point.normal;
  spot.slip_middle = motion.slip;
  spot.spin = look.p2.w - look.p1.w;
  spot.shear_ratio = friction_ratio(look, 0);
  // (W.19): the circle of Hertz under this load.
  const double radius = std::cbrt(0.75 * spot.load * effective_radius_ / modulus_);
  for (const int part : {0, 1}) {
    if (!(coefficient_[part] > 0) && part == 1) continue;  // loads are summed with the outer part
    spot.angle = std::min(radius / radius_[part], widest_[part]);
    add_spot(part, spot, part == 0 ? look.p1.R : look.p2.R, look.record, look.out);
  }
}

/// Where surfaces have a shape of their own, pressure is that of the bed at each place of either.
void Wearing::ball_bed_rates(const BallBedGap& gap, const Look& look) const {
  const Remembered past = recall(look.contacts);
  if (past.touching == 0) return;
  const double shear_ratio = friction_ratio(look, 0);
  const Vec3 e = gap.eccentricity(look.p1, look.p2);
  const double distance = e.norm(), least = gap.clearance() + gap.socket.least() + gap.ball.least();
  if (!(distance > least)) return;
  const double chord = std::sqrt(2 * (1 - least / distance));
  double sum = 0, path = 0;
  Vec3 push = Vec3::Zero();
  ContactPoint<double> point;
  for (const int part : {0, 1}) {
    const bool wears = coefficient_[static_cast<std::size_t>(part)] > 0;
    if (!wears && part == 1) continue;  // loads are summed with the outer part
    const auto k = static_cast<std::size_t>(part);
    const Mat3& axes = part == 0 ? look.p1.R : look.p2.R;
    const Mat3 to_socket = look.p1.R.transpose() * axes;
    const double cell = 4 * std::numbers::pi / cells(part);
    const Vec3 middle = axes.transpose() * (e / distance);
    for (const SpherePlace& at : places_[k]) {
      if ((at.direction - middle).squaredNorm() > chord * chord) continue;
      const Vec3 direction = to_socket * at.direction;
      const double weight = at.share * cell;
      gap.place(BallBedGap::Ray{direction, gap.socket.at(direction).depth, weight}, look.p1,
                look.p2, point);
      if (!(point.depth > 0)) continue;
      point.weight = weight;
      const ContactMotion<double> motion = motion_at(point, look.p1, look.p2);
      const double load = look.part.forces_at(point, motion, past).normal;
      if (!(load > 0)) continue;
      const Place place{motion.slip.norm(), shear_ratio};
      if (part == 0) {
        sum += load;
        path += load * place.slip;
        push += point.normal * load;
      }
      if (!wears) continue;
      const double area = weight * radius_[k] * radius_[k];
      wear_off(part, at.cell,
               depth_rate(part, load / area, place, look.record[depths(part) + at.cell]), area,
               look.out);
    }
  }
  look.out[pressed()] += path;
  if (sum > 0) look.out[carried()] += path * push.norm() / sum;
}

void Wearing::add_spot(int part, const Spot& spot, const Mat3& axes, const double* record,
                       double* out) const {
  const WornSurface& surface = surface_[static_cast<std::size_t>(part)];
  const Vec3 middle = axes.transpose() * spot.middle;
  // The root ends steeply: each place counts for the mean over its breadth, which has no such edge.
  const auto sum_to = [](double u) {
    u = std::clamp(u, -1.0, 1.0);
    return 0.5 * (u * std::sqrt(1 - u * u) + std::asin(u));
  };
  constexpr double kHalf = 0.5 * kSpacing;
  const double reach = (1 + kHalf) * spot.angle;
  const auto shape = [&](const Vec3& direction) {
    const double half = 0.5 * (direction - middle).norm();
    const double u = 2 * std::asin(std::min(1.0, half)) / spot.angle;
    return (sum_to(u + kHalf) - sum_to(u - kHalf)) / kSpacing;
  };
  // (W.20): such that the pressures bear the load.
  double sum = 0;
  visit_lattice(surface, middle, reach, [&](int, const Vec3& direction, double share) {
    sum += shape(direction) * share * surface.cell_area();
  });
  if (!(sum > 0)) return;
  const double scale = spot.load / sum;
  double path = 0;
  visit_lattice(surface, middle, reach, [&](int cell, const Vec3& direction, double share) {
    const double pressure = scale * shape(direction);
    if (!(pressure > 0)) return;
    const double area = share * surface.cell_area();
    // Material slides along the surface at each place: what spins about the load wears too.
    const Vec3 normal = axes * direction;
    Vec3 slip =
        spot.slip_middle +
        spot.spin.cross(Vec3((normal - spot.middle) * radius_[static_cast<std::size_t>(part)]));
    slip -= normal * normal.dot(slip);
    const Place place{slip.norm(), spot.shear_ratio};
    path += pressure * area * place.slip;
    if (!(coefficient_[static_cast<std::size_t>(part)] > 0)) return;
    wear_off(part, cell, depth_rate(part, pressure, place, record[depths(part) + cell]), area, out);
  });
  if (part == 1) return;
  out[pressed()] += path;
  out[carried()] += path;
}

}  // namespace freeplay::joints
