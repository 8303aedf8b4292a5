// SPDX-License-Identifier: Apache-2.0
#include "campbell.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "still_rotor.hpp"
#include "terminal.hpp"
#include <freeplay/equilibrium.hpp>
#include <freeplay/run.hpp>

#include <fmt/format.h>

// `freeplay modes`: small motions about a state.
namespace freeplay::cli {

int modes_command(const ModesArguments& a) {
  if (!a.over.empty()) return modes_over_command(a);
  if (!a.output.empty() || !a.csv.empty())
    throw UsageError("-o and --csv are for modes over a range: --over PATH=FROM:TO");
  const auto [model, warnings, record] = load(a.model);
  show(warnings);
  State about;
  bool turning = false;
  if (a.at_start) {
    about = assemble(a.model, model).start;
  } else {
    const Equilibrium equilibrium = naming_the_file(a.model, model, find_equilibrium);
    if (!equilibrium.found) {
      const auto reason = fmt::format(
          "there is no equilibrium: {}; {}, or ask for the modes about the start with "
          "--at-start",
          equilibrium.reason, equilibrium.remedy);
      complain(reason);
      if (a.json) print(json_of_error("failed", reason, {}));
      return kFailed;
    }
    about = equilibrium.state;
    turning = equilibrium.spinning;
    if (const std::string still = still_rotor(a.model, model, equilibrium); !still.empty())
      warn(still);
  }
  const auto modes = natural_modes(model, about);
  if (const std::string name = uneven_rotor(model, about); !name.empty())
    warn(
        fmt::format("the inertia of {} is not the same all around the axis it spins about: its "
                    "modes change as it turns; these hold for the present position",
                    name));
  if (a.json) {
    print(json_of(modes));
    return kDone;
  }
  Table table({"mode", "frequency, Hz", "damping ratio", "real, 1/s", "imaginary, 1/s", "motion"});
  int number = 0;
  const Mode* worst = nullptr;
  for (const Mode& mode : modes) {
    table.add({std::to_string(++number), fmt::format("{:.8g}", mode.frequency),
               fmt::format("{:.6g}", mode.damping + 0.0), fmt::format("{:.6g}", mode.real),
               fmt::format("{:.6g}", mode.imaginary), mode.motion});
    if (mode.grows() && (!worst || mode.real > worst->real)) worst = &mode;
  }
  print(bold(model.name.empty() ? "mechanism" : model.name) +
        (a.at_start ? ": about the start\n"
         : turning  ? ": about the equilibrium, turning\n"
                    : ": about the equilibrium\n") +
        (modes.empty() ? "  no free motion\n" : table.text()));
  if (worst)
    print(fmt::format("  unstable: {} grows e-fold in {:.4g} s\n",
                      worst->imaginary > 0
                          ? fmt::format("an oscillation of {:.6g} Hz", worst->frequency)
                          : std::string("a motion away from it"),
                      1 / worst->real));
  else if (!modes.empty())
    print("  stable: no mode grows\n");
  return kDone;
}

}  // namespace freeplay::cli
