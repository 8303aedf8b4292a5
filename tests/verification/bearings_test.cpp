// SPDX-License-Identifier: Apache-2.0
#include "films/chart.hpp"
#include "support/recording.hpp"
#include <freeplay/equilibrium.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

// Equilibrium and modes of joints with play and oil, against hand calculations, the coefficients of
// the chart, closed forms and time runs.
namespace freeplay::testing {
namespace {

constexpr double g = 9.81;
constexpr double kPi = 3.14159265358979323846;

double load_in(const Equilibrium& rest, const std::string& joint) {
  double sum = 0;
  for (const CarriedLoad& load : rest.loads)
    if (load.joint == joint) sum += load.force;
  return sum;
}

/// The oscillation that decays least or grows most, and whether anything grows.
std::complex<double> whirl_of(const std::vector<Mode>& modes) {
  std::complex<double> worst(-1e300, 0);
  for (const Mode& mode : modes)
    if (mode.imaginary > 0 && mode.real > worst.real()) worst = {mode.real, mode.imaginary};
  return worst;
}

// ---------------------------------------------------------------- contact

/// A rigid shaft of 12 kg along x, its centre at 0, in three sockets with gaps of their own and
/// linear contact stiffness 1e7 N/m, started in mid-clearance.
std::string three_bearings(const std::string& gaps, const std::string& weight = "-9.81") {
  std::string text = fmt::format(R"(
[mechanism]
gravity = [0, 0, {}]
[parameters]
{}
[bodies.shaft]
mass = 12
inertia = [0.05, 4, 4]
position = [0, 0, 0]
)",
                                 weight, gaps);
  for (const auto& [name, x] : {std::pair{"a", "-1"}, {"b", "0.2"}, {"c", "1"}})
    text += fmt::format(R"(
[joints.{0}]
type = "spherical"
bodies = ["ground", "shaft"]
at = [{1}, 0, 0]
[joints.{0}.clearance]
socket_radius = "20 mm"
radial = "gap_{0}"
contact = {{ law = "hertz", stiffness = 1e7, exponent = 1 }}
material = "steel"
)",
                        name, x);
  return text;
}

TEST(ThreeBearings, TwoCarryAndTheWideOneHangsFree) {
  const Model model = model_from(three_bearings(R"(
gap_a = "0.3 mm"
gap_b = "0.31 mm"
gap_c = "0.35 mm")"));
  const Equilibrium rest = find_equilibrium(model);
  ASSERT_TRUE(rest.found) << rest.reason;
  Check check("shaft on two of three bearings", "statics of a beam on two supports");
  // Moments about b and about a.
  check.near("a", load_in(rest, "a"), 12 * g * 0.2 / 1.2, 1e-8);
  check.near("b", load_in(rest, "b"), 12 * g * 1.0 / 1.2, 1e-8);
  check.near("c", load_in(rest, "c"), 0, 0);
  // The ends sink by gap + F/k; the line through them gives the rest.
  const double za = -0.3e-3 - load_in(rest, "a") / 1e7, zb = -0.31e-3 - load_in(rest, "b") / 1e7;
  check.near("height of the centre", rest.state.y[2], za + (zb - za) / 1.2, 1e-12);
  // It turns about its own axis, and nothing else is free.
  ASSERT_EQ(rest.free_motions.size(), 1u);
  EXPECT_EQ(rest.free_motions[0], "shaft turns about x");
}

TEST(ThreeBearings, AllThreeShareTheLoadAsSprings) {
  // Gaps within a micrometre: each bearing is a spring F = k (gap below) and the rigid shaft has
  // two unknowns z0, s: sum F = m g, sum x F = 0 with F_i = -k (z0 + s x_i + gap_i).
  const std::array<double, 3> x{-1, 0.2, 1}, gap{0.3e-3, 0.3006e-3, 0.2998e-3};
  const Model model = model_from(three_bearings(R"(
gap_a = "0.3 mm"
gap_b = "0.3006 mm"
gap_c = "0.2998 mm")"));
  const double k = 1e7, W = 12 * g;
  const double sx = x[0] + x[1] + x[2], sxx = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  const double sg = gap[0] + gap[1] + gap[2], sxg = x[0] * gap[0] + x[1] * gap[1] + x[2] * gap[2];
  // 3 z0 + sx s = -W/k - sg;  sx z0 + sxx s = -sxg
  const double det = 3 * sxx - sx * sx, r1 = -W / k - sg, r2 = -sxg;
  const double z0 = (r1 * sxx - sx * r2) / det, s = (3 * r2 - sx * r1) / det;
  const Equilibrium rest = find_equilibrium(model);
  ASSERT_TRUE(rest.found) << rest.reason;
  Check check("shaft on three bearings", "closed form: rigid shaft on three springs with gaps");
  for (int i = 0; i < 3; ++i) {
    const double force = -k * (z0 + s * x[i] + gap[i]);
    ASSERT_GT(force, 0);
    check.near("load", load_in(rest, std::string(1, static_cast<char>('a' + i))), force, 1e-6);
  }
}

const char* const kDrop = R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.shaft]
mass = 1
inertia = 1e-3
position = [0, 0]
[joints.bearing]
type = "revolute"
bodies = ["ground", "shaft"]
at = [0, 0]
[joints.bearing.clearance]
bearing_radius = "10 mm"
radial = "0.5 mm"
material = "steel"
contact = { law = "lankarani-nikravesh", restitution = 0.9, stiffness = 6.61e10 }
)";

