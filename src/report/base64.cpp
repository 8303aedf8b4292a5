// SPDX-License-Identifier: Apache-2.0
#include "report/base64.hpp"

#include <cstdint>

namespace freeplay::report {

std::string base64(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const auto present = bytes.size() - i < 3 ? bytes.size() - i : 3;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < present ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= present ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

}  // namespace freeplay::report
