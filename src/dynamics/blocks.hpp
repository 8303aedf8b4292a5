// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/layout.hpp>
#include <freeplay/model.hpp>

#include <string>

// Blocks of a state that several owners declare.
namespace freeplay::dynamics {

/// A work integral: who exchanges energy with the mechanism other than through a potential
/// ("joints/crank_bearing/drive", "forces/motor"). Returns its place among them.
int declare_work(Layout& layout, const std::string& path);

/// Deflections of bristles, of the given scale (m), and behind them what else their law integrates.
void declare_bristles(Layout& layout, const std::string& owner, int states, double scale);

/// The last unwrapped value of an angle in space, which its pose tells only up to whole turns.
/// Returns its place in memory; -1 where none is needed.
int declare_angle(Layout& layout, const Model& model, std::size_t joint, Coordinate coordinate);

}  // namespace freeplay::dynamics
