// SPDX-License-Identifier: Apache-2.0
#include "sim/locate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

// Event location on functions of time whose zeros are known, without a mechanism behind them.
namespace freeplay::sim {
namespace {

/// A depth and its rate, m and m/s.
struct Gap {
  std::function<double(double)> depth, rate;
};

/// Depths of a mechanism that measures a metre, and a memory of which of them touch.
class Gaps final : public dynamics::System {
 public:
  Gaps(const Model& model, std::vector<Gap> gaps) : System(model, "gaps"), gaps_(std::move(gaps)) {}
  int event_count() const override { return static_cast<int>(gaps_.size()); }
  void event_values(double t, const double*, const double*, double* g) override {
    ++looks;
    for (std::size_t k = 0; k < gaps_.size(); ++k) g[k] = gaps_[k].depth(t);
  }
  bool event_rates(double t, const double* y, const double* memory, double* g,
                   double* rate) override {
    if (!rates_known) return System::event_rates(t, y, memory, g, rate);
    event_values(t, y, memory, g);
    for (std::size_t k = 0; k < gaps_.size(); ++k) rate[k] = gaps_[k].rate(t);
    return true;
  }
  dynamics::EventTrait event_trait(int which, const double* memory) const override {
    return {memory[which] != 0 ? 1 : -1, 1.0, play};
  }
  bool apply_event(int which, bool upward, State& state) override {
    state.memory[static_cast<std::size_t>(which)] = upward ? 1 : 0;
    return false;
  }

  void prepare(const State&) override {}
  bool derivative(double, const double*, const double*, double*) override { return false; }
  bool jacobian(double, const double*, const double*, MatX&) override { return false; }
  bool project(double, double*, const double*) override { return true; }
  double violation(double, const double*, const double*) override { return 0; }
  void accept(State&) override {}
  bool snapshot(const State&, dynamics::Snapshot&) override { return false; }
  std::string culprit() const override { return {}; }

  bool rates_known = true;
  double play = 0;
  int looks = 0;

