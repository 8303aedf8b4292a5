// SPDX-License-Identifier: Apache-2.0
#include "contact_problem/facets.hpp"

#include "contact_problem/lemke.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::contact_problem {
namespace {

using Kind = Contact::Kind;

/// The unknowns of the complementarity problem as forces, p = S z, and what friction is limited by:
///
///     z = (p_N; per element the shares beta of its corners and its slip lambda)
///     0 <= c_N,      0 <= D^T c + lambda,      0 <= mu N - sum beta
class Facets {
 public:
  Facets(const Problem& problem, const MatX& W, const VecX& b, const std::vector<double>& mu,
         const std::vector<Corners>& corners)
      : problem_(problem), corners_(corners), mu_(mu) {
    const auto rows = W.rows();
    int size = 0;
    for (std::size_t e = 0; e < mu.size(); ++e) {
      first_.push_back(size);
      const Contact& element = problem.elements[e];
      if (!element.slides)
        size += element.kind == Kind::unilateral ? 1 : static_cast<int>(corners[e].size()) + 1;
    }
    spread_ = MatX::Zero(rows, size);
    given_ = VecX::Zero(rows);
    scale_ = VecX::Ones(size);
    for (std::size_t e = 0; e < mu.size(); ++e) spread(e, W);
    lay(W, W * given_ + b);
  }

  FacetAnswer solve() const {
    FacetAnswer out;
    if (q_.size() == 0) return {true, false, given_};
    const Complementarity answer = solve_by_pivoting(A_, q_);
    out.refuted = answer.end == Complementarity::End::ray;
    out.solved = answer.end == Complementarity::End::solved;
    if (out.solved) out.force = given_ + spread_ * VecX(level_ * scale_.cwiseProduct(answer.z));
    return out;
  }

 private:
  /// What each unknown of an element is as a force.
  void spread(std::size_t e, const MatX& W) {
    const Contact& element = problem_.elements[e];
    const double own = W.diagonal().segment(element.row, element.count).maxCoeff();
    const double share = own > 0 ? 1 / std::sqrt(own) : 1;
    const int at = first_[e];
    if (element.kind == Kind::unilateral) {
      spread_(element.row, at) += 1;
      scale_[at] = share;
      return;
    }
    if (element.slides) {  // follows its load
      const VecX pull = -mu_[e] * element.direction.head(element.count);
      given_.segment(element.row, element.count) += element.fixed * pull;
      if (element.normal >= 0)
        spread_.block(element.row, column_of(element.normal), element.count, 1) += pull;
      return;
    }
    const int count = static_cast<int>(corners_[e].size());
    for (int k = 0; k < count; ++k) {
      spread_.block(element.row, at + k, element.count, 1) =
          corners_[e][static_cast<std::size_t>(k)];
      scale_[at + k] = share;
    }
    scale_[at + count] = 1 / share;
  }

  /// Where the force of a unilateral contact stands.
  [[nodiscard]] int column_of(int row) const {
    for (std::size_t e = 0; e < mu_.size(); ++e)
      if (problem_.elements[e].kind == Kind::unilateral && problem_.elements[e].row == row)
        return first_[e];
    return 0;
  }

  /// A and q, scaled alike from both sides.
  void lay(const MatX& W, const VecX& free) {
    const auto size = spread_.cols();
    A_ = MatX::Zero(size, size);
    q_ = VecX::Zero(size);
    // Rows of motion: along what the unknown is as a force, but of a load without its friction.
    for (std::size_t e = 0; e < mu_.size(); ++e) {
      const Contact& element = problem_.elements[e];
      if (element.slides) continue;
      const int at = first_[e];
      if (element.kind == Kind::unilateral) {
        A_.row(at) = W.row(element.row) * spread_;
        q_[at] = free[element.row];
        continue;
      }
      const int count = static_cast<int>(corners_[e].size()), last = at + count;
      for (int k = 0; k < count; ++k) {
        const VecX& d = corners_[e][static_cast<std::size_t>(k)];
        A_.row(at + k) = d.transpose() * W.middleRows(element.row, element.count) * spread_;
        A_(at + k, last) += 1;
        q_[at + k] = d.dot(free.segment(element.row, element.count));
        A_(last, at + k) = -1;
      }
      if (element.normal >= 0) A_(last, column_of(element.normal)) += mu_[e];
      q_[last] = mu_[e] * element.fixed;
    }
    A_ = scale_.asDiagonal() * A_ * scale_.asDiagonal();
    q_ = scale_.cwiseProduct(q_).eval();
    level_ = std::max(q_.size() > 0 ? q_.cwiseAbs().maxCoeff() : 0.0, 1e-300);
    q_ /= level_;
  }

  const Problem& problem_;
  const std::vector<Corners>& corners_;
  const std::vector<double>& mu_;
  std::vector<int> first_;  // unknown of each element
  MatX spread_, A_;
  VecX given_, scale_, q_;
  double level_ = 1;  // of the right side, so that pivoting sees numbers of one
};

}  // namespace

bool has_facets(const Problem& problem) {
  return std::all_of(problem.elements.begin(), problem.elements.end(), [](const Contact& element) {
    return element.response.size() == 0 && (element.slides || element.count <= 2);
  });
}

FacetAnswer solve_by_facets(const Problem& problem, const MatX& W, const VecX& b,
                            const std::vector<double>& mu, const std::vector<Corners>& corners) {
  return Facets(problem, W, b, mu, corners).solve();
}

}  // namespace freeplay::contact_problem
