// SPDX-License-Identifier: Apache-2.0
#pragma once

// Indices that know what they count, so that a joint's cannot be handed over where a body's is
// asked for.
namespace freeplay {

/// Place of a `Thing` in the vector that holds all of them. Reads as a plain int, but is made from
/// one only on purpose: `BodyIndex(2)`.
template <class Thing>
class Index {
 public:
  constexpr Index() = default;
  constexpr explicit Index(int value) : value_(value) {}
  constexpr operator int() const { return value_; }  // NOLINT(google-explicit-constructor)
  constexpr Index& operator++() {
    ++value_;
    return *this;
  }
  constexpr Index& operator--() {
    --value_;
    return *this;
  }

 private:
  int value_ = 0;
};

struct Body;
struct Joint;
using BodyIndex = Index<Body>;         ///< into Mechanism::bodies; 0 is the ground
using JointIndex = Index<Joint>;       ///< into Mechanism::joints
inline constexpr BodyIndex kGround{};  ///< bodies[0]

}  // namespace freeplay
