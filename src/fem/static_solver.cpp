// SPDX-License-Identifier: Apache-2.0
#include "fem/static_solver.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace freeplay::fem {

struct StaticSolver::Parts {
  Sparse K, supported;  // without and with springs to the ground at statically determinate places
  MatX A, R;
  Eigen::SimplicialLDLT<Sparse> factor;
  MatX X;                         // K_c^-1 A^T
  VecX row_scale;                 // of the border
  Eigen::FullPivLU<MatX> border;  // (FE.6)

  /// Six coordinates by which the rigid motions are known; as springs there they carry nothing
  /// when the loads are in equilibrium, so that what they hold is exact.
  void support() {
    supported = K;
    if (R.cols() == 0) return;
    const Eigen::ColPivHouseholderQR<MatX> qr(MatX(R.transpose()));
    const double stiff = K.diagonal().mean();
    Sparse springs(K.rows(), K.cols());
    for (Eigen::Index k = 0; k < R.cols(); ++k) {
      const int row = qr.colsPermutation().indices()[k];
      springs.insert(row, row) = stiff;
    }
    supported += springs;
  }

  void make_border() {
    const Eigen::Index c = A.rows(), r = R.cols();
    X.resize(K.rows(), c);
    for (Eigen::Index k = 0; k < c; ++k) X.col(k) = refined(A.row(k).transpose());
    MatX B = MatX::Zero(c + r, c + r);
    B.topLeftCorner(c, c) = A * X;
    B.topRightCorner(c, r) = -A * R;
    B.bottomLeftCorner(r, c) = (A * R).transpose();
    row_scale.resize(c + r);
    for (Eigen::Index k = 0; k < c + r; ++k) {
      row_scale[k] = 1 / B.row(k).cwiseAbs().maxCoeff();
      B.row(k) *= row_scale[k];
    }
    if (c + r > 0) border.compute(B);
  }

  [[nodiscard]] VecX refined(const VecX& b) const {
    VecX y = factor.solve(b);
    y += factor.solve(b - supported * y);
    return y;
  }
  /// From y = K_c^-1 b to u of (FE.5).
  [[nodiscard]] VecX hold(const VecX& y, const VecX& b, const VecX& d) const {
    const Eigen::Index c = A.rows(), r = R.cols();
    if (c == 0) return y;
    VecX right(c + r);
    right.head(c) = A * y - d;
    right.tail(r) = R.transpose() * b;
    const VecX both = border.solve(right.cwiseProduct(row_scale));
    return y - X * both.head(c) + R * both.tail(r);
  }
};

namespace {

/// M -> (K^-1 on what the conditions leave) for Spectra.
class Inverse {
 public:
  using Scalar = double;
  using Apply = std::function<VecX(const VecX&)>;
  Inverse(Eigen::Index size, Apply apply) : size_(size), apply_(std::move(apply)) {}
  [[nodiscard]] Eigen::Index rows() const { return size_; }
  [[nodiscard]] Eigen::Index cols() const { return size_; }
  void set_shift(const double&) {}
  void perform_op(const double* in, double* out) const {
    Eigen::Map<VecX>(out, size_) = apply_(Eigen::Map<const VecX>(in, size_));
  }

 private:
  Eigen::Index size_;
  Apply apply_;
};

}  // namespace

StaticSolver::StaticSolver(Sparse K, MatX A, MatX R) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.K = std::move(K), p.A = std::move(A), p.R = std::move(R);
  p.support();
  p.factor.compute(p.supported);
  if (!weakness()) p.make_border();
}
StaticSolver::~StaticSolver() = default;
StaticSolver::StaticSolver(StaticSolver&&) noexcept = default;

std::optional<StaticSolver::Weakness> StaticSolver::weakness() const {
  const Parts& p = *parts_;
  constexpr double kNothing = 1e-12;  // round-off of a pivot that should vanish is below 1e-14
  const VecX pivots = p.factor.vectorD(), diagonal = p.supported.diagonal();
  std::optional<Weakness> worst;
  for (Eigen::Index k = 0; k < pivots.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(p.factor.permutationPinv().indices()[k]);
    const double share = pivots[k] / std::abs(diagonal[row]);
    if (!(share > kNothing) && (!worst || share < worst->pivot))
      worst = Weakness{static_cast<int>(row), share};
  }
  return worst;
}

VecX StaticSolver::solve(const VecX& b, const VecX& d) const {
  return parts_->hold(parts_->refined(b), b, d);
}

double StaticSolver::imbalance(const VecX& u, const VecX& b) const {
  const Parts& p = *parts_;
  VecX rest = p.K * u - b;
  double scale = b.norm();
  if (p.A.rows() > 0) {
    const VecX reactions = p.A.transpose() * p.A.transpose().colPivHouseholderQr().solve(rest);
    scale += reactions.norm();
    rest -= reactions;
  }
  return scale > 0 ? rest.norm() / scale : rest.norm();
}

StaticSolver::Modes StaticSolver::modes(const Sparse& M, int number) const {
  Modes out;
  if (number == 0) {
    out.squares.resize(0);
    out.shapes.resize(M.rows(), 0);
    out.converged = true;
    return out;
  }
  const Parts& p = *parts_;
  const VecX none = VecX::Zero(p.A.rows());
  Inverse inverse(M.rows(), [&](const VecX& b) { return p.hold(p.factor.solve(b), b, none); });
  Spectra::SparseSymMatProd<double> mass(M);
  const int vectors = std::min(static_cast<int>(M.rows() - p.A.rows()), 2 * number + 10);
  Spectra::SymGEigsShiftSolver<Inverse, Spectra::SparseSymMatProd<double>,
                               Spectra::GEigsMode::ShiftInvert>
      solver(inverse, mass, number, vectors, 0.0);
  solver.init();
  constexpr int kRestarts = 1000;
  constexpr double kAccuracy = 1e-11;
  solver.compute(Spectra::SortRule::LargestMagn, kRestarts, kAccuracy,
                 Spectra::SortRule::SmallestAlge);
  out.converged = solver.info() == Spectra::CompInfo::Successful;
  if (!out.converged) return out;
  out.squares = solver.eigenvalues();
  out.shapes = solver.eigenvectors();
  for (Eigen::Index j = 0; j < out.shapes.cols(); ++j) {
    Eigen::Index largest = 0;
    out.shapes.col(j).cwiseAbs().maxCoeff(&largest);
    if (out.shapes(largest, j) < 0) out.shapes.col(j) *= -1;
  }
  return out;
}

}  // namespace freeplay::fem
