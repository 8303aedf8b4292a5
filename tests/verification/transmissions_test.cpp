// SPDX-License-Identifier: Apache-2.0
#include "dynamics/layout.hpp"
#include "dynamics/system.hpp"
#include "support/recording.hpp"
#include <freeplay/assembly.hpp>
#include <freeplay/equilibrium.hpp>
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>

// Gears, racks and screws with play: rattle, losses, tooth stiffness, each against a closed form.
namespace freeplay::testing {
namespace {

class TransmissionCase : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::string run_of(double duration, double output, double tolerance = 1e-9) {
    return fmt::format(
        "\n[simulation]\nduration = {}\noutput = {}\ntolerance = {}\nformulation = \"{}\"\n",
        duration, output, tolerance, GetParam());
  }
  [[nodiscard]] static std::string name(const std::string& what) {
    return what + ", " + GetParam();
  }
};
INSTANTIATE_TEST_SUITE_P(Formulations, TransmissionCase, ::testing::Values("cartesian", "tree"),
                         [](const auto& test) { return std::string(test.param); });

// ---------------------------------------------------------------- gear rattle

// A pinion that is shaken, and a wheel that is dragged: seen along the pitch line a mass m under a
// constant force, between two flanks that move by X = a sin(w t). In flight its path is a parabola,
// on a flank a damped oscillation about what force and shaking ask for: all in closed form.
struct Rattle {
  double m = 0.04, K = 1e6, C = 60, drag = 0.2, gap = 2e-4, a = 1e-3, w = 2 * M_PI * 30;
  double ratio = -0.5, r2 = 0.05;

  [[nodiscard]] double X(double t) const { return a * std::sin(w * t); }
  [[nodiscard]] double dX(double t) const { return a * w * std::cos(w * t); }
  struct Place {
    double y, v;
  };
  /// On a flank, way = -1 (drive) or 1 (coast): depth d = way (y - X) - gap/2 and
  /// m d'' + C d' + K d = -way (drag + m X'').
  [[nodiscard]] Place on_flank(double way, double t0, Place from, double t) const {
    const std::complex<double> i(0, 1), response = 1.0 / (K - m * w * w + i * C * w);
    // -way m X'' = way m a w^2 sin(w t) = Im(way m a w^2 e^{iwt})
    const auto steady = [&](double at) {
      const std::complex<double> z = way * m * a * w * w * response * std::exp(i * w * at);
      return Place{-way * drag / K + z.imag(), (i * w * z).imag()};
    };
    const double d0 = way * (from.y - X(t0)) - gap / 2, dv0 = way * (from.v - dX(t0));
    const Place p0 = steady(t0), p = steady(t);
    const double decay = C / (2 * m), wd = std::sqrt(K / m - decay * decay), s = t - t0;
    const double A = d0 - p0.y, B = (dv0 - p0.v + decay * A) / wd, e = std::exp(-decay * s);
    const double cosine = std::cos(wd * s), sine = std::sin(wd * s);
    const double d = e * (A * cosine + B * sine) + p.y;
    const double dv = e * ((B * wd - decay * A) * cosine - (A * wd + decay * B) * sine) + p.v;
    return {X(t) + way * (d + gap / 2), dX(t) + way * dv};
  }
  [[nodiscard]] Place in_flight(double t0, Place from, double t) const {
    const double s = t - t0, b = -drag / m;
    return {from.y + from.v * s + 0.5 * b * s * s, from.v + b * s};
  }
  struct Happening {
    double time;
    int flank;
    bool touch;
    double speed;  // of approach or separation
  };
  /// The first `count` touches and separations, from the middle of the gap at rest.
  [[nodiscard]] std::vector<Happening> follow(std::size_t count) const {
    std::vector<Happening> out;
    double t0 = 0;
    Place from{0, 0};
    int flank = -1;
    const auto at = [&](double t) {
      return flank < 0 ? in_flight(t0, from, t) : on_flank(flank == 0 ? -1 : 1, t0, from, t);
    };
    const auto depth = [&](int which, double t) {
      return (which == 0 ? -1 : 1) * (at(t).y - X(t)) - gap / 2;
    };
    while (out.size() < count) {
      // A look every hundredth of a contact, then bisection to the last bit.
      const double look = 0.01 * M_PI * std::sqrt(m / K);
      double t = t0;
      int crossed = -1;
      while (crossed < 0) {
        t += look;
        for (const int which : {0, 1})
          if (flank < 0 ? depth(which, t) > 0 : which == flank && depth(which, t) < 0)
            crossed = which;
      }
      double before = t - look, after = t;
      for (int k = 0; k < 80; ++k) {
        const double middle = 0.5 * (before + after);
        ((depth(crossed, middle) > 0) == (flank < 0) ? after : before) = middle;
      }
      const Place there = at(after);
      const double rate = (crossed == 0 ? -1 : 1) * (there.v - dX(after));
      out.push_back({after, crossed, flank < 0, flank < 0 ? rate : -rate});
      t0 = after;
      from = there;
      flank = flank < 0 ? crossed : -1;
    }
    return out;
  }
};

std::string rattle_model(const Rattle& is) {
  return fmt::format(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.pinion]
    mass = 1
    inertia = 1e-3
    [bodies.wheel]
    mass = 1
    inertia = {}
    position = [0.1, 0]
    [joints.pinion]
    type = "revolute"
    bodies = ["ground", "pinion"]
    at = [0, 0]
    drive = {{ sine = {{ amplitude = {}, frequency = {} }} }}
    [joints.wheel]
    type = "revolute"
    bodies = ["ground", "wheel"]
    at = [0.1, 0]
    [couplings.teeth]
    type = "gear"
    joints = ["pinion", "wheel"]
    ratio = {}
    pitch_radius = {}
    backlash = {}
    contact = {{ law = "kelvin-voigt", stiffness = {}, damping = {}, tension = true }}
    [efforts.drag]
    joint = "wheel"
    magnitude = {}
  )toml",
                     is.m * is.r2 * is.r2, is.a / (is.ratio * is.r2), is.w / (2 * M_PI), is.ratio,
                     is.r2, is.gap, is.K, is.C, -is.drag * is.r2);
}

