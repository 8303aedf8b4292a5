// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction/bristle.hpp"

#include <algorithm>
#include <numbers>

namespace freeplay::laws {

/// LuGre with purely elastic bristles up to a break-away deflection, so that a load that wiggles
/// below it moves nothing for good. Vector form: |z| for the scalar deflection, z.v < 0 for
/// opposite signs.
struct ElastoPlastic : DampedBristle<ElastoPlastic> {
  static constexpr Text key = "elasto-plastic";
  static constexpr Text title = "Elasto-plastic";
  static constexpr Text cite =
      "Dupont, Hayward, Armstrong & Altpeter 2002; load-scaled vector form";
  static constexpr Text formula =
      "w = v - alpha sigma0 |v|/g z, z' = w - max(N', 0)/N z; F = -N (sigma0 z + sigma1 "
      "exp(-(v/vs)^2) w + sigma2 v); g = kinetic + (static - kinetic) exp(-(v/vs)^2); alpha = 0 "
      "for |z| < zb = elastic_fraction kinetic/sigma0 or z.v < 0, 1 for |z| > g/sigma0, (1 + "
      "sin(pi (|z| - (g/sigma0 + zb)/2)/(g/sigma0 - zb)))/2 between";
  static constexpr Text limits =
      "Holds a load without drift below elastic_fraction x kinetic. Stiff: relaxation rate "
      "sigma0 v/kinetic. Passive for sigma1 vs <= 9.3 kinetic.";

  double elastic_fraction = 0.7;

  static constexpr auto fields() {
    using L = ElastoPlastic;
    return std::array{
        kinetic_field<L>(1e-6),
        static_field<L>(),
        sigma0_field(),
        sigma1_field(),
        sigma2_field(),
        speed_field<L>(&L::vs, "vs", "Stribeck speed: static friction decays around it"),
        Field<L>{&L::elastic_fraction, "elastic_fraction", "1",
                 "part of the kinetic deflection that is purely elastic", 0.01, 0.99},
        reference_load_field()};
  }
  static constexpr auto flags() {
    using L = ElastoPlastic;
    return std::array{
        Flag<L>{&L::as_published, "as_published",
                "sigma1 constant and no term in N': a varying load can create energy"}};
  }
  static constexpr std::array samples{
      BristleSample{1e-3, 100, 5e-7, 0, -16.63336938, 1e-3},
      BristleSample{1e-3, 100, 1e-6, 0, -14.91305047, 4.223239466e-4}};

  [[nodiscard]] std::string conflict() const {
    const std::string why = BristleBase::conflict();
    return why.empty() ? active_with(vs) : why;
  }
  /// Here r is multiplied by alpha. Forward (z.v >= 0) alpha is 1 for sigma0 |z| >= g: as
  /// bound_with; below, the bristles carry at most max(g, |g - s1 v|), of which only g is new.
  /// Backward alpha is 0 and z at least square to v: at most the hypotenuse.
  [[nodiscard]] double bound(double speed) const {
    const double x = speed / vs, s1 = scaled(sigma1) * (as_published ? 1 : std::exp(-(x * x)));
    const double viscous = (s1 + scaled(sigma2)) * speed;
    return std::max({bound_with(s1, speed), level(speed) + viscous, std::hypot(static_, viscous)});
  }
  template <class T>
  BristleRate<T, states> evaluate(const Slip<T>& slip, const T& load_rate,
                                  const BristleState<T, states>& z) const {
    using std::exp;
    const T N = slip.normal_force, v = length_of(slip.velocity), x = v / vs;
    const double s0 = scaled(sigma0);
    const T g = level(v), s1 = as_published ? T(scaled(sigma1)) : T(scaled(sigma1) * exp(-(x * x)));
    const Vec3T<T> w =
        slip.velocity - z * T(plastic_share(slip.velocity, z, T(g / s0)) * s0 * v / g);
    const Vec3T<T> bent = z * T(s0) + w * s1 + slip.velocity * T(scaled(sigma2));
    return {bent * T(-N), w - z * relief(N, load_rate)};
  }

 private:
  /// alpha: 0 elastic ... 1 sliding.
  template <class T>
  T plastic_share(const Vec3T<T>& velocity, const Vec3T<T>& z, const T& z_max) const {
    using std::sin;
    const double z_ba = elastic_fraction * kinetic / scaled(sigma0);
    const T bend = length_of(z),
            along = z[0] * velocity[0] + z[1] * velocity[1] + z[2] * velocity[2];
    if (along < T(0) || bend <= T(z_ba)) return T(0);
    if (bend >= z_max) return T(1);
    return 0.5 + 0.5 * sin(std::numbers::pi * (bend - 0.5 * (z_max + z_ba)) / (z_max - z_ba));
  }
};

}  // namespace freeplay::laws
