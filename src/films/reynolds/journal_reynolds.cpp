// SPDX-License-Identifier: Apache-2.0
#include "films/reynolds/journal_reynolds.hpp"

#include "films/reynolds/reynolds_solution.hpp"

#include <algorithm>
#include <atomic>

namespace freeplay::films {

JournalReynolds::JournalReynolds(const ReynoldsSettings& settings)
    : settings_(settings), grid_(settings.grooves, settings.around) {
  static std::atomic<unsigned long long> count{0};
  id_ = ++count;
}

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
  for (auto* v : {&w.P, &w.D, &w.rhs, &w.around, &w.d_around, &w.u, &w.du}) v->assign(size, 0.0);
  w.along.assign(faces, 0.0);
  w.d_along.assign(faces, 0.0);
  w.columns.assign(size * 10, 0.0);
  w.wet.assign(size, 1);
  for (auto* v : {&w.lift, &w.lift_face, &w.wedge, &w.slope, &w.turned, &w.turned_face,
                  &w.turned_wedge, &w.bend})
    v->assign(at(n), 0.0);
  return w;
}

std::size_t JournalReynolds::states() const { return at(nodes_around() * (settings_.along / 2)); }

ReynoldsResult JournalReynolds::run(const Problem& q) const {
  Work& w = work(q.tilted);
  if (q.plain() && w.answered && w.asked == q.numbers() && (w.with_gradients || !q.gradients))
    return w.answer;
  ReynoldsResult out = Solution(*this, q, w).compute();
  w.answered = q.plain();
  w.asked = q.numbers();
  w.with_gradients = q.gradients;
  w.answer = out;
  return out;
}

ReynoldsResult JournalReynolds::solve(double ex, double ey, double vx, double vy, double slip,
                                      bool gradients, double turn) const {
  const double c = settings_.clearance;
  return run({.ax = ex / c,
              .ay = ey / c,
              .vx = vx,
              .vy = vy,
              .slip = slip,
              .turn = turn,
              .gradients = gradients});
}

double JournalReynolds::thinnest(double ex, double ey, double turn) const {
  constexpr int kFiner = 8;  // than the grid: off by less than a millionth of the clearance then
  double out = std::numeric_limits<double>::infinity();
  for (int k = 0; k < nodes_around(); ++k)
    for (int i = 0; i < kFiner; ++i) {
      const double angle = grid_.angle[at(k)] + grid_.step[at(k)] * i / kFiner;
      double h = settings_.clearance - ex * std::cos(angle) - ey * std::sin(angle);
      if (settings_.bearing) h += settings_.bearing(angle).w;
      if (settings_.journal) h -= settings_.journal(angle - turn).w;
      out = std::min(out, h);
    }
  return out;
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