 private:
  std::vector<Gap> gaps_;
};

struct Seen {
  double time;
  int which;
  bool upward;
  int event;  ///< crossings of one event share its number
};

Model with_tolerance(double tolerance) {
  Model model;
  model.simulation.tolerance = tolerance;
  return model;
}

/// Steps of length h from t0 to t1, ended by events as a run ends them.
std::vector<Seen> march(Gaps& gaps, double t0, double t1, double h) {
  State state;
  state.time = t0;
  state.y = VecX::Zero(1);
  state.memory.assign(static_cast<std::size_t>(gaps.event_count()), 0.0);
  Locator locator(gaps, true);
  locator.restart(state);
  std::vector<Seen> seen;
  for (int event = 0; state.time < t1;) {
    const double next = std::min(t1, state.time + h);
    const Found* found = locator.first(state.time, next, state.memory, state.y, -1,
                                       [](double, VecX& y) { y = VecX::Zero(1); });
    state.time = found ? found->time : next;
    if (!found) continue;
    locator.gather(state);
    for (const auto& list : {found->crossings, found->together})
      for (const Crossing& c : list) {
        seen.push_back({state.time, c.which, c.upward, event});
        gaps.apply_event(c.which, c.upward, state);
      }
    locator.restart(state);
    ++event;
    if (seen.size() > 10000) break;
  }
  return seen;
}

/// Through zero at `when` with `speed`, curved on either side.
Gap crossing(double when, double speed, double bend, double twist) {
  return {[=](double t) {
            const double x = t - when;
            return x * (speed + x * (bend + x * twist));
          },
          [=](double t) {
            const double x = t - when;
            return speed + x * (2 * bend + x * 3 * twist);
          }};
}

TEST(LocatorTest, TouchesThatComeTogetherAreAllFound) {
  std::mt19937 random(14);
  std::uniform_real_distribution<double> part(0, 1), sign(-1, 1);
  int alone = 0;
  for (int pair = 0; pair < 10000; ++pair) {
    const double tolerance = std::pow(10, -6 - 5 * part(random));
    const double apart = std::array{0.0, 1e-12, 1e-9}[static_cast<std::size_t>(pair % 3)];
    const double when = 0.05 + 0.1 * part(random), h = 0.02 * (0.1 + part(random));
    const auto gap = [&](double at) {
      const double speed = std::pow(10, -3 * part(random));
      // Curved, but monotone over the two steps that follow.
      return crossing(at, speed, 0.4 * sign(random) * speed / h / 10,
                      speed / (h * h) / 100 * part(random));
    };
    const bool swap = part(random) < 0.5;
    const Gap first = gap(when), second = gap(when + apart);
    const Model model = with_tolerance(tolerance);
    Gaps gaps(model, swap ? std::vector{second, first} : std::vector{first, second});
    const auto seen = march(gaps, when - 2 * h * part(random), when + h, h);
    ASSERT_EQ(seen.size(), 2u) << "pair " << pair;
    for (const Seen& s : seen) {
      EXPECT_TRUE(s.upward);
      const double root = (s.which == 0) != swap ? when : when + apart;
      // One event: at the earlier root, to the depth that is not worth finding.
      const double early = root - s.time;
      EXPECT_GE(early, -1e-15) << "pair " << pair;
      EXPECT_LE(early, 1.1e-3 * tolerance / 1e-3) << "pair " << pair;
    }
    if (apart == 0) {
      EXPECT_EQ(seen[0].event, seen[1].event) << "pair " << pair;
    }
    alone += seen[0].event != seen[1].event;
  }
  EXPECT_GT(alone, 1000);  // what is a nanosecond apart is told apart where the tolerance can
}

TEST(LocatorTest, ThreeRootsInOneStepAreThreeEvents) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(0, 1);
  const Model model = with_tolerance(1e-8);
  for (int trial = 0; trial < 1000; ++trial) {
    std::array<double, 3> r{part(random), part(random), part(random)};
    std::sort(r.begin(), r.end());
    const double size = std::pow(10, -6 * part(random));
    // Not worth finding when it is shallower than this between two of them.
    if ((r[1] - r[0]) * (r[1] - r[0]) * (r[2] - r[0]) * size < 1e-9) continue;
    if ((r[2] - r[1]) * (r[2] - r[1]) * (r[2] - r[0]) * size < 1e-9) continue;
    Gaps gaps(model, {{[=](double t) { return size * (t - r[0]) * (t - r[1]) * (t - r[2]); },
                       [=](double t) {
                         return size * ((t - r[1]) * (t - r[2]) + (t - r[0]) * (t - r[2]) +
                                        (t - r[0]) * (t - r[1]));
                       }}});
    const auto seen = march(gaps, -0.01, 1.01, 1.02);
    ASSERT_EQ(seen.size(), 3u) << "trial " << trial;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(seen[k].time, r[k], 1e-9) << "trial " << trial;
      EXPECT_EQ(seen[k].upward, k != 1);
    }
  }
}

// A vibration that just reaches its wall: from 100 tolerances deep on none may be missed, and
// nothing may be found where it stays short of the wall. Steps up to two radians, as DOP853 takes
// them at loose tolerances.
TEST(LocatorTest, SixteenGrazesInARowAreSixteenTouches) {
  std::mt19937 random(16);
  std::uniform_real_distribution<double> part(0, 1);
  for (const double tolerance : {1e-6, 1e-8, 1e-11})
    for (const double radians : {0.3, 1.0, 2.0})
      for (int trial = 0; trial < 20; ++trial) {
        const double amplitude = 0.01, depth = 100 * tolerance * (trial % 2 ? 1 : -1);
        const double phase = 2 * M_PI * part(random);
        const Gap gap{[=](double t) { return amplitude * (std::cos(t + phase) - 1) + depth; },
                      [=](double t) { return -amplitude * std::sin(t + phase); }};
        const Model model = with_tolerance(tolerance);
        Gaps gaps(model, {gap});
        // From trough to trough, sixteen crests.
        const auto seen = march(gaps, M_PI - phase, M_PI - phase + 32 * M_PI, radians);
        if (depth < 0) {
          EXPECT_TRUE(seen.empty()) << tolerance << " " << radians;
          continue;
        }
        ASSERT_EQ(seen.size(), 32u) << tolerance << " " << radians << " " << trial;
        const double half = std::acos(1 - depth / amplitude);
        for (int k = 0; k < 32; ++k)
          EXPECT_NEAR(seen[static_cast<std::size_t>(k)].time + phase,
                      2 * M_PI * (k / 2 + 1) + (k % 2 ? half : -half), 1e-9 * half + 1e-13);
      }
}

