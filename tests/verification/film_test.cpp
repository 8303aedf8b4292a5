// SPDX-License-Identifier: Apache-2.0
#include "films/film_laws.hpp"
#include "films/roughness.hpp"
#include "support/paths.hpp"
#include "support/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// Oil and rubber in mechanisms: verification/cases G3, papers/silva, and limits.
namespace freeplay::testing {
namespace {

/// verification/cases G3: the slider-crank at 5000 rpm, its wrist on a short bearing.
Model oiled_slider_crank(double viscosity, const char* law = "short-bearing") {
  Model model = load_imperfect("slider_crank");
  for (Joint& joint : model.joints) {
    if (joint.name != "pin") continue;
    Film film;
    film.law = {law, {{"viscosity", viscosity}, {"radius", 0.010}}};
    film.torque = false;  // the reference integrates forces alone
    joint.clearance->film = film;
    joint.clearance->outer_length = 0.040;
    joint.clearance->offset = {0.05e-3, 0, 0};
  }
  model.simulation.duration = 0.006;
  model.simulation.output = 0.001;
  return model;
}

TEST(OiledSliderCrank, G3ToAllPrintedDigits) {
  const Simulated run = simulate(oiled_slider_crank(0.4));
  struct Row {
    double t, x, v, angle, ratio, force;
  };
  Check check("G3 oiled slider-crank", "data of Flores et al.; RK4 with 60000 and 120000 steps");
  for (const Row& r :
       {Row{0.001, 0.16094419969, -17.80775071, -0.20922880501, 0.541314542, 2342.949716},
        Row{0.002, 0.13725730981, -27.70662312, -0.36777619381, 0.644519458, 1017.937501},
        Row{0.003, 0.10927970972, -26.68932963, -0.42818077304, 0.414973519, 806.126277},
        Row{0.004, 0.08673685250, -17.77893998, -0.36915435195, 0.358193126, 1473.781915},
        Row{0.005, 0.07379290072, -8.30990114, -0.21009712883, 0.536857109, 1256.094415},
        Row{0.006, 0.06969126920, -0.03010739, -0.00002958268, 0.617502308, 1119.623163}}) {
    check.near("x", run.series.at("bodies/slider/position.x", r.t), r.x, 1e-10);
    check.near("v", run.series.at("bodies/slider/velocity.x", r.t), r.v, 1e-6);
    check.near("rod angle", run.series.at("bodies/rod/angle", r.t), r.angle, 1e-9);
    check.near("eccentricity ratio", run.series.at("joints/pin/ratio", r.t), r.ratio, 1e-6);
    check.near("force", run.series.vector("joints/pin/reaction_force", r.t).norm(), r.force,
               1e-4 * r.force);
  }
  EXPECT_EQ(run.result.contacts, 0);
  check.energy(run);
}

TEST(OiledSliderCrank, ThickOilIsAnIdealJointThinOilIsNone) {
  const auto centred = [](double viscosity) {
    Model model = oiled_slider_crank(viscosity);
    for (Joint& joint : model.joints)
      if (joint.clearance) joint.clearance->offset.setZero();
    return model;
  };
  Model ideal = centred(0.4), dry = centred(0.4);
  for (Joint& joint : ideal.joints) joint.clearance.reset();
  for (Joint& joint : dry.joints)
    if (joint.clearance) joint.clearance->film.reset();
  const double x_ideal = simulate(ideal).series.at("bodies/slider/position.x", 0.003);
  const double x_dry = simulate(dry).series.at("bodies/slider/position.x", 0.001);
  double last = 1;
  for (const double viscosity : {4.0, 40.0, 400.0}) {
    const Simulated run = simulate(centred(viscosity));
    const double off = std::abs(run.series.at("bodies/slider/position.x", 0.003) - x_ideal);
    fmt::print("viscosity {} Pa s: {:.2e} m from the ideal joint\n", viscosity, off);
    EXPECT_LT(off, last);
    last = off;
  }
  EXPECT_LT(last, 6e-5);
  last = 1;
  // A squeezed film grows with a power of the gap: without a floor it is felt however thin the oil.
  const auto floored = [&](double viscosity) {
    Model model = centred(viscosity);
    for (Joint& joint : model.joints)
      if (joint.clearance) joint.clearance->film->law.parameters.emplace_back("minimum_film", 5e-5);
    return model;
  };
  for (const double viscosity : {1e-5, 1e-7, 1e-9}) {
    const Simulated run = simulate(floored(viscosity));
    const double off = std::abs(run.series.at("bodies/slider/position.x", 0.001) - x_dry);
    fmt::print("viscosity {} Pa s: {:.2e} m from the dry joint\n", viscosity, off);
    EXPECT_LE(off, last);
    last = off;
  }
  EXPECT_LT(last, 1e-6);
}

TEST(OiledSliderCrank, PressureFieldCarriesTheReaction) {
  Model model = oiled_slider_crank(0.4, "reynolds");
  for (Joint& joint : model.joints)
    if (joint.clearance) joint.clearance->film->law.parameters.emplace_back("record_pressure", 1);
  model.simulation.duration = 0.002;
  model.simulation.output = 0.001;
  model.simulation.tolerance = 1e-6;
  const Simulated run = simulate(model);
  const Channel* field = nullptr;
  for (const Channel& c : run.series.channels)
    if (c.path == "joints/pin/pressure") field = &c;
  ASSERT_NE(field, nullptr);
  constexpr int kAround = 64, kAlong = 16;
  ASSERT_EQ(field->width, kAround * (kAlong + 1));
  for (std::size_t i = 1; i < run.series.time.size(); ++i) {
    const double t = run.series.time[i];
    const double* p = run.series.rows[i].data() + field->offset;
    Vec3 force = Vec3::Zero();  // -integral of p over the journal, Simpson along the axis
    double peak = 0;
    for (int k = 0; k < kAround; ++k)
      for (int j = 0; j <= kAlong; ++j) {
        const double angle = 2 * M_PI * k / kAround, here = p[k * (kAlong + 1) + j];
        const double simpson = (j == 0 || j == kAlong ? 1 : j % 2 == 1 ? 4 : 2) / (3.0 * kAlong);
        force -= here * simpson * Vec3(std::cos(angle), std::sin(angle), 0);
        peak = std::max(peak, here);
      }
    force *= 0.010 * 0.040 * 2 * M_PI / kAround;  // R L dtheta; the bearing does not turn
    const Vec3 reaction = run.series.vector("joints/pin/reaction_force", t);
    // The solver integrates between nodes with the pressure and the direction linear, this plainly.
    EXPECT_LT((force - reaction).norm(), 3e-3 * reaction.norm()) << t;
    EXPECT_DOUBLE_EQ(peak, run.series.at("joints/pin/film_pressure", t));
    const double wet = run.series.at("joints/pin/film_wet", t);
    EXPECT_TRUE(wet > 0.2 && wet < 0.9) << wet;
  }
}

/// A journal of 1 kg, spinning at 300 rad/s, under 50 N in a grooved bearing.
std::string loaded_journal(const std::string& film) {
  return R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.journal]
mass = 1
inertia = 1e-4
position = [0, 0]
angular_velocity = 300
[joints.bearing]
type = "revolute"
bodies = ["ground", "journal"]
at = [0, 0]
[joints.bearing.clearance]
bearing_radius = "15.09 mm"
journal_radius = "15 mm"
bearing_length = "20 mm"
material = "steel"
film = { torque = false, viscosity = 0.02, )" +
         film + R"( }
[forces.load]
body = "journal"
at = [0, 0]
direction = [0, -1]
magnitude = 50
[simulation]
duration = 0.1
output = 0.1
tolerance = 1e-9
)";
}

