// SPDX-License-Identifier: Apache-2.0
#include "io/start.hpp"

#include <freeplay/errors.hpp>

#include <fmt/format.h>

namespace freeplay::io {

Assembly assemble_start(const Model& model) {
  Assembly assembly = assemble(model);
  if (model.simulation.analysis == Analysis::kinematic && assembly.freedom > 0) {
    Issue issue;
    issue.path = "simulation.analysis";
    issue.message = fmt::format(
        "a kinematic analysis needs every motion driven, and {} {} left free", assembly.freedom,
        assembly.freedom == 1 ? "degree of freedom is" : "degrees of freedom are");
    issue.hint = "add drives, or use analysis = \"dynamic\"";
    throw ModelError(issue);
  }
  return assembly;
}

}  // namespace freeplay::io
