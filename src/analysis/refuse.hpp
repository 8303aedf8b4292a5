// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/force_parts.hpp"
#include <freeplay/errors.hpp>

#include <string>
#include <utility>

namespace freeplay::analysis {

/// An analysis does not fit the model, or what was asked of it.
[[noreturn]] inline void refuse(const std::string& path, std::string message, std::string hint) {
  Issue issue;
  issue.path = path;
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  throw ModelError(issue);
}

/// Teeth hold by contacts of their own, which nobody here lays on their flanks.
inline void refuse_teeth(const Model& model, const std::string& what) {
  for (const Coupling& coupling : model.couplings)
    if (coupling.teeth)
      refuse("couplings." + coupling.name,
             "has play between its teeth, and " + what + " of such a mechanism are not worked out",
             "leave 'backlash' and what belongs to it out; a run shows what the play does");
}

/// Controllers would have to be at rest with the mechanism, and nobody here asks them.
inline void refuse_controlled(const Model& model, const std::string& what) {
  for (const Force& force : model.forces)
    if (const Motion* motion = magnitude_of(force);
        motion && std::holds_alternative<Follow>(*motion))
      refuse(force.name,
             "follows '" + std::get<Follow>(*motion).signal + "', and " + what +
                 " of a controlled mechanism are not worked out",
             "give it a constant magnitude; a run that comes to rest shows the equilibrium");
}

}  // namespace freeplay::analysis
