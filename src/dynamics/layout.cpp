// SPDX-License-Identifier: Apache-2.0
#include "dynamics/layout.hpp"

#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/tree/choice.hpp"
#include "dynamics/tree/tree.hpp"
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
bool is_tree(const State& state) { return state.layout && state.layout->formulation() == kTree; }
}  // namespace

State from_cartesian(const Model& model, State state) {
  if (formulation_of(model) != Formulation::tree || is_tree(state)) return state;
  const auto tree = make_tree(model);
  state.y = tree->from_cartesian(state);
  state.layout = tree->layout();
  return state;
}

State to_cartesian(const Model& model, State state) {
  if (!is_tree(state)) return state;
  state.y = make_tree(model)->to_cartesian(state);
  state.layout = Cartesian(model).layout();
  return state;
}

}  // namespace freeplay::dynamics
