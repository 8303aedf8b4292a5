// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/tree.hpp"

#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/layout.hpp"
#include "dynamics/tree/choice.hpp"
#include "model/words.hpp"
#include "support/allocations.hpp"
#include "support/models.hpp"
#include "support/paths.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <gtest/gtest.h>

#include <functional>

// The tree against the Cartesian formulation: two derivations of the same mechanics must agree to
// round-off at any consistent state, in accelerations, reactions, efforts and energies.
namespace freeplay::dynamics {
namespace {

using freeplay::testing::one_of_each;

struct Case {
  std::string name;
  std::function<Model()> make;
};

Model shipped(const std::string& name) {
  return load_model(testing::source_dir() / "mechanisms" / (name + ".toml"));
}

/// The joint seen from its other body: the tree must walk it backwards.
Model backwards(Model model) {
  std::swap(model.joints[0].first, model.joints[0].second);
  return model;
}

/// The first coordinates of the joint driven; the work of the drive must be booked.
Model driven(Model model, std::size_t count) {
  Joint& joint = model.joints[0];
  for (Coordinate c : coordinates_of(joint.type)) {
    if (joint.drives.size() == count) break;
    Drive drive;
    drive.coordinate = c;
    drive.motion = Sine{0.2, 0.7, 0.3 + static_cast<double>(joint.drives.size()), 0};
    joint.drives.push_back(std::move(drive));
  }
  return model;
}

/// Body b also hangs from the ground: a loop of ideal joints.
Model looped(Model model) {
  Joint link;
  link.name = "link";
  link.type = JointType::distance;
  link.first = {kGround, {1.2, 0.4, 0.9}, Mat3::Identity()};
  link.second = {BodyIndex(2), {0.1, 0.2, -0.1}, Mat3::Identity()};
  const Mat3 R = rotation_matrix(model.bodies[2].orientation);
  link.length = (model.bodies[2].position + R * link.second.point - link.first.point).norm();
  model.joints.push_back(link);
  return model;
}

/// A ball with play at the end of a pendulum, pressed against its socket.
Model with_play(double offset) {
  Model model = shipped("spatial_four_bar");
  for (Joint& joint : model.joints)
    if (joint.name == "ball") {
      Clearance c;
      c.outer_radius = 0.010;
      c.inner_radius = 0.0098;
      c.outer = c.inner = {207e9, 0.3};
      c.contact = {"lankarani-nikravesh", {{"restitution", 0.9}}};
      c.friction = LawChoice{"tanh", {{"kinetic", 0.1}, {"v1", 1e-3}}};
      c.offset = {offset, 0.3 * offset, -0.2 * offset};
      joint.clearance = c;
    }
  return model;
}

/// As both formulations are compared: dynamics by projection, whatever the file says.
Model prepared(const Case& which) {
  Model model = which.make();
  model.simulation.analysis = Analysis::dynamic;
  model.simulation.baumgarte.reset();
  model.simulation.method = Method::automatic;
  model.simulation.formulation = Formulation::cartesian;
  return model;
}

/// Every joint type in every role, driven and not, and whole mechanisms: those that have a tree.
std::vector<Case> cases() {
  std::vector<Case> out;
  for (const JointType type : joint_types()) {
    std::string name(name_of(type));
    std::erase(name, '-');
    out.push_back({name, [type] { return one_of_each(type); }});
    out.push_back({name + "_backwards", [type] { return backwards(one_of_each(type)); }});
    if (type != JointType::distance) {
      out.push_back({name + "_looped", [type] { return looped(one_of_each(type)); }});
      out.push_back(
          {name + "_looped_backwards", [type] { return looped(backwards(one_of_each(type))); }});
    }
    for (std::size_t d = 1; d <= coordinates_of(type).size(); ++d) {
      const std::string with = name + "_driven_" + std::to_string(d);
      out.push_back({with, [=] { return driven(one_of_each(type), d); }});
      out.push_back({with + "_backwards", [=] { return driven(backwards(one_of_each(type)), d); }});
      if (type != JointType::distance)
        out.push_back({with + "_looped", [=] { return looped(driven(one_of_each(type), d)); }});
    }
  }
  for (const char* name :
       {"double_pendulum", "engine", "four_bar", "gear_train", "governor", "pendulum", "press",
        "quick_return", "scotch_yoke", "screw_jack", "slider_crank", "spatial_four_bar",
        "spatial_slider_crank", "universal_shaft"})
    out.push_back({name, [name] { return shipped(name); }});
  out.push_back({"n_four_bar", [] { return testing::n_four_bar(7); }});
  out.push_back({"spherical_chain", [] { return testing::spherical_chain(6); }});
  out.push_back({"play_in_flight", [] { return with_play(1e-5); }});
  out.push_back({"play_touching", [] { return with_play(2.2e-4); }});
  std::erase_if(out, [](const Case& c) { return !tree_misfit(prepared(c)).empty(); });
  return out;
}

class TreeAgrees : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    model_ = prepared(GetParam());
    state_ = assemble(model_).start;
    cartesian_ = std::make_unique<Cartesian>(model_);
    cartesian_->prepare(state_);
    // Moving in every way the joints allow, at a time when drives are under way.
    bool driven = false;
    for (const Joint& joint : model_.joints) driven |= !joint.drives.empty();
    if (driven) {
      const double span = 0.05 * scales_of(model_).time;
      state_.time += span;
      ASSERT_TRUE(follow_drives(span));
    }
    for (int k = 0; k < cartesian_->velocity_size(); ++k)
      state_.y[cartesian_->position_size() + k] += 0.5 * std::sin(1.0 + 2.3 * k);
    ASSERT_TRUE(cartesian_->project(state_.time, state_.y.data(), state_.memory.data()));
    cartesian_->accept(state_);
    tree_ = make_tree(model_);
    there_ = state_;
    there_.y = tree_->from_cartesian(state_);
    tree_->prepare(there_);
  }
  /// Poses that go with the drives at the present time.
  bool follow_drives(double span) {
    const double end = state_.time, start = end - span;
    VecX f(cartesian_->size());
    constexpr int kSteps = 300;
    for (int k = 1; k <= kSteps; ++k) {
      if (!cartesian_->derivative(start + span * (k - 1) / kSteps, state_.y.data(),
                                  state_.memory.data(), f.data()))
        return false;
      state_.y += span / kSteps * f;
      if (!cartesian_->project(start + span * k / kSteps, state_.y.data(), state_.memory.data()))
        return false;
      cartesian_->accept(state_);
    }
    return true;
  }
  Model model_;
  State state_, there_;
  std::unique_ptr<Cartesian> cartesian_;
  std::unique_ptr<TreeSystem> tree_;
};
INSTANTIATE_TEST_SUITE_P(Models, TreeAgrees, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(TreeAgrees, StatesGoThereAndBack) {
  VecX back = tree_->to_cartesian(there_);
  EXPECT_LT((back - state_.y).cwiseAbs().maxCoeff(), 1e-12 * (1 + state_.y.cwiseAbs().maxCoeff()));
  EXPECT_LT(tree_->violation(there_.time, there_.y.data(), there_.memory.data()), 1e-13);
}

TEST_P(TreeAgrees, AccelerationsReactionsAndEnergiesAreThoseOfTheCartesianFormulation) {
  Snapshot a, b;
  ASSERT_TRUE(cartesian_->snapshot(state_, a));
  ASSERT_TRUE(tree_->snapshot(there_, b));
  double most = 1, push = 1;
  for (const Vec3& x : a.acceleration) most = std::max(most, x.norm());
  for (const Vec3& x : a.angular_acceleration) most = std::max(most, x.norm());
  for (std::size_t k = 0; k < a.poses.size(); ++k) {
    EXPECT_LT((a.acceleration[k] - b.acceleration[k]).norm(), 1e-10 * most) << k;
    EXPECT_LT((a.angular_acceleration[k] - b.angular_acceleration[k]).norm(), 1e-10 * most) << k;
    EXPECT_LT((a.quaternion[k] - b.quaternion[k]).norm(), 1e-11) << k;
  }
  for (const auto& joint : a.joints)
    push = std::max({push, joint.force.norm(), joint.moment.norm()});
  const bool unique = state_.memory[kRedundantRows] == 0;  // otherwise any split may come out
  for (std::size_t j = 0; j < a.joints.size(); ++j) {
    const auto &x = a.joints[j], &y = b.joints[j];
    if (unique) {
      EXPECT_LT((x.force - y.force).norm(), 1e-9 * push) << model_.joints[j].name;
      EXPECT_LT((x.moment - y.moment).norm(), 1e-9 * push) << model_.joints[j].name;
    }
    for (std::size_t c = 0; c < x.coordinate.size(); ++c) {
      EXPECT_NEAR(x.coordinate[c], y.coordinate[c], 1e-11) << model_.joints[j].name;
      EXPECT_NEAR(x.rate[c], y.rate[c], 1e-10 * most) << model_.joints[j].name;
    }
    for (std::size_t d = 0; d < x.effort.size(); ++d)
      EXPECT_NEAR(x.effort[d], y.effort[d], 1e-9 * push) << model_.joints[j].name;
  }
  for (std::size_t c = 0; c < a.coupling_effort.size(); ++c)
    EXPECT_NEAR(a.coupling_effort[c], b.coupling_effort[c], 1e-9 * push);
  EXPECT_NEAR(a.kinetic, b.kinetic, 1e-12 * (1 + a.kinetic));
  EXPECT_NEAR(a.potential, b.potential, 1e-12 * (1 + std::abs(a.potential)));
  EXPECT_NEAR(a.elastic, b.elastic, 1e-11 * (1 + a.elastic));
}

TEST_P(TreeAgrees, WorkGrowsAsInTheCartesianFormulation) {
  VecX f(cartesian_->size()), g(tree_->size());
  ASSERT_TRUE(cartesian_->derivative(state_.time, state_.y.data(), state_.memory.data(), f.data()));
  ASSERT_TRUE(tree_->derivative(there_.time, there_.y.data(), there_.memory.data(), g.data()));
  ASSERT_EQ(cartesian_->work_size(), tree_->work_size());
  for (int k = 0; k < tree_->work_size(); ++k) {
    EXPECT_EQ(cartesian_->layout()->of(BlockKind::work)[k].name,
              tree_->layout()->of(BlockKind::work)[k].name);
    const double x = f[cartesian_->size() - tree_->work_size() + k],
                 y = g[tree_->size() - tree_->work_size() + k];
    EXPECT_NEAR(x, y, 1e-9 * (1 + std::abs(x))) << tree_->layout()->of(BlockKind::work)[k].name;
  }
}

TEST_P(TreeAgrees, JacobianIsTheDerivativeOfTheEquations) {
  MatX J;
  const double t = there_.time;
  ASSERT_TRUE(tree_->jacobian(t, there_.y.data(), there_.memory.data(), J));
  VecX plus(tree_->size()), minus(tree_->size());
  for (int c = 0; c < tree_->size(); ++c) {
    // A contact is a thousand times smaller than anything else that moves here.
    const double h =
        (tree_->wants_samples(there_) ? 1e-9 : 1e-6) * std::max(1.0, std::abs(there_.y[c]));
    VecX y = there_.y;
    y[c] += h;
    ASSERT_TRUE(tree_->derivative(t, y.data(), there_.memory.data(), plus.data()));
    y[c] -= 2 * h;
    ASSERT_TRUE(tree_->derivative(t, y.data(), there_.memory.data(), minus.data()));
    const VecX difference = (plus - minus) / (2 * h);
    EXPECT_LT((difference - J.col(c)).cwiseAbs().maxCoeff(), 2e-6 * (1 + J.cwiseAbs().maxCoeff()))
        << "column " << c;
  }
}

// Machine code or not: not one bit may depend on it, in rates, events and energies.
TEST_P(TreeAgrees, CompiledEvaluationIsThePlainOne) {
  const double t = there_.time;
  const double *y = there_.y.data(), *memory = there_.memory.data();
  const auto events = static_cast<std::size_t>(tree_->event_count());
  struct Found {
    VecX rates;
    std::vector<double> depth, speed;
    bool known = false;
    Snapshot energies;
  };
  const auto look = [&] {
    Found out{
        VecX(tree_->size()), std::vector<double>(events), std::vector<double>(events), false, {}};
    EXPECT_TRUE(tree_->derivative(t, y, memory, out.rates.data()));
    out.known = tree_->event_rates(t, y, memory, out.depth.data(), out.speed.data());
    EXPECT_TRUE(tree_->energies(there_, out.energies));
    return out;
  };
  const Found plain = look();
  ASSERT_FALSE(tree_->compiled());
  VecX f(tree_->size());
  for (int k = 0; k < 1000; ++k) ASSERT_TRUE(tree_->derivative(t + 1e-9 * k, y, memory, f.data()));
  if (!tree_->compiled()) {
    const bool loops = tree_->rows() > 0;
    EXPECT_TRUE(loops || !tape::Program::available()) << "a tree that should have been compiled";
    return;
  }
  const Found code = look();
  for (int k = 0; k < tree_->size(); ++k) EXPECT_EQ(plain.rates[k], code.rates[k]) << k;
  EXPECT_EQ(plain.known, code.known);
  EXPECT_EQ(plain.depth, code.depth);
  if (plain.known) {
    EXPECT_EQ(plain.speed, code.speed);
  }
  EXPECT_EQ(plain.energies.kinetic, code.energies.kinetic);
  EXPECT_EQ(plain.energies.potential, code.energies.potential);
  EXPECT_EQ(plain.energies.residual, code.energies.residual);
}

TEST_P(TreeAgrees, ProjectionClosesTheLoops) {
  VecX y = there_.y;
  for (int k = 0; k < tree_->positions() + tree_->speeds(); ++k) y[k] += 1e-5 * std::cos(3.0 * k);
  ASSERT_TRUE(tree_->project(there_.time, y.data(), there_.memory.data()));
  EXPECT_LT(tree_->violation(there_.time, y.data(), there_.memory.data()), 1e-13);
}

TEST_P(TreeAgrees, EvaluationAndProjectionDoNotAllocate) {
  VecX y = there_.y, f(tree_->size());
  const double* memory = there_.memory.data();
  ASSERT_TRUE(tree_->derivative(there_.time, y.data(), memory, f.data()));
  const std::size_t before = testing::allocations();
  bool ok = true;
  for (int k = 0; k < 3; ++k) {
    ok &= tree_->derivative(there_.time, y.data(), memory, f.data());
    ok &= tree_->project(there_.time, y.data(), memory);
  }
  EXPECT_TRUE(ok);
  EXPECT_EQ(testing::allocations() - before, 0u);
}

TEST(TreeTest, RefusesWhatItCannotDoAndSaysWhy) {
  Model model = shipped("four_bar");
  model.simulation.formulation = Formulation::tree;
  model.simulation.analysis = Analysis::dynamic;
  model.simulation.baumgarte = Baumgarte{};
  try {
    (void)make_system(model);
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("Baumgarte"), std::string::npos) << error.what();
  }
  model.simulation.formulation = Formulation::automatic;
  EXPECT_EQ(formulation_of(model), Formulation::cartesian);
  model.simulation.baumgarte.reset();
  model.simulation.method = Method::ida;
  EXPECT_EQ(formulation_of(model), Formulation::cartesian);
}

