// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"
#include "support/trusses.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// What steps over impacts cost (theory/time_stepping):
//   - the half second of the mast of 40 frictional pins in steps of 10 us: at most 6 CPU s;
//   - a step per pin of masts of 40 to 4000: within a factor of 1.5; a factorisation per pin of
//     rings: within 2;
//   - two faces that press with two corners each, all of them redundant, against one corner each:
//     no more per factorisation.
//   stepping_cost [--check]   brief runs only, and no bound on seconds
// Fails when a bound is broken.
namespace {

using namespace freeplay;

void make_rigid(Model& model, double friction) {
  for (Joint& joint : model.joints) {
    if (!joint.clearance) continue;
    joint.clearance->contact = {"newton", {{"restitution", 0.5}}};
    joint.clearance->friction.reset();
    if (friction > 0) joint.clearance->friction = LawChoice{"coulomb", {{"kinetic", friction}}};
  }
  model.simulation.method = Method::moreau;
  model.simulation.formulation = Formulation::cartesian;
  model.simulation.step = 1e-5;
}

RunResult result_of(Model model, double duration) {
  model.simulation.duration = duration;
  model.simulation.output = duration;
  const RunResult out = run(model, assemble(model).start, {});
  if (out.time < duration) {
    fmt::print(stderr, "stopped at {} s: {}\n", out.time, out.reason);
    std::exit(1);
  }
  return out;
}

struct Cost {
  double step = 0, factorisation = 0;  // CPU seconds per pin
};

/// Of a step per pin, the least of `repeats`: of the second half of a run, so that what
/// comes once (the pattern of the matrix, the first output) does not count.
Cost step_per_pin(bool mast, int units, double duration, int repeats) {
  Model model = mast ? testing::scissor_mast(units) : testing::ring_truss(units);
  make_rigid(model, 0.1);
  const int pins = 3 * units - (mast ? 2 : 0);
  double least = 0, factorisations = 0;
  for (int k = 0; k < repeats; ++k) {
    const RunResult half = result_of(model, 0.5 * duration), whole = result_of(model, duration);
    const auto steps = static_cast<double>(whole.stats.steps - half.stats.steps);
    const double each = (whole.stats.cpu_seconds - half.stats.cpu_seconds) / steps / pins;
    least = k == 0 ? each : std::min(least, each);
    factorisations = static_cast<double>(whole.stats.jacobians - half.stats.jacobians) / steps;
  }
  fmt::print("| {} | {} | {:.2f} | {:.3f} |\n", mast ? "mast" : "ring", pins, factorisations,
             1e6 * least);
  std::fflush(stdout);
  return {least, least / factorisations};
}

bool holds_growth(bool mast, bool brief) {
  // Of a ring all pins strike at once: the more there are, the more often a mode changes in a step.
  // There it is the factorisation that must not grow.
  double least = 0, most = 0;
  for (const int units : brief ? std::vector{14, 67} : std::vector{14, 134, 1334}) {
    const Cost cost = step_per_pin(mast, units, 8e-3, units > 1000 ? 2 : 5);
    const double each = mast ? cost.step : cost.factorisation;
    least = least > 0 ? std::min(least, each) : each;
    most = std::max(most, each);
  }
  const double bound = mast ? 1.5 : 2;
  fmt::print("{}: largest over smallest {:.2f}, at most {}\n",
             mast ? "step per pin of masts" : "factorisation per pin of rings", most / least,
             bound);
  return most <= bound * least;
}

/// A block in a guide that presses its face; `corners`: with two corners, or with a round pin.
RunResult pressed(bool corners) {
  const std::string joint = corners ? R"(
type = "prismatic"
bodies = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
[joints.guide.clearance]
guide_width = 0.102
slider_width = 0.1
slider_length = 0.2
)"
                                    : R"(
type = "point-on-line"
bodies = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
[joints.guide.clearance]
slot_radius = 0.051
pin_radius = 0.05
)";
  const Model model = parse_model(R"TOML(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.block]
mass = 2
inertia = 0.01
position = [0, 0]
velocity = [1, 0]
[joints.guide])TOML" + joint + R"TOML(
offset = [0, -1e-3]
contact = { law = "newton", restitution = 0.4 }
friction = { law = "coulomb", kinetic = 0.1 }
[forces.shaker]
body = "block"
direction = [1, 0]
magnitude = { formula = "5*sin(300*t)" }
[simulation]
integrator = "moreau"
step = 1e-4
duration = 1
)TOML",
                                  "pressed.toml");
  RunResult least;
  for (int k = 0; k < 3; ++k) {
    const RunResult out = result_of(model, 1);
    if (k == 0 || out.stats.cpu_seconds < least.stats.cpu_seconds) least = out;
  }
  fmt::print("{}: {} steps, {} factorisations, {:.3f} CPU s\n",
             corners ? "a face on two corners" : "one round pin", least.stats.steps,
             least.stats.jacobians, least.stats.cpu_seconds);
  return least;
}

bool redundant_faces_hold() {
  const RunResult face = pressed(true), pin = pressed(false);
  const double factorisations =
      static_cast<double>(face.stats.jacobians) / static_cast<double>(pin.stats.jacobians);
  const double time = face.stats.cpu_seconds / pin.stats.cpu_seconds;
  // Two contacts instead of one, each with a row of friction: twice the work at most.
  fmt::print(
      "redundant face over one pin: {:.2f} times the factorisations, at most 1.5; {:.2f} "
      "times the CPU time, at most 3\n",
      factorisations, time);
  return factorisations <= 1.5 && time <= 3;
}

bool mast_holds() {
  Model model = testing::scissor_mast(14);
  make_rigid(model, 0.1);
  const RunResult out = result_of(model, 0.5);
  fmt::print(
      "mast of 40 pins, 0.5 s in steps of 10 us: {:.2f} CPU s, at most 6; {} factorisations "
      "in {} steps\n",
      out.stats.cpu_seconds, out.stats.jacobians, out.stats.steps);
  return out.stats.cpu_seconds <= 6;
}

}  // namespace

int main(int argc, char** argv) {
  const bool brief = argc > 1 && std::string(argv[1]) == "--check";
  fmt::print("| truss | pins | factorisations a step | us a step and pin |\n|---|---|---|---|\n");
  const bool masts = holds_growth(true, brief), rings = holds_growth(false, brief);
  const bool faces = redundant_faces_hold();
  const bool whole = brief || mast_holds();
  return masts && rings && faces && whole ? 0 : 1;
}
