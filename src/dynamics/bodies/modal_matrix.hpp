// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <algorithm>
#include <cmath>

// A matrix of modes by modes of which only a block is not zero: bending knows nothing of stretch,
// nor of bending across it, as long as the beam lies along an axis of its body.
namespace freeplay::dynamics {

class ModalMatrix {
 public:
  ModalMatrix() = default;
  ModalMatrix(const MatX& full) : size_(full.rows()) {  // NOLINT: every matrix is one
    // Of the largest entry: what integration by Gauss leaves of a zero.
    constexpr double kZero = 1e-14;
    const double least = full.size() > 0 ? kZero * full.cwiseAbs().maxCoeff() : 0;
    Eigen::Index row = full.rows(), column = full.cols(), row_end = 0, column_end = 0;
    for (Eigen::Index i = 0; i < full.rows(); ++i)
      for (Eigen::Index k = 0; k < full.cols(); ++k) {
        if (!(std::abs(full(i, k)) > least)) continue;
        row = std::min(row, i), row_end = i + 1;
        column = std::min(column, k), column_end = std::max(column_end, k + 1);
      }
    if (row_end == 0) return;
    row_ = row, column_ = column;
    block_ = full.block(row, column, row_end - row, column_end - column);
  }

  [[nodiscard]] Eigen::Index size() const { return size_; }
  /// The product with a vector, written out: scalars may differ.
  template <class V>
  [[nodiscard]] V times(const V& x) const {
    using T = typename V::Scalar;
    V out(size_);
    out.fill(T(0.0));
    for (Eigen::Index i = 0; i < block_.rows(); ++i) {
      T s(0.0);
      for (Eigen::Index k = 0; k < block_.cols(); ++k) s += block_(i, k) * x[column_ + k];
      out[row_ + i] = s;
    }
    return out;
  }

 private:
  Eigen::Index size_ = 0, row_ = 0, column_ = 0;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> block_;
};

}  // namespace freeplay::dynamics
