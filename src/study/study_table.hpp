// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/journal.hpp"
#include <freeplay/study.hpp>

#include <filesystem>
#include <optional>
#include <string>

// The result of a study, for h5py and pandas:
//
//   /                 attributes: format, kind, seed, study_sha256, rows, failed, complete ...
//   /study, /model    the texts as given
//   /inputs/PATH      [rows], one per variable, SI (or the number of the word, listed in `words`);
//                     attributes long_name, unit, and where people read it in another unit
//                     shown_unit and shown_factor; likewise all columns
//   /outputs/NAME     [rows]; zeros where /rows/status is not 0
//   /rows/status      [rows] 0 done, 1 bad model, 2 not assembled, 3 failed, 4 audit, 5 out of time
//   /rows/error       [rows] text
//   /section/row, turn, NAME     one entry per recorded turn of each row that is done
//   /results/NAME     what was made of the rows
namespace freeplay::study {

/// Writes the rows 0 ... rows-1 of the journal under `file`, which appears when it is complete.
void write_table(const std::filesystem::path& file, const Study& study, const Journal& journal,
                 std::int64_t rows, const std::vector<StudyNumber>& results,
                 const std::string& command);

/// What a finished table says of itself; nothing when it belongs to another study or is no table.
struct TableHead {
  std::int64_t rows = 0, failed = 0;
};
[[nodiscard]] std::optional<TableHead> read_table_head(const std::filesystem::path& file,
                                                       const std::string& digest);

/// The variables of one row of a finished table, as `--set` takes them. Throws IoError when the
/// table belongs to another study or has no such row.
[[nodiscard]] std::vector<Override> overrides_of_row(const std::filesystem::path& table,
                                                     const Study& study, std::int64_t row);

}  // namespace freeplay::study
