// SPDX-License-Identifier: Apache-2.0
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <cstdio>
#include <exception>

/// Runs the model of a file, compiled and in plain code. Returns 0 where both end well, at the same
/// state to the last bit.
extern "C" int run_both_ways(const char* file) {
  try {
    const freeplay::Model model = freeplay::load_model(file);
    const freeplay::State start = freeplay::assemble(model).start;
    const freeplay::RunResult compiled = freeplay::run(model, start, {}, {.compile = true}),
                              plain = freeplay::run(model, start, {}, {.compile = false});
    if (compiled.status != freeplay::RunStatus::done || plain.status != freeplay::RunStatus::done)
      return 1;
    std::printf("%lld steps, %lld contacts\n", static_cast<long long>(compiled.stats.steps),
                static_cast<long long>(compiled.contacts));
    return compiled.final_state.y == plain.final_state.y ? 0 : 2;
  } catch (const std::exception& problem) {
    std::fputs(problem.what(), stderr);
    return 3;
  }
}
