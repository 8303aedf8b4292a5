// SPDX-License-Identifier: Apache-2.0
#include "arguments_gradient.hpp"

#include "arguments_shared.hpp"

#include <CLI/CLI.hpp>

namespace freeplay::cli {

const char* const kGradientExamples =
    "freeplay gradient engine.toml --of bodies/slider/velocity.x --wrt bodies.rod.mass --central";

void add_gradient_options(CLI::App& verb, GradientArguments& gradient) {
  auto* g = &verb;
  model_options(g, gradient.model, true);
  g->add_option(
       "--of", gradient.of,
       "A series at the end (bodies/slider/position.x) or at an instant (\"... at 3 ms\"), "
       "\"max SERIES\" (also min, range, mean, rms), the time of an event (\"touch 2 "
       "joints/pin\"); may be repeated")
      ->type_name("OUTPUT")
      ->allow_extra_args(false);
  g->add_option("--wrt", gradient.wrt, "A number of the model, as for --set; may be repeated")
      ->type_name("PATH")
      ->allow_extra_args(false);
  g->add_flag("--central", gradient.central,
              "Differences to both sides: twice the time, far more digits");
  g->add_option("--step", gradient.step,
                "By which numbers are moved, relative to them; default: 3e-7, with --central 3e-5")
      ->type_name("H")
      ->check(CLI::Range(1e-14, 0.1));
  g->add_option("--workers", gradient.workers, "Runs at a time; default: one per core")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
}

}  // namespace freeplay::cli
