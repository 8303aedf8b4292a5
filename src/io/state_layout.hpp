// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/layout.hpp>

#include <memory>
#include <optional>
#include <string>

// The layout of states as text in a result file: a line of headings, then one line for each block,
// columns separated by tabs.
namespace freeplay::io {

[[nodiscard]] std::string layout_text(const Layout& layout);

/// Nothing when the text is damaged.
[[nodiscard]] std::shared_ptr<const Layout> parse_layout(const std::string& formulation,
                                                         const std::string& text);

}  // namespace freeplay::io
