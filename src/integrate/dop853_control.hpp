// SPDX-License-Identifier: Apache-2.0
#pragma once

// What steers the steps of dop853.cpp, and why they end.
namespace freeplay::integrate::dop853 {

/// What a step advances by equal parts of. Motion that is smooth in one clock has a root or a kink
/// in another, and no step of high order gets across one.
enum class Clock {
  time,
  root,    ///< sqrt(t - t0): after a touch, where Hertz's force grows with (t - t0)^1.5
  landing  ///< sqrt(g) down to zero, g the depth of a contact that parts: the step ends on the
           ///< separation itself (Henon 1982), and time is integrated along
};

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

inline constexpr const char *kNoSlopeAtStart =
                                "the motion cannot be evaluated at the start of the step",
                            *kNoStep = "the motion cannot be evaluated within the step";

}  // namespace freeplay::integrate::dop853
