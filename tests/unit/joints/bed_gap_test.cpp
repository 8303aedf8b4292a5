// SPDX-License-Identifier: Apache-2.0
#include "joints/bed_gap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

// Stretches of a bed on worn surfaces, and the sum over them (theory/gaps (G.33) to (G.36)),
// against looks and sums so fine that nothing hides between them.
namespace freeplay::joints {
namespace {

constexpr int kSectors = 360;
constexpr double kSector = 2 * std::numbers::pi / kSectors;

/// A crescent that a journal has dug into its bearing, with a sharp end on either side and noise
/// about as deep as it is pressed in.
std::vector<double> crescent(double deepest, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> rough(0, noise);
  std::vector<double> out(kSectors, 0.0);
  const double e = 1e-4 + deepest;
  for (int k = 0; k < kSectors; ++k) {
    const double depth = e * std::cos(k * kSector) - 1e-4;
    if (depth > 0) out[static_cast<std::size_t>(k)] = depth + rough(random);
  }
  return out;
}

BedGap worn(const std::vector<double>& outer, const std::vector<double>& inner) {
  BedGap out;
  out.outer_radius = 10e-3;
  out.inner_radius = 9.9e-3;
  out.bearing = worn_outline(nullptr, out.outer_radius, outer, 1);
  if (!inner.empty()) out.journal = worn_outline(nullptr, out.inner_radius, inner, -1);
  out.prepare(kSectors);
  return out;
}

FlatView<double> view(double e, double angle, double turn) {
  FlatView<double> out;
  out.centre = {e * std::cos(angle), e * std::sin(angle)};
  out.turn = {std::cos(turn), std::sin(turn)};
  return out;
}

struct Pair {
  std::vector<double> outer, inner;
};
std::vector<Pair> surfaces() {
  std::vector<Pair> out;
  for (const double noise : {0.0, 2e-8, 2e-7}) {
    std::vector<double> flat(kSectors, 0.0);
    for (std::size_t k = 0; k < 9; ++k) flat[(k + 356) % kSectors] = 1e-6 + (k % 2 ? noise : 0);
    out.push_back({crescent(2e-5, noise, 3), {}});
    out.push_back({crescent(2e-5, noise, 5), flat});
  }
  return out;
}

TEST(BedGap, NoRiseAndNoGapIsTooNarrowToBeSeen) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(0, 1);
  int stretches = 0;
  for (const Pair& pair : surfaces()) {
    const BedGap gap = worn(pair.outer, pair.inner);
    for (int i = 0; i < 40; ++i) {
      const FlatView<double> at = view(1.2e-4 * (0.998 + 0.006 * share(random)),
                                       0.04 * (share(random) - 0.5), 6 * share(random));
      const BedGap::View now = gap.view_of(at);
      std::vector<double> ends, looked;
      gap.each_stretch(at, [&](double from, double to) { ends.insert(ends.end(), {from, to}); });
      const int looks = 20000;
      bool inside = false;
      for (int k = 0; k <= looks; ++k) {
        const double angle = -1 + 2.0 * k / looks;
        if ((gap.overlap(now, angle).depth > 0) == inside) continue;
        looked.push_back(angle - 1.0 / looks);
        inside = !inside;
      }
      stretches += static_cast<int>(looked.size()) / 2;
      // What is narrower than two looks may have been missed by them, never the other way round.
      std::size_t k = 0;
      for (const double end : looked) {
        while (k < ends.size() && std::abs(ends[k] - end) > 2.1 / looks) ++k;
        ASSERT_LT(k, ends.size()) << "crossing at " << end << " was not seen";
      }
      ASSERT_GE(ends.size(), looked.size());
      for (std::size_t j = 1; j < ends.size(); ++j) ASSERT_LE(ends[j - 1], ends[j]);
      for (std::size_t j = 0; j + 1 < ends.size(); j += 2)
        EXPECT_GE(gap.overlap(now, 0.5 * (ends[j] + ends[j + 1])).depth, -1e-12);
    }
  }
  EXPECT_GT(stretches, 400);  // many of them are in pieces
}

TEST(BedGap, TheSumIsThatOverEverythingThatIsPressed) {
  for (const Pair& pair : surfaces()) {
    const BedGap gap = worn(pair.outer, pair.inner);
    for (int i = 0; i < 20; ++i) {
      // Slowly over the places where stretches come and go.
      const FlatView<double> at = view(1.2e-4 + 1.1e-7, 3e-4 * i, 0.3 + 3e-4 * i);
      const BedGap::View now = gap.view_of(at);
      double found = 0, fine = 0;
      gap.each_node(at, [&](const BedGap::Ray& ray, double width) {
        found += std::max(0.0, gap.overlap(now, ray.angle).depth) * width;
      });
      const int looks = 100000;
      for (int k = 0; k < looks; ++k)
        fine += std::max(0.0, gap.overlap(now, -1 + 2 * (k + 0.5) / looks).depth) * 2 / looks;
      ASSERT_GT(fine, 0);
      // Panels end at the knots of the bearing; those of the journal lie inside, where the third
      // derivative of a zigzag of twice the elastic depth jumps by its height per sector cubed.
      EXPECT_NEAR(found / fine, 1, pair.inner.empty() ? 1e-6 : 2e-4) << i;
    }
  }
}

}  // namespace
}  // namespace freeplay::joints
