// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>
#include <freeplay/record.hpp>
#include <freeplay/state.hpp>

#include <string>

// What a run will cost, from its first moments.
namespace freeplay::io {

/// A number and what it may be as well.
struct Band {
  double value = 0, low = 0, high = 0;
};

struct Forecast {
  double simulated = 0;  ///< of the trial; s
  double spent = 0;      ///< by it; CPU seconds
  bool whole = false;    ///< the trial was the whole run: nothing is guessed
  Band seconds;          ///< CPU, files included
  Band bytes;            ///< of the result file
  std::string reason;    ///< why there is no forecast; else empty
};

/// Runs the model into a file of its own, for so many CPU seconds at most.
[[nodiscard]] Forecast forecast(const Model& model, const State& start, const Record& record,
                                double cpu_seconds);

}  // namespace freeplay::io
