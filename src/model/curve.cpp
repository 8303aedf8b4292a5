// SPDX-License-Identifier: Apache-2.0
#include "model/curve.hpp"

#include <freeplay/errors.hpp>

#include <Eigen/SparseLU>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace freeplay {
namespace {

/// Distance of two straight segments; m.
double segment_distance(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 a = a1 - a0, b = b1 - b0, r = a0 - b0;
  const double aa = a.dot(a), bb = b.dot(b), ab = a.dot(b), ar = a.dot(r), br = b.dot(r);
  const double wide = aa * bb - ab * ab;
  double s = wide > 1e-14 * aa * bb ? std::clamp((ab * br - ar * bb) / wide, 0.0, 1.0) : 0.0;
  const double t = std::clamp((ab * s + br) / bb, 0.0, 1.0);
  s = std::clamp((ab * t - ar) / aa, 0.0, 1.0);
  return (r + s * a - t * b).norm();
}

constexpr double kTurn = 0.2;  // rad; how far the direction may turn within a cell, about

}  // namespace

std::shared_ptr<const Curve> make_curve(std::vector<Vec3> points, bool closed) {
  if (const std::string why = Curve::fault(points, closed); !why.empty()) {
    Issue issue;
    issue.path = "curve";
    issue.message = why;
    throw ModelError(issue);
  }
  return std::make_shared<const Curve>(std::move(points), closed);
}

std::string Curve::fault(const std::vector<Vec3>& points, bool closed) {
  const std::size_t least = closed ? 3 : 2;
  if (points.size() < least)
    return fmt::format("{} points are no {} curve; at least {} needed", points.size(),
                       closed ? "closed" : "open", least);
  for (const Vec3& p : points)
    if (!p.allFinite()) return "a point is not finite";
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    if (!((points[i + 1] - points[i]).norm() > 0))
      return fmt::format("points {} and {} coincide", i + 1, i + 2);
  if (closed && !((points.back() - points.front()).norm() > 0))
    return "the last point repeats the first: a closed curve returns to it by itself";
  return {};
}

Curve::Curve(std::vector<Vec3> points, bool closed) : points_(std::move(points)), closed_(closed) {
  set_pieces();
  set_cells();
  set_tree();
}

/// First and second derivatives at the knots from continuous third and fourth ones. On a span h
/// with the chord D the quintic through values, derivatives a and second derivatives b at both ends
/// has
///
///   h^3 d3 =   60 D -  36 h a0 -  24 h a1 -  9 h^2 b0 +  3 h^2 b1      at its begin
///          =   60 D -  24 h a0 -  36 h a1 -  3 h^2 b0 +  9 h^2 b1      at its end
///   h^4 d4 = -360 D + 192 h a0 + 168 h a1 + 36 h^2 b0 - 24 h^2 b1      at its begin
///          =  360 D - 168 h a0 - 192 h a1 - 24 h^2 b0 + 36 h^2 b1      at its end.
void Curve::set_pieces() {
  const int n = static_cast<int>(points_.size()), spans = closed_ ? n : n - 1;
  const auto point = [&](int i) -> const Vec3& { return points_[static_cast<std::size_t>(i % n)]; };
  std::vector<double> h(static_cast<std::size_t>(spans));
  double mean = 0;
  for (int i = 0; i < spans; ++i) {
    h[static_cast<std::size_t>(i)] = (point(i + 1) - point(i)).norm();
    mean += h[static_cast<std::size_t>(i)] / spans;
  }
  // Unknowns a and b of each knot in turn, all lengths over the mean chord.
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3>;
  std::vector<Eigen::Triplet<double>> entries;
  Rows x = Rows::Zero(2 * n, 3);
  // Adds factor x (a derivative of span i, by its rule) to a row.
  const auto add = [&](int row, int i, double factor, const std::array<double, 5>& rule,
                       int order) {
    i = (i + spans) % spans;
    const double w = h[static_cast<std::size_t>(i)] / mean, per = factor / std::pow(w, order);
    const int left = 2 * i, right = 2 * ((i + 1) % n);
    x.row(row) -= per * rule[0] * (point(i + 1) - point(i)).transpose() / mean;
    entries.emplace_back(row, left, per * rule[1] * w);
    entries.emplace_back(row, right, per * rule[2] * w);
    entries.emplace_back(row, left + 1, per * rule[3] * w * w);
    entries.emplace_back(row, right + 1, per * rule[4] * w * w);
  };
  constexpr std::array<double, 5> third{60, -36, -24, -9, 3}, third_end{60, -24, -36, -3, 9},
      fourth{-360, 192, 168, 36, -24}, fourth_end{360, -168, -192, -24, 36};
  for (int i = 0; i < n; ++i) {
    const bool first = !closed_ && i == 0, last = !closed_ && i == n - 1;
    if (!first) add(2 * i + 1, i - 1, 1, fourth_end, 4);
    if (!last) add(2 * i + 1, i, first ? 1 : -1, fourth, 4);
    if (first || last) {
      entries.emplace_back(2 * i, 2 * i + 1, 1.0);  // no curvature
    } else {
      add(2 * i, i - 1, 1, third_end, 3);
      add(2 * i, i, -1, third, 3);
    }
  }
  Eigen::SparseMatrix<double> matrix(2 * n, 2 * n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(matrix);
  x = Rows(factors.solve(x));
  const auto slope = [&](int i) -> Vec3 { return x.row(2 * (i % n)).transpose(); };
  const auto bend = [&](int i) -> Vec3 { return x.row(2 * (i % n) + 1).transpose() / mean; };
  const auto straight = [&](int i) {
    const Vec3 none = Vec3::Zero();
    return Piece{end_, {point(i), slope(i), none, none, none, none}};
  };
  if (!closed_) pieces_.push_back(straight(0));
  for (int i = 0; i < spans; ++i) {
    const double w = h[static_cast<std::size_t>(i)], w3 = w * w * w;
    const Vec3 D = point(i + 1) - point(i), a0 = w * slope(i), a1 = w * slope(i + 1),
               b0 = w * w * bend(i), b1 = w * w * bend(i + 1);
    pieces_.push_back(
        {end_,
         {point(i), slope(i), bend(i) / 2, (10 * D - 6 * a0 - 4 * a1 - 1.5 * b0 + 0.5 * b1) / w3,
          (-15 * D + 8 * a0 + 7 * a1 + 1.5 * b0 - b1) / (w3 * w),
          (6 * D - 3 * (a0 + a1) - 0.5 * (b0 - b1)) / (w3 * w * w)}});
    end_ += w;
  }
  if (!closed_) pieces_.push_back(straight(n - 1));
}

const Curve::Piece& Curve::piece_of(double u) const {
  // The straight end before the first point shares its parameter with the piece after it.
  if (!closed_ && u < 0) return pieces_.front();
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), u,
                                      [](double x, const Piece& p) { return x < p.from; });
  return after == pieces_.begin() ? pieces_.front() : *(after - 1);
}

