// SPDX-License-Identifier: Apache-2.0
#include "sim/locate.hpp"

#include <boost/math/tools/toms748_solve.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeplay::sim {

Locator::Locator(dynamics::System& system, bool precise)
    : system_(system),
      before_(system.event_count()),
      now_(before_),
      probe_(before_),
      rate_before_(before_),
      rate_now_(before_),
      end_(before_),
      forecast_(before_),
      earlier_(before_),
      precise_(precise) {}

void Locator::restart(const State& state, bool jumped) {
  if (before_.empty()) return;
  rates_known_ = system_.event_rates(state.time, state.y.data(), state.memory.data(),
                                     before_.data(), rate_before_.data());
  if (!rates_known_)
    system_.event_values(state.time, state.y.data(), state.memory.data(), before_.data());
  // What has just crossed is across, even if projection left it a rounding short of it: the way
  // back would not be seen otherwise when the next step is long.
  just_crossed_.clear();
  if (!jumped)
    std::copy_if(found_.crossings.begin(), found_.crossings.end(),
                 std::back_inserter(just_crossed_),
                 [&](const Crossing& crossing) { return system_.goes_on(crossing.which); });
  for (const Crossing& crossing : just_crossed_)
    if (double& g = before_[static_cast<std::size_t>(crossing.which)]; (g > 0) != crossing.upward)
      g = crossing.upward ? std::numeric_limits<double>::min() : 0.0;
  fresh_ = false;
  std::fill(forecast_.begin(), forecast_.end(), std::numeric_limits<double>::quiet_NaN());
  after_jump_ |= jumped;
}

const std::vector<Crossing>& Locator::slipped_past(const State& state) {
  slipped_.clear();
  system_.event_values(state.time, state.y.data(), state.memory.data(), now_.data());
  for (std::size_t k = 0; k < before_.size(); ++k) {
    const bool dealt_with =
        std::any_of(found_.crossings.begin(), found_.crossings.end(),
                    [&](const Crossing& c) { return c.which == static_cast<int>(k); });
    if (!dealt_with && before_[k] <= 0 && now_[k] > 0)
      slipped_.push_back({static_cast<int>(k), true});
  }
  return slipped_;
}

/// True when nothing can have crossed zero: the cubic through values and rates at both ends of the
/// step keeps clear of it. The cubic lies between the least and the largest of its Bernstein
/// coefficients; a tenth of what they span is left for the part of the motion that only the high
/// order of the step knows (a vibration of one radian a step strays by a 384th of its amplitude).
bool Locator::clear(double h, int landed) const {
  for (std::size_t k = 0; k < before_.size(); ++k) {
    if (static_cast<int>(k) == landed) continue;
    const double a = before_[k], b = end_[k];
    if ((a > 0) != (b > 0)) return false;
    const double c = a + h * rate_before_[k] / 3, d = b - h * rate_now_[k] / 3;
    const double low = std::min({a, b, c, d}), high = std::max({a, b, c, d});
    const double margin = 0.1 * (high - low), side = b > 0 ? 1 : -1;
    // What has just crossed begins on its root and only has to leave it.
    const bool leaves =
        side * rate_before_[k] > 0 &&
        std::any_of(just_crossed_.begin(), just_crossed_.end(),
                    [&](const Crossing& x) { return x.which == static_cast<int>(k); });
    if (!((leaves || side * a > margin) && side * b > margin && side * c > margin &&
          side * d > margin))
      return false;
  }
  return true;
}

/// When function k gets to zero if it goes on as in the last step, of length h, that ended at t;
/// NaN: it does not.
double Locator::forecast(std::size_t k, double t, double h) const {
  const double g = end_[k], rate = rate_now_[k], bend = (rate - rate_before_[k]) / h;
  const double square = rate * rate - 2 * bend * g;  // g + rate x + bend/2 x^2 = 0
  if (!(g > 0 && rate < 0 && square > 0)) return std::numeric_limits<double>::quiet_NaN();
  return t + 2 * g / (-rate + std::sqrt(square));
}

Locator::Soonest Locator::soonest(double t) const {
  Soonest out;
  for (std::size_t k = 0; k < before_.size() && precise_; ++k)
    // Forecasts of a contact that vibrates while it lasts do not agree from step to step.
    if (std::abs(forecast_[k] - earlier_[k]) < 0.5 * (forecast_[k] - t) &&
        (out.which < 0 || forecast_[k] < out.time))
      out = {static_cast<int>(k), forecast_[k]};
  return out;
}

