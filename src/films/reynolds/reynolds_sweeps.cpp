// SPDX-License-Identifier: Apache-2.0
#include "films/reynolds/reynolds_solution.hpp"

#include <algorithm>

namespace freeplay::films {
namespace {

// Sets of wet nodes change by a few nodes from one sweep to the next; none of the shipped cases
// needs more than 20.
constexpr int kMaxSweeps = 100;

}  // namespace

/// Starts from the wet set at hand.
void JournalReynolds::Solution::begin() {
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < b; ++j) {
      const int i = k * b + j;
      if (g.supplied[at(k)]) {
        w.wet[at(i)] = 0;
        w.P[at(i)] = supply;
        w.D[at(i)] = 0;
      } else if (!complementary) {
        w.wet[at(i)] = 1;
      }
      if (!w.wet[at(i)] && !g.supplied[at(k)]) w.P[at(i)] = 0;
      if (!conserving) w.D[at(i)] = 0;
    }
  measure();
  if (resting)
    for (int i = 0; i < size; ++i)
      if (!g.supplied[at(i / b)]) {
        w.wet[at(i)] = 1;
        w.P[at(i)] = w.D[at(i)] = 0;
      }
}

/// Equations are numbered from the node behind a cut, whose line comes last: where no line of oil
/// crosses the ring, if there is such a place.
void JournalReynolds::Solution::cut_the_ring() {
  int cut = n - 1;
  bool bordered = true;
  for (int k = 0; k < n && bordered; ++k) {
    bool isolated = true;
    for (int j = 0; j < b && isolated; ++j)
      isolated = !w.wet[at(k * b + j)] && (!conserving || g.supplied[at(k)]);
    if (isolated) {
      cut = k;
      bordered = false;
    }
  }
  for (int k = 0; k < n; ++k) w.first[at(k)] = ((k - cut - 1 + 2 * n) % n) * b;
  w.matrix.clear(bordered);
}

/// The equation of one node: conductances times pressure differences, minus source, minus what
/// voids carry and store (theory/films (F.23), with the void D = (1 - content) u as unknown: the
/// full film then has no upwinding at all).
struct JournalReynolds::Solution::Equation {
  Solution& in;
  const int k, j, i = k * in.b + j, row = in.number(k, j);
  double own = 0, known = in.source(k, j);

  void flow_through(double conductance, double slope, int other_k, int other_j) {
    if (conductance == 0) return;
    Work& work = in.w;
    const bool inside = other_j >= 0 && other_j < in.b;
    const int other = other_k * in.b + other_j;
    own += conductance;
    double coupling = -conductance;
    if (in.kappa > 0) {
      const double bend =
          0.5 * slope * in.kappa * (work.P[at(i)] - in.pressure_at(other_k, other_j));
      own += bend;
      coupling += inside ? bend : 0.0;
      known += bend * (work.P[at(i)] + (inside ? work.P[at(other)] : 0.0));
    }
    if (inside && work.wet[at(other)])
      work.matrix.add(row, in.number(other_k, other_j), coupling);
    else
      known -= coupling * in.pressure_at(other_k, other_j);
  }

  void flow_to_neighbours() {
    const Work& work = in.w;
    const int back = in.previous_of(k) * in.b + j, face = k * (in.b + 1) + j;
    flow_through(work.around[at(i)], work.d_around[at(i)], in.next_of(k), j);
    flow_through(work.around[at(back)], work.d_around[at(back)], in.previous_of(k), j);
    flow_through(work.along[at(face)], work.d_along[at(face)], k, j - 1);
    flow_through(work.along[at(face + 1)], work.d_along[at(face + 1)], k, j + 1);
  }

  /// The moving surface drags oil through the dents, which are taken from upstream: thin films are
  /// carried by it more than by pressure, and central differences would ring.
  void dents() {
    Work& work = in.w;
    const double wedge = std::abs(in.carry) * work.weight[at(j)];
    const int upstream = in.upstream_of(k), other = upstream * in.b + j;
    if (!in.q.dent.empty()) known -= wedge * (in.q.dent[at(i)] - in.q.dent[at(other)]);
    own += wedge * in.kappa;
    if (work.wet[at(other)])
      work.matrix.add(row, in.number(upstream, j), -wedge * in.kappa);
    else
      known += wedge * in.kappa * work.P[at(other)];
  }

  void voids() {
    Work& work = in.w;
    const double drift = std::abs(in.carry) * work.weight[at(j)];
    const double store = in.storage * in.g.share[at(k)] * work.weight[at(j)];
    const int upstream = in.upstream_of(k), other = upstream * in.b + j;
    if (drift > 0 && !work.wet[at(other)] && !in.g.supplied[at(upstream)])
      work.matrix.add(row, in.number(upstream, j), drift);
    if (!in.q.before.empty()) known -= store * in.q.before[at(i)];
    // Without drift and storage a void has no scale of its own; any will do.
    if (!work.wet[at(i)])
      own = -(drift + store > 0 ? drift + store : 12 * in.s.clearance * in.per_row);
  }
};

