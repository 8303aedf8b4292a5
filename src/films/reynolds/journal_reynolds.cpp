// SPDX-License-Identifier: Apache-2.0
#include "films/reynolds/journal_reynolds.hpp"

#include "films/gap_floor.hpp"
#include "films/reynolds/cyclic_band.hpp"
#include "films/roughness.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numbers>

namespace freeplay::films {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kSlip = 4;  // place of the slip in a FilmGradient

// Sets of wet nodes change by a few nodes from one sweep to the next; none of the shipped cases
// needs more than 20.
constexpr int kMaxSweeps = 100;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

/// One call.
struct JournalReynolds::Problem {
  /// Whether the answer is a function of the numbers alone.
  [[nodiscard]] bool plain() const { return before.empty() && after.empty() && dent.empty(); }
  [[nodiscard]] std::array<double, 9> numbers() const {
    return {ax, ay, vx, vy, slope_ax, slope_ay, slope_vx, slope_vy, slip};
  }

  double ax, ay, vx, vy;                                          // e/c, V
  double slope_ax = 0, slope_ay = 0, slope_vx = 0, slope_vy = 0;  // per z/L
  double slip = 0;
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
  std::vector<double> z, weight, simpson;        // of a row: place, control volume, integral
  std::vector<double> P, D, next, rhs, columns;  // pressure, void; solution, right-hand sides
  std::vector<double> around, along;             // conductances: to the next angle, to the next row
  std::vector<double> d_around, d_along;         // their derivative by the thickness
  std::vector<double> u, du;                     // thickness at the nodes and slope of its floor
  std::vector<char> wet;
  std::vector<int> first;  // equation of the first row at an angle
  // The last answer: what is recorded of a state was solved for by its evaluation just before.
  std::array<double, 9> asked{};
  bool answered = false, with_gradients = false;
  ReynoldsResult answer;
};

JournalReynolds::Work& JournalReynolds::work(bool tilted) const {
  // A few bearings per thread keep their wet set from call to call. Which one is at hand changes
  // the number of sweeps, not the set they end in.
  thread_local std::vector<Work> areas;
  thread_local unsigned long long clock = 0;
  const unsigned long long id = 2 * id_ + (tilted ? 1 : 0);
  for (Work& w : areas)
    if (w.id == id) {
      w.used = ++clock;
      return w;
    }
  Work* chosen = nullptr;
  if (areas.size() < 32) {
    chosen = &areas.emplace_back();
  } else {
    chosen = &*std::min_element(areas.begin(), areas.end(),
                                [](const Work& a, const Work& b) { return a.used < b.used; });
    *chosen = Work{};
  }
  Work& w = *chosen;
  w.id = id;
  w.used = ++clock;
  const int m = settings_.along, n = nodes_around();
  w.rows = tilted ? m - 1 : m / 2;
  for (int j = 1; j <= w.rows; ++j) {
    const bool middle = !tilted && j == m / 2;
    w.z.push_back(-0.5 + static_cast<double>(j) / m);
    w.weight.push_back(middle ? 0.5 : 1.0);
    w.simpson.push_back((j % 2 == 1 ? 4.0 : 2.0) / (3.0 * m) * (tilted || middle ? 1.0 : 2.0));
  }
  const std::size_t size = at(n * w.rows), faces = at(n * (w.rows + 1));
  w.matrix.resize(n, w.rows);
  for (auto* v : {&w.P, &w.D, &w.next, &w.rhs, &w.around, &w.d_around, &w.u, &w.du})
    v->assign(size, 0.0);
  w.along.assign(faces, 0.0);
  w.d_along.assign(faces, 0.0);
  w.columns.assign(size * 10, 0.0);
  w.wet.assign(size, 1);
  return w;
}

JournalReynolds::JournalReynolds(const ReynoldsSettings& settings) : settings_(settings) {
  static std::atomic<unsigned long long> count{0};
  id_ = ++count;
  // Arcs between groove edges are divided evenly, so that edges are nodes.
  std::vector<std::pair<double, double>> grooves;  // edges
  for (const Groove& g : settings.grooves)
    grooves.emplace_back(g.centre - 0.5 * g.width, g.centre + 0.5 * g.width);
  std::sort(grooves.begin(), grooves.end());
  const double target = 2 * kPi / settings.around;
  const auto divide = [&](double from, double to, bool supplied, bool closed) {
    const int parts =
        std::max(supplied ? 1 : 2, static_cast<int>(std::lround((to - from) / target)));
    for (int i = 0; i < parts; ++i) {
      angle_.push_back(from + (to - from) * i / parts);
      supplied_.push_back(supplied || (i == 0 && closed));
    }
  };
  if (grooves.empty()) {
    divide(0, 2 * kPi, false, false);
  } else {
    for (std::size_t g = 0; g < grooves.size(); ++g) {
      const auto [from, to] = grooves[g];
      const double next =
          g + 1 < grooves.size() ? grooves[g + 1].first : grooves.front().first + 2 * kPi;
      if (to > from) divide(from, to, true, true);
      divide(to, next, false, true);
    }
  }
  const int n = nodes_around();
  step_.resize(at(n));
  share_.resize(at(n));
  for (int k = 0; k < n; ++k)
    step_[at(k)] =
        k + 1 < n ? angle_[at(k + 1)] - angle_[at(k)] : angle_[0] + 2 * kPi - angle_[at(k)];
  for (int k = 0; k < n; ++k) {
    const double before = step_[at((k + n - 1) % n)], after = step_[at(k)], a = angle_[at(k)];
    share_[at(k)] = 0.5 * (before + after);
    cos_.push_back(std::cos(a));
    sin_.push_back(std::sin(a));
    cos_face_.push_back(std::cos(a + 0.5 * after));
    sin_face_.push_back(std::sin(a + 0.5 * after));
    const double left = a - 0.5 * before, right = a + 0.5 * after;
    sx_.push_back(std::sin(right) - std::sin(left));
    sy_.push_back(std::cos(left) - std::cos(right));
  }
}

std::size_t JournalReynolds::states() const { return at(nodes_around() * (settings_.along / 2)); }

ReynoldsResult JournalReynolds::run(const Problem& q) const {
  Work& w = work(q.tilted);
  if (q.plain() && w.answered && w.asked == q.numbers() && (w.with_gradients || !q.gradients))
    return w.answer;
  ReynoldsResult out = compute(q, w);
  w.answered = q.plain();
  w.asked = q.numbers();
  w.with_gradients = q.gradients;
  w.answer = out;
  return out;
}

ReynoldsResult JournalReynolds::compute(const Problem& q, Work& w) const {
  const ReynoldsSettings& s = settings_;
  const int n = nodes_around(), b = w.rows, m = s.along, size = n * b;
  const bool conserving = s.cavitation == Cavitation::mass_conserving && !q.tilted;
  const bool complementary = conserving || s.cavitation == Cavitation::swift_stieber ||
                             s.cavitation == Cavitation::mass_conserving;
  const double to_pressure =
      s.viscosity * s.radius * s.radius / (s.clearance * s.clearance * s.clearance);  // P -> p
  const double supply = s.supply_pressure / to_pressure, ambient = s.ambient_pressure / to_pressure;
  const double kappa = s.compliance * to_pressure / s.clearance;  // du/dP
  const double floor = s.minimum_film / s.clearance;
  const double sigma = s.roughness / s.clearance;
  const double aspect = s.radius / s.length, per_row = 1.0 / m;
  const double carry = 12 * s.clearance * q.slip * per_row;
  const double storage = std::isfinite(q.dt) ? 12 * s.clearance / q.dt * per_row : 0.0;
  const bool elastic = kappa > 0 || !q.dent.empty();

  // Equations are numbered from the node behind `cut`, whose line comes last.
  int cut = n - 1;
  w.first.resize(at(n));
  const auto number = [&](int k, int j) { return w.first[at(k)] + j; };
  const auto next_of = [&](int k) { return k + 1 < n ? k + 1 : 0; };
  const auto previous_of = [&](int k) { return k > 0 ? k - 1 : n - 1; };

  // Conductance of a gap, u^3 with the flow factor of rough surfaces, and its derivative.
  const auto conductance = [&](double gap, double& slope) {
    const double u = floored(gap, floor), du = floored_slope(gap, floor);
    if (sigma == 0) {
      slope = 3 * u * u * du;
      return u * u * u;
    }
    const double phi = flow_factor(u / sigma), dphi = flow_factor_slope(u / sigma) / sigma;
    slope = (3 * u * u * phi + u * u * u * dphi) * du;
    return u * u * u * phi;
  };
  const auto dent_at = [&](int i) {
    return kappa * w.P[at(i)] + (q.dent.empty() ? 0.0 : q.dent[at(i)]);
  };
  // Conductances of all faces at the present pressure: index k * b + j towards the next angle,
  // k * (b + 1) + j below row j (and above the last one).
  const auto measure = [&] {
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < b; ++j) {
        const double ax = q.ax + q.slope_ax * w.z[at(j)], ay = q.ay + q.slope_ay * w.z[at(j)];
        const int i = k * b + j;
        double gap = 1 - ax * cos_face_[at(k)] - ay * sin_face_[at(k)];
        double node = 1 - ax * cos_[at(k)] - ay * sin_[at(k)];
        if (elastic) {
          gap += 0.5 * (dent_at(i) + dent_at(next_of(k) * b + j));
          node += dent_at(i);
        }
        const double scale = w.weight[at(j)] * per_row / step_[at(k)];
        w.around[at(i)] = scale * conductance(gap, w.d_around[at(i)]);
        w.d_around[at(i)] *= scale;
        w.u[at(i)] = floored(node, floor);
        w.du[at(i)] = floored_slope(node, floor);
      }
    const double scale = aspect * aspect * m;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j <= b; ++j) {
        const int f = k * (b + 1) + j;
        if (!q.tilted && j == b) {
          w.along[at(f)] = w.d_along[at(f)] = 0;  // the middle plane
          continue;
        }
        const double z = -0.5 + (j + 0.5) * per_row;
        double gap =
            1 - (q.ax + q.slope_ax * z) * cos_[at(k)] - (q.ay + q.slope_ay * z) * sin_[at(k)];
        if (elastic)
          gap +=
              0.5 * ((j > 0 ? dent_at(k * b + j - 1) : 0.0) + (j < b ? dent_at(k * b + j) : 0.0));
        w.along[at(f)] = scale * share_[at(k)] * conductance(gap, w.d_along[at(f)]);
        w.d_along[at(f)] *= scale * share_[at(k)];
      }
  };
  const auto source = [&](int k, int j) {
    const double vx = q.vx + q.slope_vx * w.z[at(j)], vy = q.vy + q.slope_vy * w.z[at(j)];
    return 12 * per_row * w.weight[at(j)] * (vx * sx_[at(k)] + vy * sy_[at(k)]);
  };
  const auto pressure_at = [&](int k, int j) {
    return j < 0 || j >= b ? ambient : w.P[at(k * b + j)];
  };

  for (int k = 0; k < n; ++k)
    for (int j = 0; j < b; ++j) {
      const int i = k * b + j;
      if (supplied_[at(k)]) {
        w.wet[at(i)] = 0;
        w.P[at(i)] = supply;
        w.D[at(i)] = 0;
      } else if (!complementary) {
        w.wet[at(i)] = 1;
      }
      if (!w.wet[at(i)] && !supplied_[at(k)]) w.P[at(i)] = 0;
      if (!conserving) w.D[at(i)] = 0;
    }
  measure();

  // Residual of a node and its equation: conductances times pressure differences, minus source,
  // minus what voids carry and store (physics 5.5 c, with the void D = (1 - content) u as unknown:
  // the full film then has no upwinding at all).
  const auto assemble = [&] {
    // Cut the ring where no line of oil crosses it, if there is such a place.
    cut = n - 1;
    bool bordered = true;
    for (int k = 0; k < n && bordered; ++k) {
      bool isolated = true;
      for (int j = 0; j < b && isolated; ++j)
        isolated = !w.wet[at(k * b + j)] && (!conserving || supplied_[at(k)]);
      if (isolated) {
        cut = k;
        bordered = false;
      }
    }
    for (int k = 0; k < n; ++k) w.first[at(k)] = ((k - cut - 1 + 2 * n) % n) * b;
    w.matrix.clear(bordered);
    for (int k = 0; k < n; ++k) {
      const int next = next_of(k), previous = previous_of(k);
      for (int j = 0; j < b; ++j) {
        const int i = k * b + j, row = number(k, j);
        if (supplied_[at(k)] || (!w.wet[at(i)] && !conserving)) {
          w.matrix.add(row, row, 1);
          w.rhs[at(row)] = w.P[at(i)];
          continue;
        }
        const bool wet = w.wet[at(i)];
        double own = 0, known = source(k, j);
        const auto face = [&](double g, double dg, int neighbour_k, int neighbour_j) {
          if (g == 0) return;
          const bool inside = neighbour_j >= 0 && neighbour_j < b;
          const int other = neighbour_k * b + neighbour_j;
          own += g;
          double coupling = -g;
          if (kappa > 0) {
            const double bend =
                0.5 * dg * kappa * (w.P[at(i)] - pressure_at(neighbour_k, neighbour_j));
            own += bend;
            coupling += inside ? bend : 0.0;
            known += bend * (w.P[at(i)] + (inside ? w.P[at(other)] : 0.0));
          }
          if (inside && w.wet[at(other)])
            w.matrix.add(row, number(neighbour_k, neighbour_j), coupling);
          else
            known -= coupling * pressure_at(neighbour_k, neighbour_j);
        };
        face(w.around[at(i)], w.d_around[at(i)], next, j);
        face(w.around[at(previous * b + j)], w.d_around[at(previous * b + j)], previous, j);
        face(w.along[at(k * (b + 1) + j)], w.d_along[at(k * (b + 1) + j)], k, j - 1);
        face(w.along[at(k * (b + 1) + j + 1)], w.d_along[at(k * (b + 1) + j + 1)], k, j + 1);
        if (elastic) {
          // The moving surface drags oil through the dents, which are taken from upstream: thin
          // films are carried by it more than by pressure, and central differences would ring.
          const double wedge = std::abs(carry) * w.weight[at(j)];
          const int other = (carry >= 0 ? previous : next) * b + j;
          if (!q.dent.empty()) known -= wedge * (q.dent[at(i)] - q.dent[at(other)]);
          own += wedge * kappa;
          if (w.wet[at(other)])
            w.matrix.add(row, number(carry >= 0 ? previous : next, j), -wedge * kappa);
          else
            known += wedge * kappa * w.P[at(other)];
        }
        if (conserving) {
          const double drift = std::abs(carry) * w.weight[at(j)];
          const double store = storage * share_[at(k)] * w.weight[at(j)];
          const int upstream = carry >= 0 ? previous : next;
          const int other = upstream * b + j;
          if (drift > 0 && !w.wet[at(other)] && !supplied_[at(upstream)])
            w.matrix.add(row, number(upstream, j), drift);
          if (!q.before.empty()) known -= store * q.before[at(i)];
          if (!wet) {
            // Without drift and storage a void has no scale of its own; any will do.
            const double scale = drift + store > 0 ? drift + store : 12 * s.clearance * per_row;
            w.matrix.add(row, row, -scale);
            w.rhs[at(row)] = known;
            continue;
          }
        }
        w.matrix.add(row, row, own);
        w.rhs[at(row)] = known;
      }
    }
  };

  // At rest any set of wet nodes solves the problem without pressure. The derivative is the mean of
  // both sides: half that of a full film.
  const bool resting = complementary && q.vx == 0 && q.vy == 0 && q.slope_vx == 0 &&
                       q.slope_vy == 0 && supply == 0 && ambient == 0 && q.before.empty();
  if (resting)
    for (int i = 0; i < size; ++i)
      if (!supplied_[at(i / b)]) {
        w.wet[at(i)] = 1;
        w.P[at(i)] = w.D[at(i)] = 0;
      }

  ReynoldsResult out;
  double change = 0, size_of_P = 0;
  for (;;) {
    assemble();
    if (!w.matrix.factor()) {
      out.converged = false;
      break;
    }
    w.matrix.solve<1>(w.rhs.data());
    ++out.sweeps;
    change = size_of_P = 0;
    bool moved = false;
    // A liner yields in steps: no node may lose half its film at once, or gain more than it has (or
    // a tenth of the clearance, where there is none).
    double step = 1;
    if (kappa > 0) {
      for (int i = 0; i < size; ++i)
        if (w.wet[at(i)]) {
          const double bend = kappa * (w.rhs[at(number(i / b, i % b))] - w.P[at(i)]);
          const double allowed = bend > 0 ? std::max(w.u[at(i)], 0.1) : 0.5 * w.u[at(i)];
          step = std::min(step, allowed / (std::abs(bend) + 1e-300));
        }
      if (out.sweeps > 30) step *= 0.5;
    }
    for (int k = 0; k < n; ++k) {
      if (supplied_[at(k)]) continue;
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
    if (complementary && !conserving && !resting) {
      // A dry node gets wet again where oil piles up.
      for (int k = 0; k < n; ++k) {
        if (supplied_[at(k)]) continue;
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
            inflow -= std::abs(carry) * w.weight[at(j)] *
                      (dent_at(i) - dent_at((carry >= 0 ? previous : next) * b + j));
          if (inflow > 0) {
            w.wet[at(i)] = 1;
            moved = true;
          }
        }
      }
    }
    if (resting) break;
    const bool settled = kappa == 0 || change <= 1e-11 * size_of_P;
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

  // Force: each line around is integrated with pressure and direction linear between nodes, cut at
  // zero where Guembel's condition says so; once differentiable in the pressures. `pull` becomes
  // the derivative of the force by the pressure of a node.
  const double unit = -s.viscosity * s.radius * s.radius * s.radius * s.length /
                      (s.clearance * s.clearance * s.clearance);
  auto& pull_x = w.next;
  pull_x.assign(at(size), 0.0);
  thread_local std::vector<double> pull_y;
  pull_y.assign(at(size), 0.0);
  double fx = 0, fy = 0, mx = 0, my = 0;
  for (int k = 0; k < n; ++k) {
    const int next = next_of(k);
    const double d = step_[at(k)];
    // Such that a full ring gives the plain sum over nodes, which is spectrally accurate.
    const double fit = 3 * d / (2 + std::cos(d));
    const double x0 = cos_[at(k)], x1 = cos_[at(next)], y0 = sin_[at(k)], y1 = sin_[at(next)];
    for (int j = 0; j < b; ++j) {
      const int i0 = k * b + j, i1 = next * b + j;
      const double p0 = w.P[at(i0)], p1 = w.P[at(i1)], weight = fit * w.simpson[at(j)];
      double a00 = 1.0 / 3, a01 = 1.0 / 6, a10 = 1.0 / 6, a11 = 1.0 / 3;  // d force/dp of r0, r1
      double f0 = p0 / 3 + p1 / 6, f1 = p0 / 6 + p1 / 3;                  // parts of r0 and r1
      if (s.cavitation == Cavitation::guembel && (p0 < 0 || p1 < 0)) {
        if (p0 <= 0 && p1 <= 0) continue;
        const bool left = p0 > 0;
        const double high = left ? p0 : p1, low = left ? p1 : p0, t = high / (high - low);
        // high (r_high t/2 + (r_low - r_high) t^2/6)
        const double near = high * (0.5 * t - t * t / 6), far = high * t * t / 6;
        const double dt_high = -low / ((high - low) * (high - low));
        const double dt_low = high / ((high - low) * (high - low));
        const double near_t = high * (0.5 - t / 3), far_t = high * t / 3;
        const double near_high = near / high + near_t * dt_high, near_low = near_t * dt_low;
        const double far_high = far / high + far_t * dt_high, far_low = far_t * dt_low;
        f0 = left ? near : far;
        f1 = left ? far : near;
        a00 = left ? near_high : far_low;
        a01 = left ? far_high : near_low;  // of r1 by p0
        a10 = left ? near_low : far_high;  // of r0 by p1
        a11 = left ? far_low : near_high;
      }
      const double x = weight * (f0 * x0 + f1 * x1), y = weight * (f0 * y0 + f1 * y1);
      fx += x;
      fy += y;
      mx -= y * w.z[at(j)];
      my += x * w.z[at(j)];
      pull_x[at(i0)] += weight * (a00 * x0 + a01 * x1);
      pull_y[at(i0)] += weight * (a00 * y0 + a01 * y1);
      pull_x[at(i1)] += weight * (a10 * x0 + a11 * x1);
      pull_y[at(i1)] += weight * (a10 * y0 + a11 * y1);
    }
  }
  out.fx = unit * fx;
  out.fy = unit * fy;
  out.mx = unit * s.length * mx;
  out.my = unit * s.length * my;

  // Derivatives by the motion: on a fixed set of wet nodes the pressures are the solution of a
  // linear system whose right-hand sides are the derivatives of the residual.
  // 4 for e and V, one more for the slip if it counts, 4 more for a tilt; even numbers of columns
  // fill the registers.
  const bool slips = conserving || elastic;
  const int K = q.tilted ? 10 : slips ? 6 : 4;
  const int columns = q.tilted ? 9 : slips ? 5 : 4;
  const auto column = [&](int row) { return &w.columns[at(row * K)]; };
  const double per_c = 1 / s.clearance;
  const std::array<double, 9> scale{per_c, per_c, 1, 1, 1, per_c, per_c, 1, 1};
  // Slopes are per z/L inside, per metre outside: de/dz = (c/L) d(e/c)/d(z/L).
  const std::array<double, 9> lever{1, 1, 1, 1, 1, s.length, s.length, s.length, s.length};
  if (q.gradients) {
    std::fill(w.columns.begin(), w.columns.begin() + size * K, 0.0);
    const auto deposit = [&](int k, int j, double value_x, double value_y, double z) {
      double* c = column(number(k, j));
      c[0] += value_x;
      c[1] += value_y;
      if (q.tilted) {
        c[5] += value_x * z;
        c[6] += value_y * z;
      }
    };
    for (int k = 0; k < n; ++k) {
      const int next = next_of(k), previous = previous_of(k);
      for (int j = 0; j < b; ++j) {
        const int i = k * b + j, i1 = next * b + j;
        {
          // A thicker film lets the difference of pressure flow faster; du = -(cos, sin) de.
          const double flow = w.d_around[at(i)] * (w.P[at(i)] - w.P[at(i1)]);
          const double x = flow * cos_face_[at(k)], y = flow * sin_face_[at(k)];
          deposit(k, j, x, y, w.z[at(j)]);
          deposit(next, j, -x, -y, w.z[at(j)]);
        }
        for (int f = j; f <= j + 1; ++f) {
          const double flow = w.d_along[at(k * (b + 1) + f)] *
                              (w.P[at(i)] - pressure_at(k, f == j ? j - 1 : j + 1));
          deposit(k, j, flow * cos_[at(k)], flow * sin_[at(k)], -0.5 + (f + 0.5) * per_row);
        }
        double* c = column(number(k, j));
        const double push = 12 * per_row * w.weight[at(j)];
        c[2] += push * sx_[at(k)];
        c[3] += push * sy_[at(k)];
        if (q.tilted) {
          c[7] += push * sx_[at(k)] * w.z[at(j)];
          c[8] += push * sy_[at(k)] * w.z[at(j)];
        }
        const double turn = 12 * s.clearance * per_row * w.weight[at(j)];
        if (conserving) {
          const int other = (carry >= 0 ? previous : next) * b + j;
          c[kSlip] += (carry >= 0 ? 1 : -1) * turn * (w.D[at(i)] - w.D[at(other)]);
        }
        if (elastic)
          c[kSlip] -= (carry >= 0 ? 1 : -1) * turn *
                      (dent_at(i) - dent_at((carry >= 0 ? previous : next) * b + j));
      }
    }
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < b; ++j)
        if (supplied_[at(k)] || (!w.wet[at(k * b + j)] && !conserving)) {
          double* c = column(number(k, j));
          for (int p = 0; p < K; ++p) c[p] = 0;
        }
    if (K == 10)
      w.matrix.solve<10>(w.columns.data());
    else if (K == 6)
      w.matrix.solve<6>(w.columns.data());
    else
      w.matrix.solve<4>(w.columns.data());
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < b; ++j) {
        const int i = k * b + j;
        if (!w.wet[at(i)]) continue;
        const double* c = column(number(k, j));
        for (int p = 0; p < columns; ++p) {
          const double dx = unit * scale[at(p)] * lever[at(p)] * c[p] * pull_x[at(i)];
          const double dy = unit * scale[at(p)] * lever[at(p)] * c[p] * pull_y[at(i)];
          out.dfx[at(p)] += dx;
          out.dfy[at(p)] += dy;
          if (q.tilted) {
            out.dmx[at(p)] -= dy * w.z[at(j)] * s.length;
            out.dmy[at(p)] += dx * w.z[at(j)] * s.length;
          }
        }
      }
  }
  if (resting)
    for (auto* g : {&out.dfx, &out.dfy, &out.dmx, &out.dmy})
      for (double& x : *g) x *= 0.5;

  // Shear, and what else a designer asks for.
  double peak = 0;
  int peak_at = 0;
  double area = 0;
  double thinnest = 1e300;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < b; ++j) {
      const int i = k * b + j;
      thinnest = std::min(thinnest, w.u[at(i)]);
      const double plain = per_row * (q.tilted || w.weight[at(j)] < 1 ? 1.0 : 2.0);
      // The half control volumes at both ends are sheared like their neighbours.
      const double end = j == 0 || (q.tilted && j == b - 1) ? 1.5 : 1.0;
      const double cell = plain * end * share_[at(k)];
      const bool wet = w.wet[at(i)] || supplied_[at(k)];
      double oil = 1;
      if (!s.full_shear) {
        if (conserving)
          oil = std::clamp(1 - w.D[at(i)] / w.u[at(i)], 0.0, 1.0);
        else if (complementary)
          oil = wet ? 1 : 0;
        else if (s.cavitation == Cavitation::guembel)
          oil = w.P[at(i)] > 0 ? 1 : 0;
      }
      if (wet && (s.cavitation != Cavitation::guembel || w.P[at(i)] > 0)) area += cell;
      const double u = w.u[at(i)], drag = oil * cell / u;
      double slope = drag / u * w.du[at(i)];
      if (q.gradients && conserving && !s.full_shear && !wet && oil > 0 && oil < 1) {
        // (u - D)/u^2, with the void as it follows the motion.
        slope = cell * (1 - 2 * w.D[at(i)] / u) / (u * u) * w.du[at(i)];
        const double* c = column(number(k, j));
        for (int p = 0; p < columns; ++p)
          out.dshear[at(p)] -= cell / (u * u) * scale[at(p)] * lever[at(p)] * c[p];
      }
      out.shear += drag;
      out.dshear[0] += slope * cos_[at(k)] * per_c;
      out.dshear[1] += slope * sin_[at(k)] * per_c;
      if (q.tilted) {
        out.dshear[5] += slope * cos_[at(k)] * w.z[at(j)] * per_c * s.length;
        out.dshear[6] += slope * sin_[at(k)] * w.z[at(j)] * per_c * s.length;
      }
      if (w.P[at(i)] > peak) {
        peak = w.P[at(i)];
        peak_at = k;
      }
    }
    // Flow through the end faces, plus what wells up in the half control volumes beyond them.
    for (const int j : {0, b}) {
      if (j == b && !q.tilted) continue;
      const int row = j == 0 ? 0 : b - 1;
      double flow = w.along[at(k * (b + 1) + j)] * (w.P[at(k * b + row)] - ambient);
      if (w.P[at(k * b + row)] > 0) flow += 0.5 * source(k, row) / w.weight[at(row)];
      if (s.cavitation == Cavitation::guembel && w.P[at(k * b + row)] < 0) flow = 0;
      out.side_flow += flow * (q.tilted ? 1 : 2);
    }
  }
  // P-equation to volume: flow per (R/L)^2 m ... = h^3/(12 eta) dp/dz integrated over the arc.
  out.side_flow *= s.radius * s.length / 12.0;
  out.max_pressure = peak * to_pressure;
  out.max_pressure_angle = angle_[at(peak_at)];
  out.min_film = thinnest * s.clearance;
  out.wet_share = area / (2 * kPi);
  if (!q.after.empty()) std::copy(w.D.begin(), w.D.end(), q.after.begin());
  return out;
}

