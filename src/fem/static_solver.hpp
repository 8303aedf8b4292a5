// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fem/matrices.hpp"

#include <memory>
#include <optional>

// The one file that knows sparse factorisation and Spectra, which take a minute to compile.
namespace freeplay::fem {

/// A part whose faces are held in the mean by conditions A u = d, and whose other coordinates give
/// way to loads b:
///
///   K u = b - A^T lambda,   A u = d (FE.5)
///
/// K may leave the rigid motions R free, as long as the conditions do not; or R has no columns.
class StaticSolver {
 public:
  StaticSolver(Sparse K, MatX A, MatX R);
  ~StaticSolver();
  StaticSolver(StaticSolver&&) noexcept;

  /// A coordinate that nothing holds: the part is a mechanism there, or worse.
  struct Weakness {
    int row;
    double pivot;  ///< of the factorisation, as a share of the diagonal of K
  };
  [[nodiscard]] std::optional<Weakness> weakness() const;

  [[nodiscard]] VecX solve(const VecX& b, const VecX& d) const;
  /// What of K u - b no reaction of the conditions carries, as a share of b and those reactions.
  [[nodiscard]] double imbalance(const VecX& u, const VecX& b) const;

  struct Modes {
    VecX squares;  ///< of the angular frequencies, ascending
    MatX shapes;   ///< M-orthonormal
    bool converged = false;
  };
  /// The lowest modes K x = w^2 M x - A^T lambda with A x = 0.
  [[nodiscard]] Modes modes(const Sparse& M, int number) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace freeplay::fem
