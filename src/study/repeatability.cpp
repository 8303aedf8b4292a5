// SPDX-License-Identifier: Apache-2.0
#include "study/repeatability.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace freeplay::study {

Repeatability repeatability(std::span<const double> extremes) {
  Repeatability out;
  const auto n = static_cast<double>(extremes.size());
  if (extremes.empty()) return out;
  out.mean = std::accumulate(extremes.begin(), extremes.end(), 0.0) / n;
  const auto [low, high] = std::ranges::minmax(extremes);
  out.range = high - low;
  double square = 0;
  for (double y : extremes) square += (y - out.mean) * (y - out.mean);
  if (extremes.size() > 1) out.standard_deviation = std::sqrt(square / (n - 1));
  out.six_sigma = 6 * out.standard_deviation;
  return out;
}

void Extremes::consider(double candidate) {
  best_ = any_ ? std::min(best_, candidate) : candidate;
  any_ = true;
}

void Extremes::add(double time, double value) {
  const double y = sign_ * value;
  if (count_ > 0 && time <= t_[2]) {  // an event stored twice at one instant
    y_[2] = y;
    consider(y);
    return;
  }
  for (int i = 0; i < 2; ++i) t_[i] = t_[i + 1], y_[i] = y_[i + 1];
  t_[2] = time;
  y_[2] = y;
  count_ = std::min(count_ + 1, 3);
  consider(y);
  if (count_ < 3 || y_[1] > y_[0] || y_[1] > y_[2]) return;
  // Vertex of the parabola through three points at any distance (Newton's divided differences).
  const double d01 = (y_[1] - y_[0]) / (t_[1] - t_[0]), d12 = (y_[2] - y_[1]) / (t_[2] - t_[1]);
  const double curvature = (d12 - d01) / (t_[2] - t_[0]);
  if (curvature <= 0) return;
  const double t = 0.5 * (t_[0] + t_[1]) - 0.5 * d01 / curvature;
  consider(y_[0] + d01 * (t - t_[0]) + curvature * (t - t_[0]) * (t - t_[1]));
}

double Extremes::end_turn() {
  const double out = sign_ * best_;
  any_ = false;
  if (count_ > 0) consider(y_[2]);
  return out;
}

}  // namespace freeplay::study
