// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian.hpp"
#include "dynamics/layout.hpp"
#include "dynamics/tree.hpp"

namespace freeplay::dynamics {

std::unique_ptr<System> make_system(const Model& model) {
  if (formulation_of(model) == Formulation::tree) return make_tree(model);
  return std::make_unique<Cartesian>(model);
}

}  // namespace freeplay::dynamics
