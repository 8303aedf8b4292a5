// SPDX-License-Identifier: Apache-2.0
#include "sim/locate.hpp"

#include <cmath>
#include <limits>

// Events of a motion that follows another: what to look for, and about where, is known.
namespace freeplay::sim {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Of the reach: the first two points of the secant method. chosen
constexpr double kApart = 1e-3;
/// Two roundings of a time.
constexpr double kRounding = 4e-16;
/// Of the reach: from here on it is close. chosen
constexpr double kSettled = 1e-7;
/// The secant method ends after five; one that does not is lost. chosen
constexpr int kMostSecants = 40;
/// Crossings are one event while they lie no farther apart than this part of the reach. chosen
constexpr double kTogether = 1e-9;

}  // namespace

/// The zero of function k on its dense output, and just past it; NaN: there is none.
double Locator::zero_near(std::size_t k, double guess, double reach, const Dense& dense) const {
  const double least = kRounding * std::max(std::abs(guess), reach);
  double a = guess - kApart * reach, fa = dense.value(k, a), b = guess, fb = dense.value(k, b);
  double last = std::numeric_limits<double>::infinity();
  for (int n = 0; n < kMostSecants && fb != 0; ++n) {
    const double step = -fb * (b - a) / (fb - fa);
    // Corrections that fall no more are rounding.
    if (last <= kSettled * reach && !(std::abs(step) < 0.5 * last)) break;
    if (!(std::abs(b + step - guess) <= reach)) return kNaN;
    a = b, fa = fb;
    b += step, fb = dense.value(k, b);
    last = std::abs(step);
    if (last <= least) break;
  }
  // On the side where it has its new sign, which falls: f goes from + to -.
  for (double by = least; !(fb < 0); by *= 2) {
    if (b - guess > reach) return kNaN;
    b += by, fb = dense.value(k, b);
  }
  return b;
}

const Found* Locator::find(std::span<const Crossing> crossings, double guess, double reach,
                           const std::vector<double>& memory,
                           const std::function<void(double, VecX&)>& interpolate) {
  const Dense dense{*this, memory, interpolate};
  double earliest = std::numeric_limits<double>::infinity(), latest = -earliest;
  for (const Crossing& crossing : crossings) {
    const double t = zero_near(static_cast<std::size_t>(crossing.which), guess, reach, dense);
    if (std::isnan(t)) return nullptr;
    earliest = std::min(earliest, t);
    latest = std::max(latest, t);
  }
  if (latest - earliest > kTogether * reach) return nullptr;
  found_.time = latest;
  found_.crossings.assign(crossings.begin(), crossings.end());
  return &found_;
}

const Found* Locator::landed(const Crossing& crossing, double time) {
  found_.time = time;
  found_.crossings.assign(1, crossing);
  return &found_;
}

int Locator::strayed(double t, const VecX& end, const std::vector<double>& memory) {
  if (side_.empty()) return -1;
  std::vector<double>& g = probe_.value;
  system_.event_values(t, end.data(), memory.data(), g.data());
  int out = -1;
  for (std::size_t k = 0; k < side_.size(); ++k) {
    const double f = rounded(k, g[k]);
    if (beyond_[k] > 0) beyond_[k] = std::min(beyond_[k], std::max(0.0, -side_[k] * f));
    if (own(k, f) < -noise_[k]) out = static_cast<int>(k);
  }
  return out;
}

}  // namespace freeplay::sim
