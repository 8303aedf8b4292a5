// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/control/dc_motor.hpp"
#include "laws/control/delayed_feedback.hpp"
#include "laws/control/fuzzy_pid.hpp"
#include "laws/control/pid.hpp"
#include "laws/control/state_feedback.hpp"
#include "laws/control/state_space.hpp"

#include <variant>

namespace freeplay::laws {

/// The control laws: the only list.
using ControlLaw = std::variant<Pid, FuzzyPid, StateFeedback, StateSpace, TransferFunction, Pyragas,
                                ExtendedDelayedFeedback, DcMotor>;

template <class V>
inline constexpr bool kAllControlLaws = false;
template <class... L>
inline constexpr bool kAllControlLaws<std::variant<L...>> = (ControlLawType<L> && ...);
static_assert(kAllControlLaws<ControlLaw>);

/// Where the list of that key is kept; null if the law has none of that name.
[[nodiscard]] inline std::vector<double>* find_list(ControlLaw& law, std::string_view key) {
  return std::visit(
      [&]<class X>(X& x) -> std::vector<double>* {
        for (const ListField<X>& field : lists_of<X>())
          if (field.key == key) return &(x.*field.member);
        return nullptr;
      },
      law);
}

}  // namespace freeplay::laws
