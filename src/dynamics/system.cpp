// SPDX-License-Identifier: Apache-2.0
#include "dynamics/system.hpp"

#include "dynamics/elements/contacts.hpp"

namespace freeplay::dynamics {

System::System(const Model& model, const char* formulation)
    : model_(model),
      scales_(scales_of(model)),
      layout_(std::make_shared<Layout>(formulation)),
      body_count_(model.bodies.size()),
      const_layout_(layout_) {
  layout_->declare("audit", kAuditFields);
}

VecX System::error_scale() const {
  VecX scale(size_);
  for (const Block& block : layout_->blocks())
    if (block.kind == BlockKind::work)
      scale.segment(block.offset, block.size).setConstant(energy_scale_);
    else if (block.kind != BlockKind::memory)
      scale.segment(block.offset, block.size).setConstant(block.scale);
  return scale;
}

std::vector<Impact> System::open_impacts(const State& state) const {
  const Contacts* all = all_contacts();
  return all ? all->open_impacts(state, state.y.data() + state.y.size() - work_size())
             : std::vector<Impact>();
}

}  // namespace freeplay::dynamics
