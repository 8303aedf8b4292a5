// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/own.hpp"
#include "laws/plugin_law.hpp"

#include <array>
#include <memory>
#include <string>

namespace freeplay::laws {

/// The force of a plug-in.
struct ContactPlugin : OwnContact<PluginFunction> {
  static constexpr Text key = kPluginKey;
  static constexpr Text plugin_kind = "contact";
  static constexpr Text title = "Compiled code of your own";
  static constexpr Text cite = "the plug-in that the model file names";
  static constexpr Text formula =
      "F = evaluate(d, v, v0, mass, modulus, radius, length), never tensile unless `tension` is "
      "set; zero without depth";
  static constexpr Text limits =
      "Runs only where `--allow-plugins` lets it; docs/guide/plugins.md has the C interface. Depth "
      "(m), its rate (m/s), approach speed (m/s), mass (kg), E* (Pa), radius and length of the "
      "site (m; NaN where it has none). A force that pulls at rest, does not vanish with the "
      "depth, makes energy or is no number is refused before anything runs. Further keys of the "
      "table are the parameters that the plug-in tells. Stored energy is that of the force at "
      "v = 0.";

  std::shared_ptr<const PluginFunction> function = sample();
  /// Whether the curvature of the site is the same everywhere; otherwise `radius` is NaN.
  bool curved = true;

  static constexpr std::array<Field<ContactPlugin>, 0> fields() { return {}; }
  static constexpr auto flags() {
    return std::array{
        Flag<ContactPlugin>{&ContactPlugin::tension, "tension",
                            "negative forces pull: contact lasts until the depth is 0 again"}};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 338.7589943455},
                                      ContactSample{{1e-5, -0.1, 0.2}, 293.6965376881}};

  /// K d^1.5 (1 + b v/v0) with K = 1e10 and b = 3/4 (1 - 0.9^2), with exact slopes.
  [[nodiscard]] static std::shared_ptr<const PluginFunction> sample();
  void take(std::shared_ptr<const PluginFunction> given) { function = std::move(given); }
  [[nodiscard]] std::string trouble() const { return compiled ? compiled->trouble() : ""; }

  [[nodiscard]] std::string misfit(const ContactSite& site) const;
  void prepare(const ContactSite& site);

 private:
  [[nodiscard]] std::array<double, 3> numbers_of(const ContactSite& site) const;
};

}  // namespace freeplay::laws
