// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

// The numbers that steer the steps of dop853.cpp.
namespace freeplay::integrate::dop853 {

// Share of the tolerance that one step aims at: local errors add up over a run. chosen: 0.2
// costs 1.2x the evaluations and keeps the error of the reference cases within a few tolerances.
inline constexpr double kShare = 0.2;
// What a step may use of that aim before it is repeated. chosen on the slider-crank with sixteen
// clearances: contacts vibrate and errors jump, a step repeated costs as much as the next one, and
// 3 saves 7 % of the evaluations over 1 at the same error.
inline constexpr double kMost = 3;
// Caution with the first step after an event, which is remembered from the last event of its kind.
inline constexpr double kFirst = 0.81;  // chosen likewise

// A contact that parts within this share of the next step is landed on; one within kShy of it is
// approached by half. chosen on the slider-crank of verification/cases G: a landing that is refused
// costs as much as a step.
inline constexpr double kReach = 0.5, kShy = 1.5;
// Contacts vibrate: where a phase of that makes the error look small, the next step meets the rest.
// chosen on one turn of the slider-crank with sixteen clearances (`yardsticks`): 1.3 costs 2 % more
// evaluations at three times the error, 1.05 and 1.1 cost 1 to 3 % more.
inline constexpr double kGrowth = 1.15;

// Controllers of steps see no smaller error: below it the step grows by its largest factor anyway.
inline constexpr double kLeastError = 1e-12;
// What the PI controller remembers at least of the error before, so that one lucky step does not
// hold up the next (Hairer, Norsett, Wanner 1993, dop853.f: FACOLD).
inline constexpr double kLeastErrorBefore = 1e-4;
// An expected event closer than this share of a step is not worth landing on: the force there is
// round-off.
inline constexpr double kWorthLanding = 1e-6;
// What a landing leaves may be put right along the motion by this share of its step; beyond, the
// landing has failed. chosen
inline constexpr double kLandingError = 1e-3;
// Two roundings of a time.
inline constexpr double kRounding = 4e-16;
// Differences in the landing polynomial, over a step of length 1: the root of round-off or more,
// and when Newton's method has arrived.
inline constexpr double kDifference = 1e-6, kArrived = 1e-15;

// The first step (Hairer, Norsett, Wanner 1993, section II.4): norms in units of the tolerance that
// are too small to say anything, and then a step relative to the way ahead.
inline constexpr double kNoScale = 1e-5, kNoSlope = 1e-15, kBlindStep = 1e-6;
// It is no shorter than this share of the way ahead: a start that is zero but for round-off says
// nothing of the scale of the motion.
inline constexpr double kShortestFirst = 1e-9;
// Where the motion cannot be evaluated after it, or nothing changes, a thousandth of it.
inline constexpr double kMoreCareful = 1e-3;

// Vectors have room for a multiple of this many numbers, so that no loop over them has a rest.
inline constexpr Eigen::Index kLane = 4;

}  // namespace freeplay::integrate::dop853
