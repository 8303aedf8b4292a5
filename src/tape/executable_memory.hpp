// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace freeplay::tape {

/// Machine code in pages of its own, which may be read and executed and never again written:
/// systems that forbid memory to be both writable and executable allow this.
class ExecutableMemory {
 public:
  ExecutableMemory() = default;
  /// Empty where there is no memory, or none that may be executed.
  explicit ExecutableMemory(std::span<const std::uint8_t> code);
  ~ExecutableMemory();
  ExecutableMemory(ExecutableMemory&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  ExecutableMemory& operator=(ExecutableMemory&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
    return *this;
  }

  explicit operator bool() const { return first_ != nullptr; }
  /// The code so many bytes after the first, as a function.
  template <class Function>
  [[nodiscard]] Function* function(std::size_t offset) const {
    return reinterpret_cast<Function*>(static_cast<std::uint8_t*>(first_) + offset);
  }

 private:
  void* first_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace freeplay::tape
