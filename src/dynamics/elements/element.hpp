// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"
#include "core/scalars.hpp"
#include "dynamics/bodies/moving_body.hpp"
#include <freeplay/model.hpp>

#include <cmath>
#include <span>

// What springs, forces, contacts, films, bushings and stops have in common: an element sees two
// frames that move, and what is its own of the state; it answers with wrenches on both, with their
// power, and with the rates of its states. Either formulation evaluates it through this contract
// alone, with numbers for motion and with dual numbers for exact derivatives (elements.hpp).
namespace freeplay::dynamics {

/// What an element sees at an instant.
template <class T>
struct Sight {
  double time = 0;               ///< s
  const Pose<T>&first, &second;  ///< the frames it acts between
  const T* states = nullptr;     ///< its own
  const double* memory;          ///< State::memory
  double angle = 0;  ///< what the angle of the joint coordinate that it reads continues; rad
  const T* signals = nullptr;  ///< of signals and controllers (control/control.hpp)
};

/// What it does there.
template <class T>
struct Action {
  Wrench<T> on_first, on_second;
  T power = T(0.0);           ///< of the part that has no potential, on both bodies; W
  T friction_power = T(0.0);  ///< of friction, where that is booked by itself; W
  T potential = T(0.0);       ///< J
  T load = T(0.0);            ///< contacts: sum of the normal forces; N
  T effort = T(0.0);          ///< forces: tension, magnitude or effort; N or N m
  T extension = T(0.0);       ///< springs: length or coordinate; m or rad
  T rate = T(0.0);            ///< springs: its rate; m/s or rad/s
};

/// What is known of an event function besides its value.
struct EventTrait {
  int side = 0;  ///< +1 or -1: where it is, whatever round-off says of its sign; 0: its sign says
  double scale = 0;  ///< of the lengths or angles it is a difference of; m or rad; 0: no such thing
  double play = 0;   ///< of a depth that is a distance from a centre less this; m; 0: it is not
};

/// An event function of an element at an instant.
struct Watched {
  double value = 1, rate = 0;  ///< rate: NaN where it is not known
};

class Element {
 public:
  virtual ~Element() = default;

  /// The frames it acts between.
  [[nodiscard]] FrameIndex first() const { return first_; }
  [[nodiscard]] FrameIndex second() const { return second_; }
  /// First of its states among those of the layout, and how many it has.
  [[nodiscard]] int state() const { return state_; }
  [[nodiscard]] int states() const { return states_; }
  /// Its work integrals among those of the layout; -1: none.
  [[nodiscard]] int work() const { return work_; }
  [[nodiscard]] int friction_work() const { return friction_work_; }
  /// The joint that it holds in place of constraints; -1: none.
  [[nodiscard]] JointIndex holds() const { return holds_; }
  /// The joint coordinate that it reads; null: none.
  [[nodiscard]] virtual const JointCoordinate* reads() const { return nullptr; }

  /// The signal or controller that it follows; -1: none.
  [[nodiscard]] virtual int follows() const { return -1; }

  /// False while nothing can come of it, as of a contact in flight: nobody then asks.
  [[nodiscard]] virtual bool acts(const double* /*memory*/) const { return true; }
  /// `rates`: of its states.
  virtual void act(const Sight<double>& sight, double* rates, Action<double>& out) const = 0;
  virtual void act(const Sight<PairDual>& sight, PairDual* rates, Action<PairDual>& out) const = 0;
  /// Rates of states that depend on how the load changes, once the accelerations of both bodies are
  /// known; `now` is what it does there. Derivatives taken later keep to that change.
  virtual void settle_rates(const Sight<double>& /*sight*/, const FrameAcceleration& /*first*/,
                            const FrameAcceleration& /*second*/, const Action<double>& /*now*/,
                            double* /*rates*/) {}

  // What is smooth only in stretches: the one it is on stands in memory, goes on smoothly beyond
  // its ends, and an event function whose sign changes there lets the next one take over. An
  // element that is so in several coordinates has a function for each.
  [[nodiscard]] virtual int watches() const { return 0; }
  [[nodiscard]] virtual Watched watch(int /*k*/, const Sight<double>& /*sight*/) const {
    return {};
  }
  [[nodiscard]] virtual EventTrait trait(int /*k*/, const double* /*memory*/) const { return {}; }
  /// The sign of function k has changed, upward or not.
  virtual void turn(int /*k*/, const Sight<double>& /*sight*/, bool /*upward*/,
                    double* /*memory*/) const {}
  /// Takes up the stretches it is in, wherever the state came from.
  virtual void follow(const Sight<double>& /*sight*/, double* /*memory*/) const {}
  /// How long until the first end of a stretch if it goes on as now; s.
  [[nodiscard]] virtual double soonest(const Sight<double>& /*sight*/) const { return INFINITY; }

 protected:
  Element(FrameIndex first, FrameIndex second) : first_(first), second_(second) {}
  FrameIndex first_, second_;
  int state_ = 0, states_ = 0, work_ = -1, friction_work_ = -1;
  JointIndex holds_{-1};
};

/// An element whose one text `evaluate<T>(sight, rates, out)` serves for every scalar.
template <class Self>
class ElementOf : public Element {
 public:
  void act(const Sight<double>& sight, double* rates, Action<double>& out) const final {
    static_cast<const Self&>(*this).template evaluate<double>(sight, rates, out);
  }
  void act(const Sight<PairDual>& sight, PairDual* rates, Action<PairDual>& out) const final {
    static_cast<const Self&>(*this).template evaluate<PairDual>(sight, rates, out);
  }

 protected:
  using Element::Element;
};

}  // namespace freeplay::dynamics
