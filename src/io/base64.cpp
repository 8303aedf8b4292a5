// SPDX-License-Identifier: Apache-2.0
#include "io/base64.hpp"

#include <cstdint>

namespace freeplay::io {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::span<const std::byte> bytes) {
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

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return {};
  const std::size_t pads = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::vector<std::byte> out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t group = 0;
    const std::size_t present = i + 4 == text.size() ? 4 - pads : 4;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t digit = k < present ? kDigits.find(text[i + k]) : 0;
      if (digit == std::string_view::npos) return {};
      group = group << 6 | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t k = 0; k + 1 < present; ++k)
      out.push_back(static_cast<std::byte>(group >> (16 - 8 * k) & 0xffU));
    if (present < 4 && (group & (present == 2 ? 0xffffU : 0xffU)) != 0) return {};
  }
  return out;
}

}  // namespace freeplay::io
