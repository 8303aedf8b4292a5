// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/units.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <vector>

// Inference of units. The dimension of an expression is a known one times powers of unknown ones,
// one of each number whose unit was left out; products add exponents, powers multiply them, and
// what is added or compared has to agree. That makes linear equations, which are solved one by one
// as they come.
namespace freeplay::io {

struct DimensionForm {
  Dimension fixed;
  std::map<int, double> unknown;  ///< exponents

  DimensionForm() = default;
  DimensionForm(const Dimension& d) : fixed(d) { fixed.turn = Turn::none; }  // NOLINT: as a value

  /// The form of a power.
  [[nodiscard]] DimensionForm times(double exponent) const {
    return DimensionForm().plus(*this, exponent);
  }
  /// The form of a product with that power of another.
  [[nodiscard]] DimensionForm plus(const DimensionForm& other, double exponent) const {
    DimensionForm out = *this;
    out.fixed = fixed * power(other.fixed, exponent);
    for (const auto& [index, e] : other.unknown) {
      double& sum = out.unknown[index];
      sum += exponent * e;
      if (std::abs(sum) < 1e-9) out.unknown.erase(index);  // exponents are sums of short decimals
    }
    return out;
  }
};

class DimensionForms {
 public:
  [[nodiscard]] DimensionForm unknown() {
    DimensionForm out;
    out.unknown[static_cast<int>(solved_.size())] = 1;
    solved_.emplace_back();
    return out;
  }
  /// Makes both the same; false where they cannot be.
  bool equate(const DimensionForm& a, const DimensionForm& b) {
    const DimensionForm rest = resolved(a.plus(b, -1));
    if (rest.unknown.empty()) return rest.fixed.dimensionless();
    const auto [index, exponent] = *rest.unknown.begin();
    DimensionForm others = rest;
    others.unknown.erase(index);
    solved_[static_cast<std::size_t>(index)] = others.times(-1 / exponent);
    return true;
  }
  /// What is known of it; unknown ones that are still open count as numbers.
  [[nodiscard]] Dimension known(const DimensionForm& form) const { return resolved(form).fixed; }

 private:
  [[nodiscard]] DimensionForm resolved(const DimensionForm& form) const {
    DimensionForm out = form;
    for (bool again = true; again;) {
      again = false;
      for (const auto& [index, exponent] : out.unknown) {
        const auto& known = solved_[static_cast<std::size_t>(index)];
        if (!known) continue;
        const double e = exponent;
        DimensionForm without = out;
        without.unknown.erase(index);
        out = without.plus(*known, e);
        again = true;
        break;
      }
    }
    return out;
  }

  std::vector<std::optional<DimensionForm>> solved_;
};

}  // namespace freeplay::io
