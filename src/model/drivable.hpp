// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <string>

namespace freeplay {

/// Why a joint held by force cannot be driven; empty: it can. A drive then prescribes its
/// coordinate alone, and everything else stays free in the play.
[[nodiscard]] std::string undrivable(const Joint& joint);

}  // namespace freeplay
