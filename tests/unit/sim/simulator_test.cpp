// SPDX-License-Identifier: Apache-2.0
#include "support/allocations.hpp"
#include "support/recording.hpp"
#include <freeplay/simulator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace freeplay::testing {
namespace {

using ::testing::HasSubstr;

bool same_bits(const State& a, const State& b) {
  return a.time == b.time && a.y.size() == b.y.size() && a.memory.size() == b.memory.size() &&
         std::memcmp(a.y.data(), b.y.data(),
                     sizeof(double) * static_cast<std::size_t>(a.y.size())) == 0 &&
         std::memcmp(a.memory.data(), b.memory.data(), sizeof(double) * a.memory.size()) == 0;
}

/// Mechanisms with play, holds, films, bristles, and one that only follows its drives.
std::vector<Model> variety() {
  std::vector<Model> out;
  for (const char* name : {"slider_crank", "spatial_four_bar", "press", "governor"}) {
    Model model = load_imperfect(name);
    model.simulation.duration = std::min(model.simulation.duration, 0.02);
    model.simulation.output = 0;
    out.push_back(model);
  }
  Model model = load_mechanism("slider_crank");
  model.simulation.analysis = Analysis::kinematic;
  model.simulation.duration = 0.02;
  model.simulation.output = 0;
  out.push_back(model);
  return out;
}

TEST(SimulatorTest, PiecesDoNotShow) {
  for (const Model& model : variety()) {
    const Simulated whole = simulate(model);
    for (const int pieces : {1, 7, 1000}) {
      Simulator simulator(model);
      std::vector<Event> events;
      for (int k = 1; k <= pieces; ++k) {
        const double share = static_cast<double>(k) / pieces;
        const double to = k == pieces ? simulator.end()
                                      : model.simulation.start + share * model.simulation.duration;
        ASSERT_EQ(simulator.advance(to), Stopped::at_time) << simulator.result().reason;
        ASSERT_EQ(simulator.time(), to);
        ASSERT_EQ(simulator.state().time, to);
        events.insert(events.end(), simulator.events().begin(), simulator.events().end());
      }
      ASSERT_EQ(events.size(), static_cast<std::size_t>(whole.result.stats.events)) << model.name;
      // The same steps, so the same contacts: not to 1e-12 of the run but to the last bit.
      std::size_t seen = 0;
      for (const Event& event : whole.series.events) {
        if (event.joint == "integrator") continue;
        ASSERT_LT(seen, events.size());
        EXPECT_EQ(events[seen].kind, event.kind);
        EXPECT_EQ(events[seen].time, event.time);
        ++seen;
      }
      // A motion that is followed from pose to pose may show which were looked at, in its last
      // digits.
      const VecX &found = simulator.state().y, &expected = whole.result.final_state.y;
      const double slack = model.simulation.analysis == Analysis::kinematic ? 1e-12 : 0.0;
      EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), slack * expected.cwiseAbs().maxCoeff())
          << model.name << " in " << pieces;
      EXPECT_EQ(simulator.finish().status, RunStatus::done);
    }
  }
}

TEST(SimulatorTest, WhatIsSavedGoesOnToTheLastBit) {
  for (const Model& model : variety())
    for (const double share : {0.0, 0.137, 0.5, 0.93}) {
      Simulator simulator(model), other(model);
      const auto at = [&](double part) {
        return model.simulation.start + part * model.simulation.duration;
      };
      ASSERT_EQ(simulator.advance(at(share)), Stopped::at_time);
      const Saved saved = simulator.save();
      EXPECT_EQ(saved.time, at(share));
      const State here = simulator.state();
      ASSERT_EQ(simulator.advance(at(0.5 * (share + 1))), Stopped::at_time);
      const State middle = simulator.state();
      ASSERT_EQ(simulator.advance(simulator.end()), Stopped::at_time);
      const State end = simulator.state();
      for (Simulator* again : {&simulator, &other}) {  // that one, and one that was never there
        ASSERT_TRUE(again->restore(saved)) << again->result().reason;
        EXPECT_TRUE(same_bits(again->state(), here)) << model.name << " " << share;
        ASSERT_EQ(again->advance(at(0.5 * (share + 1))), Stopped::at_time);
        EXPECT_TRUE(same_bits(again->state(), middle)) << model.name << " " << share;
        ASSERT_EQ(again->advance(again->end()), Stopped::at_time);
        EXPECT_TRUE(same_bits(again->state(), end)) << model.name << " " << share;
      }
    }
}

