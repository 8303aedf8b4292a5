// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

// The machines of examples/12_machines, as text in the program: `freeplay new` writes them.
namespace freeplay::cli {

struct Template {
  std::string_view name, text;
};
[[nodiscard]] std::span<const Template> templates();

}  // namespace freeplay::cli
