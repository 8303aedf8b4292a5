// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/journal.hpp"
#include "study/study_file.hpp"
#include <freeplay/study.hpp>

#include <functional>

namespace freeplay::study {

/// A search: every evaluation is a row, numbered as they come. Those in the journal are not
/// computed again.
void run_search(const Study& study, Journal& journal, const StudyOptions& options, int workers,
                const std::function<void()>& row_done, StudySummary& summary);

}  // namespace freeplay::study
