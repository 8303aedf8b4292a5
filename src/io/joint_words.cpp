// SPDX-License-Identifier: Apache-2.0
#include "io/joint_words.hpp"

namespace freeplay::io {

JointWords words_of(JointType type) {
  using enum JointType;
  switch (type) {  //     axis  plane  space  sense
    case fixed:
      return {true, false, false, true};
    case revolute:
      return {true, false, true, true};
    case prismatic:
      return {true, true, true, true};
    case cylindrical:
      return {true, true, true, true, "use 'revolute' or 'prismatic'"};
    case spherical:
      return {true, false, false, false, "use 'revolute'"};
    case universal:
      return {true, true, true, true, "use 'revolute'"};
    case planar:
      return {true, true, true, true,
              "bodies of a planar mechanism move like that anyway: leave the joint out"};
    case distance:
      return {false, false, false, true};
    case point_on_line:
      return {true, true, true, false};
    case point_in_plane:
      return {true, true, true, false, "use 'point-on-line'"};
    case screw:
      return {true, true, true, true, "use 'prismatic', or a rack coupling"};
  }
  return {};
}

PlayParts play_parts(JointType type) {
  using enum JointType;
  switch (type) {
    case fixed:
    case planar:
    case point_in_plane:
    case screw:
      return PlayParts::none;
    case spherical:
      return PlayParts::ball;
    case revolute:
    case cylindrical:
    case universal:
      return PlayParts::bore;
    case prismatic:
      return PlayParts::guide;
    case point_on_line:
      return PlayParts::slot;
    case distance:
      return PlayParts::arc;
  }
  return PlayParts::none;
}

}  // namespace freeplay::io
