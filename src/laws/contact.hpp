// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/law.hpp"
#include <freeplay/layout.hpp>

#include <span>
#include <string>
#include <vector>

// The words of the normal contact laws. Geometry decides where two surfaces touch and how deep; the
// law answers for one contact point and knows neither bodies nor time. Depth > 0 is penetration,
// rate > 0 is approach.
namespace freeplay::laws {

/// What a number is that does not change while the contact lasts: a plain one, for no derivative is
/// taken of it. (On a tape it is an input like others: joints/traced_contact.hpp.)
template <class T>
struct LastingNumber {
  using type = double;
};
template <class T>
using Lasting = typename LastingNumber<T>::type;

/// A contact point at one instant.
template <class T = double>
struct Contact {
  T depth;                 ///< penetration; m
  T rate;                  ///< approach speed; m/s
  Lasting<T> impact_rate;  ///< approach speed at first touch, limited from below; m/s, > 0
  /// Effective mass along the normal over that of the two free bodies (ContactSite::mass): what
  /// dampers that know only a mass are off by.
  Lasting<T> mass_ratio = 1;
  /// What a law that remembers keeps of this contact, as it lies in State::memory; null: nothing.
  const double* memory = nullptr;
};

/// How far a law that remembers is from the end of the stretch it is on.
struct StretchEnd {
  double value = 1;  ///< positive on the stretch, zero where the next one begins
  double rate = 0;   ///< its rate of change; NaN: not known
};

/// What is known of a contact before anything moves. 0 means that the site has no such thing.
struct ContactSite {
  double composite_modulus = 0;  ///< E*, 1/E* = (1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j; Pa
  double outer_radius = 0;       ///< of the hollow part; infinite for a plane; m
  double inner_radius = 0;       ///< of the part inside it; m
  double length = 0;             ///< of a line contact; m
  double face_half_width = 0;    ///< half the side of a square plane contact; m
  double mass = 0;               ///< effective, along the normal; kg
  bool spherical = false;
  bool external_curvature = false;  ///< radii count as two convex bodies, as some papers print it

  [[nodiscard]] constexpr double clearance() const { return outer_radius - inner_radius; }
  /// Of the sphere on a plane with the same curvature; m. Nan, infinite or negative if there is
  /// none.
  [[nodiscard]] double effective_radius() const;
};

/// A worked example, printed in the docs and checked in the tests: the law with its defaults at
/// L::sample_site.
struct ContactSample {
  Contact<> at;
  double force;  ///< N
};

/// The sites of the samples: a steel ball in its socket, a journal in its bearing, two faces; 1 kg.
inline constexpr double kSteel = 207e9 / (2 * (1 - 0.3 * 0.3));
inline constexpr ContactSite kBallSite{.composite_modulus = kSteel,
                                       .outer_radius = 0.01,
                                       .inner_radius = 0.0095,
                                       .mass = 1,
                                       .spherical = true};
inline constexpr ContactSite kJournalSite{.composite_modulus = kSteel,
                                          .outer_radius = 0.01,
                                          .inner_radius = 0.0095,
                                          .length = 0.015,
                                          .mass = 1};
inline constexpr ContactSite kFaceSite{
    .composite_modulus = kSteel, .face_half_width = 0.005, .mass = 1};

/// A normal contact law.
template <class L>
concept NormalLaw = Law<L> &&
    requires(L law, const L& ready, const ContactSite& site, Contact<double> point) {
  { L::uses_impact_rate } -> std::convertible_to<bool>;  // reads Contact::impact_rate
  { L::impulsive } -> std::convertible_to<bool>;  // an impulse at the touch instead of a force
  { L::sample_site } -> std::convertible_to<ContactSite>;
  { ready.misfit(site) } -> std::same_as<std::string>;  // why it cannot serve there; empty: it can
  law.prepare(site);                                    // works out the derived numbers, once
  { ready.force(point) } -> std::same_as<double>;       // N
  { ready.elastic(1.0) } -> std::same_as<double>;       // part of it that is kept as energy; N
  { ready.potential(1.0) } -> std::same_as<double>;     // integral of elastic over the depth; J
  { ready.depth_limit() } -> std::same_as<double>;      // beyond it the formula is out of range; m
  { ready.derived() } -> std::same_as<std::vector<Derived>>;
};

/// A law whose force depends on what the contact went through. What it remembers of each contact is
/// declared as memory of the state and changes at located events only: a stretch of its force is
/// smooth, and where it ends the next begins. Such laws act at points (of the geometries that
/// spread a contact over a line or a face, at rims and corners).
template <class L>
concept RemembersContact = NormalLaw<L> &&
    requires(const L& ready, Contact<double> point, double* memory) {
  {std::span<const MemoryField>(L::memory_fields)};
  ready.begin(1.0, memory);                                  // a new contact of that depth; m
  { ready.stretch_end(point) } -> std::same_as<StretchEnd>;  // of the stretch in its memory
  { ready.ends_at_depth(memory) } -> std::same_as<bool>;     // it is a difference of depths
  ready.turn(point, memory);                                 // that end is reached
};

/// What a law remembers of a contact; empty for most.
template <class L>
[[nodiscard]] constexpr std::span<const MemoryField> memory_of() {
  if constexpr (RemembersContact<L>)
    return L::memory_fields;
  else
    return {};
}

/// Hertz 1881: 4/3 E* sqrt(R_eff); N/m^1.5.
[[nodiscard]] double hertz_stiffness(const ContactSite& site);

/// Why something a law needs cannot be had from the site; empty if it can.
[[nodiscard]] std::string misfit_of_point(const ContactSite& site);  ///< modulus and radii
[[nodiscard]] std::string misfit_of_line(const ContactSite& site);   ///< and a length, internal
[[nodiscard]] std::string misfit_of_mass(const ContactSite& site,
                                         double mass);  ///< mass: as given, or NaN

/// "N/m^1.5"
[[nodiscard]] std::string stiffness_unit(double exponent);

}  // namespace freeplay::laws
