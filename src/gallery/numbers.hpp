// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

// Numbers as the table of claims prints them.
namespace freeplay::gallery {

/// Four digits with a readable unit: "0.4762 m/s" -> "476.2 mm/s"; "-" for no number.
[[nodiscard]] std::string with_unit(double value, const std::string& unit);

/// Several numbers in one unit, chosen by the largest: "12.1, 13.4 mm".
[[nodiscard]] std::string with_unit(std::span<const double> values, const std::string& unit,
                                    const char* between = ", ");

}  // namespace freeplay::gallery
