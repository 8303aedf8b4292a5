// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "still_rotor.hpp"
#include "terminal.hpp"
#include <freeplay/equilibrium.hpp>
#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

// `freeplay equilibrium`: the pose at rest and the loads in it.
namespace freeplay::cli {

namespace {

/// What does not move has poses and forces; rates are zero.
bool is_wanted(const std::string& path) {
  static constexpr std::array kLeaves{
      "/position",        "/angle",        "/quaternion",   "/coordinate",     "/reaction_force",
      "/reaction_moment", "/drive_effort", "/eccentricity", "/film_thickness", "/film_pressure"};
  return std::any_of(kLeaves.begin(), kLeaves.end(),
                     [&](const char* leaf) { return path.ends_with(leaf); });
}

void print_loads(const Equilibrium& equilibrium) {
  if (equilibrium.loads.empty()) return;
  Table table({"carried in", "by", "force, N", "depth, m", "eccentricity ratio"});
  for (const CarriedLoad& load : equilibrium.loads)
    table.add({load.joint, load.by, fmt::format("{:.8g}", load.force),
               load.depth > 0 ? fmt::format("{:.6g}", load.depth) : "-",
               load.ratio > 0 ? fmt::format("{:.8g}", load.ratio) : "-"});
  print(table.text());
}

}  // namespace

int equilibrium_command(const EquilibriumArguments& a) {
  const auto [model, warnings, record] = load(a.model);
  show(warnings);
  const Equilibrium equilibrium = naming_the_file(a.model, model, find_equilibrium);
  const auto channels = describe(model).channels;
  if (a.json) {
    print(json_of(equilibrium, channels));
  } else if (equilibrium.found) {
    Table table({"quantity", "unit", "value"});
    for (const auto& c : channels) {
      if (!is_wanted(c.path) ||
          equilibrium.row.size() < static_cast<std::size_t>(c.offset + c.width))
        continue;
      std::string values;
      for (int k = 0; k < c.width; ++k)
        values += fmt::format("{}{:.8g}", k ? ", " : "",
                              equilibrium.row[static_cast<std::size_t>(c.offset + k)]);
      table.add({c.path, c.unit, values});
    }
    print(bold(model.name.empty() ? "mechanism" : model.name) +
          fmt::format(": {}, residual {:.2g} m/s^2, {:.2g} N after {} iterations\n",
                      equilibrium.spinning ? "in balance while it turns" : "at rest",
                      equilibrium.residual, equilibrium.unbalanced, equilibrium.iterations) +
          table.text());
    print_loads(equilibrium);
  }
  if (!equilibrium.found) {
    complain(equilibrium.reason + "; " + equilibrium.remedy);
    return kFailed;
  }
  if (const std::string still = still_rotor(a.model, model, equilibrium); !still.empty())
    warn(still);
  for (const std::string& motion : equilibrium.free_motions)
    warn("nothing resists this motion, so the pose is not unique: " + motion);
  return kDone;
}

}  // namespace freeplay::cli
