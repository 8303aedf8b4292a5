// SPDX-License-Identifier: Apache-2.0
#include "arguments_shared.hpp"

#include <freeplay/plugins.hpp>

#include <CLI/CLI.hpp>

namespace freeplay::cli {

void model_options(CLI::App* verb, ModelArguments& model, bool with_simulation) {
  verb->add_option("MODEL", model.file, "Model file (TOML)")->required();
  verb->add_option("--set", model.set, "Change one value of the model, e.g. bodies.rod.mass=0.3")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  plugins_option(verb);
  if (!with_simulation) return;
  verb->add_option("--tolerance", model.tolerance,
                   "Accuracy, relative to the mechanism's own scales")
      ->type_name("T");
  verb->add_option("--formulation", model.formulation, "auto, cartesian or tree")->type_name("F");
  verb->add_option("--integrator", model.integrator,
                   "auto, dop853, radau, cvode-adams, cvode-bdf, ...")
      ->type_name("I");
  verb->add_option("--duration", model.duration, "How long to simulate, e.g. 2 or \"20 ms\"")
      ->type_name("D");
}

void record_option(CLI::App* verb, ModelArguments& model) {
  verb->add_option(
          "--record", model.record,
          "What the result file keeps, e.g. \"{ series = ['bodies/ram/*'], every = 10 }\", "
          "\"{ every = 1 }\" (all steps), \"{ steps = false }\" (the uniform grid alone)")
      ->type_name("TABLE");
}

void plugins_option(CLI::App* verb) {
  verb->add_flag_callback(
      "--allow-plugins", [] { allow_plugins(); },
      "Run the compiled laws that the model names; they can do whatever you can");
}

}  // namespace freeplay::cli
