// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_types/cylindrical.hpp"
#include "model/joint_types/distance.hpp"
#include "model/joint_types/fixed.hpp"
#include "model/joint_types/planar.hpp"
#include "model/joint_types/point_in_plane.hpp"
#include "model/joint_types/point_on_curve.hpp"
#include "model/joint_types/point_on_line.hpp"
#include "model/joint_types/prismatic.hpp"
#include "model/joint_types/rack.hpp"
#include "model/joint_types/revolute.hpp"
#include "model/joint_types/screw.hpp"
#include "model/joint_types/spherical.hpp"
#include "model/joint_types/universal.hpp"

#include <array>

// The types of joints: the only list. Reading and checking model files, the schema, constraint
// rows, the spanning tree, play, friction, the report and the tests all follow from it.
namespace freeplay {

template <class... J>
struct JointTypeList {
  static constexpr std::array<JointKind, sizeof...(J)> kinds{J::kind...};

  /// A row that only the type of this joint knows how to evaluate.
  template <class T>
  static RowValue<T> own_row(const RowSpec& row, const Joint& joint, const JointPlace<T>& g,
                             Jet drive, bool planar) {
    RowValue<T> out{};
    out.phi = out.gamma = T(0.0);
    const auto take = [&]<class Own>() {
      if constexpr (requires { Own::own_row(row, joint, g, drive, planar); })
        if (joint.type == Own::kind.type) out = Own::own_row(row, joint, g, drive, planar);
    };
    (take.template operator()<J>(), ...);
    return out;
  }
};

/// In the order of JointType.
using JointTypes =
    JointTypeList<kinds::Fixed, kinds::Revolute, kinds::Prismatic, kinds::Cylindrical,
                  kinds::Spherical, kinds::Universal, kinds::Planar, kinds::Distance,
                  kinds::PointOnLine, kinds::PointInPlane, kinds::Screw, kinds::PointOnCurve,
                  kinds::Rack>;

consteval bool stand_in_order() {
  for (std::size_t i = 0; i < JointTypes::kinds.size(); ++i)
    if (static_cast<std::size_t>(JointTypes::kinds[i].type) != i) return false;
  return true;
}
static_assert(stand_in_order());

[[nodiscard]] constexpr const JointKind& kind_of(JointType type) {
  return JointTypes::kinds[static_cast<std::size_t>(type)];
}
[[nodiscard]] constexpr const JointKind& kind_of(const Joint& joint) { return kind_of(joint.type); }

/// The displacement after which the joint is where it was; 0: none. m
[[nodiscard]] inline double round_of(const Joint& joint) {
  const auto round = kind_of(joint).round;
  return round ? round(joint) : 0;
}
/// Does the value of this coordinate alone leave open how often it has come round?
[[nodiscard]] inline bool comes_round(const Joint& joint, Coordinate coordinate, bool planar) {
  return is_angle(coordinate) ? !planar
                              : coordinate == Coordinate::displacement && round_of(joint) > 0;
}

/// Words of the types for which `has(kind)` is true: "revolute, prismatic and screw".
template <class Has>
std::string joint_words(Has&& has) {
  std::vector<std::string_view> words;
  for (const JointKind& kind : JointTypes::kinds)
    if (has(kind)) words.push_back(kind.word);
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

/// Angle of the second frame's hand about the first frame's z axis.
template <class T>
T joint_angle(const Joint& joint, const Pose<T>& first, const Pose<T>& second,
              bool planar_mechanism) {
  return angle_of_hand(joint, kind_of(joint).hand, first, second, planar_mechanism);
}

/// Universal joint: angle of the second body about its own cross axis (its frame's z).
template <class T>
T second_angle(const Joint& joint, const Pose<T>& first, const Pose<T>& second) {
  using std::atan2;
  const Vec3T<T> h = first.R * joint.first.axes.col(2), x2 = second.R * joint.second.axes.col(0),
                 y2 = second.R * joint.second.axes.col(1);
  return -atan2(y2.dot(h), x2.dot(h));
}

}  // namespace freeplay