TEST(SimulatorTest, AdvancingAllocatesNothing) {
  const std::vector<std::pair<const char*, double>> cases{{"slider_crank", 0.04},
                                                          {"spatial_four_bar", 0.2}};
  for (const auto& [name, duration] : cases) {
    Model model = load_imperfect(name);
    model.simulation.duration = duration;
    model.simulation.output = 0;
    // Longer than what strings keep without the heap: every event names its joint.
    for (Joint& joint : model.joints) joint.name += "_of_the_mechanism_under_test";
    Simulator simulator(model);
    // First contacts, whose lists find their sizes, and the machine code of the mechanism.
    ASSERT_EQ(simulator.advance(0.5 * duration), Stopped::at_time);
    static_cast<void>(simulator.state());
    std::size_t allocated = 0;
    std::size_t events = 0;
    for (int k = 1; k <= 100; ++k) {
      const std::size_t before = allocations();
      static_cast<void>(simulator.advance((0.5 + 0.004 * k) * duration));
      static_cast<void>(simulator.state());
      allocated += allocations() - before;
      events += simulator.events().size();
    }
    EXPECT_EQ(allocated, 0U) << name;
    EXPECT_GE(events, 5U) << name;
  }
}

/// A disc of 2 kg m^2 on a bearing.
Model disc(const std::string& more, double duration = 2) {
  return model_from(
      "[mechanism]\nplanar = true\ngravity = [0, 0]\n[bodies.disc]\nmass = 1\n"
      "inertia = 2\n[joints.hub]\ntype = \"revolute\"\nbodies = [\"ground\", "
      "\"disc\"]\nat = [0, 0]\n" +
      more + "\n[simulation]\nduration = " + std::to_string(duration) + "\n");
}
double reading(Simulator& simulator, const std::string& path) {
  const int column = simulator.column(path);
  EXPECT_GE(column, 0) << path;
  return column < 0 ? 0 : simulator.snapshot()[static_cast<std::size_t>(column)];
}

TEST(SimulatorTest, HeldInputsGiveTheClosedForm) {
  Simulator simulator(
      disc("[efforts.motor]\njoint = \"hub\"\nmagnitude = { input = \"torque\" }\n"));
  ASSERT_EQ(simulator.inputs(), std::vector<std::string>{"torque"});
  double angle = 0, rate = 0;
  for (int k = 0; k < 20; ++k) {
    const double u = std::sin(1.7 * k), h = 0.1;
    ASSERT_TRUE(simulator.set("torque", u));
    ASSERT_EQ(simulator.advance(h * (k + 1)), Stopped::at_time) << simulator.result().reason;
    angle += rate * h + 0.5 * u / 2 * h * h;
    rate += u / 2 * h;
    EXPECT_NEAR(reading(simulator, "joints/hub/coordinate"), angle, 1e-12);
    EXPECT_NEAR(reading(simulator, "joints/hub/rate"), rate, 1e-12);
    EXPECT_EQ(simulator.input("torque").x, u);
  }
  EXPECT_EQ(simulator.finish().status, RunStatus::done);  // the audit covers the work of inputs
}

/// A pendulum, for which nothing is known in closed form, with a torque on its pin.
Model pendulum(const std::string& magnitude) {
  return model_from(
      "[mechanism]\nplanar = true\ngravity = [0, -9.81]\n[bodies.bob]\nmass = 1\ninertia = 0.1\n"
      "position = [1, 0]\n[joints.pin]\ntype = \"revolute\"\nbodies = [\"ground\", \"bob\"]\n"
      "at = [0, 0]\n[efforts.motor]\njoint = \"pin\"\nmagnitude = " +
      magnitude + "\n[simulation]\nduration = 2\noutput = 0.5\ntolerance = 1e-11\n");
}

TEST(SimulatorTest, LinearInputsAreTheSameFunctionOfTime) {
  const Simulated expected = simulate(pendulum("{ polynomial = [1, 3] }"));
  Simulator simulator(pendulum("{ input = \"torque\", start = 1 }"));
  for (int k = 0; k < 40; ++k) {  // in forty ramps, one after the other
    const double until = 0.05 * (k + 1);
    ASSERT_TRUE(simulator.ramp("torque", 1 + 3 * until, until));
    ASSERT_EQ(simulator.advance(until), Stopped::at_time);
    if ((k + 1) % 10 == 0) {
      EXPECT_NEAR(reading(simulator, "bodies/bob/position.x"),
                  expected.series.at("bodies/bob/position.x", until), 1e-9);
    }
  }
  Simulator in_one(pendulum("{ input = \"torque\", start = 1 }"));
  ASSERT_TRUE(in_one.ramp("torque", 7, 2));
  ASSERT_EQ(in_one.advance(2), Stopped::at_time);
  EXPECT_NEAR(reading(in_one, "bodies/bob/position.x"),
              expected.series.at("bodies/bob/position.x", 2), 1e-9);
}

