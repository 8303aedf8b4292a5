// SPDX-License-Identifier: Apache-2.0
#include "study/spectrum.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>

namespace freeplay::study {
namespace {

using Complex = std::complex<double>;

/// Cooley & Tukey 1965, in place, for powers of two.
void radix_2(std::vector<Complex>& x, bool inverse) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  std::vector<Complex> twiddle(n / 2);
  for (std::size_t k = 0; k < n / 2; ++k)
    twiddle[k] = std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(k) /
                                     static_cast<double>(n));
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t start = 0; start < n; start += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const Complex odd = x[start + k + half] * twiddle[k * (n / (2 * half))];
        x[start + k + half] = x[start + k] - odd;
        x[start + k] += odd;
      }
}

}  // namespace

std::vector<Complex> fourier(std::vector<Complex> x) {
  const std::size_t n = x.size();
  if (n <= 1) return x;
  if (std::has_single_bit(n)) {
    radix_2(x, false);
    return x;
  }
  // Bluestein 1970: jk = (j^2 + k^2 - (k-j)^2)/2 turns the transform into a convolution, which
  // powers of two can do.
  const std::size_t m = std::bit_ceil(2 * n - 1);
  std::vector<Complex> chirp(n), a(m), b(m);
  for (std::size_t k = 0; k < n; ++k) {
    // k^2 mod 2n before the angle, or large k would lose all their digits.
    const auto square = static_cast<double>(static_cast<std::uint64_t>(k) * k % (2 * n));
    chirp[k] = std::polar(1.0, -std::numbers::pi * square / static_cast<double>(n));
    a[k] = x[k] * chirp[k];
    b[k] = std::conj(chirp[k]);
    if (k > 0) b[m - k] = b[k];
  }
  radix_2(a, false);
  radix_2(b, false);
  for (std::size_t k = 0; k < m; ++k) a[k] *= b[k];
  radix_2(a, true);
  for (std::size_t k = 0; k < n; ++k) x[k] = a[k] * chirp[k] / static_cast<double>(m);
  return x;
}

Spectrum amplitude_spectrum(std::span<const double> samples, double interval, Window window) {
  Spectrum out;
  const std::size_t n = samples.size();
  if (n == 0) return out;
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(n);
  std::vector<Complex> x(n);
  double weights = 0;
  for (std::size_t k = 0; k < n; ++k) {
    // Periodic Hann: its copies join without a gap.
    const double w = window == Window::hann
                         ? 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(k) /
                                                static_cast<double>(n))
                         : 1.0;
    weights += w;
    x[k] = w * (samples[k] - mean);
  }
  x = fourier(std::move(x));
  for (std::size_t k = 0; k <= n / 2; ++k) {
    out.frequency.push_back(static_cast<double>(k) / (static_cast<double>(n) * interval));
    // The line at half the sampling rate has no mirror image.
    const double sides = k == 0 || 2 * k == n ? 1 : 2;
    out.amplitude.push_back(weights > 0 ? sides * std::abs(x[k]) / weights : 0);
  }
  return out;
}

Spectrogram spectrogram(std::span<const double> samples, double interval, std::size_t length,
                        std::size_t hop, Window window) {
  Spectrogram out;
  if (length == 0 || hop == 0) return out;
  for (std::size_t start = 0; start + length <= samples.size(); start += hop) {
    Spectrum piece = amplitude_spectrum(samples.subspan(start, length), interval, window);
    out.time.push_back((static_cast<double>(start) + 0.5 * static_cast<double>(length)) * interval);
    out.amplitude.insert(out.amplitude.end(), piece.amplitude.begin(), piece.amplitude.end());
    if (out.frequency.empty()) out.frequency = std::move(piece.frequency);
  }
  return out;
}

}  // namespace freeplay::study
