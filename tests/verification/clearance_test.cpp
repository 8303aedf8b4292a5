// SPDX-License-Identifier: Apache-2.0
#include "laws/catalogue.hpp"
#include "support/own_laws.hpp"
#include "support/paths.hpp"
#include "support/recording.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

// Mechanisms with play: verification/cases G2 and H, and every combination of geometry, contact law
// and friction law.
namespace freeplay::testing {
namespace {

// ---------------------------------------------------------------- G2: events

/// verification/cases G2: the slider-crank at 5000 rpm with 0.5 mm of play at the wrist.
Model slider_crank_with_play(double tolerance) {
  Model model = load_imperfect("slider_crank");
  model.simulation.duration = 0.003;
  model.simulation.tolerance = tolerance;
  return model;
}

std::vector<double> touches(const Simulated& run) {
  std::vector<double> out;
  for (const Event& e : run.series.events)
    if (e.kind == "touch") out.push_back(e.time);
  return out;
}

constexpr double kTouches[] = {2.272860320e-4, 6.370568117e-4, 7.497007480e-4, 1.085949293e-3,
                               1.205817436e-3};

TEST(Events, ImpactTimesStandStillAsTheToleranceFalls) {
  const auto coarse = touches(simulate(slider_crank_with_play(1e-9)));
  const auto fine = touches(simulate(slider_crank_with_play(5e-10)));
  ASSERT_GE(coarse.size(), 5U);
  ASSERT_GE(fine.size(), 5U);
  Check check("G2 at 1e-9 and 5e-10",
              "data of Flores et al.; RK4 in extended precision with steps of 2e-9 and 1e-9 s");
  for (int k = 0; k < 5; ++k) {
    check.near("moves", coarse[k], fine[k], 1e-8);
    check.near("reference", fine[k], kTouches[k], 1e-8);
  }
}

TEST(Events, RejectedStepsLeaveNoTrace) {
  RunOptions options;
  options.reject_every = 2;
  const auto plain = touches(simulate(slider_crank_with_play(1e-9)));
  const auto rejected = touches(simulate(slider_crank_with_play(1e-9), options));
  ASSERT_GE(plain.size(), 5U);
  ASSERT_GE(rejected.size(), 5U);
  // Other steps, the same motion: within what the tolerance itself leaves open (G2), before the
  // mechanism's own sensitivity has multiplied it.
  Check check("every second step refused once", "the same run without refused steps");
  for (int k = 0; k < 5; ++k) check.near("touch", rejected[k], plain[k], 2e-9);
}

TEST(Events, NotLocatingThemIsMeasurablyWorse) {
  RunOptions options;
  options.locate_events = false;
  const auto located = touches(simulate(slider_crank_with_play(1e-7)));
  const Simulated rough = simulate(slider_crank_with_play(1e-7), options);
  const auto missed = touches(rough);
  ASSERT_GE(missed.size(), 2U);
  const auto error = [](const std::vector<double>& t) {
    double worst = 0;
    for (int k = 0; k < 2; ++k) worst = std::max(worst, std::abs(t[k] - kTouches[k]));
    return worst;
  };
  fmt::print("error of the first two impact times: located {:.1e} s, not located {:.1e} s\n",
             error(located), error(missed));
  EXPECT_LT(error(located), 1e-8);
  EXPECT_GT(error(missed), 100 * error(located));
}

// ---------------------------------------------------------------- H6: play to nothing

TEST(Limits, H6LessPlayIsCloserToTheIdealJoint) {
  Model ideal = slider_crank_with_play(1e-9);
  for (Joint& joint : ideal.joints) joint.clearance.reset();
  const Simulated reference = simulate(ideal);
  double last = 1;
  for (const double play : {1e-4, 1e-5, 1e-6}) {
    Model model = slider_crank_with_play(1e-9);
    for (Joint& joint : model.joints)
      if (joint.clearance) {  // stiffness from the radii: it rises as the play falls
        joint.clearance->inner_radius = joint.clearance->outer_radius - play;
        joint.clearance->outer = joint.clearance->inner = {207e9, 0.3};
        joint.clearance->contact = {"exact", {{"restitution", 0.9}}};
      }
    const Simulated run = simulate(model);
    double worst = 0;
    for (double t : reference.series.time)
      worst = std::max(worst, std::abs(run.series.at("bodies/slider/position.x", t) -
                                       reference.series.at("bodies/slider/position.x", t)));
    fmt::print("play {:.0e} m: slider within {:.2e} m of the ideal mechanism\n", play, worst);
    EXPECT_LT(worst, 2 * play + 5e-6);  // play and the give of the contact under some 5 kN
    EXPECT_LT(worst, last);
    last = worst;
  }
}

// ---------------------------------------------------------------- as shipped

class Shipped : public ::testing::TestWithParam<std::string> {};

TEST_P(Shipped, RunsAsItIs) {
  Model model = load_imperfect(GetParam());
  const bool loose = std::ranges::any_of(
      model.joints, [](const Joint& j) { return j.clearance || !j.stops.empty(); });
  model.simulation.duration = std::min(model.simulation.duration, 0.5);
  const Simulated run = simulate(model);
  Check check("as shipped, " + GetParam(), "energy balance, theory/audit (A.5)");
  check.energy(run);
  EXPECT_TRUE(!loose || run.result.contacts > 0);
}
INSTANTIATE_TEST_SUITE_P(All, Shipped, ::testing::ValuesIn(shipped_mechanisms()),
                         [](const auto& test) { return test.param; });

// ---------------------------------------------------------------- every combination

struct Shape {
  const char* name;
  const char* model;  // up to the clearance table, which ends the text
  const char* keys;
};

// A loose part of 1 kg in a fixed one, soft enough that a contact takes milliseconds, pulled across
// the gap by gravity while it turns or slides.
constexpr const char* kSpatial = R"(
[mechanism]
gravity = [1, -3, -2]
[bodies.part]
mass = 1
inertia = [4e-3, 5e-3, 6e-3]
position = [0, 0, 0]
angular_velocity = [2, -3, 20]
)";
constexpr const char* kPlanar = R"(
[mechanism]
planar = true
gravity = [1, -3]
[bodies.part]
mass = 1
inertia = 5e-3
position = [0, 0]
)";

