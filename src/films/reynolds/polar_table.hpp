// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/film.hpp"

#include <functional>
#include <memory>
#include <numbers>

// A film without memory and without grooves is a function of two numbers: its force grows in
// proportion to the speed, turns with the line of centres and mirrors with the motion. What is left
// is the eccentricity ratio and the angle between motion and line of centres, which a table holds.
namespace freeplay::films {

class PolarTable {
 public:
  /// Radial force, tangential force, shear, largest pressure and wet share for a ratio and a
  /// velocity along and across the line of centres (a unit vector).
  using Row = std::array<double, 5>;
  using Solve = std::function<Row(double ratio, double along, double across)>;
  /// Ratios from 0 to `largest` < 1, on `ratios` x `angles` points.
  PolarTable(double largest, int ratios, int angles, const Solve& solve);

  template <class T>
  struct Out {
    Planar<T> force;
    T shear;
  };
  /// `ax`, `ay`: eccentricity ratio, at most `largest` long; `vx`, `vy`: velocity, m/s.
  template <class T>
  [[nodiscard]] Out<T> evaluate(const T& ax, const T& ay, const T& vx, const T& vy) const {
    using std::atan2, std::sqrt;
    const T speed2 = vx * vx + vy * vy, ratio2 = ax * ax + ay * ay;
    if (value_of(speed2) == 0) {
      // No derivative at rest; the isotropic resistance of the centre is the mean there.
      const Sample s = look_up(std::sqrt(value_of(ratio2)), 0.5 * std::numbers::pi);
      const double k = look_up(0, 0).radial;
      return {{k * vx, k * vy}, T(s.shear)};
    }
    const T speed = sqrt(speed2);
    const T wx = vx / speed, wy = vy / speed;
    const bool centred = value_of(ratio2) < 1e-18;
    // At the centre any direction serves; that of the motion does not divide by zero.
    const T ratio = centred ? T(0.0) : sqrt(ratio2);
    const T nx = centred ? wx : ax / ratio, ny = centred ? wy : ay / ratio;
    const T along = nx * wx + ny * wy, across = nx * wy - ny * wx;
    const bool mirrored = value_of(across) < 0;
    const T angle = atan2(mirrored ? -across : across, along);
    const Sample s = look_up(value_of(ratio), value_of(angle));
    const std::array<T, 2> at{ratio, angle};
    const T radial = chained(s.radial, std::array{s.radial_ratio, s.radial_angle}, at);
    T tangential = chained(s.tangential, std::array{s.tangential_ratio, s.tangential_angle}, at);
    if (mirrored) tangential = -tangential;
    return {{speed * (nx * radial - ny * tangential), speed * (ny * radial + nx * tangential)},
            chained(s.shear, std::array{s.shear_ratio, s.shear_angle}, at)};
  }

  struct Seen {
    double max_pressure, wet_share;
  };
  /// The rest of the row, at arguments as of `evaluate`.
  [[nodiscard]] Seen observe(double ax, double ay, double vx, double vy) const;

  /// Tangential force per speed across, for motion (almost) along the line of centres.
  [[nodiscard]] double across_resistance(double ratio, double along) const {
    const Sample s = look_up(ratio, along < 0 ? std::numbers::pi : 0.0);
    return along < 0 ? -s.tangential_angle : s.tangential_angle;
  }

 private:
  struct Sample {
    double radial, tangential, shear;
    double radial_ratio, tangential_ratio, shear_ratio;
    double radial_angle, tangential_angle, shear_angle;
  };
  [[nodiscard]] Sample look_up(double ratio, double angle) const;
  struct Place;   // weights of the neighbours of a point
  struct Number;  // interpolated, with its derivatives
  [[nodiscard]] Place place(double ratio, double angle) const;
  [[nodiscard]] Number number(std::size_t which, const Place& at) const;

  // Ratios are stretched towards 1: ratio = largest x, with x = 1 - (1 - s)^2 on an even grid of s;
  // forces are kept divided by their growth there.
  double largest_;
  int ratios_, angles_;
  std::array<std::vector<double>, 5> values_;
};

/// The table for a key, which must say everything that `solve` depends on: solved for once in the
/// life of the program, then shared by all runs and threads.
[[nodiscard]] std::shared_ptr<const PolarTable> shared_table(const std::vector<double>& key,
                                                             double largest, int ratios, int angles,
                                                             const PolarTable::Solve& solve);

}  // namespace freeplay::films
