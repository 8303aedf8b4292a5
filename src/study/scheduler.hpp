// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/journal.hpp"
#include "study/row_plan.hpp"
#include "study/team.hpp"

#include <atomic>
#include <functional>

// Rows handed out to whoever is free: threads of this process, and other processes of a team. What
// a row gives depends on its number alone, so neither order nor number of workers shows in the
// result.
namespace freeplay::study {

struct ScheduleOptions {
  int workers = 1;                          ///< threads of this process
  const std::atomic<bool>* stop = nullptr;  ///< finish the rows at hand and end
  std::function<void()> row_done;           ///< by any thread, one at a time
  Team* team = nullptr;                     ///< other processes; null: none
  Part part = {};                           ///< of the rows; all of them by default
};

/// Computes the rows of the plan that the journal lacks. Throws IoError when a row cannot be
/// stored. False when stopped before the end.
bool run_rows(const Study& study, const RowPlan& plan, Journal& journal,
              const ScheduleOptions& options);

/// What the other processes of a team do until there is nothing left.
void help_with_rows(const Study& study, const RowPlan& plan, Team& team,
                    const std::atomic<bool>* stop);

/// Lets the other processes of a team go before there was any work.
void dismiss(Team& team);

}  // namespace freeplay::study
