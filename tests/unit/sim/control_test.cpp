// SPDX-License-Identifier: Apache-2.0
#include "dynamics/control/control.hpp"

#include "dynamics/system.hpp"
#include "model/words.hpp"
#include "support/recording.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/simulator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

// Signals and controllers in a run: the same in both formulations and with every integrator,
// derivatives exact, saved and restored to the last bit.
namespace freeplay::testing {
namespace {

using ::testing::HasSubstr;

/// Two arms, each joint with something to follow: lags, limits, delays, samples.
Model arm(const std::string& run = "") {
  return model_from(R"toml(
    [mechanism]
    planar = true
    gravity = [0, -9.81]
    [bodies.upper]
    mass = 1
    inertia = 0.1
    position = [0.25, 0]
    [bodies.lower]
    mass = 0.5
    inertia = 0.05
    position = [0.75, 0]
    [markers.tip]
    body = "lower"
    at = [1, 0]
    [joints.shoulder]
    type = "revolute"
    bodies = ["ground", "upper"]
    at = [0, 0]
    [joints.elbow]
    type = "revolute"
    bodies = ["upper", "lower"]
    at = [0.5, 0]
    [signals.height]
    formula = "0.3 - markers/tip/position.y"
    filter = "20 ms"
    [signals.late]
    formula = "joints/elbow/rate*bodies/upper/velocity.y"
    delay = "30 ms"
    [controllers.lift]
    law = "pid"
    input = "height"
    kp = 20
    ki = 10
    kd = 2
    derivative_filter = "10 ms"
    limit = [-12, 12]
    [controllers.bend]
    law = "state-feedback"
    input = ["joints/elbow/coordinate", "joints/elbow/rate", "late"]
    gains = [2, 0.3, 0.1]
    [controllers.ticking]
    law = "pid"
    input = "height"
    kp = 1
    ki = 2
    sample_time = "7 ms"
    computation_delay = "2 ms"
    [efforts.shoulder]
    joint = "shoulder"
    magnitude = { signal = "lift" }
    [efforts.elbow]
    joint = "elbow"
    magnitude = { signal = "bend" }
    [torques.ticking]
    body = "lower"
    magnitude = { signal = "ticking" }
    [forces.push]
    body = "lower"
    direction = [1, 2]
    frame = "body"
    magnitude = { signal = "height" }
    [simulation]
    duration = 0.5
    output = 0.05
  )toml" + run);
}

class EachFormulation : public ::testing::TestWithParam<Formulation> {};

TEST_P(EachFormulation, JacobianIsTheDerivativeOfTheEquations) {
  Model model = arm();
  model.simulation.formulation = GetParam();
  Simulator simulator(model);
  ASSERT_EQ(simulator.advance(0.2), Stopped::at_time) << simulator.result().reason;
  const State state = simulator.state();
  const auto system = dynamics::make_system(model);
  system->prepare(state);
  MatX J;
  const double t = state.time;
  ASSERT_TRUE(system->jacobian(t, state.y.data(), state.memory.data(), J));
  VecX plus(system->size()), minus(system->size());
  for (int c = 0; c < system->size(); ++c) {
    const double h = 1e-6 * std::max(1.0, std::abs(state.y[c]));
    VecX y = state.y;
    y[c] += h;
    ASSERT_TRUE(system->derivative(t, y.data(), state.memory.data(), plus.data()));
    y[c] -= 2 * h;
    ASSERT_TRUE(system->derivative(t, y.data(), state.memory.data(), minus.data()));
    const VecX difference = (plus - minus) / (2 * h);
    EXPECT_LT((difference - J.col(c)).cwiseAbs().maxCoeff(), 1e-6 * (1 + J.cwiseAbs().maxCoeff()))
        << "column " << c << " " << system->layout()->owner(c);
  }
}

INSTANTIATE_TEST_SUITE_P(ControlTest, EachFormulation,
                         ::testing::Values(Formulation::cartesian, Formulation::tree),
                         [](const auto& which) {
                           return which.param == Formulation::tree ? "tree" : "cartesian";
                         });

TEST(ControlTest, FormulationsAndIntegratorsAgree) {
  Model model = arm();
  model.simulation.tolerance = 1e-10;
  const Simulated reference = simulate(model);
  const auto end = [&](const Recording& s) {
    return Vec3(s.at("joints/elbow/coordinate", 0.5), s.at("controllers/lift/output", 0.5),
                s.at("controllers/ticking/output", 0.5));
  };
  const Vec3 expected = end(reference.series);
  for (const Formulation formulation : {Formulation::cartesian, Formulation::tree})
    for (const Method method :
         {Method::dop853, Method::radau, Method::cvode_bdf, Method::cvode_adams, Method::arkode_erk,
          Method::arkode_dirk, Method::rk4}) {
      model.simulation.formulation = formulation;
      model.simulation.method = method;
      model.simulation.step = method == Method::rk4 ? 1e-3 : 0;
      const Simulated s = simulate(model);
      EXPECT_LT((end(s.series) - expected).cwiseAbs().maxCoeff(), 2e-6)
          << name_of(method) << (formulation == Formulation::tree ? " tree" : " cartesian");
    }
}

bool same_bits(const State& a, const State& b) {
  return a.time == b.time && a.y.size() == b.y.size() && a.memory.size() == b.memory.size() &&
         std::memcmp(a.y.data(), b.y.data(),
                     sizeof(double) * static_cast<std::size_t>(a.y.size())) == 0 &&
         std::memcmp(a.memory.data(), b.memory.data(), sizeof(double) * a.memory.size()) == 0;
}

TEST(ControlTest, SavedAndRestoredToTheLastBit) {
  for (const Formulation formulation : {Formulation::cartesian, Formulation::tree}) {
    Model model = arm();
    model.simulation.formulation = formulation;
    // In the middle of a step, of a sample's computation, and of the first delay.
    for (const double t : {0.0205, 0.0358, 0.2001}) {
      Simulator one(model), other(model);
      ASSERT_EQ(one.advance(t), Stopped::at_time) << one.result().reason;
      ASSERT_TRUE(other.restore(one.save())) << other.result().reason;
      ASSERT_EQ(one.advance(t + 0.15), Stopped::at_time);
      ASSERT_EQ(other.advance(t + 0.15), Stopped::at_time) << other.result().reason;
      EXPECT_TRUE(same_bits(one.state(), other.state())) << t;
    }
  }
}

TEST(ControlTest, PiecesDoNotShow) {
  const Model model = arm();
  Simulator whole(model), pieces(model);
  ASSERT_EQ(whole.advance(0.5), Stopped::at_time) << whole.result().reason;
  for (int k = 1; k <= 1000; ++k) ASSERT_EQ(pieces.advance(0.5 * k / 1000), Stopped::at_time);
  EXPECT_TRUE(same_bits(whole.state(), pieces.state()));
}

TEST(ControlTest, RejectedStepsLeaveNoTrace) {
  Model model = arm();
  model.simulation.tolerance = 1e-10;
  RunOptions refuse;
  refuse.reject_every = 2;
  const Simulated plain = simulate(model), refused = simulate(model, refuse);
  EXPECT_NEAR(plain.series.at("joints/elbow/coordinate", 0.5),
              refused.series.at("joints/elbow/coordinate", 0.5), 1e-8);
}

TEST(ControlTest, AStateAloneDoesNotKnowThePast) {
  const Model model = arm();
  Simulator simulator(model);
  ASSERT_EQ(simulator.advance(0.2), Stopped::at_time);
  State bare = simulator.state();
  bare.stepping.clear();
  try {
    Simulator other(model, bare);
    FAIL() << "it cannot go on from here";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not know what delayed signals"));
  }
}

TEST(ControlTest, MethodsThatDoNotFitAreRefused) {
  for (const Method method : {Method::ida, Method::moreau}) {
    Model model = arm();
    model.simulation.formulation = Formulation::cartesian;
    model.simulation.method = method;
    model.simulation.step = 1e-3;
    try {
      Simulator simulator(model);
      FAIL() << name_of(method) << " takes no signals";
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string(name_of(method)) +
                                          " does not take signals and controllers"));
    }
  }
}

}  // namespace
}  // namespace freeplay::testing
