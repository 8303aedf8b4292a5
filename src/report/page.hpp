// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace freeplay::report {

/// The page of the program with something to show in it: a description that web/src reads, and
/// blocks of numbers that the description names (element "block-0", "block-1", ...).
[[nodiscard]] std::string make_page(std::string_view title, const nlohmann::json& description,
                                    const std::string& blocks);

/// One block of numbers as an element of the page.
[[nodiscard]] std::string block_element(std::size_t index, const std::string& base64);

}  // namespace freeplay::report
