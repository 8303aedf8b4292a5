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
      precise_(precise) {}

void Locator::restart(const State& state, bool jumped) {
  if (before_.empty()) return;
  rates_known_ = system_.event_rates(state.time, state.y.data(), state.memory.data(),
                                     before_.data(), rate_before_.data());
  if (!rates_known_)
    system_.event_values(state.time, state.y.data(), state.memory.data(), before_.data());
  // On which side of zero a function is was just decided by the event, not by the last bits of the
  // state that it was carried out on: what parted with a depth of round-off must be able to touch
  // again, or it is lost for ever.
  constexpr double kTiny = std::numeric_limits<double>::min();
  for (const Crossing& c : found_.crossings) {
    double& g = before_[static_cast<std::size_t>(c.which)];
    g = c.upward ? std::max(g, kTiny) : std::min(g, -kTiny);
  }
  fresh_ = false;
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

/// True when nothing can have crossed zero: at both ends of the step every function is further from
/// it, on the same side, than twice what its rates at the ends, and the mean rate between them,
/// would cover in the whole step. A cubic with these ends strays from its chord by less than a
/// third of that; what is left is for the part of the motion that only the high order of the step
/// knows.
bool Locator::clear(double h) const {
  for (std::size_t k = 0; k < before_.size(); ++k) {
    const double a = before_[k], b = end_[k];
    const double fastest = std::max(std::abs(rate_before_[k]), std::abs(rate_now_[k]));
    if ((a > 0) != (b > 0) ||
        !(std::min(std::abs(a), std::abs(b)) > 2 * std::max(h * fastest, std::abs(b - a))))
      return false;
  }
  return true;
}

const Found* Locator::first(double t0, double t1, const std::vector<double>& memory,
                            const VecX& end,
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
  const bool nothing = known_before && rates_known_ && !after_jump_ && clear(t1 - t0);
  rate_before_ = rate_now_;
  if (nothing) {
    before_ = end_;
    return nullptr;
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

  double left = t0;
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
