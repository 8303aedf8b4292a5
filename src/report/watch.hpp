// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace freeplay::report {

/// Runs a model again whenever it, or a file that it reads, has been saved. The run is a program of
/// its own, so that a model which takes long or fails disturbs nothing; saving again ends it.
class Watch {
 public:
  /// `command`: what is to be run; its output goes where ours does.
  Watch(std::filesystem::path model, std::vector<std::string> command);
  /// Ends a run that is under way.
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Looks at the files and runs if they changed; to be called a few times a second. The first time
  /// it runs.
  void look();

 private:
  void find_files();
  [[nodiscard]] std::string stamp() const;
  void start();
  void end();

  std::filesystem::path model_;
  std::vector<std::string> command_;
  std::vector<std::filesystem::path> files_;
  std::string seen_, ran_;
  pid_t child_ = 0;
};

/// When files were last changed and how long they are, as text: other files or contents, another
/// text.
[[nodiscard]] std::string stamp_of(const std::vector<std::filesystem::path>& files);

}  // namespace freeplay::report
