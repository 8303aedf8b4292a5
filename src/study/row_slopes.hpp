// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/row.hpp"

namespace freeplay::study {

/// A row of a search by slopes: its outputs, and with `slopes` how they change with what is varied
/// (NaN without: searches do not always ask). Never throws for what a row may bring about.
[[nodiscard]] RowOutcome run_row_with_slopes(const Study& study, std::span<const double> inputs,
                                             bool slopes);

/// Why the study cannot be searched by slopes; empty: it can.
[[nodiscard]] std::string no_slopes(const Study& study);

}  // namespace freeplay::study
