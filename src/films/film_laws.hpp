// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/ball/ball_reynolds.hpp"
#include "films/ball/squeeze.hpp"
#include "films/journal/long_bearing.hpp"
#include "films/journal/mobility.hpp"
#include "films/journal/pinkus_sternlicht.hpp"
#include "films/journal/reynolds_film.hpp"
#include "films/journal/short_bearing.hpp"
#include "films/transition.hpp"

#include <variant>

namespace freeplay::films {

template <class L>
concept FilmLawType = laws::Law<L> && requires(L law, const L& ready, const FilmSite& site) {
  { L::spherical } -> std::convertible_to<bool>;
  { L::sample_site } -> std::convertible_to<FilmSite>;
  { ready.misfit(site) } -> std::same_as<std::string>;  // why it cannot serve there; empty: it can
  law.prepare(site);                                    // works out the derived numbers, once
  { ready.derived() } -> std::same_as<std::vector<Derived>>;
};
template <class L>
concept JournalFilmLaw = FilmLawType<L> &&
    requires(const L& law, const FilmMotion<>& m, const TiltedMotion<>& tilted) {
  { law.force(m) } -> std::same_as<FilmForce<>>;
  { law.force(tilted) } -> std::same_as<TiltedForce<>>;
};
template <class L>
concept BallFilmLaw = FilmLawType<L> && requires(const L& law, const BallMotion<>& m) {
  { law.force(m) } -> std::same_as<BallForce<>>;
};

/// The film laws: the only list.
using FilmLaw = std::variant<
    // ball in socket
    Squeeze, BallReynolds,
    // journal, closed form
    ShortBearing, LongBearing, PinkusSternlicht, BookerMobility, MoesMobility,
    // journal of finite length, numerical
    ReynoldsSwiftStieber, ReynoldsGuembel, ReynoldsFullFilm, ReynoldsMassConserving>;

template <class V>
inline constexpr bool kAllFilmLaws = false;
template <class... L>
inline constexpr bool kAllFilmLaws<std::variant<L...>> = ((JournalFilmLaw<L> !=
                                                           BallFilmLaw<L>)&&...);
static_assert(kAllFilmLaws<FilmLaw>);

}  // namespace freeplay::films
