// SPDX-License-Identifier: Apache-2.0
#include "study/neighbours.hpp"

#include "study/random.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::study {
namespace {

/// visit(i) for every number of memory that is a motion's own; the others are those of the centre.
template <class Visit>
void each_own(const State& centre, Visit&& visit) {
  for (const Block& block : centre.layout->of(BlockKind::memory))
    for (int k = 0; k < block.size; ++k)
      if (block.perturbation == Perturbation::continuous)
        visit(static_cast<std::size_t>(block.offset + k));
}

/// The deviation of b from a times `factor`.
void stretch(const State& a, State& b, double factor, Eigen::Index moving) {
  const VecX deviation = b.y - a.y;
  // Work integrals are no part of the motion: their difference, scaled turn by turn, would grow
  // until it drowns the audit.
  b.y = a.y;
  b.y.head(moving) += factor * deviation.head(moving);
  const std::vector<double> own = b.memory;
  b.memory = a.memory;
  each_own(a, [&](std::size_t i) { b.memory[i] += factor * (own[i] - a.memory[i]); });
}

/// b less `share` of the deviation of c, both from a.
void take_out(const State& a, const State& c, double share, State& b, Eigen::Index moving) {
  b.y.head(moving) -= share * (c.y - a.y).head(moving);
  each_own(a, [&](std::size_t i) { b.memory[i] -= share * (c.memory[i] - a.memory[i]); });
}

}  // namespace

Neighbours::Neighbours(const State& centre, const VecX& scale, Eigen::Index moving, int count,
                       std::uint64_t seed)
    : scale_(scale), moving_(moving), states_(static_cast<std::size_t>(count), centre) {
  for (std::size_t n = 0; n < states_.size(); ++n)
    for (Eigen::Index i = 0; i < moving; ++i)
      states_[n].y[i] += kDistance * scale[i] *
                         (2 * uniform(seed, Purpose::jitter, n, static_cast<std::uint32_t>(i)) - 1);
}

VecX Neighbours::deviation(const State& centre, const State& other) const {
  return ((other.y - centre.y).head(moving_).array() / scale_.head(moving_).array()).matrix();
}

double Neighbours::apart(const State& centre, const State& other) const {
  return ((other.y - centre.y).head(moving_).array() / scale_.head(moving_).array())
             .matrix()
             .norm() /
         std::sqrt(static_cast<double>(moving_));
}

std::vector<double> Neighbours::lengths(const State& centre) const {
  std::vector<double> out;
  std::vector<VecX> across;  // those before, as unit vectors
  for (const State& state : states_) {
    VecX d = deviation(centre, state);
    for (const VecX& unit : across) d -= unit.dot(d) * unit;
    out.push_back(across.empty() ? apart(centre, state)
                                 : d.norm() / std::sqrt(static_cast<double>(moving_)));
    across.push_back(d / std::max(d.norm(), 1e-300));
  }
  return out;
}

void Neighbours::bring_together(const State& centre) {
  for (std::size_t n = 0; n < states_.size(); ++n) {
    for (std::size_t before = 0; before < n; ++before) {
      const VecX d = deviation(centre, states_[before]);
      const double share = d.dot(deviation(centre, states_[n])) / d.squaredNorm();
      take_out(centre, states_[before], share, states_[n], moving_);
    }
    stretch(centre, states_[n], kDistance / std::max(apart(centre, states_[n]), 1e-300), moving_);
  }
}

}  // namespace freeplay::study
