// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/forces.hpp"
#include "laws/contact_laws.hpp"
#include "laws/friction_laws.hpp"
#include <freeplay/layout.hpp>
#include <freeplay/model.hpp>

#include <array>
#include <optional>
#include <utility>

// The teeth of one coupling with play: two flanks that touch along the pitch line, what their
// contact does to both joint coordinates, and the friction of a thread.
// docs/theory/transmissions.md
namespace freeplay::dynamics {

/// A joint coordinate at an instant, its rate, and how an effort on it acts on the bodies.
template <class T>
struct CoordinateNow {
  T value, rate;
  RowValue<T> row;
};
/// `angle`: what the angle of the coordinate continues.
template <class T>
CoordinateNow<T> coordinate_now(const Model& model, const JointCoordinate& on, const Pose<T>& first,
                                const Pose<T>& second, double angle) {
  const Joint& joint = model.joints[on.joint];
  const JointPlace<T> g = place_of(joint, first, second);
  CoordinateNow<T> out;
  out.row = evaluate_row(coordinate_row(joint, on.coordinate), joint, g, {}, model.planar);
  out.value = coordinate_value(joint, on.coordinate, g, model.planar, angle);
  out.rate = rate_of(out.row, first, second);
  return out;
}

/// What a mesh follows: both coordinates and their rates.
template <class T>
struct MeshMotion {
  T first, first_rate, second, second_rate;
};

/// How far the second part is ahead along the pitch line, how fast, and dependence on the first
/// coordinate.
template <class T>
struct MeshLead {
  T s, rate;
  T by_first;  ///< ds/d(first coordinate); m/rad or 1
};

/// What the teeth do.
template <class T>
struct MeshAction {
  T force = T(0.0);                           ///< along the pitch line, on the second part; N
  T on_first = T(0.0), on_second = T(0.0);    ///< efforts on the coordinates; N or N m
  T power = T(0.0), friction_power = T(0.0);  ///< of the flanks and of the thread; W
};

class Mesh {
 public:
  /// Declares its memory and its work. `constant`: of the coupling, from the poses as written.
  /// Throws ModelError when the laws do not fit.
  Mesh(const Model& model, std::size_t coupling, double constant, Layout& layout);

  [[nodiscard]] const JointCoordinate& first() const { return coupling().first; }
  [[nodiscard]] const JointCoordinate& second() const { return coupling().second; }
  [[nodiscard]] const Coupling& coupling() const { return model_.couplings[index_]; }
  [[nodiscard]] std::size_t index() const { return index_; }
  [[nodiscard]] int work() const { return work_; }
  /// -1: there is no friction.
  [[nodiscard]] int friction_work() const { return friction_work_; }

  template <class T>
  [[nodiscard]] MeshLead<T> lead(const MeshMotion<T>& motion) const;
  template <class T>
  [[nodiscard]] MeshAction<T> act(const MeshMotion<T>& motion, const double* memory) const;

  /// Flanks: 0 pushes the second coordinate up, 1 down.
  static constexpr int kFlanks = 2;
  /// How deep a flank is pressed in, and the rate of that; m, m/s.
  [[nodiscard]] std::pair<double, double> depth(int flank, const MeshLead<double>& lead) const {
    const double way = flank == 0 ? -1 : 1;
    return {way * lead.s - 0.5 * teeth().backlash, way * lead.rate};
  }
  [[nodiscard]] bool touches(int flank, const double* memory) const {
    return memory[at(flank)] == kTouching;
  }
  /// +1 or -1: the side on which the flank is remembered to be; 0: not known yet.
  [[nodiscard]] int side(int flank, const double* memory) const {
    const double now = memory[at(flank)];
    return now == kTouching ? 1 : now == kApart ? -1 : 0;
  }
  /// Size of what the depth is a difference of; m.
  [[nodiscard]] double scale(const double* memory) const { return memory[memory_ + kReach]; }
  /// A flank touches or parts. False when it did so before.
  bool turn(int flank, bool upward, const MeshMotion<double>& motion, double* memory) const;
  /// Takes up which flanks touch, where that is not known.
  void follow(const MeshMotion<double>& motion, double* memory) const;

 private:
  static constexpr double kUnknown = 0, kApart = 1, kTouching = 2;
  static constexpr int kApproach = 1, kPerFlank = 2, kReach = kFlanks * kPerFlank;

  [[nodiscard]] const Teeth& teeth() const { return *coupling().teeth; }
  [[nodiscard]] int at(int flank) const { return memory_ + flank * kPerFlank; }
  void choose_laws();
  void begin(int flank, const MeshMotion<double>& motion, double* memory) const;

  const Model& model_;
  std::size_t index_;
  double constant_;
  int memory_ = 0, work_ = -1, friction_work_ = -1;
  laws::ContactLaw contact_;
  std::optional<laws::FrictionLaw> friction_;
  double screw_ = 0, slide_ = 0;  // slip of the thread by both coordinates; m/rad, m/rad or 1
  double wedge_ = 1;              // load on the flank over the force along the pitch line
};

}  // namespace freeplay::dynamics
