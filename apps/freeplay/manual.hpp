// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace freeplay::cli {

struct OptionHelp {
  std::string names;  ///< "-o,--output", or "MODEL"
  std::string value;  ///< "OUT.h5"; empty for a flag
  std::string text;
  bool positional = false, required = false;
};
struct VerbHelp {
  std::string name, text, example;
  std::vector<OptionHelp> options;
};

/// The page for man(1), in its language.
[[nodiscard]] std::string manual_page(const std::string& description, const std::string& version,
                                      const std::vector<VerbHelp>& verbs);

}  // namespace freeplay::cli
