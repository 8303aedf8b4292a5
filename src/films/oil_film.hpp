// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/film.hpp"

#include <cmath>

// What every film of oil has in common, around a journal or a ball.
namespace freeplay::films {

/// L has a `viscosity`.
template <class L>
struct OilFilm {
  double minimum_film = kDerived;
  double radius = kDerived;
  double R = kUnprepared, c = kUnprepared, floor = kUnprepared;

  static constexpr Field<L> viscosity_field() {
    return {&L::viscosity, "viscosity", "Pa s", "dynamic viscosity of the oil", 1e-9, 1e6, true};
  }
  static constexpr Field<L> minimum_film_field() {
    return {&L::minimum_film,
            "minimum_film",
            "m",
            "the film law sees no thinner film; absent: a thousandth of the clearance",
            1e-12,
            1};
  }

  void prepare(const FilmSite& site) {
    R = std::isnan(radius) ? site.radius : radius;
    c = site.clearance;
    floor = std::isnan(minimum_film) ? 1e-3 * c : minimum_film;
  }
};

}  // namespace freeplay::films
