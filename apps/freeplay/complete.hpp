// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace freeplay::cli {

/// Options of each verb, as they are typed: "--json".
using VerbOptions = std::map<std::string, std::vector<std::string>>;

/// What the last of `words` (those behind `freeplay`, as typed so far) can become; empty where
/// files are meant.
[[nodiscard]] std::vector<std::string> completions(const VerbOptions& verbs,
                                                   const std::vector<std::string>& words);

/// completion.bash, put into the program by CMake.
[[nodiscard]] std::string_view bash_completion();

}  // namespace freeplay::cli
