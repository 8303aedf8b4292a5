// SPDX-License-Identifier: Apache-2.0
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <string_view>
#include <vector>

// A model read, assembled and run without a file: what `freeplay run` costs without its results
// (bench/record_cost.py).
int main(int argc, char** argv) {
  using namespace freeplay;
  if (argc < 2) return 2;
  if (std::string_view(argv[1]) == "--nothing") return 0;
  LoadOptions options;
  std::vector<Issue> warnings;
  options.warnings = &warnings;
  for (int i = 2; i + 1 < argc; i += 2) options.overrides.push_back({argv[i], argv[i + 1]});
  const Model model = load_model(argv[1], options);
  const RunResult result = run(model, assemble(model).start, {});
  fmt::print("{} steps\n", result.stats.steps);
  return result.status == RunStatus::done ? 0 : 1;
}
