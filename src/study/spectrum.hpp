// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <span>
#include <vector>

// Series in frequency: Fourier transform, amplitude spectrum, spectrogram (physics 8.3).
namespace freeplay::study {

/// X_k = sum_j x_j exp(-2 pi i j k / n), for any length in O(n log n).
[[nodiscard]] std::vector<std::complex<double>> fourier(std::vector<std::complex<double>> x);

enum class Window { none, hann };

/// Single-sided amplitudes: a sine of amplitude a that fits the record (or, with a window, lies on
/// a line) shows as a.
struct Spectrum {
  std::vector<double> frequency;  ///< Hz, from 0
  std::vector<double> amplitude;  ///< unit of the series
};
/// The mean is removed first. `interval` between the samples; s.
[[nodiscard]] Spectrum amplitude_spectrum(std::span<const double> samples, double interval,
                                          Window window = Window::hann);

/// Amplitude spectra of pieces of the series, one row for each.
struct Spectrogram {
  std::vector<double> time;       ///< middle of each piece from the first sample; s
  std::vector<double> frequency;  ///< Hz
  std::vector<double> amplitude;  ///< row by row: time.size() x frequency.size()
};
[[nodiscard]] Spectrogram spectrogram(std::span<const double> samples, double interval,
                                      std::size_t length, std::size_t hop,
                                      Window window = Window::hann);

}  // namespace freeplay::study
