// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/layout.hpp>

#include <array>
#include <cstring>

namespace freeplay::joints {

/// What dry friction does at present, as it lies in State::memory: the surfaces slip; they stick,
/// held by a constraint; or friction pulls as hard as it can while others hold the surfaces still
/// (where several share a load that none of them is alone with).
inline constexpr double kSlips = 0, kSticks = 1, kYields = 2;

/// What one contact remembers, as it lies in State::memory.
struct ContactMemory {
  double touching = 0;         ///< 1 between a located touch and the separation that ends it
  double impact_rate = 0;      ///< approach speed at the touch, limited below; m/s
  double approach = 0;         ///< the same as it was; m/s
  double start = 0;            ///< time of the touch; s
  double work = 0;             ///< of the normal law at the touch; J
  double peak_force = 0;       ///< N
  double peak_depth = 0;       ///< m
  double contact_time = 0;     ///< what an impact at this speed would last; s
  double light_load = 0;       ///< a thousandth of the peak force such an impact would have; N
  double mass_ratio = 1;       ///< effective mass along the normal over that of the free bodies
  double quick_touches = 0;    ///< touches in a row that followed the last one within a few contact
                               ///< times: chatter
  double resting = 0;          ///< 1 while an impulsive contact rests: held by a constraint
  double sticking = kSlips;    ///< kSlips, kSticks or kYields
  double slip[3] = {0, 0, 0};  ///< unit vector of the last slip, global
};
inline constexpr int kContactMemory = sizeof(ContactMemory) / sizeof(double);

/// The same, as it is declared.
inline constexpr std::array kContactFields = {
    MemoryField{"touching", "1", Perturbation::shared},
    MemoryField{"impact_rate", "m/s"},
    MemoryField{"approach", "m/s"},
    MemoryField{"start", "s"},
    MemoryField{"work", "J"},
    MemoryField{"peak_force", "N"},
    MemoryField{"peak_depth", "m"},
    MemoryField{"contact_time", "s"},
    MemoryField{"light_load", "N"},
    MemoryField{"mass_ratio", "1"},
    MemoryField{"quick_touches", "1", Perturbation::shared},
    MemoryField{"resting", "1", Perturbation::shared},
    MemoryField{"sticking", "1", Perturbation::shared},
    MemoryField{"slip", "1", Perturbation::continuous, 3}};
static_assert(count_numbers(kContactFields) == kContactMemory);

/// That, and where the memory of its contact law lies, behind it.
struct Remembered : ContactMemory {
  const double* law = nullptr;
};

inline Remembered recall(const double* memory) {
  Remembered out;
  std::memcpy(static_cast<void*>(static_cast<ContactMemory*>(&out)), memory, sizeof(ContactMemory));
  out.law = memory + kContactMemory;
  return out;
}
inline void remember(double* memory, const ContactMemory& contact) {
  std::memcpy(memory, &contact, sizeof contact);
}

}  // namespace freeplay::joints
