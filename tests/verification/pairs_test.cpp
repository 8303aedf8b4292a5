// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

// Touches at the same instant and next to it, in different joints and in one: all are found, each
// where free fall puts it, and those at the same instant are one event.
namespace freeplay::testing {
namespace {

/// A joint in which gravity (down y) makes a body touch after having come `way`; all its contacts
/// at once.
struct Lander {
  bool planar;
  int contacts;
  const char* text;  ///< {0} name, {1} place along x, {2} way, {3} speed, {4} width and
                     ///< {5} radius of the outer part
};
constexpr Lander kLanders[] = {
    {true, 1, R"(
[bodies.{0}]
mass = 1
inertia = 1
position = [{1}, 0]
[joints.{0}]
type = "prismatic"
bodies = ["ground", "{0}"]
at = [{1}, 0]
axis = [0, 1]
speed = -{3:.17g}
stop = {{ lower = -{2:.17g}, contact = {{ law = "hertz", stiffness = 1e6 }} }}
)"},
    {true, 1, R"(
[bodies.{0}]
mass = 1
inertia = 1
position = [{1}, 0]
velocity = [0, -{3:.17g}]
[joints.{0}]
type = "revolute"
bodies = ["ground", "{0}"]
at = [{1}, 0]
[joints.{0}.clearance]
journal_radius = 0.5
bearing_radius = {5:.17g}
material = "steel"
contact = {{ law = "hertz", stiffness = 1e6 }}
)"},
    {true, 2, R"(
[bodies.{0}]
mass = 1
inertia = 1
position = [{1}, 0]
velocity = [0, -{3:.17g}]
[joints.{0}]
type = "prismatic"
bodies = ["ground", "{0}"]
at = [{1}, 0]
axis = [1, 0]
[joints.{0}.clearance]
slider_width = 0.5
guide_width = {4:.17g}
slider_length = 0.6
form = "corner"
material = "steel"
contact = {{ law = "hertz", stiffness = 1e6 }}
)"},
    {false, 1, R"(
[bodies.{0}]
mass = 1
inertia = [1, 1, 1]
position = [{1}, 0, 0]
velocity = [0, -{3:.17g}, 0]
[joints.{0}]
type = "spherical"
bodies = ["ground", "{0}"]
at = [{1}, 0, 0]
[joints.{0}.clearance]
ball_radius = 0.5
socket_radius = {5:.17g}
material = "steel"
contact = {{ law = "hertz", stiffness = 1e6 }}
)"},
    {false, 2, R"(
[bodies.{0}]
mass = 1
inertia = [1, 1, 1]
position = [{1}, 0, 0]
velocity = [0, -{3:.17g}, 0]
[joints.{0}]
type = "cylindrical"
bodies = ["ground", "{0}"]
at = [{1}, 0, 0]
axis = [0, 0, 1]
[joints.{0}.clearance]
journal_radius = 0.5
bearing_radius = {5:.17g}
bearing_length = 1
journal_length = 0.6
form = "rim"
material = "steel"
contact = {{ law = "hertz", stiffness = 1e6 }}
)"},
    {false, 4, R"(
[bodies.{0}]
mass = 1
inertia = [1, 1, 1]
position = [{1}, 0, 0]
velocity = [0, -{3:.17g}, 0]
[joints.{0}]
type = "prismatic"
bodies = ["ground", "{0}"]
at = [{1}, 0, 0]
axis = [0, 0, 1]
[joints.{0}.clearance]
width_direction = [0, 1, 0]
slider_width = 0.5
guide_width = {4:.17g}
slider_height = 0.5
guide_height = 2
slider_length = 0.6
form = "corner"
material = "steel"
contact = {{ law = "hertz", stiffness = 1e6 }}
)"},
};

/// Two bodies that land `apart` after each other, in all pairs of joints, both formulations and at
/// all tolerances in turn; from the first step of a run to the last one.
void random_pairs(int count) {
  constexpr double kPull = 9.81;
  std::mt19937 random(10000);
  std::uniform_real_distribution<double> part(0, 1);
  Check check("pairs of touches", "closed form: time between two landings");
  int together = 0, alone = 0;
  for (int pair = 0; pair < count; ++pair) {
    const bool planar = part(random) < 0.5;
    const double apart = std::array{0.0, 1e-12, 1e-9}[static_cast<std::size_t>(pair % 3)];
    const double tolerance = std::pow(10, -6 - pair / 3 % 6);
    const double when = 0.2 * std::pow(10, -5 * part(random));
    std::string text = fmt::format("[mechanism]\nplanar = {}\ngravity = {}\n", planar,
                                   planar ? "[0, -9.81]" : "[0, -9.81, 0]");
    std::array<double, 2> root{}, arrival{};
    std::array<int, 2> contacts{};
    for (std::size_t k = 0; k < 2; ++k) {
      const Lander& lander =
          kLanders[static_cast<std::size_t>((planar ? 0 : 3) + 3 * part(random))];
      const double speed = std::pow(10, -2 * part(random));
      root[k] = when + (k == 1 ? apart : 0);
      arrival[k] = speed + kPull * root[k];
      contacts[k] = lander.contacts;
      const double way = root[k] * (speed + 0.5 * kPull * root[k]);
      text += fmt::format(fmt::runtime(lander.text), k == 0 ? "a" : "b", k == 0 ? 0 : 3, way, speed,
                          0.5 + 2 * way, 0.5 + way);
    }
    const char* formulation = part(random) < 0.5 ? "cartesian" : "tree";
    text += fmt::format("[simulation]\nduration = {:.17g}\ntolerance = {}\nformulation = \"{}\"\n",
                        // It ends as soon as both are a hundredth of a tolerance beyond.
                        root[1] + 1e-6 * when + 0.03 * tolerance / std::min(arrival[0], arrival[1]),
                        tolerance, formulation);
    const Simulated run = simulate(model_from(text));
    const double position = tolerance * scales_of(run.model).length;
    const std::string name =
        fmt::format("pair {}, {}, {:g}, {} s", pair, formulation, tolerance, apart);
    std::vector<double> times;
    for (std::size_t k = 0; k < 2; ++k) {
      int touches = 0;
      for (const Event& e : run.series.events) {
        if (e.kind != "touch" || e.joint != (k == 0 ? "a" : "b")) continue;
        ++touches;
        times.push_back(e.time);
        check.below(name, (e.time - root[k]) * arrival[k], 100 * position);
      }
      EXPECT_EQ(touches, contacts[k]) << name << "\n" << text;
    }
    const bool one =
        std::adjacent_find(times.begin(), times.end(), std::not_equal_to<>()) == times.end();
    EXPECT_TRUE(one || apart > 0) << name;
    ++(one ? together : alone);
  }
  fmt::print("    {} pairs as one event, {} as two\n", together, alone);
  EXPECT_GT(alone, count / 10);
}

TEST(Together, PairsOfLandingsAreAllFound) { random_pairs(240); }
#ifdef FREEPLAY_EVERY_ROOT
TEST(EveryRoot, TenThousandPairs) { random_pairs(10000); }
#endif

}  // namespace
}  // namespace freeplay::testing
