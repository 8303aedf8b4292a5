// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/bushing/radial_bushing.hpp"
#include "films/bushing/six_bushing.hpp"
#include "films/evaluate.hpp"
#include "joints/cushion_forces.hpp"
#include <freeplay/model.hpp>

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

// What fills the gap of a joint: oil or rubber. Its forces are there all the time, without events;
// metal meets metal beyond the gap in an ImperfectJoint of its own.
namespace freeplay::joints {

class Cushion {
 public:
  /// The film of a joint with clearance, or its bushing. Throws ModelError when it does not fit.
  Cushion(const Model& model, JointIndex joint);

  [[nodiscard]] JointIndex joint() const { return joint_; }
  [[nodiscard]] BodyIndex first() const { return first_.body; }
  [[nodiscard]] BodyIndex second() const { return second_.body; }
  [[nodiscard]] bool is_film() const { return std::holds_alternative<films::FilmLaw>(what_); }
  /// Numbers in State: forces in relaxing rubber.
  [[nodiscard]] int states() const { return states_; }

  /// Coordinates along which rubber is not smooth everywhere: those of its tables, or how far it is
  /// from a gap. Their names, the knots that count at a tolerance, and where each of them is, with
  /// its rate.
  static constexpr int kMostCurves = films::SixBushing::kCurves;
  [[nodiscard]] int curves() const;
  [[nodiscard]] std::string curve_name(int k) const;
  [[nodiscard]] WatchedKnots knots(int k, double tolerance) const;
  [[nodiscard]] std::pair<double, double> coordinate(int k, const Pose<double>& p1,
                                                     const Pose<double>& p2) const;

  /// T is double or PairDual; `rates` are those of the states, `pieces` those of each curve that
  /// hold at present.
  template <class T>
  CushionForces<T> evaluate(const Pose<T>& p1, const Pose<T>& p2, std::span<const T> states,
                            std::span<T> rates, const films::SixBushing::Pieces& pieces = {}) const;
  /// Film thickness, pressure and the like; only for films.
  [[nodiscard]] films::FilmObservation observe(const Pose<double>& p1,
                                               const Pose<double>& p2) const;
  /// Pressure of every node of a finite film, if the model asks for it; else nothing. Node by node
  /// along the axis, angle after angle; Pa.
  [[nodiscard]] std::size_t pressure_nodes() const;
  [[nodiscard]] std::vector<double> pressure_field(const Pose<double>& p1,
                                                   const Pose<double>& p2) const;
  [[nodiscard]] std::vector<laws::Derived> derived() const;

 private:
  template <class T>
  films::BushingMotion<T> bushing_motion(const Pose<T>& p1, const Pose<T>& p2) const;
  template <class T>
  films::FilmMotion<T> journal_motion(const Pose<T>& p1, const Pose<T>& p2) const;
  template <class T>
  films::TiltedMotion<T> tilted_motion(const Pose<T>& p1, const Pose<T>& p2) const;
  template <class T>
  void add_film(const films::FilmLaw& law, const Pose<T>& p1, const Pose<T>& p2,
                CushionForces<T>& out) const;

  JointIndex joint_;
  Frame first_, second_;
  std::variant<films::FilmLaw, films::RadialBushing, films::SixBushing> what_;
  films::TransitionLaw transition_;
  double clearance_ = 0;
  bool spherical_ = false, tilts_ = false, torque_ = true;
  bool turns_ = false;  // the turn of the journal counts: it is out of round
  int states_ = 0;
};

/// Share of the dry contact at an eccentricity, where a film's transition rule says so.
[[nodiscard]] films::TransitionLaw transition_of(const Joint& joint);

}  // namespace freeplay::joints
