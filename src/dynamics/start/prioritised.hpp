// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

// Linear equations in order of importance: each group is met as well as those before it leave room
// for, and what nobody asks for stays as small as possible. Dense, for the few times a start needs
// it.
namespace freeplay::dynamics {

class Prioritised {
 public:
  explicit Prioritised(Eigen::Index unknowns);

  /// Meets A x = b in the least-squares sense without touching what earlier groups decided. Rows
  /// count by their size: those of one group should be of one unit.
  void meet(const MatX& A, const VecX& b);
  [[nodiscard]] const VecX& x() const { return x_; }

 private:
  VecX x_;
  MatX free_;  // orthonormal columns: the directions nobody has decided on
};

}  // namespace freeplay::dynamics