void JournalReynolds::Solution::assemble() {
  cut_the_ring();
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < b; ++j) {
      const int i = k * b + j;
      if (given(k, i)) {
        const int row = number(k, j);
        w.matrix.add(row, row, 1);
        w.rhs[at(row)] = w.P[at(i)];
        continue;
      }
      Equation e{*this, k, j};
      e.flow_to_neighbours();
      if (elastic) e.dents();
      if (conserving) e.voids();
      w.matrix.add(e.row, e.row, e.own);
      w.rhs[at(e.row)] = e.known;
    }
}

/// A liner yields in steps: no node may lose half its film at once, or gain more than it has (or a
/// tenth of the clearance, where there is none).
double JournalReynolds::Solution::yielding_step() const {
  double step = 1;
  if (kappa == 0) return step;
  for (int i = 0; i < size; ++i)
    if (w.wet[at(i)]) {
      const double bend = kappa * (w.rhs[at(number(i / b, i % b))] - w.P[at(i)]);
      const double allowed = bend > 0 ? std::max(w.u[at(i)], 0.1) : 0.5 * w.u[at(i)];
      step = std::min(step, allowed / (std::abs(bend) + 1e-300));
    }
  return out.sweeps > 30 ? 0.5 * step : step;
}

/// Takes over what was solved for. Negative pressures dry a node, negative voids wet it.
JournalReynolds::Solution::Moved JournalReynolds::Solution::update(double step) {
  double change = 0, size_of_P = 0;
  bool moved = false;
  for (int k = 0; k < n; ++k) {
    if (g.supplied[at(k)]) continue;
    for (int j = 0; j < b; ++j) {
      const int i = k * b + j;
      const double x = w.rhs[at(number(k, j))];
      if (w.wet[at(i)]) {
        change = std::max(change, std::abs(x - w.P[at(i)]));
        size_of_P = std::max(size_of_P, std::abs(x));
        w.P[at(i)] += step * (x - w.P[at(i)]);
        w.D[at(i)] = 0;
        if (complementary && w.P[at(i)] < 0 && !resting) {
          w.wet[at(i)] = 0;
          w.P[at(i)] = 0;
          moved = true;
        }
      } else if (conserving) {
        w.D[at(i)] = x;
        if (x < 0) {
          w.wet[at(i)] = 1;
          w.D[at(i)] = 0;
          moved = true;
        }
      }
    }
  }
  return {moved, kappa == 0 || change <= 1e-11 * size_of_P};
}

/// A dry node gets wet again where oil piles up.
bool JournalReynolds::Solution::wet_again() {
  bool moved = false;
  for (int k = 0; k < n; ++k) {
    if (g.supplied[at(k)]) continue;
    const int next = next_of(k), previous = previous_of(k);
    for (int j = 0; j < b; ++j) {
      const int i = k * b + j;
      if (w.wet[at(i)] || w.rhs[at(number(k, j))] != 0) continue;
      double inflow = source(k, j);
      inflow += w.around[at(i)] * w.P[at(next * b + j)];
      inflow += w.around[at(previous * b + j)] * w.P[at(previous * b + j)];
      inflow += w.along[at(k * (b + 1) + j)] * pressure_at(k, j - 1);
      inflow += w.along[at(k * (b + 1) + j + 1)] * pressure_at(k, j + 1);
      if (elastic)
        inflow -=
            std::abs(carry) * w.weight[at(j)] * (dent_at(i) - dent_at(upstream_of(k) * b + j));
      if (inflow > 0) {
        w.wet[at(i)] = 1;
        moved = true;
      }
    }
  }
  return moved;
}

void JournalReynolds::Solution::sweep_until_settled() {
  for (;;) {
    assemble();
    if (!w.matrix.factor()) {
      out.converged = false;
      break;
    }
    w.matrix.solve<1>(w.rhs.data());
    ++out.sweeps;
    auto [moved, settled] = update(yielding_step());
    if (resting) break;
    if (complementary && !conserving) moved = wet_again() || moved;
    if (!moved && settled) break;
    if (out.sweeps >= kMaxSweeps) {
      out.converged = false;
      break;
    }
    if (kappa > 0) measure();
  }
  if (!out.converged) {
    // Start afresh next time.
    std::fill(w.wet.begin(), w.wet.end(), char{1});
  }
  if (kappa > 0) measure();
}

}  // namespace freeplay::films
