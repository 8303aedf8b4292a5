// SPDX-License-Identifier: Apache-2.0
#include "sim/peaks.hpp"

#include <boost/math/tools/minima.hpp>

#include <algorithm>
#include <cmath>

namespace freeplay::sim {
namespace {

/// Parts into which a step is cut. What an eighth of a step of high order hides is a single peak.
constexpr int kParts = 8;

}  // namespace

PeakSearch::PeakSearch(dynamics::System& system) : system_(system) {
  if (const dynamics::Contacts* all = system.all_contacts())
    seen_.resize(static_cast<std::size_t>(all->size()) * (kParts + 1));
}

/// The record, or what one contact exceeds it by; `at(part)` looks at any instant of the step,
/// counted in parts of it. The parabola through three looks tells whether there can be a peak
/// between them that is worth finding: while a load only rises or falls nobody searches.
template <class At>
double PeakSearch::highest(int contact, What what, double record, const At& at) const {
  const std::size_t count = seen_.size() / (kParts + 1);
  const auto f = [&](int k) { return seen_[k * count + static_cast<std::size_t>(contact)].*what; };
  int best = 0;
  for (int k = 1; k <= kParts; ++k)
    if (f(k) > f(best)) best = k;
  const double top = std::max(record, f(best));
  const int middle = std::clamp(best, 1, kParts - 1);
  const double bend = 2 * f(middle) - f(middle - 1) - f(middle + 1);
  if (!(bend > 0 && f(best) + bend > record)) return top;
  const double vertex = middle + 0.5 * (f(middle + 1) - f(middle - 1)) / bend;
  // chosen: a quarter of a part for what the parabola does not know
  if (vertex < -0.25 || vertex > kParts + 0.25) return top;
  // Brent 1973, in parts of the step: a peak is flat, so half the digits in time are all of its
  // own.
  const auto [where, lowest] = boost::math::tools::brent_find_minima(
      [&](double part) { return -at(part); }, std::max(0.0, best - 1.0),
      std::min<double>(kParts, best + 1.0), 26);
  return std::max(top, -lowest);
}

void PeakSearch::look(double t0, double t1, State& state,
                      const std::function<void(double, VecX&)>& interpolate) {
  const dynamics::Contacts& all = *system_.all_contacts();
  const auto count = static_cast<std::size_t>(all.size());
  const double* memory = state.memory.data();
  const auto instant = [&](double part) { return t0 + (t1 - t0) * (part / kParts); };
  const auto look_at = [&](double t, int first, std::span<dynamics::Peak> out) {
    interpolate(t, y_);
    system_.loads(t, y_.data(), memory, first, out);
  };
  for (int k = 0; k <= kParts; ++k)
    look_at(k == kParts ? t1 : instant(k), 0, std::span(seen_).subspan(k * count, count));
  for (std::size_t c = 0; c < count; ++c) {
    double* own = &state.memory[all.list()[c].own_memory()];
    joints::ContactMemory past = joints::recall(own);
    if (past.touching == 0) continue;
    const auto raise = [&](double& record, What what) {
      record = highest(static_cast<int>(c), what, record, [&](double part) {
        dynamics::Peak now;
        look_at(instant(part), static_cast<int>(c), {&now, 1});
        return now.*what;
      });
    };
    raise(past.peak_force, &dynamics::Peak::force);
    raise(past.peak_depth, &dynamics::Peak::depth);
    joints::remember(own, past);
  }
}

}  // namespace freeplay::sim