TEST_P(TransmissionCase, GearsRattle) {
  const Rattle is;
  const auto expected = is.follow(40);
  const Simulated s =
      simulate(model_from(rattle_model(is) + run_of(expected.back().time + 1e-3, 1e-2, 1e-12)));
  Check check(name("gear rattle"), "closed form: parabolas and damped oscillations between events");
  std::vector<Event> events;
  for (const Event& e : s.series.events)
    if (e.joint == "teeth") events.push_back(e);
  ASSERT_GE(events.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(events[k].kind, expected[k].touch ? "touch" : "separation") << k;
    EXPECT_EQ(events[k].contact, expected[k].flank) << k;
    check.near("time", events[k].time, expected[k].time, 1e-8);
    check.near("speed", events[k].speed, expected[k].speed, 1e-6);
  }
  check.energy(s);
}

TEST(TransmissionTest, EveryIntegratorFindsTheTouches) {
  const Rattle is;
  const auto expected = is.follow(8);
  for (const char* method :
       {"dop853", "radau", "cvode-adams", "cvode-bdf", "arkode-erk", "arkode-dirk", "ida"}) {
    const Simulated s = simulate(model_from(
        rattle_model(is) + fmt::format("\n[simulation]\nduration = {}\ntolerance = 1e-10\n"
                                       "formulation = \"cartesian\"\nintegrator = \"{}\"\n",
                                       expected.back().time + 1e-4, method)));
    Check check(std::string("gear rattle by ") + method, "closed form between events");
    std::vector<double> times;
    for (const Event& e : s.series.events)
      if (e.joint == "teeth") times.push_back(e.time);
    ASSERT_EQ(times.size(), expected.size()) << method;
    for (std::size_t k = 0; k < times.size(); ++k)
      check.near("time", times[k], expected[k].time, 1e-7);
    check.energy(s);
  }
}

