// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/host_view.hpp"
#include "joints/quadrature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

// Box in a rectangular tube (theory/gaps): x and y of the frames point to the walls, z along the
// tube. The depth of a face of the box under its wall is linear over the face; patches are its
// quarters, from a corner to the middle: four faces, sixteen patches.
namespace freeplay::joints {

struct TubeGap {
  Frame first, second;
  std::array<double, 2> outer_size{}, inner_size{};  ///< along x and y; m
  double inner_half_length = 0;                      ///< m
  bool points_only = false;                          ///< corners only
  double share = 0.5;                                ///< force_share()

  [[nodiscard]] static int contacts() { return 16; }
  [[nodiscard]] static std::string_view contact_name(int k) {
    constexpr std::array<std::string_view, 16> names{
        "wall +x, corner -y A", "wall +x, corner -y B", "wall +x, corner +y A",
        "wall +x, corner +y B", "wall -x, corner -y A", "wall -x, corner -y B",
        "wall -x, corner +y A", "wall -x, corner +y B", "wall +y, corner -x A",
        "wall +y, corner -x B", "wall +y, corner +x A", "wall +y, corner +x B",
        "wall -y, corner -x A", "wall -y, corner -x B", "wall -y, corner +x A",
        "wall -y, corner +x B"};
    return names[static_cast<std::size_t>(k)];
  }
  /// The smaller one.
  [[nodiscard]] double clearance() const {
    return 0.5 * std::min(outer_size[0] - inner_size[0], outer_size[1] - inner_size[1]);
  }

  /// Inner minus outer centre, across the tube.
  [[nodiscard]] Vec3 eccentricity(const Pose<double>& p1, const Pose<double>& p2) const {
    const Vec3 axis = p1.R * first.axes.col(2);
    const Vec3 e = p2.r + p2.R * second.point - p1.r - p1.R * first.point;
    return e - axis * axis.dot(e);
  }

  /// Of the two directions, the one in which the box is nearer to a wall.
  [[nodiscard]] double ratio(const Pose<double>& p1, const Pose<double>& p2) const {
    const Vec3 e = (p1.R * first.axes).transpose() * eccentricity(p1, p2);
    double out = 0;
    for (int i = 0; i < 2; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double c = 0.5 * (outer_size[at] - inner_size[at]);
      if (c > 0) out = std::max(out, std::abs(e[i]) / c);
    }
    return out;
  }

  [[nodiscard]] double depth(int k, const Pose<double>& p1, const Pose<double>& p2) const {
    const Plane<double> plane = plane_of(host_view(first, second, false, share, p1, p2), k);
    return points_only ? plane.corner() : plane.deepest();
  }

  template <class T, class Visit>
  void points(int k, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    const HostView<double> view =
        host_view(first, second, false, share, values_of(p1), values_of(p2));
    const Plane<double> plane = plane_of(view, k);
    if ((points_only ? plane.corner() : plane.deepest()) <= 0) return;
    const HostView<T> exact = host_view(first, second, false, share, p1, p2);
    if (points_only) return visit(point_at(exact, k, plane.across, plane.along));
    const double area = 4 * std::abs(plane.across * plane.along);
    // Across the face, in stretches on which the touching part of a strip begins and ends in the
    // same way; then along each strip.
    const auto strip = [&](double u, double du) {
      const double start = plane.middle + plane.slope_across * u;
      const double finish = start + plane.slope_along * plane.along;
      double shallow = start < finish ? 0 : plane.along;
      const double deep = start < finish ? plane.along : 0;
      if (std::max(start, finish) <= 0) return;
      if (std::min(start, finish) < 0) shallow = plane.along * start / (start - finish);
      visit_line<4>(shallow, deep, [&](double s, double ds) {
        ContactPoint<T> point = point_at(exact, k, u, s);
        point.weight = T(du * ds / area);
        if (point.depth > T(0.0)) visit(std::as_const(point));
      });
    };
    // Greatest and least depth of the strip at u are linear in u; cut where either is zero.
    const double rise = plane.slope_along * plane.along;
    const double high = plane.middle + std::max(0.0, rise),
                 low = plane.middle + std::min(0.0, rise);
    std::array<double, 4> cuts{0, 1, 1, 1};
    const double slope = plane.slope_across * plane.across;
    int count = 1;
    for (const double value : {high, low}) {
      const double root = slope != 0 ? -value / slope : -1;
      if (root > 0 && root < 1) cuts[static_cast<std::size_t>(count++)] = root;
    }
    cuts[static_cast<std::size_t>(count)] = 1;
    std::sort(cuts.begin(), cuts.begin() + count);
    for (int i = 0; i < count; ++i) {
      const double from = cuts[static_cast<std::size_t>(i)],
                   to = cuts[static_cast<std::size_t>(i) + 1];
      if (high + 0.5 * (from + to) * slope <= 0) continue;
      const bool rising = slope >= 0;
      visit_line<4>(plane.across * (rising ? from : to), plane.across * (rising ? to : from),
                    strip);
    }
  }

