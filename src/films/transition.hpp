// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/gap_floor.hpp"

#include <variant>

// Between oil and dry contact, theory/films (F.25). Each rule says how much of the film force and
// of the dry force counts at an eccentricity; the force of a joint is their weighted sum. The film
// laws themselves stay finite at any eccentricity, so that no rule can be singular.
namespace freeplay::films {

template <class T>
struct Shares {
  T film, dry;
};

struct ShareSample {
  double eccentricity, clearance;  ///< m
  double film, dry;
};

/// Both forces, each as its law gives it. Smooth, because each of them is.
struct AdditiveTransition {
  static constexpr Text key = "additive";
  static constexpr Text title = "Film and contact add up";
  static constexpr Text cite = "physics of parallel load paths; film no thinner than minimum_film";
  static constexpr Text formula = "F = F_film(max(h, minimum_film)) + F_dry(e - c)";
  static constexpr Text limits = "None: smooth and finite for every eccentricity.";
  static constexpr std::array<Field<AdditiveTransition>, 0> fields() { return {}; }
  static constexpr std::array samples{ShareSample{150e-6, 100e-6, 1, 1}};

  [[nodiscard]] std::string conflict() const { return {}; }
  /// What the film law takes for the clearance; m.
  [[nodiscard]] double film_clearance(double clearance) const { return clearance; }
  /// Added to e - c before the contact law sees it; m.
  [[nodiscard]] double depth_offset() const { return 0; }
  template <class T>
  [[nodiscard]] Shares<T> shares(const T&, double) const {
    return {T(1.0), T(1.0)};
  }
};

/// From the film, as if the clearance were a little larger, over to dry contact.
struct FloresTransition {
  static constexpr Text key = "flores";
  static constexpr Text title = "Blend over a boundary layer";
  static constexpr Text cite = "Flores et al. 2004, 2006; Tian, Flores & Lankarani 2018, eq. 46";
  static constexpr Text formula =
      "F = (1 - w) F_film + w F_dry; w = 3 x^2 - 2 x^3; x = (e - c)/e_t0 kept within [0, 1]; "
      "the film is that of the clearance c + e_t1";
  static constexpr Text limits =
      "e_t1 must exceed e_t0, or the film is singular inside the blend. The published weight is "
      "linear in e; this one has the same ends and no corners.";

  double layer = 1e-6, extension = 2e-6;

  static constexpr auto fields() {
    using L = FloresTransition;
    return std::array{Field<L>{&L::layer, "layer", "m", "e_t0, depth of the blend", 1e-12, 1, true},
                      Field<L>{&L::extension, "extension", "m",
                               "e_t1, added to the clearance of the film", 1e-12, 1, true}};
  }
  static constexpr std::array samples{ShareSample{100e-6, 100e-6, 1, 0},
                                      ShareSample{100.5e-6, 100e-6, 0.5, 0.5},
                                      ShareSample{102e-6, 100e-6, 0, 1}};

  [[nodiscard]] std::string conflict() const {
    return extension > layer ? "" : "extension (e_t1) must exceed layer (e_t0)";
  }
  [[nodiscard]] double film_clearance(double clearance) const { return clearance + extension; }
  [[nodiscard]] double depth_offset() const { return 0; }
  template <class T>
  [[nodiscard]] Shares<T> shares(const T& e, double clearance) const {
    const T x = (e - clearance) / layer;
    if (x <= T(0.0)) return {T(1.0), T(0.0)};
    if (x >= T(1.0)) return {T(0.0), T(1.0)};
    const T w = x * x * (3.0 - 2.0 * x);
    return {1.0 - w, w};
  }
};

/// Regimes by film thickness over roughness, joined smoothly.
struct LiTransition {
  static constexpr Text key = "li";
  static constexpr Text title = "Regimes by film thickness over roughness";
  static constexpr Text cite =
      "Li et al., in Tian, Flores & Lankarani 2018, eq. 47; made continuous";
  static constexpr Text formula =
      "h = c - e over the roughness s: above 4 film; from 4 down to 0.4 dry contact comes in; "
      "below 0.4 the film falls to `partial` of itself, reached at 0.04; each share is 3 x^2 - 2 "
      "x^3 "
      "in the logarithm of h/s; the contact is measured from 4 s before touch";
  static constexpr Text limits =
      "As printed the force jumps between regimes. Elastic flow at 0.4 to 4 is that of the film "
      "law (a liner).";

  double roughness = 1e-6, partial = 0.5;

  static constexpr auto fields() {
    using L = LiTransition;
    return std::array{
        Field<L>{&L::roughness, "roughness", "m", "of both surfaces together", 1e-12, 1e-2, true},
        Field<L>{&L::partial, "partial", "1", "share of the film left under dry contact", 0, 1}};
  }
  static constexpr std::array samples{ShareSample{90e-6, 100e-6, 1, 0},
                                      ShareSample{110e-6, 100e-6, 0.5, 1}};

  [[nodiscard]] std::string conflict() const { return {}; }
  [[nodiscard]] double film_clearance(double clearance) const { return clearance; }
  [[nodiscard]] double depth_offset() const { return 4 * roughness; }
  template <class T>
  [[nodiscard]] Shares<T> shares(const T& e, double clearance) const {
    const T H = (clearance - e) / roughness;
    return {1.0 - (1 - partial) * fallen(H, 0.4, 0.04), fallen(H, 4, 0.4)};
  }

 private:
  /// 0 above `from`, 1 below `to`, smooth in the logarithm.
  template <class T>
  static T fallen(const T& H, double from, double to) {
    using std::log;
    if (H >= T(from)) return T(0.0);
    if (H <= T(to)) return T(1.0);
    const T x = log(from / H) / std::log(from / to);
    return x * x * (3.0 - 2.0 * x);
  }
};

/// The only list; the first is the default.
using TransitionLaw = std::variant<AdditiveTransition, FloresTransition, LiTransition>;

}  // namespace freeplay::films
