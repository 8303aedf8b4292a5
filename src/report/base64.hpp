// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace freeplay::report {

/// RFC 4648, with padding.
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);

}  // namespace freeplay::report
