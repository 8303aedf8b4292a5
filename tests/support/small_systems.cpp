// SPDX-License-Identifier: Apache-2.0
#include "support/small_systems.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace freeplay::study {
namespace {

/// Gram-Schmidt on k vectors of n numbers, one behind the other; the logarithms of the lengths they
/// had. Twice, since once leaves round-off in nearly parallel ones.
void orthonormalise(double* vectors, int n, int k, double* logarithms) {
  for (int i = 0; i < k; ++i) {
    double* v = vectors + i * n;
    for (int pass = 0; pass < 2; ++pass)
      for (int j = 0; j < i; ++j) {
        const double* w = vectors + j * n;
        const double along = std::inner_product(v, v + n, w, 0.0);
        for (int c = 0; c < n; ++c) v[c] -= along * w[c];
      }
    const double length = std::sqrt(std::inner_product(v, v + n, v, 0.0));
    logarithms[i] = std::log(length);
    for (int c = 0; c < n; ++c) v[c] /= length;
  }
}

void append(Points& points, const VecX& x) {
  points.values.insert(points.values.end(), x.data(), x.data() + x.size());
}

}  // namespace

Lyapunov lyapunov_spectrum(const Map& map, const VecX& x0, const LyapunovSettings& s) {
  const int n = map.size, k = s.count > 0 ? std::min(s.count, n) : n;
  VecX x = x0, next(n);
  std::vector<double> J(static_cast<std::size_t>(n * n)), logs(static_cast<std::size_t>(k));
  std::vector<double> deviations(static_cast<std::size_t>(n * k), 0.0), moved = deviations;
  for (int i = 0; i < k; ++i) deviations[static_cast<std::size_t>(i * n + i)] = 1;
  const auto transient = static_cast<long long>(s.transient);
  const auto interval = std::max<long long>(1, static_cast<long long>(s.interval));
  const auto rounds = static_cast<long long>(s.length) / interval;
  for (long long i = 0; i < transient; ++i) {
    map.step(x.data(), next.data());
    x.swap(next);
  }
  StretchingAverage average(k, static_cast<double>(interval), s.blocks, rounds);
  for (long long round = 0; round < rounds; ++round) {
    for (long long i = 0; i < interval; ++i) {
      map.jacobian(x.data(), J.data());
      for (int v = 0; v < k; ++v)
        for (int r = 0; r < n; ++r) {
          double sum = 0;
          for (int c = 0; c < n; ++c)
            sum += J[static_cast<std::size_t>(r * n + c)] *
                   deviations[static_cast<std::size_t>(v * n + c)];
          moved[static_cast<std::size_t>(v * n + r)] = sum;
        }
      deviations.swap(moved);
      map.step(x.data(), next.data());
      x.swap(next);
    }
    orthonormalise(deviations.data(), n, k, logs.data());
    average.add(logs.data());
  }
  return average.result();
}

Lyapunov lyapunov_spectrum(const Flow& flow, const VecX& x, const LyapunovSettings& s) {
  const int n = flow.size, k = s.count > 0 ? std::min(s.count, n) : n;
  std::vector<double> logs(static_cast<std::size_t>(k));
  Trajectory trajectory(flow, 0, x, k);
  const auto rounds = static_cast<long long>(std::llround(s.length / s.interval));
  // The transient also turns the deviations into their directions.
  const auto warm_up = static_cast<long long>(std::llround(s.transient / s.interval));
  StretchingAverage average(k, s.interval, s.blocks, rounds);
  for (long long round = -warm_up; round < rounds; ++round) {
    trajectory.advance(static_cast<double>(round + warm_up + 1) * s.interval, s.step);
    orthonormalise(trajectory.deviation(0), n, k, logs.data());
    if (round >= 0) average.add(logs.data());
  }
  Lyapunov out = average.result();
  out.grazings = trajectory.grazing_count();
  return out;
}

Lyapunov two_trajectory(const VecX& x0, const TwoTrajectory& s) {
  VecX x = x0, y = x0;
  for (long long k = 0; k < s.transient; ++k) s.advance(x, k);
  // Any direction will do: it turns into the most unstable one.
  y = x + VecX::Constant(x.size(), s.distance / std::sqrt(static_cast<double>(x.size())));
  StretchingAverage average(1, s.interval, s.blocks, s.count);
  for (long long k = 0; k < s.count; ++k) {
    s.advance(x, s.transient + k);
    s.advance(y, s.transient + k);
    const double d = (y - x).norm();
    // Motions that became the same to the last bit have contracted at least that much.
    const double logarithm = std::log(std::max(d, 1e-300) / s.distance);
    average.add(&logarithm);
    if (d > 0)
      y = x + (s.distance / d) * (y - x);
    else
      y = x + VecX::Constant(x.size(), s.distance / std::sqrt(static_cast<double>(x.size())));
  }
  return average.result();
}

Points stroboscopic_section(const Flow& flow, const VecX& x, double period, double step,
                            int transient, int count) {
  Points out{flow.size, {}};
  Trajectory trajectory(flow, 0, x, 0);
  for (int k = 1; k <= transient + count; ++k) {
    trajectory.advance(k * period, step);
    if (k > transient) append(out, trajectory.state());
  }
  return out;
}

Points transversal_section(const Flow& flow, const VecX& x, const TransversalSection& s) {
  Points out{flow.size, {}};
  Trajectory trajectory(flow, 0, x, 0);
  trajectory.advance(s.transient, s.step);
  double before = s.section(trajectory.state());
  while (static_cast<int>(out.size()) < s.count && trajectory.time() < s.transient + s.give_up) {
    const double t0 = trajectory.time();
    const VecX x0 = trajectory.state();
    trajectory.advance(t0 + s.step, s.step);
    const double after = s.section(trajectory.state());
    if (before < 0 && after >= 0) {
      // Steps of trial length from the point before, so that the section is as exact as the motion.
      double low = 0, high = s.step;
      VecX at = trajectory.state();
      for (int k = 0; k < 200; ++k) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        Trajectory trial(flow, t0, x0, 0);
        trial.advance(t0 + middle, s.step);
        const VecX state = trial.state();
        if (s.section(state) >= 0) {
          high = middle;
          at = state;
        } else {
          low = middle;
        }
      }
      append(out, at);
    }
    before = after;
  }
  return out;
}

}  // namespace freeplay::study