// ---------------------------------------------------------------- screws and worms

constexpr double kLead = 5e-3, kRadius = 9e-3, kMu = 0.12;
const double kRise = std::atan(kLead / (2 * M_PI * kRadius));

/// A spindle in a nut that carries `load` (N) downward; the spindle is told what to do.
std::string screw_model(double mu, double flank_angle, const std::string& spindle,
                        double lead = kLead, double v1 = 1e-4) {
  return fmt::format(R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [bodies.spindle]
    mass = 2
    inertia = [1e-3, 1e-3, 2e-4]
    [bodies.nut]
    mass = 3
    inertia = [1e-3, 1e-3, 1e-3]
    [joints.spindle]
    type = "revolute"
    bodies = ["ground", "spindle"]
    at = [0, 0, 0]
    axis = [0, 0, 1]
    {}
    [joints.nut]
    type = "prismatic"
    bodies = ["ground", "nut"]
    at = [0, 0, 0]
    axis = [0, 0, 1]
    [couplings.thread]
    type = "rack"
    joints = ["spindle", "nut"]
    radius = {}
    backlash = "0.02 mm"
    offset = "-0.01 mm"
    contact = {{ law = "kelvin-voigt", stiffness = 1e7, damping = 5e3 }}
    friction = {{ law = "tanh", kinetic = {}, v1 = {}, radius = {}, flank_angle = {} }}
    [efforts.load]
    joint = "nut"
    magnitude = -500
  )toml",
                     spindle, lead / (2 * M_PI), mu, v1, kRadius, flank_angle);
}

TEST_P(TransmissionCase, ScrewEfficiencyForwardAndBack) {
  for (const double flank : {0.0, 15 * M_PI / 180})
    for (const double lead : {kLead, -4 * kLead})
      for (const double turn : {1.0, -1.0}) {
        // Driven at constant speed, lifting (the nut moves up) or lowering.
        const double speed = turn * (lead > 0 ? 20 : -20);
        const Simulated s = simulate(model_from(
            screw_model(kMu, flank, fmt::format("drive = {{ speed = {} }}", speed), lead) +
            run_of(0.3, 0.01)));
        Check check(name(turn > 0 ? "screw lifts" : "screw lowers"),
                    "textbook: W r tan(lead angle +- friction angle)");
        const double rise = std::atan(std::abs(lead) / (2 * M_PI * kRadius)),
                     friction = std::atan(kMu / std::cos(flank));
        const double torque =
            (lead > 0 ? 1 : -1) * 500 * kRadius * std::tan(rise + turn * friction);
        const double t = s.series.time.back();
        check.near("effort on the nut", s.series.at("couplings/thread/effort", t), 500, 1e-6);
        check.near("torque", s.series.at("joints/spindle/drive_effort", t), torque,
                   1e-8 * std::abs(torque));
        const double lifted = 500 * s.series.at("joints/nut/rate", t),
                     given = s.series.at("joints/spindle/drive_effort", t) * speed;
        const double efficiency = turn > 0 ? lifted / given : given / lifted,
                     textbook = turn > 0 ? std::tan(rise) / std::tan(rise + friction)
                                         : std::tan(rise - friction) / std::tan(rise);
        check.near("efficiency", efficiency, textbook, 1e-7);
        check.near("loss", s.series.at("couplings/thread/friction_power", t), lifted - given, 1e-4);
        check.energy(s);
      }
}

