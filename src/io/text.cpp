// SPDX-License-Identifier: Apache-2.0
#include "io/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace freeplay::io {
namespace {

constexpr std::size_t kLongestGuess = 64;    // longer words are no typing mistakes of our keys
constexpr std::size_t kLongestListing = 12;  // more candidates than this help nobody

/// Letters compared without case: `Mass` is nearer to `mass` than to `base`.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Insertions, deletions, replacements and swaps of neighbours (Damerau 1964, restricted form).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::string quote(std::string_view text, std::size_t longest) {
  std::string out = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      out += "\\n";
    else if (byte < 0x20 || byte == 0x7f)
      out += '?';
    else
      out += c;
  }
  if (text.size() > longest) {
    // Never end in the middle of a UTF-8 sequence.
    while (out.size() > 1 && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80)
      out.pop_back();
    if (static_cast<unsigned char>(out.back()) >= 0xc0) out.pop_back();
    out += "...";
  }
  return out + "'";
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLongestGuess) return {};
  // A third of the letters may be wrong, but always one, and two in words of four letters and more.
  const std::size_t allowed = std::max<std::size_t>(word.size() < 4 ? 1 : 2, word.size() / 3);
  std::size_t best = allowed + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestGuess) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best || distance >= std::max(word.size(), candidate.size())) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  if (const std::string guess = nearest(word, candidates); !guess.empty())
    return "did you mean " + quote(guess) + "?";
  if (candidates.empty() || candidates.size() > kLongestListing) return {};
  return "known: " + one_of_these(candidates);
}

std::string one_of_these(std::span<const std::string> words, std::string_view conjunction) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " " + std::string(conjunction) + " " : ", ";
    out += quote(words[i]);
  }
  return out;
}

std::string shortest(double value) {
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("0");
}

std::string brief(double value) {
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          std::chars_format::general, 6);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

std::size_t scan_number(std::string_view text, double& value, int tens) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  if (!digit(0) && !(text.starts_with('.') && digit(1))) return 0;
  std::size_t mantissa = 0;
  while (digit(mantissa) || (mantissa < text.size() && text[mantissa] == '.')) ++mantissa;

  // The exponent belongs to the number only if digits follow: "2 eggs" and "2eggs" have none.
  std::size_t length = mantissa;
  long exponent = 0;
  if (length < text.size() && (text[length] == 'e' || text[length] == 'E')) {
    const bool negative = length + 1 < text.size() && text[length + 1] == '-';
    std::size_t i =
        length + 1 + (negative || (length + 1 < text.size() && text[length + 1] == '+'));
    if (digit(i)) {
      for (; digit(i); ++i) exponent = std::min(exponent * 10 + (text[i] - '0'), 1000000L);
      if (negative) exponent = -exponent;
      length = i;
    }
  }
  const std::string digits =
      std::string(text.substr(0, mantissa)) + "e" + std::to_string(exponent + tens);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::invalid_argument ||
      (error == std::errc{} && end != digits.data() + digits.size()))
    return 0;  // two decimal points
  if (error == std::errc::result_out_of_range)
    value = exponent + tens > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return length;
}

}  // namespace freeplay::io
