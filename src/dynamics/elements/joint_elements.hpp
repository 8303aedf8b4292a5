// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/contacts.hpp"
#include "dynamics/elements/element.hpp"
#include "joints/cushion.hpp"

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
  [[nodiscard]] bool watches() const override { return !part().law_memory().empty(); }
  [[nodiscard]] Watched watch(const Sight<double>& sight) const override;
  [[nodiscard]] EventTrait trait(const double* memory) const override;
  void turn(const Sight<double>& sight, bool upward, double* memory) const override;

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
  /// Declares its states and its work.
  CushionElement(const Model& model, JointIndex joint, Layout& layout);

  [[nodiscard]] const joints::Cushion& cushion() const { return cushion_; }
  template <class T>
  void evaluate(const Sight<T>& sight, T* rates, Action<T>& out) const {
    const auto n = static_cast<std::size_t>(states());
    const auto forces = cushion_.evaluate<T>(sight.first, sight.second,
                                             std::span<const T>(sight.states, n), {rates, n});
    out.on_first = forces.on_first;
    out.on_second = forces.on_second;
    out.power = forces.power;
  }

 private:
  joints::Cushion cushion_;
};

}  // namespace freeplay::dynamics
