// SPDX-License-Identifier: Apache-2.0
#include "report/surfaces.hpp"

#include "films/catalogue.hpp"
#include "model/joint_types.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace freeplay::report {
namespace {

using nlohmann::json;

/// Rows of a series, evenly spaced and with the first and the last.
std::vector<std::size_t> spread(std::size_t rows, std::size_t count) {
  std::vector<std::size_t> out;
  const std::size_t n = std::min(count, rows);
  for (std::size_t k = 0; k < n; ++k) out.push_back(n > 1 ? k * (rows - 1) / (n - 1) : 0);
  return out;
}

/// Nodes from end to end of a bearing, as its law was told or by default.
std::size_t nodes_along(const LawChoice& law) {
  double cells = 0;
  for (const laws::Entry& entry : films::film_catalogue())
    if (entry.key == law.key)
      for (const laws::Parameter& p : entry.parameters)
        if (p.key == "cells_along") cells = p.fallback;
  for (const auto& [key, value] : law.parameters)
    if (key == "cells_along") cells = value;
  return static_cast<std::size_t>(cells) + 1;
}

}  // namespace

json wear_of(const Result& result, const Model& model, DataBlock& block) {
  constexpr std::size_t kInstants = 25;
  json out = json::array();
  for (const Joint& joint : model.joints) {
    if (!joint.clearance || !joint.clearance->wear) continue;
    if (!model.planar || kind_of(joint).play != PlayParts::bore) continue;  // drawn as rings
    const auto sectors = static_cast<std::size_t>(joint.clearance->wear->sectors);
    const auto time = result.series("uniform/time").values;
    if (time.empty()) continue;
    std::vector<double> when;
    std::array<std::vector<double>, 2> depth;
    for (const std::size_t part : {0, 1}) {
      const auto all = result
                           .series("uniform/joints/" + joint.name +
                                   (part == 0 ? "/wear_depth_outer" : "/wear_depth_inner"))
                           .values;
      for (const std::size_t row : spread(time.size(), kInstants)) {
        if (part == 0) when.push_back(time[row]);
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * sectors);
        depth[part].insert(depth[part].end(), first, first + static_cast<std::ptrdiff_t>(sectors));
      }
    }
    out.push_back({{"joint", joint.name},
                   {"sectors", sectors},
                   {"time", when},
                   {"outer", block.add_floats(depth[0])},
                   {"inner", block.add_floats(depth[1])}});
  }
  return out;
}

json pressure_of(const Result& result, const Model& model, DataBlock& block) {
  constexpr std::size_t kNumbers = 400'000;         // of a joint: 2 MB of the page
  constexpr std::size_t kFewest = 25, kMost = 300;  // instants
  json out = json::array();
  for (const Joint& joint : model.joints) {
    const std::string path = "uniform/joints/" + joint.name + "/pressure";
    const auto channels = result.channels();
    const auto recorded = std::find_if(channels.begin(), channels.end(), [&](const Channel& c) {
      return "uniform/" + c.path == path && c.width > 1;
    });
    if (recorded == channels.end() || !joint.clearance || !joint.clearance->film) continue;
    const auto nodes = static_cast<std::size_t>(recorded->width);
    const std::size_t along = nodes_along(joint.clearance->film->law);
    if (along < 2 || nodes % along != 0) continue;  // not a grid that this program knows
    const auto time = result.series("uniform/time").values;
    const auto all = result.series(path).values;
    std::vector<double> when, values;
    for (const std::size_t row :
         spread(time.size(), std::clamp(kNumbers / nodes, kFewest, kMost))) {
      when.push_back(time[row]);
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * nodes);
      values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(nodes));
    }
    if (when.empty()) continue;
    out.push_back({{"joint", joint.name},
                   {"around", nodes / along},
                   {"along", along},
                   {"time", when},
                   {"values", block.add_floats(values)}});
  }
  return out;
}

}  // namespace freeplay::report
