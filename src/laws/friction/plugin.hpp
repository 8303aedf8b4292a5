// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction/own.hpp"
#include "laws/plugin_law.hpp"

#include <array>
#include <memory>
#include <string>

namespace freeplay::laws {

/// The coefficient of a plug-in, of the slip speed and the load.
struct FrictionPlugin : OwnFriction<FrictionPlugin, PluginFunction> {
  static constexpr Text key = kPluginKey;
  static constexpr Text plugin_kind = "friction";
  static constexpr Text title = "Compiled code of your own";
  static constexpr Text cite = "the plug-in that the model file names";
  static constexpr Text formula = "F/N = evaluate(v, load)";
  static constexpr Text limits =
      "Runs only where `--allow-plugins` lets it; docs/guide/plugins.md has the C interface. Slip "
      "speed (m/s) and load (N). Must vanish at rest with a finite slope, and so creeps under a "
      "load; must not be negative. A coefficient that changes with the load is for joints with "
      "clearance. Further keys of the table are the parameters that the plug-in tells.";

  FrictionPlugin() { compiled = sample(); }

  static constexpr std::array<Field<FrictionPlugin>, 0> fields() { return {}; }
  static constexpr std::array samples{SlipSample{5e-4, 0.0462117157},
                                      SlipSample{2e-3, 0.096402758}};

  /// 0.1 tanh(v/v1) with v1 = 1 mm/s, with exact slopes.
  [[nodiscard]] static std::shared_ptr<const PluginFunction> sample();
  void take(std::shared_ptr<const PluginFunction> given) { compiled = std::move(given); }
  [[nodiscard]] std::string trouble() const { return compiled->trouble(); }
  /// Found by asking.
  [[nodiscard]] bool depends_on_load() const;
  [[nodiscard]] std::string conflict() const;
};

}  // namespace freeplay::laws
