// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

namespace CLI {
class App;
}

namespace freeplay::cli {

extern const char* const kGradientExamples;
void add_gradient_options(CLI::App& verb, GradientArguments& gradient);

}  // namespace freeplay::cli
