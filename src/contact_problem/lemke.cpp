// SPDX-License-Identifier: Apache-2.0
#include "contact_problem/lemke.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace freeplay::contact_problem {
namespace {

/// Less than this is no pivot, in a problem scaled to entries of one.
constexpr double kPivot = 1e-9;
/// Variables may be negative by this much, for the sake of larger pivots (Harris 1973).
constexpr double kLoose = 1e-12;
/// The right side is raised by about this, each row by something else, so that no two ratios tie.
constexpr double kNudge = 1e-9;
constexpr double kGolden = 0.6180339887498949;
/// Pivots per unknown; a handful is common. chosen
constexpr int kMost = 50;

/// The rows of w - A z - d z0 = q, kept solved for the variables of the basis. Columns: w, z, z0,
/// right side.
class Tableau {
 public:
  Tableau(const MatX& A, const VecX& q) : A_(A), q_(q), n_(static_cast<int>(q.size())) {
    rows_ = Rows::Zero(n_, 2 * n_ + 2);
    rows_.leftCols(n_).setIdentity();
    rows_.middleCols(n_, n_) = -A;
    rows_.col(artificial()).setConstant(-1);
    rows_.col(right()) = q;
    double spread = 0;
    for (int i = 0; i < n_; ++i) {
      basis_.push_back(i);
      spread = std::fmod(spread + kGolden, 1.0);
      rows_(i, right()) += kNudge * (0.5 + spread);
    }
  }

  Complementarity run() {
    Complementarity out;
    int row = 0;
    if (rows_.col(right()).minCoeff(&row) >= 0) return finish(out);
    // z0 comes in for the worst of all: with it, everything is feasible.
    int entering = exchange(row, artificial());
    for (int count = 0; count < kMost * (n_ + 1); ++count) {
      row = leaving(entering);
      if (row < 0) return end_in_ray(out, entering);
      const bool done = basis_[row] == artificial();
      entering = exchange(row, entering);
      if (done) return finish(out);
    }
    return out;
  }

 private:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  [[nodiscard]] int artificial() const { return 2 * n_; }
  [[nodiscard]] int right() const { return 2 * n_ + 1; }
  [[nodiscard]] int partner(int variable) const {
    return variable < n_ ? variable + n_ : variable - n_;
  }

  /// The row whose variable reaches zero first as one enters; -1: none ever does. Among those that
  /// do at nearly the same time z0, which is the end, or else the one with the largest pivot.
  [[nodiscard]] int leaving(int entering) const {
    double longest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < n_; ++i)
      if (rows_(i, entering) > kPivot)
        longest = std::min(longest, (rows_(i, right()) + kLoose) / rows_(i, entering));
    int out = -1;
    for (int i = 0; i < n_; ++i) {
      const double pivot = rows_(i, entering);
      if (!(pivot > kPivot) || rows_(i, right()) > longest * pivot) continue;
      if (basis_[i] == artificial()) return i;
      if (out < 0 || pivot > rows_(out, entering)) out = i;
    }
    return out;
  }

  /// Returns what has to enter next: the partner of what left.
  int exchange(int row, int entering) {
    rows_.row(row) /= rows_(row, entering);
    for (int i = 0; i < n_; ++i) {
      const double factor = rows_(i, entering);
      if (i == row || factor == 0) continue;
      rows_.row(i) -= factor * rows_.row(row);
      rows_(i, entering) = 0;
    }
    const int left = std::exchange(basis_[row], entering);
    return left == artificial() ? left : partner(left);
  }

  Complementarity finish(Complementarity& out) const {
    out.end = Complementarity::End::solved;
    out.z = VecX::Zero(n_);
    std::vector<int> rests;
    for (const int variable : basis_)
      if (variable >= n_ && variable < artificial()) rests.push_back(variable - n_);
    // What is not at zero, from the numbers as they were given.
    const MatX A = A_(rests, rests);
    const VecX q = q_(rests);
    const Eigen::PartialPivLU<MatX> factors(A);
    VecX z = factors.solve(-q);
    z -= factors.solve(A * z + q);
    out.z(rests) = z;
    return out;
  }

  Complementarity end_in_ray(Complementarity& out, int entering) const {
    out.end = Complementarity::End::ray;
    out.z = VecX::Zero(n_);
    const auto set = [&](int variable, double value) {
      if (variable >= n_ && variable < artificial()) out.z[variable - n_] = std::max(0.0, value);
    };
    for (int i = 0; i < n_; ++i) set(basis_[i], -rows_(i, entering));
    set(entering, 1);
    return out;
  }

  const MatX& A_;
  const VecX& q_;
  int n_;
  Rows rows_;
  std::vector<int> basis_;
};

}  // namespace

Complementarity solve_by_pivoting(const MatX& A, const VecX& q) { return Tableau(A, q).run(); }

}  // namespace freeplay::contact_problem
