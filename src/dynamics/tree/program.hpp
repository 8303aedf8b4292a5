// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lanes.hpp"
#include "dynamics/elements/elements.hpp"
#include "dynamics/tree/articulated.hpp"
#include "joints/traced_contact.hpp"
#include "tape/program.hpp"

#include <algorithm>
#include <array>
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
//   forces, memory of contacts   -> rates of the state, powers of the drives and contacts
// clang-format on
// nothing is left of nodes, kinds of joints and zeros. Laws that a tape can hold are part of it;
// others and force elements are asked between the stages as always. Where there are none of these,
// both stages are one. A last stage has the energies, for the audit of every step.
namespace freeplay::dynamics {

/// What numbers of a program are, in memory.
namespace program {
enum Block { kState, kFrame, kPoses, kRates, kMemory };
// Of a contact in the frame: what the first stage finds, and what the laws make of it.
inline constexpr int kDepth = 0, kRate = 1, kSlip = 2, kNormal = 5, kFriction = 6, kTouch = 9;
}  // namespace program

/// A contact whose laws are asked between the stages.
struct TreeTouch {
  const joints::ImperfectJoint* element = nullptr;
  int place = 0;  ///< in the frame
  int at_memory = 0, normal_work = 0, friction_work = -1;

  /// What they say to what the first stage has found, `known`; zeros where nothing touches.
  struct Answer {
    double normal = 0, normal_power = 0, friction_power = 0;
    std::array<double, 3> friction{};
  };
  void ask(const double* known, const double* memory, Answer& out) const;
};

template <int Rd>
class TreeProgram final : public Variant {
 public:
  /// What it needs to know of a tree without loops.
  struct Subject {
    const Model& model;
    const Topology& topology;
    const TreeKernel<Rd>& kernel;
    const Contacts& contacts;
    const Pose<double>& ground;
    std::span<const int> posed;       ///< nodes that something acts on from outside the program
    bool alone = false;               ///< nothing acts but contacts inside the program
    bool contacts_inside = false;     ///< else contacts are left to others, like force elements
    std::span<const int> drive_work;  ///< per prescribed column
    std::span<const std::optional<ConstantSpeed>> steady;  ///< drives that never change speed
    int first_work = 0;                                    ///< of the state
  };
  /// True when every contact is a single point, and can be part of a program.
  [[nodiscard]] static bool takes(const Elements& elements);
  /// Null where it would not pay or cannot be done: large trees, machines without a compiler.
  static std::unique_ptr<TreeProgram> make(const Subject& subject);

  /// True when the first stage was last run for this instant.
  [[nodiscard]] bool is_at(double t, const double* y) const {
    return t == frame_[0] && std::equal(placed_.begin(), placed_.end(), y);
  }
  void forget() { frame_[0] = std::numeric_limits<double>::quiet_NaN(); }
  /// True when its drives are steady: it does not look at those of the kernel.
  [[nodiscard]] bool knows_drives() const { return knows_drives_; }
  /// True when nothing has to be asked between the stages.
  [[nodiscard]] bool is_whole() const { return whole_; }
  /// Both stages, of such a program; returns what accelerate() does.
  [[nodiscard]] double evaluate(double t, const double* y, const double* memory, double* f) {
    remember(t, y);
    code_->run(0, {const_cast<double*>(y), frame_.data(), nullptr, f, const_cast<double*>(memory)});
    return frame_[static_cast<std::size_t>(sum_)];
  }
  /// First stage, with the drives as they are in the kernel; `poses` receives those of the posed
  /// nodes.
  void place(double t, const double* y, std::span<Pose<double>> poses);
  /// Depth of a contact and its rate.
  [[nodiscard]] std::pair<double, double> depth(int contact) const;
  void clear_forces() { std::fill_n(frame_.data() + wrenches_, 6 * posed_count_, 0.0); }
  /// On a posed body, about its centre of mass.
  void add(FrameIndex frame, const Wrench<double>& wrench);
  [[nodiscard]] bool has_contacts() const { return has_contacts_; }
  /// Laws of the program's contacts that are not part of it; their powers go to `work`.
  void touch(const double* memory, double* work);
  /// Second stage; returns the sum of the accelerations and of the powers it finds, which is not
  /// finite when one is not.
  [[nodiscard]] double accelerate(const double* y, const double* memory, double* f);
  /// Kinetic energy, and potential in gravity; J.
  [[nodiscard]] std::pair<double, double> energies(const double* y);

  /// Of such programs as know their drives, while nothing acts but contacts inside.
  [[nodiscard]] std::unique_ptr<Lanes> make_lanes() const override;

 private:
  template <int>
  friend class TreeLanes;
  TreeProgram() = default;
  void remember(double t, const double* y) {
    frame_[0] = t;
    for (std::size_t k = 0; k < placed_.size(); ++k) placed_[k] = y[k];
  }
  /// False where something of it cannot be recorded.
  [[nodiscard]] bool record(const Subject& subject);
  /// What a contact does, on the tape; where its laws cannot be, as numbers that touch() finds.
  /// Adds what powers it knows to `power`.
  [[nodiscard]] joints::TracedForces record_contact(
      const Subject& subject, const tape::Recording& tape, int contact,
      const joints::ContactPoint<tape::Traced>& point,
      const joints::ContactMotion<tape::Traced>& motion, tape::Traced& power);

  const TreeKernel<Rd>* kernel_ = nullptr;
  bool has_contacts_ = false, knows_drives_ = false, whole_ = false;
  std::vector<TreeTouch> list_;
  tape::Tape tape_;
  std::unique_ptr<const tape::Program> code_;
  // Time of the last first stage, then jets, contacts, wrenches, energies, the sum, and what the
  // first stage left.
  std::vector<double> frame_;
  std::vector<double> placed_;  // coordinates and speeds of the last first stage
  std::vector<int> slot_;       // per body: its wrench; -1: nothing acts on it
  static constexpr int kJets = 1;
  int touches_ = 0, wrenches_ = 0, posed_count_ = 0, energies_ = 0, sum_ = 0;
  // What a whole program reads and writes besides, where only its first stage is asked for.
  std::vector<double> no_memory_, no_rates_;
};

}  // namespace freeplay::dynamics