  template <class T>
  bool leading(int k, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    const HostView<T> view = host_view(first, second, false, share, p1, p2);
    const Plane<T> plane = plane_of(view, k);
    const bool u = points_only || value_of(plane.slope_across) * plane.across >= 0;
    const bool s = points_only || value_of(plane.slope_along) * plane.along >= 0;
    out = point_at(view, k, u ? plane.across : 0, s ? plane.along : 0);
    return true;
  }

  /// Number of walls that are touched.
  [[nodiscard]] int state(const Pose<double>& p1, const Pose<double>& p2) const {
    int walls = 0;
    for (int wall = 0; wall < 4; ++wall) {
      bool touching = false;
      for (int k = 4 * wall; k < 4 * wall + 4; ++k) touching = touching || depth(k, p1, p2) > 0;
      walls += touching ? 1 : 0;
    }
    return walls;
  }

 private:
  static int wall_axis(int k) { return k < 8 ? 0 : 1; }
  static double wall_side(int k) { return k % 8 < 4 ? 1 : -1; }

  /// Depth over a quarter: middle + slope_across u + slope_along s, u and s from 0 to the corner.
  template <class T>
  struct Plane {
    T middle, slope_across, slope_along;
    double across, along;  ///< of the corner; m

    [[nodiscard]] T corner() const { return middle + slope_across * across + slope_along * along; }
    [[nodiscard]] T deepest() const {
      return middle + std::max(T(0.0), T(slope_across * across)) +
             std::max(T(0.0), T(slope_along * along));
    }
  };
  template <class T>
  Plane<T> plane_of(const HostView<T>& v, int k) const {
    const int w = wall_axis(k), c = 1 - w;
    const double side = wall_side(k);
    const auto size = [](const std::array<double, 2>& of, int i) {
      return of[static_cast<std::size_t>(i)];
    };
    Plane<T> out;
    out.middle =
        side * v.o[w] + 0.5 * size(inner_size, w) * v.axes(w, w) - 0.5 * size(outer_size, w);
    out.slope_across = side * v.axes(w, c);
    out.slope_along = side * v.axes(w, 2);
    out.across = (k % 4 < 2 ? -0.5 : 0.5) * size(inner_size, c);
    out.along = (k % 2 == 0 ? -1 : 1) * inner_half_length;
    return out;
  }

  template <class T>
  ContactPoint<T> point_at(const HostView<T>& v, int k, double u, double s) const {
    const int w = wall_axis(k), c = 1 - w;
    const double side = wall_side(k);
    const Plane<T> plane = plane_of(v, k);
    Vec3T<T> normal = Vec3T<T>::Zero();
    normal[w] = T(side);
    const Vec3T<T> x = v.o + v.axes.col(2) * T(s) + v.axes.col(c) * T(u) +
                       v.axes.col(w) * T(0.5 * side * inner_size[static_cast<std::size_t>(w)]);
    return v.contact(x, normal, plane.middle + plane.slope_across * u + plane.slope_along * s);
  }
};

}  // namespace freeplay::joints
