// SPDX-License-Identifier: Apache-2.0
#include "report/spectrum.hpp"

#include <unsupported/Eigen/FFT>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace freeplay::report {
namespace {

// Largest even length up to n without prime factors above 5; for others the transform is slow.
std::size_t smooth_length(std::size_t n) {
  std::size_t best = 0;
  for (std::size_t a = 2; a <= n; a *= 2)
    for (std::size_t b = a; b <= n; b *= 3)
      for (std::size_t c = b; c <= n; c *= 5) best = std::max(best, c);
  return best;
}

}  // namespace

Spectrum spectrum(std::span<const double> values, double dt, std::size_t lines) {
  Spectrum out;
  if (values.size() < 8 || !(dt > 0) || lines == 0) return out;
  const auto n = smooth_length(values.size());
  // Scaled by the largest value, so that even 1e300 does not overflow.
  double scale = 0;
  for (std::size_t i = 0; i < n; ++i) scale = std::max(scale, std::abs(values[i]));
  if (scale == 0) scale = 1;
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) mean += values[i] / scale;
  mean /= static_cast<double>(n);
  std::vector<double> windowed(n);
  for (std::size_t i = 0; i < n; ++i)
    windowed[i] = (values[i] / scale - mean) *
                  (0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) /
                                        static_cast<double>(n)));
  std::vector<std::complex<double>> transformed;
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  fft.fwd(transformed, windowed);

  // A line of amplitude A transforms to A n/2, halved again by the mean 1/2 of the window.
  const double norm = 4.0 / static_cast<double>(n);
  const double df = 1 / (static_cast<double>(n) * dt);
  const std::size_t count = n / 2;
  const std::size_t group = (count + lines - 1) / lines;
  for (std::size_t begin = 1; begin <= count; begin += group) {
    auto best = begin;
    for (auto k = begin; k < std::min(begin + group, count + 1); ++k)
      if (std::norm(transformed[k]) > std::norm(transformed[best])) best = k;
    out.frequency.push_back(static_cast<double>(best) * df);
    out.amplitude.push_back(norm * std::abs(transformed[best]) * scale);
  }
  out.samples = n;
  return out;
}

}  // namespace freeplay::report
