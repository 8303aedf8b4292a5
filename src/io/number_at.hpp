// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/load.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

// Numbers of a model file by their paths, for those who vary them.
namespace freeplay::io {

struct NumberAt {
  std::string path;
  double value = 0;       ///< SI
  std::string unit;       ///< SI; "" where it depends on more than the path
  std::string dimension;  ///< what --set has to write behind a value; "": nothing

  /// What --set would be given.
  [[nodiscard]] std::string text(double other) const;
};

/// The number at each path: of the file, or of the changes to it. Throws ModelError with all
/// mistakes: a path that leads nowhere, one that nothing was written at, or that is no number.
[[nodiscard]] std::vector<NumberAt> numbers_at(std::string_view text, std::string_view name,
                                               const std::filesystem::path& folder,
                                               std::span<const Override> changes,
                                               std::span<const std::string> paths);

}  // namespace freeplay::io