TEST(SimulatorTest, DrivenInputsFollowCubics) {
  // x(t) = 0.3 t^2 - 0.1 t^3 by the input, and by the file: motion, and the torque it takes.
  const auto model = [](const std::string& drive) {
    Model out = disc("drive = " + drive, 1);
    out.simulation.output = 0.25;
    return out;
  };
  const Simulated expected = simulate(model("{ polynomial = [0, 0, 0.3, -0.1] }"));
  Simulator simulator(model("{ input = \"angle\" }"));
  for (int k = 1; k <= 4; ++k) {
    const double t = 0.25 * k;
    ASSERT_TRUE(simulator.ramp("angle", 0.3 * t * t - 0.1 * t * t * t, t, 0.6 * t - 0.3 * t * t));
    ASSERT_EQ(simulator.advance(t - 0.125), Stopped::at_time) << simulator.result().reason;
    EXPECT_NEAR(reading(simulator, "joints/hub/drive_effort"), 2 * (0.6 - 0.6 * (t - 0.125)), 1e-9);
    ASSERT_EQ(simulator.advance(t), Stopped::at_time);
    EXPECT_NEAR(reading(simulator, "joints/hub/coordinate"),
                expected.series.at("joints/hub/coordinate", t), 1e-11);
  }
  EXPECT_FALSE(simulator.set("angle", 1));
  EXPECT_THAT(simulator.result().reason, HasSubstr("cannot jump"));
}

TEST(SimulatorTest, ALoadThatJumpsTearsLooseWhatSticks) {
  // 1 kg under 10 N of preload with a coefficient of 0.3: it holds 3 N.
  Simulator simulator(model_from(
      "[mechanism]\nplanar = true\ngravity = [0, 0]\n[bodies.block]\nmass = 1\ninertia = 1\n"
      "[joints.slide]\ntype = \"prismatic\"\nbodies = [\"ground\", \"block\"]\nat = [0, 0]\n"
      "axis = [1, 0]\nfriction = { law = \"coulomb\", kinetic = 0.3, preload = 10 }\n"
      "[efforts.push]\njoint = \"slide\"\nmagnitude = { input = \"force\" }\n"
      "[simulation]\nduration = 3\n"));
  ASSERT_TRUE(simulator.set("force", 2.9));
  ASSERT_EQ(simulator.advance(1), Stopped::at_time) << simulator.result().reason;
  EXPECT_NEAR(reading(simulator, "joints/slide/coordinate"), 0, 1e-12);
  ASSERT_TRUE(simulator.set("force", 5));
  ASSERT_EQ(simulator.advance(2), Stopped::at_time) << simulator.result().reason;
  EXPECT_NEAR(reading(simulator, "joints/slide/coordinate"), 1.0, 1e-8);  // (5 - 3) t^2 / 2
  ASSERT_TRUE(simulator.set("force", 0));
  EXPECT_EQ(simulator.advance_to_event(3), Stopped::at_event);  // comes to rest 2/3 s later
  EXPECT_NEAR(simulator.time(), 2 + 2.0 / 3, 1e-7);
  EXPECT_EQ(simulator.events().front().kind, "stick");
}

TEST(SimulatorTest, EventsAndScheduledInstantsStopIt) {
  Model model = load_imperfect("slider_crank");
  model.simulation.duration = 0.003;
  model.simulation.output = 0;
  Simulator simulator(model);
  simulator.schedule(1e-4, 1e-4);
  simulator.schedule(2.5e-4);
  std::vector<double> scheduled;
  int events = 0;
  while (simulator.time() < simulator.end()) {
    const Stopped why = simulator.advance_to_event(simulator.end());
    ASSERT_NE(why, Stopped::failed) << simulator.result().reason;
    if (why == Stopped::at_schedule) scheduled.push_back(simulator.time());
    if (why == Stopped::at_event) events += static_cast<int>(simulator.events().size());
  }
  EXPECT_EQ(events, simulate(model).result.stats.events);
  ASSERT_GE(scheduled.size(), 29U);
  EXPECT_EQ(scheduled[0], 1e-4);
  EXPECT_EQ(scheduled[2], 2.5e-4);
}

TEST(SimulatorTest, MistakesAreReturnedAndChangeNothing) {
  Simulator simulator(
      disc("[efforts.motor]\njoint = \"hub\"\nmagnitude = { input = \"torque\" }\n"));
  EXPECT_FALSE(simulator.set("torqe", 1));
  EXPECT_THAT(simulator.result().reason, HasSubstr("torqe"));
  EXPECT_FALSE(simulator.set("torque", NAN));
  EXPECT_FALSE(simulator.ramp("torque", 1, 0));
  EXPECT_EQ(simulator.advance(3), Stopped::failed);
  EXPECT_THAT(simulator.result().reason, HasSubstr("outside the time that is left"));
  ASSERT_EQ(simulator.advance(1), Stopped::at_time);
  EXPECT_EQ(simulator.advance(0.5), Stopped::failed);
  EXPECT_EQ(simulator.time(), 1);
  Simulator other(pendulum("1"));
  EXPECT_FALSE(other.restore(simulator.save()));
  EXPECT_EQ(other.advance(2), Stopped::at_time);
  EXPECT_EQ(other.step(), Stopped::failed);  // it has ended
  EXPECT_EQ(other.finish().status, RunStatus::done);
}

}  // namespace
}  // namespace freeplay::testing
