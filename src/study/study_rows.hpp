// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/shown.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// The table of a finished study, for those who print it.
namespace freeplay::study {

/// A column as it is stored, and how it is shown.
struct StudyColumn {
  std::string group, path;  ///< "inputs", "joints.pin.clearance.radial"
  Shown shown;
  std::vector<double> values;  ///< as stored, SI
};

struct StudyRows {
  std::string kind;
  std::int64_t rows = 0, failed = 0;
  std::vector<StudyColumn> columns;  ///< inputs, then outputs; an entry for each row
  std::vector<int> status;           ///< of each row; its outputs are nothing unless it is 0
  std::vector<std::string> errors;   ///< of each row; empty where it is done
  std::vector<StudyColumn> samples;  ///< row, turn and what is observed; an entry for each turn
  std::vector<StudyColumn> results;  ///< what was concluded
};

/// Is this the result of a study? Throws IoError where it is no HDF5 file.
[[nodiscard]] bool is_study(const std::filesystem::path& file);

/// Throws IoError.
[[nodiscard]] StudyRows read_rows(const std::filesystem::path& file);

/// "done", "bad model", ...
[[nodiscard]] const char* status_name(int status);

}  // namespace freeplay::study
