// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What `freeplay view` shows of a folder, and nothing else: result files below it, by names that
// cannot lead out of it. Knows nothing of HTTP.
namespace freeplay::report {

class Folder {
 public:
  /// Throws IoError when there is no such folder.
  /// `watched`: results change while they are shown; pages look for that once a second.
  explicit Folder(const std::filesystem::path& directory, bool watched = false);
  [[nodiscard]] bool watched() const { return watched_; }

  /// Result files below the folder, by name; at most `limit`. Links that lead out are left out.
  [[nodiscard]] std::vector<std::string> results(std::size_t limit = 2000) const;

  /// The file behind a name from a request: a relative path to a regular *.h5 file that is really
  /// inside. Nothing for anything else: "..", absolute paths, backslashes, NUL, links that lead
  /// out.
  [[nodiscard]] std::optional<std::filesystem::path> find(std::string_view name) const;

  /// The page with the list.
  [[nodiscard]] std::string list_page() const;
  /// The report of some results. Throws IoError.
  [[nodiscard]] std::string report_page(const std::vector<std::filesystem::path>& files) const;

 private:
  std::filesystem::path root_;
  bool watched_ = false;
};

/// Decodes %XX and +, once. Nothing when it is malformed.
[[nodiscard]] std::optional<std::string> decode_query(std::string_view text);
[[nodiscard]] std::string encode_query(std::string_view text);

struct Answer {
  int status = 200;
  std::string type = "text/html; charset=utf-8", body;
};
/// What to answer to a GET of this target ("/report?r=engine.h5").
[[nodiscard]] Answer answer_get(const Folder& folder, std::string_view target);

}  // namespace freeplay::report
