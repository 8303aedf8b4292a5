// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree.hpp"
#include "support/models.hpp"
#include "support/paths.hpp"
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <gtest/gtest.h>

#include <filesystem>

// Two formulations, one answer (design 4): every shipped mechanism is run with both.
namespace freeplay {
namespace {

/// Positions of all bodies at the end of a run.
class LastPositions final : public Observer {
 public:
  std::vector<double> values;
  void begin(const RunHeader& header) override {
    for (const Channel& channel : header.channels)
      if (channel.path.starts_with("bodies/") && channel.path.ends_with("/position"))
        channels_.push_back(channel);
  }
  void uniform(double, std::span<const double> row) override {
    values.clear();
    for (const Channel& channel : channels_)
      for (int k = 0; k < channel.width; ++k) values.push_back(row[channel.offset + k]);
  }

 private:
  std::vector<Channel> channels_;
};

struct Run {
  std::vector<double> positions;
  RunResult result;
};
Run simulate(Model model, Formulation formulation, double tolerance) {
  model.simulation.formulation = formulation;
  model.simulation.tolerance = tolerance;
  LastPositions last;
  Observer* observers[] = {&last};
  Run out;
  out.result = run(model, assemble(model).start, observers);
  out.positions = last.values;
  return out;
}
double difference(const Run& a, const Run& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.positions.size(); ++k)
    worst = std::max(worst, std::abs(a.positions[k] - b.positions[k]));
  return worst;
}

std::vector<std::string> shipped() {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::source_dir() / "mechanisms"))
    if (entry.path().extension() == ".toml") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

class BothFormulations : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Shipped, BothFormulations, ::testing::ValuesIn(shipped()),
                         [](const auto& test) { return test.param; });

TEST_P(BothFormulations, AgreeWithinTheirOwnErrors) {
  Model model = load_model(testing::source_dir() / "mechanisms" / (GetParam() + ".toml"));
  model.simulation.analysis = Analysis::dynamic;
  model.simulation.baumgarte.reset();
  if (model.simulation.method == Method::ida) model.simulation.method = Method::automatic;
  // Short enough that nothing has become chaotic, long enough for impacts and turns.
  model.simulation.duration = std::min(model.simulation.duration, 0.15);
  model.simulation.output = model.simulation.duration;
  if (const std::string why = dynamics::tree_misfit(model); !why.empty()) GTEST_SKIP() << why;
  const double L = scales_of(model).length, tolerance = 1e-9;
  const Run a = simulate(model, Formulation::cartesian, tolerance),
            b = simulate(model, Formulation::tree, tolerance);
  ASSERT_EQ(a.result.status, RunStatus::done) << a.result.reason;
  ASSERT_EQ(b.result.status, RunStatus::done) << b.result.reason;
  ASSERT_FALSE(a.positions.empty());
  EXPECT_EQ(a.result.contacts, b.result.contacts);
  // Issue 4: at most twice the sum of both runs' own errors, each against a hundredth of its
  // tolerance.
  const double own = difference(a, simulate(model, Formulation::cartesian, tolerance / 100)) +
                     difference(b, simulate(model, Formulation::tree, tolerance / 100));
  EXPECT_LT(difference(a, b), 2 * own + 1e-12 * L);
  EXPECT_LT(difference(a, b), 1e-6 * L);
}

// papers F1 with c = 0.2 mm and tanh friction: rocker height and number of contacts.
TEST(FourBarWithPlay, TreeReproducesTheReference) {
  Model model =
      load_model(testing::source_dir() / "bench" / "models" / "spatial_four_bar_clearance.toml");
  model.simulation.duration = 0.5;
  model.simulation.output = 0.5;
  const Run out = simulate(model, Formulation::automatic, 1e-11);
  ASSERT_EQ(out.result.status, RunStatus::done) << out.result.reason;
  EXPECT_NEAR(out.positions.back(), 0.028032113143, 3e-11);
  EXPECT_EQ(out.result.contacts, 23);
}

}  // namespace
}  // namespace freeplay
