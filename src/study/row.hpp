// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/study_file.hpp"
#include <freeplay/state.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// One row of a study: the model with its values, run, and what is taken of it.
namespace freeplay::study {

/// How a row ended.
enum class RowStatus : std::int32_t {
  done,
  bad_model,
  not_assembled,
  failed,
  audit_broken,
  out_of_time
};

/// Where the next row of a continued study begins.
struct Carry {
  State state;
  double coordinate = 0;     ///< of the driven joint, turns included; rad
  std::uint64_t layout = 0;  ///< digest of the state's layout
  /// Periodic: the value of the variable, then sizes of the multipliers from the largest.
  std::vector<double> orbit;
};

struct RowOutcome {
  RowStatus status = RowStatus::done;
  std::string error;
  std::vector<double> outputs;  ///< as outputs_of lists them; zeros unless done
  std::vector<double> samples;  ///< turn by turn, one number per observable
  std::optional<Carry> carry;   ///< continued studies only
};

/// Never throws for what a row may bring about: that is its error. `from` is the end of the row
/// before, or null. Any number of threads may call it.
[[nodiscard]] RowOutcome run_row(const Study& study, std::span<const double> inputs,
                                 const Carry* from);

}  // namespace freeplay::study
