// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "interrupt.hpp"
#include "io/source_files.hpp"
#include "io/text.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "terminal.hpp"
#include <freeplay/gradient.hpp>

#include <fmt/format.h>

// `freeplay gradient`: how the results of a run change with numbers of its model.
namespace freeplay::cli {
namespace {

std::string unit_of_slope(const std::string& output, const std::string& variable) {
  if (variable == "1") return output;
  const bool compound = variable.find_first_of(" /") != std::string::npos;
  const std::string by = variable.empty() ? "SI unit" : variable;
  return output + "/" + (compound || variable.empty() ? "(" + by + ")" : by);
}

void print_output(const Gradient& found, const GradientOutput& output) {
  print(bold(output.name) + fmt::format(" = {:.12g} {}\n", output.value, output.unit));
  if (!output.refused.empty()) return warn(output.name + ": " + output.refused);
  Table table({"by", "slope", "+-", "unit"});
  for (std::size_t k = 0; k < found.variables.size(); ++k)
    table.add({found.variables[k].path, fmt::format("{:.9g}", output.slope[k]),
               fmt::format("{:.1e}", output.error[k]),
               unit_of_slope(output.unit, found.variables[k].unit)});
  print(table.text());
}

}  // namespace

int gradient_command(const GradientArguments& a) {
  if (a.of.empty())
    throw UsageError("the gradient of what? --of bodies/slider/position.x, say; may be repeated");
  if (a.wrt.empty())
    throw UsageError("with respect to what? --wrt bodies.rod.mass, say; may be repeated");
  ModelSource source{io::read_text(a.model.file), a.model.file, {}, {}};
  source.set = overrides_of(a.model);
  const Interrupt interrupt;
  GradientOptions options;
  options.of = a.of;
  options.wrt = a.wrt;
  options.central = a.central;
  options.step = a.step;
  options.workers = a.workers;
  options.stop = interrupt.flag();
  Gradient found;
  try {
    found = find_gradient(source, options);
  } catch (const NoGradient& error) {
    complain(error.what());
    if (a.json) print(json_of_error("failed", error.what(), {}));
    return interrupt.flag()->load() ? kInterrupted : kFailed;
  }
  bool refused = false;
  for (const GradientOutput& output : found.outputs) refused = refused || !output.refused.empty();
  if (a.json) {
    print(json_of(found));
    return refused ? kFailed : kDone;
  }
  for (const GradientOutput& output : found.outputs) print_output(found, output);
  Table tail;
  tail.add({"runs", fmt::format("{} beside the first; {:.3g} times its CPU time", found.neighbours,
                                found.cpu_seconds / found.run_seconds)});
  if (!found.horizon.empty())
    tail.add({"trusted until", fmt::format("t = {:.9g} s", found.trusted_until)});
  print(tail.text());
  return refused ? kFailed : kDone;
}

}  // namespace freeplay::cli
