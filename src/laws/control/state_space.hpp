// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/control.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freeplay::laws {

/// x' = A x + B w, u = c x + d w; sample by sample, x of the next sample in place of x'.
struct LinearSystem {
  std::vector<double> a, b, c, d;  ///< n n, n m, n, m; row by row

  [[nodiscard]] std::size_t order() const { return c.size(); }
  template <class T>
  [[nodiscard]] T output(std::span<const T> in, const T* x) const {
    T u(0.0);
    for (std::size_t k = 0; k < c.size(); ++k) u += c[k] * x[k];
    for (std::size_t k = 0; k < d.size(); ++k)
      if (d[k] != 0) u += d[k] * in[k];
    return u;
  }
  /// Number i of A x + B w.
  template <class T>
  [[nodiscard]] T row(std::size_t i, std::span<const T> in, const T* x) const {
    const std::size_t n = order(), m = d.size();
    T sum(0.0);
    for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * x[k];
    for (std::size_t k = 0; k < m; ++k) sum += b[i * m + k] * in[k];
    return sum;
  }
  [[nodiscard]] bool direct() const {
    for (const double x : d)
      if (x != 0) return true;
    return false;
  }
  /// The state of the next sample; `stored` has it, and as much room behind it.
  void next(std::span<const double> in, double* stored) const {
    const std::size_t n = order();
    for (std::size_t i = 0; i < n; ++i) stored[n + i] = row<double>(i, in, stored);
    for (std::size_t i = 0; i < n; ++i) stored[i] = stored[n + i];
  }
};

/// A law that is such a system.
struct LinearLaw : ControlLawBase {
  LinearSystem system;
  std::vector<double> first;  ///< x at the start

  [[nodiscard]] int states(int /*inputs*/) const { return static_cast<int>(first.size()); }
  [[nodiscard]] int stored(int /*inputs*/) const { return 2 * static_cast<int>(first.size()); }
  void start(std::span<const double> /*in*/, double* x) const { std::ranges::copy(first, x); }
  void start_samples(std::span<const double> /*in*/, double* x) const {
    std::ranges::copy(first, x);
  }
  [[nodiscard]] bool direct() const { return system.direct(); }
  template <class T>
  [[nodiscard]] T raw(const Seen<T>& seen) const {
    return system.output<T>(seen.in, seen.states);
  }
  template <class T>
  void rates(const Seen<T>& seen, const T& /*raw*/, const T& /*out*/, T* rates) const {
    for (std::size_t i = 0; i < first.size(); ++i)
      rates[i] = system.row<T>(i, seen.in, seen.states);
  }
  [[nodiscard]] double at_sample(std::span<const double> in, double /*period*/,
                                 const double* stored) const {
    return system.output<double>(in, stored);
  }
  void next(std::span<const double> in, double /*period*/, double /*raw*/, double /*out*/,
            double* stored) const {
    system.next(in, stored);
  }
};

struct StateSpace : LinearLaw {
  static constexpr Text key = "state-space";
  static constexpr Text title = "State space";
  static constexpr Text cite = "Kalman 1960";
  static constexpr Text formula =
      "x' = A x + B w; u = C x + D w; with a sample_time x(k+1) = A x(k) + B w(k)";
  static constexpr Text limits =
      "Matrices row by row, n states and m inputs: A has n n numbers, B n m, C n, D m. One output; "
      "the matrices of a sampled law are those of the discrete system.";

  std::vector<double> a{0}, b{1}, c{1}, d, initial;

  static constexpr std::array<Field<StateSpace>, 0> fields() { return {}; }
  static constexpr auto lists() {
    using L = StateSpace;
    return std::array{ListField<L>{&L::a, "a", "n n numbers, row by row", true},
                      ListField<L>{&L::b, "b", "n m numbers, row by row", true},
                      ListField<L>{&L::c, "c", "n numbers", true},
                      ListField<L>{&L::d, "d", "m numbers; absent: zeros"},
                      ListField<L>{&L::initial, "initial", "x at the start; absent: zeros"}};
  }
  static constexpr std::array samples{ControlSample{2, 0, 3, 3}};

  [[nodiscard]] std::string conflict(int inputs) const {
    const std::size_t n = c.size(), m = static_cast<std::size_t>(inputs);
    if (a.size() != n * n || b.size() != n * m || (!d.empty() && d.size() != m) ||
        (!initial.empty() && initial.size() != n))
      return fmt::format(
          "c has {} numbers and there are {} inputs, which asks for {} in a, {} in b and {} in d",
          n, m, n * n, n * m, m);
    return {};
  }
  void prepare(int inputs) {
    system = {a, b, c, d};
    system.d.resize(static_cast<std::size_t>(inputs));
    first = initial;
    first.resize(c.size());
  }
};

/// Coefficients of s (of z, with a sample time), from the highest power down.
struct TransferFunction : LinearLaw {
  static constexpr Text key = "transfer-function";
  static constexpr Text title = "Transfer function";
  static constexpr Text cite = "Franklin, Powell & Emami-Naeini 2010, section 7.4.1";
  static constexpr Text formula =
      "u/w = (b0 s^n + ... + bn)/(a0 s^n + ... + an); with a sample_time, of z in place of s";
  static constexpr Text limits =
      "Begins at rest. No more powers above than below; a sampled one is that of the discrete "
      "system. In controller canonical form.";

  std::vector<double> numerator{1}, denominator{1, 1};

  static constexpr std::array<Field<TransferFunction>, 0> fields() { return {}; }
  static constexpr auto lists() {
    using L = TransferFunction;
    return std::array{
        ListField<L>{&L::numerator, "numerator", "coefficients, highest power first", true},
        ListField<L>{&L::denominator, "denominator", "coefficients, highest power first", true}};
  }
  static constexpr std::array samples{ControlSample{2, 0, 3, 3}};

  [[nodiscard]] std::string conflict(int inputs) const {
    if (inputs != 1) return "it takes one input";
    if (denominator.empty() || denominator[0] == 0)
      return "the first number of the denominator is 0";
    if (numerator.size() > denominator.size())
      return "the numerator has more powers than the denominator: no machine can do that";
    if (numerator.empty()) return "the numerator is empty";
    return {};
  }
  void prepare(int /*inputs*/) {
    const std::size_t n = denominator.size() - 1;
    std::vector<double> top(n + 1 - numerator.size(), 0.0);
    top.insert(top.end(), numerator.begin(), numerator.end());
    LinearSystem& out = system;
    out.a.assign(n * n, 0.0);
    out.b.assign(n, 0.0);
    out.c.assign(n, 0.0);
    const double lead = denominator[0];
    out.d = {top[0] / lead};
    for (std::size_t k = 0; k < n; ++k) {
      out.a[k] = -denominator[k + 1] / lead;
      out.c[k] = (top[k + 1] - denominator[k + 1] * out.d[0]) / lead;
    }
    for (std::size_t k = 1; k < n; ++k) out.a[k * n + k - 1] = 1;
    if (n > 0) out.b[0] = 1;
    first.assign(n, 0.0);
  }
};

}  // namespace freeplay::laws
