// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace freeplay::testing {

/// Heap allocations of this program so far. Link support/allocations.cpp, which replaces operator
/// new.
std::size_t allocations();

}  // namespace freeplay::testing
