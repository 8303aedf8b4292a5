// SPDX-License-Identifier: Apache-2.0
#include "study/series_columns.hpp"

#include <freeplay/result.hpp>

namespace freeplay::study {
namespace {

/// Calls visit(name, column, channel) for every scalar until it returns true.
template <class F>
void each_scalar(const RunHeader& header, F&& visit) {
  for (const Channel& channel : header.channels) {
    const auto components = component_names(channel.width);
    if (components.empty() && visit(channel.path, channel.offset, channel)) return;
    for (std::size_t c = 0; c < components.size(); ++c)
      if (visit(channel.path + "." + components[c], channel.offset + static_cast<int>(c), channel))
        return;
  }
}

}  // namespace

std::optional<int> column_of(const RunHeader& header, const std::string& series) {
  std::optional<int> found;
  each_scalar(header, [&](const std::string& name, int column, const Channel&) {
    if (name == series) found = column;
    return found.has_value();
  });
  return found;
}

std::string unit_of(const RunHeader& header, const std::string& series) {
  std::string unit;
  each_scalar(header, [&](const std::string& name, int, const Channel& channel) {
    if (name == series) unit = channel.unit;
    return name == series;
  });
  return unit;
}

std::vector<std::string> all_series(const RunHeader& header) {
  std::vector<std::string> out;
  each_scalar(header, [&](const std::string& name, int, const Channel&) {
    out.push_back(name);
    return false;
  });
  return out;
}

}  // namespace freeplay::study
