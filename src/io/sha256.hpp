// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace freeplay::io {

/// SHA-256 (FIPS 180-4) of some bytes, as 64 hexadecimal digits: which model a result belongs to.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace freeplay::io
