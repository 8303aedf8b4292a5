// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/fields.hpp"
#include "study/study_file.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

// The words of a study file.
namespace freeplay::study {

/// chosen: a journal of so many rows still fits in memory, and at a millisecond each takes hours
inline constexpr double kMostRows = 1e7;

// In the order of their enumerations.
extern const std::vector<std::string> kKinds, kSamplings, kAlgorithms, kTakes;

template <class E>
[[nodiscard]] E enumerator(const std::vector<std::string>& words, const std::string& word) {
  return static_cast<E>(std::ranges::find(words, word) - words.begin());
}

/// The whole file but for the tables whose keys are paths; one entry of `vary`; one of `limits`.
[[nodiscard]] io::TableShape top_shape();
[[nodiscard]] io::TableShape vary_shape();
[[nodiscard]] io::TableShape limit_shape();

/// Does the search keep to limits; does it ask for slopes?
[[nodiscard]] bool takes_limits(Algorithm algorithm);
[[nodiscard]] bool needs_slopes(Algorithm algorithm);
/// The output that holds the slope of another: "joints/pin/force.x/max/slope/bodies.rod.mass". Of a
/// fit, it is that of the square of the misfit.
[[nodiscard]] std::string slope_name(const std::string& output, const std::string& path);

/// Nothing where the first word cannot be taken of a series.
[[nodiscard]] std::optional<Observable> parse_observable(const std::string& text);

}  // namespace freeplay::study
