// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/build.hpp"
#include "io/fields.hpp"
#include "io/node.hpp"
#include <freeplay/profile.hpp>

#include <optional>
#include <string>

// bearing_profile and journal_profile of [joints.NAME.clearance]: their keys, their reader and
// their writer.
namespace freeplay::io {

[[nodiscard]] TableShape profile_table(const std::string& name);
/// Mistakes are reported; then nothing comes back.
[[nodiscard]] std::optional<Profile> read_profile(Build& build, const Node& node,
                                                  const std::string& path);
[[nodiscard]] Node write_profile(const Profile& profile);

}  // namespace freeplay::io
