// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gallery/measure.hpp"
#include <freeplay/load.hpp>

#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

// A figure file (reproduce/*.toml): which figure of which paper, the model and its variants, what
// is drawn, and what the paper says of it, each sentence with a number that can be measured and
// its bounds. Read with the machinery of model files: every mistake is told at once, with its line.
namespace freeplay::gallery {

/// One of the things compared: a line of a diagram.
struct Variant {
  std::string label;
  std::vector<Override> set;
  std::optional<double> at;  ///< place on the abscissa of a diagram over variants; SI
  double turn = 0;           ///< duration of a turn, for what is taken by turn; s
  double from = -std::numeric_limits<double>::infinity();  ///< measures begin here; s
};

/// The model with the paper's misprints or without: every variant runs in each edition.
struct Edition {
  std::string name, note;
  std::vector<Override> set;
  std::vector<Model> models;  ///< one per variant
};

/// What is drawn: series over time, or over another series, or one number per variant.
struct Diagram {
  std::string label, x_label;         ///< of the axes; x_label empty: time, or bars
  std::vector<Term> series, against;  ///< empty: a diagram of `measure`, or over time
  std::optional<Measure> measure;
  std::vector<std::size_t> variants;
  Window window;
  std::string unit, x_unit;  ///< as stored
};

/// A sentence of the paper, and the number that decides whether it holds.
struct Claim {
  enum class Order { none, rising, falling };
  std::string id, says;
  std::string paper;   ///< what the paper prints or says of the number
  std::string reason;  ///< the most likely one, told where the claim does not hold
  Measure measure;
  std::string measured;                    ///< in words: "peak SERIES of a, b relative to c"
  std::vector<std::size_t> of;             ///< variants; all must be within bounds
  Order order = Order::none;               ///< ... and follow each other strictly
  std::optional<std::size_t> minus, over;  ///< of the difference to, or relative to, this variant
  Window window;
  double above = -std::numeric_limits<double>::infinity(),
         below = std::numeric_limits<double>::infinity();
  std::string unit;  ///< of the number

  /// "above 1.05", "rising", ...: the condition in words.
  [[nodiscard]] std::string condition() const;
};

struct Figure {
  std::string name;  ///< stem of the file: "f1-fig5"
  std::string paper, figure, shows;
  std::vector<Variant> variants;
  std::vector<Edition> editions;  ///< as printed, corrected; or one, where no misprint matters
  std::vector<Diagram> diagrams;
  std::vector<Claim> claims;
  std::set<std::string> series;  ///< everything that has to be kept of a run

  /// Those of them that the model of a variant has.
  [[nodiscard]] std::set<std::string> series_of(std::size_t variant) const;
};

/// Throws ModelError (all mistakes) or IoError.
[[nodiscard]] Figure read_figure(const std::filesystem::path& file);

}  // namespace freeplay::gallery