ReynoldsResult JournalReynolds::solve(double ex, double ey, double vx, double vy, double slip,
                                      bool gradients) const {
  const double c = settings_.clearance;
  return run(
      {.ax = ex / c, .ay = ey / c, .vx = vx, .vy = vy, .slip = slip, .gradients = gradients});
}

ReynoldsResult JournalReynolds::solve_tilted(double ex, double ey, double vx, double vy,
                                             double slope_x, double slope_y, double slope_vx,
                                             double slope_vy, bool gradients) const {
  const double c = settings_.clearance, L = settings_.length;
  return run({.ax = ex / c,
              .ay = ey / c,
              .vx = vx,
              .vy = vy,
              .slope_ax = slope_x * L / c,
              .slope_ay = slope_y * L / c,
              .slope_vx = slope_vx * L,
              .slope_vy = slope_vy * L,
              .tilted = true,
              .gradients = gradients});
}

ReynoldsResult JournalReynolds::solve_step(double ex, double ey, double vx, double vy, double slip,
                                           std::span<const double> before, double dt,
                                           std::span<double> after, bool gradients) const {
  const double c = settings_.clearance;
  return run({.ax = ex / c,
              .ay = ey / c,
              .vx = vx,
              .vy = vy,
              .slip = slip,
              .gradients = gradients,
              .before = before,
              .dt = dt,
              .after = after});
}

