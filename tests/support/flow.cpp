// SPDX-License-Identifier: Apache-2.0
#include "support/flow.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::study {
namespace {

// Below this approach speed, relative to the speed of the state, an impact counts as grazing.
// chosen: the saltation matrix then has entries of 1e8, and double precision has nothing left.
constexpr double kGrazing = 1e-8;

VecX rate_of(const Flow& flow, double t, const VecX& x) {
  VecX f(flow.size);
  flow.rate(t, x.data(), f.data());
  return f;
}

}  // namespace

MatX saltation(const Flow& flow, double t, const VecX& before) {
  const Impacts& i = *flow.impacts;
  const VecX after = i.reset(t, before);
  const VecX f_before = rate_of(flow, t, before), f_after = rate_of(flow, t, after);
  const MatX R_x = i.reset_jacobian(t, before);
  const VecX g_x = i.gradient(t, before);
  VecX jump = f_after - R_x * f_before;
  if (i.reset_drift) jump -= i.reset_drift(t, before);
  const double g_dot = g_x.dot(f_before) + (i.drift ? i.drift(t, before) : 0.0);
  return R_x + jump * g_x.transpose() / g_dot;
}

Trajectory::Trajectory(const Flow& flow, double t, const VecX& x, int deviations)
    : flow_(flow), n_(flow.size), deviations_(deviations), t_(t) {
  const auto size = static_cast<std::size_t>(n_ * (deviations + 1));
  for (auto* v : {&z_, &next_, &k1_, &k2_, &k3_, &k4_, &mid_, &probe_}) v->assign(size, 0.0);
  J_.assign(static_cast<std::size_t>(n_ * n_), 0.0);
  set_state(x);
  for (int k = 0; k < deviations_; ++k) deviation(k)[k % n_] = 1;
}

VecX Trajectory::state() const { return Eigen::Map<const VecX>(z_.data(), n_); }
void Trajectory::set_state(const VecX& x) { std::copy_n(x.data(), n_, z_.data()); }

void Trajectory::rates(double t, const double* z, double* f) {
  flow_.rate(t, z, f);
  if (deviations_ == 0) return;
  flow_.jacobian(t, z, J_.data());
  for (int k = 1; k <= deviations_; ++k) {
    const double* x = z + k * n_;
    double* out = f + k * n_;
    for (int i = 0; i < n_; ++i) {
      double sum = 0;
      for (int j = 0; j < n_; ++j) sum += J_[static_cast<std::size_t>(i * n_ + j)] * x[j];
      out[i] = sum;
    }
  }
}

void Trajectory::runge_kutta(double h, std::vector<double>& out) {
  const std::size_t size = z_.size();
  rates(t_, z_.data(), k1_.data());
  for (std::size_t i = 0; i < size; ++i) mid_[i] = z_[i] + 0.5 * h * k1_[i];
  rates(t_ + 0.5 * h, mid_.data(), k2_.data());
  for (std::size_t i = 0; i < size; ++i) mid_[i] = z_[i] + 0.5 * h * k2_[i];
  rates(t_ + 0.5 * h, mid_.data(), k3_.data());
  for (std::size_t i = 0; i < size; ++i) mid_[i] = z_[i] + h * k3_[i];
  rates(t_ + h, mid_.data(), k4_.data());
  for (std::size_t i = 0; i < size; ++i)
    out[i] = z_[i] + h / 6 * (k1_[i] + 2 * k2_[i] + 2 * k3_[i] + k4_[i]);
}

double Trajectory::distance(double t, const std::vector<double>& z) const {
  return flow_.impacts->distance(t, Eigen::Map<const VecX>(z.data(), n_));
}

double Trajectory::distance_rate(double t, const std::vector<double>& z) {
  const VecX x = Eigen::Map<const VecX>(z.data(), n_);
  const Impacts& i = *flow_.impacts;
  return i.gradient(t, x).dot(rate_of(flow_, t, x)) + (i.drift ? i.drift(t, x) : 0.0);
}

