// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/wear_cycle.hpp"

#include <functional>
#include <string>
#include <vector>

// The course of a life, from cycle to cycle over as many as the profile allows (theory/wear (W.10)
// to (W.13)). It knows nothing of where the answers come from: a cycle is simulated, or was before
// and lies in a journal.
namespace freeplay::study {

/// What a life asks of a cycle.
struct LookedAt {
  VecX rates;                   ///< depth per cycle of every sector; m
  std::vector<double> slip;     ///< of every joint that wears; m per cycle
  std::vector<double> outputs;  ///< as life_outputs() lists them
};
using LookAtCycle = std::function<LookedAt(double cycles, const VecX& depth)>;

/// A life cannot go on: why. Thrown by what looks at cycles.
struct LifeBroken {
  std::string reason;
};

/// A point that a life passes.
struct LifePoint {
  double cycles = 0;
  VecX depth;
  std::vector<double> outputs;
};

/// What ends a life. Results hold these numbers.
enum class LifeEnd { all_cycles, clearance, peak_force, no_wear, broken };

struct LifeCourse {
  std::vector<LifePoint> points;
  double end = 0;  ///< cycles
  LifeEnd how = LifeEnd::all_cycles;
  std::string reason;  ///< the same in words
};

/// Ends with LifeEnd::broken where `look` throws.
[[nodiscard]] LifeCourse live(const WearingMechanism& mechanism, const LookAtCycle& look);

/// What a cycle with these surfaces is called and gives: see life_outputs().
[[nodiscard]] std::vector<double> outputs_of_cycle(const WearingMechanism& mechanism, double cycles,
                                                   const VecX& depth, const Cycle& found);

/// Names of what a look at a life gives, and the units.
[[nodiscard]] std::vector<std::string> life_outputs(const StudyLife& life);
/// Where those of the joint begin that wears as number `joint`: clearance, peak force, depths and
/// volumes of both parts, ...
[[nodiscard]] std::size_t first_output_of_joint(std::size_t joint);
[[nodiscard]] std::string life_unit(const std::string& output);

}  // namespace freeplay::study