double Curve::to_next_point(double u, bool forward) const {
  const double near = 1e-9 * end_;  // on a point: the next one is meant
  double best = std::numeric_limits<double>::infinity();
  for (const Piece& p : pieces_) {
    double ahead = forward ? p.from - u : u - p.from;
    if (closed_ && ahead <= near) ahead += end_;
    if (ahead > near) best = std::min(best, ahead);
  }
  return best;
}

/// Cells within pieces: as many as the direction turns by kTurn.
void Curve::set_cells() {
  double arc = 0;
  const std::size_t first = closed_ ? 0 : 1, last = pieces_.size() - (closed_ ? 0 : 1);
  for (std::size_t k = first; k < last; ++k) {
    const double from = pieces_[k].from, to = k + 1 < pieces_.size() ? pieces_[k + 1].from : end_;
    const auto place = [&](int i, int of) { return from + (to - from) * i / of; };
    constexpr int looks = 16;
    double turn = 0;
    Vec3 before = at(from).d1.normalized();
    for (int i = 1; i <= looks; ++i) {
      // The right end belongs to the next piece, whose direction there is the same.
      const Vec3 now = at(place(i, looks)).d1.normalized();
      turn += before.cross(now).norm();
      before = now;
    }
    const int count = 1 + static_cast<int>(turn / kTurn);
    for (int i = 0; i < count; ++i) {
      Cell cell{place(i, count), place(i + 1, count), arc, 0, {}};
      // Bezier's control points, within which the curve stays.
      const double w = (cell.to - cell.from) / 5, bend = 1.25 * w * w;
      const auto a = at(cell.from), b = at(cell.to);
      const std::array<Vec3, 6> polygon{a.c,
                                        a.c + w * a.d1,
                                        a.c + 2 * w * a.d1 + bend * a.d2,
                                        b.c - 2 * w * b.d1 + bend * b.d2,
                                        b.c - w * b.d1,
                                        b.c};
      cell.box = {polygon[0], polygon[0]};
      for (const Vec3& p : polygon) {
        cell.box.low = cell.box.low.cwiseMin(p);
        cell.box.high = cell.box.high.cwiseMax(p);
      }
      arc += measured(cell.from, cell.to);
      cell.arc_end = arc;
      cells_.push_back(cell);
    }
  }
}

