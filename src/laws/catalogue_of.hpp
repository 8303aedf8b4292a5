// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/catalogue.hpp"

#include <fmt/format.h>

#include <cmath>

// How a catalogue of laws is read off its variant; included by the files that make catalogues.
namespace freeplay::laws {

template <class L>
std::vector<Parameter> parameters_of() {
  std::vector<Parameter> out;
  const L defaults;
  if constexpr (FormulaLaw<L>)
    out.push_back(
        {L::use.key, L::use.unit, "the formula", 0, 0, kDerived, true, false, "", &L::use});
  if constexpr (PluginUser<L>) {
    out.push_back({kPluginKey, kTextUnit,
                   "FILE beside the model; FILE#LAW where it has several of the kind; @LAW of the "
                   "program",
                   0, 0, kDerived, true, false, ""});
    out.push_back({"digest", kTextUnit,
                   "SHA-256 of the file; when given, a file that changed is refused", 0, 0,
                   kDerived, false, false, ""});
  }
  for (const Field<L>& f : L::fields())
    out.push_back({f.key, f.unit, f.doc, f.min, f.max, defaults.*f.member, f.required, false,
                   f.unit_at_reference_load});
  if constexpr (requires { L::lists(); })
    for (const auto& f : L::lists())
      out.push_back(
          {f.key, kListUnit, f.doc, -kInfinity, kInfinity, kDerived, f.required, false, ""});
  for (const Flag<L>& f : flags_of<L>())
    out.push_back({f.key, "", f.doc, 0, 1, 0, false, true, ""});
  return out;
}

/// `traits(std::type_identity<L>{})`: what is special about a law; `described(sample)`: a sentence.
template <class V, class Traits, class Described>
std::vector<Entry> catalogue_of(std::string_view kind, const Traits& traits,
                                const Described& described) {
  std::vector<Entry> out;
  for_each_type<V>([&]<class L>(std::type_identity<L> law) {
    Entry e{.kind = kind,
            .key = L::key,
            .title = L::title,
            .cite = L::cite,
            .formula = L::formula,
            .limits = L::limits,
            .parameters = parameters_of<L>(),
            .traits = traits(law),
            .samples = {},
            .holds_load = false,
            .at_rest = {},
            .bound = {},
            .departs = {},
            .departs_by = {},
            .use = nullptr};
    if constexpr (FormulaLaw<L>) e.use = &L::use;
    if constexpr (requires { L::departs; }) e.departs = L::departs;
    if constexpr (requires { L::departs_by; }) e.departs_by = L::departs_by;
    for (const auto& sample : L::samples) e.samples.push_back(described(sample));
    out.push_back(std::move(e));
  });
  return out;
}

/// Parameters out of bounds or at odds with each other.
template <class L>
std::vector<Fault> faults_of(const L& law) {
  std::vector<Fault> out;
  const L defaults;
  for (const Field<L>& f : L::fields()) {
    const double value = law.*f.member;
    const bool left_out = std::isnan(value) && std::isnan(defaults.*f.member);
    if (!left_out && !(value >= f.min && value <= f.max))
      out.push_back({f.key, fmt::format("{:g} is outside [{:g}, {:g}]", value, f.min, f.max)});
  }
  if constexpr (requires { law.conflict(); })
    if (std::string why = law.conflict(); !why.empty()) out.push_back({"", std::move(why)});
  return out;
}

}  // namespace freeplay::laws