TEST(SettledJournal, RestsOnTheBottomOfItsBoreAndRocksThere) {
  const Model model = model_from(kDrop);
  const Equilibrium rest = find_equilibrium(model);
  ASSERT_TRUE(rest.found) << rest.reason;
  const double depth = std::pow(g / 6.61e10, 2.0 / 3);
  Check check("journal at the bottom",
              "closed form: Hertz depth under the weight, pendulum of length c");
  ASSERT_EQ(rest.loads.size(), 1u);
  check.near("load", rest.loads[0].force, g, 1e-9);
  check.near("depth", rest.loads[0].depth, depth, 1e-12);
  check.near("x", rest.state.y[0], 0, 1e-12);
  check.near("y", rest.state.y[1], -0.5e-3 - depth, 1e-12);
  // Frictionless, its centre is a pendulum as long as the clearance; on its contact it bounces at
  // some thousand rad/s.
  double rocking = 1e9;
  for (const Mode& mode : natural_modes(model, rest.state))
    if (mode.imaginary > 0) rocking = std::min(rocking, mode.imaginary);
  check.near("rocking", rocking, std::sqrt(g / (0.5e-3 + depth)), 1e-6);
}

TEST(SettledJournal, SlidesDownFromAnywhereInTheGap) {
  for (const double angle : {0.1, 1.0, 2.0, 3.0, kPi}) {  // from the bottom; the last on the ridge
    Model model = model_from(kDrop);
    for (Joint& joint : model.joints)
      joint.clearance->offset = {0.499e-3 * std::sin(angle), -0.499e-3 * std::cos(angle), 0};
    const Equilibrium rest = find_equilibrium(model);
    ASSERT_TRUE(rest.found) << angle << ": " << rest.reason;
    EXPECT_NEAR(rest.state.y[0], 0, 1e-11) << angle;
    EXPECT_LT(rest.state.y[1], -0.5e-3) << angle;
  }
}

TEST(SettledJournal, RestsUnderNewtonsLawToo) {
  Model model = model_from(kDrop);
  for (Joint& joint : model.joints) {
    joint.clearance->contact = {"newton", {{"restitution", 0.5}}};
    joint.clearance->offset = {0.3e-3, 0.1e-3, 0};
  }
  const Equilibrium rest = find_equilibrium(model);
  ASSERT_TRUE(rest.found) << rest.reason;
  Check check("rigid journal at the bottom", "closed form: pendulum of length c");
  check.near("x", rest.state.y[0], 0, 1e-10);
  check.near("y", rest.state.y[1], -0.5e-3, 1e-12);
  double rocking = 0;
  for (const Mode& mode : natural_modes(model, rest.state))
    rocking = std::max(rocking, mode.imaginary);
  check.near("rocking", rocking, std::sqrt(g / 0.5e-3), 1e-3);
}

TEST(SettledMechanism, SliderCrankWithPlaySettlesWhereItsWeightWants) {
  // The shipped slider-crank with its crank undriven, hanging down.
  Model model = load_imperfect("slider_crank");
  model.gravity = {0, -g, 0};
  for (Joint& joint : model.joints) joint.drives.clear();
  const Equilibrium rest = find_equilibrium(model);
  ASSERT_TRUE(rest.found) << rest.reason;
  double contact = 0;
  for (const CarriedLoad& load : rest.loads) contact = std::max(contact, load.force);
  EXPECT_GT(contact, 0.1);
  EXPECT_LT(rest.residual, 1e-6);
}

// ---------------------------------------------------------------- oil

constexpr double kMass = 5.5, kRadius = 0.015, kLength = 0.020, kPlay = 90e-6, kViscosity = 0.01985;