TEST(LoadedJournal, SteadyVoidsEndInTheEquilibriumThatConservesOil) {
  const Simulated run = simulate(model_from(loaded_journal(
      R"(law = "reynolds-mass-conserving", steady_voids = true, grooves = 1, groove_angle = "90 deg")")));
  const Vec3 e = run.series.vector("joints/bearing/eccentricity", 0.1);
  EXPECT_LT(run.series.vector("bodies/journal/velocity", 0.1).norm(), 1e-6);
  // The film with memory, held there long enough, carries that load: 5 turns of the oil.
  films::ReynoldsMassConserving law;
  law.groove_angle = M_PI / 2;
  law.prepare({.radius = 0.015, .clearance = 90e-6, .length = 0.02});
  const films::FilmMotion<> m{e.x(), e.y(), 0, 0, 0, 300};
  std::vector<double> voids(law.states(), 0.0), after(law.states());
  films::FilmForce<> f{};
  for (int step = 0; step < 2000; ++step) {
    f = law.force(m, voids, 1e-4, after);
    voids = after;
  }
  fmt::print("ratio {:.4f}, force of the film with memory {:.6f}, {:.6f} N\n", e.norm() / 90e-6,
             f.fx, f.fy);
  EXPECT_NEAR(f.fx, 0, 1e-3);
  EXPECT_NEAR(f.fy, 50, 1e-3);
}

