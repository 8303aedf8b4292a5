// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/base64.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace freeplay::report {

/// The numbers of a result in one piece, as the page decodes it into two typed arrays: first all
/// doubles, then all floats. Numbers that are shown as digits are doubles; what is only drawn is
/// floats.
class DataBlock {
 public:
  /// Where the values begin, counted in values of their kind.
  std::size_t add_doubles(std::span<const double> values) {
    const auto at = doubles_.size();
    doubles_.insert(doubles_.end(), values.begin(), values.end());
    return at;
  }
  /// Beyond the range of a float: its largest value, so that nothing becomes infinite.
  std::size_t add_floats(std::span<const double> values) {
    const auto at = floats_.size();
    for (const double value : values)
      floats_.push_back(static_cast<float>(value > kLargest    ? kLargest
                                           : value < -kLargest ? -kLargest
                                                               : value));
    return at;
  }
  [[nodiscard]] std::size_t doubles() const { return doubles_.size(); }

  [[nodiscard]] std::string text() const {
    static_assert(std::endian::native == std::endian::little, "the page reads little-endian");
    std::vector<std::byte> bytes(doubles_.size() * 8 + floats_.size() * 4);
    const auto* d = reinterpret_cast<const std::byte*>(doubles_.data());
    const auto* f = reinterpret_cast<const std::byte*>(floats_.data());
    std::copy(d, d + doubles_.size() * 8, bytes.begin());
    std::copy(f, f + floats_.size() * 4,
              bytes.begin() + static_cast<std::ptrdiff_t>(doubles_.size() * 8));
    return io::base64(bytes);
  }

 private:
  static constexpr double kLargest = 3.4028234663852886e38;
  std::vector<double> doubles_;
  std::vector<float> floats_;
};

}  // namespace freeplay::report