// Three vibrations of any phase against a fine look at all of it.
TEST(LocatorTest, NothingIsMissedThatAFineLookSees) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(0, 1);
  const Model model = with_tolerance(1e-8);
  int total = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::array<double, 3> a, w, p;
    for (std::size_t i = 0; i < 3; ++i) {
      a[i] = part(random);
      w[i] = 0.2 + 1.8 * part(random);  // up to two radians a step
      p[i] = 2 * M_PI * part(random);
    }
    const double level = (a[0] + a[1] + a[2]) * part(random);
    const Gap gap{[=](double t) {
                    double g = -level;
                    for (std::size_t i = 0; i < 3; ++i) g += a[i] * std::sin(w[i] * t + p[i]);
                    return g;
                  },
                  [=](double t) {
                    double r = 0;
                    for (std::size_t i = 0; i < 3; ++i)
                      r += a[i] * w[i] * std::cos(w[i] * t + p[i]);
                    return r;
                  }};
    Gaps gaps(model, {gap});
    constexpr double kStart = 0, kEnd = 60, kFine = 1e-3;
    // Crossings of excursions deeper than 100 tolerances; a start in contact is none.
    std::vector<double> roots;
    bool touching = gap.depth(kStart) > 0;
    for (double t = kStart; t < kEnd; t += kFine) {
      const double now = gap.depth(t + kFine);
      if ((now > 0) != touching) roots.push_back(t), touching = now > 0;
    }
    if (gap.depth(kStart) > 0) continue;
    const auto seen = march(gaps, kStart, kEnd, 1);
    total += static_cast<int>(roots.size());
    for (const double root : roots)
      EXPECT_TRUE(std::any_of(seen.begin(), seen.end(),
                              [&](const Seen& s) { return std::abs(s.time - root) < 2 * kFine; }))
          << "trial " << trial << ", at " << root;
  }
  EXPECT_GT(total, 500);
}

TEST(LocatorTest, AStartOnTheWallIsOneJustBeforeIt) {
  const Model model = with_tolerance(1e-8);
  for (const double start : {-1e-12, -1e-15, 0.0, 1e-15, 1e-14}) {
    const auto from = [&](double speed, double pull) {
      Gaps moved(model, {{[=](double t) { return start + t * (speed + 0.5 * pull * t); },
                          [=](double t) { return speed + pull * t; }}});
      return march(moved, 0, 0.1, 0.01);
    };
    auto seen = from(0.3, -9.81);  // thrown against it: falls back after 0.061 s
    ASSERT_EQ(seen.size(), 2u) << start;
    EXPECT_TRUE(seen[0].upward);
    EXPECT_LT(seen[0].time, 1e-11) << start;
    seen = from(0, 9.81);  // laid there
    ASSERT_EQ(seen.size(), 1u) << start;
    EXPECT_LT(seen[0].time, 1e-6) << start;
    EXPECT_TRUE(from(0, -9.81).empty()) << start;  // drops off
    EXPECT_TRUE(from(-0.5, 0).empty()) << start;   // parts
    EXPECT_TRUE(from(0, 0).empty()) << start;      // stays
    seen = from(-0.05, 9.81);                      // parts, and comes back
    ASSERT_EQ(seen.size(), 1u) << start;
    EXPECT_NEAR(seen[0].time, 2 * 0.05 / 9.81, 1e-10) << start;
    // comes back within a small part of the step
    seen = from(-1e-6, 9.81);
    ASSERT_EQ(seen.size(), 1u) << start;
    EXPECT_LT(seen[0].time, 1e-6) << start;
  }
}

