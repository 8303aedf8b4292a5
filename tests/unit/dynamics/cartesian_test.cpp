// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"

#include "model/words.hpp"
#include "support/allocations.hpp"
#include "support/models.hpp"
#include <freeplay/run.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace freeplay::dynamics {
namespace {

Model in_cartesian(Model model) {
  model.simulation.formulation = Formulation::cartesian;
  return model;
}
Model one_of_each(JointType type) { return in_cartesian(testing::one_of_each(type)); }

class EveryJoint : public ::testing::TestWithParam<JointType> {
 protected:
  /// A consistent state that moves in every way the joints allow.
  State moving_state(const Model& model) {
    Assembly assembly = assemble(model);
    Cartesian system(model);
    system.prepare(assembly.start);
    for (int k = 0; k < system.velocity_size(); ++k)
      assembly.start.y[system.position_size() + k] = std::sin(1.0 + 2.3 * k);
    EXPECT_TRUE(
        system.project(assembly.start.time, assembly.start.y.data(), assembly.start.memory.data()));
    return assembly.start;
  }
};
INSTANTIATE_TEST_SUITE_P(Types, EveryJoint,
                         ::testing::ValuesIn(joint_types().begin(), joint_types().end()),
                         [](const auto& test) {
                           std::string name(name_of(test.param));
                           std::erase(name, '-');
                           return name;
                         });

// theory/multibody (M.4): the second derivative of every row along the motion is J a - gamma = 0,
// and its first is J v + phi_t, by central differences of phi itself along q(t) = q + v t + a t^2/2
// (in the group).
TEST_P(EveryJoint, RowsAreTheDerivativesOfTheirViolation) {
  const Model model = one_of_each(GetParam());
  const State state = moving_state(model);
  Cartesian system(model);
  system.prepare(state);
  const auto phi_at = [&](double h) -> VecX {
    // Positions h later, by four Runge-Kutta steps of the equations of motion: error far below h^2.
    VecX y = state.y, k1(y.size()), k2(y.size()), k3(y.size()), k4(y.size()), s;
    const double d = h / 4;
    double t = state.time;
    for (int step = 0; step < 4; ++step, t += d) {
      EXPECT_TRUE(system.derivative(t, y.data(), state.memory.data(), k1.data()));
      s = y + d / 2 * k1;
      EXPECT_TRUE(system.derivative(t + d / 2, s.data(), state.memory.data(), k2.data()));
      s = y + d / 2 * k2;
      EXPECT_TRUE(system.derivative(t + d / 2, s.data(), state.memory.data(), k3.data()));
      s = y + d * k3;
      EXPECT_TRUE(system.derivative(t + d, s.data(), state.memory.data(), k4.data()));
      y += d / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    system.update(state.time + h, y.data(), state.memory.data());
    return system.phi();
  };
  // With J a = gamma solved exactly, phi stays at zero to fourth order in time if rows and gamma
  // are right.
  const double h = 2e-2;
  const VecX later = phi_at(h), earlier = phi_at(-h);
  EXPECT_LT(later.cwiseAbs().maxCoeff(), 2e-8);
  EXPECT_LT(earlier.cwiseAbs().maxCoeff(), 2e-8);
}

TEST_P(EveryJoint, JacobianIsTheDerivativeOfTheEquations) {
  const Model model = one_of_each(GetParam());
  const State state = moving_state(model);
  Cartesian system(model);
  system.prepare(state);
  MatX J;
  ASSERT_TRUE(system.jacobian(0.3, state.y.data(), state.memory.data(), J));
  VecX plus(system.size()), minus(system.size());
  for (int c = 0; c < system.size(); ++c) {
    const double h = 1e-6 * std::max(1.0, std::abs(state.y[c]));
    VecX y = state.y;
    y[c] += h;
    ASSERT_TRUE(system.derivative(0.3, y.data(), state.memory.data(), plus.data()));
    y[c] -= 2 * h;
    ASSERT_TRUE(system.derivative(0.3, y.data(), state.memory.data(), minus.data()));
    const VecX difference = (plus - minus) / (2 * h);
    EXPECT_LT((difference - J.col(c)).cwiseAbs().maxCoeff(), 1e-6 * (1 + J.cwiseAbs().maxCoeff()))
        << "column " << c;
  }
}

TEST_P(EveryJoint, ProjectionMeetsTheConstraintsAndNeverAddsKineticEnergy) {
  const Model model = one_of_each(GetParam());
  const State state = moving_state(model);
  Cartesian system(model);
  system.prepare(state);
  VecX y = state.y;
  for (int k = 0; k < system.position_size() + system.velocity_size(); ++k)
    y[k] += 1e-5 * std::cos(3.0 * k);
  ASSERT_TRUE(system.project(0, y.data(), state.memory.data()));
  EXPECT_LT(system.violation(0, y.data(), state.memory.data()), 1e-14);
  VecX rate(system.rows());
  system.kkt().rates(y.data() + system.position_size(), rate.data());
  EXPECT_LT((rate + system.phi_t()).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(CartesianTest, EvaluationAndProjectionDoNotAllocate) {
  for (const Model& model :
       {in_cartesian(testing::n_four_bar(10)), one_of_each(JointType::universal)}) {
    const Assembly assembly = assemble(model);
    Cartesian system(model);
    system.prepare(assembly.start);
    VecX y = assembly.start.y, f(system.size());
    ASSERT_TRUE(system.derivative(0, y.data(), assembly.start.memory.data(), f.data()));
    const std::size_t before = testing::allocations();
    bool ok = true;
    for (int k = 0; k < 10; ++k) {
      ok &= system.derivative(0.1 * k, y.data(), assembly.start.memory.data(), f.data());
      ok &= system.project(0.1 * k, y.data(), assembly.start.memory.data());
    }
    EXPECT_TRUE(ok);
    EXPECT_EQ(testing::allocations() - before, 0u) << model.name;
  }
}

// The whole step loop: twice the simulated time must not cost one allocation more.
TEST(CartesianTest, StepLoopDoesNotAllocate) {
  Model model = testing::n_four_bar(3);
  model.simulation.output = 0.05;
  const auto allocations_of = [&](double duration) {
    model.simulation.duration = duration;
    const Assembly assembly = assemble(model);
    const std::size_t before = testing::allocations();
    const RunResult result = run(model, assembly.start, {});
    EXPECT_EQ(result.status, RunStatus::done) << result.reason;
    return testing::allocations() - before;
  };
  const std::size_t once = allocations_of(1), twice = allocations_of(2);
  EXPECT_EQ(once, twice);
}

// Style 9: scratch memory must not carry anything from one evaluation to the next.
TEST(CartesianTest, NothingOfThePastIsInTheWorkspace) {
  const Model model = one_of_each(JointType::revolute);
  const Assembly assembly = assemble(model);
  Cartesian fresh(model), used(model);
  fresh.prepare(assembly.start);
  used.prepare(assembly.start);
  VecX y = assembly.start.y, elsewhere = y, a(fresh.size()), b(fresh.size());
  elsewhere.tail(elsewhere.size() - 3).array() += 0.01;
  ASSERT_TRUE(used.derivative(1.7, elsewhere.data(), assembly.start.memory.data(), b.data()));
  VecX poison = VecX::Constant(y.size(), std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(used.derivative(1.7, poison.data(), assembly.start.memory.data(), b.data()));
  ASSERT_TRUE(used.derivative(0, y.data(), assembly.start.memory.data(), b.data()));
  ASSERT_TRUE(fresh.derivative(0, y.data(), assembly.start.memory.data(), a.data()));
  EXPECT_EQ(a, b);
}

TEST(AssemblyTest, NamesRedundantRowsAndUndeterminedReactions) {
  Model model = one_of_each(JointType::revolute);
  Joint doubled = model.joints[0];
  doubled.name = "again";
  model.joints.push_back(doubled);
  const Assembly assembly = assemble(model);
  EXPECT_EQ(assembly.rows - assembly.rank, 5);
  ASSERT_EQ(assembly.redundant.size(), 5u);
  for (const std::string& name : assembly.redundant) EXPECT_EQ(name.substr(0, 5), "again");
  EXPECT_EQ(assembly.not_unique, (std::vector<std::string>{"again", "joint"}));
}

TEST(AssemblyTest, RefusesMasslessFreedomByName) {
  Model model = one_of_each(JointType::spherical);
  model.bodies[2].mass = 0;
  model.bodies[2].inertia.setZero();
  try {
    (void)assemble(model);
    FAIL() << "accepted";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("bodies.b"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace freeplay::dynamics
