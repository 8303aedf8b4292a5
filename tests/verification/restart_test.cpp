// SPDX-License-Identifier: Apache-2.0
#include "model/words.hpp"
#include "support/recording.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

// A run that is taken up at a checkpoint goes on to the last bit as if it had never stopped: in the
// middle of impacts, with bristles, films, holds, and through changes of the method.
namespace freeplay::testing {
namespace {

/// Everything an observer is told, as numbers to be compared bit by bit, and checkpoints on the
/// way.
class Tape final : public Observer {
 public:
  explicit Tape(int every = 0) : every_(every) {}
  void step(const State& state, std::span<const double> row, const StepInfo& info) override {
    rows.emplace_back(row.begin(), row.end());
    rows.back().insert(rows.back().end(), state.y.begin(), state.y.end());
    rows.back().insert(rows.back().end(), state.memory.begin(), state.memory.end());
    rows.back().insert(rows.back().end(), {state.time, info.step, static_cast<double>(info.order)});
  }
  void uniform(double time, std::span<const double> row) override {
    grid.emplace_back(row.begin(), row.end());
    grid.back().push_back(time);
  }
  void event(const Event& e) override {
    events.push_back(e.joint + " " + e.kind + " " + std::to_string(e.contact) + " " +
                     std::to_string(e.time));
  }
  bool wants_checkpoint() override {
    return every_ > 0 && static_cast<int>(rows.size()) % every_ == 0;
  }
  void checkpoint(const State& state, const RunResult& so_far) override {
    if (every_ > 0)
      checkpoints.push_back({state, rows.size(), grid.size(), events.size(), so_far.stats});
  }

  struct Checkpoint {
    State state;
    std::size_t rows, grid, events;
    RunStats stats;
  };
  std::vector<std::vector<double>> rows, grid;
  std::vector<std::string> events;
  std::vector<Checkpoint> checkpoints;

 private:
  int every_;
};

bool same(const std::vector<std::vector<double>>& part, const std::vector<std::vector<double>>& all,
          std::size_t from) {
  return part.size() == all.size() - from &&
         std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(from),
                    [](const auto& a, const auto& b) {
                      return a.size() == b.size() &&
                             std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
                    });
}

void restarts_everywhere(Model model, int every) {
  const Assembly assembly = assemble(model);
  Tape whole(every);
  Observer* first[] = {&whole};
  const RunResult full = run(model, assembly.start, first);
  ASSERT_EQ(full.status, RunStatus::done) << full.reason;
  ASSERT_FALSE(whole.checkpoints.empty());
  // A dozen of them, spread over the run.
  const std::size_t stride = std::max<std::size_t>(1, whole.checkpoints.size() / 12);
  for (std::size_t k = 0; k < whole.checkpoints.size(); k += stride) {
    const Tape::Checkpoint& from = whole.checkpoints[k];
    ASSERT_FALSE(from.state.stepping.empty());
    Tape rest;
    Observer* second[] = {&rest};
    RunOptions options;
    options.go_on = true;
    const RunResult result = run(model, from.state, second, options);
    EXPECT_EQ(result.status, RunStatus::done) << result.reason;
    EXPECT_TRUE(same(rest.rows, whole.rows, from.rows)) << "from t = " << from.state.time;
    EXPECT_TRUE(same(rest.grid, whole.grid, from.grid)) << "from t = " << from.state.time;
    EXPECT_EQ(rest.events, std::vector<std::string>(
                               whole.events.begin() + static_cast<std::ptrdiff_t>(from.events),
                               whole.events.end()));
    EXPECT_EQ(result.stats.evaluations + from.stats.evaluations, full.stats.evaluations);
    EXPECT_EQ(result.stats.rejected + from.stats.rejected, full.stats.rejected);
  }
}

class Restart : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Mechanisms, Restart, ::testing::ValuesIn(shipped_mechanisms()),
                         [](const auto& test) { return test.param; });

TEST_P(Restart, GoesOnToTheLastBit) {
  Model model = load_imperfect(GetParam());
  model.simulation.duration = std::min(model.simulation.duration, 0.2);
  restarts_everywhere(model, 3);
}

TEST(RestartTest, WithTheOtherFormulation) {
  Model model = load_imperfect("slider_crank");
  model.simulation.formulation = Formulation::cartesian;
  model.simulation.duration = 0.05;
  restarts_everywhere(model, 7);
}

TEST(RestartTest, WithEveryIntegratorThatFits) {
  for (const Method method : methods()) {
    if (kind_of(method).constrained) continue;  // not in the tree
    SCOPED_TRACE(name_of(method));
    Model model = load_imperfect("slider_crank");
    model.simulation.method = method;
    model.simulation.step = 1e-6;
    model.simulation.duration = 0.02;
    restarts_everywhere(model, 3);
  }
}

TEST(RestartTest, WithDryFrictionThatSticksAndSlips) {
  restarts_everywhere(load_case("toggle_press"), 11);
}

/// Contact that keeps a dent, and a damper whose force is a state.
Model yielding(Formulation formulation) {
  Model model = load_imperfect("slider_crank");
  for (Joint& joint : model.joints)
    if (joint.clearance)
      joint.clearance->contact = {"walton-braun", {{"restitution", 0.7}, {"stiffness", 5e7}}};
  SeriesDamper damper;
  damper.along = JointCoordinate{JointIndex(0), Coordinate::angle};
  damper.damping = 0.01;
  damper.stiffness = 20;
  model.forces.push_back({"mount", damper, 0});
  model.simulation.formulation = formulation;
  model.simulation.duration = 0.01;
  return model;
}

TEST(RestartTest, WithALawThatRemembersAndAForceWithAState) {
  for (const Formulation formulation : {Formulation::cartesian, Formulation::tree})
    restarts_everywhere(yielding(formulation), 1);
}

TEST(RestartTest, AStepMemoryOfAnotherMethodIsRefused) {
  Model model = load_imperfect("slider_crank");
  model.simulation.duration = 0.01;
  Tape tape(3);
  Observer* observers[] = {&tape};
  static_cast<void>(run(model, assemble(model).start, observers));
  ASSERT_FALSE(tape.checkpoints.empty());
  State state = tape.checkpoints.back().state;
  state.stepping.pop_back();
  RunOptions options;
  options.go_on = true;
  EXPECT_THROW(static_cast<void>(run(model, state, {}, options)), std::invalid_argument);
}

}  // namespace
}  // namespace freeplay::testing
