// SPDX-License-Identifier: Apache-2.0
#include "io/toml_writer.hpp"

#include "io/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace freeplay::io {
namespace {

std::string string_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 2> hex{'0', '0'};
      std::to_chars(hex.data() + (byte < 0x10 ? 1 : 0), hex.data() + 2, byte, 16);
      out += "\\u00" + std::string(hex.data(), 2);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  return bare ? std::string(key) : string_text(key);
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  // Whole numbers as TOML integers, for the eye; beyond 2^53 and for -0 only a float is exact.
  if (value == std::round(value) && std::abs(value) < 1e15 && !(value == 0 && std::signbit(value)))
    return std::to_string(static_cast<long long>(value));
  std::string out = shortest(value);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

void write_section(std::string& out, const std::string& heading, const Node& table) {
  out += (out.empty() ? "[" : "\n[") + heading + "]\n";
  for (const Entry& entry : table.entries())
    out += key_text(entry.key) + " = " + write_value(entry.node) + "\n";
}

}  // namespace

std::string write_value(const Node& node) {
  if (node.is_truth()) return node.truth() ? "true" : "false";
  if (node.is_number()) return number_text(node.number());
  if (node.is_text()) return string_text(node.text());
  std::string out;
  if (node.is_array()) {
    for (const Node& item : node.items()) out += (out.empty() ? "" : ", ") + write_value(item);
    return "[" + out + "]";
  }
  if (node.is_table()) {
    for (const Entry& entry : node.entries())
      out += (out.empty() ? " " : ", ") + key_text(entry.key) + " = " + write_value(entry.node);
    return "{" + out + (out.empty() ? "}" : " }");
  }
  return "false";  // Broken and dates do not survive checking
}

std::string write_toml(const Node& root) {
  std::string out;
  for (const Entry& entry :
       root.entries())  // keys without a section come first, or they belong to it
    if (!entry.node.is_table()) out += key_text(entry.key) + " = " + write_value(entry.node) + "\n";
  for (const Entry& section : root.entries()) {
    if (!section.node.is_table()) continue;
    const auto& entries = section.node.entries();
    const bool nested = !entries.empty() && std::ranges::all_of(entries, [](const Entry& e) {
      return e.node.is_table();
    });
    if (!nested) {
      write_section(out, key_text(section.key), section.node);
      continue;
    }
    for (const Entry& entry : entries)
      write_section(out, key_text(section.key) + "." + key_text(entry.key), entry.node);
  }
  return out;
}

}  // namespace freeplay::io
