// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/fields.hpp"
#include "laws/catalogue.hpp"
#include <freeplay/model.hpp>

// The catalogues of laws as tables of the model file: the keys of a law's table are the law's own
// parameters, so a new law needs nothing here.
namespace freeplay::io {

/// A table whose key `law` decides which others belong. `first` is the default law where `law` may
/// be left out.
[[nodiscard]] TableShape law_table(const std::string& name, const std::string& doc,
                                   const std::vector<laws::Entry>& catalogue,
                                   const std::string& fallback, std::vector<Key> more = {});

/// The choice that such a table makes; `skip` are keys that are not the law's.
[[nodiscard]] LawChoice read_law(const Node& table, const std::string& fallback,
                                 const std::vector<std::string>& skip = {});

}  // namespace freeplay::io
