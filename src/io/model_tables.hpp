// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/fields.hpp"
#include <freeplay/model.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The model file, key by key. Everything a user can write is in model_tables.cpp and in the tables
// named here, and nowhere else.
namespace freeplay::io {

/// The whole file.
[[nodiscard]] const TableShape& model_table();

/// [joints.NAME.clearance]; in clearance_table.cpp.
[[nodiscard]] TableShape clearance_table();
/// [joints.NAME.friction] and [joints.NAME.stop]; in build_imperfections.cpp, beside their readers.
[[nodiscard]] TableShape joint_friction_table();
[[nodiscard]] TableShape stop_table();
[[nodiscard]] TableShape bushing_table();
/// [joints.NAME.drive], and a number or a function of time; in motion_tables.cpp.
[[nodiscard]] TableShape drive_table();
[[nodiscard]] Shape motion_or_number(const std::string& unit);

// Keys that fill plain members, shared by the table above and the reader.
[[nodiscard]] const std::vector<Field<Simulation>>& simulation_fields();
[[nodiscard]] std::vector<Field<Sine>> sine_fields(const std::string& unit);
[[nodiscard]] std::vector<Field<SmoothStep>> step_fields(const std::string& unit);

// Words of the file and what they stand for.
[[nodiscard]] std::optional<JointType> joint_type(std::string_view word);
[[nodiscard]] std::optional<Coordinate> coordinate(std::string_view word);
[[nodiscard]] std::vector<std::string> words_of_coordinates();
/// Whether the coordinate that `table` names, or the only one the joint has, is an angle or a
/// length.
[[nodiscard]] Measure coordinate_measure(const Node& joint, const Node& table);
/// The same for a table that names its joint.
[[nodiscard]] Measure measure_of_named_joint(const Node& root, const Node& table);

}  // namespace freeplay::io
