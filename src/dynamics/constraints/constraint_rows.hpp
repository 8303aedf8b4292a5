// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/evaluate_row.hpp"

// Which constraint rows (model/row_spec.hpp) the joints of a model have.
namespace freeplay::dynamics {

/// The structural rows of a joint, then one row per drive. A joint held by force has no structural
/// rows: its parts are free in the play, and a drive prescribes its one coordinate alone.
std::vector<RowSpec> rows_of(const Joint& joint, bool planar_mechanism, double length_scale);

/// Value and row of a joint coordinate, for drives, springs, efforts, couplings and recording.
/// Spatial angles come wrapped; `phi` is the coordinate itself.
RowSpec coordinate_row(const Joint& joint, Coordinate coordinate);

}  // namespace freeplay::dynamics
