// SPDX-License-Identifier: Apache-2.0
#include "still_rotor.hpp"

#include "model_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freeplay::cli {

std::string still_rotor(const ModelArguments& arguments, const Model& model,
                        const Equilibrium& equilibrium) {
  if (!equilibrium.found || equilibrium.spinning) return {};
  const bool oiled = std::ranges::any_of(
      model.joints, [](const Joint& joint) { return joint.clearance && joint.clearance->film; });
  if (!oiled) return {};
  const StartRow start = start_row(model, assemble(arguments, model));
  for (const Joint& joint : model.joints)
    for (const Drive& drive : joint.drives) {
      const auto rate = start.at("joints/" + joint.name + "/rate");
      if (!is_angle(drive.coordinate) || rate.empty() || rate[0] == 0) continue;
      return fmt::format(
          "the drive of {} turns, but stands still in this equilibrium, in which oil bears "
          "nothing: "
          "a rotor whose mass is off its axis has no balance while it turns; leave out what makes "
          "it so (--set bodies.NAME=false) to see it turning",
          joint.name);
    }
  return {};
}

}  // namespace freeplay::cli
