// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "joints/contact_point.hpp"
#include "joints/worn_field.hpp"
#include <freeplay/model.hpp>

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

// Ball in a socket on an elastic bed, both worn: pressure wherever they overlap (theory/wear (W.23)
// to (W.25)), along rays from the centre of the socket and to first order in clearance over radius,
// as the law has it for spheres:
//
//   d(r) = e.r - c - w_socket(r) - w_ball(r as the ball sees it)
//
// The sum goes over places that are fixed to the socket, so that it changes gradually as the ball
// moves; force and moment are the gradient of its energy.
namespace freeplay::joints {

struct BallBedGap {
  Frame first, second;
  double outer_radius = 0, inner_radius = 0;  // m
  double share = 0.5;                         ///< force_share()
  WornField socket, ball;

  /// Lays the places of the sum out, once the fields are there.
  void prepare(const WornSurface& surface);

  [[nodiscard]] static int contacts() { return 1; }
  [[nodiscard]] static std::string_view contact_name(int) { return "wall"; }
  [[nodiscard]] double clearance() const { return outer_radius - inner_radius; }
  [[nodiscard]] double widest() const { return clearance() + socket.greatest() + ball.greatest(); }
  /// Inner minus outer centre; global axes.
  [[nodiscard]] Vec3 eccentricity(const Pose<double>& p1, const Pose<double>& p2) const {
    return p2.r + p2.R * second.point - p1.r - p1.R * first.point;
  }
  [[nodiscard]] double ratio(const Pose<double>& p1, const Pose<double>& p2) const {
    return clearance() > 0 ? eccentricity(p1, p2).norm() / clearance() : 0;
  }
  [[nodiscard]] int state(const Pose<double>& p1, const Pose<double>& p2) const {
    return depth(0, p1, p2) > 0 ? 1 : 0;
  }

  /// A direction from the centre of the socket, in its axes, and what has gone of the socket there.
  struct Ray {
    Vec3 direction;
    double worn;
    double weight;  ///< solid angle
  };
  [[nodiscard]] double depth(int, const Pose<double>& p1, const Pose<double>& p2) const {
    return deepest_place(p1, p2).depth;
  }
  template <class T>
  bool leading(int, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    place(rays_[deepest_place(values_of(p1), values_of(p2)).place], p1, p2, out);
    return true;
  }
  template <class T, class Visit>
  void points(int, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    ContactPoint<T> point;
    // Nothing is pressed where even the least worn places would not meet.
    const double least = clearance() + socket.least() + ball.least();
    visit_beyond(values_of(p1), values_of(p2), least, [&](std::size_t k) {
      place(rays_[k], p1, p2, point);
      point.weight = T(rays_[k].weight);
      if (point.depth > T(0.0)) visit(std::as_const(point));
    });
  }
  /// The contact along a ray, which moves with the socket.
  template <class T>
  void place(const Ray& ray, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    const Vec3T<T> s1 = p1.R * first.point, s2 = p2.R * second.point;
    const Vec3T<T> e = p2.r + s2 - p1.r - s1;
    out.normal = p1.R * ray.direction;
    out.depth = e.dot(out.normal) - clearance() - ray.worn;
    out.surface = kFaceSurface;  // pressure in proportion to the depth
    Vec3T<T> aside = Vec3T<T>::Zero();
    if (!ball.round()) {
      const Vec3T<T> seen = p2.R.transpose() * out.normal;
      const Vec3 now(value_of(seen[0]), value_of(seen[1]), value_of(seen[2]));
      const WornField::Local lost = ball.at(now);
      out.depth -= lost.depth + lost.slope.dot(Vec3T<T>(seen - now));
      // The slope of its surface takes the force past the middle of the ball.
      aside = p2.R * Vec3(-lost.slope);
    }
    out.arm2 = s2 + out.normal * T(inner_radius - (1 - share) * out.depth) + aside;
    out.arm1 = s1 + e + (out.arm2 - s2);
  }

 private:
  /// visit(k) for the places whose ray the centre of the ball has followed further than so far; m.
  template <class Visit>
  void visit_beyond(const Pose<double>& p1, const Pose<double>& p2, double least,
                    Visit&& visit) const {
    const Vec3 e = p1.R.transpose() * eccentricity(p1, p2);
    const double distance = e.norm(), cosine = distance > 0 ? least / distance : least > 0 ? 1 : -1;
    if (cosine >= 1) return;
    const Vec3 middle = distance > 0 ? Vec3(e / distance) : Vec3(1, 0, 0);
    surface_.visit_about(middle, std::sqrt(2 * (1 - std::max(cosine, -1.0))), [&](int cell) {
      const auto c = static_cast<std::size_t>(cell);
      for (std::size_t k = first_of_[c]; k < first_of_[c + 1]; ++k)
        if (rays_[k].direction.dot(e) > least) visit(k);
    });
  }
  struct Deepest {
    std::size_t place;
    double depth;
  };
  /// Of the places that may be the deepest one: whatever they have lost, no other can be.
  [[nodiscard]] Deepest deepest_place(const Pose<double>& p1, const Pose<double>& p2) const;

  WornSurface surface_;
  std::vector<Ray> rays_;
  std::vector<std::size_t> first_of_;  // places of a cell
  double spacing_ = 0;                 // no direction is further from a place; rad
};

}  // namespace freeplay::joints
