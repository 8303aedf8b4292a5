// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/wear.hpp"

namespace freeplay::laws {

/// Archard's law with coefficients that follow a table, of pressure or of speed.
template <class Self>
struct TabledArchard : WearLawBase {
  static constexpr auto fields() { return std::array{outer_field<Self>(), inner_field<Self>()}; }
  [[nodiscard]] double rate(double k, const Rubbing& at) const {
    return k * at.factor * at.pressure * at.slip;
  }
};

/// Mild wear below, severe wear above a pressure.
struct ArchardPressure : TabledArchard<ArchardPressure> {
  static constexpr WearTable table = WearTable::pressure;
  static constexpr Text key = "archard-pressure";
  static constexpr Text title = "Archard, coefficient of pressure";
  static constexpr Text cite = "Archard 1953; transition of mild to severe wear";
  static constexpr Text formula = "dh/dt = k f(p) p |v|, f from the table `x` (Pa), `factor`";
  static constexpr Text limits =
      "Straight lines between the points of the table, its end values beyond them.";
  static constexpr std::array samples{WearSample{{1e7, 0.1, 0, 0, 2}, 2e-8}};
};

/// Oxide films that come with speed.
struct ArchardSpeed : TabledArchard<ArchardSpeed> {
  static constexpr WearTable table = WearTable::speed;
  static constexpr Text key = "archard-speed";
  static constexpr Text title = "Archard, coefficient of speed";
  static constexpr Text cite = "Archard 1953; maps of wear against speed, Lim & Ashby 1987";
  static constexpr Text formula = "dh/dt = k f(|v|) p |v|, f from the table `x` (m/s), `factor`";
  static constexpr Text limits =
      "Straight lines between the points of the table, its end values beyond them.";
  static constexpr std::array samples{WearSample{{1e7, 0.1, 0, 0, 0.5}, 5e-9}};
};

}  // namespace freeplay::laws
