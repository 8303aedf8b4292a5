// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

#include <numbers>

namespace freeplay::laws {

/// A thin elastic layer bonded to one of the parts, the other one rigid: pressure = k x local
/// depth, summed over the face, over the arc of a journal (line contact) or over the cap of a ball.
struct ElasticFoundation : Hysteretic<ElasticFoundation> {
  static constexpr double min_restitution = kSmallestRestitution;
  static constexpr ContactSite sample_site = kJournalSite;
  static constexpr Text key = "elastic-foundation";
  static constexpr Text title = "Elastic foundation";
  static constexpr Text cite =
      "Bei & Fregly 2004; Perez-Gonzalez et al. 2008; sums over journal and ball derived";
  static constexpr Text formula =
      "p = k x, k = (1 - nu) E/((1 + nu) (1 - 2 nu) h), times (1 + b d'/v0) with the exact b; "
      "with cos t = dR/(dR + d): face 4 a^2 k d, journal k Ri L (dR + d) (t - sin t cos t), ball "
      "pi/3 k Ri^2 d^2 (3 dR + 2 d)/(dR + d)^2";
  static constexpr Text limits =
      "Layer thin beside the contact and much softer than the parts; depth well below its "
      "thickness; nu below 0.5, where a bonded layer becomes incompressible.";

  double modulus = 1e9, poisson = 0.4, thickness = 1e-3;
  enum class Shape { face, journal, ball };
  // derived: k in Pa/m; area 4 a^2, Ri L or Ri^2; clearance
  Shape shape = Shape::face;
  double k = kUnprepared, area = 0, gap = 0;

  static constexpr auto fields() {
    using L = ElasticFoundation;
    return std::array{
        Field<L>{&L::modulus, "layer_modulus", "Pa", "E of the layer", 1, 1e13, true},
        Field<L>{&L::poisson, "layer_poisson", "1", "nu of the layer", 0, 0.49},
        Field<L>{&L::thickness, "layer_thickness", "m", "h of the layer", 1e-9, 1, true},
        restitution_field()};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 916.635629},
                                      ContactSample{{1e-5, -0.1, 0.2}, 775.759045}};

  [[nodiscard]] std::string misfit(const ContactSite& site) const {
    if (site.face_half_width > 0 && !site.spherical) return {};
    if (!site.spherical && !(site.length > 0))
      return "needs an area: a ball, a length or the width of a face";
    if (!(site.inner_radius > 0 && site.clearance() > 0 && std::isfinite(site.outer_radius)))
      return "needs an outer radius above the inner one";
    return {};
  }
  void prepare(const ContactSite& site) {
    k = (1 - poisson) * modulus / ((1 + poisson) * (1 - 2 * poisson) * thickness);
    const double a = site.face_half_width, R = site.outer_radius;
    shape = site.spherical ? Shape::ball : a > 0 ? Shape::face : Shape::journal;
    area = shape == Shape::ball ? R * R : shape == Shape::face ? 4 * a * a : R * site.length;
    gap = site.clearance();
    beta = exact_hysteresis(restitution);
  }

  template <class T>
  T elastic(const T& d) const {
    using std::atan2, std::sqrt;
    if (d <= T(0)) return T(0);
    if (shape == Shape::face) return k * area * d;
    const T e = gap + d;  // eccentricity
    if (shape == Shape::ball)
      return std::numbers::pi / 3 * k * area * d * d * (3.0 * gap + 2.0 * d) / (e * e);
    const T s = sqrt(d * (2.0 * gap + d)) / e, c = gap / e;
    return k * area * e * arc_less_chord(atan2(s, c), s * c);
  }
  template <class T>
  T potential(const T& d) const {
    if (d <= T(0)) return T(0);
    if (shape == Shape::face) return 0.5 * k * area * d * d;
    if (shape == Shape::ball) return std::numbers::pi / 3 * k * area * d * d * d / (gap + d);
    const double U = work_to(value_of(d), [this](double x) { return elastic(x); });
    return with_slope(U, value_of(elastic(d)), d);
  }
  [[nodiscard]] double depth_limit() const { return thickness; }
  [[nodiscard]] std::vector<Derived> derived() const {
    return derived_with({"foundation modulus", k, "Pa/m"});
  }

 private:
  /// t - sin t cos t, by its series where the difference would lose digits.
  template <class T>
  static T arc_less_chord(const T& t, const T& sin_cos) {
    if (t > T(0.1)) return t - sin_cos;
    const T y = t * t;
    return t * y *
           (2.0 / 3 - y * (2.0 / 15 - y * (4.0 / 315 - y * (2.0 / 2835 - y * (4.0 / 155925)))));
  }
};

}  // namespace freeplay::laws
