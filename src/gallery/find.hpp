// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace freeplay::gallery {

/// The folder of the shipped figure files: beside an installed program
/// (PREFIX/share/freeplay/reproduce), or in the source tree it was built in. Throws
/// std::invalid_argument naming where it looked.
[[nodiscard]] std::filesystem::path shipped_figures();

/// The figure files of a folder in the order of the papers: f1-fig9 before f1-fig10.
[[nodiscard]] std::vector<std::filesystem::path> figure_files(const std::filesystem::path& folder);

/// A name such as "f1-fig5" (or "f1", all of that paper), or a path ending in .toml. Throws
/// std::invalid_argument with the nearest name.
[[nodiscard]] std::vector<std::filesystem::path> find_figures(
    const std::vector<std::string>& names);

}  // namespace freeplay::gallery
