// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/tolerance.hpp>

#include <string>
#include <string_view>
#include <vector>

// Dimensions with their tolerances as users write them, and the changes to a model that they stand
// for.
namespace freeplay::io {

class LooseDimensions {
 public:
  /// "120 mm+-0.05 mm" at a path of the model file. False where that cannot be read.
  [[nodiscard]] bool add(std::string_view path, std::string_view text);

  [[nodiscard]] const std::vector<LooseDimension>& list() const { return list_; }
  /// The value of dimension k moved by so much (SI), as `--set` takes it: in the unit it was given
  /// in, since a length that becomes a plain number no longer adds to others.
  [[nodiscard]] std::string value(std::size_t k, double by) const;

 private:
  struct Nominal {
    double value = 0;   ///< SI
    std::string unit;   ///< as written
    double factor = 1;  ///< one of it in SI
  };
  [[nodiscard]] static bool read(std::string_view text, Nominal& out);

  std::vector<LooseDimension> list_;
  std::vector<Nominal> nominal_;
};

}  // namespace freeplay::io
