// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

namespace CLI {
class App;
}

namespace freeplay::cli {

/// What `freeplay modes` understands besides a model.
void add_modes_options(CLI::App& verb, ModesArguments& out);

}  // namespace freeplay::cli
