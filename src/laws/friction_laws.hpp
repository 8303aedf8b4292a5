// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction/ambrosio.hpp"
#include "laws/friction/bengisu_akay.hpp"
#include "laws/friction/brown_mcphee.hpp"
#include "laws/friction/coulomb.hpp"
#include "laws/friction/dahl.hpp"
#include "laws/friction/elasto_plastic.hpp"
#include "laws/friction/expression.hpp"
#include "laws/friction/gonthier.hpp"
#include "laws/friction/lugre.hpp"
#include "laws/friction/piecewise_linear.hpp"
#include "laws/friction/plugin.hpp"
#include "laws/friction/stribeck.hpp"
#include "laws/friction/tanh.hpp"
#include "laws/friction/threlfall.hpp"

#include <variant>

namespace freeplay::laws {

/// The friction laws: the only list.
using FrictionLaw = std::variant<
    // stick by events
    Coulomb,
    // functions of the slip speed
    Ambrosio, Threlfall, Tanh, Stribeck, PiecewiseLinear, BengisuAkay, BrownMcPhee,
    // bristles
    Dahl, LuGre, GonthierFriction, ElastoPlastic,
    // of the user: a formula, compiled code
    FrictionExpression, FrictionPlugin>;

template <class V>
inline constexpr bool kAllFrictionLaws = false;
template <class... L>
inline constexpr bool kAllFrictionLaws<std::variant<L...>> = ((SlipLaw<L> != BristleLaw<L>)&&...);
static_assert(kAllFrictionLaws<FrictionLaw>);

/// Most numbers that a friction law keeps in State.
inline constexpr int kMaxFrictionStates = 4;

}  // namespace freeplay::laws
