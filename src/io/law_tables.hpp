// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/build.hpp"
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

/// Says how the law departs from its publication where the table leaves `as_published` open.
void say_departure(Build& build, const Node& table, const std::string& path,
                   const std::vector<laws::Entry>& catalogue);

/// The choice that such a table makes; `skip` are keys that are not the law's.
[[nodiscard]] LawChoice read_law(const Node& table, const std::string& fallback,
                                 const std::vector<std::string>& skip = {});

}  // namespace freeplay::io
