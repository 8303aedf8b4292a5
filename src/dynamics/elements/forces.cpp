// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/forces.hpp"

#include "core/scalars.hpp"

#include <algorithm>

namespace freeplay::dynamics {

template <class T>
std::pair<T, T> table_force(const ForceTable& table, const T& x, const PieceRange& pieces) {
  const auto& X = table.x;
  const int n = static_cast<int>(X.size());
  const int here = static_cast<int>(std::upper_bound(X.begin(), X.end(), value_of(x)) - X.begin());
  const int piece = std::clamp(here - 1, pieces.first, std::min(pieces.last, n - 1));
  if (piece < 0 || piece == n - 1) {
    const auto end = static_cast<std::size_t>(piece < 0 ? 0 : n - 1);
    const T u = x - X[end];
    return {table.force[end] + table.slope[end] * u,
            table.area[end] + u * (table.force[end] + 0.5 * table.slope[end] * u)};
  }
  const auto k = static_cast<std::size_t>(piece);
  const CubicPiece cubic(X[k + 1] - X[k], table.force[k], table.force[k + 1], table.slope[k],
                         table.slope[k + 1]);
  const T u = (x - X[k]) / cubic.h;
  return {cubic.value(u), table.area[k] + cubic.integral(u)};
}

template std::pair<double, double> table_force(const ForceTable&, const double&, const PieceRange&);
template std::pair<PairDual, PairDual> table_force(const ForceTable&, const PairDual&,
                                                   const PieceRange&);

}  // namespace freeplay::dynamics
