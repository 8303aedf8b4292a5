// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/elements.hpp"
#include "dynamics/tree/articulated.hpp"
#include "tape/program.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

// One evaluation of a tree as machine code made for this mechanism: the sweeps of sweeps.hpp
// and articulated.cpp and the geometry of its contacts, recorded once with traced numbers. In the
// two stages
// clang-format off
//   coordinates, drives          -> poses of the bodies that forces act on; depth and velocity of
//                                   every contact
//   forces, contact forces       -> rates of the state, power of the drives
// clang-format on
// nothing is left of nodes, kinds of joints and zeros. Laws and force elements are asked in between
// as always. A third stage has the energies, for the audit of every step.
namespace freeplay::dynamics {

template <int Rd>
class TreeProgram {
 public:
  /// What it needs to know of a tree without loops.
  struct Subject {
    const Model& model;
    const Topology& topology;
    const TreeKernel<Rd>& kernel;
    const Contacts& contacts;
    const Pose<double>& ground;
    std::span<const int> posed;       ///< nodes that something acts on from outside the program
    bool contacts_inside = false;     ///< else contacts are left to others, like force elements
    std::span<const int> drive_work;  ///< per prescribed column
    std::span<const std::optional<double>> speed;  ///< of those that never change it
    int first_work = 0;                            ///< of the state
  };
  /// True when every contact is a single point, and can be part of a program.
  [[nodiscard]] static bool takes(const Elements& elements);
  /// Null where it would not pay or cannot be done: large trees, machines without a compiler.
  static std::unique_ptr<TreeProgram> make(const Subject& subject);

  /// True when the first stage was last run for this instant.
  [[nodiscard]] bool is_at(double t, const double* y) const {
    return t == time_ && std::equal(placed_.begin(), placed_.end(), y);
  }
  void forget() { time_ = std::numeric_limits<double>::quiet_NaN(); }
  /// First stage, with the drives as they are in the kernel; `poses` receives those of the posed
  /// nodes.
  void place(double t, const double* y, std::span<Pose<double>> poses);
  /// Depth of a contact and its rate.
  [[nodiscard]] std::pair<double, double> depth(int contact) const;
  void clear_forces() { std::fill_n(frame_.data() + wrenches_, 6 * posed_count_, 0.0); }
  /// On a posed body, about its centre of mass.
  void add(FrameIndex frame, const Wrench<double>& wrench);
  [[nodiscard]] bool has_contacts() const { return !list_.empty(); }
  /// Laws of the program's contacts; their powers go to `work`.
  void touch(const double* memory, double* work);
  /// Second stage; returns the sum of the accelerations, which is not finite when one is not.
  [[nodiscard]] double accelerate(const double* y, double* f);
  /// Kinetic energy, and potential in gravity; J.
  [[nodiscard]] std::pair<double, double> energies(const double* y);

 private:
  TreeProgram() = default;
  void record(const Subject& subject);

  struct Touch {
    const joints::ImperfectJoint* element = nullptr;
    int memory = 0, normal_work = 0, friction_work = -1;
  };

  const TreeKernel<Rd>* kernel_ = nullptr;
  std::vector<Touch> list_;  // of contacts
  tape::Tape tape_;
  std::unique_ptr<const tape::Program> code_;
  std::vector<double> frame_;  // jets, contacts, wrenches, and what the first stage left
  std::vector<int> slot_;      // per body: its wrench; -1: nothing acts on it
  int touches_ = 0, wrenches_ = 0, posed_count_ = 0, energies_ = 0, sum_ = 0;
  double time_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> placed_;  // coordinates and speeds of the last first stage
};

}  // namespace freeplay::dynamics
