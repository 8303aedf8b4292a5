// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"

#include <cmath>
#include <cstdint>

// Sine and cosine of one angle together. The angles of a mechanism are a few turns at most, never
// infinite, and rounding is to nearest: knowing that saves two thirds of what the C library needs
// (bench/micro/evaluate_bench.cpp), and every angle of every evaluation asks for it.
namespace freeplay {

/// The numbers of it, for who writes it out elsewhere (tape/program.cpp).
namespace turns {
// Beyond half a million quarter turns their number no longer fits the reduction.
inline constexpr double kLargest = 8e5;
// Adding and taking off 1.5 2^52 rounds to the nearest integer, which is in the lowest bits of the
// sum.
inline constexpr double kRound = 6755399441055744.0;
inline constexpr double kQuarters = 0.63661977236758134308;  // 2/pi
// pi/2 in three parts, the products with the first two exact (Cody & Waite 1980): its first 33
// bits, the next 33, the rest.
inline constexpr double kQuarter[] = {1.57079632673412561417e+00, 6.07710050630396597660e-11,
                                      2.02226624879595063154e-21};
// Minimax polynomials on [-pi/4, pi/4] with the coefficients of fdlibm (Sun, 1993).
inline constexpr double kSine[] = {1.66666666666666324348e-01,  8.33333333332248946124e-03,
                                   -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                                   -2.50507602534068634195e-08, 1.58969099521155010221e-10};
inline constexpr double kCosine[] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                     2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                     2.08757232129817482790e-09, -1.13596475577881948265e-11};
}  // namespace turns

/// Error below 1 ulp.
inline void sin_cos(double x, double& sine, double& cosine) {
  using namespace turns;
  if (!(std::abs(x) < kLargest)) {
    sine = std::sin(x);
    cosine = std::cos(x);
    return;
  }
  // x = k pi/2 + r + t, |r| <= pi/4
  const double quarters = (x * kQuarters + kRound) - kRound;
  const double a = x - quarters * kQuarter[0];
  const double b = quarters * kQuarter[1];
  const double c = quarters * kQuarter[2];
  const double high = a - b;
  const double low = ((a - high) - b) - c;
  const double r = high + low, t = (high - r) + low;
  // Summed in pairs, so that one half need not wait for the other.
  const double z = r * r, z2 = z * z;
  const double p = (kSine[1] + z * kSine[2]) + z2 * ((kSine[3] + z * kSine[4]) + z2 * kSine[5]);
  const double s = r - ((z * (0.5 * t - z * r * p) - t) + z * r * kSine[0]);
  const double q = z * ((kCosine[0] + z * kCosine[1]) +
                        z2 * ((kCosine[2] + z * kCosine[3]) + z2 * (kCosine[4] + z * kCosine[5])));
  const double half = 0.5 * z, w = 1 - half;
  const double co = w + (((1 - w) - half) + (z * q - r * t));
  switch (static_cast<std::int64_t>(quarters) & 3) {
    case 0:
      sine = s, cosine = co;
      break;
    case 1:
      sine = co, cosine = -s;
      break;
    case 2:
      sine = -s, cosine = -co;
      break;
    default:
      sine = -co, cosine = s;
  }
}

template <int N>
void sin_cos(const Dual<N>& x, Dual<N>& sine, Dual<N>& cosine) {
  double s = 0, c = 0;
  sin_cos(x.value, s, c);
  sine = {s, x.d * c};
  cosine = {c, x.d * -s};
}

}  // namespace freeplay