ReynoldsResult JournalReynolds::solve_elastic(double ex, double ey, double vx, double vy,
                                              double slip,
                                              std::span<const double> compliance) const {
  const double c = settings_.clearance;
  const std::size_t size = states();
  const double to_pressure =
      settings_.viscosity * settings_.radius * settings_.radius / (c * c * c);
  std::vector<double> dent(size, 0.0), wanted(size);
  Problem problem{.ax = ex / c,
                  .ay = ey / c,
                  .vx = vx,
                  .vy = vy,
                  .slip = slip,
                  .gradients = false,
                  .dent = dent};
  ReynoldsResult out;
  double relax = 0.5, last = 1e300;
  for (int i = 0; i < 400; ++i) {
    out = run(problem);
    const Work& w = work(false);
    double change = 0;
    for (std::size_t a = 0; a < size; ++a) {
      wanted[a] = 0;
      for (std::size_t p = 0; p < size; ++p)
        wanted[a] += compliance[a * size + p] * std::max(w.P[p], 0.0) * to_pressure / c;
      change = std::max(change, std::abs(wanted[a] - dent[a]));
    }
    if (change < 1e-8) return out;
    if (change > last) relax = std::max(0.02, 0.7 * relax);
    last = change;
    for (std::size_t a = 0; a < size; ++a) dent[a] += relax * (wanted[a] - dent[a]);
  }
  out.converged = false;
  return out;
}

