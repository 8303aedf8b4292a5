// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/plugin.h>

#include <memory>

// Laws that are compiled code: those of plug-ins, which model files name, and those of the program
// that has the engine in it.
namespace freeplay {

/// Whether this process may open plug-ins. A model file may come from anybody, and a plug-in can do
/// whatever its user can: until somebody who trusts them says so, models that name one are refused.
void allow_plugins(bool allowed = true);
[[nodiscard]] bool plugins_allowed();

/// A law of this program, which models name as `plugin = "@NAME"`; permission is not asked for. It
/// takes the place of one of that kind and name; runs that have begun keep theirs. What the law
/// points to is copied, save `context`: `owner` is let go when nobody uses it any more. Throws
/// std::invalid_argument.
void register_law(const freeplay_law& law, std::shared_ptr<const void> owner = {});

}  // namespace freeplay
