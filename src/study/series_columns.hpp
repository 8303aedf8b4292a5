// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/run.hpp>

#include <optional>
#include <string>
#include <vector>

namespace freeplay::study {

/// Column of "bodies/rod/position.x" in the rows of a run; nothing if there is none of that name.
[[nodiscard]] std::optional<int> column_of(const RunHeader& header, const std::string& series);

/// Unit of that column.
[[nodiscard]] std::string unit_of(const RunHeader& header, const std::string& series);

/// Every name that column_of knows.
[[nodiscard]] std::vector<std::string> all_series(const RunHeader& header);

}  // namespace freeplay::study