TEST(LoadedJournal, MemoryOfVoidsIsRefusedWithItsReason) {
  try {
    static_cast<void>(
        simulate(model_from(loaded_journal(R"(law = "reynolds-mass-conserving", grooves = 1)"))));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("steady_voids"), std::string::npos) << error.what();
  }
}

TEST(LoadedJournal, SinksDeeperIntoASofterLiner) {
  double last = 0;
  for (const char* liner : {"", R"(, liner_thickness = "1 mm", liner_modulus = "50 MPa")",
                            R"(, liner_thickness = "1 mm", liner_modulus = "10 MPa")"}) {
    const Simulated run = simulate(model_from(loaded_journal(
        std::string(R"(law = "reynolds", grooves = 1, )") + R"(groove_angle = "90 deg")" + liner)));
    const double ratio = run.series.at("joints/bearing/ratio", 0.1);
    fmt::print("ratio {:.4f}, largest pressure {:.1f} kPa\n", ratio,
               1e-3 * run.series.at("joints/bearing/film_pressure", 0.1));
    EXPECT_GT(ratio, last + 0.002);
    EXPECT_NEAR(run.series.vector("joints/bearing/reaction_force", 0.1).y(), 50, 0.01);
    last = ratio;
  }
}

TEST(LoadedJournal, RestsOnItsSummitsWhenItStands) {
  // Without spin and with the oil squeezed out, 50 N rest on the asperities alone.
  std::string text = loaded_journal(
      R"(law = "reynolds", roughness = "2 um", summit_radius = "20 um", summit_density = 2e9, summit_modulus = "113 GPa")");
  text.replace(text.find("angular_velocity = 300"), 22, "angular_velocity = 0");
  text.replace(text.find("duration = 0.1"), 14, "duration = 3.0");
  text.replace(text.find("output = 0.1"), 12, "output = 3.0");
  const Simulated run = simulate(model_from(text));
  const double gap = run.series.at("joints/bearing/film_thickness", 3);
  const films::Asperities a{
      .roughness = 2e-6, .summit_radius = 20e-6, .summit_density = 2e9, .composite_modulus = 113e9};
  double carried = 0;
  for (int k = 0; k < 10000; ++k) {
    const double angle = 2 * M_PI * k / 10000, along = std::cos(angle);
    carried += a.pressure(90e-6 - (90e-6 - gap) * along) * along;
  }
  carried *= 0.015 * 0.02 * 2 * M_PI / 10000;
  fmt::print("gap {:.3f} um, summits carry {:.3f} N\n", 1e6 * gap, carried);
  EXPECT_EQ(run.result.contacts, 0);
  EXPECT_NEAR(carried, 50, 0.5);
}

TEST(OiledSliderCrank, EveryJournalLawRuns) {
  for (const char* law : {"short-bearing", "long-bearing", "pinkus-sternlicht", "booker-mobility",
                          "moes-mobility", "reynolds", "reynolds-guembel", "reynolds-full-film"}) {
    Model model = oiled_slider_crank(0.4, law);
    model.simulation.duration = 0.001;
    model.simulation.tolerance = 1e-6;
    const Simulated run = simulate(model);
    EXPECT_LT(run.result.energy_residual, 1e-3 * run.result.energy_scale) << law;
    EXPECT_LT(run.series.at("joints/pin/ratio", 0.001), 1.2) << law;
  }
}

/// The four-bar of F1 with something in its ball joint.
Model four_bar(bool bushing) {
  Model model = load_imperfect("spatial_four_bar");
  for (Joint& joint : model.joints) {
    if (joint.name == "ball") {  // the reference run has its own ball
      const Vec3 moved = Vec3(-0.074916, -0.085, 0.065245) - Vec3(-0.07492, -0.085, 0.06524);
      for (Frame* frame : {&joint.first, &joint.second}) {
        const Body& body = model.bodies[frame->body];
        const Eigen::Quaterniond q(body.orientation[0], body.orientation[1], body.orientation[2],
                                   body.orientation[3]);
        frame->point += q.toRotationMatrix().transpose() * moved;
      }
      if (bushing) {
        joint.clearance.reset();
        Bushing rubber;
        rubber.law = LawChoice{"radial", {{"stiffness", 2.146e7}, {"damping_time", 0.01}}};
        joint.bushing = rubber;
      } else {
        joint.clearance->friction.reset();
        Film film;
        film.law = {"squeeze", {{"viscosity", 0.4}, {"radius", 0.010}}};
        joint.clearance->film = film;
      }
    }
  }
  model.simulation.output = 0.1;
  return model;
}

double energy(const Simulated& run, double t) {
  return run.series.at("energy/kinetic", t) + run.series.at("energy/potential", t);
}

