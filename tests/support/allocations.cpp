// SPDX-License-Identifier: Apache-2.0
#include "support/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
std::size_t count = 0;
}

void* operator new(std::size_t size) {
  ++count;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace freeplay::testing {
std::size_t allocations() { return count; }
}  // namespace freeplay::testing
