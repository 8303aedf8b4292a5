// SPDX-License-Identifier: Apache-2.0
#include "laws/contact.hpp"

#include <fmt/format.h>

#include <cmath>

namespace freeplay::laws {

double ContactSite::effective_radius() const {
  // A concave radius is negative (Johnson 1985): pin in hole 1/R = 1/R_j - 1/R_i.
  return 1 / (1 / inner_radius + (external_curvature ? 1 : -1) / outer_radius);
}

double hertz_stiffness(const ContactSite& site) {
  return 4.0 / 3 * site.composite_modulus * std::sqrt(site.effective_radius());
}

std::string misfit_of_point(const ContactSite& site) {
  if (!(site.composite_modulus > 0)) return "needs a material, or a contact stiffness";
  if (!(site.outer_radius > 0 && site.inner_radius > 0))
    return "needs two radii to derive its stiffness from, or a contact stiffness";
  if (!site.external_curvature && !(site.clearance() > 0))
    return "needs an outer radius above the inner one";
  return {};
}

std::string misfit_of_line(const ContactSite& site) {
  if (site.spherical || !(site.length > 0)) return "is a law for line contact and needs a length";
  if (site.external_curvature)
    return "is a law for a pin in a hole; external curvature has no meaning for it";
  if (!std::isfinite(site.outer_radius)) return "needs a finite outer radius";
  return misfit_of_point(site);
}

std::string misfit_of_mass(const ContactSite& site, double mass) {
  const bool known = std::isnan(mass) ? site.mass > 0 : mass > 0;
  return known ? "" : "needs the effective mass of the contact";
}

std::string stiffness_unit(double exponent) {
  return exponent == 1 ? "N/m" : fmt::format("N/m^{:.6g}", exponent);
}

}  // namespace freeplay::laws
