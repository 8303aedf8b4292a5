// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

// Notices a contact whose events follow each other without getting anywhere: sticks and slips, or
// touches and partings, a thousand of them in next to no time. Bounces that die out end by resting
// and are no such thing; what is left are contacts that round-off sends to and fro for ever.
namespace freeplay::sim {

class EventStorm {
 public:
  /// `time`: of the mechanism; s.
  explicit EventStorm(double time) : window_(kWindow * time) {}

  /// True when they are too many.
  [[nodiscard]] bool takes(const Event& event) {
    const std::size_t key = std::hash<std::string_view>()(event.joint) +
                            static_cast<std::size_t>(static_cast<unsigned>(event.contact));
    Slot& slot = slots_[key % slots_.size()];
    if (event.time - slot.since > window_) slot = {event.time, 0};
    return ++slot.count > kMost;
  }

  [[nodiscard]] std::string reason(const Event& last) const {
    return fmt::format(
        "contact {} of joint '{}' had {} events within {:.2g} s (the last: {}) at t = {:.9g} s: "
        "they follow each other without end",
        last.contact, last.joint, kMost, window_, last.kind, last.time);
  }
  static constexpr std::string_view kRemedy =
      "time stepping takes such contacts as they are (integrator = \"moreau\"); or round the "
      "friction off (law = \"tanh\"), or let the contact rest (restitution = 0)";

 private:
  // chosen: 1e9 events in the time in which the mechanism moves; bounces that die out rest long
  // before, at a millionth of its speed
  static constexpr int kMost = 1000;
  static constexpr double kWindow = 1e-6;

  struct Slot {
    double since = -std::numeric_limits<double>::infinity();
    int count = 0;
  };
  double window_;
  std::array<Slot, 256> slots_;  // contacts that share one are few enough not to matter
};

}  // namespace freeplay::sim
