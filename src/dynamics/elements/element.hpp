// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"
#include "core/scalars.hpp"
#include "dynamics/bodies/moving_body.hpp"
#include <freeplay/model.hpp>

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
