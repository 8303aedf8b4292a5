// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace freeplay::study {

/// Processes that work on one study and send each other messages. Messages of one sender arrive in
/// the order in which they were sent. Used by one thread at a time.
class Team {
 public:
  virtual ~Team() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void send(int to, const std::string& bytes) = 0;
  /// A message that has arrived, with its sender; nothing if there is none.
  [[nodiscard]] virtual std::optional<std::pair<int, std::string>> poll() = 0;
};

}  // namespace freeplay::study
