// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

// What every peer is given by hand, since none of them has it: the ball in its socket,
// papers/marques_2017 (Lankarani-Nikravesh with K of external curvature, tanh friction), and the
// row of the table.
namespace peers {

constexpr double kSocket = 10e-3, kBall = 9.8e-3, kPlay = kSocket - kBall;  // m

inline double stiffness() {  // N/m^1.5
  const double flexibility = (1 - 0.3 * 0.3) / 207e9;
  return 4 / (3 * 2 * flexibility) * std::sqrt(kSocket * kBall / (kSocket + kBall));
}

/// Touching or not, and the approach speed of the last touch.
struct Mode {
  bool touching = false, friction = true;
  double approach = 1;
};

/// Force on the ball and the point where it acts (V: any vector of three with + - * and dot()).
/// `speed_at(q)` is the velocity of the ball's material at q relative to the socket's.
template <class V, class Dot, class Speed>
bool push_on_ball(const V& socket, const V& ball, const Mode& mode, const Dot& dot,
                  const Speed& speed_at, V& force, V& place) {
  static const double k = stiffness();
  const V e = ball - socket;
  const double distance = std::sqrt(dot(e, e)), depth = distance - kPlay;
  if (!mode.touching || depth <= 0) return false;
  const V normal = e * (1 / distance);
  place = socket + normal * (kSocket + 0.5 * depth);
  const V relative = speed_at(place);
  const double rate = dot(relative, normal);
  const double load = std::max(
      0.0, k * depth * std::sqrt(depth) * (1 + 0.75 * (1 - 0.9 * 0.9) * rate / mode.approach));
  force = normal * (-load);
  if (mode.friction) {
    const V slip = relative - normal * rate;
    const double speed = std::sqrt(dot(slip, slip));
    if (speed > 0) force = force - slip * (0.1 * load * std::tanh(speed / 1e-3) / speed);
  }
  return true;
}

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline void print_row(const char* name, const char* who, const char* setting, double value,
                      double cpu, long evaluations) {
  std::printf("row\t%s\t%s\t%s\t%.15g\t%.6g\t%ld\n", name, who, setting, value, cpu, evaluations);
  std::fflush(stdout);
}

}  // namespace peers
