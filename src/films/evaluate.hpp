// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/scalars.hpp"
#include "films/film_laws.hpp"

// What a joint calls: any film law of the catalogue, prepared, at one motion. Compiled once for
// doubles and for PairDual, in evaluate.cpp. Derivatives are taken with respect to the few numbers
// of the motion and then chained, which is several times cheaper than carrying those of two bodies
// through the formulas.
namespace freeplay::films {

/// Is the law one for a ball in its socket? Otherwise it is for a journal.
[[nodiscard]] bool is_spherical(const FilmLaw& law);

/// T is double or PairDual. The law must fit: journal laws for the first two, ball laws for the
/// third; a law that does not gives NaN.
template <class T>
[[nodiscard]] FilmForce<T> journal_force(const FilmLaw& law, const FilmMotion<T>& motion);
template <class T>
[[nodiscard]] TiltedForce<T> journal_force(const FilmLaw& law, const TiltedMotion<T>& motion);
template <class T>
[[nodiscard]] BallForce<T> ball_force(const FilmLaw& law, const BallMotion<T>& motion);

/// Numbers that the law keeps in State; 0 for films without memory.
[[nodiscard]] std::size_t film_states(const FilmLaw& law);
/// A film with memory: from the states `before`, dt ago (> 0), to those `after`. Axes fixed in the
/// bearing. Other laws have no states and do as journal_force.
template <class T>
[[nodiscard]] FilmForce<T> journal_force(const FilmLaw& law, const FilmMotion<T>& motion,
                                         std::span<const double> before, double dt,
                                         std::span<double> after);

/// What is recorded of a film besides its force.
struct FilmObservation {
  double min_film = 0;      ///< m, of the geometry: negative under contact
  double max_pressure = 0;  ///< Pa; NaN if the law does not know
  double wet_share = 0;     ///< of the area, under pressure; NaN if the law does not know
  double power = 0;         ///< of the film on both parts, <= 0 unless they are driven; W
};
[[nodiscard]] FilmObservation observe(const FilmLaw& law, const FilmMotion<double>& motion);
[[nodiscard]] FilmObservation observe(const FilmLaw& law, const TiltedMotion<double>& motion);

/// Whether the model wants the pressure itself recorded, of a finite film.
[[nodiscard]] bool records_pressure(const FilmLaw& law);
[[nodiscard]] std::size_t pressure_nodes(const FilmLaw& law);
/// At every node, [angle][0 ... cells_along]; Pa. Only if it is recorded.
[[nodiscard]] std::vector<double> pressure_field(const FilmLaw& law, const TiltedMotion<double>& m,
                                                 bool tilts);

}  // namespace freeplay::films
