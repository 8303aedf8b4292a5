// SPDX-License-Identifier: Apache-2.0
#include "study/lyapunov.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace freeplay::study {
double Lyapunov::sum() const { return std::accumulate(exponents.begin(), exponents.end(), 0.0); }

bool Lyapunov::chaotic() const {
  if (exponents.empty() || length <= 1) return false;
  return exponents[0] > 3 * standard_error[0] + std::log(length) / length;
}

StretchingAverage::StretchingAverage(int exponents, double interval, int blocks, long long expected)
    : exponents_(exponents),
      per_block_(std::max<long long>(1, expected / std::max(1, blocks))),
      interval_(interval),
      sum_(static_cast<std::size_t>(exponents), 0.0) {}

void StretchingAverage::add(const double* logarithms) {
  for (int i = 0; i < exponents_; ++i) sum_[static_cast<std::size_t>(i)] += logarithms[i];
  if (++in_block_ < per_block_) return;
  means_.push_back(sum_);
  for (double& s : means_.back()) s /= static_cast<double>(per_block_) * interval_;
  std::ranges::fill(sum_, 0.0);
  in_block_ = 0;
}

Lyapunov StretchingAverage::result() const {
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

}  // namespace freeplay::study
