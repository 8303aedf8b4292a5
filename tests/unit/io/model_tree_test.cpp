// SPDX-License-Identifier: Apache-2.0
#include "model/words.hpp"
#include "support/models.hpp"
#include "support/paths.hpp"
#include "unit/io/model_text.hpp"
#include <freeplay/load.hpp>
#include <freeplay/result.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

// Models built in code: checked by the rules of the file, written, read back.
namespace freeplay {
namespace {

using ::testing::HasSubstr;
using testing::read;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// All that `validate` says, a line each; empty when the model is in order.
std::string said(const Model& model) {
  try {
    validate(model);
    return {};
  } catch (const ModelError& error) {
    for (const Issue& issue : error.issues()) EXPECT_FALSE(issue.path.empty()) << issue.message;
    return error.what();
  }
}

/// A joint of each type with forces of every kind.
Model busy(JointType type) {
  Model model = testing::one_of_each(type);
  if (type != JointType::screw) model.joints[0].pitch = 0;
  for (Force& force : model.forces) {
    if (auto* f = std::get_if<PointForce>(&force.element)) f->direction.normalize();
    if (auto* f = std::get_if<BodyTorque>(&force.element)) f->direction.normalize();
  }
  std::ranges::stable_sort(model.forces, {}, [](const Force& f) { return f.element.index(); });
  return model;
}

Model base(std::mt19937& random) {
  const auto types = joint_types();
  switch (random() % 4) {
    case 0:
      return testing::n_four_bar(1 + static_cast<int>(random() % 3));
    case 1:
      return testing::spherical_chain(2);
    case 2:
      return testing::clearance_chain(2);
    default:
      return busy(types[random() % types.size()]);
  }
}

double number(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

using Change = std::function<void(Model&, std::mt19937&)>;

Formula with_other_code() {
  Formula out = make_formula("2*t");
  out.code.back().op = Formula::Op::add;
  return out;
}
Table with_other_slopes() {
  Table out = make_table({0, 5, 20}, {1, 2, 0});
  out.slope[1] += 1e-9;
  return out;
}
void push(Model& model, const Motion& magnitude) {
  model.forces.push_back(
      {"pushed",
       PointForce{{BodyIndex(1), {0.1, 0, 0}, Mat3::Identity()}, Vec3::UnitX(), magnitude, false},
       0});
  std::ranges::stable_sort(model.forces, {}, [](const Force& f) { return f.element.index(); });
}
void drive(Model& model, const Motion& motion) {
  Joint joint;
  joint.name = "driven";
  joint.type = JointType::revolute;
  joint.first.body = kGround;
  joint.second.body = BodyIndex(1);
  joint.drives.push_back({Coordinate::angle, motion});
  model.joints.push_back(joint);
}

/// Changes after which a model is still one.
const std::vector<Change> kSound{
    [](Model& m, std::mt19937& r) { m.bodies[1].mass = number(r, 0.1, 9); },
    [](Model& m, std::mt19937& r) { m.bodies[1].position[0] += number(r, -1, 1); },
    [](Model& m, std::mt19937& r) { m.gravity[1] = number(r, -10, 10); },
    [](Model& m, std::mt19937& r) { m.simulation.tolerance = number(r, 1e-12, 1e-4); },
    [](Model& m, std::mt19937& r) { m.simulation.start = number(r, -1, 1); },
    [](Model& m, std::mt19937&) {
      m.simulation.method = Method::rk4;
      m.simulation.step = 1e-4;
    },
    [](Model& m, std::mt19937&) {
      m.simulation.baumgarte = Baumgarte{5, 7};
    },
    [](Model& m, std::mt19937&) { m.bodies[1].name = "\xc3\xa9t\xc3\xa9 \"1\" \\ [x]"; },
    [](Model& m, std::mt19937&) { m.name = "a\nb\t\x01"; },
    [](Model& m, std::mt19937& r) { m.bodies[1].velocity = Vec3(number(r, -1, 1), -0.0, 0); },
    [](Model& m, std::mt19937&) {
      m.markers.push_back({"tip", {BodyIndex(1), {0.1, 0.2, 0}, Mat3::Identity()}});
    },
    [](Model& m, std::mt19937& r) { push(m, Constant{number(r, -5, 5)}); },
    [](Model& m, std::mt19937&) { push(m, make_formula("sin(3*t)*exp(-v^2) - 2*x")); },
    [](Model& m, std::mt19937& r) {
      push(m, Sine{1, number(r, 0, 9), 0.1, 2});
    },
    [](Model& m, std::mt19937&) {
      push(m, SmoothStep{1, 2, -0.25, 0.5});
    },
    [](Model& m, std::mt19937&) {
      push(m, make_table({-10, 0.2, 20}, {1, 2, 0}));
    },
    [](Model& m, std::mt19937&) {
      push(m, ConstantSpeed{2, 1, false});
    },
    [](Model& m, std::mt19937&) {
      push(m, Input{"wind", 0.5, false});
    },
    [](Model& m, std::mt19937&) {
      drive(m, ConstantSpeed{3, 0, true});
    },
    [](Model& m, std::mt19937&) { drive(m, Constant{0.25}); },
    [](Model& m, std::mt19937&) {
      drive(m, Input{"angle", 0.25, false});
    },
    [](Model& m, std::mt19937&) {
      drive(m, Input{"angle", 0, true});
    },
    [](Model& m, std::mt19937&) {
      drive(m, Polynomial{{0.1, 0.2, -0.3}});
    },
};

/// Changes that no model survives, and where that is said.
struct Damage {
  const char* place;
  Change change;
};
const std::vector<Damage> kDamage{
    {"joints.",
     [](Model& m, std::mt19937&) {
       m.joints[0].first.body = m.joints[0].second.body = BodyIndex(99);
     }},
    {"joints.", [](Model& m, std::mt19937&) { m.joints[0].first.body = BodyIndex(-1); }},
    {"joints.", [](Model& m, std::mt19937&) { m.joints[0].first.body = m.joints[0].second.body; }},
    {"joints.", [](Model& m, std::mt19937&) { m.joints[0].type = static_cast<JointType>(77); }},
    {"joints.", [](Model& m, std::mt19937&) { m.joints[0].first.axes(0, 0) += 1e-6; }},
    {"joints.", [](Model& m, std::mt19937&) { m.joints[0].second.axes.col(0) *= -1; }},
    {"joints.", [](Model& m, std::mt19937&) { m.joints[0].second.point[1] = kNaN; }},
    {"joints.", [](Model& m, std::mt19937&) { m.joints[0].length = -1; }},
    {"joints.", [](Model& m, std::mt19937&) { m.joints[0].name = m.joints[1].name; }},
    {"joints.", [](Model& m, std::mt19937&) { m.joints[0].name.clear(); }},
    {"joints.", [](Model& m, std::mt19937&) { m.joints[0].name = "a/b"; }},
    {"joints.driven.drive", [](Model& m, std::mt19937&) { drive(m, Polynomial{}); }},
    {"joints.driven.drive", [](Model& m, std::mt19937&) { drive(m, make_formula("x")); }},
    {"joints.driven.drive", [](Model& m, std::mt19937&) { drive(m, with_other_code()); }},
    {"joints.driven.drive", [](Model& m, std::mt19937&) { drive(m, Formula{}); }},
    {"joints.driven.drive",
     [](Model& m, std::mt19937&) {
       drive(m, Constant{1});
       m.joints.back().drives[0].coordinate = static_cast<Coordinate>(-3);
     }},
    {"joints.driven.stop",
     [](Model& m, std::mt19937&) {
       drive(m, Constant{1});
       m.joints.back().drives.clear();
       m.joints.back().stops.push_back({Coordinate::angle, 1.0, 0.5, {"newton", {}}, 1e-5});
     }},
    {"joints.driven.friction",
     [](Model& m, std::mt19937&) {
       drive(m, Constant{1});
       m.joints.back().friction = JointFriction{{"coulomb", {{"kinetic", 0.1}}}, 0, 0};
     }},
    {"joints.driven.bushing",
     [](Model& m, std::mt19937&) {
       drive(m, Constant{1});
       m.joints.back().drives.clear();
       m.joints.back().bushing = Bushing{};
       m.joints.back().bushing->coupling = {1, 2, 3};
     }},
    {"joints.driven.bushing",
     [](Model& m, std::mt19937&) {
       drive(m, Constant{1});
       m.joints.back().drives.clear();
       m.joints.back().bushing = Bushing{LawChoice{"spherical", {}}, {}, {}, {}, {}, {}, {}, {}};
     }},
    {"bodies.", [](Model& m, std::mt19937&) { m.bodies[1].mass = kNaN; }},
    {"bodies.", [](Model& m, std::mt19937&) { m.bodies[1].mass = -1; }},
    {"bodies.", [](Model& m, std::mt19937&) { m.bodies[1].inertia(2, 2) = -1; }},
    {"bodies.", [](Model& m, std::mt19937&) { m.bodies[1].position[2] = kNaN; }},
    {"bodies.ground", [](Model& m, std::mt19937&) { m.bodies[0].position[0] = 1; }},
    {"bodies.", [](Model& m, std::mt19937&) { m.bodies[1].name = "ground"; }},
    {"bodies.", [](Model& m, std::mt19937&) { m.bodies[1].name = "\xff"; }},
    {"bodies.", [](Model& m, std::mt19937&) { m.bodies[1].name = m.bodies[2].name; }},
    {"bodies", [](Model& m, std::mt19937&) { m.bodies.clear(); }},
    {"mechanism.gravity", [](Model& m, std::mt19937&) { m.gravity[0] = HUGE_VAL; }},
    {"markers.tip",
     [](Model& m, std::mt19937&) {
       m.markers.push_back({"tip", {BodyIndex(7), {}, {}}});
     }},
    {"forces.pushed",
     [](Model& m, std::mt19937&) {
       push(m, Constant{1});
       for (Force& f : m.forces)
         if (f.name == "pushed") std::get<PointForce>(f.element).at.body = BodyIndex(42);
     }},
    {"forces.pushed",
     [](Model& m, std::mt19937&) {
       push(m, Constant{2});
       for (Force& f : m.forces)
         if (f.name == "pushed") std::get<PointForce>(f.element).direction = {0, 0, 0};
     }},
    {"forces.pushed", [](Model& m, std::mt19937&) { push(m, Constant{kNaN}); }},
    {"forces.pushed",
     [](Model& m, std::mt19937&) {
       push(m, Table{{0, 1}, {0}, {}});
     }},
    {"forces.pushed", [](Model& m, std::mt19937&) { push(m, with_other_slopes()); }},
    {"forces.pushed",
     [](Model& m, std::mt19937&) {
       push(m, SmoothStep{0, 1, 2, 1});
     }},
    {"forces.pushed",
     [](Model& m, std::mt19937&) {
       push(m, Input{"", 0, false});
     }},
    {"efforts.motor",
     [](Model& m, std::mt19937&) {
       m.forces.push_back(
           {"motor", JointEffort{{JointIndex(99), Coordinate::angle}, Constant{1}}, 0});
     }},
    {"efforts.motor",
     [](Model& m, std::mt19937&) {
       m.forces.push_back(
           {"motor", JointEffort{{JointIndex(0), Coordinate::length}, Constant{1}}, 0});
       m.joints[0].type = JointType::revolute;
     }},
    {"springs.late",
     [](Model& m, std::mt19937&) {
       push(m, Constant{1});
       PointSpring spring{{kGround, {}, {}}, {BodyIndex(1), Vec3::UnitX(), {}}, 1, 0, 1, 0, {}, {}};
       m.forces.push_back({"late", spring, 0});
     }},
    {"couplings.gear",
     [](Model& m, std::mt19937&) {
       m.couplings.push_back(
           {"gear", {JointIndex(0), Coordinate::angle}, {JointIndex(-5), Coordinate::angle}, 2, 0});
     }},
    {"simulation.duration", [](Model& m, std::mt19937&) { m.simulation.duration = 0; }},
    {"simulation.tolerance", [](Model& m, std::mt19937&) { m.simulation.tolerance = kNaN; }},
    {"simulation.step", [](Model& m, std::mt19937&) { m.simulation.step = 1e-3; }},
    {"simulation.integrator",
     [](Model& m, std::mt19937&) { m.simulation.method = static_cast<Method>(99); }},
};

TEST(ModelTreeTest, WhatIsBuiltInCodeIsWrittenAndReadBack) {
  std::map<std::string, std::string> digests;
  for (const JointType type : joint_types()) {
    const Model model = busy(type);
    ASSERT_EQ(said(model), "") << name_of(type);
    const std::string text = write_model(model);
    const Model again = read(text);
    EXPECT_EQ(write_model(again), text);
    EXPECT_EQ(said(again), "");
    EXPECT_TRUE(digests.emplace(model_digest(model), text).second);
  }
}

TEST(ModelTreeTest, RandomModelsAreReadBackOrRefusedWithThePlace) {
  std::mt19937 random(16);
  std::map<std::string, std::string> digests;
  int sound = 0, broken = 0;
  for (int k = 0; k < 500; ++k) {
    Model model = base(random);
    std::set<std::size_t> done;
    for (int changes = static_cast<int>(random() % 4); changes > 0; --changes)
      if (const std::size_t which = random() % kSound.size(); done.insert(which).second)
        kSound[which](model, random);
    std::set<std::string> drives;  // of the sound changes, some are made twice in other words
    std::erase_if(model.joints, [&](const Joint& j) { return !drives.insert(j.name).second; });
    drives.clear();
    std::erase_if(model.forces, [&](const Force& f) { return !drives.insert(f.name).second; });
    if (k % 2 == 0) {
      ASSERT_EQ(said(model), "") << k << "\n" << write_model(model);
      const std::string text = write_model(model);
      const Model again = read(text);
      ASSERT_EQ(write_model(again), text);
      ASSERT_EQ(testing::dump(read(write_model(again))), testing::dump(again));
      const auto [known, fresh] = digests.emplace(model_digest(model), text);
      EXPECT_TRUE(fresh || known->second == text);
      ++sound;
      continue;
    }
    std::erase_if(model.joints, [](const Joint& j) { return j.name == "driven"; });
    std::erase_if(model.forces, [](const Force& f) { return f.name == "pushed"; });
    const std::size_t which = static_cast<std::size_t>(k / 2) % kDamage.size();
    if (model.simulation.step > 0) model.simulation = {};
    kDamage[which].change(model, random);
    EXPECT_THAT(said(model), HasSubstr(kDamage[which].place)) << k << ": damage " << which;
    EXPECT_NO_THROW(static_cast<void>(write_model(model)));
    ++broken;
  }
  EXPECT_EQ(sound, 250);
  EXPECT_EQ(broken, 250);
}

TEST(ModelTreeTest, ClearanceInCodeMeetsTheRulesOfTheFile) {
  const auto with = [](const std::function<void(Clearance&)>& change) {
    Model model = testing::clearance_chain(2);
    change(*model.joints[0].clearance);
    return said(model);
  };
  EXPECT_EQ(with([](Clearance&) {}), "");
  EXPECT_THAT(with([](Clearance& c) { c.contact.parameters[0].second = 1.4; }),
              HasSubstr("joints.ball0.clearance.contact.restitution: found 1.4; expected"));
  EXPECT_THAT(with([](Clearance& c) { c.contact.key = "hertzz"; }),
              HasSubstr("joints.ball0.clearance.contact.law: found 'hertzz'"));
  EXPECT_THAT(with([](Clearance& c) {
                c.contact.parameters.push_back({"colour", 1});
              }),
              HasSubstr("joints.ball0.clearance.contact.colour: unknown key"));
  EXPECT_THAT(with([](Clearance& c) {
                c.contact.parameters.push_back({"restitution", 0.9});
              }),
              HasSubstr("twice"));
  EXPECT_THAT(with([](Clearance& c) { c.inner_radius = 0.02; }), HasSubstr("larger"));
  EXPECT_THAT(with([](Clearance& c) { c.outer_width = 0.02; }),
              HasSubstr("joints.ball0.clearance.guide_width"));
  EXPECT_THAT(with([](Clearance& c) { c.outer.poisson = 0.6; }), HasSubstr("poisson"));
  EXPECT_THAT(with([](Clearance& c) { c.min_approach_speed = 0; }),
              HasSubstr("min_approach_speed"));
  EXPECT_THAT(with([](Clearance& c) { c.offset[0] = kNaN; }), HasSubstr("clearance.offset"));
  EXPECT_THAT(with([](Clearance& c) {
                c.film = Film{{"squeeze", {{"viscosity", -1}}}, true, {}};
              }),
              HasSubstr("joints.ball0.clearance.film.viscosity"));
  EXPECT_THAT(with([](Clearance& c) { c.force_point = static_cast<ForcePoint>(9); }),
              HasSubstr("force_point"));
}

TEST(ModelTreeTest, ModelsOfFilesAreInOrderAndChangeTheirDigest) {
  for (const char* name : {"slider_crank", "spatial_four_bar", "press", "spatial_slider_crank"}) {
    Model model = load_model(testing::source_dir() / "mechanisms" / (std::string(name) + ".toml"));
    EXPECT_EQ(said(model), "") << name;
    const std::string digest = model_digest(model);
    model.bodies[1].mass = std::nextafter(model.bodies[1].mass, 1e9);
    EXPECT_NE(model_digest(model), digest) << name;
  }
}

/// Keeps a run from going on after so many steps.
class Stopper final : public Observer {
 public:
  explicit Stopper(int steps) : left_(steps) {}
  void step(const State&, std::span<const double>, const StepInfo&) override {
    if (--left_ == 0) stop = true;
  }
  std::atomic<bool> stop = false;

 private:
  int left_;
};

TEST(ModelTreeTest, ResultsOfModelsBuiltInCodeAreReadAndResumed) {
  const auto file = testing::scratch_dir() / "out.h5";
  Model model = testing::n_four_bar(2);
  model.simulation.duration = 0.5;
  const Assembly assembly = assemble(model);
  {
    Recorder recorder(file, {});
    Stopper stopper(4);
    Observer* observers[] = {&recorder, &stopper};
    RunOptions options;
    options.stop = &stopper.stop;
    EXPECT_EQ(run(model, assembly.start, observers, options).status, RunStatus::interrupted);
  }
  {  // another model, built in code as well
    Model other = model;
    other.bodies[1].mass = 2;
    Recorder recorder(file, {.command = "", .seed = 0, .resume = true});
    Observer* observers[] = {&recorder};
    EXPECT_THROW(run(other, assembly.start, observers), IoError);
  }
  {
    const State checkpoint = Result(partial_path(file)).checkpoint();
    Recorder recorder(file, {.command = "", .seed = 0, .resume = true});
    RunOptions options;
    options.go_on = true;
    Observer* observers[] = {&recorder};
    EXPECT_EQ(run(model, checkpoint, observers, options).status, RunStatus::done);
  }
  const Result result(file);
  EXPECT_TRUE(result.complete());
  EXPECT_EQ(result.model_text(), write_model(model));
  EXPECT_EQ(write_model(read(result.model_text())), write_model(model));
}

}  // namespace
}  // namespace freeplay