const std::vector<Shape> kShapes = {
    {"ball in socket", kSpatial,
     "[joints.j]\ntype = 'spherical'\nbodies = ['ground', 'part']\nat = [0, 0, 0]\n"
     "[joints.j.clearance]\nsocket_radius = 0.020\nball_radius = 0.019\n"},
    {"journal in the plane", kPlanar,
     "[joints.j]\ntype = 'revolute'\nbodies = ['ground', 'part']\nat = [0, 0]\n"
     "[joints.j.clearance]\nbearing_radius = 0.020\njournal_radius = 0.019\nbearing_length = "
     "0.02\n"},
    {"journal in space", kSpatial,
     "[joints.j]\ntype = 'revolute'\nbodies = ['ground', 'part']\nat = [0, 0, 0]\naxis = [0, 0, "
     "1]\n"
     "[joints.j.clearance]\nbearing_radius = 0.020\njournal_radius = 0.019\nbearing_length = "
     "0.040\n"
     "journal_length = 0.039\n"},
    {"journal in space, rims", kSpatial,
     "[joints.j]\ntype = 'revolute'\nbodies = ['ground', 'part']\nat = [0, 0, 0]\naxis = [0, 0, "
     "1]\n"
     "[joints.j.clearance]\nbearing_radius = 0.020\njournal_radius = 0.019\nbearing_length = "
     "0.040\n"
     "journal_length = 0.039\nform = 'rim'\n"},
    {"pin through a bearing", kSpatial,
     "[joints.j]\ntype = 'revolute'\nbodies = ['ground', 'part']\nat = [0, 0, 0]\naxis = [0, 0, "
     "1]\n"
     "[joints.j.clearance]\nbearing_radius = 0.020\njournal_radius = 0.019\nbearing_length = "
     "0.039\n"
     "journal_length = 0.040\nthrough = true\nflange_radius = 0.03\n"},
    {"cylinder", kSpatial,
     "[joints.j]\ntype = 'cylindrical'\nbodies = ['ground', 'part']\nat = [0, 0, 0]\n"
     "axis = [0, 0, 1]\n[joints.j.clearance]\nbearing_radius = 0.020\njournal_radius = 0.019\n"
     "bearing_length = 0.040\njournal_length = 0.2\n"},
    {"slider in a guide", kPlanar,
     "[joints.j]\ntype = 'prismatic'\nbodies = ['ground', 'part']\nat = [0, 0]\naxis = [1, 0]\n"
     "[joints.j.clearance]\nguide_width = 0.040\nslider_width = 0.038\nslider_length = 0.06\n"
     "corner_radius = 0.005\n"},
    {"box in a tube", kSpatial,
     "[joints.j]\ntype = 'prismatic'\nbodies = ['ground', 'part']\nat = [0, 0, 0]\n"
     "axis = [1, 0, 0]\n[joints.j.clearance]\nguide_width = 0.040\nslider_width = 0.038\n"
     "guide_height = 0.040\nslider_height = 0.038\nslider_length = 0.06\ncorner_radius = 0.005\n"},
    {"pin in a slot", kPlanar,
     "[joints.j]\ntype = 'point-on-line'\nbodies = ['ground', 'part']\nat = [0, 0]\naxis = [1, 0]\n"
     "[joints.j.clearance]\nslot_radius = 0.020\npin_radius = 0.019\nslot = { from = -0.01, to = "
     "0.01 }\n"},
    {"stop", kPlanar,
     "[joints.j]\ntype = 'prismatic'\nbodies = ['ground', 'part']\nat = [0, 0]\naxis = [1, 0]\n"
     "[joints.j.stop]\nlower = -0.001\nupper = 0.001\n"}};

