// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/host_view.hpp"
#include "joints/quadrature.hpp"
#include "joints/small_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

// Slider between the two walls of a guide, in the plane. z of the frames is the
// direction of travel, x points to the upper wall. The depth of a slider face under its wall is
// linear along the face, so its corners decide whether it touches; patches are the four halves of
// the faces, from a corner to the middle. A slider longer than its guide is the host: then the
// edges of the guide run along the slider's faces.
//
// As points the patches are the ends of the stretch that lies between the ends of the host: a
// corner of the guest under the host's wall or, where that corner has slid out, the edge of the
// host under the guest's face. Where one takes over from the other the depth changes by a factor,
// the cosine of the tilt: not at all at the touch.
namespace freeplay::joints {

struct GuideGap {
  Frame first, second;
  double outer_width = 0, inner_width = 0;              ///< guide and slider; m
  double outer_half_length = 0, inner_half_length = 0;  ///< guide (0: endless) and slider; m
  bool points_only = false;                             ///< corners only, as published
  double share = 0.5;                                   ///< force_share()

  [[nodiscard]] static int contacts() { return 4; }
  [[nodiscard]] static std::string_view contact_name(int k) {
    constexpr std::array<std::string_view, 4> names{"upper left", "upper right", "lower left",
                                                    "lower right"};
    return names[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] double clearance() const { return 0.5 * (outer_width - inner_width); }
  [[nodiscard]] double contact_length() const { return 2 * guest_half_length(); }

  /// Inner minus outer centre, across the guide.
  [[nodiscard]] Vec3 eccentricity(const Pose<double>& p1, const Pose<double>& p2) const {
    const Vec3 across = p1.R * first.axes.col(0);
    return across * across.dot(p2.r + p2.R * second.point - p1.r - p1.R * first.point);
  }

  [[nodiscard]] double ratio(const Pose<double>& p1, const Pose<double>& p2) const {
    return clearance() > 0 ? eccentricity(p1, p2).norm() / clearance() : 0;
  }

  [[nodiscard]] double depth(int k, const Pose<double>& p1, const Pose<double>& p2) const {
    const HostView<double> view = view_of(p1, p2);
    if (points_only) return std::min(end_point(view, k).depth, length_inside(view, k));
    const Stretch half = stretch(view, k);
    const double deepest = std::max(depth_at(view, k, half.corner), depth_at(view, k, half.middle));
    return std::min(deepest, half.inside);
  }

  template <class T, class Visit>
  void points(int k, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    if (points_only) {
      if (depth(k, values_of(p1), values_of(p2)) > 0) visit(end_point(view_of(p1, p2), k));
      return;
    }
    const HostView<double> view = view_of(values_of(p1), values_of(p2));
    const HostView<T> exact = view_of(p1, p2);
    each_stretch(k, view, [&](double shallow, double deep) {
      visit_line<5>(shallow, deep, [&](double s, double ds) {
        ContactPoint<T> point = point_at(exact, k, s);
        point.weight = T(ds / contact_length());
        if (point.depth > T(0.0)) visit(std::as_const(point));
      });
    });
  }

  /// visit(shallow, deep) for the stretch of a half face that is pressed; m along the guest.
  template <class Visit>
  void pressed(int k, const Pose<double>& p1, const Pose<double>& p2, Visit&& visit) const {
    each_stretch(k, view_of(p1, p2), visit);
  }
  /// The contact of face k at s.
  [[nodiscard]] ContactPoint<double> section_at(int k, double s, const Pose<double>& p1,
                                                const Pose<double>& p2) const {
    return point_at(view_of(p1, p2), k, s);
  }
  [[nodiscard]] static bool is_upper(int k) { return k < 2; }

  /// Where the end of the guide cuts a pressed face short: as BoreGap::edges.
  template <class T, class Visit>
  void edges(int k, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    if (points_only) return;
    const HostView<double> view = view_of(values_of(p1), values_of(p2));
    const Stretch half = stretch(view, k);
    if (!(half.inside > 0)) return;
    for (const double side : {-1.0, 1.0}) {
      const double s = side * end(k) > 0 ? half.corner : half.middle;
      const double own = side * end(k) > 0 ? end(k) * guest_half_length() : 0;
      if (s == own) continue;  // not cut
      const HostView<T> exact = view_of(p1, p2);
      const T depth = depth_of(exact, k, s);
      if (!(depth > T(0.0))) continue;
      const Vec3T<T> normal(T(0.0), T(0.0), T(-view.sign * side));
      const Vec3T<T> x =
          exact.o + exact.axes.col(2) * T(s) + exact.axes.col(0) * T(wall(k) * guest_half_width());
      ContactPoint<T> point = exact.contact(x, normal, T(0.0));
      point.depth = depth;
      point.weight = 1.0 / (contact_length() * exact.axes(2, 2));
      visit(std::as_const(point));
    }
  }

  template <class T>
  bool leading(int k, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    const HostView<double> view = view_of(values_of(p1), values_of(p2));
    if (points_only) {
      if (!(length_inside(view, k) > 0)) return false;
      out = end_point(view_of(p1, p2), k);
      return true;
    }
    const Stretch half = stretch(view, k);
    if (!(half.inside > 0)) return false;
    const bool corner = depth_at(view, k, half.corner) >= depth_at(view, k, half.middle);
    out = point_at(view_of(p1, p2), k, corner ? half.corner : half.middle);
    return true;
  }

  /// 0 none, 1 one corner, 2 a face (both corners of one side), 3 corners on both sides.
  [[nodiscard]] int state(const Pose<double>& p1, const Pose<double>& p2) const {
    std::array<bool, 4> touching{};
    for (int k = 0; k < 4; ++k) touching[static_cast<std::size_t>(k)] = depth(k, p1, p2) > 0;
    const bool upper = touching[0] || touching[1], lower = touching[2] || touching[3];
    if (upper && lower) return 3;
    if ((touching[0] && touching[1]) || (touching[2] && touching[3])) return 2;
    return upper || lower ? 1 : 0;
  }

 private:
  /// Half a face of the guest, as far as it is between the ends of the host; places along s.
  struct Stretch {
    double corner, middle;
    double inside;  ///< its length; negative: how far it is out; m
  };

  [[nodiscard]] bool swapped() const {
    return outer_half_length > 0 && inner_half_length > outer_half_length;
  }
  [[nodiscard]] double guest_half_length() const {
    return swapped() ? outer_half_length : inner_half_length;
  }
  [[nodiscard]] double host_half_length() const {
    return swapped() ? inner_half_length : outer_half_length;
  }
  [[nodiscard]] double guest_half_width() const {
    return 0.5 * (swapped() ? outer_width : inner_width);
  }
  [[nodiscard]] double host_half_width() const {
    return 0.5 * (swapped() ? inner_width : outer_width);
  }
  static double wall(int k) { return k < 2 ? 1 : -1; }
  static double end(int k) { return k % 2 == 0 ? -1 : 1; }

  template <class T>
  HostView<T> view_of(const Pose<T>& p1, const Pose<T>& p2) const {
    return host_view(first, second, swapped(), share, p1, p2);
  }

  /// Does the host end at all?
  template <class T>
  bool bounded(const HostView<T>& v) const {
    return host_half_length() > 0 && value_of(v.axes(2, 2)) > kAlongside;
  }
  /// Where the face of the guest passes the two ends of a bounded host; m along s.
  [[nodiscard]] std::pair<double, double> ends_of_host(const HostView<double>& v, int k) const {
    const double face = v.o[2] + wall(k) * guest_half_width() * v.axes(2, 0);
    return {(-host_half_length() - face) / v.axes(2, 2),
            (host_half_length() - face) / v.axes(2, 2)};
  }

  [[nodiscard]] Stretch stretch(const HostView<double>& v, int k) const {
    Stretch out{end(k) * guest_half_length(), 0, guest_half_length()};
    if (!bounded(v)) return out;
    const auto [low, high] = ends_of_host(v, k);
    const double from = std::max(std::min(out.corner, 0.0), low);
    const double to = std::min(std::max(out.corner, 0.0), high);
    out.inside = to - from;
    const double limit = std::max(from, to);
    out.corner = end(k) < 0 ? from : limit;
    out.middle = end(k) < 0 ? limit : from;
    return out;
  }

  template <class Visit>
  void each_stretch(int k, const HostView<double>& view, Visit&& visit) const {
    const Stretch half = stretch(view, k);
    if (!(half.inside > 0)) return;
    const double at_corner = depth_at(view, k, half.corner);
    const double at_middle = depth_at(view, k, half.middle);
    if (at_corner <= 0 && at_middle <= 0) return;
    double shallow = at_corner < at_middle ? half.corner : half.middle;
    const double deep = at_corner < at_middle ? half.middle : half.corner;
    if (std::min(at_corner, at_middle) < 0)
      shallow = half.corner + (half.middle - half.corner) *
                                  std::clamp(at_corner / (at_corner - at_middle), 0., 1.);
    visit(shallow, deep);
  }

  // ---- as points

  /// How much of the whole face is between the ends of the host; negative: how far it is out; m.
  [[nodiscard]] double length_inside(const HostView<double>& v, int k) const {
    if (!bounded(v)) return 2 * guest_half_length();
    const auto [low, high] = ends_of_host(v, k);
    return std::min(guest_half_length(), high) - std::max(-guest_half_length(), low);
  }

  template <class T>
  ContactPoint<T> end_point(const HostView<T>& v, int k) const {
    const double corner = end(k) * guest_half_length();
    const double along = end(k) * value_of(v.o[2] + v.axes(2, 2) * corner +
                                           wall(k) * guest_half_width() * v.axes(2, 0));
    if (!bounded(v) || along <= host_half_length()) return point_at(v, k, corner);
    const Vec3T<T> normal = v.axes.col(0) * T(wall(k));
    const Vec3T<T> edge(T(wall(k) * host_half_width()), T(0.0), T(end(k) * host_half_length()));
    const T depth = v.sign * (guest_half_width() - normal.dot(edge - v.o));
    return v.contact(edge + normal * T(v.sign * depth), normal, depth);
  }

  // ---- along the face

  template <class T>
  T depth_of(const HostView<T>& v, int k, double s) const {
    const T across = wall(k) * (v.o[0] + v.axes(0, 2) * s) + v.axes(0, 0) * guest_half_width();
    return v.sign * (across - host_half_width());
  }
  [[nodiscard]] double depth_at(const HostView<double>& v, int k, double s) const {
    return depth_of(v, k, s);
  }
  template <class T>
  ContactPoint<T> point_at(const HostView<T>& v, int k, double s) const {
    const Vec3T<T> normal(T(wall(k)), T(0.0), T(0.0));
    const Vec3T<T> x = v.o + v.axes.col(2) * T(s) + v.axes.col(0) * T(wall(k) * guest_half_width());
    return v.contact(x, normal, depth_of(v, k, s));
  }
};

}  // namespace freeplay::joints
