// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction/bristle.hpp"

namespace freeplay::laws {

/// Bristles that bend elastically at rest and give way at the Stribeck level when sliding. The
/// isotropic vector form: the one with z.v only, printed in several papers, keeps a wrong component
/// after a turn. Constant sigma1 gives forces of sigma1 v beyond all friction when sliding starts
/// fast, and is not passive without sigma2; by default it fades as exp(-(v/vd)^2).
struct LuGre : DampedBristle<LuGre> {
  static constexpr Text key = "lugre";
  static constexpr Text title = "LuGre";
  static constexpr Text cite =
      "Canudas de Wit, Olsson, Astrom & Lischinsky 1995; load-scaled vector form";
  static constexpr Text formula =
      "w = v - sigma0 |v|/g z, z' = w - max(N', 0)/N z; F = -N (sigma0 z + sigma1 exp(-(v/vd)^2) "
      "w + sigma2 v); g = kinetic + (static - kinetic) exp(-(v/vs)^2)";
  static constexpr Text limits =
      "Holds a load, but drifts a little with each wiggle of it. Stiff: relaxation rate sigma0 "
      "v/kinetic. Passive for sigma1 vd <= 9.3 kinetic; as published for sigma2 >= sigma1 "
      "(static/kinetic - 1).";

  double vd = kDerived;

  static constexpr auto fields() {
    using L = LuGre;
    return std::array{
        kinetic_field<L>(1e-6),
        static_field<L>(),
        sigma0_field(),
        sigma1_field(),
        sigma2_field(),
        speed_field<L>(&L::vs, "vs", "Stribeck speed: static friction decays around it"),
        speed_field<L>(&L::vd, "vd", "speed at which sigma1 fades; by default vs"),
        reference_load_field()};
  }
  static constexpr auto flags() {
    using L = LuGre;
    return std::array{
        Flag<L>{&L::as_published, "as_published",
                "sigma1 constant and no term in N': a varying load can create energy"}};
  }
  static constexpr std::array samples{
      BristleSample{1e-3, 100, 5e-7, 0, -11.72037881, 5.776812017e-4},
      BristleSample{0.1, 100, 1e-6, 0, -10, 0}};

  [[nodiscard]] std::string conflict() const {
    const std::string why = BristleBase::conflict();
    return why.empty() ? active_with(fading_speed()) : why;
  }
  [[nodiscard]] double bound(double speed) const {
    const double fade = speed / fading_speed();
    return bound_with(scaled(sigma1) * (as_published ? 1 : std::exp(-(fade * fade))), speed);
  }
  template <class T>
  BristleRate<T, states> evaluate(const Slip<T>& slip, const T& load_rate,
                                  const BristleState<T, states>& z) const {
    using std::exp;
    const T N = slip.normal_force, v = length_of(slip.velocity), fade = v / fading_speed();
    const double s0 = scaled(sigma0);
    const T s1 = as_published ? T(scaled(sigma1)) : T(scaled(sigma1) * exp(-(fade * fade)));
    const Vec3T<T> w = slip.velocity - z * T(s0 * v / level(v));
    const Vec3T<T> bent = z * T(s0) + w * s1 + slip.velocity * T(scaled(sigma2));
    return {bent * T(-N), w - z * relief(N, load_rate)};
  }

 private:
  [[nodiscard]] double fading_speed() const { return std::isnan(vd) ? vs : vd; }
};

}  // namespace freeplay::laws
