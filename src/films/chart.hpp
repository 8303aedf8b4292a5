// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/film_laws.hpp"

#include <array>
#include <optional>

// The chart of a journal bearing under a steady load: where the journal runs, what it costs, and
// how the film answers small motions. Axes: x along the load on the journal, y 90 degrees ahead of
// it in the sense of rotation.
namespace freeplay::films {

struct BearingCase {
  FilmLaw law;  ///< a journal law; grooves as it says, unless `inlet_at_widest_gap`
  FilmSite site;
  double speed = 0;  ///< of the journal; rad/s, > 0
  double bearing_speed = 0;
  /// A line of supply where the gap is widest, as in Raimondi & Boyd's charts. Otherwise groove
  /// angles count from the direction of the load.
  bool inlet_at_widest_gap = false;
  /// Laws solved numerically: finer grids until the load is known to kLoadError and the
  /// cross-coupled stiffness to kStiffnessError, or the finest allowed grid is reached.
  bool refine = false;
};
inline constexpr double kLoadError = 0.005, kStiffnessError = 0.03;

struct BearingPoint {
  double ratio = 0;       ///< eccentricity over clearance
  double attitude = 0;    ///< of the eccentricity, ahead of the load; rad
  double load = 0;        ///< N
  double sommerfeld = 0;  ///< S = eta N L D (R/c)^2/W, N in revolutions per second
  double friction = 0;    ///< (R/c) torque on the journal/(R W)
  double torque = 0;      ///< against the rotation of the journal; N m
  double power = 0;       ///< turned into heat; W
  double min_film = 0;    ///< m
  /// Out of both ends, m^3/s; largest pressure, Pa. Not every closed form knows them: NaN.
  double side_flow = 0, max_pressure = 0;
  /// k_ij = -dF_i/dx_j, N/m, and c_ij = -dF_i/dx'_j, N s/m: xx, xy, yx, yy.
  std::array<double, 4> stiffness{}, damping{};
  /// k c/W and c c w/W.
  std::array<double, 4> stiffness_number{}, damping_number{};
  /// Mass above which a rigid journal whirls, kg; infinite if it never does.
  double critical_mass = 0;
  /// Of a law solved numerically: the grid it was solved on, and what halving the number of
  /// intervals changes, relative. Closed forms have no grid: 0 and NaN. An error that cannot be
  /// estimated, because the grid is too coarse to be halved, is NaN as well.
  int cells_around = 0, cells_along = 0;
  double load_error = 0, stiffness_error = 0;
};

/// The point of a given eccentricity ratio, 0 < ratio < 1. Nothing if no attitude holds the load.
[[nodiscard]] std::optional<BearingPoint> point_at_ratio(const BearingCase& bearing, double ratio);
/// The point of a given load, N. Nothing if it does not lie between the ratios 1e-4 and 0.999, or,
/// with grooves, if a massless journal under this load does not come to rest below 0.999.
[[nodiscard]] std::optional<BearingPoint> point_at_load(const BearingCase& bearing, double load);

}  // namespace freeplay::films
