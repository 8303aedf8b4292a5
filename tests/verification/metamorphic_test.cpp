// SPDX-License-Identifier: Apache-2.0
#include "core/rotation.hpp"
#include "dynamics/layout.hpp"
#include "support/recording.hpp"
#include "verification/transforms.hpp"

#include <algorithm>
#include <cmath>
#include <map>

// Cases that need no reference number (verification/cases H1-H5), on every shipped mechanism: what
// must not matter does not.
namespace freeplay::testing {
namespace {

constexpr int kSamples = 23;  // a prime, so that no drive is sampled at the same angle each time

/// Chaotic mechanisms are compared before their own sensitivity exceeds what is asked for.
Model prepared(const std::string& name) {
  Model model = load_mechanism(name);
  if (name == "double_pendulum") model.simulation.duration = 0.5;
  model.simulation.output = model.simulation.duration / kSamples;
  return model;
}

/// Work and residual are integrals with their own error control and no part of the motion.
bool compared(const Channel& c) {
  return !c.path.starts_with("energy/work") && c.path != "energy/residual" &&
         c.path != "energy/potential";
}

/// True when nothing in the model depends on the time itself. A drive at constant speed takes the
/// mechanism over where it stands, whenever that is.
bool autonomous(const Model& model) {
  const auto steady = [](const Motion& m) {
    const auto* speed = std::get_if<ConstantSpeed>(&m);
    return std::holds_alternative<Constant>(m) || (speed && speed->from_pose);
  };
  for (const Joint& joint : model.joints)
    for (const Drive& drive : joint.drives)
      if (!steady(drive.motion)) return false;
  for (const Force& force : model.forces) {
    if (const auto* f = std::get_if<PointForce>(&force.element); f && !steady(f->magnitude))
      return false;
    if (const auto* f = std::get_if<BodyTorque>(&force.element); f && !steady(f->magnitude))
      return false;
    if (const auto* f = std::get_if<JointEffort>(&force.element); f && !steady(f->magnitude))
      return false;
  }
  return true;
}

/// True when neither drives nor forces feed or drain energy.
bool conservative(const Model& model) {
  return model.forces.empty() &&
         std::ranges::all_of(model.joints, [](const Joint& j) { return j.drives.empty(); });
}

/// The shipped mechanisms for which `holds`.
auto mechanisms_where(bool (*holds)(const Model&)) {
  std::vector<std::string> out;
  for (const std::string& name : shipped_mechanisms())
    if (holds(load_mechanism(name))) out.push_back(name);
  return ::testing::ValuesIn(out);
}

class Metamorphic : public ::testing::TestWithParam<std::string> {};
class Autonomous : public Metamorphic {};
class Conservative : public Metamorphic {};
const auto mechanism_name = [](const auto& test) { return test.param; };
INSTANTIATE_TEST_SUITE_P(All, Metamorphic, ::testing::ValuesIn(shipped_mechanisms()),
                         mechanism_name);
INSTANTIATE_TEST_SUITE_P(All, Autonomous, mechanisms_where(autonomous), mechanism_name);
INSTANTIATE_TEST_SUITE_P(All, Conservative, mechanisms_where(conservative), mechanism_name);

// H1. The tolerance of both runs is 1e-12: moved bodies have larger coordinates and the bounding
// box of the joints another diagonal, so the steps differ, and two runs at 1e-9 differ by their own
// error.
TEST_P(Metamorphic, H1MovedMechanismMovesTheSame) {
  Model model = prepared(GetParam());
  model.simulation.tolerance = 1e-12;
  const Mat3 Q = model.planar
                     ? rotation_about_z(0.7)
                     : (Eigen::AngleAxisd(0.7, Vec3(1, -2, 3).normalized())).toRotationMatrix();
  const Vec3 d = model.planar ? Vec3(0.3, -0.2, 0) : Vec3(0.3, -0.2, 0.5);
  const Simulated here = simulate(model), there = simulate(moved(model, Q, d));
  Check check("H1 " + GetParam(), "the same mechanism moved and turned");
  const auto scale = unit_scales(here);
  const Vec4 q = quaternion_of(Q);
  for (const Channel& c : here.series.channels) {
    if (!compared(c)) continue;
    for (double t : here.series.time) {
      const double tolerance = 1e-9 * scale.at(c.unit);
      if (c.width == 4) {
        const Vec4 expected = quaternion_product(q, here.series.quaternion(c.path, t));
        Vec4 found = there.series.quaternion(c.path, t);
        if (found.dot(expected) < 0) found = -found;
        for (int k = 0; k < 4; ++k) check.near(c.path, found[k], expected[k], tolerance);
      } else if (c.width == 1) {
        const bool angle =
            model.planar && c.path.starts_with("bodies/") && c.path.ends_with("/angle");
        check.near(c.path, there.series.at(c.path, t),
                   here.series.at(c.path, t) + (angle ? 0.7 : 0), tolerance);
      } else if (c.frame == "body") {
        check.near(c.path, there.series.vector(c.path, t), here.series.vector(c.path, t),
                   tolerance);
      } else {
        Vec3 expected = Q * here.series.vector(c.path, t);
        if (c.path.ends_with("/position")) expected += d;
        check.near(c.path, there.series.vector(c.path, t), expected, tolerance);
      }
    }
  }
  // Gravity's potential has another zero; its change is the same.
  for (double t : here.series.time)
    check.near("potential",
               there.series.at("energy/potential", t) - there.series.at("energy/potential", 0),
               here.series.at("energy/potential", t) - here.series.at("energy/potential", 0),
               1e-9 * scale.at("J"));
}

// H2. Metres to millimetres, kilograms to tonnes. Tolerances are relative to the mechanism's own
// scales, so even the steps are the same; default settings.
TEST_P(Metamorphic, H2UnitsDoNotMatter) {
  const Model model = prepared(GetParam());
  constexpr double l = 1000, m = 1e-3;
  const Simulated si = simulate(model), mm = simulate(in_units(model, l, m));
  Check check("H2 " + GetParam(), "the same mechanism in other units");
  const auto scale = unit_scales(si);
  for (const Channel& c : si.series.channels) {
    if (c.path == "energy/residual") continue;
    const double factor = unit_factor(c.unit, l, m);
    for (std::size_t r = 0; r < si.series.rows.size(); ++r)
      for (int k = 0; k < c.width; ++k)
        check.near(c.path, mm.series.rows[r][c.offset + k] / factor,
                   si.series.rows[r][c.offset + k], 1e-9 * scale.at(c.unit));
  }
}

// H3. Bodies, joints and forces listed backwards under other names.
TEST_P(Metamorphic, H3OrderAndNamesDoNotMatter) {
  const Model model = prepared(GetParam());
  const Simulated a = simulate(model), b = simulate(reordered(model));
  Check check("H3 " + GetParam(), "the same mechanism written in another order");
  const auto scale = unit_scales(a);
  for (const Channel& c : a.series.channels) {
    if (c.path.starts_with("energy/")) continue;
    std::string path = c.path;
    if (!path.starts_with("markers/")) path.insert(path.find('/') + 1, "x");
    const auto other =
        std::ranges::find_if(b.series.channels, [&](const Channel& o) { return o.path == path; });
    ASSERT_NE(other, b.series.channels.end()) << path;
    for (std::size_t r = 0; r < a.series.rows.size(); ++r)
      for (int k = 0; k < c.width; ++k)
        check.near(c.path, b.series.rows[r][other->offset + k], a.series.rows[r][c.offset + k],
                   1e-10 * scale.at(c.unit));
  }
}

// H4. A clock that reads something else at the start: differences only by the rounding of t0 + h.
TEST_P(Autonomous, H4StartTimeDoesNotMatter) {
  Model model = prepared(GetParam());
  const Simulated early = simulate(model);
  model.simulation.start = 0.375;
  const Simulated late = simulate(model);
  Check check("H4 start, " + GetParam(), "the same run with another start time");
  ASSERT_EQ(early.series.rows.size(), late.series.rows.size());
  EXPECT_DOUBLE_EQ(late.series.time.back(), 0.375 + model.simulation.duration);
  const auto scale = unit_scales(early);
  for (const Channel& c : early.series.channels) {
    if (c.path == "energy/residual") continue;
    for (std::size_t r = 0; r < early.series.rows.size(); ++r)
      for (int k = 0; k < c.width; ++k)
        check.near(c.path, late.series.rows[r][c.offset + k], early.series.rows[r][c.offset + k],
                   1e-9 * scale.at(c.unit));
  }
}

// H4. Conservative mechanisms: turn all speeds round at the end, and it comes back to where it
// began. At 1e-12, since the way back doubles the error and sensitivity multiplies it.
TEST_P(Conservative, H4TimeRunsBackwardsToo) {
  Model model = prepared(GetParam());
  model.simulation.tolerance = 1e-12;
  const Simulated there = simulate(model);
  State turned = dynamics::to_cartesian(there.model, there.result.final_state);
  turned.time = 0;
  const auto bodies = static_cast<Eigen::Index>(model.bodies.size()) - 1;
  const Eigen::Index positions = bodies * (model.planar ? 3 : 7),
                     speeds = bodies * (model.planar ? 3 : 6);
  turned.y.segment(positions, speeds) *= -1;
  Recording back;
  Observer* observers[] = {&back};
  const RunResult result = freeplay::run(there.model, turned, observers);
  ASSERT_EQ(result.status, RunStatus::done) << result.reason;
  Check check("H4 backwards, " + GetParam(), "its own start, after running back");
  const auto scale = unit_scales(there);
  const std::size_t last = there.series.rows.size() - 1;
  for (const Channel& c : there.series.channels) {
    if (!c.path.ends_with("/position") && !c.path.ends_with("/angle") &&
        !c.path.ends_with("/quaternion"))
      continue;
    for (std::size_t r = 0; r <= last; ++r)
      for (int k = 0; k < c.width; ++k)
        check.near(c.path, back.rows[r][c.offset + k], there.series.rows[last - r][c.offset + k],
                   1e-8 * scale.at(c.unit));
  }
}

/// Largest difference of motion between two runs at any time, relative to its scale.
double difference(const Simulated& a, const Simulated& b) {
  const auto scale = unit_scales(a);
  double worst = 0;
  for (const Channel& c : a.series.channels) {
    if (!c.path.starts_with("bodies/")) continue;
    for (std::size_t r = 0; r < a.series.rows.size(); ++r)
      for (int k = 0; k < c.width; ++k)
        worst = std::max(worst,
                         std::abs(a.series.rows[r][c.offset + k] - b.series.rows[r][c.offset + k]) /
                             scale.at(c.unit));
  }
  return worst;
}

// H5. A tighter tolerance gives a smaller error, against a run at 1e-13. Mechanisms that drives
// move completely are exact at every tolerance.
TEST_P(Metamorphic, H5TighterToleranceSmallerError) {
  Model model = prepared(GetParam());
  const auto at = [&](double tolerance) {
    model.simulation.tolerance = tolerance;
    return simulate(model);
  };
  const Simulated reference = at(1e-13);
  std::vector<double> errors;
  for (double tolerance : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10})
    errors.push_back(difference(reference, at(tolerance)));
  std::printf("    H5 %-22s", GetParam().c_str());
  for (double e : errors) std::printf(" %8.1e", e);
  std::printf("\n");
  const double floor = 1e-11;  // round-off of the reference itself
  // Local errors may cancel by luck at one tolerance, so that neighbours are level.
  for (std::size_t k = 1; k < errors.size(); ++k) {
    EXPECT_LT(errors[k], std::max(floor, 1.5 * errors[k - 1]))
        << "from 1e-" << 4 + k << " to 1e-" << 5 + k;
    if (k > 1) {
      EXPECT_LT(errors[k], std::max(floor, 0.5 * errors[k - 2]))
          << "from 1e-" << 3 + k << " to 1e-" << 5 + k;
    }
  }
  EXPECT_LT(errors.back(), std::max(floor, 1e-3 * errors.front()));
}

}  // namespace
}  // namespace freeplay::testing
