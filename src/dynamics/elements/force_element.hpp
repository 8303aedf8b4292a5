// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/blocks.hpp"
#include "dynamics/control/control.hpp"
#include "dynamics/elements/force_types.hpp"
#include "dynamics/elements/table_stretches.hpp"

#include <optional>

namespace freeplay::dynamics {

/// A force element of the model, of type S.
template <class S>
class AppliedForce final : public ElementOf<AppliedForce<S>> {
  using Kind = ForceKind<S>;

 public:
  /// Declares its states, its memory, and its work if it does any that has no potential.
  AppliedForce(const S& s, const std::string& name, const Model& model, const Control& control,
               Layout& layout)
      : ElementOf<AppliedForce>(bodies_of(s, model).first, bodies_of(s, model).second),
        model_(model),
        s_(s) {
    const std::string path = "forces/" + name;
    if constexpr (kHasStates) {
      const auto states = Kind::states(s, scales_of(model));
      this->state_ = layout.size(BlockKind::state);
      this->states_ = static_cast<int>(states.size());
      for (const ForceState& one : states)
        layout.declare(
            {path + "/" + std::string(one.name), BlockKind::state, 1, one.unit, one.scale});
    }
    if (const ForceTable* table = table_of(s))
      stretches_.emplace(counting_knots(*table, model.simulation.tolerance), path, layout);
    if (const Motion* magnitude = magnitude_of(s))
      if (const auto* follow = std::get_if<Follow>(magnitude))
        signal_ = control.find(follow->signal);
    if (Kind::does_work(s)) this->work_ = declare_work(layout, path);
  }

  [[nodiscard]] const JointCoordinate* reads() const override { return coordinate_of(s_); }
  [[nodiscard]] int follows() const override { return signal_; }
  template <class T>
  void evaluate(const Sight<T>& sight, T* rates, Action<T>& out) const {
    ForceSight<T> seen{model_, sight, {}};
    seen.memory.angle = sight.angle;
    seen.memory.signal = signal_;
    if (stretches_) seen.memory.pieces = stretches_->pieces(sight.memory);
    out = Kind::act(s_, seen, rates);
  }

  // Knots of its table.
  [[nodiscard]] int watches() const override { return stretches_ && stretches_->any() ? 1 : 0; }
  [[nodiscard]] Watched watch(int /*k*/, const Sight<double>& sight) const override {
    const auto [x, v] = elongation(sight);
    return stretches_->watch(x, v, sight.memory);
  }
  [[nodiscard]] EventTrait trait(int /*k*/, const double* memory) const override {
    return stretches_->trait(memory);
  }
  void turn(int /*k*/, const Sight<double>& sight, bool upward, double* memory) const override {
    stretches_->turn(elongation(sight).first, upward, memory);
  }
  void follow(const Sight<double>& sight, double* memory) const override {
    stretches_->follow(elongation(sight).first, memory);
  }
  [[nodiscard]] double soonest(const Sight<double>& sight) const override {
    const auto [x, v] = elongation(sight);
    return stretches_->soonest(x, v, sight.memory);
  }

 private:
  static constexpr bool kHasStates = requires(const S& s, const Scales& scales) {
    Kind::states(s, scales);
  };
  /// What its table is a function of, and the rate of that.
  [[nodiscard]] std::pair<double, double> elongation(const Sight<double>& sight) const {
    if constexpr (requires { Kind::rest(s_); }) {
      Action<double> out;
      evaluate<double>(sight, nullptr, out);
      return {out.extension - Kind::rest(s_), out.rate};
    }
    return {};
  }

  const Model& model_;
  const S& s_;
  std::optional<TableStretches> stretches_;
  int signal_ = -1;
};

}  // namespace freeplay::dynamics
