// SPDX-License-Identifier: Apache-2.0
#include "core/fiber.hpp"

#include <cstdint>
#include <new>
#include <utility>

#if defined(__x86_64__) && !defined(_WIN32) && __has_include(<sys/mman.h>)
#define FREEPLAY_FIBERS 1
#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>
#else
#define FREEPLAY_FIBERS 0
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FREEPLAY_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define FREEPLAY_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define FREEPLAY_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define FREEPLAY_TSAN 1
#endif
#if defined(FREEPLAY_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(FREEPLAY_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace freeplay {

#if FREEPLAY_FIBERS

// System V: a function that is called may change all registers but these, so that a change of
// stacks in between shows in nothing else. (The modes of arithmetic are the same on all fibers.)
extern "C" void freeplay_change_stack(void** old_top, void* new_top);
extern "C" void freeplay_begin_stack();
asm(R"(
.pushsection .text
.hidden freeplay_change_stack
.globl freeplay_change_stack
.type freeplay_change_stack, @function
.p2align 4
freeplay_change_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size freeplay_change_stack, .-freeplay_change_stack
.hidden freeplay_begin_stack
.globl freeplay_begin_stack
.type freeplay_begin_stack, @function
.p2align 4
freeplay_begin_stack:
  .cfi_startproc
  .cfi_undefined rip
  movq %r12, %rdi
  callq *%r13
  ud2
  .cfi_endproc
.size freeplay_begin_stack, .-freeplay_begin_stack
.popsection
)");

namespace {

// As much as threads usually have: what runs on one runs on a fiber. Memory is taken where it is
// used only.
constexpr std::size_t kStack = std::size_t{8} << 20U;

std::size_t page() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

/// What the runtime of C++ keeps for every thread, and has to keep for every fiber: exceptions that
/// are being handled (a list), and how many are on their way.
struct Exceptions {
  void* handled = nullptr;
  unsigned on_their_way = 0;
};

}  // namespace

struct Fiber::Kept {
  Exceptions exceptions;
  // For the sanitizers of addresses and of threads.
  const void* stack = nullptr;
  std::size_t size = 0;
  void *fake_stack = nullptr, *fiber = nullptr;
  Fiber* came_from = nullptr;
};

Fiber::Fiber() : kept_(std::make_unique<Kept>()) {
#if defined(FREEPLAY_TSAN)
  kept_->fiber = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(std::function<void()> work) : work_(std::move(work)), kept_(std::make_unique<Kept>()) {
  void* const pages = mmap(nullptr, kStack + page(), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(pages, page(), PROT_NONE) != 0) {
    munmap(pages, kStack + page());
    throw std::bad_alloc();
  }
  pages_ = pages;
  kept_->stack = static_cast<char*>(pages) + page();
  kept_->size = kStack;
#if defined(FREEPLAY_ASAN)
  // A fiber before it that had the same pages never left its frames.
  __asan_unpoison_memory_region(kept_->stack, kept_->size);
#endif
  // As if it had been left at the beginning of freeplay_begin_stack, with two registers set. There,
  // the stack ends at a multiple of sixteen, as before any call.
  auto* top = reinterpret_cast<std::uintptr_t*>(static_cast<char*>(pages) + page() + kStack);
  *--top = 0;
  *--top = 0;
  *--top = reinterpret_cast<std::uintptr_t>(&freeplay_begin_stack);
  *--top = 0;                                                // rbp
  *--top = 0;                                                // rbx
  *--top = reinterpret_cast<std::uintptr_t>(this);           // r12
  *--top = reinterpret_cast<std::uintptr_t>(&Fiber::begin);  // r13
  *--top = 0;                                                // r14
  *--top = 0;                                                // r15
  top_ = top;
#if defined(FREEPLAY_TSAN)
  kept_->fiber = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  if (pages_ == nullptr) return;
#if defined(FREEPLAY_TSAN)
  __tsan_destroy_fiber(kept_->fiber);
#endif
  munmap(pages_, kStack + page());
}

bool Fiber::available() { return true; }

void Fiber::change(Fiber& from, Fiber& to, bool for_good) {
  auto* const exceptions = reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
  from.kept_->exceptions = *exceptions;
  *exceptions = to.kept_->exceptions;
  to.kept_->came_from = &from;
#if defined(FREEPLAY_ASAN)
  __sanitizer_start_switch_fiber(for_good ? nullptr : &from.kept_->fake_stack, to.kept_->stack,
                                 to.kept_->size);
#else
  static_cast<void>(for_good);
#endif
#if defined(FREEPLAY_TSAN)
  __tsan_switch_to_fiber(to.kept_->fiber, 0);
#endif
  freeplay_change_stack(&from.top_, to.top_);
  from.arrive();
}

/// On the new stack. The sanitizer of addresses tells the bounds of the one that was left.
void Fiber::arrive() {
#if defined(FREEPLAY_ASAN)
  Kept& before = *kept_->came_from->kept_;
  __sanitizer_finish_switch_fiber(kept_->fake_stack, &before.stack, &before.size);
#endif
}

void Fiber::begin(Fiber* self) {
  self->arrive();
  self->work_();
}

#else

struct Fiber::Kept {};
Fiber::Fiber() = default;
Fiber::Fiber(std::function<void()>) {}
Fiber::~Fiber() = default;
bool Fiber::available() { return false; }
void Fiber::change(Fiber&, Fiber&, bool) {}
void Fiber::arrive() {}
void Fiber::begin(Fiber*) {}

#endif

}  // namespace freeplay
