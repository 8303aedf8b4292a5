// SPDX-License-Identifier: Apache-2.0
#include "joints/geometry.hpp"
#include "support/recording.hpp"
#include <freeplay/equilibrium.hpp>
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

// Bearings and journals out of round: theory/gaps (G.25) to (G.36).
namespace freeplay::testing {
namespace {

constexpr Formulation kBoth[] = {Formulation::cartesian, Formulation::tree};
constexpr double kDegree = std::numbers::pi / 180;

/// A journal of 0.2 kg in a bore of the ground; `parts` are lines of its clearance table.
Model in_bore(const std::string& parts, const std::string& contact, const std::string& gravity,
              double duration, const std::string& more = "") {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = {}
[bodies.journal]
mass = 0.2
inertia = 1e-5
[joints.bore]
type = "revolute"
bodies = ["ground", "journal"]
at = [0, 0]
[joints.bore.clearance]
{}
contact = {{ {} }}
{}
[simulation]
duration = {}
output = "0.1 ms"
)",
                                gravity, parts, contact, more, duration));
}
const std::string kOval =
    "bearing_profile = { ellipse = [\"10.2 mm\", \"10.12 mm\"] }\n"
    "journal_radius = \"10 mm\"";
const std::string kAt30 = "[8.495709211125344, 4.905]";  // 9.81 m/s^2, 30 degrees from x

const std::string kBed =
    "law = \"elastic-foundation\", layer_modulus = 1e9, layer_thickness = 1e-3";

joints::ProfileGap gap_of(const Model& model) {
  return std::get<joints::ProfileGap>(joints::make_geometry(model, JointIndex(0)));
}
joints::FlatView<double> centred(double x, double y, double turn = 0) {
  return {{1, 0}, {x, y}, {std::cos(turn), std::sin(turn)}, {0, 0}, {0, 0}};
}

// Cases N1: circle against ellipse, contact where the normal points along the load.
TEST(Profiles, AJournalInAnOvalBoreTouchesAtTheNearestPoint) {
  const joints::ProfileGap gap =
      gap_of(in_bore(kOval, "law = \"hertz\", stiffness = 1e9", "[0, 0]", 1));
  Check check("N1 oval bore", "closed form: ellipse and circle");
  ASSERT_EQ(gap.contacts(), 1);
  // Normal at 30 degrees on an ellipse: tan t = B/A tan 30 in its own parameter.
  const double A = 0.0102, B = 0.01012, r = 0.01, load = 30 * kDegree;
  const double h = std::hypot(A * std::cos(load), B * std::sin(load));
  const Vec3 touch(A * A * std::cos(load) / h, B * B * std::sin(load) / h, 0);
  const Vec3 centre = touch - r * Vec3(std::cos(load), std::sin(load), 0);
  check.near("centre", centre, Vec3(1.905083743e-4, 3.014769e-5, 0), 1e-10);
  for (const double deeper : {-1e-6, 0.0, 1e-6}) {
    const auto at = gap.nearest(
        0, centred(centre[0] + deeper * std::cos(load), centre[1] + deeper * std::sin(load), 0.7));
    check.near("depth", at.depth, deeper, 1e-14);
    check.near("contact", Vec3(at.b.x, at.b.y, 0), touch, 1e-11);
    check.near("normal", std::atan2(at.normal.y, at.normal.x), load, 1e-10);
  }
}

// A round bore in place of the profile: the same numbers, point by point.
TEST(Profiles, WithoutAmplitudeEverythingIsRound) {
  Check check("no amplitude", "the round joint");
  const auto motion = [](const std::string& profile, const std::string& law) {
    Model model = in_bore(
        "bearing_radius = \"10.1 mm\"\njournal_radius = \"10 mm\"\nbearing_length = \"15 mm\"\n" +
            profile,
        law, kAt30, 0.02, "material = \"steel\"");
    // A bed damps and rubs place by place, its round law as a whole: they agree without both.
    if (!law.starts_with(kBed))
      model.joints[0].clearance->friction = LawChoice{"coulomb", {{"kinetic", 0.1}}};
    return simulate(model);
  };
  for (const std::string& law : {std::string("law = \"exact\""), std::string("law = \"johnson\""),
                                 kBed + ", restitution = 1", std::string("law = \"newton\"")}) {
    const Simulated round = motion("", law);
    for (const std::string flat : {"bearing_profile = { lobes = 3, amplitude = 1e-18 }",
                                   "journal_profile = { lobes = 2, amplitude = 1e-18 }",
                                   "bearing_profile = { lobes = 2, amplitude = 1e-18 }\n"
                                   "journal_profile = { lobes = 3, amplitude = 1e-18 }"}) {
      const Simulated out = motion(flat, law);
      ASSERT_EQ(out.series.impacts.size(), round.series.impacts.size()) << law << flat;
      for (const double t : {0.005, 0.01, 0.02})
        check.near(law, out.series.vector("bodies/journal/position", t),
                   round.series.vector("bodies/journal/position", t), 1e-10);
      check.energy(out);
    }
  }
}

