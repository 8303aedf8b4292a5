// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/contacts.hpp"
#include "dynamics/elements/element.hpp"
#include "dynamics/elements/table_stretches.hpp"
#include "joints/cushion.hpp"

#include <utility>
#include <vector>

// What holds a joint that is not ideal: its contacts, and the oil or rubber between its parts.
namespace freeplay::dynamics {

/// One contact of a clearance joint or end stop.
class ContactElement final : public ElementOf<ContactElement> {
 public:
  ContactElement(const Contacts& contacts, int contact);

  [[nodiscard]] bool acts(const double* memory) const override {
    return memory[contact().own_memory()] != 0;
  }
  template <class T>
  void evaluate(const Sight<T>& sight, T* rates, Action<T>& out) const;
  void settle_rates(const Sight<double>& sight, const FrameAcceleration& first,
                    const FrameAcceleration& second, const Action<double>& now,
                    double* rates) override;
  // Stretches of a contact law that remembers.
  [[nodiscard]] int watches() const override { return part().law_memory().empty() ? 0 : 1; }
  [[nodiscard]] Watched watch(int k, const Sight<double>& sight) const override;
  [[nodiscard]] EventTrait trait(int k, const double* memory) const override;
  void turn(int k, const Sight<double>& sight, bool upward, double* memory) const override;

 private:
  [[nodiscard]] const joints::ImperfectJoint& part() const {
    return contacts_.elements()[static_cast<std::size_t>(contact().element)];
  }
  [[nodiscard]] const Contacts::Contact& contact() const { return contacts_.list()[index_]; }

  const Contacts& contacts_;
  std::size_t index_;
  joints::LoadHistory history_;  // of the last settled rates
};

/// The oil or rubber of a joint.
class CushionElement final : public ElementOf<CushionElement> {
 public:
  /// Declares its states, its memory and its work.
  CushionElement(const Model& model, JointIndex joint, Layout& layout);

  [[nodiscard]] const joints::Cushion& cushion() const { return cushion_; }
  template <class T>
  void evaluate(const Sight<T>& sight, T* rates, Action<T>& out) const {
    const auto n = static_cast<std::size_t>(states());
    films::SixBushing::Pieces pieces;
    for (const Curve& curve : curves_) pieces[curve.index] = curve.stretches.pieces(sight.memory);
    const auto forces = cushion_.evaluate<T>(
        sight.first, sight.second, std::span<const T>(sight.states, n), {rates, n}, pieces);
    out.on_first = forces.on_first;
    out.on_second = forces.on_second;
    out.power = forces.power;
  }

  // Knots of its curves.
  [[nodiscard]] int watches() const override { return static_cast<int>(curves_.size()); }
  [[nodiscard]] Watched watch(int k, const Sight<double>& sight) const override;
  [[nodiscard]] EventTrait trait(int k, const double* memory) const override {
    return curve(k).stretches.trait(memory);
  }
  void turn(int k, const Sight<double>& sight, bool upward, double* memory) const override;
  void follow(const Sight<double>& sight, double* memory) const override;
  [[nodiscard]] double soonest(const Sight<double>& sight) const override;

 private:
  /// A curve of the rubber with knots that count.
  struct Curve {
    std::size_t index;
    TableStretches stretches;
  };
  [[nodiscard]] const Curve& curve(int k) const { return curves_[static_cast<std::size_t>(k)]; }
  /// What the curve is watched by, and its rate.
  [[nodiscard]] std::pair<double, double> coordinate(const Curve& curve,
                                                     const Sight<double>& sight) const {
    return cushion_.coordinate(static_cast<int>(curve.index), sight.first, sight.second);
  }

  joints::Cushion cushion_;
  std::vector<Curve> curves_;
};

}  // namespace freeplay::dynamics
