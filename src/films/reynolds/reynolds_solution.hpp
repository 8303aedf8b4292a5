// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/reynolds/cyclic_band.hpp"
#include "films/reynolds/journal_reynolds.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

// One solution of the Reynolds equation of a journal bearing, in the order of its steps:
//
//     reynolds_gaps.cpp      how easily oil flows between neighbouring nodes
//     reynolds_sweeps.cpp    pressures, voids and the set of wet nodes
//     reynolds_force.cpp     force and moment
//     reynolds_gradient.cpp  their derivatives by the motion
//     reynolds_readings.cpp  shear, and what else a designer asks for
//
// Nodes are numbered k * b + j: angle k of n, line j of b along the axis.
namespace freeplay::films {

/// One call.
struct JournalReynolds::Problem {
  /// Whether the answer is a function of the numbers alone.
  [[nodiscard]] bool plain() const { return before.empty() && after.empty() && dent.empty(); }
  [[nodiscard]] std::array<double, 10> numbers() const {
    return {ax, ay, vx, vy, slope_ax, slope_ay, slope_vx, slope_vy, slip, turn};
  }

  double ax, ay, vx, vy;                                          // e/c, V
  double slope_ax = 0, slope_ay = 0, slope_vx = 0, slope_vy = 0;  // per z/L
  double slip = 0;
  double turn = 0;  // of a journal out of round
  bool tilted = false;
  bool gradients = true;
  std::span<const double> before = {};  // voids
  double dt = std::numeric_limits<double>::infinity();
  std::span<double> after = {};
  std::span<const double> dent = {};  // further thickness, share of the clearance
};

/// The lines along the axis that are solved for: half of them, up to the middle, when the journal
/// is parallel.
struct JournalReynolds::Work {
  unsigned long long id = 0;
  unsigned long long used = 0;
  int rows = 0;
  CyclicBand matrix;
  std::vector<double> z, weight, simpson;  // of a row: place, control volume, integral
  std::vector<double> P, D, rhs, columns;  // pressure, void; right-hand sides
  std::vector<double> pull_x, pull_y;      // derivative of the force by the pressure of a node
  std::vector<double> pull_twist;          // likewise
  std::vector<double> around, along;       // conductances: to the next angle, to the next row
  std::vector<double> d_around, d_along;   // their derivative by the thickness
  std::vector<double> u, du;               // thickness at the nodes and slope of its floor
  // Surfaces out of round, at every angle, in clearances: the thickness they add at the node and on
  // the face after it; what its control volume gains in w_b + w_j, whose slope the node has.
  std::vector<double> lift, lift_face, wedge, slope;
  // The derivatives of these by the turn of the journal.
  std::vector<double> turned, turned_face, turned_wedge, bend;
  std::vector<char> wet;
  std::vector<int> first;  // equation of the first row at an angle
  // The last answer: what is recorded of a state was solved for by its evaluation just before.
  std::array<double, 10> asked{};
  bool answered = false, with_gradients = false;
  ReynoldsResult answer;
};

class JournalReynolds::Solution {
 public:
  /// Places in the FilmGradient of a parallel journal.
  static constexpr int kSlip = 4, kTurn = 5;

  Solution(const JournalReynolds& bearing, const Problem& problem, Work& work);

  ReynoldsResult compute();

 private:
  void begin();
  void sweep_until_settled();
  void integrate_force();
  void differentiate();
  void read();

  /// Surfaces that are out of round, at the present turn.
  void lay_out();
  /// Conductances at the present pressures.
  void measure();
  // Of the sweeps.
  struct Equation;
  struct Moved {
    bool set;      // the set of wet nodes
    bool settled;  // the pressures
  };
  void cut_the_ring();
  void assemble();
  [[nodiscard]] double yielding_step() const;
  [[nodiscard]] Moved update(double step);
  [[nodiscard]] bool wet_again();
  // Of the derivatives.
  void fill_columns();
  void add_columns();
  // Of the readings.
  [[nodiscard]] double oil_share(int i, bool wet) const;
  [[nodiscard]] double side_flow_at(int k, int j) const;

  [[nodiscard]] int number(int k, int j) const { return w.first[at(k)] + j; }
  [[nodiscard]] double* column(int k, int j) { return &w.columns[at(number(k, j) * K)]; }
  /// Whether the pressure of node i at angle k is given.
  [[nodiscard]] bool given(int k, int i) const {
    return g.supplied[at(k)] || (!w.wet[at(i)] && !conserving);
  }
  /// How much the surface has yielded at a node.
  [[nodiscard]] double dent_at(int i) const {
    return kappa * w.P[at(i)] + (q.dent.empty() ? 0.0 : q.dent[at(i)]);
  }
  [[nodiscard]] double pressure_at(int k, int j) const {
    return j < 0 || j >= b ? ambient : w.P[at(k * b + j)];
  }
  /// What the motion displaces.
  [[nodiscard]] double source(int k, int j) const {
    const double vx = q.vx + q.slope_vx * w.z[at(j)], vy = q.vy + q.slope_vy * w.z[at(j)];
    const double push = vx * g.sx[at(k)] + vy * g.sy[at(k)];
    return 12 * per_row * w.weight[at(j)] *
           (round ? push : push - q.slip * s.clearance * w.wedge[at(k)]);
  }
  [[nodiscard]] int next_of(int k) const { return k + 1 < n ? k + 1 : 0; }
  [[nodiscard]] int previous_of(int k) const { return k > 0 ? k - 1 : n - 1; }
  /// Where the moving surface comes from.
  [[nodiscard]] int upstream_of(int k) const { return carry >= 0 ? previous_of(k) : next_of(k); }

  const ReynoldsSettings& s;
  const ReynoldsGrid& g;
  const Problem& q;
  Work& w;
  const int n, b, m, size;
  const bool conserving, complementary;
  const double to_pressure;      // P -> p
  const double supply, ambient;  // P
  const double kappa;            // du/dP of a liner
  const double floor, sigma;     // least thickness, roughness
  const double aspect, per_row;
  const double carry, storage;  // of voids
  const bool elastic, round;
  // At rest any set of wet nodes solves the problem without pressure. The derivative is the mean of
  // both sides: half that of a full film.
  const bool resting;
  const double unit;  // of force
  // Derivatives: 4 for e and V, one more for the slip if it counts, then 4 for a tilt or one for
  // the turn of a journal out of round. Even numbers of columns fill the registers.
  const int columns, K;
  // From the units inside to those of a FilmGradient; slopes are per z/L inside, per metre outside:
  // de/dz = (c/L) d(e/c)/d(z/L).
  std::array<double, 9> scale, lever;

  ReynoldsResult out;
};

}  // namespace freeplay::films
