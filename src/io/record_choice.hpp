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

/// Numbers of the grid that are stored in double precision: where things are. The others keep the
/// seven digits of single precision, and all of theirs at the steps.
[[nodiscard]] bool keeps_all_digits(const Channel& channel);

}  // namespace freeplay::io
