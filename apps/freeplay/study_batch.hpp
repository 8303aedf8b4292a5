// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include "study/row_plan.hpp"

#include <cstdint>
#include <optional>
#include <string>

// Studies in parts, as the tasks of an array job of a batch system.
namespace freeplay::cli {

/// "3/7"; "auto", the task of an array job that this process is; "auto/7", for batch systems that
/// do not say how many tasks there are. Throws UsageError.
[[nodiscard]] study::Part part_of(const std::string& text);

/// N of "auto/N", which --submit wants. Throws UsageError.
[[nodiscard]] std::int64_t tasks_of(const std::string& text);

/// The batch system of whose array job this process is a task: "Slurm"; empty if it is none.
[[nodiscard]] std::string array_job();

/// The script of an array job that computes a study in so many parts.
[[nodiscard]] std::string submit_script(const StudyArguments& arguments, std::int64_t parts);

}  // namespace freeplay::cli
