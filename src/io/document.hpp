// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/node.hpp"
#include "io/source_files.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// A model file with everything it includes, merged into one tree. A file that includes others is
// laid over them, in the order of its list: what it says itself wins.
namespace freeplay::io {

struct Document {
  Node root;           ///< merged, as written; Broken when a file could not be parsed
  std::string source;  ///< text of the top file as given
  ModelFolder folder;  ///< files outside are refused
  /// Folder of each file known to Diagnostics; empty for what is no file.
  std::vector<std::filesystem::path> folders;
  /// Every file that was read for it; `read_beside` adds to them.
  mutable std::vector<std::filesystem::path> files;

  /// Real path of a file that a value written in `from` refers to, which counts as read. Throws
  /// IoError.
  [[nodiscard]] std::filesystem::path find_beside(Place from, const std::string& name) const;
  /// Text of a file that a value written in `from` refers to. Throws IoError.
  [[nodiscard]] std::string read_beside(Place from, const std::string& name) const;
};

/// Throws IoError when the top file cannot be read; everything else goes to `diagnostics`.
[[nodiscard]] Document read_document(const std::filesystem::path& file, Diagnostics& diagnostics);

/// From text. `name` stands for the file in messages; without a `folder`, includes are refused.
[[nodiscard]] Document parse_document(std::string_view text, std::string_view name,
                                      const std::filesystem::path& folder,
                                      Diagnostics& diagnostics);

}  // namespace freeplay::io
