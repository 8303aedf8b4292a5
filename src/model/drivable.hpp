// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <string>

namespace freeplay {

/// Why a coordinate of a joint held by force cannot be driven; empty: it can. The drive then
/// prescribes that coordinate alone, and everything else stays free in the play.
[[nodiscard]] std::string undrivable(const Joint& joint, Coordinate coordinate);

}  // namespace freeplay
