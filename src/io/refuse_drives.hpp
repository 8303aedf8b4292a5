// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/build.hpp"

namespace freeplay::io {

/// Reports drives that make no sense on a joint with play or rubber.
void refuse_drives(Build& build, const Entry& entry, const std::string& joint_path,
                   const Joint& joint);

}  // namespace freeplay::io
