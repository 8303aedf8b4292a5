// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/film.hpp"
#include "films/reynolds/reynolds_grid.hpp"

#include <span>

// The Reynolds equation of a finite journal bearing by finite volumes, theory/films (F.22).
//
// Everything is in units of the bearing: angle around, z/L along, film u = h/c, pressure
// P = p c^3/(eta R^2), which is in m/s like its source:
//
//     d/dth(u^3 dP/dth) + (R/L)^2 d/dz(u^3 dP/dz) = -12 V.r,   V = e' - mean spin z x e.
//
// The force on the journal is -(eta R^3 L/c^3) times the integral of P r. Nodes lie on the edges of
// grooves and on both ends of the bearing, where the pressure is given; the thickness is taken on
// the faces between nodes. A journal parallel to its bearing is solved on half its length.
namespace freeplay::films {

enum class Cavitation {
  full_film,        ///< oil bears tension (Sommerfeld)
  guembel,          ///< negative pressures are cut off afterwards
  swift_stieber,    ///< p >= 0 as a complementarity problem (Reynolds condition)
  mass_conserving,  ///< Jakobsson, Floberg & Olsson: what flows in flows out
};

struct ReynoldsSettings {
  int around = 64, along = 16;  ///< intervals; `along` even
  Cavitation cavitation = Cavitation::swift_stieber;
  std::vector<Groove> grooves;
  double radius = 0, length = 0, clearance = 0;  ///< m
  double viscosity = 0;                          ///< Pa s
  double minimum_film = 0;                       ///< m
  double supply_pressure = 0;   ///< in the grooves, over the cavitation pressure; Pa
  double ambient_pressure = 0;  ///< at the ends; Pa
  double compliance = 0;        ///< of an elastic liner: thickness gained per pressure; m/Pa
  double roughness = 0;         ///< standard deviation of both surfaces together; 0: smooth; m
  bool full_shear = false;      ///< cavitated oil drags like a full film
  OutOfRound bearing, journal;  ///< empty: round
};

/// Partial derivatives of one number: with respect to e (x, y; m), V (x, y; m/s), the slip (rad/s)
/// and, for a tilted journal, to the slopes of e and of V along the axis; for a parallel one to its
/// turn (rad).
using FilmGradient = std::array<double, 9>;

/// What comes out of a solution.
struct ReynoldsResult {
  double fx = 0, fy = 0;  ///< on the journal; N
  double mx = 0, my = 0;  ///< of a tilted journal; N m
  double shear = 0;       ///< integral of 1/u over angle and z/L where oil is sheared
  double twist = 0;       ///< what pressure on surfaces out of round adds to the torque; N m
  FilmGradient dfx{}, dfy{}, dmx{}, dmy{}, dshear{}, dtwist{};
  double max_pressure = 0;        ///< Pa
  double max_pressure_angle = 0;  ///< rad
  double side_flow = 0;           ///< out of both ends; m^3/s
  double min_film = 0;            ///< m
  double wet_share = 0;           ///< of the area, with full film
  int sweeps = 0;                 ///< linear solves
  bool converged = true;
};

class JournalReynolds {
 public:
  explicit JournalReynolds(const ReynoldsSettings& settings);

  [[nodiscard]] const ReynoldsSettings& settings() const { return settings_; }
  [[nodiscard]] bool round() const { return !settings_.bearing && !settings_.journal; }
  /// The thinnest film of the geometry, negative under contact; m.
  [[nodiscard]] double thinnest(double ex, double ey, double turn) const;
  [[nodiscard]] int nodes_around() const { return grid_.size(); }
  [[nodiscard]] std::span<const double> angles() const { return grid_.angle; }

  /// A parallel journal. `ex`, `ey` in m, velocity seen from the frame of the mean spin in m/s;
  /// `slip` = (spin_inner - spin_outer)/2 in rad/s carries voids and the dents of a liner along.
  /// The voids of a mass-conserving film are those that this motion would keep up for ever.
  /// `turn`: of a journal that is out of round, rad.
  /// Without `gradients` the partial derivatives stay zero and a third of the work is saved.
  [[nodiscard]] ReynoldsResult solve(double ex, double ey, double vx, double vy, double slip = 0,
                                     bool gradients = true, double turn = 0) const;
  /// A tilted journal, of the conditions without memory: slopes of e and of V along the axis.
  [[nodiscard]] ReynoldsResult solve_tilted(double ex, double ey, double vx, double vy,
                                            double slope_x, double slope_y, double slope_vx,
                                            double slope_vy, bool gradients = true) const;

  /// The film with memory: voids as shares of the clearance, states() numbers, `dt` after `before`
  /// by implicit Euler.
  [[nodiscard]] std::size_t states() const;
  [[nodiscard]] ReynoldsResult solve_step(double ex, double ey, double vx, double vy, double slip,
                                          std::span<const double> before, double dt,
                                          std::span<double> after, bool gradients = true) const;

  /// An elastic bearing: `compliance` gives the thickness gained at node a per pressure at node b,
  /// states() x states() numbers, row by row; m/Pa. `solve` iterated to a relative change of
  /// 1e-8 of the thickness.
  [[nodiscard]] ReynoldsResult solve_elastic(double ex, double ey, double vx, double vy,
                                             double slip, std::span<const double> compliance) const;

  /// Pressure at every node of the last solution of this thread for a parallel or a tilted journal,
  /// [angle][0 ... along]; Pa.
  [[nodiscard]] std::vector<double> pressure(bool tilted = false) const;
  /// Share of oil at the same nodes, 1 where the film is full.
  [[nodiscard]] std::vector<double> content() const;

  struct Work;  ///< scratch of one thread; dropping it changes speed, never results
  struct Problem;
  class Solution;

 private:
  [[nodiscard]] Work& work(bool tilted) const;
  [[nodiscard]] ReynoldsResult run(const Problem& problem) const;

  ReynoldsSettings settings_;
  ReynoldsGrid grid_;
  unsigned long long id_ = 0;  // tells the work areas of several bearings apart
};

}  // namespace freeplay::films
