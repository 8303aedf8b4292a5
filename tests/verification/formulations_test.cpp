// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/choice.hpp"
#include "support/models.hpp"
#include "support/paths.hpp"
#include "support/recording.hpp"
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <gtest/gtest.h>

#include <cstdio>

// Two formulations, one answer (theory/tree): every shipped mechanism is run with both.
namespace freeplay {
namespace {

/// Positions of all bodies at the end of a run.
class LastPositions final : public Observer {
 public:
  bool wants_peaks() const override { return false; }
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

struct Outcome {
  std::vector<double> positions;
  RunResult result;
};
Outcome simulate(Model model, Formulation formulation, double tolerance) {
  model.simulation.formulation = formulation;
  model.simulation.tolerance = tolerance;
  LastPositions last;
  Observer* observers[] = {&last};
  Outcome out;
  out.result = run(model, assemble(model).start, observers);
  out.positions = last.values;
  return out;
}
double difference(const Outcome& a, const Outcome& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.positions.size(); ++k)
    worst = std::max(worst, std::abs(a.positions[k] - b.positions[k]));
  return worst;
}

class BothFormulations : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Shipped, BothFormulations,
                         ::testing::ValuesIn(testing::shipped_mechanisms()),
                         [](const auto& test) { return test.param; });

TEST_P(BothFormulations, AgreeWithinTheirOwnErrors) {
  Model model = load_model(testing::source_dir() / "mechanisms" / (GetParam() + ".toml"));
  model.simulation.analysis = Analysis::dynamic;
  model.simulation.baumgarte.reset();
  if (model.simulation.method == Method::ida) model.simulation.method = Method::automatic;
  ASSERT_EQ(dynamics::tree_misfit(model), "");
  const double L = scales_of(model).length, tolerance = 1e-9;
  // At most twice the sum of both runs' own errors, each against a hundredth of its
  // tolerance, up to the time where sensitivity has raised those above 1e-6 m.
  for (double end = std::min(model.simulation.duration, 0.15);; end /= 2) {
    model.simulation.duration = model.simulation.output = end;
    const Outcome a = simulate(model, Formulation::cartesian, tolerance),
                  b = simulate(model, Formulation::tree, tolerance);
    ASSERT_EQ(a.result.status, RunStatus::done) << a.result.reason;
    ASSERT_EQ(b.result.status, RunStatus::done) << b.result.reason;
    ASSERT_FALSE(a.positions.empty());
    const Outcome fine_a = simulate(model, Formulation::cartesian, tolerance / 100),
                  fine_b = simulate(model, Formulation::tree, tolerance / 100);
    const double own_a = difference(a, fine_a), own_b = difference(b, fine_b);
    if (std::max(own_a, own_b) > 1e-6) {
      ASSERT_GT(end, 1e-3) << "never predictable";
      continue;
    }
    std::printf("    %-24s after %.4f s: apart %.1e m, own errors %.1e and %.1e m\n",
                GetParam().c_str(), end, difference(a, b), own_a, own_b);
    EXPECT_LT(difference(a, b), 2 * (own_a + own_b) + 1e-12 * L) << "after " << end << " s";
    // The count of touches has errors of its own: one that just grazes may or may not happen.
    const auto apart = [](const Outcome& x, const Outcome& y) {
      return std::abs(static_cast<double>(x.result.contacts - y.result.contacts));
    };
    EXPECT_LE(apart(a, b), apart(a, fine_a) + apart(b, fine_b)) << "after " << end << " s";
    break;
  }
}

// papers/marques_2017 F1 with c = 0.2 mm and tanh friction: rocker height and number of contacts.
TEST(FourBarWithPlay, TreeReproducesTheReference) {
  Model model =
      load_model(testing::source_dir() / "bench" / "models" / "spatial_four_bar_clearance.toml");
  model.simulation.duration = 0.5;
  model.simulation.output = 0.5;
  const Outcome out = simulate(model, Formulation::automatic, 1e-11);
  ASSERT_EQ(out.result.status, RunStatus::done) << out.result.reason;
  EXPECT_NEAR(out.positions.back(), 0.028032113143, 3e-11);
  EXPECT_EQ(out.result.contacts, 23);
}

}  // namespace
}  // namespace freeplay
