// SPDX-License-Identifier: Apache-2.0
#include "study/spectrum.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

namespace freeplay::study {
namespace {

using std::numbers::pi;

TEST(SpectrumTest, TransformOfAnyLengthAgreesWithItsDefinition) {
  for (const std::size_t n : {1u, 2u, 7u, 16u, 30u, 97u}) {
    std::vector<std::complex<double>> x(n);
    for (std::size_t k = 0; k < n; ++k)
      x[k] = {std::sin(1.3 * static_cast<double>(k) + 0.2),
              std::cos(0.7 * static_cast<double>(k * k))};
    const auto fast = fourier(x);
    for (std::size_t k = 0; k < n; ++k) {
      std::complex<double> sum = 0;
      for (std::size_t j = 0; j < n; ++j)
        sum += x[j] *
               std::polar(1.0, -2 * pi * static_cast<double>(j * k % n) / static_cast<double>(n));
      EXPECT_LT(std::abs(fast[k] - sum), 1e-11) << n << " " << k;
    }
  }
}

std::vector<double> tone(double amplitude, double frequency, std::size_t n, double interval) {
  std::vector<double> out(n);
  for (std::size_t k = 0; k < n; ++k)
    out[k] = 3 + amplitude * std::sin(2 * pi * frequency * static_cast<double>(k) * interval + 0.4);
  return out;
}

TEST(SpectrumTest, SineShowsItsAmplitudeAtItsFrequency) {
  for (const Window window : {Window::none, Window::hann}) {
    const auto s = amplitude_spectrum(tone(0.7, 50, 1000, 1e-3), 1e-3, window);
    ASSERT_EQ(s.frequency.size(), 501u);
    EXPECT_NEAR(s.frequency[50], 50, 1e-12);
    EXPECT_NEAR(s.amplitude[50], 0.7, 1e-12);
    EXPECT_NEAR(s.amplitude[0], 0, 1e-12);  // the mean is gone
    EXPECT_NEAR(s.amplitude[60], 0, 1e-12);
  }
}

TEST(SpectrumTest, SpectrogramFollowsAChangingTone) {
  auto series = tone(1, 50, 1000, 1e-3);
  const auto later = tone(1, 120, 1000, 1e-3);
  series.insert(series.end(), later.begin(), later.end());
  const auto s = spectrogram(series, 1e-3, 500, 500);
  ASSERT_EQ(s.time.size(), 4u);
  EXPECT_NEAR(s.time[0], 0.25, 1e-12);
  const auto strongest = [&](std::size_t piece) {
    const auto begin =
        s.amplitude.begin() + static_cast<std::ptrdiff_t>(piece * s.frequency.size());
    return s.frequency[static_cast<std::size_t>(
        std::max_element(begin, begin + static_cast<std::ptrdiff_t>(s.frequency.size())) - begin)];
  };
  EXPECT_NEAR(strongest(0), 50, 1e-9);
  EXPECT_NEAR(strongest(3), 120, 1e-9);
}

}  // namespace
}  // namespace freeplay::study