/// Required parameters of a law, with values that make sense here.
std::string parameters_of(const laws::Entry& law, bool stop = false) {
  std::string out = fmt::format("law = '{}'", law.key);
  for (const laws::Parameter& p : law.parameters) {
    if (p.is_flag) continue;
    if (p.key == laws::kPluginKey) {
      register_own_laws();
      out += law.kind == "contact"
                 ? fmt::format(", plugin = '@power', K = {}, b = 0.25", stop ? 1e6 : 1e7)
                 : ", plugin = '@power', mu = 0.1";
      continue;
    }
    if (p.formula) {
      const bool contact = p.formula->key == "force";
      out += contact ? fmt::format(", force = 'K*d^1.5*(1 + b*v/v0)', K = {}, b = 0.25",
                                   stop ? 1e6 : 1e7)
                     : ", coefficient = 'mu*tanh(v/v1)', mu = 0.1, v1 = '1 mm/s'";
      continue;
    }
    if (!(p.required || p.key == "restitution" || (stop && p.key == "stiffness"))) continue;
    double value = p.fallback;
    if (p.key == "restitution") value = 0.8;
    if (p.key == "stiffness") value = 1e6;
    if (p.key == "sigma0") value = 1e5;
    out += fmt::format(", {} = {}", p.key, value);
  }
  return out;
}

class Combination : public ::testing::TestWithParam<int> {};

TEST_P(Combination, RunsKeepsTheAuditAndNeverGainsOrIsRefused) {
  const Shape& shape = kShapes[GetParam()];
  const bool stop = std::string(shape.name) == "stop";
  const auto contacts = laws::contact_catalogue(), frictions = laws::friction_catalogue();
  int accepted = 0, refused = 0, product = 0;
  for (const laws::Entry& contact : contacts)
    for (int f = -1; f < static_cast<int>(frictions.size()); ++f) {
      ++product;
      std::string toml = std::string(shape.model) + shape.keys;
      if (!stop) toml += "material = { young = 2e8, poisson = 0.3 }\n";
      toml += "contact = { " + parameters_of(contact, stop) + " }\n";
      if (f >= 0) {
        if (stop)
          toml.replace(toml.find("[joints.j.stop]"), 0,
                       "friction = { " + parameters_of(frictions[f]) + ", preload = 0.1 }\n");
        else
          toml += "friction = { " + parameters_of(frictions[f]) + " }\n";
      }
      toml += "[simulation]\nduration = 0.06\noutput = 0.06\ntolerance = 1e-8\n";
      const std::string name = fmt::format("{}, {}, {}", shape.name, contact.key,
                                           f < 0 ? "no friction" : frictions[f].key);
      Model model;
      try {
        model = model_from(toml);
      } catch (const ModelError& error) {
        ++refused;
        EXPECT_FALSE(error.issues().empty()) << name;
        for (const Issue& issue : error.issues()) {
          EXPECT_FALSE(issue.message.empty()) << name;
          // Only for a law that does not fit; the geometry itself is sound.
          EXPECT_TRUE(issue.path.find("contact") != std::string::npos ||
                      issue.path.find("friction") != std::string::npos)
              << name << ": " << issue.path << ": " << issue.message;
        }
        continue;
      }
      ++accepted;
      SCOPED_TRACE(name);
      const Simulated run = simulate(model);
      if (run.result.status != RunStatus::done) continue;  // which has failed the test
      EXPECT_GT(run.result.contacts, 0) << name;
      EXPECT_LE(run.result.friction_use, 1 + 1e-4) << name;  // bristles as exact as the audit
      const double scale = std::max(run.result.energy_scale, 1e-6);
      EXPECT_LT(run.result.energy_residual, 1e-5 * scale) << name;
      for (const Impact& impact : run.series.impacts)
        EXPECT_GT(impact.energy_lost, -1e-5 * scale) << name;
      const char* path = "energy/work/joints/j/friction";
      const double friction = run.series.has(path) ? run.series.at(path, 0.06) : 0;
      EXPECT_LT(friction, 1e-6 * scale) << name;
    }
  fmt::print("{}: {} accepted, {} refused, {} combinations\n", shape.name, accepted, refused,
             product);
  EXPECT_EQ(accepted + refused, product);
  EXPECT_GT(accepted, product / 3);
}
INSTANTIATE_TEST_SUITE_P(All, Combination, ::testing::Range(0, static_cast<int>(kShapes.size())),
                         [](const auto& test) {
                           std::string name = kShapes[test.param].name;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

/// Bug: a contact that parted with a depth of round-off could not touch again, and the press lost
/// its slider after some seconds of chatter, depending on the last digits of the tolerance.
TEST(Press, KeepsItsSliderThroughChatter) {
  for (const double tolerance : {0.9e-7, 1e-7, 1.1e-7, 1.2e-7}) {
    Model model = load_imperfect("press");
    for (Joint& joint : model.joints)
      if (joint.clearance) joint.clearance->inner_radius = joint.clearance->outer_radius - 0.25e-3;
    model.simulation.tolerance = tolerance;
    model.simulation.duration = 12;
    model.simulation.output = 0.01;
    const Simulated run = simulate(model);
    const auto ratio = run.series.series("joints/pin/ratio");
    EXPECT_LT(*std::max_element(ratio.begin(), ratio.end()), 1.5) << tolerance;
  }
}

}  // namespace
}  // namespace freeplay::testing
