// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include <cstdint>

namespace freeplay::report {
namespace {

// Length of the valid UTF-8 sequence at the start of `text`; 0 if there is none (RFC 3629).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  const bool forbidden = code == 0xFFFE || code == 0xFFFF;
  return overlong || surrogate || forbidden || code > 0x10FFFF ? 0 : length;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto length = sequence_length(text.substr(i));
    const char c = text[i];
    if (length == 0 || (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'))
      out += "\xEF\xBF\xBD";
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace freeplay::report
