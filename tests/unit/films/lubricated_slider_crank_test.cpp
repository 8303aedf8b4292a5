// SPDX-License-Identifier: Apache-2.0
#include "films/journal/short_bearing.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

// Case G3 with nothing but the film law: a slider-crank of two degrees of freedom written out by
// hand, so that a mistake of the law cannot hide behind one of the engine.
namespace freeplay::films {
namespace {

constexpr double kCrank = 0.05, kRod = 0.12, kSpeed = 5000 * 2 * std::numbers::pi / 60;
constexpr double kRodMass = 0.21, kRodInertia = 2.5e-4, kSliderMass = 0.14, kClearance = 0.5e-3;

using Vector = std::array<double, 4>;  // rod angle, slider position, and their rates

struct Joint {
  FilmMotion<> motion;
  FilmForce<> force;
};

Joint joint_at(const ShortBearing& film, double t, const Vector& y) {
  const double th = kSpeed * t;
  Joint out;
  out.motion = {kCrank * std::cos(th) + kRod * std::cos(y[0]) - y[1],
                kCrank * std::sin(th) + kRod * std::sin(y[0]),
                -kCrank * kSpeed * std::sin(th) - kRod * y[2] * std::sin(y[0]) - y[3],
                kCrank * kSpeed * std::cos(th) + kRod * y[2] * std::cos(y[0]),
                0,
                y[2]};
  out.force = film.force(out.motion);
  return out;
}

Vector rate(const ShortBearing& film, double t, const Vector& y) {
  const FilmForce<> f = joint_at(film, t, y).force;
  const double th = kSpeed * t, a = -kCrank * kSpeed * kSpeed, half = 0.5 * kRod;
  const double ax = a * std::cos(th), ay = a * std::sin(th), c = std::cos(y[0]), s = std::sin(y[0]);
  // About the crank pin, which accelerates.
  const double moment = kRod * (c * f.fy - s * f.fx) - kRodMass * half * (c * ay - s * ax);
  return {y[2], y[3], moment / (kRodInertia + kRodMass * half * half), -f.fx / kSliderMass};
}

TEST(LubricatedSliderCrankTest, IsCaseG3) {
  ShortBearing film;
  film.viscosity = 0.4;
  film.prepare({.radius = 0.01, .clearance = kClearance, .length = 0.04});
  struct Row {
    double x, v, angle, ratio, force;
  };
  const std::array<Row, 6> table{
      {{0.16094419969, -17.80775071, -0.20922880501, 0.541314542, 2342.949716},
       {0.13725730981, -27.70662312, -0.36777619381, 0.644519458, 1017.937501},
       {0.10927970972, -26.68932963, -0.42818077304, 0.414973519, 806.126277},
       {0.08673685250, -17.77893998, -0.36915435195, 0.358193126, 1473.781915},
       {0.07379290072, -8.30990114, -0.21009712883, 0.536857109, 1256.094415},
       {0.06969126920, -0.03010739, -0.00002958268, 0.617502308, 1119.623163}}};
  Vector y{0, kCrank + kRod - 0.1 * kClearance, -kCrank * kSpeed / kRod, 0};
  const int per_row = 10000;
  const double h = 1e-3 / per_row;
  double largest = 0;
  for (int i = 0; i < 6 * per_row; ++i) {
    const double t = i * h;
    const auto moved = [&](const Vector& k, double by) {
      Vector out = y;
      for (std::size_t j = 0; j < 4; ++j) out[j] += by * k[j];
      return out;
    };
    const Vector k1 = rate(film, t, y), k2 = rate(film, t + 0.5 * h, moved(k1, 0.5 * h));
    const Vector k3 = rate(film, t + 0.5 * h, moved(k2, 0.5 * h));
    const Vector k4 = rate(film, t + h, moved(k3, h));
    for (std::size_t j = 0; j < 4; ++j) y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    const Joint joint = joint_at(film, t + h, y);
    const double ratio = std::hypot(joint.motion.ex, joint.motion.ey) / kClearance;
    largest = std::max(largest, ratio);
    if ((i + 1) % per_row != 0) continue;
    const Row& r = table[static_cast<std::size_t>((i + 1) / per_row - 1)];
    EXPECT_NEAR(y[1], r.x, 6e-12);
    EXPECT_NEAR(y[3], r.v, 6e-9);
    EXPECT_NEAR(y[0], r.angle, 6e-12);
    EXPECT_NEAR(ratio, r.ratio, 6e-10);
    EXPECT_NEAR(std::hypot(joint.force.fx, joint.force.fy), r.force, 6e-7);
  }
  EXPECT_NEAR(largest, 0.64945530, 6e-9);
}

}  // namespace
}  // namespace freeplay::films
