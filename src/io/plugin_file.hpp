// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

// Opening a compiled plug-in: the only place where code of others gets into the process.
namespace freeplay::io {

/// Opens a library of laws, which from then on laws::find_plugin() knows by its digest (SHA-256 of
/// the file), the answer. What is open stays open. Throws IoError with what is wrong with it.
/// Whoever calls it has asked plugins_allowed().
[[nodiscard]] std::string open_plugin(const std::filesystem::path& file);

}  // namespace freeplay::io
