// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/run.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace freeplay::io {

/// Where a run into a file begins: at the assembled start, or where an interrupted one stopped.
struct Beginning {
  State state;
  bool resumed = false;
  std::optional<RunResult> already = {};  ///< complete: there is nothing left to do
  std::string note = {};                  ///< why it is the start all the same; may be empty
  std::string refused = {};               ///< why that file cannot be gone on with; may be empty
};

/// Goes on with what an interrupted run of this model left of `output`, to the last bit as if it
/// had never stopped. Throws IoError when the file cannot be read.
[[nodiscard]] Beginning find_beginning(const Model& model, const State& start,
                                       const std::filesystem::path& output);

}  // namespace freeplay::io
