// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace freeplay::fem {

/// A line of a file.
struct Place {
  std::string file;
  int line = 0;  ///< 0: none in particular
};

/// Throws the ModelError.
[[noreturn]] void refuse(const Place& place, std::string path, std::string message,
                         std::string hint);

/// All of a regular file of at most 4 GB. Throws IoError.
[[nodiscard]] std::string read_file(const std::filesystem::path& file, const std::string& shown);

}  // namespace freeplay::fem