/// A rotor between two equal short bearings, or half of it in one, in the plane.
Model rotor(double speed, bool planar, double scale = 1) {
  const auto film = fmt::format(R"(
bearing_radius = "15.09 mm"
journal_radius = "15 mm"
bearing_length = "20 mm"{}
material = "steel"
film = {{ torque = false, viscosity = 0.01985, law = "short-bearing" }}
)",
                                planar ? "" : "\njournal_length = \"30 mm\"");
  std::string text = planar ? fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.rotor]
mass = {}
inertia = 1e-3
position = [0, 0]
angular_velocity = {}
[joints.left]
type = "revolute"
bodies = ["ground", "rotor"]
at = [0, 0]
[joints.left.clearance]
)",
                                          scale * kMass, speed) +
                                  film
                            : fmt::format(R"(
[mechanism]
gravity = [0, -9.81, 0]
[bodies.rotor]
mass = {}
inertia = [0.15, 0.15, 0.02]
position = [0, 0, 0]
angular_velocity = [0, 0, {}]
)",
                                          scale * 2 * kMass, speed);
  if (!planar)
    for (const auto& [name, z] : {std::pair{"left", "-0.2"}, {"right", "0.2"}})
      text += fmt::format(R"(
[joints.{0}]
type = "cylindrical"
bodies = ["ground", "rotor"]
at = [0, 0, {1}]
axis = [0, 0, 1]
[joints.{0}.clearance]
)",
                          name, z) +
              film;
  text += R"(
[simulation]
formulation = "cartesian"
tolerance = 1e-12
)";
  return model_from(text);
}

/// Ocvirk's short bearing, half film: eccentricity ratio under a load, and stiffness and damping in
/// the form of Friswell, Penny, Garvey & Lees 2010, section 5.5.1 (u across, v against the load).
double short_bearing_ratio(double speed, double load) {
  const auto carried = [&](double e) {
    return 2 * kRadius * speed * kViscosity * std::pow(kLength, 3) * e /
           (8 * kPlay * kPlay * std::pow(1 - e * e, 2)) *
           std::sqrt(16 * e * e + kPi * kPi * (1 - e * e));
  };
  double low = 1e-9, high = 1 - 1e-9;
  for (int i = 0; i < 200; ++i)
    (carried(0.5 * (low + high)) < load ? low : high) = 0.5 * (low + high);
  return low;
}
/// Largest real part of m x'' + C x' + K x = 0 with those coefficients, and its frequency.
std::complex<double> closed_form_whirl(double speed) {
  const double W = kMass * g, e = short_bearing_ratio(speed, W), s = std::sqrt(1 - e * e);
  const double pp = kPi * kPi, ee = e * e, h = std::pow(pp * (1 - ee) + 16 * ee, -1.5);
  const double k = W / kPlay, c = W / (kPlay * speed);
  Eigen::Matrix2d K, C;
  K << k * h * 4 * (pp * (2 - ee) + 16 * ee),
      k * h * kPi * (pp * (1 - ee) * (1 - ee) - 16 * ee * ee) / (e * s),
      -k * h * kPi * (pp * (1 - ee) * (1 + 2 * ee) + 32 * ee * (1 + ee)) / (e * s),
      k * h * 4 * (pp * (1 + 2 * ee) + 32 * ee * (1 + ee) / (1 - ee));
  C << c * h * 2 * kPi * s * (pp * (1 + 2 * ee) - 16 * ee) / e,
      -c * h * 8 * (pp * (1 + 2 * ee) - 16 * ee), -c * h * 8 * (pp * (1 + 2 * ee) - 16 * ee),
      c * h * 2 * kPi * (pp * (1 - ee) * (1 - ee) + 48 * ee) / (e * s);
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
  A.topRightCorner<2, 2>().setIdentity();
  A.bottomLeftCorner<2, 2>() = -K / kMass;
  A.bottomRightCorner<2, 2>() = -C / kMass;
  std::complex<double> worst(-1e300, 0);
  const Eigen::Vector4cd values = A.eigenvalues();
  for (int i = 0; i < 4; ++i)
    if (values[i].imag() > 0 && values[i].real() > worst.real()) worst = values[i];
  return worst;
}

