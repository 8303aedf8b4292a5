// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/node.hpp"
#include <freeplay/errors.hpp>

#include <string>
#include <vector>

// Everything found wrong or suspicious while a file is read, so that the user hears it all at once.
namespace freeplay::io {

class Diagnostics {
 public:
  /// Makes a file known; the index goes into Place::file. Also for "--set x=1", which has no lines.
  int add_file(std::string name);
  [[nodiscard]] const std::string& file_name(int index) const {
    return files_[static_cast<std::size_t>(index)];
  }

  void error(Place place, std::string path, std::string message, std::string hint = {});
  void warn(Place place, std::string path, std::string message, std::string hint = {});

  [[nodiscard]] bool failed() const { return errors_ > 0; }
  [[nodiscard]] std::size_t errors() const { return errors_; }
  /// So many mistakes that further ones are only counted: no need to think about hints any more.
  [[nodiscard]] bool full() const { return errors_ >= kMostIssues; }

  /// Hands the warnings to `warnings` (if any) and throws ModelError when there was a mistake.
  void finish(std::vector<Issue>* warnings);

 private:
  static constexpr std::size_t kMostIssues =
      100;  // chosen: nobody reads on, and 60 MB of nonsense stay cheap
  void add(Place place, std::string path, std::string message, std::string hint, bool fatal);

  std::vector<std::string> files_;
  std::vector<Issue> issues_;
  std::vector<int> file_of_;  // of each issue, to sort them in the order in which files were read
  std::size_t errors_ = 0, warnings_ = 0;
};

}  // namespace freeplay::io