// The whole step loop: twice the simulated time must not cost one allocation more.
TEST(TreeTest, StepLoopDoesNotAllocate) {
  Model model = with_play(1e-5);
  for (Joint& joint : model.joints) joint.clearance.reset();
  model.simulation.formulation = Formulation::tree;
  model.simulation.output = 0.05;
  const auto allocations_of = [&](double duration) {
    model.simulation.duration = duration;
    const State start = assemble(model).start;
    const std::size_t before = testing::allocations();
    const RunResult result = run(model, start, {});
    EXPECT_EQ(result.status, RunStatus::done) << result.reason;
    return testing::allocations() - before;
  };
  EXPECT_EQ(allocations_of(1), allocations_of(2));
}

// A run changes over to machine code in the middle of its motion: nobody must notice.
TEST(TreeTest, CompiledRunsEndWithTheSameBits) {
  for (const char* name : {"slider_crank", "spatial_four_bar", "spatial_slider_crank"}) {
    Model model = shipped(name);
    model.simulation.formulation = Formulation::automatic;
    ASSERT_EQ(formulation_of(model), Formulation::tree) << name;
    model.simulation.duration *= 0.2;
    const State start = assemble(model).start;
    RunOptions plain, quiet;
    plain.compile = false;
    quiet.record_steps = false;
    const RunResult a = run(model, start, {}, plain), b = run(model, start, {}),
                    c = run(model, start, {}, quiet);
    ASSERT_EQ(a.status, RunStatus::done) << a.reason;
    for (const RunResult* other : {&b, &c}) {
      EXPECT_EQ(a.stats.evaluations, other->stats.evaluations) << name;
      EXPECT_EQ(a.contacts, other->contacts) << name;
      EXPECT_EQ(a.energy_residual, other->energy_residual) << name;
      ASSERT_EQ(a.final_state.y.size(), other->final_state.y.size());
      for (Eigen::Index k = 0; k < a.final_state.y.size(); ++k)
        EXPECT_EQ(a.final_state.y[k], other->final_state.y[k]) << name << ", component " << k;
    }
  }
}

