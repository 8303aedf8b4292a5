// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

// A file appears under its name whole or not at all, also when the power fails: its bytes reach the
// disk before its name does.
namespace freeplay::io {

/// Renames `from` to `to` (same directory), replacing what was there. Throws IoError.
void replace_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Waits until the name of `file` is on the disk, where the file system can tell.
void synchronise_folder(const std::filesystem::path& file);

/// Name for a file in the making, beside `to`: unlike any other program's.
[[nodiscard]] std::filesystem::path temporary_name(const std::filesystem::path& to);

/// Writes `text` to `to`. Throws IoError.
void write_file(const std::filesystem::path& to, std::string_view text);

}  // namespace freeplay::io
