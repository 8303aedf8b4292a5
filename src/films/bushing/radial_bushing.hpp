// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cubic_piece.hpp"
#include "core/table_knots.hpp"
#include "films/film.hpp"
#include "laws/numerics.hpp"

#include <variant>

// Rubber instead of play: forces from the displacement of one joint centre against the other
// (theory/bushings (B.1)).
namespace freeplay::films {

/// A worked example along a line.
struct BushingSample {
  double displacement, rate, force;  ///< m, m/s, N
};

/// A spring and a damper in proportion to it, alike in every direction.
struct RadialBushing {
  static constexpr Text key = "radial";
  static constexpr Text title = "Radial bushing";
  static constexpr Text cite = "Silva et al., eq. 17, with its sign put right";
  static constexpr Text formula =
      "F = -k (e + b e'); with a gap: F = -k s (e + b e'), s = (|e| - gap)/|e|; "
      "as_published: F = -k (d + b d') e/|e|, d = |e| - gap, never pulling back";
  static constexpr Text limits =
      "Linear. The damper is k b: with the published 2.146e7 N/m and 0.01 s it is 60 to 130 times "
      "critical for links of 0.1 kg, and the joint creeps back within b.";

  double stiffness = 2.146e7, damping_time = 0.01, gap = 0;
  bool as_published = false;

  static constexpr auto fields() {
    using L = RadialBushing;
    return std::array{
        Field<L>{&L::stiffness, "stiffness", "N/m", "k", 1e-6, 1e20, true},
        Field<L>{&L::damping_time, "damping_time", "s", "b, damping over stiffness", 0, 1e6},
        Field<L>{&L::gap, "gap", "m", "free play before the rubber is touched", 0, 1}};
  }
  static constexpr auto flags() {
    using L = RadialBushing;
    return std::array{Flag<L>{&L::as_published, "as_published",
                              "damps motion along the displacement only, as printed"}};
  }
  static constexpr std::array samples{BushingSample{1e-6, 1e-3, -236.06},
                                      BushingSample{1e-6, 0, -21.46}};

  /// Where the rubber is touched is a corner of the force: the distance of both centres is watched
  /// there by its square. Piece -1 is the gap, piece 0 the rubber.
  [[nodiscard]] WatchedKnots watched() const {
    if (gap > 0) return {{0}, {gap * gap}};
    return {};
  }

  /// On the inner part; N.
  template <class T>
  Vec3T<T> force(const Vec3T<T>& e, const Vec3T<T>& e_dot, const PieceRange& pieces = {}) const {
    using std::sqrt;
    const T e2 = e.dot(e);
    const bool clear = pieces.last < 0 || (value_of(e2) <= gap * gap && pieces.first < 0);
    if (clear && gap > 0) return Vec3T<T>::Constant(T(0.0));
    if (!as_published) {
      const T share = gap > 0 ? 1.0 - gap / sqrt(e2) : T(1.0);
      return (e + e_dot * T(damping_time)) * T(-stiffness * share);
    }
    // At the centre there is no direction: the isotropic form is its mean.
    if (value_of(e2) < 1e-24) return (e + e_dot * T(damping_time)) * T(-stiffness);
    const T size = sqrt(e2);
    const Vec3T<T> n = e / size;
    const T push = stiffness * (size - gap + damping_time * n.dot(e_dot));
    return n * T(gap > 0 ? -laws::never_tensile(push) : -push);
  }
  /// Stored energy; J.
  template <class T>
  T potential(const Vec3T<T>& e) const {
    using std::sqrt;
    if (gap == 0) return 0.5 * stiffness * e.dot(e);
    const T d = laws::length_of(e) - gap;
    return d > T(0.0) ? 0.5 * stiffness * d * d : T(0.0);
  }
};

/// The only list of bushings given by numbers; tables are six_bushing.hpp.
using BushingLaw = std::variant<RadialBushing>;

}  // namespace freeplay::films
