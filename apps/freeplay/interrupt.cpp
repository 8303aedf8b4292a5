// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include "commands.hpp"

#include <csignal>
#include <cstdlib>

namespace freeplay::cli {
namespace {

// Signal handlers reach nothing but globals.
std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void request_stop(int signal) {
  if (stop_requested.exchange(true)) std::_Exit(kInterrupted);
  std::signal(signal, request_stop);  // where a handler serves only once
}

}  // namespace

Interrupt::Interrupt() {
  stop_requested = false;
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
#ifdef SIGHUP
  // A terminal that closes ends the run in order, unless `nohup` says that it must not.
  hears_hangup_ = std::signal(SIGHUP, request_stop) != SIG_IGN;
  if (!hears_hangup_) std::signal(SIGHUP, SIG_IGN);
#endif
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
#ifdef SIGHUP
  if (hears_hangup_) std::signal(SIGHUP, SIG_DFL);
#endif
}

const std::atomic<bool>* Interrupt::flag() const { return &stop_requested; }

}  // namespace freeplay::cli