template <class Growth>
double threshold(const Growth& growth) {
  double low = 500, high = 1500;
  for (int i = 0; i < 40; ++i) (growth(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
  return low;
}

TEST(RotorInOil, RunsWhereTheChartSaysAndWhirlsWithItsEightCoefficients) {
  // MBDyn's hydrodynamic test bearing: ratio 0.29974006 at 200 pi rad/s.
  const Model model = rotor(200 * kPi, true);
  const Equilibrium rest = find_equilibrium(model);
  ASSERT_TRUE(rest.found) << rest.reason;
  EXPECT_TRUE(rest.spinning);
  Check check("C6 journal in oil",
              "MBDyn hydro_test00 data; Ocvirk's closed form and its eight coefficients");
  films::ShortBearing law;
  law.viscosity = kViscosity;
  const auto chart = films::point_at_load(
      {law, {.radius = kRadius, .clearance = kPlay, .length = kLength}, 200 * kPi}, kMass * g);
  ASSERT_TRUE(chart);
  ASSERT_EQ(rest.loads.size(), 1u);
  check.near("ratio", rest.loads[0].ratio, 0.29974006, 5e-9);
  check.near("load", rest.loads[0].force, kMass * g, 1e-8);
  check.near("attitude", std::atan2(rest.state.y[0], -rest.state.y[1]), chart->attitude, 1e-9);
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
  A.topRightCorner<2, 2>().setIdentity();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      A(2 + i, j) = -chart->stiffness[static_cast<std::size_t>(2 * i + j)] / kMass;
      A(2 + i, 2 + j) = -chart->damping[static_cast<std::size_t>(2 * i + j)] / kMass;
    }
  const Eigen::Vector4cd expected = A.eigenvalues();
  const std::vector<Mode> modes = natural_modes(model, rest.state);
  for (int i = 0; i < 4; ++i) {
    if (expected[i].imag() < 0) continue;
    double nearest = 1e300;
    for (const Mode& mode : modes)
      nearest = std::min(nearest, std::abs(expected[i] - std::complex(mode.real, mode.imaginary)));
    check.near("eigenvalue", nearest, 0, 1e-6 * std::abs(expected[i]));
  }
}

TEST(RotorInOil, ThresholdSpeedIsThatOfTheClosedForm) {
  const double closed = threshold([](double w) { return closed_form_whirl(w).real(); });
  for (const bool planar : {true, false}) {
    const double found = threshold([&](double w) {
      const Model model = rotor(w, planar);
      const Equilibrium rest = find_equilibrium(model);
      EXPECT_TRUE(rest.found) << w << ": " << rest.reason;
      return whirl_of(natural_modes(model, rest.state)).real();
    });
    fmt::print("threshold {:.4f} rad/s, closed form {:.4f}\n", found, closed);
    EXPECT_NEAR(found, closed, 0.005 * closed);  // what is asked
    EXPECT_NEAR(found, closed, 1e-6 * closed);   // what it is
    const Model model = rotor(closed, planar);
    const std::complex<double> whirl =
        whirl_of(natural_modes(model, find_equilibrium(model).state));
    EXPECT_NEAR(whirl.imag(), closed_form_whirl(closed).imag(), 1e-6 * whirl.imag());
  }
}

/// Decay and frequency of a series that has become one damped oscillation, equal steps apart:
/// x(n+1) = 2 e^(a h) cos(w h) x(n) - e^(2 a h) x(n-1), by least squares.
std::complex<double> fitted(const std::vector<double>& x, double h) {
  Eigen::MatrixX2d A(static_cast<Eigen::Index>(x.size()) - 2, 2);
  VecX b(A.rows());
  for (Eigen::Index n = 0; n < A.rows(); ++n) {
    A.row(n) << x[static_cast<std::size_t>(n + 1)], -x[static_cast<std::size_t>(n)];
    b[n] = x[static_cast<std::size_t>(n + 2)];
  }
  const Eigen::Vector2d p = A.colPivHouseholderQr().solve(b);
  const double decay = 0.5 * std::log(p[1]) / h;
  return {decay, std::acos(0.5 * p[0] / std::sqrt(p[1])) / h};
}

/// The two bearings' eccentricities along x, added or subtracted, of a run that starts from the
/// equilibrium displaced both ways; the difference of the two runs is odd, so that what is left of
/// nonlinearity is of third order.
std::complex<double> whirl_in_time(Model model, const State& rest, bool conical, double skip) {
  model.simulation.output = 2e-4;
  model.simulation.duration = skip + 0.02;
  std::vector<double> odd;
  for (const double sign : {1.0, -1.0}) {
    State start = rest;
    if (conical)
      start.y.segment(3, 4) = Vec4(1, 0, sign * 1e-7, 0).normalized();
    else
      start.y[0] += sign * 1e-8;
    Recording series;
    std::array<Observer*, 1> observers{&series};
    const RunResult result = run(model, start, observers);
    EXPECT_EQ(result.status, RunStatus::done) << result.reason;
    std::vector<double> x = series.series("joints/left/eccentricity.x");
    if (conical) {
      const std::vector<double> right = series.series("joints/right/eccentricity.x");
      for (std::size_t i = 0; i < x.size(); ++i) x[i] -= right[i];
    }
    if (odd.empty()) odd.assign(x.size(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) odd[i] += sign * x[i];
  }
  const auto from = static_cast<std::ptrdiff_t>(std::lround(skip / model.simulation.output));
  return fitted({odd.begin() + from, odd.end()}, model.simulation.output);
}

TEST(RotorInOil, ModesAreWhatATimeRunShows) {
  struct Case {
    double speed;
    bool planar, conical;
  };
  for (const Case& c : {Case{200 * kPi, true, false},
                        {1000, true, false},
                        {200 * kPi, false, false},
                        {200 * kPi, false, true},
                        {1000, false, true}}) {
    const Model model = rotor(c.speed, c.planar);
    const Equilibrium rest = find_equilibrium(model);
    ASSERT_TRUE(rest.found) << rest.reason;
    const std::complex<double> seen = whirl_in_time(model, rest.state, c.conical, 0.015);
    double nearest = 1e300;
    std::complex<double> mode;
    for (const Mode& m : natural_modes(model, rest.state))
      if (const double off = std::abs(seen - std::complex(m.real, m.imaginary)); off < nearest) {
        nearest = off;
        mode = {m.real, m.imaginary};
      }
    fmt::print("{} rad/s{}{}: mode {:.4f} {:+.4f}i, run {:.4f} {:+.4f}i\n", c.speed,
               c.planar ? ", planar" : "", c.conical ? ", conical" : "", mode.real(), mode.imag(),
               seen.real(), seen.imag());
    EXPECT_LT(nearest, 2e-3 * std::abs(mode));
  }
}

// ---------------------------------------------------------------- honest failures

TEST(NoEquilibrium, OfAFallingSliderNamesItsMotion) {
  const Equilibrium rest = find_equilibrium(model_from(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.slider]
mass = 1
inertia = 1e-3
position = [0, 0]
[joints.rail]
type = "prismatic"
bodies = ["ground", "slider"]
at = [0, 0]
axis = [0, 1]
)"));
  EXPECT_FALSE(rest.found);
  EXPECT_NE(rest.reason.find("slider moves along y"), std::string::npos) << rest.reason;
}

TEST(NoEquilibrium, OfAJournalWithoutOilAndLoad) {
  Model model = model_from(kDrop);
  model.gravity.setZero();
  const Equilibrium rest = find_equilibrium(model);
  EXPECT_FALSE(rest.found);
  EXPECT_NE(rest.reason.find("bearing floats in its play"), std::string::npos) << rest.reason;
  EXPECT_EQ(rest.free_motions.size(), 3u);
}

TEST(NoEquilibrium, OfARotorThatItsOilSlowsDown) {
  Model model = rotor(200 * kPi, true);
  for (Joint& joint : model.joints) joint.clearance->film->torque = true;
  const Equilibrium rest = find_equilibrium(model);
  EXPECT_FALSE(rest.found);
  EXPECT_NE(rest.reason.find("spin does not last"), std::string::npos) << rest.reason;
}

TEST(NoEquilibrium, OfARotorOutOfBalance) {
  // A product of inertia makes a moment that runs around with the shaft.
  Model model = rotor(200 * kPi, false);
  model.bodies[1].inertia(0, 2) = model.bodies[1].inertia(2, 0) = 1e-5;
  const Equilibrium rest = find_equilibrium(model);
  EXPECT_FALSE(rest.found);
  EXPECT_NE(rest.reason.find("while the shaft turns"), std::string::npos) << rest.reason;
}

TEST(RotorInOil, OfUnequalInertiaHasNoSteadyModes) {
  Model model = rotor(200 * kPi, false);
  EXPECT_EQ(uneven_rotor(model, find_equilibrium(model).state), "");
  model.bodies[1].inertia(0, 0) = 0.1;
  const Equilibrium rest = find_equilibrium(model);
  EXPECT_TRUE(rest.found) << rest.reason;
  EXPECT_EQ(uneven_rotor(model, rest.state), "rotor");
}

TEST(FreeMotion, OfAPendulumWithoutWeightIsNamed) {
  Model model = load_mechanism("pendulum");
  model.gravity.setZero();
  const Equilibrium rest = find_equilibrium(model);
  EXPECT_TRUE(rest.found) << rest.reason;  // any pose will do
  ASSERT_EQ(rest.free_motions.size(), 1u);
  EXPECT_NE(rest.free_motions[0].find("turns about z"), std::string::npos) << rest.free_motions[0];
}

}  // namespace
}  // namespace freeplay::testing
