// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/interval.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <type_traits>

// The first K Taylor coefficients of a function of one variable, c[k] = f^(k)/k!, carried through
// arithmetic exactly (Moore 1966; recurrences as in Griewank & Walther 2008, section 13.2). Over
// doubles: a value with its derivatives. Over intervals: bounds of all of them on the interval.
namespace freeplay {

template <class N, int K>
struct Series {
  std::array<N, K> c{};

  Series() = default;
  Series(double value) { c[0] = value; }  // NOLINT: constants mix freely
  /// The variable itself.
  static Series variable(const N& value) {
    Series out;
    out.c[0] = value;
    if constexpr (K > 1) out.c[1] = 1;
    return out;
  }

  friend Series operator-(Series a) {
    for (N& x : a.c) x = -x;
    return a;
  }
  friend Series operator+(Series a, const Series& b) {
    for (int k = 0; k < K; ++k) a.c[k] += b.c[k];
    return a;
  }
  friend Series operator-(Series a, const Series& b) {
    for (int k = 0; k < K; ++k) a.c[k] -= b.c[k];
    return a;
  }
  friend Series operator*(const Series& a, const Series& b) {
    Series out;
    for (int k = 0; k < K; ++k)
      for (int j = 0; j <= k; ++j) out.c[k] += a.c[j] * b.c[k - j];
    return out;
  }
  friend Series operator/(const Series& a, const Series& b) {
    Series q;
    for (int k = 0; k < K; ++k) {
      N sum = a.c[k];
      for (int j = 1; j <= k; ++j) sum -= b.c[j] * q.c[k - j];
      q.c[k] = sum / b.c[0];
    }
    return q;
  }
};

namespace series {

/// sum over j = 1 ... k of j a_j b_(k-j), over k: coefficient k of the integral of a' b.
template <class N, int K>
N integral_term(const Series<N, K>& a, const Series<N, K>& b, int k) {
  N sum{};
  for (int j = 1; j <= k; ++j) sum += N(j) * a.c[j] * b.c[k - j];
  return sum / N(k);
}

/// The function with this value whose derivative is a' slope.
template <class N, int K>
Series<N, K> integrated(const N& value, const Series<N, K>& a, const Series<N, K>& slope) {
  Series<N, K> out;
  out.c[0] = value;
  for (int k = 1; k < K; ++k) out.c[k] = integral_term(a, slope, k);
  return out;
}

/// A pair with s' = a' c, c' = sign a' s: sine and cosine (-1), hyperbolic ones (+1).
template <class N, int K>
struct Pair {
  Series<N, K> s, c;
  Pair(const Series<N, K>& a, double sign, const N& first_s, const N& first_c) {
    s.c[0] = first_s, c.c[0] = first_c;
    for (int k = 1; k < K; ++k) {
      s.c[k] = integral_term(a, c, k);
      c.c[k] = N(sign) * integral_term(a, s, k);
    }
  }
};
template <class N, int K>
Pair<N, K> circle(const Series<N, K>& a) {
  using std::cos, std::sin;
  return {a, -1, sin(a.c[0]), cos(a.c[0])};
}
template <class N, int K>
Pair<N, K> hyperbola(const Series<N, K>& a) {
  using std::cosh, std::sinh;
  return {a, 1, sinh(a.c[0]), cosh(a.c[0])};
}

/// f with f' = a' (1 + sign f^2): tangent (+1) and hyperbolic tangent (-1).
template <class N, int K>
Series<N, K> tangent(const Series<N, K>& a, double sign, const N& value) {
  Series<N, K> f, slope;
  f.c[0] = value;
  for (int k = 0; k < K; ++k) {
    if (k > 0) f.c[k] = integral_term(a, slope, k);
    N square{};
    for (int j = 0; j <= k; ++j) square += f.c[j] * f.c[k - j];
    slope.c[k] = N(k == 0 ? 1.0 : 0.0) + N(sign) * square;
  }
  return f;
}

inline bool exactly(double x, double value) { return x == value; }
inline bool exactly(const Interval& x, double value) { return x.low == value && x.high == value; }

/// The number that a series is, if it is one.
template <class N, int K>
std::optional<double> number(const Series<N, K>& a) {
  for (int k = 1; k < K; ++k)
    if (!exactly(a.c[k], 0)) return {};
  if constexpr (std::is_same_v<N, double>)
    return a.c[0];
  else if (a.c[0].low == a.c[0].high)
    return a.c[0].low;
  return {};
}

}  // namespace series

template <class N, int K>
Series<N, K> exp(const Series<N, K>& a) {
  using std::exp;
  Series<N, K> e;
  e.c[0] = exp(a.c[0]);
  for (int k = 1; k < K; ++k) e.c[k] = series::integral_term(a, e, k);
  return e;
}
template <class N, int K>
Series<N, K> log(const Series<N, K>& a) {
  using std::log;
  return series::integrated(N(log(a.c[0])), a, Series<N, K>(1.0) / a);
}
template <class N, int K>
Series<N, K> sqrt(const Series<N, K>& a) {
  using std::sqrt;
  Series<N, K> r;
  r.c[0] = sqrt(a.c[0]);
  for (int k = 1; k < K; ++k) {
    N sum = a.c[k];
    for (int j = 1; j < k; ++j) sum -= r.c[j] * r.c[k - j];
    r.c[k] = sum / (N(2.0) * r.c[0]);
  }
  return r;
}
template <class N, int K>
Series<N, K> sin(const Series<N, K>& a) {
  return series::circle(a).s;
}
template <class N, int K>
Series<N, K> cos(const Series<N, K>& a) {
  return series::circle(a).c;
}
template <class N, int K>
Series<N, K> sinh(const Series<N, K>& a) {
  return series::hyperbola(a).s;
}
template <class N, int K>
Series<N, K> cosh(const Series<N, K>& a) {
  return series::hyperbola(a).c;
}
template <class N, int K>
Series<N, K> tan(const Series<N, K>& a) {
  using std::tan;
  return series::tangent(a, 1, N(tan(a.c[0])));
}
template <class N, int K>
Series<N, K> tanh(const Series<N, K>& a) {
  using std::tanh;
  return series::tangent(a, -1, N(tanh(a.c[0])));
}
template <class N, int K>
Series<N, K> atan(const Series<N, K>& a) {
  using std::atan;
  const Series<N, K> one(1.0);
  return series::integrated(N(atan(a.c[0])), a, one / (one + a * a));
}
template <class N, int K>
Series<N, K> asin(const Series<N, K>& a) {
  using std::asin;
  const Series<N, K> one(1.0);
  return series::integrated(N(asin(a.c[0])), a, one / sqrt(one - a * a));
}
template <class N, int K>
Series<N, K> acos(const Series<N, K>& a) {
  using std::acos;
  const Series<N, K> one(1.0);
  return series::integrated(N(acos(a.c[0])), a, -(one / sqrt(one - a * a)));
}
template <class N, int K>
Series<N, K> abs(const Series<N, K>& a) {
  if constexpr (std::is_same_v<N, double>) {
    return a.c[0] < 0 ? -a : a;
  } else {
    if (a.c[0].low >= 0) return a;
    if (a.c[0].high <= 0) return -a;
    // A kink inside: slopes of both sides, and beyond that no derivative at all.
    Series<N, K> out;
    out.c[0] = abs(a.c[0]);
    if constexpr (K > 1) out.c[1] = {-a.c[1].size(), a.c[1].size()};
    for (int k = 2; k < K; ++k) out.c[k] = N::whole();
    return out;
  }
}

/// a^n, n constant: whole powers by multiplication, which also holds where the base is zero or
/// negative.
template <class N, int K>
Series<N, K> power(const Series<N, K>& a, double n) {
  using std::pow;
  constexpr double kLargest = 64;  // chosen: beyond that the recurrence is shorter
  if (std::floor(n) == n && std::abs(n) <= kLargest) {
    Series<N, K> out(1.0), square = a;
    for (auto left = static_cast<unsigned>(std::abs(n)); left > 0; left /= 2) {
      if (left % 2 == 1) out = out * square;
      if (left > 1) square = square * square;
    }
    if (n < 0) out = Series<N, K>(1.0) / out;
    out.c[0] = pow(a.c[0], n);  // tighter on intervals: a square is not negative
    return out;
  }
  Series<N, K> p;
  p.c[0] = pow(a.c[0], n);
  for (int k = 1; k < K; ++k) {  // a p' = n a' p
    N sum{};
    for (int j = 1; j <= k; ++j) sum += N(n * j - (k - j)) * a.c[j] * p.c[k - j];
    p.c[k] = sum / (N(k) * a.c[0]);
  }
  return p;
}
template <class N, int K>
Series<N, K> power(const Series<N, K>& a, const Series<N, K>& b) {
  if (const auto n = series::number(b)) return power(a, *n);
  return exp(b * log(a));
}

}  // namespace freeplay
