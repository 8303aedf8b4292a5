// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <functional>
#include <optional>
#include <vector>

// Dynamical systems as the chaos tools see them: a map, or a flow that may jump at impacts. Small
// and explicit, for models written down by hand (verification/cases E); whole mechanisms are
// followed by run().
namespace freeplay::study {

/// x -> step(x), with its Jacobian. Matrices are row by row: J[i * size + k] = d f_i / d x_k.
struct Map {
  int size = 1;
  std::function<void(const double* x, double* next)> step;
  std::function<void(const double* x, double* J)> jacobian;
};

/// What happens where `distance` falls through zero: the state jumps to reset(t, x). All partial
/// derivatives are needed to carry small deviations through it, theory/chaos (L.4).
struct Impacts {
  std::function<double(double t, const VecX& x)> distance;      ///< g
  std::function<VecX(double t, const VecX& x)> gradient;        ///< g_x
  std::function<double(double t, const VecX& x)> drift;         ///< g_t; empty: 0
  std::function<VecX(double t, const VecX& x)> reset;           ///< R
  std::function<MatX(double t, const VecX& x)> reset_jacobian;  ///< R_x
  std::function<VecX(double t, const VecX& x)> reset_drift;     ///< R_t; empty: 0
};

/// x' = rate(t, x), with its Jacobian (layout as in Map).
struct Flow {
  int size = 1;
  std::function<void(double t, const double* x, double* f)> rate;
  std::function<void(double t, const double* x, double* J)> jacobian;
  std::optional<Impacts> impacts = {};
};

/// S = R_x + (f+ - R_x f- - R_t) g_x / (g_x f- + g_t): how a small deviation before an impact
/// becomes one after it, taking into account that it arrives at another instant.
[[nodiscard]] MatX saltation(const Flow& flow, double t, const VecX& before);

/// A flow on its way, with any number of small deviations carried along (columns of `tangent`).
/// Classical Runge-Kutta steps; impacts are located inside them, also those that only just graze.
class Trajectory {
 public:
  Trajectory(const Flow& flow, double t, const VecX& x, int deviations);

  /// Advances to t_end in steps of at most `step`.
  void advance(double t_end, double step);

  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] VecX state() const;
  [[nodiscard]] int deviations() const { return deviations_; }
  /// Deviation k, `size` numbers.
  [[nodiscard]] double* deviation(int k) { return z_.data() + (k + 1) * n_; }
  void set_state(const VecX& x);

  [[nodiscard]] int impact_count() const { return impact_count_; }
  /// Impacts so slow that the saltation matrix is not bounded in practice; their effect on the
  /// deviations was left out.
  [[nodiscard]] int grazing_count() const { return grazing_count_; }

 private:
  void rates(double t, const double* z, double* f);
  void runge_kutta(double h, std::vector<double>& out);
  [[nodiscard]] double distance(double t, const std::vector<double>& z) const;
  [[nodiscard]] double distance_rate(double t, const std::vector<double>& z);
  [[nodiscard]] std::optional<double> impact_within(double h);
  void jump();

  const Flow& flow_;
  int n_, deviations_;
  double t_;
  std::vector<double> z_, next_, J_, k1_, k2_, k3_, k4_, mid_, probe_;
  int impact_count_ = 0, grazing_count_ = 0;
  bool just_jumped_ = false;
};

/// Deviations after one period, as a matrix, through all impacts on the way; its eigenvalues are
/// the Floquet multipliers of a periodic orbit.
[[nodiscard]] MatX monodromy(const Flow& flow, double t, const VecX& x, double period, double step);

/// A periodic orbit of a map and the Jacobian of the whole round.
struct Cycle {
  bool found = false;
  VecX point;
  MatX multiplier;
};
/// Newton's method for the orbit of that period near `guess`.
[[nodiscard]] Cycle find_cycle(const Map& map, const VecX& guess, int period);

}  // namespace freeplay::study
