// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/observed.hpp>
#include <freeplay/record.hpp>

#include <span>
#include <string_view>
#include <vector>

// Which series a result file keeps.
namespace freeplay::io {

/// Does a path fit a pattern, in which * stands for any characters?
[[nodiscard]] bool fits(std::string_view path, std::string_view pattern);

/// Those of the channels that the patterns of `record` name, with their places in the row. Throws a
/// ModelError for a pattern that fits none, with what may have been meant.
[[nodiscard]] std::vector<Channel> chosen_channels(const Record& record,
                                                   std::span<const Channel> channels);

}  // namespace freeplay::io
