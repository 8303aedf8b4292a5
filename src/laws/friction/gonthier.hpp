// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction/bristle.hpp"

namespace freeplay::laws {

/// Bristles that follow the motion while sticking (s = 1) and relax to kinetic friction while
/// sliding (s = 0), with a strength that grows with the time spent at rest: the fourth state is the
/// dwell variable. As published only the force saturates and z may wind up without bound in slow
/// sliding; by default its growth fades out over the last tenth below the deflection at which the
/// force saturates.
struct GonthierFriction : DampedBristle<GonthierFriction> {
  static constexpr int states = 4;
  static constexpr Text key = "gonthier";
  static constexpr Text title = "Gonthier";
  static constexpr Text cite = "Gonthier, McPhee, Lange & Piedboeuf 2004; load-scaled";
  static constexpr Text formula =
      "s = exp(-(v/vs)^2); w = s v + (1 - s) (kinetic/sigma0 v/|v| - z)/tb, tb = sigma1/sigma0; "
      "z' = w - max(N', 0)/N z; F = -N (sat(sigma0 z + sigma1 w, g) + sigma2 v); g = kinetic + "
      "(static - kinetic) q; q' = (s - q)/(dwell_time if s > q, else tb)";
  static constexpr Text limits =
      "Holds a load. Static friction builds up over dwell_time at rest. Needs sigma1 vs >= "
      "kinetic/2: below, sliding bends the bristles faster than the motion pays for, and energy "
      "is created.";

  double dwell_time = 1;

  static constexpr auto fields() {
    using L = GonthierFriction;
    return std::array{kinetic_field<L>(1e-6),
                      static_field<L>(),
                      sigma0_field(),
                      sigma1_field(1e-12),
                      sigma2_field(),
                      speed_field<L>(&L::vs, "vs", "between sticking and sliding"),
                      Field<L>{&L::dwell_time, "dwell_time", "s",
                               "in which static friction builds up", 1e-9, 1e9},
                      reference_load_field()};
  }
  static constexpr auto flags() {
    using L = GonthierFriction;
    return std::array{Flag<L>{&L::as_published, "as_published",
                              "z unbounded and no term in N': a varying load can create energy"}};
  }
  static constexpr std::array samples{
      BristleSample{2e-4, 100, 5e-7, 0.5, -11.27261876, 1.983576219e-4},
      BristleSample{2e-3, 100, 8e-7, 0.5, -11.12175144, 9.871844827e-5}};

  [[nodiscard]] std::string conflict() const {
    if (std::string why = BristleBase::conflict(); !why.empty()) return why;
    // Slide for about tb, return slowly: the gain vanishes at sigma1 vs = 0.3 kinetic (measured).
    if (as_published || scaled(sigma1) * vs >= 0.5 * kinetic) return {};
    return "so little sigma1 can create energy: keep sigma1 vs above kinetic/2, or set "
           "as_published";
  }
  /// The bristle part is cut at g, and g <= static since q stays in [0, 1]. At any speed: the dwell
  /// of a rest before outlasts it by tb.
  [[nodiscard]] double bound(double speed) const { return static_ + scaled(sigma2) * speed; }
  template <class T>
  BristleRate<T, states> evaluate(const Slip<T>& slip, const T& load_rate,
                                  const BristleState<T, states>& state) const {
    using std::exp;
    const T N = slip.normal_force, v = length_of(slip.velocity), x2 = v * v / (vs * vs),
            s = exp(-x2);
    const double s0 = scaled(sigma0), s1 = scaled(sigma1), tb = s1 / s0;
    const Vec3T<T> z = state.template head<3>();
    const T q = state[3], g = kinetic + (static_ - kinetic) * q;

    // Sticking carries z along.
    Vec3T<T> stick = slip.velocity * s;
    const T bend = length_of(z), full = s0 * bend / g,
            outward = z[0] * stick[0] + z[1] * stick[1] + z[2] * stick[2];
    if (!as_published && full > T(0.9) && outward > T(0))
      stick -= z * T((full < T(1) ? T(10.0 * (full - 0.9)) : T(1)) * outward / (bend * bend));

    // Sliding pulls it towards kinetic/sigma0 along v; (1 - s)/|v| is regular at rest.
    const T slid = v / (vs * vs) * decay_over(x2);
    const Vec3T<T> w =
        stick + slip.velocity * T(kinetic / (s0 * tb) * slid) - z * T((1.0 - s) / tb);

    Vec3T<T> bent = z * T(s0) + w * T(s1);
    if (const T size = length_of(bent); size > g) bent *= T(g / size);
    BristleRate<T, states> out;
    out.force = (bent + slip.velocity * T(scaled(sigma2))) * T(-N);
    out.rate.template head<3>() = w - z * relief(N, load_rate);
    out.rate[3] = (s - q) / (s > q ? dwell_time : tb);
    return out;
  }
};

}  // namespace freeplay::laws