// Cases N3: bounces without damping, by an integration to 1e-11 of the same law elsewhere.
TEST(Profiles, AJournalBouncesInAnOvalBore) {
  Check check("N3 oval bore, dynamic", "DOP853 at 1e-11 on the closed form of the nearest point");
  for (const Formulation formulation : kBoth) {
    Model model = in_bore(kOval, "law = \"hertz\", stiffness = 1e9", kAt30, 0.02);
    model.simulation.formulation = formulation;
    model.simulation.tolerance = 1e-11;
    const Simulated run = simulate(model);
    ASSERT_GE(run.series.impacts.size(), 2U);
    const Impact &first = run.series.impacts[0], &second = run.series.impacts[1];
    check.near("first touch", first.start, 5.736064e-3, 1e-7);
    check.near("first approach", first.approach_speed, 0.0501459, 1e-6);
    check.near("first separation", first.end, 6.526833e-3, 1e-7);
    check.near("first leaving", first.separation_speed, 0.0498594, 1e-6);
    check.near("second touch", second.start, 9.148968e-3, 1e-7);
    check.near("second approach", second.approach_speed, 0.0420928, 1e-6);
    check.near("second separation", second.end, 9.953553e-3, 1e-7);
    check.near("centre at 10 ms", run.series.vector("bodies/journal/position", 0.01),
               Vec3(1.5217651e-4, -6.946468e-5, 0), 1e-8);
    check.near("centre at 20 ms", run.series.vector("bodies/journal/position", 0.02),
               Vec3(8.10022e-5, -4.72030e-5, 0), 1e-8);
    check.energy(run);
  }
}

// Bent more sharply than the journal at its ends, B^2/A < r: the journal cannot reach them and
// rests on two flanks. By hand: normals from (x, 0) meet the ellipse at cos^2 t = (1 - r^2/B^2)/(1
// - B^2/A^2), x = (A^2 - B^2)/A cos t; on springs each carries N = F/(2 n_x).
TEST(Profiles, ASharpBoreHasTwoContacts) {
  Check check("two contacts", "statics by hand");
  const double A = 0.0104, B = 0.01005, r = 0.01, K = 1e10, m = 0.2, g = 100;
  const double c2 = (1 - r * r / (B * B)) / (1 - B * B / (A * A)), c = std::sqrt(c2),
               s = std::sqrt(1 - c2);
  const double touch = (A * A - B * B) / A * c;
  const std::string parts =
      "bearing_profile = { ellipse = [\"10.4 mm\", \"10.05 mm\"] }\n"
      "journal_radius = \"10 mm\"";
  const std::string law = "law = \"exact\", stiffness = 1e10, restitution = 0.3";
  const joints::ProfileGap gap = gap_of(in_bore(parts, law, "[0, 0]", 1));
  ASSERT_EQ(gap.contacts(), 2);
  for (int k = 0; k < 2; ++k) {
    const auto at = gap.nearest(k, centred(touch, 0));
    EXPECT_TRUE(at.inside);
    check.near("rigid: depth", at.depth, 0, 1e-13);
    check.near("rigid: flank", std::abs(at.b.y), B * s, 1e-10);
    check.near("rigid: along", at.b.x, A * c, 1e-9);
  }
  // Deeper by d along x: each flank is pressed by r less the distance to the ellipse, whose nearest
  // point is sought here along its parameter.
  const auto flank = [&](double x) {
    double t = std::acos(c);
    for (int k = 0; k < 50; ++k) {  // (p - x).p' = 0
      const double px = A * std::cos(t) - x, py = B * std::sin(t), dx = -A * std::sin(t),
                   dy = B * std::cos(t);
      const double f = px * dx + py * dy,
                   df = dx * dx + dy * dy - px * A * std::cos(t) - py * B * std::sin(t);
      t -= f / df;
    }
    const double px = A * std::cos(t) - x, py = B * std::sin(t), distance = std::hypot(px, py);
    return std::pair(r - distance, px / distance);
  };
  double low = touch, high = touch + 50e-6;
  for (int k = 0; k < 100; ++k) {
    const double x = 0.5 * (low + high);
    const auto [depth, along] = flank(x);
    (2 * K * std::pow(std::max(0.0, depth), 1.5) * along < m * g ? low : high) = x;
  }
  for (const Formulation formulation : kBoth) {
    Model model = in_bore(parts, law, "[100, 0]", 0.4);
    model.simulation.formulation = formulation;
    const Equilibrium rest = find_equilibrium(model);
    ASSERT_TRUE(rest.found) << rest.reason;
    ASSERT_EQ(rest.loads.size(), 2U);
    check.near("rest: centre", rest.state.y[0], low, 1e-9);
    check.near("rest: load of one flank", rest.loads[0].force, K * std::pow(flank(low).first, 1.5),
               1e-3);
    // Dropped into it off centre, with friction: it comes to rest on both.
    model.joints[0].clearance->friction = LawChoice{"tanh", {}};
    const Simulated run = simulate(model);
    EXPECT_EQ(run.series.at("joints/bore/contact_state", 0.4), 2);
    check.near("dropped: centre", run.series.vector("bodies/journal/position", 0.4)[0], low, 1e-9);
    check.energy(run);
  }
}

