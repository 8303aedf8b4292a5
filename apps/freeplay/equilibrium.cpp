// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "terminal.hpp"
#include <freeplay/run.hpp>

#include <fmt/format.h>

// `freeplay equilibrium`: the pose at rest and the loads in it.
namespace freeplay::cli {

int equilibrium_command(const EquilibriumArguments& a) {
  const auto [model, warnings] = load(a.model);
  show(warnings);
  const Equilibrium equilibrium = naming_the_file(a.model, model, find_equilibrium);
  const auto channels = describe(model).channels;
  if (a.json) {
    print(json_of(equilibrium, channels));
  } else if (equilibrium.found) {
    Table table({"quantity", "unit", "value"});
    for (const auto& c : channels) {
      // What does not move has poses and forces; rates are zero.
      const bool wanted = c.path.ends_with("/position") || c.path.ends_with("/angle") ||
                          c.path.ends_with("/quaternion") || c.path.ends_with("/reaction_force") ||
                          c.path.ends_with("/reaction_moment") || c.path.ends_with("/coordinate");
      if (!wanted || equilibrium.row.size() < static_cast<std::size_t>(c.offset + c.width))
        continue;
      std::string values;
      for (int k = 0; k < c.width; ++k)
        values += fmt::format("{}{:.8g}", k ? ", " : "",
                              equilibrium.row[static_cast<std::size_t>(c.offset + k)]);
      table.add({c.path, c.unit, values});
    }
    print(bold(model.name.empty() ? "mechanism" : model.name) +
          fmt::format(": at rest, residual {:.2g} m/s^2 after {} iterations\n",
                      equilibrium.residual, equilibrium.iterations) +
          table.text());
  }
  if (equilibrium.found) return kDone;
  complain(
      fmt::format("no equilibrium was found from the assembled start: {:.3g} m/s^2 are left after "
                  "{} iterations; "
                  "start nearer to it",
                  equilibrium.residual, equilibrium.iterations));
  return kFailed;
}

}  // namespace freeplay::cli
