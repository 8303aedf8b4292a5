// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/journal.hpp"
#include "study/study_file.hpp"
#include <freeplay/study.hpp>

// Wear over a life (theory/wear): a cycle is simulated, its wear is extrapolated over many, the
// surfaces are updated, and so on until the life ends. Every simulated cycle is a row of the
// journal, with the surfaces it had and the state it ended in: a life that is taken up again goes
// through the same steps with the answers that are there, and ends as it would have.
namespace freeplay::study {

/// Throws ModelError where the model has nothing that wears, or what cannot be updated.
void check_life(const StudyLife& life, const Model& model);

/// `row_done` is called for every row that was not in the journal. Fills rows, complete, table and
/// numbers of the summary.
void run_life(const Study& study, Journal& journal, const StudyOptions& options,
              const std::function<void()>& row_done, StudySummary& summary);

}  // namespace freeplay::study