// The load cannot turn the spindle where the friction angle is the larger one.
TEST_P(TransmissionCase, SelfLocking) {
  const double limit = std::tan(kRise);
  {
    // It creeps below the speed at which friction is fully developed: tanh(v/v1) = limit/mu.
    const double mu = 1.05 * limit, v1 = 1e-6;
    const Simulated s = simulate(model_from(screw_model(mu, 0, "", kLead, v1) + run_of(0.5, 0.05)));
    Check check(name("self-locking screw"), "textbook: friction angle above the lead angle");
    const double t = s.series.time.back(), slip = v1 * std::atanh(limit / mu);
    check.near("creep", s.series.at("joints/nut/rate", t), -slip * std::sin(kRise), 1e-3 * slip);
    check.energy(s);
  }
  const double mu = 0.8 * limit;
  const Simulated s = simulate(model_from(screw_model(mu, 0, "") + run_of(0.5, 0.05)));
  Check check(name("screw that runs back"), "closed form: rigid screw with friction");
  const double p = kRadius * limit, t = s.series.time.back();
  const double a = 500 / (3 + 2e-4 / (p * kRadius * std::tan(kRise - std::atan(mu))));
  check.near("acceleration", s.series.vector("bodies/nut/acceleration", t)[2], -a, 1e-5 * a);
  check.energy(s);
}

// A worm is a screw that turns a wheel; as a gear it needs the pitch radius of the wheel.
TEST_P(TransmissionCase, WormDrivesItsWheel) {
  const Simulated s = simulate(model_from(R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [bodies.worm]
    mass = 1
    inertia = [1e-4, 1e-4, 1e-4]
    [bodies.wheel]
    mass = 3
    inertia = [1e-2, 1e-2, 1e-2]
    position = [0, 0.06, 0]
    [joints.worm]
    type = "revolute"
    bodies = ["ground", "worm"]
    at = [0, 0, 0]
    axis = [1, 0, 0]
    drive = { speed = 150 }
    [joints.wheel]
    type = "revolute"
    bodies = ["ground", "wheel"]
    at = [0, 0.06, 0]
    axis = [0, 0, 1]
    speed = 3.75
    [couplings.worm]
    type = "gear"
    joints = ["worm", "wheel"]
    ratio = 0.025
    pitch_radius = "50 mm"
    backlash = "0.05 mm"
    offset = "-0.025 mm"
    contact = { law = "kelvin-voigt", stiffness = 2e7, damping = 4e4 }
    friction = { law = "tanh", kinetic = 0.05, v1 = 1e-4, radius = "10 mm", flank_angle = "20 deg" }
    [efforts.load]
    joint = "wheel"
    magnitude = -40
  )toml" + run_of(0.2, 0.01)));
  Check check(name("worm"), "textbook: tan(lead angle)/tan(lead angle + friction angle)");
  const double rise = std::atan(0.025 * 0.05 / 0.01),
               friction = std::atan(0.05 / std::cos(20 * M_PI / 180)), t = s.series.time.back();
  const double given = 150 * s.series.at("joints/worm/drive_effort", t),
               taken = 40 * s.series.at("joints/wheel/rate", t);
  check.near("efficiency", taken / given, std::tan(rise) / std::tan(rise + friction), 1e-7);
  check.energy(s);
}

// ---------------------------------------------------------------- teeth that give way

/// Pinion at a steady 10 Hz under load; along the pitch line m = 0.5 kg.
std::string meshing_model(const std::string& teeth) {
  return R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.pinion]
    mass = 1
    inertia = 1e-3
    [bodies.wheel]
    mass = 1
    inertia = 5e-3
    position = [0.15, 0]
    [joints.pinion]
    type = "revolute"
    bodies = ["ground", "pinion"]
    at = [0, 0]
    drive = { speed = "600 rpm" }
    [joints.wheel]
    type = "revolute"
    bodies = ["ground", "wheel"]
    at = [0.15, 0]
    speed = "-300 rpm"
    [couplings.teeth]
    type = "gear"
    joints = ["pinion", "wheel"]
    ratio = -0.5
    pitch_radius = "100 mm"
    backlash = "0.1 mm"
    offset = "0.06 mm"
    contact = { law = "kelvin-voigt", stiffness = 2e6, damping = 400, tension = true }
    )toml" +
         teeth + R"toml(
    [efforts.load]
    joint = "wheel"
    magnitude = 20
  )toml";
}