/// Length between two parameters that are close together, by Gauss's rule with 8 points.
double Curve::measured(double from, double to) const {
  constexpr std::array<double, 4> x{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                    0.9602898564975363},
      w{0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += w[i] * (at(middle - half * x[i]).d1.norm() + at(middle + half * x[i]).d1.norm());
  return half * sum;
}

void Curve::set_tree() {
  while (leaves_ < cells_.size()) leaves_ *= 2;
  const double far = std::numeric_limits<double>::infinity();
  const Vec3 high = Vec3::Constant(far), low = Vec3::Constant(-far);
  tree_.assign(2 * leaves_, {high, low});  // nothing inside
  for (std::size_t i = 0; i < cells_.size(); ++i) tree_[leaves_ + i] = cells_[i].box;
  for (std::size_t k = leaves_; k-- > 1;)
    tree_[k] = {tree_[2 * k].low.cwiseMin(tree_[2 * k + 1].low),
                tree_[2 * k].high.cwiseMax(tree_[2 * k + 1].high)};
}

double Curve::Box::squared_distance(const Vec3& x) const {
  if (!(low[0] <= high[0])) return std::numeric_limits<double>::infinity();
  return (low - x).cwiseMax(x - high).cwiseMax(0.0).squaredNorm();
}

/// The nearest point of a cell: Newton's method from the foot on its chord, kept inside.
double Curve::foot_in(const Cell& cell, const Vec3& x) const {
  const Vec3 a = at(cell.from).c, chord = at(cell.to).c - a;
  const double share = std::clamp((x - a).dot(chord) / chord.squaredNorm(), 0.0, 1.0);
  double u = cell.from + share * (cell.to - cell.from);
  for (int i = 0; i < 4; ++i) {
    const auto local = at(u);
    const Vec3 e = x - local.c;
    const double square = local.d1.squaredNorm(),
                 slope = std::max(square - e.dot(local.d2), 0.2 * square);
    u = std::clamp(u + e.dot(local.d1) / slope, cell.from, cell.to);
  }
  return u;
}

/// Newton's method to the last digit; the start is close.
double Curve::polished(double u, const Vec3& x) const {
  const auto inside = [&](double v) {
    if (!closed_) return v;
    v = std::fmod(v, end_);
    return v < 0 ? v + end_ : v;
  };
  for (int i = 0; i < 30; ++i) {
    const auto local = at(u);
    const Vec3 e = x - local.c;
    const double square = local.d1.squaredNorm(),
                 slope = std::max(square - e.dot(local.d2), 0.2 * square);
    const double step = e.dot(local.d1) / slope;
    u = inside(u + step);
    if (std::abs(step) <= 1e-16 * end_) break;
  }
  return u;
}

double Curve::nearest(const Vec3& x) const {
  double best = std::numeric_limits<double>::infinity(), u = 0;
  std::array<std::size_t, 64> open;  // deeper than any tree
  std::size_t count = 0;
  open[count++] = 1;
  while (count > 0) {
    const std::size_t k = open[--count];
    if (tree_[k].squared_distance(x) >= best) continue;
    if (k >= leaves_) {
      const double here = foot_in(cells_[k - leaves_], x);
      const double distance = (x - at(here).c).squaredNorm();
      if (distance < best) best = distance, u = here;
      continue;
    }
    // The nearer half is looked at first.
    const bool right = tree_[2 * k + 1].squared_distance(x) < tree_[2 * k].squared_distance(x);
    open[count++] = right ? 2 * k : 2 * k + 1;
    open[count++] = right ? 2 * k + 1 : 2 * k;
  }
  if (!closed_)
    for (const Piece* straight : {&pieces_.front(), &pieces_.back()}) {
      const double along = (x - straight->c[0]).dot(straight->c[1]) / straight->c[1].squaredNorm();
      if (straight == &pieces_.front() ? along >= 0 : along <= 0) continue;
      const double distance = (x - straight->c[0] - along * straight->c[1]).squaredNorm();
      if (distance < best) best = distance, u = straight->from + along;
    }
  return polished(u, x);
}

double Curve::arc(double u) const {
  if (!closed_ && u <= 0) return u * pieces_.front().c[1].norm();
  if (!closed_ && u >= end_) return length() + (u - end_) * pieces_.back().c[1].norm();
  const auto after = std::upper_bound(cells_.begin(), cells_.end(), u,
                                      [](double x, const Cell& c) { return x < c.from; });
  const Cell& cell = after == cells_.begin() ? cells_.front() : *(after - 1);
  return cell.arc + measured(cell.from, u);
}

std::vector<Vec3> Curve::outline() const {
  std::vector<Vec3> out;
  for (const Cell& cell : cells_)
    for (const double share : {0.0, 0.5})
      out.push_back(at(cell.from + share * (cell.to - cell.from)).c);
  out.push_back(closed_ ? points_.front() : points_.back());
  return out;
}

std::string Curve::crossing() const {
  const std::size_t n = cells_.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 2; j < n; ++j) {
      if (closed_ && i == 0 && j + 1 == n) continue;  // neighbours across the seam
      const Cell &a = cells_[i], &b = cells_[j];
      if ((a.box.low.array() > b.box.high.array()).any() ||
          (b.box.low.array() > a.box.high.array()).any())
        continue;
      const Vec3 a0 = at(a.from).c, a1 = at(a.to).c, b0 = at(b.from).c, b1 = at(b.to).c;
      if (segment_distance(a0, a1, b0, b1) < 1e-6 * length())
        return fmt::format("the curve crosses itself near ({:.4g}, {:.4g}, {:.4g}) m", a0[0], a0[1],
                           a0[2]);
    }
  return {};
}

}  // namespace freeplay
