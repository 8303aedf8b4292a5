// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"
#include "model/curve.hpp"
#include "model/joint_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace freeplay::dynamics {

/// How long until something guided along a curve passes the next of its points, if it goes on as
/// now; s. The fifth derivative of the curve jumps there: a step that ends just behind does not
/// see it.
inline double next_curve_point(const Model& model, std::span<const Pose<double>> poses) {
  double out = std::numeric_limits<double>::infinity();
  for (const Joint& joint : model.joints) {
    if (!joint.curve) continue;
    const auto place = place_of(joint, poses[joint.first.body], poses[joint.second.body]);
    const Mat3 axes = place.first->R * joint.first.axes;
    const Vec3 x = axes.transpose() * place.d,
               v = axes.transpose() * (place.d_dot - place.first->w.cross(place.d));
    const double u = joint.curve->nearest(x);
    const auto at = joint.curve->at(u);
    const double rate = at.d1.dot(v) / at.d1.squaredNorm();
    if (rate != 0) out = std::min(out, joint.curve->to_next_point(u, rate > 0) / std::abs(rate));
  }
  return out;
}

/// Is anything guided along a curve?
inline bool has_curves(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [](const Joint& joint) { return joint.curve != nullptr; });
}

}  // namespace freeplay::dynamics
