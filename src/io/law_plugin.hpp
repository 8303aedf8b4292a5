// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/check.hpp"
#include "io/law_formula.hpp"
#include "laws/plugin_law.hpp"

// Laws that are compiled code: `contact = { law = "plugin", plugin = "./my_laws.so", K = 1e10 }`.
namespace freeplay::io {

/// Opens the plug-in that a table names, if that is allowed, checks the parameters of its law, and
/// adds to `checked` the digest of the file and the parameters, each as { value, unit }. With
/// CheckInput::closed_plugins nothing is opened and only what is written is looked at.
void check_law_plugin(const LawTable& table, const CheckInput& input, Node::Entries& checked);

/// A law of the user, of either kind.
inline void check_own_law(const LawTable& table, const CheckInput& input, Node::Entries& checked) {
  table.kind == laws::kPluginKey ? check_law_plugin(table, input, checked)
                                 : check_law_formula(table, input, checked);
}

}  // namespace freeplay::io
