// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/control.hpp"

#include <fmt/format.h>

namespace freeplay::laws {

/// A gain for each input.
struct StateFeedback : ControlLawBase {
  static constexpr Text key = "state-feedback";
  static constexpr Text title = "State feedback";
  static constexpr Text cite = "Kalman 1960";
  static constexpr Text formula = "u = offset - (k1 x1 + k2 x2 + ...)";
  static constexpr Text limits =
      "As many gains as inputs. The gains of an optimal regulator come from elsewhere.";

  std::vector<double> gains{1};
  double offset = 0;

  static constexpr auto fields() {
    return std::array{Field<StateFeedback>{&StateFeedback::offset, "offset", "",
                                           "output where all inputs are 0", -kInfinity, kInfinity}};
  }
  static constexpr auto lists() {
    return std::array{
        ListField<StateFeedback>{&StateFeedback::gains, "gains", "one for each input", true}};
  }
  static constexpr std::array samples{ControlSample{2, 0, 0, -2}};

  [[nodiscard]] std::string conflict(int inputs) const {
    if (static_cast<int>(gains.size()) == inputs) return {};
    return fmt::format("{} gains for {} inputs", gains.size(), inputs);
  }
  template <class T>
  [[nodiscard]] T raw(const Seen<T>& seen) const {
    T u(offset);
    for (std::size_t k = 0; k < gains.size(); ++k) u -= gains[k] * seen.in[k];
    return u;
  }
  [[nodiscard]] double at_sample(std::span<const double> in, double /*period*/,
                                 const double* /*stored*/) const {
    return raw(Seen<double>{in});
  }
};

}  // namespace freeplay::laws