/// Amplitude of a series at a frequency, over the last `count` points of the grid.
std::complex<double> component(const Simulated& s, const std::string& path, double frequency,
                               std::size_t count) {
  const std::vector<double> x = s.series.series(path);
  std::complex<double> sum = 0;
  for (std::size_t k = x.size() - 1 - count; k + 1 < x.size(); ++k)
    sum += x[k] * std::exp(std::complex<double>(0, -2 * M_PI * frequency * s.series.time[k]));
  return 2.0 / static_cast<double>(count) * sum;
}

// 20 teeth at 10 Hz: the force has 200 Hz in it, and with a modulation of once a turn 190 and
// 210 Hz. A fluctuation e g(t) of the stiffness is answered by m d'' + C d' + K d = -e K g d0.
TEST_P(TransmissionCase, MeshFrequencyAndSideBands) {
  const double e = 1e-4, m = 0.5, K = 2e6, C = 400, force = 200;
  const Simulated s = simulate(model_from(
      meshing_model(fmt::format("stiffness_factor = \"1 + {}*cos(20*x)*(1 + 0.3*cos(x))\"\n", e)) +
      run_of(1.0, 5e-4)));
  Check check(name("side bands"), "linear response to a small fluctuation of the stiffness");
  for (const auto& [frequency, share] :
       {std::pair{200.0, 1.0}, std::pair{190.0, 0.15}, std::pair{210.0, 0.15}}) {
    const double w = 2 * M_PI * frequency;
    // Fluctuation and damper give way together: force -m d'' on the wheel.
    const std::complex<double> i(0, 1), stiff = 1.0 + i * C * w / K;
    const std::complex<double> d = -e * share * force * stiff / (K * stiff - m * w * w) / stiff;
    const double expected = std::abs(m * w * w * d),
                 found = std::abs(component(s, "couplings/teeth/force", frequency, 1000));
    check.near(fmt::format("{:g} Hz", frequency), found / expected, 1, 2e-3);
  }
  const double nothing = std::abs(component(s, "couplings/teeth/force", 150, 1000));
  check.below("elsewhere", nothing, 1e-3 * e * force);
  check.energy(s);
}

// A transmission error of 20 waves a turn shakes the wheel: m y'' + C y' + K y follows
// K E + C E', exactly, as the teeth are linear and never part.
TEST_P(TransmissionCase, TransmissionErrorShakesTheWheel) {
  const Simulated s = simulate(
      model_from(meshing_model("transmission_error = \"2e-6*sin(20*x)\"\n") + run_of(1.0, 5e-4)));
  const double m = 0.5, K = 2e6, C = 400, w = 2 * M_PI * 200;
  const std::complex<double> i(0, 1), gain = (K + i * C * w) / (K + i * C * w - m * w * w);
  Check check(name("transmission error"), "closed form: linear response");
  check.near("rate of the wheel", std::abs(component(s, "joints/wheel/rate", 200, 1000)),
             2e-6 * w / 0.1 * std::abs(gain), 1e-6 * 2e-6 * w / 0.1);
  check.energy(s);
}

// ---------------------------------------------------------------- the rest

