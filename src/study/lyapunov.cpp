// SPDX-License-Identifier: Apache-2.0
#include "study/lyapunov.hpp"

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

/// Sums of logarithms in blocks, from which mean and error follow.
class Blocks {
 public:
  Blocks(int exponents, int blocks, long long steps, double interval)
      : exponents_(exponents),
        per_block_(std::max<long long>(1, steps / std::max(1, blocks))),
        interval_(interval),
        sum_(static_cast<std::size_t>(exponents), 0.0) {}

  void add(const double* logarithms) {
    for (int i = 0; i < exponents_; ++i) sum_[static_cast<std::size_t>(i)] += logarithms[i];
    if (++in_block_ < per_block_) return;
    means_.push_back(sum_);
    for (double& s : means_.back()) s /= static_cast<double>(per_block_) * interval_;
    std::ranges::fill(sum_, 0.0);
    in_block_ = 0;
  }

  [[nodiscard]] Lyapunov result() const {
    Lyapunov out;
    const auto blocks = static_cast<double>(means_.size());
    out.length = blocks * static_cast<double>(per_block_) * interval_;
    for (int i = 0; i < exponents_; ++i) {
      double mean = 0, square = 0;
      for (std::size_t b = 0; b < means_.size(); ++b) {
        mean += means_[b][static_cast<std::size_t>(i)];
        if (i == 0) out.running.push_back(mean / static_cast<double>(b + 1));
      }
      mean /= blocks;
      for (const auto& m : means_) square += std::pow(m[static_cast<std::size_t>(i)] - mean, 2);
      out.exponents.push_back(mean);
      out.standard_error.push_back(blocks > 1 ? std::sqrt(square / (blocks - 1) / blocks) : 0.0);
    }
    return out;
  }

 private:
  int exponents_;
  long long per_block_, in_block_ = 0;
  double interval_;
  std::vector<double> sum_;
  std::vector<std::vector<double>> means_;
};

}  // namespace

double Lyapunov::sum() const { return std::accumulate(exponents.begin(), exponents.end(), 0.0); }

bool Lyapunov::chaotic() const {
  if (exponents.empty() || length <= 1) return false;
  return exponents[0] > 3 * standard_error[0] + std::log(length) / length;
}

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
  Blocks blocks(k, s.blocks, rounds, static_cast<double>(interval));
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
    blocks.add(logs.data());
  }
  return blocks.result();
}

Lyapunov lyapunov_spectrum(const Flow& flow, const VecX& x, const LyapunovSettings& s) {
  const int n = flow.size, k = s.count > 0 ? std::min(s.count, n) : n;
  std::vector<double> logs(static_cast<std::size_t>(k));
  Trajectory trajectory(flow, 0, x, k);
  const auto rounds = static_cast<long long>(std::llround(s.length / s.interval));
  // The transient also turns the deviations into their directions.
  const auto warm_up = static_cast<long long>(std::llround(s.transient / s.interval));
  Blocks blocks(k, s.blocks, rounds, s.interval);
  for (long long round = -warm_up; round < rounds; ++round) {
    trajectory.advance(static_cast<double>(round + warm_up + 1) * s.interval, s.step);
    orthonormalise(trajectory.deviation(0), n, k, logs.data());
    if (round >= 0) blocks.add(logs.data());
  }
  Lyapunov out = blocks.result();
  out.grazings = trajectory.grazing_count();
  return out;
}

Lyapunov two_trajectory(const VecX& x0, const TwoTrajectory& s) {
  VecX x = x0, y = x0;
  for (long long k = 0; k < s.transient; ++k) s.advance(x, k);
  // Any direction will do: it turns into the most unstable one.
  y = x + VecX::Constant(x.size(), s.distance / std::sqrt(static_cast<double>(x.size())));
  Blocks blocks(1, s.blocks, s.count, s.interval);
  for (long long k = 0; k < s.count; ++k) {
    s.advance(x, s.transient + k);
    s.advance(y, s.transient + k);
    const double d = (y - x).norm();
    // Motions that became the same to the last bit have contracted at least that much.
    const double logarithm = std::log(std::max(d, 1e-300) / s.distance);
    blocks.add(&logarithm);
    if (d > 0)
      y = x + (s.distance / d) * (y - x);
    else
      y = x + VecX::Constant(x.size(), s.distance / std::sqrt(static_cast<double>(x.size())));
  }
  return blocks.result();
}

StretchingAverage::StretchingAverage(double interval, int blocks, long long expected)
    : interval_(interval), per_block_(std::max<long long>(1, expected / std::max(1, blocks))) {}

void StretchingAverage::add(double logarithm) {
  if (count_ % per_block_ == 0) block_sums_.push_back(0);
  block_sums_.back() += logarithm;
  ++count_;
}

Lyapunov StretchingAverage::result() const {
  Blocks blocks(1, 1, 1, interval_ * static_cast<double>(per_block_));
  const auto whole = static_cast<std::size_t>(count_ / per_block_);
  for (std::size_t b = 0; b < whole; ++b) blocks.add(&block_sums_[b]);
  return blocks.result();
}

}  // namespace freeplay::study
