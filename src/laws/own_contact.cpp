// SPDX-License-Identifier: Apache-2.0
#include "laws/contact/expression.hpp"
#include "laws/contact/plugin.hpp"
#include "laws/formula_checks.hpp"

#include <cmath>

// What contact laws of users do once, before anything moves.
namespace freeplay::laws {

template <class Function>
void OwnContact<Function>::settle(std::shared_ptr<const Function> function,
                                  const ContactSite& site) {
  compiled = std::move(function);
  mass = site.mass;
  reference = 1;
  // Damping may begin with an infinite slope, as d^0.25 does: cut off where it means nothing, a
  // millionth of the depth that the mass reaches at 0.1 m/s (theory/contact_laws (C.10)).
  const double speed = 0.1, energy = 0.5 * (mass > 0 ? mass : 1) * speed * speed;
  double deep = 1e-12;
  while (deep < 1 && potential(deep) < energy) deep *= 2;
  const auto slope = [&](double d) { return std::abs(slopes(d, speed, speed, mass)[1]); };
  floor = slope(1e-6 * deep) < slope(1e-12 * deep) ? 1e-6 * deep : 0;
}

template <class Function>
std::vector<Derived> OwnContact<Function>::derived() const {
  std::vector<Derived> out{{"force at rest at a depth of 1 um", elastic(1e-6), "N"}};
  if (!(mass > 0)) return out;
  const auto push = [this](double d, double v, double v0) { return force(Contact<>{d, v, v0}); };
  for (const auto& [speed, name] : {std::pair(0.1, "restitution of two free bodies at 0.1 m/s"),
                                    std::pair(1.0, "restitution of two free bodies at 1 m/s")})
    if (const double e = free_restitution(push, mass, speed); std::isfinite(e))
      out.push_back({name, e, "1"});
  return out;
}

template struct OwnContact<CompiledFormula>;
template struct OwnContact<PluginFunction>;

}  // namespace freeplay::laws
