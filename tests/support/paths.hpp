// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace freeplay::testing {

/// Root of the source tree: `source_dir() / "mechanisms" / "press.toml"`.
std::filesystem::path source_dir();

/// The command line of this build.
std::filesystem::path cli();

/// An empty folder for the files of the running test, made anew on each call; under the build tree.
std::filesystem::path scratch_dir();

}  // namespace freeplay::testing