/// Length of the part of the step before the first impact, if there is one. Each trial is a whole
/// Runge-Kutta step of its length, so the impact is as exact as the motion.
std::optional<double> Trajectory::impact_within(double h) {
  const auto bisect = [&](double low, double high, const auto& negative) {
    for (int k = 0; k < 200; ++k) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      runge_kutta(middle, probe_);
      (negative(t_ + middle, probe_) ? high : low) = middle;
    }
    return high;
  };
  const auto below = [&](double t, const std::vector<double>& z) { return distance(t, z) < 0; };
  // Right after an impact the distance is zero up to round-off: what counts is whether it grows.
  double start = 0;
  if (just_jumped_) {
    if (distance_rate(t_, z_) <= 0) return {};  // resting: followed without further impacts
    start = 1e-6 * h;
  }
  if (distance(t_ + h, next_) < 0) return bisect(start, h, below);
  // Down and up again within the step?
  if (distance_rate(t_, z_) < 0 || just_jumped_) {
    if (distance_rate(t_ + h, next_) > 0 && !just_jumped_) {
      const double lowest = bisect(
          0, h, [&](double t, const std::vector<double>& z) { return distance_rate(t, z) > 0; });
      runge_kutta(lowest, probe_);
      if (distance(t_ + lowest, probe_) < 0) return bisect(0, lowest, below);
    }
  }
  return {};
}

void Trajectory::jump() {
  const VecX before = state();
  const VecX after = flow_.impacts->reset(t_, before);
  if (deviations_ > 0) {
    const double speed = rate_of(flow_, t_, before).norm();
    if (std::abs(distance_rate(t_, z_)) <= kGrazing * speed) {
      ++grazing_count_;
    } else {
      const MatX S = saltation(flow_, t_, before);
      for (int k = 0; k < deviations_; ++k) {
        Eigen::Map<VecX> d(deviation(k), n_);
        const VecX moved = S * d;
        d = moved;
      }
    }
  }
  set_state(after);
  ++impact_count_;
  just_jumped_ = true;
}

void Trajectory::advance(double t_end, double step) {
  while (t_ < t_end) {
    double h = std::min(step, t_end - t_);
    const bool last = t_ + h >= t_end;
    runge_kutta(h, next_);
    if (flow_.impacts) {
      if (const auto part = impact_within(h)) {
        h = *part;
        runge_kutta(h, next_);
        z_.swap(next_);
        t_ += h;
        jump();
        continue;
      }
    }
    just_jumped_ = false;
    z_.swap(next_);
    t_ = last ? t_end : t_ + h;
  }
}

MatX monodromy(const Flow& flow, double t, const VecX& x, double period, double step) {
  Trajectory trajectory(flow, t, x, flow.size);
  trajectory.advance(t + period, step);
  MatX out(flow.size, flow.size);
  for (int k = 0; k < flow.size; ++k)
    out.col(k) = Eigen::Map<const VecX>(trajectory.deviation(k), flow.size);
  return out;
}

Cycle find_cycle(const Map& map, const VecX& guess, int period) {
  const int n = map.size;
  Cycle cycle{false, guess, MatX::Identity(n, n)};
  MatX J(n, n);
  std::vector<double> row_major(static_cast<std::size_t>(n * n));
  VecX x(n), next(n);
  for (int iteration = 0; iteration < 100; ++iteration) {
    x = cycle.point;
    MatX product = MatX::Identity(n, n);
    for (int k = 0; k < period; ++k) {
      map.jacobian(x.data(), row_major.data());
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) J(i, j) = row_major[static_cast<std::size_t>(i * n + j)];
      product = J * product;
      map.step(x.data(), next.data());
      x.swap(next);
    }
    cycle.multiplier = product;
    const VecX correction = (MatX::Identity(n, n) - product).partialPivLu().solve(x - cycle.point);
    if (!correction.allFinite()) return cycle;
    cycle.point += correction;
    if (correction.norm() <= 1e-14 * (1 + cycle.point.norm())) {
      cycle.found = true;
      return cycle;
    }
  }
  return cycle;
}

}  // namespace freeplay::study
