// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/force_types.hpp"
#include "io/fields.hpp"

#include <cmath>
#include <string>
#include <vector>

// Tables of force elements in the model file. What they have comes from the types themselves
// (dynamics/elements/forces/): a new type needs nothing here.
namespace freeplay::io {

/// One key of the file for each section, with its table; in the order of the types.
[[nodiscard]] std::vector<Key> force_sections();
/// "springs, forces and torques": all of them.
[[nodiscard]] std::string section_words();

/// The keys that fill plain numbers of an element of type S.
template <class S>
[[nodiscard]] const std::vector<Field<S>>& number_fields() {
  static const std::vector<Field<S>> fields = [] {
    std::vector<Field<S>> out;
    for (const dynamics::ForceNumber<S>& n : dynamics::ForceKind<S>::numbers()) {
      Shape value = quantity(std::string(n.unit));
      if (std::isfinite(n.min)) n.required ? value.above(n.min) : value.at_least(n.min);
      Key k = key(std::string(n.key), std::move(value), std::string(n.doc));
      if (n.required) k.require();
      out.push_back(field(std::move(k), n.member));
    }
    return out;
  }();
  return fields;
}

}  // namespace freeplay::io
