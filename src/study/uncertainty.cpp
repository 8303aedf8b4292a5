// SPDX-License-Identifier: Apache-2.0
#include "study/uncertainty.hpp"

#include "study/distribution.hpp"
#include "study/random.hpp"
#include "study/row_plan.hpp"

#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace freeplay::study {
namespace {

/// Between the order statistics (Hyndman & Fan 1996, type 7).
double quantile(const std::vector<double>& sorted, double u) {
  const double place = u * static_cast<double>(sorted.size() - 1);
  const auto k = static_cast<std::size_t>(place);
  if (k + 1 >= sorted.size()) return sorted.back();
  return sorted[k] + (place - static_cast<double>(k)) * (sorted[k + 1] - sorted[k]);
}

}  // namespace

Moments moments(std::vector<double> values, double confidence) {
  Moments out;
  if (values.empty()) return out;
  std::ranges::sort(values);  // sums then do not depend on the order either
  const auto n = static_cast<double>(values.size());
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double square = 0;
  for (double v : values) square += (v - out.mean) * (v - out.mean);
  out.standard_deviation = values.size() > 1 ? std::sqrt(square / (n - 1)) : 0;
  out.standard_error = out.standard_deviation / std::sqrt(n);
  const double z = normal_quantile(0.5 + 0.5 * confidence);
  out.mean_low = out.mean - z * out.standard_error;
  out.mean_high = out.mean + z * out.standard_error;
  out.least = values.front();
  out.greatest = values.back();
  out.median = quantile(values, 0.5);
  out.low = quantile(values, 0.5 - 0.5 * confidence);
  out.high = quantile(values, 0.5 + 0.5 * confidence);
  return out;
}

Share share(std::int64_t hits, std::int64_t samples, double confidence) {
  Share out;
  if (samples == 0) return out;
  const double rest = 0.5 * (1 - confidence);
  const auto k = static_cast<double>(hits), n = static_cast<double>(samples);
  out.value = k / n;
  out.low = hits == 0 ? 0 : boost::math::ibeta_inv(k, n - k + 1, rest);
  out.high = hits == samples ? 1 : boost::math::ibeta_inv(k + 1, n - k, 1 - rest);
  return out;
}

SobolIndices sobol_indices(std::span<const double> outputs, int variables,
                           std::span<const char> good, double confidence, std::uint64_t seed) {
  const auto d = static_cast<std::size_t>(variables), block = d + 2;
  std::vector<std::size_t> base;
  for (std::size_t j = 0; j < good.size(); ++j)
    if (good[j]) base.push_back(j);
  SobolIndices out;
  for (auto* v : {&out.first, &out.total, &out.first_error, &out.total_error}) v->assign(d, 0.0);
  if (base.size() < 2) return out;

  const auto indices = [&](std::span<const std::size_t> chosen, std::vector<double>& first,
                           std::vector<double>& total) {
    const auto n = static_cast<double>(chosen.size());
    double mean = 0, variance = 0;
    for (std::size_t j : chosen) mean += outputs[j * block] + outputs[j * block + 1];
    mean /= 2 * n;
    for (std::size_t j : chosen)
      for (std::size_t side = 0; side < 2; ++side)
        variance += std::pow(outputs[j * block + side] - mean, 2);
    variance /= 2 * n - 1;
    for (std::size_t i = 0; i < d; ++i) {
      double alone = 0, with = 0;
      for (std::size_t j : chosen) {
        const double a = outputs[j * block], b = outputs[j * block + 1],
                     ab = outputs[j * block + 2 + i];
        alone += (b - mean) * (ab - a);     // Saltelli et al. 2010, table 2 (b), centred
        with += 0.5 * (a - ab) * (a - ab);  // Jansen 1999, table 2 (f)
      }
      first[i] = variance > 0 ? alone / n / variance : 0;
      total[i] = variance > 0 ? with / n / variance : 0;
    }
  };
  indices(base, out.first, out.total);

  // Bootstrap over base points: how much the indices would have changed with other samples.
  constexpr int kReplicas = 200;
  std::vector<std::vector<double>> firsts(d), totals(d);
  std::vector<double> first(d), total(d);
  std::vector<std::size_t> chosen(base.size());
  for (std::uint32_t r = 0; r < kReplicas; ++r) {
    for (std::size_t j = 0; j < chosen.size(); ++j)
      chosen[j] = base[random_bits(seed, Purpose::bootstrap, j, r) % base.size()];
    indices(chosen, first, total);
    for (std::size_t i = 0; i < d; ++i) {
      firsts[i].push_back(first[i]);
      totals[i].push_back(total[i]);
    }
  }
  const double z = normal_quantile(0.5 + 0.5 * confidence);
  for (std::size_t i = 0; i < d; ++i) {
    out.first_error[i] = z * moments(firsts[i], confidence).standard_deviation;
    out.total_error[i] = z * moments(totals[i], confidence).standard_deviation;
  }
  return out;
}

