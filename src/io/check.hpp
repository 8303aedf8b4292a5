// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/document.hpp"
#include "io/fields.hpp"
#include "io/parameters.hpp"

// From the tree as written to the tree as meant: every value compared with its shape, every
// quantity an SI number, parameters and files of columns replaced by what they stand for, keys in
// canonical order. What is wrong is reported and left behind as Broken.
namespace freeplay::io {

struct CheckInput {
  const Document& document;
  const Parameters& parameters;
  Diagnostics& diagnostics;
  bool planar = false;
  bool closed_plugins = false;  ///< compiled laws stay shut
};

[[nodiscard]] Node check(const TableShape& shape, const CheckInput& input);

/// One value that stands at `path`, as far as it can be judged without its surroundings.
[[nodiscard]] Node check_value(const Shape& shape, const Node& node, const std::string& path,
                               const CheckInput& input);

}  // namespace freeplay::io
