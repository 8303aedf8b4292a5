// SPDX-License-Identifier: Apache-2.0
#include "laws/contact/plugin.hpp"
#include "laws/formula_checks.hpp"
#include "laws/friction/plugin.hpp"
#include "laws/wear/plugin.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

// What the laws of plug-ins do once, before anything moves.
namespace freeplay::laws {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// ---- the laws of the worked samples, written as a plug-in writes them

constexpr double kStiffness = 1e10, kDamping = 0.75 * (1 - 0.9 * 0.9), kFriction = 0.1, kV1 = 1e-3;

int sample_force(const double* at, const double*, int slopes, double* out, void*) {
  const double power = at[0] * std::sqrt(at[0]), damper = 1 + kDamping * at[1] / at[2];
  out[0] = kStiffness * power * damper;
  if (slopes) {
    out[1] = kStiffness * 1.5 * std::sqrt(at[0]) * damper;
    out[2] = kStiffness * power * kDamping / at[2];
  }
  return 0;
}
int sample_coefficient(const double* at, const double*, int slopes, double* out, void*) {
  const double t = std::tanh(at[0] / kV1);
  out[0] = kFriction * t;
  if (slopes) {
    out[1] = kFriction * (1 - t * t) / kV1;
    out[2] = 0;
  }
  return 0;
}
int sample_rate(const double* at, const double*, int, double* out, void*) {
  out[0] = at[0] * at[1] * at[2];
  return 0;
}

std::shared_ptr<const PluginFunction> sample_of(const char* kind, freeplay_evaluate* evaluate,
                                                int slopes) {
  const freeplay_law law{kind,     "sample", "the law of the worked samples", slopes, 0, nullptr,
                         evaluate, nullptr};
  return PluginFunction::make(copied(law), {});
}

/// What is wrong, with the law's own words for it where it has some.
std::string said(const PluginFunction& function, const std::string& why, const char* of) {
  if (why.empty()) return {};
  const std::string trouble = function.trouble();
  return trouble.empty() ? fmt::format("{} of '{}': {}", of, function.law().name, why) : trouble;
}

}  // namespace

// ---- contact

std::shared_ptr<const PluginFunction> ContactPlugin::sample() {
  static const auto law = sample_of("contact", &sample_force, FREEPLAY_EXACT_SLOPES);
  return law;
}

std::array<double, 3> ContactPlugin::numbers_of(const ContactSite& site) const {
  const double R = site.effective_radius();
  const bool round = curved && site.inner_radius > 0 && site.outer_radius > 0 && std::isfinite(R);
  return {site.composite_modulus > 0 ? site.composite_modulus : kNone, round && R > 0 ? R : kNone,
          site.length > 0 ? site.length : kNone};
}

std::string ContactPlugin::misfit(const ContactSite& site) const {
  ContactReach reach{.tension = tension};
  if (std::isfinite(site.clearance()) && site.clearance() > 0) reach.deepest = site.clearance();
  reach.mass = site.mass > 0 ? site.mass : kNone;
  const std::array<double, 3> numbers = numbers_of(site);
  const auto there = function->at_site(numbers);
  const std::string why = said(*there, contact_faults(asked(*there), reach), "the force");
  if (there->trouble().empty()) return why;
  std::string missing;
  for (const auto& [name, x] :
       {std::pair("mass", reach.mass), std::pair("modulus (give the joint a material)", numbers[0]),
        std::pair("radius", numbers[1]), std::pair("length", numbers[2])})
    if (std::isnan(x)) missing += (missing.empty() ? "" : ", ") + std::string(name);
  return missing.empty() ? why : why + fmt::format("; not known there: {}", missing);
}

void ContactPlugin::prepare(const ContactSite& site) {
  settle(function->at_site(numbers_of(site)), site);
}

// ---- friction

std::shared_ptr<const PluginFunction> FrictionPlugin::sample() {
  static const auto law = sample_of("friction", &sample_coefficient, FREEPLAY_EXACT_SLOPES);
  return law;
}

bool FrictionPlugin::depends_on_load() const {
  for (const double v : {1e-6, 1e-4, 1e-2, 1.0}) {
    const double at_one = compiled->value(std::array{v, 1.0}.data());
    for (const double load : {1e-3, 30.0, 1e3, 1e5})
      if (const double other = compiled->value(std::array{v, load}.data());
          other != at_one && !(std::isnan(other) && std::isnan(at_one)))
        return true;
  }
  return false;
}

std::string FrictionPlugin::conflict() const {
  compiled->forget_trouble();
  const std::string why = friction_faults(asked(*compiled), depends_on_load());
  std::string out = said(*compiled, why, "the coefficient");
  compiled->forget_trouble();
  return out;
}

// ---- wear

std::shared_ptr<const PluginFunction> WearPlugin::sample() {
  static const auto law = sample_of("wear", &sample_rate, FREEPLAY_FINITE_SLOPES);
  return law;
}

void WearPlugin::take(std::shared_ptr<const PluginFunction> given) {
  function = std::move(given);
  const auto at = [&](double shear) {
    return function->value(std::array{1e-14, 1e7, 0.1, shear, 1e-6}.data());
  };
  uses_shear = at(0) != at(1e6);
}

std::string WearPlugin::conflict() const {
  if (std::string why = WearLawBase::conflict(); !why.empty()) return why;
  function->forget_trouble();
  std::string out = said(*function, wear_faults(asked(*function)), "the rate");
  function->forget_trouble();
  return out;
}

}  // namespace freeplay::laws