TEST(FourModels, F2Lubricated) {
  Model model = four_bar(false);
  model.simulation.duration = 0.5;
  const Simulated run = simulate(model);
  Check check("F2 lubricated ball", "papers/silva, independent RK4, two step sizes");
  struct Row {
    double t, z, lost;
  };
  for (const Row& r : {Row{0.1, .03051863, -0.010297}, Row{0.2, .02807854, -0.616564},
                       Row{0.3, .03607334, -0.649821}, Row{0.4, .03519794, -0.653573},
                       Row{0.5, .02932100, -1.297449}}) {
    check.near("z", run.series.at("bodies/rocker/position.z", r.t), r.z, 6e-9);
    check.near("energy, mJ", 1e3 * (energy(run, r.t) - energy(run, 0)), r.lost, 1e-6);
  }
  EXPECT_EQ(run.result.contacts, 0);
}

TEST(FourModels, F2Bushing) {
  Model model = four_bar(true);
  model.simulation.duration = 0.2;
  const Simulated run = simulate(model);
  Check check("F2 bushing", "papers/silva, independent RK4, two step sizes");
  check.near("z(0.1)", run.series.at("bodies/rocker/position.z", 0.1), .03052091, 6e-9);
  check.near("z(0.2)", run.series.at("bodies/rocker/position.z", 0.2), .02820766, 6e-9);
  check.energy(run);
}

TEST(FourModels, EnergyOrderOfOneFile) {
  // papers/silva: energy lost, friction > frictionless and lubricated > bushing. Up to 0.5 s no
  // model is chaotic; the example's page tells what happens later.
  const auto lost = [](const std::vector<Override>& changes) {
    LoadOptions options;
    options.overrides = changes;
    Model model =
        load_model(testing::source_dir() / "examples/09_four_models/four_bar.toml", options);
    model.simulation.duration = 0.5;
    model.simulation.output = 0.25;
    const Simulated run = simulate(model);
    const auto held = [&](double t) { return energy(run, t) + run.series.at("energy/elastic", t); };
    return std::array{1e3 * (held(0) - held(0.25)), 1e3 * (held(0) - held(0.5))};
  };
  const std::string path = "joints.ball.";
  const auto ideal = lost({{path + "clearance", "false"}});
  const auto dry = lost({});
  const auto friction = lost(
      {{path + "clearance.friction", "{ law = \"threlfall\", kinetic = 0.1, v1 = \"1 mm/s\" }"}});
  const auto oil = lost({{path + "clearance.film",
                          "{ law = \"squeeze\", viscosity = \"400 cP\", radius = \"10 mm\" }"}});
  const auto rubber = lost({{path + "clearance", "false"},
                            {path + "bushing", "{ stiffness = 2.146e7, damping_time = 0.01 }"}});
  for (std::size_t i = 0; i < 2; ++i) {
    fmt::print(
        "lost by {} s, mJ: friction {:.4f}, oil {:.4f}, dry {:.4f}, rubber {:.4f}, ideal "
        "{:.1e}\n",
        0.25 * static_cast<double>(i + 1), friction[i], oil[i], dry[i], rubber[i], ideal[i]);
    EXPECT_GT(friction[i], 2 * oil[i]);
    EXPECT_GT(oil[i], 1.2 * dry[i]);  // the paper has both alike
    EXPECT_GT(dry[i], 10 * rubber[i]);
    EXPECT_GT(rubber[i], 1e-3);
    EXPECT_LT(std::abs(ideal[i]), 1e-6);
  }
}

TEST(Bushing, SixComponentsKeepTheAudit) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
gravity = [0, 0, -9.81]
[bodies.arm]
mass = 2
inertia = [0.01, 0.02, 0.02]
position = [0.2, 0, 0]
[joints.mount]
type = "revolute"
bodies = ["ground", "arm"]
at = [0, 0, 0]
axis = [0, 1, 0]
[joints.mount.bushing]
radial = { x = [0, 1e-3, 3e-3], force = [0, 200, 900] }
axial = 1e5
tilt = 200
twist = { x = [0, 0.1, 0.5], force = [0, 4, 30] }
damping = [20, 20, 20, 0.1, 0.1, 0.1]
branches = [{ stiffness = [5e4, 5e4, 5e4, 10, 10, 10], time = 0.02 }]
[simulation]
duration = 1
)"));
  Check check("six-component bushing", "energy balance, theory/audit (A.5)");
  check.energy(run);
  EXPECT_LT(run.series.vector("bodies/arm/velocity", 1).norm(), 3);
}

}  // namespace
}  // namespace freeplay::testing
