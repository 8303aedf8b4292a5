// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/layout.hpp"
#include "dynamics/tree/tree.hpp"
#include "support/paths.hpp"
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <cstdio>
#include <cstring>

// Evaluates a mechanism a thousand times and does nothing else worth counting;
// tools/count_instructions runs it under callgrind and divides.
//   count_evaluation MODEL [cartesian|tree] [seconds before the state that is evaluated]
namespace {

__attribute__((noinline)) bool thousand_evaluations(freeplay::dynamics::System& system,
                                                    const freeplay::State& state, double* f) {
  bool ok = true;
  for (int k = 0; k < 1000; ++k)  // never twice at the same instant: a system remembers where it is
    ok &= system.derivative(state.time + (k % 2) * 1e-9, state.y.data(), state.memory.data(), f);
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace freeplay;
  const std::string name = argc > 1 ? argv[1] : "spatial_four_bar";
  const bool is_path = name.find('/') != std::string::npos;
  Model model = load_model(is_path ? std::filesystem::path(name)
                                   : testing::source_dir() / "mechanisms" / (name + ".toml"));
  if (!is_path)  // a shipped mechanism counts with ideal joints
    for (Joint& joint : model.joints) joint.clearance.reset();
  model.simulation.formulation =
      argc > 2 && !std::strcmp(argv[2], "tree") ? Formulation::tree : Formulation::cartesian;
  State state = assemble(model).start;
  if (argc > 3) {
    model.simulation.duration = std::atof(argv[3]);
    state = run(model, state, {}).final_state;
  }
  const auto system = dynamics::make_system(model);
  system->prepare(state);
  VecX f(system->size());
  for (int k = 0; k < 1000; ++k)  // until it is compiled, if it ever is
    if (!system->derivative(state.time, state.y.data(), state.memory.data(), f.data())) return 1;
  const bool ok = thousand_evaluations(*system, state, f.data());
  const auto* tree = dynamic_cast<dynamics::TreeSystem*>(system.get());
  const auto* cartesian = dynamic_cast<dynamics::Cartesian*>(system.get());
  std::printf("%s, %d bodies, %d states, %d rows", tree ? "tree" : "cartesian",
              static_cast<int>(model.bodies.size()) - 1, system->size() - system->work_size(),
              tree ? tree->rows() : cartesian->rows());
  return ok ? 0 : 1;
}
