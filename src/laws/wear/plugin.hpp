// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/plugin_law.hpp"
#include "laws/wear.hpp"

#include <array>
#include <memory>
#include <string>

namespace freeplay::laws {

/// The rate of a plug-in, with the coefficient of each part.
struct WearPlugin : WearLawBase {
  static constexpr Text key = kPluginKey;
  static constexpr Text plugin_kind = "wear";
  static constexpr Text title = "Compiled code of your own";
  static constexpr Text cite = "the plug-in that the model file names";
  static constexpr Text formula =
      "dh/dt = evaluate(k, p, v, shear, h), k the coefficient of the part: `outer` or `inner`";
  static constexpr Text limits =
      "Runs only where `--allow-plugins` lets it; docs/guide/plugins.md has the C interface. "
      "Coefficient (1/Pa), pressure (Pa), slip speed (m/s), friction over area (Pa), depth lost "
      "(m). Must not be negative; one that changes with the friction needs friction in the joint. "
      "Further keys of the table are the parameters that the plug-in tells.";

  bool uses_shear = false;  // hides that of the base: found by asking
  std::shared_ptr<const PluginFunction> function = sample();

  static constexpr auto fields() {
    return std::array{outer_field<WearPlugin>(), inner_field<WearPlugin>()};
  }
  static constexpr std::array samples{WearSample{{1e7, 0.1}, 1e-8}, WearSample{{5e7, 0.02}, 1e-8}};

  /// k p v, Archard's law.
  [[nodiscard]] static std::shared_ptr<const PluginFunction> sample();
  void take(std::shared_ptr<const PluginFunction> given);
  [[nodiscard]] std::string trouble() const { return function->trouble(); }
  [[nodiscard]] std::string conflict() const;
  [[nodiscard]] double rate(double k, const Rubbing& at) const {
    return function->value(std::array{k, at.pressure, at.slip, at.shear, at.depth}.data());
  }
};

}  // namespace freeplay::laws
