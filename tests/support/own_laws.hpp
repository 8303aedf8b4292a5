// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/plugins.hpp>

#include <cmath>
#include <limits>

// Laws that the tests register as a program would: "@power", K d^1.5 (1 + b v/v0) and mu
// tanh(v/v1), "@rate", k p v; and "@steps", the first without its slopes.
namespace freeplay::testing {

inline int power_force(const double* at, const double* p, int slopes, double* out, void*) {
  const double f = p[0] * at[0] * std::sqrt(at[0]), damper = 1 + p[1] * at[1] / at[2];
  out[0] = f * damper;
  if (slopes) {
    out[1] = 1.5 * p[0] * std::sqrt(at[0]) * damper;
    out[2] = f * p[1] / at[2];
  }
  return 0;
}
inline int tanh_coefficient(const double* at, const double* p, int slopes, double* out, void*) {
  const double t = std::tanh(at[0] / p[1]);
  out[0] = p[0] * t;
  if (slopes) {
    out[1] = p[0] * (1 - t * t) / p[1];
    out[2] = 0;
  }
  return 0;
}
inline int archard_rate(const double* at, const double*, int, double* out, void*) {
  out[0] = at[0] * at[1] * at[2];
  return 0;
}

inline void register_own_laws() {
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   none = std::numeric_limits<double>::quiet_NaN();
  const freeplay_parameter spring[] = {{"K", "N/m^1.5", "", none, 0, inf},
                                       {"b", "1", "", 0, 0, inf}},
                           slide[] = {{"mu", "1", "", none, 0, inf},
                                      {"v1", "m/s", "", 1e-3, 0, inf}};
  for (const freeplay_law& law : {freeplay_law{"contact", "power", "", FREEPLAY_EXACT_SLOPES, 2,
                                               spring, &power_force, nullptr},
                                  freeplay_law{"contact", "steps", "", FREEPLAY_FINITE_SLOPES, 2,
                                               spring, &power_force, nullptr},
                                  freeplay_law{"friction", "power", "", FREEPLAY_EXACT_SLOPES, 2,
                                               slide, &tanh_coefficient, nullptr},
                                  freeplay_law{"friction", "steps", "", FREEPLAY_FINITE_SLOPES, 2,
                                               slide, &tanh_coefficient, nullptr},
                                  freeplay_law{"wear", "rate", "", FREEPLAY_FINITE_SLOPES, 0,
                                               nullptr, &archard_rate, nullptr}})
    register_law(law);
}

}  // namespace freeplay::testing