const Found* Locator::first(double t0, double t1, const std::vector<double>& memory,
                            const VecX& end, int landed,
                            const std::function<void(double, VecX&)>& interpolate) {
  const int n = static_cast<int>(before_.size());
  if (n == 0) return nullptr;
  const auto values = [&](double t, std::vector<double>& g) {
    interpolate(t, y_);
    system_.event_values(t, y_.data(), memory.data(), g.data());
  };
  if (fresh_) values(t0, before_);
  fresh_ = false;
  const bool known_before = rates_known_;
  rates_known_ = system_.event_rates(t1, end.data(), memory.data(), end_.data(), rate_now_.data());
  const bool nothing = known_before && rates_known_ && !after_jump_ && clear(t1 - t0, landed);
  forecast_.swap(earlier_);
  for (std::size_t k = 0; k < before_.size(); ++k)
    forecast_[k] = known_before && rates_known_ ? forecast(k, t1, t1 - t0)
                                                : std::numeric_limits<double>::quiet_NaN();
  rate_before_ = rate_now_;
  if (nothing) {
    before_ = end_;
    just_crossed_.clear();
    if (landed < 0) return nullptr;
    found_.time = t1;
    found_.crossings.assign(1, {landed, false});
    return &found_;
  }

  // Look at eight points of the step: a gap that closes and opens again within an eighth of a step
  // of order 8 is far below what the step's own accuracy resolves. Just after an impulse this
  // does not hold: the next bounce may follow after any fraction of the step, so the looks close in
  // on it.
  looks_.clear();
  if (!precise_) after_jump_ = false;
  const double h = t1 - t0;
  if (after_jump_)
    for (int decade = 12; decade >= 2; --decade) looks_.push_back(t0 + h * std::pow(10, -decade));
  constexpr int kLooks = 8;
  for (int look = 1; look < kLooks && precise_; ++look) looks_.push_back(t0 + h * look / kLooks);
  looks_.push_back(t1);

  double left = leave_root(t0, h, values);
  for (const double right : looks_) {
    if (!(right > left)) continue;
    values(right, now_);
    bool any = false;
    for (int k = 0; k < n; ++k) any |= (before_[k] > 0) != (now_[k] > 0);
    if (!any) {
      left = right;
      before_.swap(now_);
      continue;
    }
    double earliest = right;
    for (int k = 0; k < n && precise_; ++k)
      if ((before_[k] > 0) != (now_[k] > 0))
        earliest = std::min(earliest, just_past_root(k, left, right, values));
    values(earliest, now_);
    found_.time = earliest;
    after_jump_ = after_jump_ && earliest - t0 < 1e-2 * h;  // the first thing may be parting
    found_.crossings.clear();
    for (int k = 0; k < n; ++k)
      if ((before_[k] > 0) != (now_[k] > 0)) found_.crossings.push_back({k, now_[k] > 0});
    before_.swap(now_);
    return &found_;
  }
  after_jump_ = false;
  return nullptr;
}

/// Where to begin looking in a step that starts on a root. Round-off makes the function that has
/// just crossed change its sign there any number of times; the first point where it is clear of
/// that counts as the beginning, unless something else has happened on the way.
template <class Values>
double Locator::leave_root(double t0, double h, const Values& values) {
  if (just_crossed_.empty() || after_jump_ || !precise_) return t0;
  constexpr double kNoise = 1e-14;  // chosen: some hundred roundings of a length of 0.1 m
  double left = t0;
  for (int decade = 9; decade >= 2 && left == t0; --decade) {
    const double t = t0 + h * std::pow(10, -decade);
    values(t, now_);
    bool clear = true, same = true;
    for (const Crossing& crossing : just_crossed_)
      clear &= std::abs(now_[static_cast<std::size_t>(crossing.which)]) > kNoise;
    if (!clear) continue;
    for (std::size_t k = 0; k < now_.size(); ++k) same &= (now_[k] > 0) == (before_[k] > 0);
    if (!same) break;
    left = t;
    before_.swap(now_);
  }
  just_crossed_.clear();
  return left;
}

/// The root of function k in (left, right], to the last bits of time, on the side where the
/// function already has its new sign.
template <class Values>
double Locator::just_past_root(int k, double left, double right, const Values& values) {
  const bool sign = now_[k] > 0;
  const auto f = [&](double t) {
    values(t, probe_);
    return probe_[k];
  };
  double fa = before_[k], a = left;
  if (fa == 0) {  // the step begins on the root
    a = left + 1e-12 * (right - left);
    if (!(a > left)) return right;
    fa = f(a);
    if ((fa > 0) == sign || fa == 0) return fa == 0 ? right : a;
  }
  double b = right;
  if (now_[k] != 0) {
    std::uintmax_t iterations = 100;
    const auto narrow = [](double x, double y) {
      return std::abs(y - x) <= 4e-16 * std::max(std::abs(x), std::abs(y));
    };
    b = boost::math::tools::toms748_solve(f, a, right, fa, now_[k], narrow, iterations).second;
  }
  // Round-off in the function may leave the old sign there: go on until it has turned.
  for (double step = 4e-16 * std::max(std::abs(b), right - left); b < right; step *= 2) {
    if ((f(b) > 0) == sign) return b;
    b = std::min(right, b + step);
  }
  return right;
}

}  // namespace freeplay::sim
