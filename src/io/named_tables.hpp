// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/check.hpp"

// Tables that many joints share: [clearances.NAME], used by `clearance = "NAME"` or
// `clearance = { use = "NAME", radial = "0.2 mm" }`, and [defaults.clearance], which lies under all
// of them. What stands nearer to the joint wins, key by key.
namespace freeplay::io {

/// Puts into the clearance table of every joint what the tables it refers to say. Mistakes of the
/// shared tables themselves are reported once.
void lay_named_tables(Node& root, const CheckInput& input);

}  // namespace freeplay::io
