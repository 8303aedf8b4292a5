// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/beam_line.hpp"

#include <freeplay/modal_part.hpp>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {

Mat3 beam_axes(const Flexible& beam, bool planar) {
  const Vec3 x = (beam.to - beam.from) / beam.length();
  Mat3 out;
  if (planar || x[0] < -1 + 1e-12) {
    out << x, Vec3::UnitZ().cross(x), Vec3::UnitZ();
    return out;
  }
  return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitX(), x).toRotationMatrix();
}

double along_axis(const Flexible& beam, const Vec3& point) {
  const double length = beam.length(), half = 0.5 * length;
  return std::clamp((beam.to - beam.from).dot(point) / length, -half, half);
}

std::vector<double> beam_nodes(const Flexible& beam, std::span<const double> marks) {
  const double half = 0.5 * beam.length(), longest = 2 * half / beam.elements,
               same = kSamePlace * half;
  std::vector<double> stops{-half, 0, half};
  stops.insert(stops.end(), marks.begin(), marks.end());
  std::sort(stops.begin(), stops.end());
  std::vector<double> out{stops.front()};
  for (const double stop : stops) {
    const double from = out.back();
    if (stop - from <= same) continue;
    const int pieces = std::max(1, static_cast<int>(std::ceil((stop - from) / longest - 1e-6)));
    for (int k = 1; k < pieces; ++k) out.push_back(from + (stop - from) * k / pieces);
    out.push_back(stop);
  }
  return out;
}

int sections_of(const Flexible& flexible) {
  if (flexible.part) return static_cast<int>(flexible.part->interfaces.size());
  constexpr int kMost = 16;  // chosen: enough to draw the highest mode anybody looks at
  return std::min(flexible.elements, kMost) + 1;
}

}  // namespace freeplay::dynamics
