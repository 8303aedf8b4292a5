// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/layout.hpp"
#include "dynamics/tree/tree.hpp"

namespace freeplay::dynamics {

void find_strain(Snapshot& snapshot) {
  Snapshot::Strain& strain = snapshot.strain;
  for (std::size_t j = 0; j < snapshot.joints.size(); ++j)
    if (const double use = snapshot.joints[j].contact.friction_use; use > strain.friction) {
      strain.friction = use;
      strain.friction_joint = static_cast<int>(j);
    }
}

std::unique_ptr<System> make_system(const Model& model) {
  if (formulation_of(model) == Formulation::tree) return make_tree(model);
  return std::make_unique<Cartesian>(model);
}

}  // namespace freeplay::dynamics
