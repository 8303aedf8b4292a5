// SPDX-License-Identifier: Apache-2.0
#include "io/time_stepping_rules.hpp"

#include "io/text.hpp"
#include "laws/contact_laws.hpp"
#include "laws/friction_laws.hpp"
#include "model/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace freeplay::io {
namespace {

class Rules {
 public:
  Rules(const Model& model, const Node& root, Diagnostics& diagnostics)
      : model_(model), root_(root), diagnostics_(diagnostics) {}

  void check() {
    const Simulation& run = model_.simulation;
    if (run.analysis == Analysis::kinematic)
      refuse("simulation.analysis", "a kinematic analysis has nothing to step over",
             "use another integrator, such as \"auto\"");
    if (run.baumgarte)
      refuse("simulation.stabilisation",
             "time steps end on the joints themselves and cannot take Baumgarte's terms",
             "leave 'stabilisation' out");
    if (run.formulation == Formulation::tree)
      refuse("simulation.formulation",
             "moreau steps in Cartesian coordinates: in joint coordinates it is not done yet",
             "leave 'formulation' out, or use another integrator");
    for (const Joint& joint : model_.joints) check(joint);
    for (const Coupling& coupling : model_.couplings)
      if (coupling.teeth)
        refuse("couplings." + coupling.name + ".backlash",
               "steps over impacts take rigid contacts, and teeth have a force",
               "leave 'backlash' and what belongs to it out, or use another integrator");
  }

 private:
  void refuse(const std::string& path, std::string message, std::string hint) {
    diagnostics_.error(locate(root_, path), path, std::move(message), std::move(hint));
  }

  void check(const Joint& joint) {
    const std::string path = "joints." + joint.name;
    if (joint.clearance) {
      check_law(joint.clearance->contact, path + ".clearance.contact");
      if (joint.clearance->wear)
        refuse(path + ".clearance.wear", "impulses have no pressure that could wear a surface",
               "take a contact law with a force and another integrator, or leave 'wear' out");
    }
    for (const Stop& stop : joint.stops) check_law(stop.contact, path + ".stop.contact");
    if (joint.friction && joint.friction->law.key != laws::Coulomb::key)
      refuse(path + ".friction",
             fmt::format("time steps take dry friction by impulses, and the law {} has a force",
                         quote(joint.friction->law.key)),
             "write law = \"coulomb\", kinetic = ..., or use another integrator");
  }

  /// Time steps know rigid contacts only; a stiffness that they would ignore must not stand there.
  void check_law(const LawChoice& law, const std::string& path) {
    if (laws::is_impulsive(law.key)) return;
    const auto given = std::ranges::find_if(
        law.parameters, [](const auto& parameter) { return parameter.first == "restitution"; });
    refuse(path,
           fmt::format("steps over impacts take rigid contacts, and the law {} has a force",
                       quote(law.key)),
           fmt::format("write contact = {{ law = \"newton\", restitution = {} }}, or use another "
                       "integrator",
                       given == law.parameters.end() ? "..." : brief(given->second)));
  }

  const Model& model_;
  const Node& root_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_time_stepping(const Model& model, const Node& root, Diagnostics& diagnostics) {
  if (kind_of(model.simulation.method).non_smooth) Rules(model, root, diagnostics).check();
}

}  // namespace freeplay::io