// One function for two walls: off the one at rest, across the slot and onto the other in one step.
TEST(LocatorTest, TheOtherWallOfASlotIsNotTakenForTheFirst) {
  const Model model = with_tolerance(1e-8);
  for (const double start : {-1e-15, 0.0, 1e-15})
    for (const double h : {0.021, 0.03, 0.1}) {
      const auto place = [=](double t) { return 1e-3 + start - 5 * t * t; };
      Gaps gaps(model, {{[=](double t) { return std::abs(place(t)) - 1e-3; },
                         [=](double t) { return place(t) > 0 ? -10 * t : 10 * t; }}});
      const auto seen = march(gaps, 0, h, h);
      ASSERT_EQ(seen.size(), 1u) << start << " " << h;
      EXPECT_NEAR(seen[0].time, 0.02, 1e-12) << start << " " << h;
    }
}

// Off one wall of a bearing, across it, out at the far side and back in, all within one step after
// an event: the ends of the step know nothing of it.
TEST(LocatorTest, AFlightAcrossTheBearingAndBackIsNotOverlooked) {
  const Model model = with_tolerance(1e-7);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> part(0, 1);
  for (int trial = 0; trial < 1000; ++trial) {
    constexpr double kPlay = 2.5e-4, kStep = 0.024;
    // Place x = c (1 - u s + w s^2) over the step, s from 0 to 1, beyond the far wall in between.
    const double u = 6 + 4 * part(random), w = u - 2 * part(random);
    const double lowest = 1 - u * u / (4 * w);
    const auto place = [=](double t) {
      const double s = t / kStep;
      return kPlay * (1 - u * s + w * s * s);
    };
    const auto speed = [=](double t) { return kPlay * (2 * w * t / kStep - u) / kStep; };
    Gaps gaps(model, {{[=](double t) { return std::abs(place(t)) - kPlay; },
                       [=](double t) { return place(t) > 0 ? speed(t) : -speed(t); }}});
    gaps.play = part(random) < 0.5 ? kPlay : 0;
    const auto seen = march(gaps, 0, kStep, kStep);
    if (lowest > -1.001) continue;
    const double first = kStep * (u - std::sqrt(u * u - 8 * w)) / (2 * w);  // 1 - u s + w s^2 = -1
    ASSERT_GE(seen.size(), 2u) << "trial " << trial << ": " << u << " " << w;
    EXPECT_NEAR(seen[0].time, first, 1e-9) << "trial " << trial;
  }
}

TEST(LocatorTest, MostStepsNeedNoLookInside) {
  const Model model = with_tolerance(1e-8);
  Gaps gaps(model, {{[](double t) { return 0.01 * std::cos(t) - 0.02; },
                     [](double t) { return -0.01 * std::sin(t); }}});
  EXPECT_TRUE(march(gaps, 0, 1000, 1).empty());
  EXPECT_LE(gaps.looks, 1001 + 10);
}

TEST(LocatorTest, WithoutRatesItLooksAtEighths) {
  const Model model = with_tolerance(1e-8);
  Gaps gaps(model,
            {{[](double t) { return std::cos(t) - std::cos(0.2); }, [](double) { return 0.0; }}});
  gaps.rates_known = false;
  const auto seen = march(gaps, -1, 20, 1.5);
  EXPECT_EQ(seen.size(), 8u);  // crests at 0, 6.3, 12.6, 18.8, each 0.4 rad wide
}

}  // namespace
}  // namespace freeplay::sim
