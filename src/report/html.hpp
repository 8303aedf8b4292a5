// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace freeplay::report {

/// Text as it may stand between tags, in a quoted attribute and in SVG. Control characters, which
/// XML forbids, and bytes that are no UTF-8 become a replacement character.
[[nodiscard]] std::string escape_markup(std::string_view text);

}  // namespace freeplay::report
