// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

// Sums over the part of a line or a face that is in contact. The part shrinks to nothing as the
// contact ends, and the rules go with it: no node ever enters or leaves, so that the sum is
// continuous for every pose.
namespace freeplay::joints {

struct Node1 {
  double x, w;
};

/// Gauss-Legendre on [0, 1] (Abramowitz & Stegun, table 25.4, moved from [-1, 1]).
template <int N>
constexpr std::array<Node1, N> gauss_on_unit() {
  static_assert(N == 2 || N == 3 || N == 4 || N == 5 || N == 8);
  std::array<Node1, N> out{};
  const auto pair = [&](int k, double x, double w) {
    out[k] = {0.5 - 0.5 * x, 0.5 * w};
    out[N - 1 - k] = {0.5 + 0.5 * x, 0.5 * w};
  };
  if constexpr (N == 2) {
    pair(0, 0.577350269189625765, 1);
  } else if constexpr (N == 3) {
    pair(0, 0.774596669241483377, 0.555555555555555556);
    out[1] = {0.5, 0.444444444444444444};
  } else if constexpr (N == 4) {
    pair(0, 0.861136311594052575, 0.347854845137453857);
    pair(1, 0.339981043584856265, 0.652145154862546143);
  } else if constexpr (N == 5) {
    pair(0, 0.906179845938663993, 0.236926885056189088);
    pair(1, 0.538469310105683091, 0.478628670499366468);
    out[2] = {0.5, 0.284444444444444444};
  } else {
    pair(0, 0.960289856497536232, 0.101228536290376259);
    pair(1, 0.796666477413626740, 0.222381034453374471);
    pair(2, 0.525532409916328986, 0.313706645877887287);
    pair(3, 0.183434642495649805, 0.362683783378361983);
  }
  return out;
}

/// visit(s, ds) for the nodes between `shallow` and `deep` on a line, `shallow` being the end with
/// less depth. With s - shallow = span x^2 a force like (s - shallow)^1.5, as it grows from the end
/// of a contact, is a polynomial in x: summed without error where the depth is linear.
template <int N, class Visit>
void visit_line(double shallow, double deep, Visit&& visit) {
  static constexpr auto kRule = gauss_on_unit<N>();
  const double span = deep - shallow;
  for (const Node1& node : kRule)
    visit(shallow + span * node.x * node.x, 2 * node.x * node.w * std::abs(span));
}

/// visit(x, y, dA) for the nodes of a ring (inner radius 0: a disc) where x > cut. Exact to a few
/// millionths for polynomials of degree 2, as the moments of a linear pressure need, theory/gaps
/// (G.14); strips across x, which is R cos(t), so that their width is smooth in t.
template <class Visit>
void visit_ring(double inner, double outer, double cut, Visit&& visit) {
  static constexpr auto kAlong = gauss_on_unit<8>();
  static constexpr auto kAcross = gauss_on_unit<2>();
  const auto half_width = [](double radius, double x) {
    return std::sqrt(std::max(0.0, (radius - x) * (radius + x)));
  };
  // x from high down to low, as radius cos(t).
  const auto strips = [&](double radius, double high, double low, bool hollow) {
    low = std::max(low, cut);
    if (!(low < high)) return;
    const double from = std::acos(std::clamp(high / radius, -1.0, 1.0));
    const double span = std::acos(std::clamp(low / radius, -1.0, 1.0)) - from;
    for (const Node1& along : kAlong) {
      const double t = from + span * along.x;
      const double x = radius * std::cos(t), dx = radius * std::sin(t) * span * along.w;
      const double far = half_width(outer, x);
      if (!hollow) {
        for (const Node1& across : kAcross)
          visit(x, far * (2 * across.x - 1), 2 * far * across.w * dx);
        continue;
      }
      const double near = half_width(inner, x);
      for (const Node1& across : kAcross)
        for (const double side : {-1.0, 1.0})
          visit(x, side * (near + (far - near) * across.x), (far - near) * across.w * dx);
    }
  };
  if (inner <= 0) return strips(outer, outer, -outer, false);
  strips(outer, outer, inner, false);
  strips(inner, inner, -inner, true);
  strips(outer, -inner, -outer, false);
}

}  // namespace freeplay::joints
