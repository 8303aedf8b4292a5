// SPDX-License-Identifier: Apache-2.0
#include "dynamics/control/history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeplay::dynamics {
namespace {

/// Steps of the past that one step may see. chosen: steps of one method on one motion differ by
/// little; what took much shorter ones might be overlooked by a long one.
constexpr int kStepsInStep = 4;
/// A step is halved this often at most where polynomials do not follow it. chosen
constexpr int kDeepest = 6;
/// Of the tolerance, and of the largest value: what polynomials may leave out. chosen
constexpr double kShare = 0.1, kRoundOff = 1e-13;

}  // namespace

History::History(int channels, double keep, double tolerance)
    : channels_(channels),
      keep_(keep),
      tolerance_(tolerance),
      largest_(static_cast<std::size_t>(channels)),
      pieces_(64),
      samples_(static_cast<std::size_t>(channels * kNodes)),
      fit_(samples_.size()) {
  coefficients_.resize(pieces_.size() * samples_.size());
}

void History::clear() {
  first_ = count_ = 0;
  stretch_ = kNever;
  std::ranges::fill(largest_, 0.0);
}

void History::record(double t0, double t1, const Look& look) {
  forget_before(t0 - keep_);  // what is looked at may itself read the past
  step_end_ = t1;
  record_part(t0, t1, look, 0);
}

/// Samples at Lobatto's points of Chebyshev's polynomials, so that pieces join.
void History::record_part(double t0, double t1, const Look& look, int depth) {
  for (int i = 0; i < kNodes; ++i) {
    const double x = std::cos(M_PI * i / (kNodes - 1));  // from 1 down to -1
    const double t = i == 0 ? t1 : i == kNodes - 1 ? t0 : 0.5 * (t0 + t1 + (t1 - t0) * x);
    const auto now = look(t);
    for (int c = 0; c < channels_; ++c)
      samples_[static_cast<std::size_t>(c * kNodes + i)] = now[static_cast<std::size_t>(c)];
  }
  for (int c = 0; c < channels_; ++c) {
    const double* f = &samples_[static_cast<std::size_t>(c * kNodes)];
    double* a = &fit_[static_cast<std::size_t>(c * kNodes)];
    double& largest = largest_[static_cast<std::size_t>(c)];
    for (int k = 0; k < kNodes; ++k) {
      double sum = 0;
      for (int i = 0; i < kNodes; ++i) {
        const double end = i == 0 || i == kNodes - 1 ? 0.5 : 1;
        sum += end * f[i] * std::cos(M_PI * k * i / (kNodes - 1));
      }
      a[k] = (k == 0 || k == kNodes - 1 ? 1.0 : 2.0) / (kNodes - 1) * sum;
      largest = std::max(largest, std::abs(f[k]));
    }
  }
  const double middle = 0.5 * (t0 + t1);
  if (depth == kDeepest || !(middle > t0 && middle < t1) || follows(t0, t1, look))
    return push(t0, t1);
  record_part(t0, middle, look, depth + 1);
  record_part(middle, t1, look, depth + 1);
}

/// Between the samples, in the middle and near the end.
bool History::follows(double t0, double t1, const Look& look) {
  for (const double x : {0.0, 0.97}) {
    const auto now = look(0.5 * (t0 + t1 + (t1 - t0) * x));
    for (int c = 0; c < channels_; ++c) {
      const double error =
          now[static_cast<std::size_t>(c)] - sum(&fit_[static_cast<std::size_t>(c * kNodes)], x);
      if (std::abs(error) >
          std::max(kShare * tolerance_, kRoundOff) * largest_[static_cast<std::size_t>(c)])
        return false;
    }
  }
  return true;
}

/// Clenshaw's recurrence.
double History::sum(const double* a, double x) {
  double b1 = 0, b2 = 0;
  for (int i = kNodes - 1; i > 0; --i) {
    const double b = a[i] + 2 * x * b1 - b2;
    b2 = b1;
    b1 = b;
  }
  return a[0] + x * b1 - b2;
}

void History::push(double t0, double t1) {
  if (static_cast<std::size_t>(count_) == pieces_.size()) grow();
  const std::size_t at = place(count_++);
  pieces_[at] = {t0, t1, stretch_, step_end_};
  std::copy(fit_.begin(), fit_.end(),
            coefficients_.begin() + static_cast<std::ptrdiff_t>(at * fit_.size()));
}

void History::grow() {
  const std::size_t width = fit_.size(), n = pieces_.size();
  std::vector<Piece> pieces(2 * n);
  std::vector<double> coefficients(2 * n * width);
  for (int k = 0; k < count_; ++k) {
    const std::size_t from = place(k), to = static_cast<std::size_t>(k);
    pieces[to] = pieces_[from];
    std::copy_n(coefficients_.begin() + static_cast<std::ptrdiff_t>(from * width), width,
                coefficients.begin() + static_cast<std::ptrdiff_t>(to * width));
  }
  pieces_.swap(pieces);
  coefficients_.swap(coefficients);
  first_ = 0;
}

void History::forget_before(double t) {
  // One piece more than anybody may ask for: rounding of times.
  while (count_ > 1 && piece(1).end < t) {
    first_ = static_cast<int>(place(1));
    --count_;
  }
}

int History::find(double t) const {
  int low = -1, high = count_;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (piece(middle).begin <= t ? low : high) = middle;
  }
  return low;
}

bool History::at(int channel, double t, double stretch, double& out) const {
  if (stretch == kNever || count_ == 0) return false;
  int k = std::max(find(t), 0);
  while (k > 0 && piece(k).stretch > stretch) --k;           // that jump is still to come
  while (k + 1 < count_ && piece(k).stretch < stretch) ++k;  // that one is past
  const Piece& p = piece(k);
  const double* a =
      &coefficients_[place(k) * fit_.size() + static_cast<std::size_t>(channel * kNodes)];
  const double x = std::clamp((2 * t - p.begin - p.end) / (p.end - p.begin), -1.0, 1.0);
  out = sum(a, x);
  return true;
}

double History::latest(double t) const {
  for (int steps = 0; steps < kStepsInStep; ++steps) {
    const int k = std::max(find(t), 0);
    if (k + 1 >= count_) return std::numeric_limits<double>::infinity();
    t = piece(k).step_end;
  }
  return t;
}

void History::carry(Archive& archive) {
  int count = count_;
  archive(count, stretch_, largest_);
  if (archive.restores()) {
    first_ = 0;
    count_ = 0;
    while (pieces_.size() < static_cast<std::size_t>(count)) grow();
    count_ = count;
  }
  for (int k = 0; k < count_; ++k) {
    Piece& p = pieces_[place(k)];
    archive(p.begin, p.end, p.stretch, p.step_end);
    for (std::size_t i = 0; i < fit_.size(); ++i)
      archive(coefficients_[place(k) * fit_.size() + i]);
  }
}

}  // namespace freeplay::dynamics
