// SPDX-License-Identifier: Apache-2.0
#include "films/catalogue.hpp"

#include "laws/catalogue_of.hpp"

#include <fmt/format.h>

namespace freeplay::films {
namespace {

template <FilmLawType L>
std::vector<std::string> traits(std::type_identity<L>) {
  std::vector<std::string> out{L::spherical ? "ball in socket" : "journal in bearing"};
  if constexpr (requires { L::cavitation; }) {
    out.emplace_back("solved numerically");
    if (L::cavitation == Cavitation::mass_conserving) out.emplace_back("remembers its voids");
  }
  return out;
}
std::vector<std::string> traits(...) { return {"joints"}; }

std::string described(const FilmSample& s) {
  return fmt::format(
      "e = ({:g}, {:g}) m, e' = ({:g}, {:g}) m/s, spins {:g} and {:g} rad/s: ({:.6g}, {:.6g}) N",
      s.at.ex, s.at.ey, s.at.ex_dot, s.at.ey_dot, s.at.spin_outer, s.at.spin_inner, s.fx, s.fy);
}
std::string described(const ShareSample& s) {
  return fmt::format("e = {:g} m in c = {:g} m: {:g} of the film, {:g} of the contact",
                     s.eccentricity, s.clearance, s.film, s.dry);
}
std::string described(const BushingSample& s) {
  return fmt::format("e = {:g} m, e' = {:g} m/s along it: {:g} N", s.displacement, s.rate, s.force);
}

template <class V>
std::vector<laws::Entry> catalogue(std::string_view kind) {
  return laws::catalogue_of<V>(
      kind, []<class L>(std::type_identity<L> l) { return traits(l); },
      [](const auto& sample) { return described(sample); });
}

}  // namespace

std::vector<laws::Entry> film_catalogue() { return catalogue<FilmLaw>("film"); }
std::vector<laws::Entry> transition_catalogue() { return catalogue<TransitionLaw>("transition"); }
std::vector<laws::Entry> bushing_catalogue() { return catalogue<BushingLaw>("bushing"); }

std::vector<laws::Fault> faults(const FilmLaw& law) {
  return std::visit([](const auto& l) { return laws::faults_of(l); }, law);
}
std::vector<laws::Fault> faults(const TransitionLaw& law) {
  return std::visit([](const auto& l) { return laws::faults_of(l); }, law);
}
std::vector<laws::Fault> faults(const BushingLaw& law) {
  return std::visit([](const auto& l) { return laws::faults_of(l); }, law);
}
std::string misfit(const FilmLaw& law, const FilmSite& site) {
  return std::visit([&](const auto& l) { return l.misfit(site); }, law);
}
void prepare(FilmLaw& law, const FilmSite& site) {
  std::visit([&](auto& l) { l.prepare(site); }, law);
}
std::vector<Derived> derived(const FilmLaw& law) {
  return std::visit([](const auto& l) { return l.derived(); }, law);
}

}  // namespace freeplay::films
