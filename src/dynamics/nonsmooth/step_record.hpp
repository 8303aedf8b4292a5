// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/contacts.hpp"
#include "dynamics/system.hpp"

#include <array>
#include <cstring>
#include <string>
#include <vector>

// What a non-smooth time step leaves behind of each rigid contact, as memory of the state: the mean
// force of the step, from which the next one starts and which is what results show, and the contact
// interval under way (theory/time_stepping (N.9)).
namespace freeplay::dynamics {

/// What one contact keeps besides its ContactMemory, as it lies in State::memory.
struct StepMemory {
  double normal = 0;            ///< mean of the last step; N, or N m at the stop of an angle
  double force[3] = {0, 0, 0};  ///< likewise, on the second body, global axes; friction included
  double use = 0;               ///< friction over what its law allows
  double impulse = 0;           ///< normal, of the interval so far; N s
  double leaving = 0;           ///< normal speed after the last step that pressed; m/s
  double told = 0;              ///< 1: the touch of the interval was told
};
inline constexpr std::array kStepFields = {
    MemoryField{"normal", "N"},       MemoryField{"force", "N", Perturbation::continuous, 3},
    MemoryField{"friction_use", "1"}, MemoryField{"impulse", "N s"},
    MemoryField{"leaving", "m/s"},    MemoryField{"told", "1", Perturbation::shared}};
inline constexpr int kStepMemory = sizeof(StepMemory) / sizeof(double);
static_assert(count_numbers(kStepFields) == kStepMemory);

/// What friction of an ideal joint keeps besides its SlipMemory.
struct RubMemory {
  double load = 0;                 ///< mean of the last step; N
  double force[3] = {0, 0, 0};     ///< likewise, in slip components; N
  double pressing[3] = {0, 0, 0};  ///< direction of the reaction that is the load
};
inline constexpr std::array kRubFields = {
    MemoryField{"load", "N"}, MemoryField{"force", "N", Perturbation::continuous, 3},
    MemoryField{"pressing", "1", Perturbation::continuous, 3}};
inline constexpr int kRubMemory = sizeof(RubMemory) / sizeof(double);
static_assert(count_numbers(kRubFields) == kRubMemory);

class StepRecord {
 public:
  /// Where friction of an ideal joint has its SlipMemory, and what its own is to be called.
  struct Slip {
    std::string name;
    int memory = 0;
  };
  /// Declares what contacts and friction of joints keep.
  StepRecord(const Model& model, Contacts& contacts, std::vector<Slip> slips, Layout& layout);

  [[nodiscard]] StepMemory recall(int contact, const double* memory) const {
    StepMemory out;
    std::memcpy(static_cast<void*>(&out), memory + memory_[static_cast<std::size_t>(contact)],
                sizeof out);
    return out;
  }
  void remember(int contact, const StepMemory& is, double* memory) const {
    std::memcpy(memory + memory_[static_cast<std::size_t>(contact)], &is, sizeof is);
  }
  [[nodiscard]] RubMemory recall_rub(int friction, const double* memory) const {
    RubMemory out;
    std::memcpy(static_cast<void*>(&out), memory + rubs_[static_cast<std::size_t>(friction)],
                sizeof out);
    return out;
  }
  void remember_rub(int friction, const RubMemory& is, double* memory) const {
    std::memcpy(memory + rubs_[static_cast<std::size_t>(friction)], &is, sizeof is);
  }
  /// Where the residual of the last contact problem lies in the memory.
  [[nodiscard]] int residual() const { return residual_; }
  /// Copies what belongs to contacts and friction from one memory to another.
  void copy(const double* from, double* to) const;

  /// add(body, wrench) for both bodies of every contact that pressed in the last step.
  template <class Add>
  void add_wrenches(Contacts::Poses poses, const double* memory, Add&& add) const {
    Wrench<double> first, second;
    for (int k = 0; k < contacts_.size(); ++k) {
      if (!wrench(k, poses, memory, first, second)) continue;
      add(contacts_.element(k).first(), first);
      add(contacts_.element(k).second(), second);
    }
  }
  /// Forces and friction of the contacts, added to what is known of their joints.
  void read(Contacts::Poses poses, const double* memory, Snapshot& out) const;
  /// The impulses so far of what touches, which `open` lists in the order of the contacts.
  void add_impulses(const State& state, std::vector<Impact>& open) const;
  /// Events and impacts that the step just accepted amounts to.
  void tell(State& state, const double* works);

 private:
  [[nodiscard]] bool wrench(int contact, Contacts::Poses poses, const double* memory,
                            Wrench<double>& first, Wrench<double>& second) const;

  const Model& model_;
  Contacts& contacts_;
  std::vector<int> memory_;  // of each contact
  std::vector<Slip> slips_;
  std::vector<int> rubs_;  // of each friction
  int residual_ = 0;
};

}  // namespace freeplay::dynamics
