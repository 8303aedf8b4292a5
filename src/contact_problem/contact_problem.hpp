// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <vector>

// Everything that may part, stick or slip at one instant, decided together.
//
// The unknowns p are forces (or impulses) along the rows of all contacts and frictional joints
// concerned. They change the motion along these rows (accelerations, or velocities after an
// impulse) through the rest of the mechanism:
//
//     c = W p + b,     W symmetric, positive semi-definite.
//
//   unilateral   p >= 0,  c >= 0,  p c = 0: the contact presses, or it opens
//   friction     |p| <= mu N where c = 0,  p = -mu N c/|c| elsewhere (Coulomb), with
//                N = fixed + p[normal] + |reaction + response p|: a given load, the force of a
//                unilateral contact, the reaction of a joint
//   sliding      friction of what slips already: p = -mu N d, with d known
//
// At rest the larger coefficient counts: what cannot be held by it slides with the smaller one, and
// everything is decided anew with that. Solved by Newton's method on the projection form of these
// conditions (Alart & Curnier 1991), which is piecewise smooth; where that gets stuck, sweeps of
// block Gauss-Seidel (Jean 1999) find the right pieces for it.
namespace freeplay::contact_problem {

struct Contact {
  enum class Kind { unilateral, friction };
  Kind kind = Kind::friction;
  int row = 0, count = 1;           ///< its unknowns; friction has 1 to 3
  double at_rest = 0, sliding = 0;  ///< coefficients of friction
  bool slides = false;              ///< it slips already, in this direction
  Vec3 direction = Vec3::Zero();    ///< unit vector, in its own components

  // Where the load comes from.
  double fixed = 0;              ///< N
  int normal = -1;               ///< unknown that is the load; -1: none
  Vec3 reaction = Vec3::Zero();  ///< of a joint, with all unknowns zero; N
  MatX response;                 ///< how the reaction changes with the unknowns; empty: not at all
};

struct Problem {
  MatX W;
  VecX b;
  std::vector<Contact> elements;
};

enum class Mode { open, closed, stick, slip };

struct Solution {
  bool solved = false;
  int culprit = -1;        ///< the element whose conditions cannot be met, when not solved
  double residual = 0;     ///< of the conditions, relative to the largest force at play
  bool redundant = false;  ///< the forces are not unique; these are the least ones
  VecX force, motion;      ///< p and c
  std::vector<Mode> mode;
  std::vector<Vec3> direction;  ///< of the slip, for elements that slip
};

/// How long to look: `brief` leaves out what takes long where there may be no answer at all.
enum class Search { brief, thorough };

[[nodiscard]] Solution solve(const Problem& problem, Search search = Search::thorough);

}  // namespace freeplay::contact_problem
