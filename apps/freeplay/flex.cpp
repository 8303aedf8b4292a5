// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "fem/free_modes.hpp"
#include "fem/make_part.hpp"
#include "io/part_file.hpp"
#include "io/text.hpp"
#include "json.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <numbers>

// `freeplay flex`: from finite elements to a part file.
namespace freeplay::cli {
namespace {

namespace fs = std::filesystem;

fem::PartJob job_of(const FlexArguments& a) {
  fem::PartJob job;
  job.deck = a.deck;
  job.matrices = a.matrices;
  job.run = a.run;
  job.modes = a.modes;
  if (a.run && !a.matrices.empty()) throw UsageError("give --run or --matrices, not both");
  const auto units = fem::parse_deck_units(a.units);
  if (!units)
    throw UsageError(
        "--units " + io::quote(a.units) +
        ": expected length-mass-time, such as mm-t-s (N, MPa) or m-kg-s; lengths m, cm, "
        "mm, um, in; masses kg, g, t; times s, ms");
  job.units = *units;
  for (const std::string& text : a.interfaces) job.interfaces.push_back(fem::parse_interface(text));
  return job;
}

/// In mm, without round-off.
std::string place(Vec3 p, double size) {
  for (double& x : p) x = std::abs(x) < 1e-9 * size ? 0 : 1e3 * x;
  return fmt::format("{:.6g}, {:.6g}, {:.6g}", p[0], p[1], p[2]);
}

std::string summary(const fem::MadePart& made, const VecX& free) {
  const fem::Reduction& r = made.reduction;
  Table table;
  table.add({"nodes, elements", fmt::format("{}, {}", made.nodes, made.elements)});
  table.add({"mass", fmt::format("{:.6g} kg", r.part.mass)});
  table.add({"centre of mass in the mesh", place(r.part.centre, r.part.size) + " mm"});
  table.add({"inertia xx, yy, zz about it",
             fmt::format("{:.5g}, {:.5g}, {:.5g} kg m^2", r.part.inertia(0, 0),
                         r.part.inertia(1, 1), r.part.inertia(2, 2))});
  table.add({"resistance to moving as one", fmt::format("{:.1e}", r.rigid_stiffness)});
  table.add({"imbalance of the static shapes", fmt::format("{:.1e}", r.imbalance)});
  table.add({"error of the reduced mass", fmt::format("{:.1e}", r.rigid_mass)});

  Table interfaces({"interface", "coupling", "point in the mesh, mm", "gives way to 1 kN, um"});
  const std::vector<Vec3> soft = fem::compliances(r.part);
  for (std::size_t k = 0; k < r.part.interfaces.size(); ++k) {
    const fem::Interface& i = r.part.interfaces[k];
    const Vec3 c = k == 0 ? Vec3::Zero() : Vec3(1e9 * soft[k - 1]);
    interfaces.add({i.name, i.averaged ? "averaged" : "rigid",
                    place(i.point + r.part.centre, r.part.size),
                    k == 0 ? "held" : fmt::format("{:.5g}, {:.5g}, {:.5g}", c[0], c[1], c[2])});
  }
  Table modes({"mode", "in free flight, Hz", "interfaces held, Hz"});
  constexpr Eigen::Index kShown = 10;
  const VecX& fixed = r.part.fixed_frequency;
  const auto cell = [](const VecX& w, Eigen::Index k) {
    return k < w.size() ? fmt::format("{:.1f}", w[k] / (2 * std::numbers::pi)) : std::string();
  };
  for (Eigen::Index k = 0; k < std::min(kShown, free.size()); ++k)
    modes.add({std::to_string(k + 1), cell(free, k), cell(fixed, k)});
  if (free.size() > kShown)
    modes.add({"highest", cell(free, free.size() - 1), cell(fixed, fixed.size() - 1)});
  return table.text() + "\n" + interfaces.text() + "\n" + modes.text();
}

}  // namespace

int flex_command(const FlexArguments& a) {
  const fem::PartJob job = job_of(a);
  const std::string output = a.output.empty() ? fs::path(a.deck).stem().string() + ".h5" : a.output;
  std::error_code ignored;
  if (fs::path(a.deck).lexically_normal() == fs::path(output).lexically_normal() ||
      fs::equivalent(a.deck, output, ignored))
    throw UsageError("the output " + io::quote(output) + " is the deck itself");
  const fem::MadePart made = fem::make_part(job);
  const VecX free = fem::free_modes(made.reduction.part, {}).frequency;
  io::write_part(output, made.reduction.part);
  if (made.skins > 0)
    note(fmt::format("{} plane elements of the deck are no part of the part and were left out",
                     made.skins));
  if (a.json)
    print(json_of(made, free, output));
  else
    print(summary(made, free) + "\npart: " + output + "\n");
  return kDone;
}

}  // namespace freeplay::cli
