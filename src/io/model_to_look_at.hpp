// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <string_view>

namespace freeplay::io {

/// The model of a result, to be drawn and described: compiled laws (<freeplay/plugins.hpp>) stay
/// shut, so that it takes no permission, and nothing can be computed of it where it has some.
[[nodiscard]] Model model_to_look_at(std::string_view text, std::string_view name);

}  // namespace freeplay::io
