// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"
#include <freeplay/model.hpp>

#include <string>
#include <vector>

namespace freeplay::analysis {

/// A series that depends on positions alone, by the path it is recorded under.
struct OutputPlace {
  enum class Kind { body, body_angle, marker, coordinate };
  std::string path, unit;
  Kind kind = Kind::body;
  int index = 0;      ///< of the body, marker or joint
  int component = 0;  ///< of a place; of the coordinates of a joint

  /// Where it is; angles are taken to the turn nearest to `near`.
  [[nodiscard]] double value(const Model& model, const std::vector<Pose<double>>& frames,
                             double near) const;
};

/// Throws ModelError for a path that is none, naming the nearest.
[[nodiscard]] OutputPlace output_place(const Model& model, const std::string& path);

}  // namespace freeplay::analysis
