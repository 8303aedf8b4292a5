// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

namespace CLI {
class App;
}

// Options that several verbs have.
namespace freeplay::cli {

/// The model and what is changed of it; `with_simulation`: also how it is computed.
void model_options(CLI::App* verb, ModelArguments& model, bool with_simulation);
void record_option(CLI::App* verb, ModelArguments& model);
/// Of every verb that computes: compiled laws of a model run only then.
void plugins_option(CLI::App* verb);

}  // namespace freeplay::cli