// Joint coordinates often start at zero but for round-off, which the first step must not take for
// the scale of the motion.
TEST(TreeTest, StartsNextToZero) {
  Model model = one_of_each(JointType::revolute);
  model.simulation.formulation = Formulation::tree;
  model.simulation.tolerance = 1e-12;
  model.simulation.duration = 0.1;
  model.bodies.erase(model.bodies.begin() + 1);
  model.joints.resize(1);
  model.joints[0].first = {kGround, Vec3(0.5, 0.2, 0.1), Mat3::Identity()};
  model.joints[0].second = {BodyIndex(1), Vec3(-0.3, 0.1, 0.2), Mat3::Identity()};
  model.bodies[1].orientation = {1, 0, 0, 0};
  model.bodies[1].position = Vec3(0.8, 0.1, -0.1);
  model.forces.clear();
  State start = assemble(model).start;
  ASSERT_EQ(start.y.size(), 2);
  start.y[0] = 2e-15;
  const RunResult result = run(model, start, {});
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
}

TEST(TreeTest, ClearanceOpensTheLoop) {
  const Model model = with_play(1e-5);
  EXPECT_EQ(formulation_of(model), Formulation::tree);
  const auto tree = make_tree(model);
  EXPECT_EQ(tree->rows(), 0);
  EXPECT_EQ(tree->positions() + tree->speeds(), 11);
}

}  // namespace
}  // namespace freeplay::dynamics
