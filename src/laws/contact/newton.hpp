// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact.hpp"
#include "laws/contact/springs.hpp"

#include <array>

namespace freeplay::laws {

/// No force at all: at the located touch an impulse reverses the normal velocity. The run loop
/// applies it.
struct Newton {
  static constexpr bool uses_impact_rate = false, impulsive = true;
  static constexpr ContactSite sample_site = kBallSite;
  static constexpr Text key = "newton";
  static constexpr Text title = "Newton's impact law";
  static constexpr Text cite = "Newton 1687";
  static constexpr Text formula = "v+ = -c v- at the instant of touch";
  static constexpr Text limits =
      "The contact has no duration, depth or force; what lies between two impacts is free "
      "flight. A sequence of ever shorter flights ends by rule. Acts at points: the corners of "
      "sliders, the rims of journals, each a contact of its own. Friction: `coulomb` only.";

  double restitution = 0.9;

  static constexpr auto fields() {
    return std::array{Field<Newton>{&Newton::restitution, "restitution", "1",
                                    "c, separation over approach speed", 0, 1}};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 0}};

  [[nodiscard]] std::string misfit(const ContactSite&) const { return {}; }
  void prepare(const ContactSite&) {}
  template <class T>
  T force(const Contact<T>&) const {
    return T(0);
  }
  template <class T>
  T elastic(const T&) const {
    return T(0);
  }
  template <class T>
  T potential(const T&) const {
    return T(0);
  }
  [[nodiscard]] double depth_limit() const { return kInfinity; }
  [[nodiscard]] std::vector<Derived> derived() const { return {}; }
};

}  // namespace freeplay::laws
