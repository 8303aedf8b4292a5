// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contact_problem/contact_problem.hpp"

#include <vector>

// Contact with friction as a linear complementarity problem (Stewart & Trinkle 1996): the disc to
// which friction is limited becomes a polygon, whose corners are the directions in which it may
// act. For friction along a line, in plane mechanisms, that is exact.
namespace freeplay::contact_problem {

/// Directions of friction of one element, in its own components; each with its opposite.
using Corners = std::vector<VecX>;

struct FacetAnswer {
  bool solved = false;
  bool refuted = false;  ///< pivoting ended in a ray: forces that only press each other
  VecX force;
};

/// Are all loads given, or forces of unilateral contacts? Others are not linear.
[[nodiscard]] bool has_facets(const Problem& problem);

/// Forces for coefficients `mu` and a matrix W that may have compliances added.
[[nodiscard]] FacetAnswer solve_by_facets(const Problem& problem, const MatX& W, const VecX& b,
                                          const std::vector<double>& mu,
                                          const std::vector<Corners>& corners);

}  // namespace freeplay::contact_problem
