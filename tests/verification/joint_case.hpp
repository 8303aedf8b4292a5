// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/recording.hpp"

#include <cmath>
#include <string>

// Joints against closed forms: the motion they leave free, and the reaction they carry. Reactions
// are of the first body on the second, global axes, moment about the second's joint point
// (theory/multibody (M.6)). Each case runs with projection and with Baumgarte stabilisation; the
// closed form is the source of every expected number.
namespace freeplay::testing {

inline constexpr double g = 9.81;
inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kTight =
    1e-8;  // ten times the run's tolerance, for quantities of order one

class JointCase : public ::testing::TestWithParam<const char*> {
 protected:
  Simulated run(const std::string& toml) const {
    Model model = model_from(toml);
    // 20/s is slow enough not to make the equations stiff and fast enough to act within the run.
    if (std::string(GetParam()) == "baumgarte") model.simulation.baumgarte = Baumgarte{20, 20};
    return simulate(std::move(model));
  }
  static std::string name(const char* joint) { return std::string(joint) + ", " + GetParam(); }
  /// Baumgarte's feedback turns a position error e into a force m beta^2 e, a speed error into 2
  /// alpha m e: reactions are that much less exact than the motion.
  static double reaction(double tolerance) {
    return std::string(GetParam()) == "baumgarte" ? (2 * 20 + 20 * 20) * tolerance : tolerance;
  }
};
inline Vec3 turned(double angle, const Vec3& v) {
  return Eigen::AngleAxisd(angle, Vec3::UnitZ()) * v;
}

/// A block on a plane of 30 degrees, held there by `joint`.
inline std::string incline(const char* joint) {
  std::string model = R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [parameters]
    down = 0.5
    along = "sqrt(0.75)"
    [bodies.block]
    mass = 2
    inertia = [0.02, 0.05, 0.05]
    position = [1, 0, 2]
    orientation = { axis = [0, 1, 0], angle = "30 deg" }
    [simulation]
    duration = 1
    output = 0.1
)toml";
  return model += joint;
}
inline const Vec3 kSlope(std::sqrt(0.75), 0, -0.5), kNormal(0.5, 0, std::sqrt(0.75));

}  // namespace freeplay::testing
