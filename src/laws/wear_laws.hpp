// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/wear/archard.hpp"
#include "laws/wear/archard_shear.hpp"
#include "laws/wear/archard_tables.hpp"
#include "laws/wear/expression.hpp"
#include "laws/wear/plugin.hpp"
#include "laws/wear/reye.hpp"
#include "laws/wear/running_in.hpp"

#include <variant>

namespace freeplay::laws {

/// The wear laws: the only list.
using WearLaw = std::variant<Archard, Reye, ArchardShear, ArchardPressure, ArchardSpeed, RunningIn,
                             // of the user: a formula, compiled code
                             WearExpression, WearPlugin>;

template <class V>
inline constexpr bool kAllWearLaws = false;
template <class... L>
inline constexpr bool kAllWearLaws<std::variant<L...>> = (WearLawType<L> && ...);
static_assert(kAllWearLaws<WearLaw>);

}  // namespace freeplay::laws
