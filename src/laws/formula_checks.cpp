// SPDX-License-Identifier: Apache-2.0
#include "laws/formula_checks.hpp"

#include "laws/formula.hpp"
#include "laws/plugin_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace freeplay::laws {
namespace {

constexpr double kSlack = 1e-9;  // of the largest value: what rounding leaves of a zero

using Values = std::array<double, CompiledFormula::kMostVariables>;

}  // namespace

Asked asked(const CompiledFormula& formula) {
  const auto probe = std::make_shared<CompiledFormula::Probe>(formula);
  return {[probe](const double* at) { return (*probe)(at); },
          [&formula](const double* at) { return formula.with_slopes(at); },
          [probe] { return probe->divides_by_zero(); }};
}

Asked asked(const PluginFunction& function) {
  return {[&function](const double* at) { return function.value(at); },
          [&function](const double* at) { return function.with_slopes(at); }, [] { return false; }};
}

std::string contact_faults(const Asked& force, const ContactReach& reach) {
  constexpr double kFastest = 10, kSlowest = 1e-5;                    // m/s
  constexpr double kAtTouch = 1e-30;                                  // m: as good as no depth
  constexpr std::array kRates{-1.0, -0.5, -0.1, 0.0, 0.1, 0.5, 1.0};  // of the approach speed
  double largest = 0;
  std::string gains, pulls;
  for (const double v0 : decades(kSlowest, kFastest))
    for (const double d : decades(1e-9 * reach.deepest, reach.deepest)) {
      std::array<double, kRates.size()> f{};
      for (std::size_t k = 0; k < kRates.size(); ++k) {
        const Values at{d, kRates[k] * v0, v0, reach.mass};
        f[k] = force.value(at.data());
        const auto place = [&] {
          return fmt::format("at d = {:.3g}, v = {:.3g}, v0 = {:.3g}", at[0], at[1], at[2]);
        };
        if (force.divides_by_zero())
          return fmt::format("it divides by zero {} or between there and a neighbouring point",
                             place());
        if (std::isnan(f[k])) return "its force is no finite number " + place();
      }
      const std::size_t rest = kRates.size() / 2;
      largest = std::max(largest, f[rest]);
      if (f[rest] < 0 && pulls.empty())
        pulls = fmt::format("at rest its parts pull at each other with {:.3g} at d = {:.3g}",
                            -f[rest], d);
      for (std::size_t k = 0; k < rest; ++k) {
        const double parting = reach.tension ? f[k] : std::max(f[k], 0.0),
                     approaching = reach.tension ? f[kRates.size() - 1 - k]
                                                 : std::max(f[kRates.size() - 1 - k], 0.0);
        if (gains.empty() && parting > approaching + kSlack * std::abs(approaching))
          gains = fmt::format(
              "it makes energy: at d = {:.3g} it pushes harder while the parts leave each other "
              "({:.4g} at v = {:.3g}) than while they approach ({:.4g})",
              d, parting, kRates[k] * v0, approaching);
      }
    }
  if (!(largest > 0)) return "its force at rest is not positive at any depth";
  if (!pulls.empty() && !reach.tension)
    return pulls + "; tension = true allows it, max(0, ...) cuts it off";
  if (!gains.empty()) return gains + "; is a sign wrong?";
  const Values touch{kAtTouch, 0, 1, reach.mass};
  const double at_touch = force.value(touch.data());
  if (!(std::abs(at_touch) <= kSlack * largest))
    return fmt::format(
        "its force at rest does not vanish with the depth (it is {:.3g} at d = 0): a contact that "
        "begins with a force can never come to rest at its edge",
        at_touch);
  return {};
}

std::string friction_faults(const Asked& coefficient, bool of_load) {
  constexpr double kFastest = 100, kSlowest = 1e-9;  // m/s
  const std::vector<double> loads = of_load ? decades(1e-3, 1e6) : std::vector{1.0};
  for (const double load : loads) {
    double largest = 0;
    for (const double v : decades(kSlowest, kFastest)) {
      const Values at{v, load};
      const double mu = coefficient.value(at.data());
      const auto place = [&] {
        return fmt::format("at v = {:.3g} m/s", v) +
               (of_load ? fmt::format(" and a load of {:.3g} N", load) : "");
      };
      if (coefficient.divides_by_zero())
        return fmt::format("it divides by zero {} or between there and a neighbouring point",
                           place());
      if (std::isnan(mu)) return "it is no finite number " + place();
      if (mu < 0)
        return fmt::format("it is {:.3g} {}: friction would push the slip on", mu, place());
      largest = std::max(largest, mu);
    }
    const Values rest{0, load};
    const auto at_rest = coefficient.with_slopes(rest.data());
    if (!(std::abs(at_rest[0]) <= kSlack * largest))
      return fmt::format(
          "it is {:.3g} at rest, where friction has no direction: let it vanish with the speed, as "
          "with tanh(v/v1), or take 'coulomb', which holds at rest",
          at_rest[0]);
    if (!std::isfinite(at_rest[1]))
      return "it rises from rest with an infinite slope: let it be smooth at v = 0, as tanh(v/v1)";
  }
  return {};
}

std::string wear_faults(const Asked& rate) {
  constexpr double k = 1e-14;  // 1/Pa
  for (const double p : decades(1e3, 1e10))
    for (const double v : decades(1e-6, 100))
      for (const double shear : {0.0, 0.1 * p, p})
        for (const double h : {0.0, 1e-9, 1e-6, 1e-3}) {
          const Values at{k, p, v, shear, h};
          const double found = rate.value(at.data());
          const auto place = [&] {
            return fmt::format("at p = {:.3g} Pa, v = {:.3g} m/s, shear = {:.3g} Pa, h = {:.3g} m",
                               p, v, shear, h);
          };
          if (rate.divides_by_zero())
            return fmt::format("it divides by zero {} or between there and a neighbouring point",
                               place());
          if (std::isnan(found)) return "it is no finite number " + place();
          if (found < 0)
            return fmt::format("it is {:.3g} m/s {}: a surface cannot grow", found, place());
        }
  return {};
}

double free_restitution(const std::function<double(double, double, double)>& force, double mass,
                        double speed) {
  constexpr int kSteps = 4000, kMost = 200;
  double span = 10;  // s: far too long; halved until the bodies have met and parted within it
  for (int trial = 0; trial < kMost; ++trial, span /= 2) {
    double d = 0, v = speed;
    const double h = span / kSteps;
    int inside = 0;
    for (int k = 0; k < 4 * kSteps; ++k, ++inside) {
      const auto a = [&](double x, double u) { return -force(x, u, speed) / mass; };
      const double a1 = a(d, v), v2 = v + 0.5 * h * a1, a2 = a(d + 0.5 * h * v, v2),
                   v3 = v + 0.5 * h * a2, a3 = a(d + 0.5 * h * v2, v3), v4 = v + h * a3,
                   a4 = a(d + h * v3, v4);
      const double next = d + h / 6 * (v + 2 * v2 + 2 * v3 + v4);
      if (next <= 0) break;
      d = next;
      v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      if (!std::isfinite(v) || std::abs(v) > 2 * speed) break;
      if (v < 0 && force(d, v, speed) <= 0) break;  // let go before the depth is gone
    }
    if (inside < kSteps / 4 || !std::isfinite(v)) continue;
    if (inside == 4 * kSteps) break;
    return v <= 0 ? -v / speed : std::numeric_limits<double>::quiet_NaN();
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace freeplay::laws
