// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/element.hpp"
#include "dynamics/elements/forces.hpp"
#include "dynamics/elements/table_pieces.hpp"

namespace freeplay::dynamics {

/// A spring, damper, force, torque or effort of the model.
class ForceElement final : public ElementOf<ForceElement> {
 public:
  /// Declares its work, if it does any that has no potential.
  ForceElement(const Model& model, std::size_t index, const TablePieces& pieces, Layout& layout);

  [[nodiscard]] const JointCoordinate* reads() const override {
    return coordinate_of(model_.forces[index_]);
  }
  template <class T>
  void evaluate(const Sight<T>& sight, T* rates, Action<T>& out) const {
    static_cast<void>(rates);
    out = evaluate_force(model_.forces[index_], model_, sight.first, sight.second, sight.time,
                         pieces_.recall(index_, sight.angle, sight.memory));
  }

 private:
  const Model& model_;
  std::size_t index_;
  const TablePieces& pieces_;
};

}  // namespace freeplay::dynamics
