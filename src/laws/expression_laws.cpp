// SPDX-License-Identifier: Apache-2.0
#include "laws/contact/expression.hpp"
#include "laws/formula_checks.hpp"
#include "laws/friction/expression.hpp"
#include "laws/wear/expression.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

// What the laws that are written as a formula do once, before anything moves.
namespace freeplay::laws {

// ---- contact

bool ContactExpression::take(FormulaCode given) {
  code = std::move(given);
  return CompiledFormula::make(code) != nullptr;
}

std::shared_ptr<const CompiledFormula> ContactExpression::compile(const ContactSite& site) const {
  constexpr double open = std::numeric_limits<double>::quiet_NaN();
  return CompiledFormula::make(code, std::array{open, open, open, open, site.composite_modulus,
                                                site.effective_radius(), site.length});
}

std::string ContactExpression::misfit(const ContactSite& site) const {
  const auto missing = [](const char* name, const char* remedy) {
    return fmt::format("its formula names '{}', which is not known there; {}", name, remedy);
  };
  const double R = site.effective_radius();
  const bool curved = site.inner_radius > 0 && site.outer_radius > 0 && std::isfinite(R);
  if (code.uses(kMass) && !(site.mass > 0))
    return missing("mass", "give the formula a number of its own");
  if (code.uses(kModulus) && !(site.composite_modulus > 0))
    return missing("modulus", "give the joint a material");
  if (code.uses(kRadius) && !(curved && R > 0))
    return missing("radius", "it takes two radii, the outer one larger");
  if (code.uses(kLength) && !(site.length > 0)) return missing("length", "it takes a line contact");
  ContactReach reach{.tension = tension};
  if (std::isfinite(site.clearance()) && site.clearance() > 0) reach.deepest = site.clearance();
  if (site.mass > 0) reach.mass = site.mass;
  const auto there = compile(site);
  return contact_faults(asked(*there), reach);
}

void ContactExpression::prepare(const ContactSite& site) { settle(compile(site), site); }

// ---- friction

bool FrictionExpression::take(FormulaCode given) {
  code = std::move(given);
  compiled = CompiledFormula::make(code);
  return compiled != nullptr;
}

std::string FrictionExpression::conflict() const {
  const std::string why = friction_faults(asked(*compiled), depends_on_load());
  return why.empty() ? why : "the coefficient of its formula: " + why;
}

// ---- wear

bool WearExpression::take(FormulaCode given) {
  code = std::move(given);
  compiled = CompiledFormula::make(code);
  uses_shear = code.uses(kShear);
  return compiled != nullptr;
}

std::string WearExpression::conflict() const {
  if (std::string why = WearLawBase::conflict(); !why.empty()) return why;
  if (!code.uses(kCoefficient)) return "the formula does not name k, the coefficient of the part";
  const std::string why = wear_faults(asked(*compiled));
  return why.empty() ? why : "the rate of the formula: " + why;
}

}  // namespace freeplay::laws
