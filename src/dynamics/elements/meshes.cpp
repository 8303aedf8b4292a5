// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/meshes.hpp"

#include "dynamics/start/written_start.hpp"

#include <algorithm>

namespace freeplay::dynamics {

Meshes::Meshes(const Model& model, Layout& layout) : model_(model) {
  if (std::ranges::none_of(model.couplings, [](const Coupling& c) { return c.teeth.has_value(); }))
    return;
  const WrittenStart written(model);
  for (std::size_t c = 0; c < model.couplings.size(); ++c)
    if (model.couplings[c].teeth) list_.emplace_back(model, c, written.coupling_offset[c], layout);
  now_.resize(list_.size());
  actions_.resize(list_.size());
}

bool Meshes::act_on(FrameIndex frame) const {
  bool out = false;
  each_joint([&](const Joint& joint) {
    out = out || joint.first.body == frame || joint.second.body == frame;
  });
  return out;
}

void Meshes::powers(double* out) const {
  for (std::size_t k = 0; k < list_.size(); ++k) {
    out[list_[k].work()] = actions_[k].power;
    if (const int work = list_[k].friction_work(); work >= 0)
      out[work] = actions_[k].friction_power;
  }
}

}  // namespace freeplay::dynamics
