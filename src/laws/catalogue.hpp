// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact_laws.hpp"
#include "laws/control_laws.hpp"
#include "laws/friction_laws.hpp"
#include "laws/wear_laws.hpp"

#include <string>
#include <string_view>
#include <vector>

// The catalogues as data, read off the laws themselves, for whoever prints, documents or parses
// them: `freeplay laws`, the reference pages, the schema of the model file.
namespace freeplay::laws {

/// In place of a unit: a list of numbers.
inline constexpr std::string_view kListUnit = "list";
/// Likewise: a word or the name of a file.
inline constexpr std::string_view kTextUnit = "text";

/// A key of the law's table in the model file.
struct Parameter {
  std::string_view key, unit, doc;
  double min, max;
  double fallback;  ///< NaN: none, or as the doc says; of a required key: that of the samples
  bool required;
  bool is_flag;                             ///< true or false; off by default
  std::string_view unit_at_reference_load;  ///< empty: the same
  const FormulaUse* formula = nullptr;      ///< it is the text of a formula
};

struct Entry {
  std::string_view kind;  ///< "contact", "friction", "wear", ...
  std::string_view key, title, cite, formula, limits;
  std::vector<Parameter> parameters;
  std::vector<std::string> traits;   ///< "ball in socket", "holds a load at rest", ...
  std::vector<std::string> samples;  ///< one sentence each
  bool holds_load = false;           ///< friction: keeps a loaded contact at rest
  std::string at_rest;               ///< friction: why it does, or does not
  std::string bound;                 ///< friction: the most it can give, with its defaults
  std::string_view departs;     ///< how the default differs from `as_published`; empty: not at all
  std::string_view departs_by;  ///< what that does to published numbers
  const FormulaUse* use = nullptr;  ///< of laws that are written as a formula
};

[[nodiscard]] std::vector<Entry> contact_catalogue();
[[nodiscard]] std::vector<Entry> friction_catalogue();
[[nodiscard]] std::vector<Entry> wear_catalogue();
[[nodiscard]] std::vector<Entry> control_catalogue();

/// One law for the terminal, some twenty lines.
[[nodiscard]] std::string to_text(const Entry& law);
/// A catalogue as Markdown: an overview table, then a section for each law.
[[nodiscard]] std::string to_markdown(const std::vector<Entry>& catalogue);
/// The whole reference page of a kind, "contact", "friction" or "wear":
/// docs/reference/KIND_laws.md.
[[nodiscard]] std::string reference_page(std::string_view kind);

/// What is wrong with the parameters of a law, by key ("": several keys at odds with each other).
struct Fault {
  std::string_view key;
  std::string message;  ///< "1.4 is outside [0, 1]"
};
[[nodiscard]] std::vector<Fault> faults(const ContactLaw& law);
[[nodiscard]] std::vector<Fault> faults(const FrictionLaw& law);
[[nodiscard]] std::vector<Fault> faults(const WearLaw& law);
[[nodiscard]] std::vector<Fault> faults(const ControlLaw& law);

/// Why the law cannot serve this site; empty if it can.
[[nodiscard]] std::string misfit(const ContactLaw& law, const ContactSite& site);
/// Works out stiffness and damping for the site, once, before the first force.
void prepare(ContactLaw& law, const ContactSite& site);
[[nodiscard]] std::vector<Derived> derived(const ContactLaw& law);

}  // namespace freeplay::laws
