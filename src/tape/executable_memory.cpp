// SPDX-License-Identifier: Apache-2.0
#include "tape/executable_memory.hpp"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>

#include <cstring>
#endif

namespace freeplay::tape {

#if __has_include(<sys/mman.h>)

ExecutableMemory::ExecutableMemory(std::span<const std::uint8_t> code) {
  if (code.empty()) return;
  void* const pages =
      mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  std::memcpy(pages, code.data(), code.size());
  if (mprotect(pages, code.size(), PROT_READ | PROT_EXEC) != 0) {
    munmap(pages, code.size());
    return;
  }
  first_ = pages;
  size_ = code.size();
}

ExecutableMemory::~ExecutableMemory() {
  if (first_ != nullptr) munmap(first_, size_);
}

#else

ExecutableMemory::ExecutableMemory(std::span<const std::uint8_t>) {}
ExecutableMemory::~ExecutableMemory() = default;

#endif

}  // namespace freeplay::tape
