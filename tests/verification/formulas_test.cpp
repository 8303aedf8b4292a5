// SPDX-License-Identifier: Apache-2.0
#include "dynamics/system.hpp"
#include "support/recording.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <cmath>
#include <random>

// Formulas: brief ones are found by every integrator that chooses its steps, and forces, springs
// and efforts may depend on their own coordinate and speed.
namespace freeplay::testing {
namespace {

const double kRootPi = std::sqrt(std::acos(-1.0));

std::string mass_on_rail(const std::string& more, const std::string& simulation) {
  return fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.mass]
mass = 2
inertia = 1
position = [0, 0]
[joints.rail]
type = "prismatic"
bodies = ["ground", "mass"]
at = [0, 0]
axis = [1, 0]
{}
[simulation]
{}
)",
                     more, simulation);
}

const char* const kAdaptive[] = {"auto",       "dop853",      "cvode-adams", "cvode-bdf",
                                 "arkode-erk", "arkode-dirk", "ida"};
/// ida integrates the constrained equations alone.
std::vector<std::string> formulations(const std::string& integrator) {
  if (integrator == "ida") return {"cartesian"};
  return {"cartesian", "tree"};
}

class BriefPulse : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Adaptive, BriefPulse, ::testing::ValuesIn(kAdaptive),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(BriefPulse, OfForceGivesItsImpulse) {
  // m v = F w sqrt(pi), wherever the pulse is and however brief.
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(0.05, 0.95);
  Check check(std::string("pulse of force, ") + GetParam(), "closed form: m v = F w sqrt(pi)");
  for (const double width : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
    for (const std::string& formulation : formulations(GetParam())) {
      const double at = place(random), force = 3 / width;
      const auto run = simulate(model_from(mass_on_rail(
          fmt::format("[forces.blow]\nbody = \"mass\"\ndirection = [1, 0]\n"
                      "magnitude = {{ formula = \"{}*exp(-((t - {})/{})^2)\" }}\n",
                      force, at, width),
          fmt::format("duration = 1\ntolerance = 1e-8\nintegrator = \"{}\"\nformulation = \"{}\"",
                      GetParam(), formulation))));
      check.near(fmt::format("{} at {}, {}", width, at, formulation),
                 run.series.at("bodies/mass/velocity.x", 1), 3 * kRootPi / 2, 3e-6);
    }
}

TEST_P(BriefPulse, OfADriveSetsTheOscillatorSwinging) {
  // A slide that jerks by u = A exp(-((t - t0)/w)^2) and pulls a mass by a spring; after it
  // x = w0 A w sqrt(pi) exp(-(w0 w/2)^2) sin(w0 (t - t0)).
  std::mt19937 random(12);
  std::uniform_real_distribution<double> place(0.1, 0.7);
  Check check(std::string("pulse of a drive, ") + GetParam(),
              "closed form: Fourier transform of the pulse");
  for (const double width : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
    for (const std::string& formulation : formulations(GetParam())) {
      const double at = place(random), amplitude = 1e-5 / width, omega = 10;
      const auto run = simulate(model_from(mass_on_rail(
          fmt::format("[bodies.slide]\nmass = 1\ninertia = 1\nposition = [0, 0]\n"
                      "[joints.guide]\ntype = \"prismatic\"\nbodies = [\"ground\", \"slide\"]\n"
                      "at = [0, 0]\naxis = [1, 0]\n"
                      "drive = {{ formula = \"{}*exp(-((t - {})/{})^2)\" }}\n"
                      "[springs.pull]\nbodies = [\"slide\", \"mass\"]\n"
                      "at = {{ slide = [-100, 0], mass = [0, 0] }}\n"
                      "free_length = 100\nstiffness = 200\n",
                      amplitude, at, width),
          fmt::format("duration = 1\ntolerance = 1e-9\nintegrator = \"{}\"\nformulation = \"{}\"",
                      GetParam(), formulation))));
      const double swing = omega * 1e-5 * kRootPi * std::exp(-std::pow(omega * width / 2, 2));
      check.near(fmt::format("{} at {}, {}", width, at, formulation),
                 run.series.at("bodies/mass/position.x", 1), swing * std::sin(omega * (1 - at)),
                 2e-4 * swing);
    }
}

TEST(BriefPulseTest, FixedStepsWarn) {
  const auto warned = [](const std::string& step) {
    std::vector<Issue> warnings;
    LoadOptions options;
    options.warnings = &warnings;
    static_cast<void>(
        parse_model(mass_on_rail("[forces.blow]\nbody = \"mass\"\ndirection = [1, 0]\n"
                                 "magnitude = { formula = \"exp(-((t - 0.3371)/0.004)^2)\" }\n",
                                 "duration = 1\nintegrator = \"rk4\"\nstep = \"" + step + "\""),
                    "test", options));
    for (const Issue& issue : warnings)
      if (issue.message.find("may miss it") != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(warned("10 ms"));
  EXPECT_FALSE(warned("0.5 ms"));
}

// ---------------------------------------------------------------- laws of motion

/// x'' = -x^3 from x = a at rest: back there after 4 K(1/2)/a, K(1/2) = 1.85407467730137192
/// (Abramowitz & Stegun 1964, 17.3).
constexpr double kPeriod = 4 * 1.85407467730137192;

struct Way {
  const char *name, *element;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
const Way kWays[] = {
    {"spring", "[springs.law]\njoint = \"rail\"\nrest = -1\nformula = \"2*x^3\"\n"},
    {"point_spring",
     "[springs.law]\nbodies = [\"ground\", \"mass\"]\nat = [[-50, 0], [1, 0]]\n"
     "free_length = 50\nformula = \"2*x^3\"\n"},
    {"effort", "[efforts.law]\njoint = \"rail\"\nmagnitude = { formula = \"-2*(x + 1)^3\" }\n"},
    {"force",
     "[forces.law]\nbody = \"mass\"\ndirection = [1, 0]\n"
     "magnitude = { formula = \"-2*x^3\" }\n"},
};
class LawOfMotion : public ::testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(All, LawOfMotion, ::testing::ValuesIn(kWays),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(LawOfMotion, CubicOscillatorIsBackAfterItsPeriod) {
  Check check(std::string("x'' = -x^3 by ") + GetParam().name,
              "closed form: period by elliptic integral");
  for (const char* formulation : {"cartesian", "tree"}) {
    double last = 1;
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      std::string text = mass_on_rail(
          GetParam().element, fmt::format("duration = {:.17g}\ntolerance = {}\noutput = {:.17g}\n"
                                          "formulation = \"{}\"",
                                          kPeriod, tolerance, kPeriod, formulation));
      text.replace(text.find("position = [0, 0]"), 17, "position = [1, 0]");
      const auto run = simulate(model_from(text));
      const double error = std::abs(run.series.at("bodies/mass/position.x", kPeriod) - 1) +
                           std::abs(run.series.at("bodies/mass/velocity.x", kPeriod));
      check.below(fmt::format("error at {} ({})", tolerance, formulation), error, 30 * tolerance);
      check.below("audit", run.result.energy_residual, 30 * tolerance * run.result.energy_scale);
      EXPECT_LT(error, last);
      last = error;
    }
  }
}

TEST_P(LawOfMotion, JacobianIsExact) {
  std::string text = GetParam().element;
  const auto at = text.find("^3");
  text.replace(at, 2, "^3*cos(v) + 3*v*exp(-0.1*t) - tanh(0.3*x*v) + sqrt(4 + x)");
  for (const char* formulation : {"cartesian", "tree"}) {
    Model model = model_from(
        mass_on_rail(text, fmt::format("duration = 1\nformulation = \"{}\"", formulation)));
    const auto system = dynamics::make_system(model);
    const State start = assemble(model).start;
    State state = start;
    if (formulation == std::string("cartesian")) {
      system->prepare(state);
      state.y[0] += 0.2;  // x of the mass
      state.y[3] += 0.7;
      VecX f(system->size()), shifted(system->size());
      MatX J;
      ASSERT_TRUE(system->jacobian(0.3, state.y.data(), state.memory.data(), J));
      for (const int column : {0, 3}) {
        const double h = 1e-6;
        VecX y = state.y;
        y[column] += h;
        ASSERT_TRUE(system->derivative(0.3, y.data(), state.memory.data(), f.data()));
        y[column] -= 2 * h;
        ASSERT_TRUE(system->derivative(0.3, y.data(), state.memory.data(), shifted.data()));
        for (int row = 0; row < system->size(); ++row)
          EXPECT_NEAR(J(row, column), (f[row] - shifted[row]) / (2 * h), 2e-7) << row;
      }
    }
  }
}

TEST(LawOfMotionTest, DampedAndDrivenOscillatorFollowsItsClosedForm) {
  // m x'' = -8 x - 2 v + sin(3 t) with m = 2: steady state and decay of a linear oscillator.
  Check check("formula of x, v and t", "closed form: linear oscillator");
  for (const char* formulation : {"cartesian", "tree"}) {
    const auto run = simulate(model_from(mass_on_rail(
        "[efforts.law]\njoint = \"rail\"\nmagnitude = { formula = \"-8*x - 2*v + sin(3*t)\" }\n",
        fmt::format("duration = 4\ntolerance = 1e-10\noutput = 1\nformulation = \"{}\"",
                    formulation))));
    // x'' + x' + 4 x = sin(3t)/2: particular part b sin + a cos, with decay 1/2.
    const double d = (4 - 9.0) * (4 - 9.0) + 9, b = 0.5 * (4 - 9) / d, a = -0.5 * 3 / d;
    const double w = std::sqrt(4 - 0.25), c1 = -a, c2 = (-3 * b - 0.5 * a) / w;
    for (const double t : {1.0, 2.0, 4.0}) {
      const double x = b * std::sin(3 * t) + a * std::cos(3 * t) +
                       std::exp(-t / 2) * (c1 * std::cos(w * t) + c2 * std::sin(w * t));
      check.near(fmt::format("x({}) {}", t, formulation),
                 run.series.at("bodies/mass/position.x", t), x, 1e-9);
    }
    check.energy(run);
  }
}

TEST(LawOfMotionTest, TorqueMayUseTheAngleInThePlane) {
  // A pendulum made of a torque: angle'' = -sin(angle), against the one of a spring.
  const auto turned = [](const std::string& element) {
    const auto run = simulate(model_from(
        "[mechanism]\nplanar = true\ngravity = [0, 0]\n"
        "[bodies.disc]\nmass = 1\ninertia = 1\n"
        "[joints.pin]\ntype = \"revolute\"\nbodies = [\"ground\", \"disc\"]\nat = [0, 0]\n"
        "speed = 1.5\n" +
        element + "[simulation]\nduration = 5\ntolerance = 1e-10\noutput = 5\n"));
    return run.series.at("joints/pin/coordinate", 5);
  };
  const double torque =
      turned("[torques.law]\nbody = \"disc\"\nmagnitude = { formula = \"-sin(x) - 0.1*v\" }\n");
  const double spring =
      turned("[springs.law]\njoint = \"pin\"\nformula = \"sin(x)\"\ndamping = 0.1\n");
  EXPECT_NEAR(torque, spring, 1e-9);
}

}  // namespace
}  // namespace freeplay::testing
