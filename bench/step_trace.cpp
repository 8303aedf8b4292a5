// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

// How the steps of one run go, slice by slice of its time: their number and median, what was
// rejected, evaluated and factorised, which events there were, CPU time.
//   step_trace MODEL DURATION SLICE [TOLERANCE [METHOD]]
namespace {

using namespace freeplay;

class Slices final : public Observer {
 public:
  explicit Slices(double width) : width_(width) {}
  bool wants_peaks() const override { return false; }
  void step(const State& state, std::span<const double>, const StepInfo& info) override {
    while (state.time > (at_ + 1) * width_) close();
    if (info.step <= 0) return;
    steps_.push_back(info.step);
    order_ += info.order;
    last_ = info;
  }
  void event(const Event& event) override { ++kinds_[event.kind]; }
  void end(const RunResult&) override { close(); }

 private:
  void close() {
    std::sort(steps_.begin(), steps_.end());
    const auto part = [&](double share) {
      return steps_.empty() ? 0.0 : steps_[static_cast<std::size_t>(share * (steps_.size() - 1))];
    };
    std::string events;
    for (const auto& [kind, count] : kinds_) events += fmt::format(" {}={}", kind, count);
    fmt::print("{:.6g}\t{}\t{:.3g}\t{:.3g}\t{:.3g}\t{:.1f}\t{}\t{}\t{}\t{:.3f}\t{}\n",
               (at_ + 1) * width_, steps_.size(), part(0.1), part(0.5), part(0.9),
               steps_.empty() ? 0.0 : order_ / steps_.size(), last_.rejected - before_.rejected,
               last_.evaluations - before_.evaluations, last_.jacobians - before_.jacobians,
               bench::cpu_seconds() - cpu_, events);
    std::fflush(stdout);
    cpu_ = bench::cpu_seconds();
    before_ = last_;
    steps_.clear();
    kinds_.clear();
    order_ = 0;
    ++at_;
  }
  double width_, cpu_ = bench::cpu_seconds(), order_ = 0;
  int at_ = 0;
  std::vector<double> steps_;
  std::map<std::string, int> kinds_;
  StepInfo last_, before_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  Model model = load_model(argv[1]);
  model.simulation.duration = std::atof(argv[2]);
  model.simulation.output = model.simulation.duration;
  if (argc > 4) model.simulation.tolerance = std::atof(argv[4]);
  if (argc > 5)
    for (const auto& [name, method] :
         {std::pair{"dop853", Method::dop853}, std::pair{"cvode-bdf", Method::cvode_bdf}})
      if (std::string(argv[5]) == name) model.simulation.method = method;
  Slices slices(std::atof(argv[3]));
  Observer* observers[] = {&slices};
  RunOptions options;
  if (const char* limit = std::getenv("LIMIT")) options.time_limit = std::atof(limit);
  fmt::print(
      "until s\tsteps\t10 %\tmedian s\t90 %\torder\trejected\tevaluations\tJacobians\tCPU "
      "s\tevents\n");
  const RunResult result = run(model, assemble(model).start, observers, options);
  fmt::print(
      "t = {:.9g} s, {} steps, {} rejected, {} evaluations, {} Jacobians, {} events, {:.2f} CPU s "
      "{}\n",
      result.time, result.stats.steps, result.stats.rejected, result.stats.evaluations,
      result.stats.jacobians, result.stats.events, result.stats.cpu_seconds, result.reason);
  VecX y = result.final_state.y;
  if (const char* out = std::getenv("FINAL")) {
    std::FILE* file = std::fopen(out, "w");
    for (double x : y) fmt::print(file, "{:.17g}\n", x);
    std::fclose(file);
  }
}
