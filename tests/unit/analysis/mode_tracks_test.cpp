// SPDX-License-Identifier: Apache-2.0
#include "analysis/mode_tracks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

// Modes followed over a speed, where it is known which is which.
namespace freeplay::analysis {
namespace {

Mode oscillation(double real, double imaginary) {
  Mode out;
  out.real = real;
  out.imaginary = imaginary;
  return out;
}

std::vector<double> speeds(int count) {
  std::vector<double> out;
  for (int k = 0; k < count; ++k) out.push_back(10.0 * k);
  return out;
}

TEST(ModeTracksTest, FollowThroughACrossing) {
  // A falling and a rising frequency cross at 200 rad/s; a real root stands in between.
  std::mt19937 random(3);
  const auto x = speeds(41);
  std::vector<std::vector<Mode>> modes;
  for (const double w : x) {
    modes.push_back(
        {oscillation(-1, 300 - 0.5 * w), oscillation(-2, 100 + 0.5 * w), oscillation(-200, 0)});
    std::shuffle(modes.back().begin(), modes.back().end(), random);
  }
  auto tracks = track_modes(modes, x);
  ASSERT_EQ(tracks.size(), 2);
  if (tracks[0].values[0].imag() < tracks[1].values[0].imag()) std::swap(tracks[0], tracks[1]);
  for (std::size_t k = 0; k < x.size(); ++k) {
    EXPECT_EQ(tracks[0].values[k], std::complex<double>(-1, 300 - 0.5 * x[k]));
    EXPECT_EQ(tracks[1].values[k], std::complex<double>(-2, 100 + 0.5 * x[k]));
  }
  // Once a turn: 300 - w/2 = w and 100 + w/2 = w, both at 200.
  const auto critical = critical_speeds(tracks, x);
  ASSERT_EQ(critical.size(), 2);
  for (const CriticalSpeed& c : critical) {
    EXPECT_NEAR(c.speed, 200, 1e-9);
    EXPECT_NEAR(c.damping, (c.track == 0 ? 1 : 2) / std::hypot(200, c.track == 0 ? 1 : 2), 1e-9);
  }
}

TEST(ModeTracksTest, BeginAndEndWhereModesDo) {
  const auto x = speeds(5);
  const std::vector<std::vector<Mode>> modes{{oscillation(-1, 50)},
                                             {oscillation(-1, 51), oscillation(-1, 500)},
                                             {oscillation(-1, 52), oscillation(-1, 505)},
                                             {},  // no equilibrium here
                                             {oscillation(-1, 54)}};
  const auto tracks = track_modes(modes, x);
  ASSERT_EQ(tracks.size(), 3);
  EXPECT_EQ(tracks[0].end(), 3);
  EXPECT_EQ(tracks[1].first, 1);
  EXPECT_EQ(tracks[2].first, 4);
  EXPECT_TRUE(critical_speeds(tracks, x).empty());
  EXPECT_TRUE(track_modes({}, {}).empty());
}

TEST(ModeTracksTest, WhatIsMoreThanHalfAwayIsAnotherMode) {
  // Natural frequency of a tuned pendulum, w^2 = 100 + x^2, with few values.
  const std::vector<double> x{0, 30, 60, 90, 120};
  std::vector<std::vector<Mode>> modes;
  for (const double v : x) modes.push_back({oscillation(0, std::hypot(10, v))});
  // 10, 31.6: more than half again, so the first one stands alone; then they follow each other.
  const auto tracks = track_modes(modes, x);
  ASSERT_EQ(tracks.size(), 2);
  EXPECT_EQ(tracks[1].values.size(), 4);
}

}  // namespace
}  // namespace freeplay::analysis
