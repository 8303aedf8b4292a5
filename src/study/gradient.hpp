// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/number_at.hpp"
#include "study/measure.hpp"
#include <freeplay/gradient.hpp>

#include <functional>
#include <vector>

// Sensitivities by neighbouring motions that are led along the way of the run: same steps, same
// events, each where it happens to them (sim/itinerary.hpp, theory/gradients).
namespace freeplay::study {

struct Differences {
  bool central = false;
  double step = 0;  ///< of each number, relative to it; 0: as fits
  int workers = 1;
  std::vector<double> sizes;   ///< that the step is relative to; empty: the numbers themselves
  bool any_curvature = false;  ///< false refuses what is not linear, as near an optimum nothing is
  bool values_only = false;    ///< what the run itself yields, without slopes
  std::function<bool()> keep_going;  ///< optional; false ends the search for them
};

/// The slopes of `measures` by `variables`; `model` makes the model with the values of these.
[[nodiscard]] Gradient differentiate(std::vector<Measure> measures,
                                     const std::vector<io::NumberAt>& variables,
                                     const std::function<Model(std::span<const double>)>& model,
                                     const Differences& differences);

}  // namespace freeplay::study
