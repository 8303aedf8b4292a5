// SPDX-License-Identifier: Apache-2.0
#include "integrate/integrator.hpp"

namespace freeplay::integrate {

std::unique_ptr<Integrator> make_integrator(Method method, Problem& problem,
                                            const Settings& settings) {
  switch (method) {
    case Method::automatic:
    case Method::dop853:
      return make_dop853(problem, settings);
    case Method::rk4:
    case Method::heun:
      return make_fixed_step(method, problem, settings);
    case Method::cvode_adams:
    case Method::cvode_bdf:
      return make_cvode(method, problem, settings);
    case Method::arkode_erk:
    case Method::arkode_dirk:
      return make_arkode(method, problem, settings);
    case Method::ida:
      break;  // works on the constrained equations themselves: see sim/run.cpp
  }
  return nullptr;
}

}  // namespace freeplay::integrate
