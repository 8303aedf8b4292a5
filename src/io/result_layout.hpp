// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/hdf5_file.hpp"

#include <cstdint>
#include <string_view>

// What writer and reader of result files agree on. The tree itself is described in design and
// guide:
//
//   /time, /bodies/..., /joints/..., /energy/...   one row per accepted step
//   /uniform/time, /uniform/bodies/...             the same on an equidistant grid
//   /state/y, /state/memory                        State, from which a run can go on
//   /solver/...                                    cost of each step; totals as attributes
//   /events, /impacts                              tables
//   /model/source, /model/resolved                 text
namespace freeplay::io {

inline constexpr std::string_view kFormat = "freeplay-result";
inline constexpr std::int64_t kFormatVersion = 1;
inline constexpr const char* kUniform = "uniform/";

/// Columns of the tables; a length of 0 takes what the file has.
[[nodiscard]] RowType event_row(std::size_t joint_bytes, std::size_t kind_bytes);
[[nodiscard]] RowType impact_row(std::size_t joint_bytes);

}  // namespace freeplay::io
