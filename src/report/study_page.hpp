// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

// The table of a study -> one HTML page: every input, output and sample against every other, the
// rows behind the points, and what was concluded from them.
namespace freeplay::report {

/// Whether the file says of itself that it is the table of a study. Throws IoError when it cannot
/// be read at all.
[[nodiscard]] bool is_study(const std::filesystem::path& file);

/// What a list says of a study: "bifurcation, 500 rows", and when it was made.
struct StudyAbout {
  std::string title, created;
};
[[nodiscard]] StudyAbout about_study(const std::filesystem::path& file);

/// Throws IoError.
[[nodiscard]] std::string render_study(const std::filesystem::path& file);

}  // namespace freeplay::report
