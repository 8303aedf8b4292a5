// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

// What model files say about a joint, type by type.
namespace freeplay::io {

struct JointWords {
  bool axis;      ///< whether the key `axis` says anything about it
  bool in_plane;  ///< whether it needs one in a planar mechanism ...
  bool in_space;  ///< ... and in a spatial one
  bool sense;     ///< whether axes that point in opposite directions differ from parallel ones
  /// What a planar mechanism has in place of a joint that needs the third dimension; empty: it
  /// fits.
  const char* planar_remedy = "";
};
[[nodiscard]] JointWords words_of(JointType type);

/// What the parts of a joint with play are, which decides by which keys they are described.
enum class PlayParts { none, ball, bore, guide, slot, arc };
[[nodiscard]] PlayParts play_parts(JointType type);

}  // namespace freeplay::io
