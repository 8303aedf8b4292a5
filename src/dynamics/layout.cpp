// SPDX-License-Identifier: Apache-2.0
#include "dynamics/layout.hpp"

#include "dynamics/tree.hpp"
#include "dynamics/tree_choice.hpp"
#include <freeplay/errors.hpp>

namespace freeplay::dynamics {

Formulation formulation_of(const Model& model) {
  const Formulation asked = model.simulation.formulation;
  if (asked == Formulation::cartesian) return asked;
  const std::string why = tree_misfit(model);
  if (asked == Formulation::automatic)
    return why.empty() && tree_is_faster(model) ? Formulation::tree : Formulation::cartesian;
  if (!why.empty()) {
    Issue issue;
    issue.path = "simulation.formulation";
    issue.message = "\"tree\" does not fit this model: " + why;
    issue.hint = "use \"auto\" or \"cartesian\"";
    throw ModelError(issue);
  }
  return asked;
}

namespace {

/// Tree coordinates are fewer than Cartesian ones wherever there is a joint; where there is none,
/// both are laid out alike. So the size tells them apart.
bool is_cartesian(const Model& model, const TreeSystem& tree, const State& state) {
  const Eigen::Index bodies = static_cast<Eigen::Index>(model.bodies.size()) - 1;
  const Eigen::Index motion = bodies * (model.planar ? 6 : 13);
  return state.y.size() == motion + tree.size() - tree.positions() - tree.speeds();
}

}  // namespace

State from_cartesian(const Model& model, State state) {
  if (formulation_of(model) != Formulation::tree) return state;
  const auto tree = make_tree(model);
  if (is_cartesian(model, *tree, state)) state.y = tree->from_cartesian(state);
  return state;
}

State to_cartesian(const Model& model, State state) {
  if (formulation_of(model) != Formulation::tree) return state;
  const auto tree = make_tree(model);
  if (!is_cartesian(model, *tree, state)) state.y = tree->to_cartesian(state);
  return state;
}

}  // namespace freeplay::dynamics