// Roundness data with noise: the filter leaves one smooth surface, and the journal runs on it
// without chatter.
TEST(Profiles, NoisyMeasurementsRunWithoutChatter) {
  std::mt19937 random(3);
  std::normal_distribution<> noise(0, 1e-6);
  MeasuredProfile profile;
  for (int k = 0; k < 3600; ++k) {
    profile.angle.push_back(k * 0.1 * kDegree);
    profile.radius.push_back(0.0101 + 8e-6 * std::cos(2 * profile.angle.back()) + noise(random));
  }
  for (const std::string law :
       {"exact\"", "elastic-foundation\", layer_modulus = 1e9, layer_thickness = 1e-3"})
    for (const Formulation formulation : kBoth) {
      Model model = in_bore(
          "bearing_radius = \"10.1 mm\"\njournal_radius = \"10 mm\"\nbearing_length = \"15 mm\"",
          "law = \"" + law, "[0, -9.81]", 0.2,
          "material = \"steel\"\nfriction = { law = \"tanh\", kinetic = 0.1 }");
      Clearance& c = *model.joints[0].clearance;
      c.outer_profile = profile;
      c.outer_radius = own_radius(profile);
      c.offset = Vec3(0, -0.9e-4, 0);
      model.bodies[1].position = c.offset;
      model.bodies[1].angular_velocity = Vec3(0, 0, 50);
      model.simulation.formulation = formulation;
      validate(model);
      const Simulated run = simulate(model);
      EXPECT_TRUE(std::ranges::none_of(
          run.series.events, [](const Event& e) { return std::string_view(e.kind) == "chatter"; }));
      EXPECT_LT(run.series.events.size(), 400U) << law;
      Check check("noisy bore, " + law, "energy audit");
      check.energy(run);
    }
}

// A lobed journal that turns slowly under load lifts its load: what the elastic parts take up they
// give back, and the audit closes over many turns.
TEST(Profiles, ALobedJournalLiftsItsLoadAndLetsItDown) {
  for (const std::string law : {"law = \"hertz\"",
                                "law = \"elastic-foundation\", layer_modulus = 1e9, "
                                "layer_thickness = 1e-3, restitution = 1"})
    for (const Formulation formulation : kBoth) {
      Model model = in_bore(
          "bearing_radius = \"10.1 mm\"\njournal_radius = \"10 mm\"\nbearing_length = \"15 mm\"\n"
          "journal_profile = { lobes = 3, amplitude = \"4 um\" }\nbearing_profile = { lobes = 2, "
          "amplitude = \"5 um\" }",
          law, "[0, -9.81]", 0.3, "material = \"steel\"");
      Clearance& c = *model.joints[0].clearance;
      c.offset = Vec3(0, -0.85e-4, 0);
      model.bodies[1].position = c.offset;
      model.bodies[1].angular_velocity = Vec3(0, 0, 100);
      model.simulation.formulation = formulation;
      const Simulated run = simulate(model);
      // Without dampers the motion has the energy of its start, contact springs included only while
      // they are pressed: compare what the contact has taken at instants of flight.
      Check check("lobed journal", "energy audit");
      check.energy(run);
      EXPECT_GT(run.series.impacts.size(), 3U);
      for (const Impact& impact : run.series.impacts)
        EXPECT_NEAR(impact.energy_lost, 0, 1e-8) << impact.start;
    }
}

