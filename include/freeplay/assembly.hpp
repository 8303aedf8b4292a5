// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>
#include <freeplay/state.hpp>

#include <string>
#include <vector>

// A consistent start of a mechanism.
namespace freeplay {

/// Where the mechanism stands before it moves, and what is known of it.
struct Assembly {
  State start;
  int bodies = 0;       ///< moving ones
  int coordinates = 0;  ///< velocity coordinates: 6 (or 3) per body
  int rows = 0;         ///< constraint rows, drives included
  int rank = 0;
  int freedom = 0;             ///< coordinates - rank
  double residual_before = 0;  ///< largest constraint violation of the poses as written; m or rad
  double residual_after = 0;
  double largest_move = 0;              ///< of a body's centre during assembly; m
  double largest_turn = 0;              ///< rad
  std::vector<std::string> redundant;   ///< "joint row" names that repeat what others already hold
  std::vector<std::string> not_unique;  ///< joints whose reactions are therefore not unique
  std::vector<std::string> notes;       ///< what was changed or assumed, for the user
};

/// Poses and velocities that satisfy every joint and drive, nearest to those of the model.
/// Throws AssemblyError when there are none.
[[nodiscard]] Assembly assemble(const Model& model);

}  // namespace freeplay
