// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/host_view.hpp"
#include "joints/quadrature.hpp"
#include "joints/small_numbers.hpp"
#include "joints/tilted_disc.hpp"
#include <freeplay/model.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

// Finite journal in a finite bearing: spatial revolute joints with radial and axial clearance, and
// cylindrical joints, theory/gaps (G.7) to (G.16).
//
// One part is the host, a cylinder with an axis; the other is a stack of discs across its own axis.
//
//   captive      host = bearing, discs = sections of the journal (shorter), end faces of the host
//                stop the end discs
//   through-pin  host = journal, discs = sections of the bore (shorter), flanges of the host stop
//                the end faces of the bearing
//
// Everything is worked out in the frame of the host. A section at s has its centre at o + s a and
// goes d(s) = reach(s) + offset beyond the surface of the host. The reach is a maximum of functions
// linear in s, hence convex: the ends of a stretch decide whether it touches at all. Patches: the
// two halves of the length (A where s < 0, B where s > 0), then the two end faces.
//
// As points the patches are the two rims of the discs, then those of the end faces. Where a rim has
// slid out of the host (cylindrical joints have ends but no faces) the rim of the host takes its
// place, against the surface of the guest: the same joint with its parts in each other's role.
// Where the tilt is not in the plane of the contact the two depths differ when they change over, by
// a hundred-thousandth of the clearance (measured at tilts that the clearance allows).
namespace freeplay::joints {

struct BoreGap {
  Frame first, second;
  double outer_radius = 0, inner_radius = 0;            ///< bearing and journal; m
  double outer_half_length = 0, inner_half_length = 0;  ///< 0: endless; m
  bool through = false;                                 ///< the journal is the host
  bool faces = false;                                   ///< axial stops
  double face_inner = 0, face_outer = 0;                ///< radii of the ring that can touch; m
  bool points_only = false;                             ///< rims as point contacts, as published
  double share = 0.5;                                   ///< force_share()

  // ---- names and numbers

