// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/curve.hpp"
#include "model/joint_row_list.hpp"

namespace freeplay::kinds {

/// A point of the second body is held on a curve drawn in the frame of the first: a cam, a groove,
/// a guide, a rail.
///
/// With x the second point in the first frame and c(u) the point of the curve nearest to it, the
/// error e = x - c(u) is normal to the tangent t(u). The rows are n.e = 0 for the normals n(u) of
/// the curve: one in the plane, two in space. Their rates are n.x', as if n were fixed in the first
/// body, since n'.e u' vanishes on the curve; their accelerations hold (dn/du . x') u' besides,
/// which is where curvature comes in. The coordinate is the arc length s from the first point of
/// the curve, with rate t.x'.
struct PointOnCurve {
  static constexpr Coordinate free[] = {Coordinate::displacement};
  enum Row { normal, second_normal, along };

  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    RowList list(joint, planar, L);
    list.own(normal, "off the curve");
    if (!planar) list.own(second_normal, "off the curve");
    return list.done();
  }
  static RowSpec displacement(const Joint&) {
    RowSpec row;
    row.kind = RowSpec::Kind::own;
    row.component = along;
    row.label = "coordinate";
    return row;
  }
  static double round(const Joint& joint) {
    return joint.curve && joint.curve->closed() ? joint.curve->length() : 0;
  }
  static std::vector<JointFault> faults(const Joint& joint) {
    if (!joint.curve) return {{"curve", "a point-on-curve joint needs a curve", ""}};
    if (const std::string where = joint.curve->crossing(); !where.empty())
      return {{"curve", where + ": there it does not say where the point goes on",
               "keep its parts apart, or use two joints"}};
    return {};
  }

  /// A direction along the curve and its derivative with respect to the parameter.
  template <class T>
  struct Direction {
    Vec3T<T> a, a_u;
  };
  /// Unit tangent, or a unit normal: in the plane to the left of it, in space one of the two that
  /// follow from the tangent alone (Duff et al. 2017). These jump where the tangent crosses the xy
  /// plane, which changes the two multipliers but not the force they stand for.
  template <class T>
  static Direction<T> direction(int row, const Curve::Local<T>& at, bool planar) {
    using std::sqrt;
    const T speed = sqrt(at.d1.dot(at.d1));
    const Vec3T<T> t = at.d1 / speed, t_u = (at.d2 - t * t.dot(at.d2)) / speed;
    if (row == along) return {t, t_u};
    if (planar) return {{-t[1], t[0], T(0.0)}, {-t_u[1], t_u[0], T(0.0)}};
    const double sign = value_of(t[2]) < 0 ? -1 : 1;
    const T f = -1.0 / (sign + t[2]), f_u = f * f * t_u[2];
    const T b = t[0] * t[1] * f, b_u = (t_u[0] * t[1] + t[0] * t_u[1]) * f + t[0] * t[1] * f_u;
    if (row == normal)
      return {{1.0 + sign * (t[0] * t[0] * f), sign * b, -sign * t[0]},
              {sign * (2.0 * (t[0] * t_u[0] * f) + t[0] * t[0] * f_u), sign * b_u, -sign * t_u[0]}};
    return {{b, sign + t[1] * t[1] * f, -t[1]},
            {b_u, 2.0 * (t[1] * t_u[1] * f) + t[1] * t[1] * f_u, -t_u[1]}};
  }

  template <class T>
  static RowValue<T> own_row(const RowSpec& row, const Joint& joint, const JointPlace<T>& g,
                             Jet drive, bool planar) {
    const Curve& curve = *joint.curve;
    const Mat3T<T> A = g.first->R * joint.first.axes.template cast<T>();
    const Vec3T<T> x = A.transpose() * g.d;
    const T u = foot(curve, x);
    const Curve::Local<T> at = curve.at(u);
    const Direction<T> along_row = direction(row.component, at, planar);
    const Vec3T<T> e = x - at.c, v = A.transpose() * (g.d_dot - g.first->w.cross(g.d));
    const T u_dot = at.d1.dot(v) / (at.d1.dot(at.d1) - e.dot(at.d2));

    RowValue<T> out;
    out.phi_t = -drive.dx;
    out.phi = row.component == along ? arc(curve, u, at) - drive.x : T(along_row.a.dot(e));
    if (row.component == along && curve.closed()) {
      const double s = value_of(out.phi);
      out.phi -= curve.length() * std::round(s / curve.length());
    }
    const T bias = set_travel<T>(A * along_row.a, g, out);
    out.gamma = drive.ddx - bias - along_row.a_u.dot(v) * u_dot;
    return out;
  }

  /// Arc length with its derivative.
  template <class T>
  static T arc(const Curve& curve, const T& u, const Curve::Local<T>& at) {
    if constexpr (std::is_same_v<T, double>) {
      return curve.arc(u);
    } else {
      const Vec3 d1(value_of(at.d1[0]), value_of(at.d1[1]), value_of(at.d1[2]));
      T out = u * d1.norm();
      out.value = curve.arc(value_of(u));
      return out;
    }
  }

  static constexpr JointKind kind{
      .type = JointType::point_on_curve,
      .word = "point-on-curve",
      .coordinates = free,
      .rows = rows,
      .displacement = displacement,
      .round = round,
      .file = {.frames = FrameRule::body_axes, .two_points = true, .curve = true},
      .faults = faults,
      .surfaces = Surfaces::groove,
      .no_play = ": there is no contact geometry of a pin in a curved groove",
      .no_rubber =
          "rubber holds two frames together, and a point on a curve has none of its own: "
          "put it between the point and a body that the curve guides",
      .page = {.shape = "bead"}};
};

}  // namespace freeplay::kinds
