// SPDX-License-Identifier: Apache-2.0
#include <freeplay/assembly.hpp>
#include <freeplay/load.hpp>
#include <freeplay/plugins.hpp>
#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

// What laws of users cost: five laws of the catalogue, as formulas and as compiled code, in the
// slider-crank with play. `--check` fails where a formula takes more than 1.2 times the CPU time
// of the law of the catalogue, or compiled code more than 1.5 times.
namespace {

using namespace freeplay;

constexpr double kFormula = 1.2, kCode = 1.5;
constexpr int kRounds = 15;
constexpr double kSeconds = 0.06;  // simulated

// K d^n (1 + b v/v0) + D v, which all five are.
int force(const double* at, const double* p, int slopes, double* out, void*) {
  const double d = at[0], elastic = p[1] == 1 ? p[0] * d : p[0] * d * std::sqrt(d),
               damper = 1 + p[2] * at[1] / at[2];
  out[0] = elastic * damper + p[3] * at[1];
  if (slopes) {
    out[1] = p[1] * elastic / d * damper;
    out[2] = elastic * p[2] / at[2] + p[3];
  }
  return 0;
}

struct Law {
  std::string name, built_in, formula, code;
};

const std::vector<Law>& laws() {
  static const std::string K = "K = 6.61e10", e = "e = 0.9";
  static const std::vector<Law> all{
      {"hertz", R"(law = "hertz", stiffness = 6.61e10)", R"x(force = "K*d^1.5", )x" + K, K},
      {"hunt-crossley", R"(law = "hunt-crossley", stiffness = 6.61e10, restitution = 0.9)",
       R"x(force = "K*d^1.5*(1 + 3/2*(1 - e)*v/v0)", )x" + K + ", " + e, K + ", b = 0.15"},
      {"lankarani-nikravesh",
       R"(law = "lankarani-nikravesh", stiffness = 6.61e10, restitution = 0.9)",
       R"x(force = "K*d^1.5*(1 + 3/4*(1 - e^2)*v/v0)", )x" + K + ", " + e, K + ", b = 0.1425"},
      {"flores", R"(law = "flores", stiffness = 6.61e10, restitution = 0.9)",
       R"x(force = "K*d^1.5*(1 + 8/5*(1 - e)/e*v/v0)", )x" + K + ", " + e,
       K + ", b = " + fmt::format("{:.17g}", 8.0 / 5 * 0.1 / 0.9)},
      {"kelvin-voigt", R"(law = "kelvin-voigt", stiffness = 1e8, damping = 300)",
       R"x(force = "K*d + D*v", K = 1e8, D = 300)x", "K = 1e8, n = 1, D = 300"}};
  return all;
}

Model with(const std::string& contact) {
  LoadOptions options;
  std::vector<Issue> warnings;
  options.warnings = &warnings;
  options.overrides = {{"joints.pin.clearance.contact", "{ " + contact + " }"},
                       {"simulation.duration", fmt::format("{}", kSeconds)}};
  return load_model("examples/07_clearance/slider_crank.toml", options);
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Cost {
  double seconds = INFINITY;
  std::int64_t evaluations = 0;
  [[nodiscard]] double each() const { return 1e9 * seconds / static_cast<double>(evaluations); }
};

/// Impacts multiply the last digits that two texts of a law differ by: what counts is the time
/// of one evaluation.
void measure(const Model& model, const State& start, Cost& cost) {
  const double begin = cpu_seconds();
  const RunResult result = run(model, start, {});
  cost.seconds = std::min(cost.seconds, cpu_seconds() - begin);
  cost.evaluations = result.stats.evaluations;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc > 1 && std::string_view(argv[1]) == "--check";
  constexpr double none = NAN;
  const freeplay_parameter numbers[] = {{"K", "", "", none, 0, 1e15},
                                        {"n", "1", "", 1.5, 1, 1.5},
                                        {"b", "1", "", 0, 0, 10},
                                        {"D", "N s/m", "", 0, 0, 1e9}};
  const auto add = [&](const char* name, int slopes) {
    register_law({"contact", name, "", slopes, 4, numbers, &force, nullptr});
  };
  add("bench", FREEPLAY_EXACT_SLOPES);
  bool good = true;
  fmt::print("{:<22}{:>12}{:>12}{:>8}{:>12}{:>8}\n", "ns an evaluation", "catalogue", "formula", "",
             "compiled", "");
  for (const Law& law : laws()) {
    const Model models[] = {with(law.built_in), with("law = \"expression\", " + law.formula),
                            with("law = \"plugin\", plugin = \"@bench\", " + law.code)};
    std::vector<State> starts;
    for (const Model& model : models) starts.push_back(assemble(model).start);
    Cost cost[3];
    for (int round = 0; round < kRounds; ++round)  // in turn, so that all see the same machine
      for (int k = 0; k < 3; ++k) measure(models[k], starts[static_cast<std::size_t>(k)], cost[k]);
    const double formula = cost[1].each() / cost[0].each(), code = cost[2].each() / cost[0].each();
    fmt::print("{:<22}{:>12.1f}{:>12.1f}{:>8.2f}{:>12.1f}{:>8.2f}\n", law.name, cost[0].each(),
               cost[1].each(), formula, cost[2].each(), code);
    good = good && formula <= kFormula && code <= kCode;
  }
  if (!good) fmt::print("a law of the user costs too much: at most {} and {}\n", kFormula, kCode);
  return good || !check ? 0 : 1;
}
