// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

namespace CLI {
class App;
}

namespace freeplay::cli {

extern const char* const kStudyExamples;

/// The options of `freeplay study`.
void add_study_options(CLI::App& verb, StudyArguments& arguments);

}  // namespace freeplay::cli
