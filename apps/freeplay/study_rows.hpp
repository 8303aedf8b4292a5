// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include "study/study_rows.hpp"

#include <filesystem>
#include <string>
#include <vector>

// The rows of a finished study as a table, as CSV and for scripts, in the units of the study file.
namespace freeplay::cli {

/// For people, on standard output.
void print_rows(const study::StudyRows& rows);
/// One file: row, inputs, outputs, status, error.
void write_rows(const study::StudyRows& rows, const std::filesystem::path& file);

/// `get` and `export` of a study.
int get_of_study(const GetArguments& arguments);
int export_of_study(const ExportArguments& arguments);

}  // namespace freeplay::cli
