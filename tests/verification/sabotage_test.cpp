// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"

#include <cmath>
#include <functional>

// Do the cases bite? Each mistake below, put into a model on purpose, must move a number of
// verification/cases far outside the tolerance at which the case passes. A case that survives its
// sabotage would prove nothing.
namespace freeplay::testing {
namespace {

struct Sabotage {
  const char* mistake;
  const char* model;
  std::function<void(Model&)> apply;
  const char* series;
  double time, expected, tolerance;
};
void PrintTo(const Sabotage& s, std::ostream* out) { *out << s.mistake; }

const Sabotage kMistakes[] = {
    {"none_pendulum", "a01_pendulum", [](Model&) {}, "bodies/bob/position.x", 10, -0.2750874626,
     1e-6},
    {"gravity_upwards", "a01_pendulum", [](Model& m) { m.gravity *= -1; }, "bodies/bob/position.y",
     10, -0.9614192051, 1e-6},
    {"standard_gravity_for_9_81", "a01_pendulum", [](Model& m) { m.gravity *= 9.80665 / 9.81; },
     "bodies/bob/position.x", 10, -0.2750874626, 1e-6},
    {"inertia_of_the_rods_forgotten", "a02_four_bar_2",
     [](Model& m) {
       for (Body& b : m.bodies) b.inertia.setZero();
     },
     "markers/B0/position.x", 1, -0.1950203019, 1e-5},
    {"inertia_about_the_end_for_the_centre", "a02_four_bar_1",
     [](Model& m) {
       for (Body& b : m.bodies) b.inertia *= 4;
     },
     "markers/B0/position.x", 5, -0.9449081860, 1e-5},
    {"spring_one_percent_softer", "a03_andrews",
     [](Model& m) {
       for (Force& f : m.forces)
         if (auto* s = std::get_if<PointSpring>(&f.element)) s->stiffness *= 0.99;
     },
     "bodies/k1/angle", 0.03, 15.8107711951537, 1e-6},
    {"universal_axis_chosen_otherwise", "a06_slider_crank",
     [](Model& m) {
       // The rod's cross axis along y instead of (0, 2, -1): just as normal to the slider's x axis
       // at the start.
       Joint& joint = m.joints[2];
       const Vec4 p = m.bodies[joint.second.body].orientation;
       Mat3 global;
       global << 1, 0, 0, 0, 0, 1, 0, -1, 0;  // columns x, -z, y
       joint.second.axes =
           Eigen::Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix().transpose() * global;
     },
     "joints/A/coordinate", 0.5, 5.583762553, 1e-6},
    {"gyroscopic_term_lost", "a07_heavy_top",
     // With equal inertias w x J w vanishes, as if the term were missing.
     [](Model& m) { m.bodies[1].inertia = 0.234375 * Mat3::Identity(); }, "bodies/top/position.x",
     0.2, 0.605550561, 1e-6},
    {"inertia_axes_exchanged", "a08_free_body",
     [](Model& m) { m.bodies[1].inertia.diagonal() = Vec3(2, 1, 3); },
     "bodies/body/angular_velocity.x", 1, -0.1266429229, 1e-8},
    {"damper_sign", "a09_slider_crank",
     [](Model& m) {
       for (Force& f : m.forces)
         if (auto* s = std::get_if<PointSpring>(&f.element)) s->damping *= -1;
     },
     "bodies/crank/angle", 10, 1.275675849, 1e-8},
    {"crank_one_percent_longer", "a06_slider_crank",
     [](Model& m) {
       for (Joint& j : m.joints)
         if (j.name == "B") j.first.point *= 1.02;  // half the crank is on this side of its centre
     },
     "bodies/slider/position.x", 0.5, 0.184952630, 1e-6},
};

class SabotageTest : public ::testing::TestWithParam<Sabotage> {};
TEST_P(SabotageTest, IsNoticed) {
  const Sabotage& s = GetParam();
  Model model = load_case(s.model);
  s.apply(model);
  const Simulated run = simulate(std::move(model));
  const double error = std::abs(run.series.at(s.series, s.time) - s.expected);
  if (std::string(s.mistake).starts_with("none"))
    EXPECT_LE(error, s.tolerance);
  else
    EXPECT_GT(error, 100 * s.tolerance) << s.mistake << " went unnoticed";
}
INSTANTIATE_TEST_SUITE_P(All, SabotageTest, ::testing::ValuesIn(kMistakes),
                         [](const auto& test) { return std::string(test.param.mistake); });

}  // namespace
}  // namespace freeplay::testing
