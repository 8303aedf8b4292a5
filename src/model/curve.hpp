// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include <freeplay/model.hpp>

#include <array>
#include <string>
#include <vector>

// A smooth curve through given points: the guide of a point-on-curve joint.
namespace freeplay {

/// Quintic spline with four continuous derivatives, its parameter u the length of the chords (m):
/// what is guided along it has a smooth acceleration and a jerk without jumps, as cams are made.
/// An open curve has no curvature at its ends and goes on
/// straight beyond them. Built once, then const and shared by threads; no question
/// to it touches the heap.
class Curve {
 public:
  /// The points must pass `fault`.
  Curve(std::vector<Vec3> points, bool closed);

  /// What is wrong with points for a curve; empty: nothing.
  [[nodiscard]] static std::string fault(const std::vector<Vec3>& points, bool closed);
  /// Where the curve crosses itself; empty: nowhere. There, the nearest point is not unique.
  [[nodiscard]] std::string crossing() const;

  [[nodiscard]] const std::vector<Vec3>& points() const { return points_; }
  [[nodiscard]] bool closed() const { return closed_; }
  /// From the first point to the last, or once round; m.
  [[nodiscard]] double length() const { return cells_.back().arc_end; }

  /// Parameter of the point nearest to x; beyond the ends of an open curve it counts on.
  [[nodiscard]] double nearest(const Vec3& x) const;
  /// How far the next of its points is from parameter u, forward or back; infinite: none is there.
  [[nodiscard]] double to_next_point(double u, bool forward) const;
  /// Arc length from the first point; m.
  [[nodiscard]] double arc(double u) const;
  /// Points along the curve, close enough to be drawn as straight lines.
  [[nodiscard]] std::vector<Vec3> outline() const;

  /// Point, first and second derivative with respect to the parameter.
  template <class T>
  struct Local {
    Vec3T<T> c, d1, d2;
  };
  template <class T>
  [[nodiscard]] Local<T> at(const T& u) const {
    const Piece& p = piece_of(value_of(u));
    const T t = u - p.from;
    const auto sum = [&](int first, auto&& factor) {
      Vec3T<T> out = (factor(5) * p.c[5]).template cast<T>();
      for (int k = 4; k >= first; --k)
        out = Vec3T<T>((factor(k) * p.c[static_cast<std::size_t>(k)]).template cast<T>() + out * t);
      return out;
    };
    return {sum(0, [](int) { return 1.0; }), sum(1, [](int k) { return 1.0 * k; }),
            sum(2, [](int k) { return 1.0 * k * (k - 1); })};
  }

 private:
  /// Between two knots: c[0] + c[1] t + ... + c[5] t^5, t = u - from.
  struct Piece {
    double from;
    std::array<Vec3, 6> c;
  };
  struct Box {
    Vec3 low, high;
    [[nodiscard]] double squared_distance(const Vec3& x) const;
  };
  /// A stretch of one piece so short that its direction hardly turns, and a box that holds it.
  struct Cell {
    double from, to;      ///< parameters
    double arc, arc_end;  ///< m
    Box box;
  };

  [[nodiscard]] const Piece& piece_of(double u) const;
  void set_pieces();
  void set_cells();
  void set_tree();
  [[nodiscard]] double foot_in(const Cell& cell, const Vec3& x) const;
  [[nodiscard]] double polished(double u, const Vec3& x) const;
  [[nodiscard]] double measured(double from, double to) const;

  std::vector<Vec3> points_;
  bool closed_;
  double end_ = 0;             ///< parameter at the end, or once round
  std::vector<Piece> pieces_;  ///< an open curve has its two straight ends among them
  std::vector<Cell> cells_;
  std::vector<Box> tree_;  ///< node k holds nodes 2k and 2k + 1; cells from leaves_ on
  std::size_t leaves_ = 1;
};

/// The parameter of the point nearest to x, with derivatives: (x - c) . c' = 0 differentiated.
template <class T>
T foot(const Curve& curve, const Vec3T<T>& x) {
  const Vec3 at(value_of(x[0]), value_of(x[1]), value_of(x[2]));
  const double u = curve.nearest(at);
  if constexpr (std::is_same_v<T, double>) {
    return u;
  } else {
    const Curve::Local<double> local = curve.at(u);
    const double slope = local.d1.dot(local.d1) - (at - local.c).dot(local.d2);
    T out = (x - at.template cast<T>()).dot(local.d1.template cast<T>()) / slope;
    out.value = u;
    return out;
  }
}

}  // namespace freeplay
