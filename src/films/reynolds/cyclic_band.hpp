// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

// The linear systems of a film on a ring: blocks of `width` unknowns (one line along the axis) in a
// circle, each coupled to its two neighbours. The last block is kept as a border of an otherwise
// banded matrix, so that closing the ring costs a factor of four in the worst case, and nothing
// when the last block stands alone (a groove, or a line without oil).
//
// Elimination without pivoting: the matrices are diagonally dominant by rows or by columns.
namespace freeplay::films {

class CyclicBand {
 public:
  void resize(int blocks, int width);
  /// Sets everything to zero. `bordered`: the last block is coupled to others.
  void clear(bool bordered);

  [[nodiscard]] int size() const { return blocks_ * width_; }
  /// Adds to the coefficient of unknown `column` in equation `row`; they lie in the same block or
  /// in neighbouring ones.
  void add(int row, int column, double value) {
    const int first = banded_;
    if (row < first && column < first) {
      band_[static_cast<std::size_t>(row) * stride_ +
            static_cast<std::size_t>(column - row + width_)] += value;
    } else if (row < first) {
      column_[static_cast<std::size_t>(row) * w_ + static_cast<std::size_t>(column - first)] +=
          value;
    } else if (column < first) {
      row_[static_cast<std::size_t>(column) * w_ + static_cast<std::size_t>(row - first)] += value;
    } else {
      corner_[static_cast<std::size_t>(row - first) * w_ +
              static_cast<std::size_t>(column - first)] += value;
    }
  }

  /// False if a pivot vanishes.
  [[nodiscard]] bool factor();
  /// Solves for K right-hand sides at once, x[i * K + k], in place.
  template <int K>
  void solve(double* x) const;

 private:
  int blocks_ = 0, width_ = 0, banded_ = 0;
  std::size_t w_ = 0, stride_ = 0;
  bool bordered_ = true;
  std::vector<double> band_;    // banded_ x (2 width + 1)
  std::vector<double> column_;  // banded_ x width: last block of unknowns
  std::vector<double> row_;     // banded_ x width: last block of equations, transposed
  std::vector<double> corner_;  // width x width
};

}  // namespace freeplay::films