// ---- Chebyshev

ChebyshevSurrogate::ChebyshevSurrogate(std::span<const double> values, int variables, int nodes)
    : d_(variables), m_(nodes), coefficients_(values.begin(), values.end()) {
  // One direction after the other: c_i = (2/m) sum_k f(xi_k) cos(i theta_k), halved for i = 0.
  const auto m = static_cast<std::size_t>(m_);
  std::vector<double> line(m);
  std::size_t stride = 1;
  for (int k = 0; k < d_; ++k, stride *= m)
    for (std::size_t start = 0; start < coefficients_.size(); ++start) {
      if (start / stride % m != 0) continue;
      for (std::size_t i = 0; i < m; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < m; ++j)
          sum += coefficients_[start + j * stride] *
                 std::cos(static_cast<double>(i) * (2 * static_cast<double>(j) + 1) *
                          std::numbers::pi / (2 * static_cast<double>(m)));
        line[i] = sum * (i == 0 ? 1.0 : 2.0) / static_cast<double>(m);
      }
      for (std::size_t i = 0; i < m; ++i) coefficients_[start + i * stride] = line[i];
    }
}

double ChebyshevSurrogate::operator()(std::span<const double> x) const {
  // Clenshaw in the fastest variable, then the next: each pass leaves m times fewer numbers.
  std::vector<double> c = coefficients_;
  const auto m = static_cast<std::size_t>(m_);
  for (int k = d_ - 1; k >= 0; --k) {
    const double at = x[static_cast<std::size_t>(k)];
    const std::size_t rest = c.size() / m;
    for (std::size_t r = 0; r < rest; ++r) {
      double b1 = 0, b2 = 0;
      for (std::size_t i = m; i-- > 1;) {
        const double b = c[r * m + i] + 2 * at * b1 - b2;
        b2 = b1;
        b1 = b;
      }
      c[r] = c[r * m] + at * b1 - b2;
    }
    c.resize(rest);
  }
  return c[0];
}

ChebyshevSurrogate::Bounds ChebyshevSurrogate::bounds() const {
  Bounds out;
  const auto d = static_cast<std::size_t>(d_), m = static_cast<std::size_t>(m_);
  out.outer_lower = out.outer_upper = coefficients_[0];
  for (std::size_t i = 1; i < coefficients_.size(); ++i) {
    out.outer_lower -= std::abs(coefficients_[i]);
    out.outer_upper += std::abs(coefficients_[i]);
    bool highest = false;
    for (std::size_t rest = i; rest > 0; rest /= m) highest = highest || rest % m == m - 1;
    if (highest) out.tail += std::abs(coefficients_[i]);
  }
  // A grid that includes the corners, then smaller and smaller steps around its best points.
  const int per_side = d_ == 1 ? 201 : d_ == 2 ? 41 : d_ == 3 ? 17 : 5;
  std::size_t total = 1;
  for (std::size_t k = 0; k < d; ++k) total *= static_cast<std::size_t>(per_side);
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> x(d), best(d, 0.0);
    double least = sign * (*this)(best);
    for (std::size_t index = 0; index < total; ++index) {
      std::size_t rest = index;
      for (std::size_t k = 0; k < d; ++k, rest /= static_cast<std::size_t>(per_side))
        x[k] = -1 + 2.0 * static_cast<double>(rest % static_cast<std::size_t>(per_side)) /
                        (per_side - 1);
      const double value = sign * (*this)(x);
      if (value < least) least = value, best = x;
    }
    for (double step = 2.0 / (per_side - 1); step > 1e-9; step *= 0.5)
      for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t k = 0; k < d; ++k)
          for (const double way : {-step, step}) {
            x = best;
            x[k] = std::clamp(x[k] + way, -1.0, 1.0);
            const double value = sign * (*this)(x);
            if (value < least) least = value, best = x, moved = true;
          }
      }
    (sign > 0 ? out.lower : out.upper) = sign * least;
    (sign > 0 ? out.lower_at : out.upper_at) = best;
  }
  return out;
}

}  // namespace freeplay::study
