// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "laws/law.hpp"
#include <freeplay/math.hpp>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

// The words of the oil films. A film law answers for one bearing: from the motion of the inner part
// to the force that the oil exerts on it. It knows neither bodies nor time. Frame: z along the
// bearing axis, x and y across, at rest or turning as the joint likes; the rates are absolute, and
// only the frame-invariant combinations of theory/films (F.2) enter.
namespace freeplay::films {

using laws::Derived;
using laws::Field;
using laws::Flag;
using laws::kDerived;
using laws::kUnprepared;
using laws::Text;

/// A journal parallel to its bearing.
template <class T = double>
struct FilmMotion {
  T ex, ey;                  ///< journal centre from bearing centre; m
  T ex_dot, ey_dot;          ///< m/s
  T spin_outer, spin_inner;  ///< about z; rad/s
  T turn = T(0.0);           ///< of the journal in the frame, where it is out of round; rad
};

/// Of the oil on the journal, and the torques about z, each about the body's own centre.
template <class T = double>
struct FilmForce {
  T fx, fy;                      ///< N; the bearing gets the opposite
  T torque_inner, torque_outer;  ///< N m
};

/// A journal whose axis is tilted in the bearing: its centre line passes e + slope * z.
template <class T = double>
struct TiltedMotion {
  FilmMotion<T> centre;        ///< in the middle plane of the bearing
  T slope_x, slope_y;          ///< de/dz; rad
  T slope_x_dot, slope_y_dot;  ///< rad/s
};
template <class T = double>
struct TiltedForce {
  FilmForce<T> centre;
  T mx, my;  ///< on the journal about its centre; N m
};

/// A ball in its socket, any axes.
template <class T = double>
struct BallMotion {
  Vec3T<T> e, e_dot;                ///< ball centre from socket centre; m, m/s
  Vec3T<T> spin_outer, spin_inner;  ///< rad/s
};
template <class T = double>
struct BallForce {
  Vec3T<T> force;                       ///< on the ball; N
  Vec3T<T> torque_inner, torque_outer;  ///< each about the body's own centre; N m
};

/// How a surface departs from its circle at an angle, and the derivatives by it; m. A bearing by
/// the angle in the frame, a journal by that in its own axes.
struct Departure {
  double w = 0, slope = 0, bend = 0;
};
using OutOfRound = std::function<Departure(double)>;

/// What is known of a film before anything moves.
struct FilmSite {
  double radius = 0;     ///< of the inner part; m
  double clearance = 0;  ///< radial; m
  double length = 0;     ///< of a bearing; m
  bool spherical = false;
  const OutOfRound *outer = nullptr, *inner = nullptr;  ///< absent: round
};

/// The sites of the samples.
inline constexpr FilmSite kOilJournal{.radius = 0.015, .clearance = 90e-6, .length = 0.02};
inline constexpr FilmSite kOilBall{.radius = 0.01, .clearance = 200e-6, .spherical = true};

/// A worked example, printed in the docs and checked in the tests: the law with its defaults at
/// L::sample_site. Of a ball the z components are zero.
struct FilmSample {
  FilmMotion<> at;
  double fx, fy;  ///< N
};

/// A value with known partial derivatives with respect to `inputs`, for laws that are solved
/// numerically: the chain rule in one line.
template <class T, std::size_t N>
[[nodiscard]] T chained(double value, const std::array<double, N>& slopes,
                        const std::array<T, N>& inputs) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    T out(value);
    for (std::size_t i = 0; i < N; ++i) out.d += inputs[i].d * slopes[i];
    return out;
  }
}

template <class T>
struct Planar {
  T x, y;
};

}  // namespace freeplay::films
