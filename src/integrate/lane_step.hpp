// SPDX-License-Identifier: Apache-2.0
#pragma once

// One trial step of DOP853 in every lane at once, each with its own length and clock: the stages,
// the result and what its errors are, in the operations of Dop853::attempt() (dop853.cpp).
//
// The numbers of a component lie side by side, one of each lane. Plain pointers only: the source
// file is compiled for AVX2, and must not share functions with others (dop853_rows.hpp).
namespace freeplay::integrate {

struct LaneStep {
  static constexpr int kWidth = 4;  // lanes
  static constexpr int kSlopes = 13;

  // Of the problem, in components: those that others depend on, of which so many move (the others
  // are integrals), all of them, and all with the places that fill up to a multiple of kUnit.
  long moving = 0, motion = 0, size = 0, room = 0;

  // Each lane.
  double x[kWidth], width[kWidth];  ///< where its step begins and how long it is, by its clock
  double origin[kWidth];            ///< of the clock
  double root[kWidth];              ///< 1 where that is the root of time since then, 0: time
  double tolerance[kWidth], energy[kWidth];  ///< to which its errors are relative
  double fifth[kWidth], third[kWidth];       ///< squares of its errors against orders 5 and 3

  // Each component of each lane.
  double* from;   ///< the state at the beginning
  double* scale;  ///< to which errors of what moves are relative besides its size
  double* zero;
  double* slope[kSlopes];  ///< along the clock; that of the beginning is given
  double *stage, *to, *weight, *error;

  /// f(t, y) in all lanes; returns the bits of lanes where it cannot be had.
  unsigned (*evaluate)(void* problem, const double* t, const double* y, double* f) = nullptr;
  void* problem = nullptr;

  /// Takes the step; returns the bits of lanes where it could not be evaluated.
  unsigned take();
};

}  // namespace freeplay::integrate
