// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Words for messages: quoting what the user wrote, guessing what was meant, printing numbers.
namespace freeplay::io {

/// 'text' in quotes, without control characters, shortened when it is long.
[[nodiscard]] std::string quote(std::string_view text, std::size_t longest = 60);

/// The candidate that was most likely meant by `word`; empty when none is near.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "did you mean 'radial'?", or the list of candidates when there are few, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string> candidates);

/// 'a', 'b' or 'c'
[[nodiscard]] std::string one_of_these(std::span<const std::string> words,
                                       std::string_view conjunction = "or");

/// The shortest decimal that reads back as exactly this number; the same in every locale.
[[nodiscard]] std::string shortest(double value);

/// A number for a sentence: six digits.
[[nodiscard]] std::string brief(double value);

/// Reads a decimal number from the start of `text`, times a power of ten; returns how many
/// characters it took, 0 if there is none. Shifting the decimal point before rounding makes "0.2
/// mm" exactly 0.0002. Locale plays no part; "inf" and "nan" are not numbers; what is too large
/// becomes infinite.
std::size_t scan_number(std::string_view text, double& value, int tens = 0);

}  // namespace freeplay::io
