// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/row_spec.hpp"
#include <freeplay/model.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What the program knows about a type of joint. Each type says it in one file of
// src/model/joint_types/, and everything else asks the table (joint_types.hpp) instead of naming
// types.
namespace freeplay {

/// How a joint carries its outer body in a spanning tree.
enum class TreeKind {
  fixed,
  revolute,
  prismatic,
  cylindrical,
  screw,
  universal,
  planar,
  ball,  ///< carries a point; orientation and spin of the body are absolute
  free   ///< carries nothing; position too is absolute
};

/// What the parts of a joint with play are: decides the contact geometry and the keys it has.
enum class PlayParts {
  none,    ///< no play available
  ball,    ///< ball in socket
  bore,    ///< journal in bearing; in space with end faces
  sleeve,  ///< journal in bearing, free along the axis
  cross,   ///< four bearings and a cross: becomes four joints
  guide,   ///< slider in guide, box in tube
  slot,    ///< pin in straight slot
  arc      ///< pin in arc slot, planar mechanisms only
};

/// The surfaces on which an ideal joint can rub.
enum class Surfaces {
  none,
  pin,            ///< turns about z
  slide,          ///< slides along z
  pin_and_slide,  ///< both
  ball,           ///< turns about any axis
  groove          ///< slides along its coordinate `displacement`; all of the reaction presses
};

/// How the written axes become the two frames.
enum class FrameRule {
  common,     ///< z along `axis`, one frame for both bodies as written
  cross,      ///< z along `axis` on the first, along `second_axis` on the second body
  body_axes,  ///< axes of the bodies: what is drawn on the first body turns with it
  pitch_line  ///< x along `axis`, y towards the second point; origin at its foot
};

/// What must not be opposed once assembled, lest the joint be inside out.
enum class Aligned { nothing, axis, frames, frames_in_space };

/// A number of its own in the joint's table.
struct JointKey {
  enum class Bound { above_zero, not_zero };
  std::string_view name, unit, doc;
  double Joint::*member;
  Bound bound = Bound::above_zero;
  /// Its value if absent, from the poses as written: first point to second and the axes of the
  /// first frame, both global; null: required.
  double (*as_written)(const Vec3& d, const Mat3& axes) = nullptr;
};

/// Something wrong with a joint: the key, the cause and the remedy.
struct JointFault {
  std::string key, message, hint;
};

struct JointKind {
  JointType type;
  std::string_view word;  ///< in model files
  std::span<const Coordinate> coordinates = {};
  /// The rows of an ideal joint.
  std::vector<RowSpec> (*rows)(const Joint& joint, bool planar, double length_scale);
  /// The row of its coordinate `displacement` where that is not along z of the first frame.
  RowSpec (*displacement)(const Joint& joint) = nullptr;
  /// The `displacement` after which the joint is where it was; 0: none. m
  double (*round)(const Joint& joint) = nullptr;
  int hand = 0;  ///< column of the second frame's axes that shows the angle

  // ---- in a spanning tree
  std::optional<TreeKind> carries = {};           ///< absent: it closes loops only
  std::optional<TreeKind> carries_in_plane = {};  ///< undriven in a planar mechanism, if different

  // ---- in model files
  struct File {
    bool axis = false;      ///< whether the key `axis` says anything about it
    bool in_plane = false;  ///< whether it needs one in a planar mechanism ...
    bool in_space = false;  ///< ... and in a spatial one
    bool sense = false;     ///< whether axes that point in opposite directions differ
    /// What a planar mechanism has in place of a joint that needs the third dimension; empty: it
    /// fits.
    const char* planar_remedy = "";
    FrameRule frames = FrameRule::common;
    bool two_points = false;  ///< `at` is a pair
    bool curve = false;       ///< has a table `curve`
  } file = {};
  std::span<const JointKey> keys = {};
  std::vector<JointFault> (*faults)(const Joint& joint) = nullptr;

  // ---- what it may have besides its freedom
  PlayParts play = PlayParts::none;
  Surfaces surfaces = Surfaces::none;
  Aligned aligned = Aligned::nothing;
  const char* no_play = "";           ///< why there is no clearance, where there is more to say
  const char* no_rubber = "";         ///< why a bushing cannot take its place; empty: it can
  const char* no_drive_in_play = "";  ///< why a joint with clearance cannot be driven
  const char* no_drive_in_rubber = "";

  // ---- on the report's page (web/src/shapes.ts, joint_view.ts)
  struct Page {
    bool slides = false;         ///< drawn with a guide along z
    const char* shape = "none";  ///< what is visible of it: pin, ball, bead, pinion, none
    const char* play = "none";   ///< enlarged: round, slot, guide, none
  } page = {};
};

}  // namespace freeplay
