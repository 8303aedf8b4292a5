// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/hdf5_file.hpp"
#include <freeplay/observed.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What writer and reader of result files agree on. Groups and datasets form
// this tree:
//
//   /time, /bodies/..., /joints/..., /energy/...   one row per accepted step, or some of them
//   /uniform/time, /uniform/bodies/...             the same on an equidistant grid
//   /state/y, /state/memory                        State at those steps
//   /state/blocks                                  what its numbers are, as text
//   /state/anchors, anchor_end, anchor_step        States with their step memory, here and there
//   /state/checkpoint                              the last one of them, while the run goes on
//   /solver/...                                    cost of each step; totals as attributes
//   /events, /impacts                              tables
//   /model/source, /model/resolved                 text
//
// Version 2 had every accepted step, all numbers of the grid in double precision, and instead of
// anchors and checkpoint /state/stepping: the step memory at the row `checkpoint_row`.
namespace freeplay::io {

inline constexpr std::string_view kFormat = "freeplay-result";
inline constexpr std::int64_t kFormatVersion = 3, kOldestVersion = 2;
inline constexpr const char* kUniform = "uniform/";
inline constexpr const char* kBlocks = "state/blocks";
inline constexpr const char* kAnchors = "state/anchors";
inline constexpr const char* kAnchorEnd = "state/anchor_end";
inline constexpr const char* kAnchorStep = "state/anchor_step";
inline constexpr const char* kCheckpoint = "state/checkpoint";
inline constexpr const char* kStepping = "state/stepping";       // version 2
inline constexpr const char* kCheckpointRow = "checkpoint_row";  // version 2

/// Columns of the tables; a length of 0 takes what the file has.
[[nodiscard]] RowType event_row(std::size_t joint_bytes, std::size_t kind_bytes);
[[nodiscard]] RowType impact_row(std::size_t joint_bytes);

/// "s", "m/s", ... of a column of either table; "" for names, which have none.
[[nodiscard]] std::string column_unit(std::string_view column);
/// Attribute `unit` of a table, one entry per column that has a unit: "time: s, speed: m/s".
[[nodiscard]] std::string units_of(const RowType& table);
/// Headings for people and CSV files: "time [s]", "joint", ...
[[nodiscard]] std::vector<std::string> headings_of(const RowType& table);

/// Numbers of an impact as the tables list them, after its joint and contact.
[[nodiscard]] std::array<double, 7> impact_numbers(const Impact& impact);

/// Lines of a stored text; none where there is no text.
[[nodiscard]] std::vector<std::string> lines_of(const std::optional<Hdf5Attribute>& text);

/// Separation over approach speed; 0 where there was no approach, as in a contact at the start.
[[nodiscard]] double achieved_restitution(const Impact& impact);

}  // namespace freeplay::io
