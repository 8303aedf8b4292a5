// SPDX-License-Identifier: Apache-2.0
#include "films/roughness.hpp"

#include "films/film_integrals.hpp"

#include <algorithm>
#include <array>
#include <numbers>

namespace freeplay::films {
namespace {

constexpr double kLow = -6, kHigh = 8, kStep = 1.0 / 32;
constexpr int kNodes = static_cast<int>((kHigh - kLow) / kStep) + 1;

/// By Gauss quadrature in the root of s - H, which takes the half-integer power away.
double by_quadrature(double H, double power) {
  // The density has died away 9 beyond 0; for H > 0 the tail falls as exp(-H x).
  const double top = std::sqrt(std::max(9.5 - H, 6.0 / (1 + 0.1 * std::max(H, 0.0))));
  constexpr int kPanels = 8;
  double sum = 0;
  for (int panel = 0; panel < kPanels; ++panel)
    for (const GaussPoint& g : kGauss16) {
      const double t = top / kPanels * (panel + 0.5 * (1 + g.x)), x = t * t, s = H + x;
      sum += 0.5 * top / kPanels * g.weight * std::pow(x, power) * std::exp(-0.5 * s * s) * 2 * t;
    }
  return sum / std::sqrt(2 * std::numbers::pi);
}

struct Node {
  double log_value, slope;  // of ln F_5/2
};

const std::array<Node, kNodes>& table() {
  static const std::array<Node, kNodes> nodes = [] {
    std::array<Node, kNodes> out;
    for (int i = 0; i < kNodes; ++i) {
      const double H = kLow + i * kStep, f = by_quadrature(H, 2.5);
      out[static_cast<std::size_t>(i)] = {std::log(f), -2.5 * by_quadrature(H, 1.5) / f};
    }
    return out;
  }();
  return nodes;
}

/// ln F and its slope by cubic Hermite interpolation.
std::pair<double, double> interpolate(double H) {
  const double place = (H - kLow) / kStep;
  const int i = std::clamp(static_cast<int>(place), 0, kNodes - 2);
  const double t = place - i;
  const Node &a = table()[static_cast<std::size_t>(i)],
             &b = table()[static_cast<std::size_t>(i + 1)];
  const double da = a.slope * kStep, db = b.slope * kStep, rise = b.log_value - a.log_value;
  const double c2 = 3 * rise - 2 * da - db, c3 = da + db - 2 * rise;
  return {a.log_value + t * (da + t * (c2 + t * c3)), (da + t * (2 * c2 + 3 * t * c3)) / kStep};
}

}  // namespace

double shear_flow_factor(double H) {
  return H <= 5 ? 1.899 * std::pow(H, 0.98) * std::exp(-0.92 * H + 0.05 * H * H)
                : 1.126 * std::exp(-0.25 * H);
}

double asperity_integral(double H) {
  if (H >= kHigh) return 0;
  if (H < kLow) {
    // Moments of the normal distribution about H: |H|^2.5 (1 + 15/8 H^-2 - 15/128 H^-4 ...).
    const double x2 = H * H;
    return std::pow(-H, 2.5) * (1 + 15.0 / 8 / x2 - 15.0 / 128 / (x2 * x2));
  }
  return std::exp(interpolate(H).first);
}

double asperity_integral_slope(double H) {
  if (H >= kHigh) return 0;
  if (H < kLow) {
    const double x = -H;
    return -(2.5 * std::pow(x, 1.5) + 0.5 * 15.0 / 8 / std::sqrt(x) +
             1.5 * 15.0 / 128 * std::pow(x, -2.5));
  }
  const auto [log_value, slope] = interpolate(H);
  return slope * std::exp(log_value);
}

int Asperities::points_around(double clearance) const {
  // A multiple of four: what is pressed along an axis is pushed back along it, to the last bit.
  return 4 * std::max(16, static_cast<int>(4 * std::sqrt(clearance / roughness)) + 1);
}

}  // namespace freeplay::films