  [[nodiscard]] int contacts() const { return faces ? 4 : 2; }
  [[nodiscard]] static std::string_view contact_name(int k) {
    constexpr std::array<std::string_view, 4> names{"radial A", "radial B", "face A", "face B"};
    return names[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] double clearance() const { return outer_radius - inner_radius; }
  /// Length over which a fully closed contact spreads; m.
  [[nodiscard]] double contact_length() const { return 2 * disc_half_length(); }

  /// Inner minus outer centre; across the bearing axis where nothing stops the journal along it.
  [[nodiscard]] Vec3 eccentricity(const Pose<double>& p1, const Pose<double>& p2) const {
    const Vec3 e = p2.r + p2.R * second.point - p1.r - p1.R * first.point;
    if (faces) return e;
    const Vec3 axis = p1.R * first.axes.col(2);
    return e - axis * axis.dot(e);
  }

  /// Across the bearing axis only.
  [[nodiscard]] double ratio(const Pose<double>& p1, const Pose<double>& p2) const {
    const Vec3 axis = p1.R * first.axes.col(2);
    return clearance() > 0 ? axis.cross(eccentricity(p1, p2)).norm() / clearance() : 0;
  }

  // ---- contacts

  [[nodiscard]] double depth(int k, const Pose<double>& p1, const Pose<double>& p2) const {
    const View<double> view = view_of(p1, p2);
    if (k >= 2) return face_depth(view, side_of(k));
    if (points_only) {
      const double rim = rim_inside(view, side_of(k))
                             ? section_depth(view, side_of(k) * disc_half_length())
                             : host_rim(side_of(k), p1, p2).depth;
      return std::min(rim, high_end(view) - low_end(view));
    }
    const auto [low, high] = stretch(view, k);
    const double deepest = std::max(section_depth(view, low), section_depth(view, high));
    // A half that has left the bore altogether is as far from touching as it is out.
    const double inside = k == 0 ? std::min(0.0, high_end(view)) - low_end(view)
                                 : high_end(view) - std::max(0.0, low_end(view));
    return std::min(deepest, inside);
  }

  template <class T, class Visit>
  void points(int k, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    const View<double> view = view_of(values_of(p1), values_of(p2));
    if (points_only) {
      ContactPoint<T> rim;
      if (depth(k, values_of(p1), values_of(p2)) > 0 && leading(k, p1, p2, rim)) visit(rim);
      return;
    }
    if (k >= 2) return face_points(k, view, p1, p2, visit);
    const View<T> exact = view_of(p1, p2);
    const double per_length = 1 / contact_length();
    each_stretch(k, view, [&](double shallow, double deep) {
      visit_line<5>(shallow, deep, [&](double s, double ds) {
        ContactPoint<T> point = section_point(exact, s);
        point.weight = T(ds * per_length);
        if (point.depth > T(0.0)) visit(std::as_const(point));
      });
    });
  }

  /// visit(shallow, deep) for the stretches of a half that are pressed; m along the axis of the
  /// discs.
  template <class Visit>
  void pressed(int k, const Pose<double>& p1, const Pose<double>& p2, Visit&& visit) const {
    each_stretch(k, view_of(p1, p2), visit);
  }
  /// The contact of the section at s.
  [[nodiscard]] ContactPoint<double> section_at(double s, const Pose<double>& p1,
                                                const Pose<double>& p2) const {
    return section_point(view_of(p1, p2), s);
  }

  /// Where the end of the bore cuts a pressed line short, the parts push each other apart along the
  /// axis with the energy per length that is pressed there: force = weight x potential(depth) of
  /// the contact law, weight in 1/m. Without it a journal pushed in and out of its bore under load
  /// would gain energy.
  template <class T, class Visit>
  void edges(int k, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    if (k >= 2 || points_only || faces) return;
    const View<double> view = view_of(values_of(p1), values_of(p2));
    const auto [low, high] = stretch(view, k);
    if (!(low < high)) return;
    for (const double side : {-1.0, 1.0}) {
      const double s = side < 0 ? low : high;
      if (s != end(view, side) || s == side * disc_half_length()) continue;  // not cut
      const View<T> exact = view_of(p1, p2);
      const T depth = section_point(exact, s).depth;
      if (!(depth > T(0.0))) continue;
      const Vec3T<T> normal(T(0.0), T(0.0), T(-view.sign * side));
      ContactPoint<T> point = exact.contact(exact.o + exact.axes.col(2) * T(s), normal, T(0.0));
      point.depth = depth;
      point.weight = 1.0 / (contact_length() * exact.axes(2, 2));
      visit(std::as_const(point));
    }
  }

  template <class T>
  bool leading(int k, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    // Away from the wall there is no direction to push in, and no touch either.
    return foremost(k, p1, p2, out) && (k >= 2 || value_of(out.depth) >= -0.5 * clearance());
  }
  /// Where the wall is nearest, at whatever distance; false for a half that has left the bore.
  template <class T>
  bool foremost(int k, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    const View<T> exact = view_of(p1, p2);
    if (k >= 2) {
      out = face_rim_point(exact, side_of(k));
      return true;
    }
    const View<double> view = view_of(values_of(p1), values_of(p2));
    if (points_only) {
      if (!(low_end(view) < high_end(view))) return false;
      const double side = side_of(k);
      out = rim_inside(view, side) ? section_point(exact, side * disc_half_length())
                                   : host_rim(side, p1, p2);
    } else {
      const auto [low, high] = stretch(view, k);
      if (!(low < high)) return false;
      const bool at_high = section_depth(view, high) >= section_depth(view, low);
      out = section_point(exact, at_high ? high : low);
    }
    return true;
  }

  // ---- state

  static constexpr int kStates = 13;
  static constexpr double kNanometre = 1e-9;  ///< m
  /// The thirteen states of theory/gaps as labels: aligned 0 free, 1 line, 2 face, 3 line and face;
  /// tilted 4 + 3 r + a with r rims and a faces in contact. Aligned is a tilt that moves the rims
  /// by less than the depth of the contact (or a nanometre).
  [[nodiscard]] int state(const Pose<double>& p1, const Pose<double>& p2) const {
    int radial = 0, axial = 0;
    double deepest = kNanometre;
    for (int k = 0; k < contacts(); ++k) {
      const double d = depth(k, p1, p2);
      deepest = std::max(deepest, d);
      if (d > 0) ++(k < 2 ? radial : axial);
    }
    const View<double> view = view_of(p1, p2);
    const double reach = std::max(disc_half_length(), disc_radius());
    if (alpha(view).norm() * reach <= deepest) return (radial > 0 ? 1 : 0) + (axial > 0 ? 2 : 0);
    return 4 + 3 * radial + axial;
  }
  [[nodiscard]] static std::string_view state_name(int state) {
    constexpr std::array<std::string_view, kStates> names{"aligned, free",
                                                          "aligned, line",
                                                          "aligned, face",
                                                          "aligned, line and face",
                                                          "tilted, free",
                                                          "tilted, one face rim",
                                                          "tilted, both face rims",
                                                          "tilted, one rim",
                                                          "tilted, one rim and one face rim",
                                                          "tilted, one rim and both face rims",
                                                          "tilted, both rims",
                                                          "tilted, both rims and one face rim",
                                                          "tilted, both rims and both face rims"};
    return names[static_cast<std::size_t>(state)];
  }

 private:
  template <class T>
  using View = HostView<T>;

  [[nodiscard]] double disc_radius() const { return through ? outer_radius : inner_radius; }
  [[nodiscard]] double disc_half_length() const {
    return through ? outer_half_length : inner_half_length;
  }
  [[nodiscard]] double host_half_length() const {
    return through ? inner_half_length : outer_half_length;
  }
  static double side_of(int k) { return k % 2 == 0 ? -1 : 1; }

  template <class T>
  View<T> view_of(const Pose<T>& p1, const Pose<T>& p2) const {
    return host_view(first, second, through, share, p1, p2);
  }
  /// Where a section stands across the host, and how that changes along s; outward is +.
  template <class T>
  static Vec2T<T> origin(const View<T>& v) {
    return {v.sign * v.o[0], v.sign * v.o[1]};
  }
  template <class T>
  static Vec2T<T> alpha(const View<T>& v) {
    const auto a = v.axes.col(2);
    return {v.sign * a[0], v.sign * a[1]};
  }

  // ---- radial

  /// End of the discs, or of the host if that comes first; m along s.
  [[nodiscard]] double low_end(const View<double>& v) const { return end(v, -1); }
  [[nodiscard]] double high_end(const View<double>& v) const { return end(v, 1); }
  [[nodiscard]] double end(const View<double>& v, double side) const {
    const double own = side * disc_half_length();
    if (faces || host_half_length() <= 0 || !(v.axes(2, 2) > kAlongside)) return own;
    const double edge = (side * host_half_length() - v.o[2]) / v.axes(2, 2);
    return side < 0 ? std::max(own, edge) : std::min(own, edge);
  }
  /// Half k of the length, as far as it is inside the host. Empty (low >= high) when it has left.
  [[nodiscard]] std::pair<double, double> stretch(const View<double>& v, int k) const {
    const double low = low_end(v), high = high_end(v);
    return k == 0 ? std::pair(low, std::max(low, std::min(0.0, high)))
                  : std::pair(std::min(high, std::max(0.0, low)), high);
  }

  template <class T>
  Reach<T> section(const View<T>& v, double s) const {
    const Vec2T<T> along = alpha(v);
    return reach_of<T>(origin(v) + along * s, along, v.sign * disc_radius());
  }
  [[nodiscard]] double offset() const { return through ? inner_radius : -outer_radius; }
  [[nodiscard]] double section_depth(const View<double>& v, double s) const {
    return section(v, s).length + offset();
  }

  /// Where the depth vanishes between `gap` (depth <= 0) and `deep` (> 0). From the deep side
  /// Newton's method on a convex function comes down without overshooting.
  [[nodiscard]] double end_of_contact(const View<double>& v, double gap, double deep) const {
    double s = deep;
    constexpr int kMostSteps = 40;         // quadratic after a few
    constexpr double kLastDigits = 1e-15;  // of the length: a further step is rounding
    for (int i = 0; i < kMostSteps; ++i) {
      const Reach<double> r = section(v, s);
      const double slope = r.n.dot(alpha(v));
      if (slope == 0) break;
      const double next = s - (r.length + offset()) / slope;
      const bool inside = deep > gap ? next > gap : next < gap;
      if (!inside) return gap;
      const double moved = std::abs(next - s);
      s = next;
      if (moved <= kLastDigits * contact_length()) break;
    }
    return s;
  }

  /// The contact of the section at s with the wall.
  template <class T>
  ContactPoint<T> section_point(const View<T>& v, double s) const {
    const Reach<T> r = section(v, s);
    const Vec3T<T> n(r.n[0], r.n[1], T(0.0));
    const Vec3T<T> axis = v.axes.col(2);
    // Support point of the disc in the direction n.
    const Vec3T<T> rim = (n - axis * n.dot(axis)) / r.cosine;
    return v.contact(v.o + axis * s + rim * disc_radius(), n, r.length + offset());
  }

  template <class Visit>
  void each_stretch(int k, const View<double>& view, Visit&& piece) const {
    const auto [low, high] = stretch(view, k);
    if (!(low < high)) return;
    const double at_low = section_depth(view, low), at_high = section_depth(view, high);
    if (at_low <= 0 && at_high <= 0) return;
    if (at_low <= 0) return piece(end_of_contact(view, low, high), high);
    if (at_high <= 0) return piece(end_of_contact(view, high, low), low);
    // Both ends touch: at opposite walls with a gap between them, or all along.
    const double turn = -origin(view).dot(alpha(view)) / alpha(view).squaredNorm();
    if (turn > low && turn < high && section_depth(view, turn) < 0) {
      piece(end_of_contact(view, turn, low), low);
      return piece(end_of_contact(view, turn, high), high);
    }
    at_high >= at_low ? piece(low, high) : piece(high, low);
  }

  // ---- rims as points

  /// Is the place where a rim of the discs comes nearest to the surface of the host between the
  /// ends of the host?
  [[nodiscard]] bool rim_inside(const View<double>& v, double side) const {
    if (faces || host_half_length() <= 0 || !(v.axes(2, 2) > kAlongside)) return true;
    const double s = side * disc_half_length();
    const Reach<double> r = section(v, s);
    const Vec3 axis = v.axes.col(2), n(r.n[0], r.n[1], 0);
    const double along = v.o[2] + axis[2] * (s - n.dot(axis) / r.cosine * disc_radius());
    return side * along <= host_half_length();
  }
  /// A rim of the host against the surface of the guest.
  template <class T>
  ContactPoint<T> host_rim(double side, const Pose<T>& p1, const Pose<T>& p2) const {
    BoreGap other = *this;
    other.through = !through;
    return other.section_point(other.view_of(p1, p2), side * other.disc_half_length());
  }

  // ---- faces

  /// Depth of the middle of an end disc and of its rim; sin(tilt) is taken from the cross axis
  /// components, not from the cosine, which would lose half the digits.
  [[nodiscard]] double face_middle(const View<double>& v, double side) const {
    return side * (v.o[2] + side * disc_half_length() * v.axes(2, 2)) - host_half_length();
  }
  [[nodiscard]] double face_depth(const View<double>& v, double side) const {
    const double tilt = alpha(v).norm();
    return face_middle(v, side) + face_outer * (points_only ? rounded(tilt * tilt).sag : tilt);
  }

  /// As published the point jumps round the rim as the tilt passes through zero. Within a
  /// ten-thousandth of the axial play it crosses the face instead; depth and place belong to one
  /// potential, depth = middle + R (sqrt(tilt^2 + small^2) - small).
  template <class T>
  struct Rounded {
    T tilt;  ///< sqrt(tilt^2 + small^2)
    T sag;   ///< that minus `small`, without cancellation
  };
  template <class T>
  Rounded<T> rounded(const T& tilt_squared) const {
    using std::sqrt;
    const double play = std::abs(outer_half_length - inner_half_length);
    constexpr double kPart = 1e-4;  // chosen: of the play; without play, of that part of the face
    const double small = kPart * std::max(play, kPart * face_outer) / face_outer;
    const T tilt = sqrt(tilt_squared + small * small);
    return {tilt, tilt_squared / (tilt + small)};
  }

  /// How the depth changes across an end disc.
  template <class T>
  struct Face {
    double side;
    Vec3T<T> centre;  ///< host frame; m
    T depth, slope_x, slope_y;
  };
  template <class T>
  Face<T> face_of(const View<T>& v, double side) const {
    Face<T> out;
    out.side = side;
    out.centre = v.o + v.axes.col(2) * T(side * disc_half_length());
    out.depth = side * out.centre[2] - host_half_length();
    out.slope_x = side * v.axes(2, 0);
    out.slope_y = side * v.axes(2, 1);
    return out;
  }

  /// Contact at the point (x, y) of an end disc. A face of the bearing pushes the journal inwards,
  /// a face against a flange pushes it outwards.
  template <class T>
  ContactPoint<T> face_point(const View<T>& v, const Face<T>& face, const T& x, const T& y) const {
    const Vec3T<T> normal(T(0.0), T(0.0), T(v.sign * face.side));
    return v.contact(face.centre + v.axes.col(0) * x + v.axes.col(1) * y, normal,
                     face.depth + x * face.slope_x + y * face.slope_y);
  }

  /// The deepest point of an end face: on its rim; in its middle when it is not tilted at all.
  template <class T>
  ContactPoint<T> face_rim_point(const View<T>& v, double side) const {
    using std::sqrt;
    const Face<T> face = face_of(v, side);
    const T squared = face.slope_x * face.slope_x + face.slope_y * face.slope_y;
    if (points_only) {
      const Rounded<T> round = rounded(squared);
      const T scale = face_outer / round.tilt;
      ContactPoint<T> point = face_point<T>(v, face, face.slope_x * scale, face.slope_y * scale);
      point.depth = face.depth + face_outer * round.sag;
      return point;
    }
    if (!(value_of(squared) > 0)) return face_point(v, face, T(0.0), T(0.0));
    const T scale = face_outer / sqrt(squared);
    return face_point<T>(v, face, face.slope_x * scale, face.slope_y * scale);
  }

  template <class T, class Visit>
  void face_points(int k, const View<double>& view, const Pose<T>& p1, const Pose<T>& p2,
                   Visit& visit) const {
    const double side = side_of(k);
    if (face_depth(view, side) <= 0) return;
    const View<T> exact = view_of(p1, p2);
    const Face<T> face = face_of(exact, side);
    const double sx = value_of(face.slope_x), sy = value_of(face.slope_y);
    const double tilt = std::hypot(sx, sy), middle = value_of(face.depth);
    const double gx = tilt > 0 ? sx / tilt : 1, gy = tilt > 0 ? sy / tilt : 0;
    const double cut = tilt > 0 ? -middle / tilt : -std::numeric_limits<double>::infinity();
    const double area = std::numbers::pi * (face_outer - face_inner) * (face_outer + face_inner);
    visit_ring(face_inner, face_outer, cut, [&](double x, double y, double dA) {
      ContactPoint<T> point = face_point<T>(exact, face, T(gx * x - gy * y), T(gy * x + gx * y));
      point.weight = T(dA / area);
      point.surface = kFaceSurface;
      if (point.depth > T(0.0)) visit(std::as_const(point));
    });
  }
};

}  // namespace freeplay::joints
