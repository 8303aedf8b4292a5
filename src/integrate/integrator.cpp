// SPDX-License-Identifier: Apache-2.0
#include "integrate/integrator.hpp"

#include <array>

namespace freeplay::integrate {

namespace {

using Make = std::unique_ptr<Integrator> (*)(Method, Problem&, const Settings&);

std::unique_ptr<Integrator> make_explicit(Method, Problem& problem, const Settings& settings) {
  return make_dop853(problem, settings);
}
std::unique_ptr<Integrator> make_implicit(Method, Problem& problem, const Settings& settings) {
  return make_radau(problem, settings);
}
/// Work on the constrained equations themselves: sim/methods.cpp makes them.
std::unique_ptr<Integrator> make_none(Method, Problem&, const Settings&) { return nullptr; }

/// Who makes which; `automatic` begins with the explicit one (sim/stepper.cpp).
struct Maker {
  Method method;
  Make make;
};
constexpr std::array<Maker, 11> kMakers{{
    {Method::automatic, make_explicit},
    {Method::dop853, make_explicit},
    {Method::radau, make_implicit},
    {Method::cvode_adams, make_cvode},
    {Method::cvode_bdf, make_cvode},
    {Method::arkode_erk, make_arkode},
    {Method::arkode_dirk, make_arkode},
    {Method::ida, make_none},
    {Method::rk4, make_fixed_step},
    {Method::heun, make_fixed_step},
    {Method::moreau, make_none},
}};
consteval bool in_order() {
  for (std::size_t i = 0; i < kMakers.size(); ++i)
    if (static_cast<std::size_t>(kMakers[i].method) != i) return false;
  return true;
}
static_assert(in_order());

}  // namespace

std::unique_ptr<Integrator> make_integrator(Method method, Problem& problem,
                                            const Settings& settings) {
  return kMakers[static_cast<std::size_t>(method)].make(method, problem, settings);
}

}  // namespace freeplay::integrate
