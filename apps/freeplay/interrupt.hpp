// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace freeplay::cli {

/// While one exists, SIGINT, SIGTERM and SIGHUP ask for a stop: the first lets the step end, the
/// second ends the program at once. Result files survive both.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] const std::atomic<bool>* flag() const;

 private:
  bool hears_hangup_ = false;
};

}  // namespace freeplay::cli
