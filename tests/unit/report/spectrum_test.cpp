// SPDX-License-Identifier: Apache-2.0
#include "report/spectrum.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freeplay::report {
namespace {

std::vector<double> sine(std::size_t count, double dt, double amplitude, double hertz) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(7 +
                  amplitude * std::sin(2 * std::numbers::pi * hertz * static_cast<double>(i) * dt));
  return out;
}

TEST(SpectrumTest, ASineIsALineOfItsAmplitude) {
  const auto s = spectrum(sine(1000, 1e-3, 2.5, 50), 1e-3, 10000);
  EXPECT_EQ(s.samples, 1000U);
  const auto peak = std::max_element(s.amplitude.begin(), s.amplitude.end());
  EXPECT_NEAR(*peak, 2.5, 1e-9);
  EXPECT_NEAR(s.frequency[static_cast<std::size_t>(peak - s.amplitude.begin())], 50, 1e-9);
  EXPECT_NEAR(s.frequency.back(), 500, 1e-9);
  // Two lines away the Hann window has let go of it.
  EXPECT_LT(s.amplitude[52], 1e-9);
}

TEST(SpectrumTest, FewLinesKeepThePeak) {
  const auto s = spectrum(sine(60000, 1e-5, 3, 1234.5), 1e-5, 100);
  EXPECT_LE(s.frequency.size(), 100U);
  const auto peak = std::max_element(s.amplitude.begin(), s.amplitude.end());
  EXPECT_NEAR(*peak, 3, 0.5);  // between two lines the window loses at most 15 %
  EXPECT_NEAR(s.frequency[static_cast<std::size_t>(peak - s.amplitude.begin())], 1234.5, 2);
}

TEST(SpectrumTest, PrimeLengthsAreCutNotSlow) {
  const auto s = spectrum(std::vector<double>(200003, 1.0), 1e-5, 1000);
  EXPECT_EQ(s.samples, 200000U);
}

TEST(SpectrumTest, ShortConstantAndHugeSeries) {
  EXPECT_EQ(spectrum(std::vector<double>(7, 1.0), 1, 10).samples, 0U);
  EXPECT_EQ(spectrum(std::vector<double>(100, 1.0), 0, 10).samples, 0U);
  for (const double a : spectrum(std::vector<double>(100, 5.0), 1, 50).amplitude)
    EXPECT_LT(a, 1e-12);
  for (const double a : spectrum(sine(128, 0.01, 1e300, 10), 0.01, 50).amplitude)
    EXPECT_TRUE(std::isfinite(a));
}

}  // namespace
}  // namespace freeplay::report
