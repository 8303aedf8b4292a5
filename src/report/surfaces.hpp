// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/data_block.hpp"
#include <freeplay/model.hpp>
#include <freeplay/result.hpp>

#include <nlohmann/json_fwd.hpp>

// What the page shows of the surfaces in a joint: fields of many numbers, by a few instants.
namespace freeplay::report {

/// What the bearings and journals of planar joints that wear have lost, sector by sector.
[[nodiscard]] nlohmann::json wear_of(const Result& result, const Model& model, DataBlock& block);

/// The pressure in oil films that recorded it (`record_pressure`), node by node.
[[nodiscard]] nlohmann::json pressure_of(const Result& result, const Model& model,
                                         DataBlock& block);

}  // namespace freeplay::report
