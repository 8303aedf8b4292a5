// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/law.hpp"

#include <span>
#include <string>
#include <vector>

// The words of the control laws: one output from a few inputs, at all times or sample by sample. A
// law knows neither what its inputs are nor who follows its output; limits, delays of computation
// and the events of both are its host's (dynamics/control/control.hpp).
namespace freeplay::laws {

/// A list of numbers of law L that the model file may set: gains, coefficients, a matrix row by
/// row.
template <class L>
struct ListField {
  std::vector<double> L::*member;
  std::string_view key, doc;
  bool required = false;
};

/// What a law sees at an instant.
template <class T>
struct Seen {
  std::span<const T> in;
  const T* states = nullptr;
  double past = 0;        ///< of a law with a delay: what `kept` was so long ago
  bool has_past = false;  ///< false: that is before the start
};

/// A worked example: the law of `samples`, with these inputs and states.
struct ControlSample {
  double first = 0, second = 0;  ///< inputs
  double state = 0;              ///< of a law that has one
  double output = 0;
};

/// What most laws have in common: one input, nothing remembered, an output that follows at once.
struct ControlLawBase {
  /// May it act sample by sample?
  static constexpr bool sampled = true;
  [[nodiscard]] std::string conflict(int inputs) const {
    return inputs == 1 ? "" : "it takes one input";
  }
  /// Called once, before anything below.
  void prepare(int /*inputs*/) {}
  /// Numbers that it integrates; that it keeps from sample to sample.
  [[nodiscard]] int states(int /*inputs*/) const { return 0; }
  [[nodiscard]] int stored(int /*inputs*/) const { return 0; }
  void start(std::span<const double> /*in*/, double* /*states*/) const {}
  void start_samples(std::span<const double> /*in*/, double* /*stored*/) const {}
  /// Does the output depend on what the inputs are at that very instant?
  [[nodiscard]] bool direct() const { return true; }
  /// s; 0: none.
  [[nodiscard]] double delay() const { return 0; }
  /// What a law with a delay will have to know again.
  template <class T>
  [[nodiscard]] T kept(const Seen<T>& /*seen*/) const {
    return T(0.0);
  }
  /// Rates of its states; `raw` is its output before, `out` behind the limits.
  template <class T>
  void rates(const Seen<T>& /*seen*/, const T& /*raw*/, const T& /*out*/, T* /*rates*/) const {}
  /// Sample by sample: the output, and then what is kept until the next.
  void next(std::span<const double> /*in*/, double /*period*/, double /*raw*/, double /*out*/,
            double* /*stored*/) const {}
};

/// The lists of a law; most have none.
template <class L>
constexpr auto lists_of() {
  if constexpr (requires { L::lists(); })
    return L::lists();
  else
    return std::array<ListField<L>, 0>{};
}

template <class L>
concept ControlLawType = Law<L> &&
    requires(const L& law, const Seen<double>& seen, std::span<const double> in, double* stored) {
  { law.conflict(1) } -> std::same_as<std::string>;
  L(law).prepare(1);
  { law.states(1) } -> std::same_as<int>;
  { law.direct() } -> std::same_as<bool>;
  { law.delay() } -> std::same_as<double>;
  { law.raw(seen) } -> std::same_as<double>;
  { law.at_sample(in, 1.0, stored) } -> std::same_as<double>;
  law.next(in, 1.0, 1.0, 1.0, stored);
};

}  // namespace freeplay::laws
