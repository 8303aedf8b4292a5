// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Files a model is read from. Whatever stands at a path (a folder, a pipe that would never answer,
// a loop of links, 3 GB of data), the answer is text or a reason.
namespace freeplay::io {

/// Text of a regular file of at most 64 MB. Throws IoError with the reason.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

/// The one of `files` that `path` leads to as well, links followed; null if there is none.
[[nodiscard]] const std::filesystem::path* same_file(
    const std::vector<std::filesystem::path>& files, const std::filesystem::path& path);

/// The folder of the model, beyond which its includes and tables may not reach, so that a model
/// from elsewhere cannot pull private files into a result.
class ModelFolder {
 public:
  ModelFolder() = default;  ///< no folder: nothing can be included
  explicit ModelFolder(const std::filesystem::path& folder);

  [[nodiscard]] bool known() const { return !root_.empty(); }
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

  /// The real path of `name` as written in a file of folder `from`. Throws IoError when it is
  /// absolute, does not exist or, links followed, lies outside.
  [[nodiscard]] std::filesystem::path resolve(const std::filesystem::path& from,
                                              const std::string& name) const;

 private:
  std::filesystem::path root_;  // canonical
};

/// Text for the TOML parser: without byte order mark, lines ended by \n whatever the system that
/// wrote them. Throws IoError naming the encoding when it is not UTF-8 text.
[[nodiscard]] std::string normalised(std::string_view text);

}  // namespace freeplay::io