// Refused, each with its place, its cause and what helps.
TEST(Profiles, WhatCannotBeIsRefused) {
  const auto message = [](const std::string& parts, const std::string& law,
                          const std::string& more = "") {
    try {
      static_cast<void>(in_bore(parts, law, "[0, 0]", 1, more));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto refuses = [&](const std::string& what, const std::string& found) {
    EXPECT_NE(found.find(what), std::string::npos) << found;
  };
  const std::string round = "bearing_radius = \"10.1 mm\"\njournal_radius = \"10 mm\"\n",
                    law = "law = \"exact\"";
  const std::string steel = "material = \"steel\"";
  refuses("radii of its own", message("bearing_radius = \"10 mm\"\n" + kOval, law, steel));
  refuses("not a whole number",
          message(round + "bearing_profile = { lobes = 2.5, amplitude = 1e-6 }", law, steel));
  refuses("does not fit",
          message(round + "bearing_profile = { lobes = 2, amplitude = 2e-4 }", law, steel));
  refuses(
      "is of round surfaces",
      message(
          round + "bearing_profile = { lobes = 2, amplitude = 1e-6 }", law,
          steel + "\nfilm = { law = \"short-bearing\", viscosity = 0.1 }\nbearing_length = 0.01"));
  refuses("several places which wander",
          message(round + "bearing_profile = { lobes = 5, amplitude = 1e-5 }\n"
                          "journal_profile = { lobes = 5, amplitude = 1e-5 }",
                  law, steel));
  refuses("places to touch",
          message(round + "bearing_profile = { lobes = 80, amplitude = 1e-6 }", law, steel));
  refuses("a dent would stay", message(round + "bearing_profile = { lobes = 5, amplitude = 1e-5 }",
                                       "law = \"thornton\", yield_pressure = 1e9", steel));
  refuses("too wide",
          message("journal_radius = \"10 mm\"\nbearing_profile = { angle = [0, 1, 2, 3, 4, 5, 6], "
                  "radius = [0.0101, 0.0101, 0.0101, 0.0101, 0.0101, 0.0101, 0.0101] }",
                  law, steel));
  refuses("round more than once",
          message("journal_radius = \"10 mm\"\nbearing_profile = { angle = [0, 3, 7], "
                  "radius = [0.0101, 0.0101, 0.0101] }",
                  law, steel));
  refuses("only one may be", message(round + "bearing_profile = { lobes = 3, amplitude = 1e-6, "
                                             "waviness = { rms = 1e-6, wavelength = 1e-2 } }",
                                     law, steel));
}

// What is written is read back to the last bit, whatever the profile.
TEST(Profiles, SurviveTheirFile) {
  for (const std::string profile :
       {"bearing_profile = { ellipse = [0.0102, 0.01012], phase = \"20 deg\" }\njournal_radius = "
        "0.01",
        "journal_profile = { ellipse = [0.0098, 0.01], phase = 0.1 }\nbearing_radius = 0.0102",
        "bearing_profile = { lobes = 3, amplitude = \"5 um\" }\nbearing_radius = 0.0101\nradial = "
        "1e-4",
        "bearing_profile = { waviness = { rms = 1e-7, wavelength = 5e-3, seed = 7 } "
        "}\nbearing_radius = 0.0101\nradial = 1e-4",
        "bearing_profile = { angle = [0, 1, 2, 3, 4, 5, 6], radius = [0.0101, 0.0102, 0.0101, "
        "0.0102, 0.0101, 0.0101, 0.0101], harmonics = 2 }\njournal_radius = 0.01"}) {
    const Model model = in_bore(profile, "law = \"exact\", stiffness = 1e10", "[0, 0]", 1);
    const std::string text = write_model(model);
    EXPECT_EQ(write_model(model_from(text)), text);
    validate(model);
  }
}

}  // namespace
}  // namespace freeplay::testing
