// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include <freeplay/equilibrium.hpp>

#include <string>

namespace freeplay::cli {

/// A drive that turns in the model and stands still in this equilibrium, where a film is to carry:
/// oil at rest bears nothing. What is the matter, in a sentence; empty if nothing is.
[[nodiscard]] std::string still_rotor(const ModelArguments& arguments, const Model& model,
                                      const Equilibrium& equilibrium);

}  // namespace freeplay::cli
