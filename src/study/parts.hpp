// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/journal.hpp"
#include "study/row_plan.hpp"
#include <freeplay/study.hpp>

#include <filesystem>
#include <vector>

// Studies computed in parts, by machines that know nothing of each other. A part is a journal with
// a name of its own beside the result, "out.h5.part-3-of-7". It stays when it is complete; all rows
// together make the table.
namespace freeplay::study {

[[nodiscard]] std::filesystem::path part_file(const std::filesystem::path& output,
                                              const Part& part);

/// Refuses studies whose rows follow from those before. Throws ModelError.
void expect_divisible(const Study& study);

/// Computes the rows that a part lacks. `asked` is set once other processes have been given work.
[[nodiscard]] StudySummary run_part(const Study& study, const RowPlan& plan, const Part& part,
                                    const std::filesystem::path& output,
                                    const StudyOptions& options, bool& asked);

/// Rows of all parts that lie beside `output`, in a journal at `joined`. Throws IoError.
[[nodiscard]] Journal join_parts(const Study& study, const RowPlan& plan,
                                 const std::filesystem::path& output,
                                 const std::filesystem::path& joined);

[[nodiscard]] StudyMissing missing_of(const Study& study, const RowPlan& plan,
                                      const std::filesystem::path& output);

}  // namespace freeplay::study
