// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/tolerance.hpp>

#include <string>
#include <vector>

// What play lets a joint do, as sets of small displacements of its inner part: balls of one, two or
// three dimensions about nothing at all (theory/tolerance (T.2)).
namespace freeplay::analysis {

/// Numbers u with |u| <= radius, and what they do to the inner part of a joint or to a dimension.
struct PlaySet {
  int loose = 0;  ///< which Looseness it belongs to
  int first = 0;  ///< of its numbers among all of them
  int size = 1;   ///< how many
  double radius = 0;
  JointIndex joint{};
  Mat3 shift = Mat3::Zero();  ///< columns: displacement by each number, first frame of the joint
  Mat3 turn = Mat3::Zero();   ///< the same for its rotation vector; 1/m
  int dimension = -1;         ///< a dimension instead of a joint

  /// Variance of each number over radius^2 where all of the set, or of its surface, is as likely.
  [[nodiscard]] double variance(PlayedAt played) const;
};

struct PlaySets {
  std::vector<PlaySet> sets;
  std::vector<Looseness> loose;
  int numbers = 0;
};

/// Play of all joints, then the dimensions. Throws ModelError for play that it does not know.
[[nodiscard]] PlaySets play_sets(const Model& model, const std::vector<LooseDimension>& dimensions);

/// Moves the first frames of the joints so that their ideal versions hold the inner parts there.
void displace(const PlaySets& play, const VecX& u, Model& ideal);

}  // namespace freeplay::analysis
