// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian.hpp"

namespace freeplay::dynamics {

std::unique_ptr<System> make_system(const Model& model) {
  return std::make_unique<Cartesian>(model);
}

}  // namespace freeplay::dynamics
