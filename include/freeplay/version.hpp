// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freeplay {

/// Version of the library that is linked, for instance "0.1.0"; every result file records it.
const char* version() noexcept;

}  // namespace freeplay