std::vector<double> JournalReynolds::pressure(bool tilted) const {
  const Work& w = work(tilted);
  const int n = nodes_around(), m = settings_.along;
  const double to_pressure =
      settings_.viscosity * settings_.radius * settings_.radius / std::pow(settings_.clearance, 3);
  std::vector<double> out(at(n * (m + 1)), settings_.ambient_pressure);
  for (int k = 0; k < n; ++k)
    for (int j = 1; j < m; ++j) {
      const int row = (tilted ? j : std::min(j, m - j)) - 1;
      double p = w.P[at(k * w.rows + row)] * to_pressure;
      if (settings_.cavitation == Cavitation::guembel) p = std::max(p, 0.0);
      out[at(k * (m + 1) + j)] = p;
    }
  return out;
}

std::vector<double> JournalReynolds::content() const {
  const Work& w = work(false);
  const int n = nodes_around(), m = settings_.along;
  std::vector<double> out(at(n * (m + 1)), 1.0);
  for (int k = 0; k < n; ++k)
    for (int j = 1; j < m; ++j) {
      const auto i = at(k * w.rows + std::min(j, m - j) - 1);
      out[at(k * (m + 1) + j)] = std::clamp(1 - w.D[i] / w.u[i], 0.0, 1.0);
    }
  return out;
}

}  // namespace freeplay::films
