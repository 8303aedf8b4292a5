// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian.hpp"
#include "support/paths.hpp"
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <cstdio>

// Evaluates a mechanism a thousand times and does nothing else worth counting;
// tools/count_instructions runs it under callgrind and divides.
int main(int argc, char** argv) {
  using namespace freeplay;
  const char* name = argc > 1 ? argv[1] : "spatial_four_bar";
  const Model model =
      load_model(testing::source_dir() / "mechanisms" / (std::string(name) + ".toml"));
  const Assembly assembly = assemble(model);
  dynamics::Cartesian system(model);
  system.prepare(assembly.start);
  VecX f(system.size());
  bool ok = true;
  for (int k = 0; k < 1000; ++k)
    ok &= system.derivative(assembly.start.time, assembly.start.y.data(),
                            assembly.start.memory.data(), f.data());
  std::printf("%d bodies, %d rows, fill %zu\n", static_cast<int>(model.bodies.size()) - 1,
              system.rows(), system.kkt().fill());
  return ok ? 0 : 1;
}
