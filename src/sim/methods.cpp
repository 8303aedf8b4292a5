// SPDX-License-Identifier: Apache-2.0
#include "sim/methods.hpp"

#include "integrate/ida.hpp"
#include "model/words.hpp"
#include "sim/breakpoints.hpp"
#include "sim/nonsmooth.hpp"
#include <freeplay/errors.hpp>

#include <algorithm>

namespace freeplay::sim {
namespace {

[[noreturn]] void refuse(const char* message, const char* hint) {
  Issue issue;
  issue.path = "simulation.integrator";
  issue.message = message;
  issue.hint = hint;
  throw ModelError(issue);
}

/// IDA works on the constrained equations themselves, which sets conditions on the model.
std::unique_ptr<integrate::Integrator> make_ida(dynamics::System& system, const State& state,
                                                Trajectory& trajectory,
                                                const integrate::Settings& settings) {
  const Simulation& simulation = system.model().simulation;
  auto* cartesian = dynamic_cast<dynamics::Cartesian*>(&system);
  if (!cartesian) refuse("ida needs the Cartesian formulation", "set formulation = \"cartesian\"");
  if (simulation.analysis == Analysis::kinematic)
    refuse("ida does not fit a kinematic analysis, which has nothing to integrate but work",
           "use \"auto\"");
  if (cartesian->has_holds())
    refuse("ida cannot take constraints that come and go: stick friction, stops at rest",
           "use \"auto\"");
  if (cartesian->control())
    refuse("ida does not take signals and controllers", "use \"cvode-bdf\" or \"auto\"");
  if (cartesian->state_size() > 0)
    refuse("ida does not carry the states of bristle friction", "use \"cvode-bdf\" or \"auto\"");
  if (simulation.baumgarte)
    refuse("ida keeps to the constraints by itself and cannot take Baumgarte's terms",
           "use stabilisation = \"projection\"");
  if (state.memory[dynamics::kRedundantRows] > 0)
    refuse(
        "ida needs independent constraints, and this mechanism has redundant ones (see 'freeplay "
        "check')",
        "use \"cvode-bdf\" or \"arkode-dirk\"");
  return integrate::make_ida(*cartesian, state.memory, trajectory, settings);
}

}  // namespace

integrate::Settings settings_of(const dynamics::System& system, std::int64_t reject_every) {
  const Simulation& simulation = system.model().simulation;
  double longest = simulation.max_step;
  const bool looks = system.event_count() > 0 || kind_of(simulation.method).non_smooth;
  if (const double swing = longest_step(system.model()); swing > 0 && looks)
    longest = longest > 0 ? std::min(longest, swing) : swing;
  return {simulation.step, longest, reject_every};
}

std::unique_ptr<integrate::Integrator> make_method(dynamics::System& system, const State& state,
                                                   Trajectory& trajectory,
                                                   const integrate::Settings& settings) {
  const Method method = system.model().simulation.method;
  if (kind_of(method).non_smooth && system.control())
    refuse("moreau does not take signals and controllers: its steps have no dense output",
           "use \"auto\"");
  if (kind_of(method).non_smooth) return make_moreau(system.model(), trajectory, settings);
  return kind_of(method).constrained ? make_ida(system, state, trajectory, settings)
                                     : integrate::make_integrator(method, trajectory, settings);
}

}  // namespace freeplay::sim
