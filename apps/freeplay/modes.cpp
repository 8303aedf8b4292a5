// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "terminal.hpp"
#include <freeplay/run.hpp>

#include <fmt/format.h>

// `freeplay modes`: small motions about a state.
namespace freeplay::cli {

int modes_command(const ModesArguments& a) {
  const auto [model, warnings] = load(a.model);
  show(warnings);
  State about;
  if (a.at_start) {
    about = assemble(a.model, model).start;
  } else {
    const Equilibrium equilibrium = naming_the_file(a.model, model, find_equilibrium);
    if (!equilibrium.found) {
      const auto reason = fmt::format(
          "no equilibrium was found ({:.3g} m/s^2 are left); start nearer to it, or ask for "
          "the modes about the start with --at-start",
          equilibrium.residual);
      complain(reason);
      if (a.json) print(json_of_error("failed", reason, {}));
      return kFailed;
    }
    about = equilibrium.state;
  }
  const auto modes = natural_modes(model, about);
  if (a.json) {
    print(json_of(modes));
    return kDone;
  }
  Table table({"mode", "frequency, Hz", "damping ratio", "real, 1/s", "imaginary, 1/s"});
  int number = 0;
  for (const Mode& mode : modes)
    table.add({std::to_string(++number), fmt::format("{:.8g}", mode.frequency),
               fmt::format("{:.6g}", mode.damping + 0.0), fmt::format("{:.6g}", mode.real),
               fmt::format("{:.6g}", mode.imaginary)});
  print(bold(model.name.empty() ? "mechanism" : model.name) +
        (a.at_start ? ": about the start\n" : ": about the equilibrium\n") +
        (modes.empty() ? "  no free motion\n" : table.text()));
  return kDone;
}

}  // namespace freeplay::cli
