// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/journal.hpp"
#include "study/row_plan.hpp"
#include <freeplay/study.hpp>

namespace freeplay::study {

/// What the rows of a study amount to, by its kind: fills table, numbers, failed and failures of
/// the summary. `rows` of them are in the journal.
void conclude(const Study& study, const Journal& journal, std::int64_t rows, StudySummary& summary);

}  // namespace freeplay::study
