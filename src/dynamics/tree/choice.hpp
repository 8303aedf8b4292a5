// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <string>

// Which models are put into joint coordinates.
namespace freeplay::dynamics {

/// Why a model cannot be put into tree form; empty: it can.
[[nodiscard]] std::string tree_misfit(const Model& model);
/// Whether joint coordinates are expected to cost less than Cartesian ones (measured: see
/// docs/theory/tree.md).
[[nodiscard]] bool tree_is_faster(const Model& model);

}  // namespace freeplay::dynamics
