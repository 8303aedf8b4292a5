// SPDX-License-Identifier: Apache-2.0
#include "unit/dynamics/impulse_checks.hpp"

// The same as in impulse_problem_test.cpp, thousands of times.
namespace freeplay::testing {
namespace {

TEST(ManyImpulses, TenThousandProblemsMeetTheLawsOrSayThatTheyDoNot) {
  std::mt19937 random(21);
  Tally tally;
  for (int trial = 0; trial < 10000 && !HasFailure(); ++trial) {
    const RandomImpulses::Draw draw = nth_draw(trial, 4, -1);
    RandomImpulses one(random, draw);
    SCOPED_TRACE(::testing::Message() << name_of(draw.family) << ", trial " << trial);
    check_impulses(one, draw.family, tally);
  }
  report("ten thousand", tally);
  EXPECT_LE(tally.unsolved, 100);
}

TEST(ManyImpulses, EnergyNeverRisesInAHundredThousandFrictionalImpacts) {
  std::mt19937 random(22);
  Tally tally;
  for (int trial = 0; trial < 100000 && !HasFailure(); ++trial) {
    const Family family = trial % 2 == 0 ? Family::regular : Family::redundant;
    RandomImpulses one(
        random, {family, 1 + trial % 3, 1 + (trial / 3) % 2, 0.1 + 0.1 * (trial % 7), -1, 0});
    check_impulses(one, family, tally);
  }
  report("a hundred thousand", tally);
  EXPECT_LE(tally.unsolved, 10);
}

}  // namespace
}  // namespace freeplay::testing
