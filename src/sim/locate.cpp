// SPDX-License-Identifier: Apache-2.0
#include "sim/locate.hpp"

#include <boost/math/tools/toms748_solve.hpp>

#include <algorithm>
#include <cmath>

namespace freeplay::sim {

Locator::Locator(dynamics::System& system)
    : system_(system),
      before_(system.event_count()),
      now_(system.event_count()),
      rate_before_(system.event_count()),
      rate_now_(system.event_count()),
      end_(system.event_count()) {}

void Locator::restart(const State& state) {
  if (before_.empty()) return;
  rates_known_ = system_.event_rates(state.time, state.y.data(), state.memory.data(),
                                     before_.data(), rate_before_.data());
  if (!rates_known_)
    system_.event_values(state.time, state.y.data(), state.memory.data(), before_.data());
  fresh_ = false;
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
  const bool nothing = known_before && rates_known_ && clear(t1 - t0);
  rate_before_ = rate_now_;
  if (nothing) {
    before_ = end_;
    return nullptr;
  }

  // Look at eight points of the step: a gap that closes and opens again within an eighth of a step
  // of order 8 is far below what the step's own accuracy resolves.
  constexpr int kLooks = 8;
  double left = t0;
  for (int look = 1; look <= kLooks; ++look) {
    const double right = look == kLooks ? t1 : t0 + (t1 - t0) * look / kLooks;
    values(right, now_);
    bool any = false;
    for (int k = 0; k < n; ++k) any |= (before_[k] > 0) != (now_[k] > 0);
    if (!any) {
      left = right;
      before_ = now_;
      continue;
    }
    // Earliest root among those that changed sign, to the last bits of time.
    double earliest = right;
    std::vector<double> g(n);
    for (int k = 0; k < n; ++k) {
      if ((before_[k] > 0) == (now_[k] > 0)) continue;
      const auto f = [&](double t) {
        values(t, g);
        return g[k];
      };
      std::uintmax_t iterations = 100;
      const auto narrow = [](double a, double b) {
        return std::abs(b - a) <= 4e-16 * std::max(std::abs(a), std::abs(b));
      };
      double a = left, b = right;
      if (before_[k] != 0 && now_[k] != 0)
        std::tie(a, b) = boost::math::tools::toms748_solve(f, left, right, before_[k], now_[k],
                                                           narrow, iterations);
      earliest = std::min(earliest, b);
    }
    values(earliest, now_);
    found_.time = earliest;
    found_.crossings.clear();
    for (int k = 0; k < n; ++k)
      if ((before_[k] > 0) != (now_[k] > 0)) found_.crossings.push_back({k, now_[k] > 0});
    if (found_.crossings
            .empty()) {  // the root sits on the last bit: take the next representable instant
      found_.time = std::nextafter(earliest, t1);
      values(found_.time, now_);
      for (int k = 0; k < n; ++k)
        if ((before_[k] > 0) != (now_[k] > 0)) found_.crossings.push_back({k, now_[k] > 0});
    }
    before_ = now_;
    return found_.crossings.empty() ? nullptr : &found_;
  }
  return nullptr;
}

}  // namespace freeplay::sim
