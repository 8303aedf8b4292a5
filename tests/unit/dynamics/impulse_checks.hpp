// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/random_impulses.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace freeplay::testing {

struct Tally {
  int problems = 0, unsolved = 0, lessened = 0;
};

/// Solves one problem. Its answer must meet the laws, and take energy; where there is none, that
/// must have been said.
inline void check_impulses(RandomImpulses& one, Family family, Tally& tally) {
  ++tally.problems;
  if (!one.solve()) {
    EXPECT_GT(one.tangents(), 0);  // without friction there is always one
    ++tally.unsolved;
    return;
  }
  EXPECT_LT(one.problem().residual(), 1e-12);
  // The solver weighs speeds by the inertia of what touches. Where that is a millionth of what
  // moves through the joint, they weigh more here.
  if (one.problem().lessened())
    ++tally.lessened;
  else
    EXPECT_LT(one.off(1), family == Family::unequal ? 1e-7 : 1e-10);
  // What loads press together in the step may give them back a little of their work: no impact.
  if (one.load() != 0) return;
  double opening = 0;  // nor are contacts that open already and are held back by others
  for (const auto& contact : one.problem().contacts())
    if (contact.before[0] > 0)
      opening += 0.5 * contact.impulse[0] * (contact.before[0] + contact.after[0]);
  EXPECT_LE(one.gain() - opening, 1e-9 * (1 + one.energy()));
}

/// Every family, frictionless, plane and in space, friction from 0.1 to 1.3.
inline RandomImpulses::Draw nth_draw(int trial, int largest, double restitution) {
  return {Family(trial % kFamilies),
          1 + (trial / 15) % largest,
          (trial / 5) % 3,
          0.1 + 0.2 * ((trial / 15 / largest) % 7),
          restitution,
          0.1};
}

inline void report(const char* what, const Tally& tally) {
  std::printf("%s: %d problems, %d bounced less, %d not solved\n", what, tally.problems,
              tally.lessened, tally.unsolved);
}

}  // namespace freeplay::testing
