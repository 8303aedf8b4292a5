// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/contact_point.hpp"
#include <freeplay/model.hpp>

// A joint seen from one of its parts, the host: its surfaces stand still there, and points of the
// other part, the guest, are looked up against them. The shorter part is the guest, for its edges
// are what touches first: usually the inner one; the outer one where a long pin runs through a
// short bore.
namespace freeplay::joints {

template <class T>
struct HostView {
  Mat3T<T> host_axes;            ///< columns of the host's frame, global
  Vec3T<T> host_arm, guest_arm;  ///< centre of mass to joint point, global; m
  Vec3T<T> o;                    ///< joint point of the guest, host frame; m
  Mat3T<T> axes;                 ///< columns of the guest's frame, host frame
  double sign = 1;               ///< 1: the host is the outer part; -1: the inner one
  double back = 0.5;  ///< from the guest's surface to Q against the normal, over the depth

  /// The contact of the guest's surface point x (host frame) `depth` beyond the host's surface; Q
  /// lies between the two: back along the normal from a guest inside, forth from one outside.
  ContactPoint<T> contact(const Vec3T<T>& x, const Vec3T<T>& normal, const T& depth) const {
    const Vec3T<T> Q = x - normal * (back * depth);
    const Vec3T<T> host = host_arm + host_axes * Q;
    const Vec3T<T> guest = guest_arm + host_axes * (Q - o);
    ContactPoint<T> out;
    out.depth = depth;
    out.normal = host_axes * normal;
    out.arm1 = sign > 0 ? host : guest;
    out.arm2 = sign > 0 ? guest : host;
    return out;
  }
};

/// `swapped`: the inner part is the host. `share`: see force_share().
template <class T>
HostView<T> host_view(const Frame& first, const Frame& second, bool swapped, double share,
                      const Pose<T>& p1, const Pose<T>& p2) {
  const Pose<T>&host = swapped ? p2 : p1, &guest = swapped ? p1 : p2;
  const Frame &h = swapped ? second : first, &g = swapped ? first : second;
  HostView<T> out;
  out.host_axes = host.R * h.axes;
  out.host_arm = host.R * h.point;
  out.guest_arm = guest.R * g.point;
  const Vec3T<T> between = guest.r + out.guest_arm - host.r - out.host_arm;
  out.o = out.host_axes.transpose() * between;
  out.axes = out.host_axes.transpose() * Mat3T<T>(guest.R * g.axes);
  out.sign = swapped ? -1 : 1;
  out.back = swapped ? -share : 1 - share;
  return out;
}

}  // namespace freeplay::joints
