// SPDX-License-Identifier: Apache-2.0
#include "unit/dynamics/impulse_checks.hpp"

namespace freeplay::testing {
namespace {

// Regular, redundant, with masses of 1 to 9 million, between walls that nearly face each other, and
// with friction that presses: what is solved meets the laws and adds no energy. Newton's law of
// restitution may leave no answer, then all bounce less.
TEST(ImpulseProblemTest, RandomProblemsMeetTheLaws) {
  std::mt19937 random(11);
  Tally tally;
  for (int trial = 0; trial < 630 && !HasFailure(); ++trial) {
    const RandomImpulses::Draw draw = nth_draw(trial, 3, -1);
    RandomImpulses one(random, draw);
    SCOPED_TRACE(::testing::Message() << name_of(draw.family) << ", trial " << trial);
    check_impulses(one, draw.family, tally);
  }
  report("drawn restitution", tally);
  EXPECT_LE(tally.unsolved, 630 / 100);
}

// Where nothing bounces and nothing is driven there always are impulses: bodies may stop.
TEST(ImpulseProblemTest, WithoutBounceThereIsAlwaysAnAnswer) {
  std::mt19937 random(12);
  Tally tally;
  for (int trial = 0; trial < 630 && !HasFailure(); ++trial) {
    const RandomImpulses::Draw draw = nth_draw(trial, 3, 0);
    RandomImpulses one(random, draw);
    SCOPED_TRACE(::testing::Message() << name_of(draw.family) << ", trial " << trial);
    check_impulses(one, draw.family, tally);
  }
  report("no restitution", tally);
  EXPECT_LE(tally.unsolved, 630 / 100);
  EXPECT_EQ(tally.lessened, 0);
}

}  // namespace
}  // namespace freeplay::testing
