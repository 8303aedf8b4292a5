// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace freeplay::cli {

/// What the command line asks for.
struct Invocation {
  std::function<int()> action;  ///< returns the exit status
  bool json = false;            ///< errors are wanted as JSON too
};

/// Throws UsageError. Help and version are actions like any other.
[[nodiscard]] Invocation parse_arguments(int argc, const char* const* argv);

/// A word as one types it in a POSIX shell.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace freeplay::cli