const std::string kPlanetary = R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [bodies.carrier]
    mass = 1
    inertia = [0.05, 0.05, 0.05]
    [bodies.sun]
    mass = 0.5
    inertia = [0.002, 0.002, 0.002]
    [bodies.planet]
    mass = 0.4
    inertia = [0.001, 0.001, 0.001]
    position = [0.2, 0, 0]
    [joints.carrier]
    type = "revolute"
    bodies = ["ground", "carrier"]
    at = [0, 0, 0]
    axis = [0, 0, 1]
    [joints.sun]
    type = "revolute"
    bodies = ["carrier", "sun"]
    at = [0, 0, 0]
    axis = [0, 0, 1]
    [joints.planet]
    type = "revolute"
    bodies = ["carrier", "planet"]
    at = [0.2, 0, 0]
    axis = [0, 0, 1]
    [couplings.ring]
    type = "gear"
    joints = ["carrier", "planet"]
    ratio = "-60/15"
    pitch_radius = 0.05
    backlash = "0.1 mm"
    offset = "-0.06 mm"
    contact = { law = "hunt-crossley", stiffness = 1e8, restitution = 0.7 }
    stiffness_factor = "1 + 0.3*sin(7*x)"
    [couplings.inner]
    type = "gear"
    joints = ["planet", "sun"]
    ratio = "-15/30"
    pitch_radius = 0.1
    backlash = "0.1 mm"
    offset = "0.053 mm"
    contact = { law = "kelvin-voigt", stiffness = 3e6, damping = 100 }
    transmission_error = "1e-6*cos(15*x)"
    friction = { law = "tanh", kinetic = 0.1, v1 = 0.01, radius = 0.02 }
    [torques.motor]
    body = "sun"
    direction = [0, 0, 1]
    magnitude = { sine = { amplitude = 2, frequency = 200 } }
  )toml";

TEST_P(TransmissionCase, JacobianIsTheDerivativeOfTheEquations) {
  const Model model = model_from(kPlanetary + run_of(0.1, 0.01));
  const auto system = dynamics::make_system(model);
  State state = dynamics::from_cartesian(model, assemble(model).start);
  system->prepare(state);
  for (int k = 0; k < static_cast<int>(state.y.size()) - system->work_size(); ++k)
    state.y[k] += 1e-7 * std::cos(3.0 * k);
  const int velocities = state.layout->size(BlockKind::velocity),
            first = state.layout->begin(BlockKind::velocity);
  for (int k = 0; k < velocities; ++k) state.y[first + k] += 1e-6 * std::sin(1.0 + k);
  ASSERT_TRUE(system->project(0, state.y.data(), state.memory.data()));
  system->take_up(state);
  MatX J;
  ASSERT_TRUE(system->jacobian(0, state.y.data(), state.memory.data(), J));
  VecX plus(system->size()), minus(system->size());
  double largest = 0;
  for (int c = 0; c < system->size(); ++c) {
    const double h = 1e-7;
    VecX y = state.y;
    y[c] += h;
    ASSERT_TRUE(system->derivative(0, y.data(), state.memory.data(), plus.data()));
    y[c] -= 2 * h;
    ASSERT_TRUE(system->derivative(0, y.data(), state.memory.data(), minus.data()));
    const VecX difference = (plus - minus) / (2 * h);
    EXPECT_LT((difference - J.col(c)).cwiseAbs().maxCoeff(), 1e-6 * (1 + J.cwiseAbs().maxCoeff()))
        << "column " << c;
    largest = std::max(largest, difference.cwiseAbs().maxCoeff());
  }
  EXPECT_GT(largest, 1e6);  // the teeth are in touch
}

// Two formulations, up to the end of the run; and the teeth stay within their gap but for what they
// give way.
TEST(TransmissionTest, FormulationsAgree) {
  std::optional<Simulated> first;
  for (const char* formulation : {"cartesian", "tree"}) {
    Model model = model_from(kPlanetary +
                             "[simulation]\nduration = 0.02\noutput = 1e-3\n"
                             "tolerance = 1e-11\nformulation = \"" +
                             formulation + "\"\n");
    Simulated s = simulate(std::move(model));
    Check check(std::string("planetary gear with play, ") + formulation, "the other formulation");
    check.energy(s);
    if (!first) {
      first.emplace(std::move(s));
      continue;
    }
    EXPECT_GT(s.series.events.size(), 4u);
    EXPECT_EQ(s.series.events.size(), first->series.events.size());
    for (const double t : s.series.time)
      for (const char* path :
           {"joints/sun/coordinate", "joints/planet/coordinate", "joints/carrier/coordinate"})
        check.near("angle", s.series.at(path, t), first->series.at(path, t), 1e-7);
  }
}

// At rest on a flank, in the middle, and with no gap at all: what pushes decides what follows.
TEST_P(TransmissionCase, StartsOnTheFlankAtRest) {
  for (const auto& [gap, offset] :
       {std::pair{2e-4, 1e-4}, std::pair{2e-4, -1e-4}, std::pair{0.0, 0.0}}) {
    Rattle is;
    is.a = 0;
    is.gap = gap;
    is.C = 400;
    std::string text = rattle_model(is);
    text.replace(text.find("drive = "),
                 text.find('\n', text.find("drive = ")) - text.find("drive = "),
                 "drive = { speed = 0 }");
    text.insert(text.find("ratio = "), fmt::format("offset = {}\n    ", offset));
    const Simulated s = simulate(model_from(text + run_of(0.1, 0.01)));
    Check check(name("start on a flank"), "closed form: at rest under the drag, depth drag/K");
    check.near("lead", s.series.at("couplings/teeth/lead", 0.1), -gap / 2 - is.drag / is.K, 1e-12);
    check.near("force", s.series.at("couplings/teeth/force", 0.1), is.drag, 1e-7);
    check.energy(s);
  }
}

void expect_refusal(const std::string& toml, const std::string& words) {
  try {
    static_cast<void>(model_from(toml));
    FAIL() << "not refused: " << words;
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(TransmissionTest, RefusesWhatHasNoMeaning) {
  const auto with = [](const std::string& was, const std::string& is) {
    std::string text = rattle_model(Rattle{});
    text.replace(text.find(was), was.size(), is);
    return text;
  };
  const std::string law = "law = \"kelvin-voigt\"";
  const std::string contact = rattle_model(Rattle{}).substr(
      rattle_model(Rattle{}).find("contact = "),
      rattle_model(Rattle{}).find("[efforts") - rattle_model(Rattle{}).find("contact = "));
  expect_refusal(with(contact, ""), "'contact' is missing");
  expect_refusal(with(contact, "contact = { law = \"newton\" }\n"), "through both joints at once");
  expect_refusal(with(contact, "contact = { law = \"exact\" }\n"), "cannot serve here");
  expect_refusal(with("pitch_radius = 0.05", ""), "'pitch_radius' of the second wheel is missing");
  expect_refusal(with("backlash = 0.0002", ""), "backlash");
  expect_refusal(with(contact, contact + "stiffness_factor = \"cos(20*x)\"\n"), "teeth push");
  expect_refusal(with(contact, contact + "stiffness_factor = \"1 + 0.1*t\"\n"), "t");
  expect_refusal(
      with(contact, contact + "friction = { law = \"coulomb\", kinetic = 0.1, radius = 0.01 }\n"),
      "follows from the slip alone");
  expect_refusal(rattle_model(Rattle{}) + "[simulation]\nduration = 1\nanalysis = \"kinematic\"\n",
                 "play between");
  expect_refusal(rattle_model(Rattle{}) +
                     "[simulation]\nduration = 1\nintegrator = \"moreau\"\n"
                     "step = 1e-4\n",
                 "teeth have a force");
  EXPECT_THROW(static_cast<void>(find_equilibrium(model_from(rattle_model(Rattle{})))), ModelError);
}

// What is written is read back.
TEST(TransmissionTest, ModelsAreWrittenAndReadBack) {
  for (const std::string& text : {rattle_model(Rattle{}), kPlanetary, screw_model(0.1, 0.2, "")}) {
    const std::string written = write_model(model_from(text));
    EXPECT_EQ(write_model(model_from(written)), written);
    EXPECT_NE(written.find("backlash"), std::string::npos);
  }
}

}  // namespace
}  // namespace freeplay::testing
