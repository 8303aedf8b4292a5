// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/nonsmooth/impulse_problem.hpp"
#include "dynamics/nonsmooth/step_states.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// One step of Moreau's time stepping (Moreau 1988, Jean 1999) over a mechanism with rigid contacts,
// theory/time_stepping: bodies move on by half a step; whatever contact is closed there takes part;
// one impulse problem says how the velocities change over the whole step, impacts and lasting
// contact alike; positions follow, and are brought back to joints and walls. Nothing is located.
namespace freeplay::dynamics {

class TimeStepping {
 public:
  /// The system is one that was made for it (Method::moreau), and outlives this.
  explicit TimeStepping(Cartesian& system);

  struct Outcome {
    bool ok = true;
    std::string reason;  ///< when not ok: what gave way
    /// Largest way that the change of a velocity over the step leaves open, h |dv| / 2, in the
    /// lengths and angles of the mechanism: the error of an impact, more than that of smooth
    /// motion.
    double error = 0;
  };
  /// From (t, y, memory), where all constraints are met, over h. `y_new` and `memory_new` are of
  /// the right size; what does not belong to contacts stays in the latter as it is.
  [[nodiscard]] Outcome step(double t, double h, const VecX& y, const std::vector<double>& memory,
                             VecX& y_new, std::vector<double>& memory_new);

  [[nodiscard]] std::int64_t factorisations() const { return problem_.factorisations(); }
  /// Steps in which restitution was lessened lest the contacts gain energy.
  [[nodiscard]] std::int64_t lessened() const { return lessened_; }

 private:
  using Mode = ImpulseProblem::Mode;
  /// A contact of the model that takes part in the step at hand.
  struct Taker {
    int contact = 0;
    joints::ContactPoint<double> point;
    Vec3 tangent[2];
  };

  void lay_out();
  void couple_elements(ImpulseProblem::Pattern& pattern) const;
  void set_masses();
  void keep_row_rates();
  void set_rows();
  void add_implicit(double t, double h, const double* memory);
  [[nodiscard]] bool gather(const std::vector<double>& memory);
  void take(int contact, int place, const joints::ContactPoint<double>& point,
            const std::vector<double>& memory);
  [[nodiscard]] ImpulseProblem::Surfaces surfaces_of(const Cartesian::Friction& friction) const;
  void take_frictions(double h, const std::vector<double>& memory);
  void spread(FrameIndex frame, const Vec3& force, const Vec3& moment, double* out) const;
  [[nodiscard]] bool close(double t, double h, double* y, const std::vector<double>& memory);
  [[nodiscard]] bool lies_in_walls(double h);
  [[nodiscard]] double overlooked();
  void book_works(double t, double h, const VecX& y, const std::vector<double>& memory,
                  VecX& y_new);
  void remember(double t, double h, const double* works, std::vector<double>& memory);
  void remember_frictions(double h, std::vector<double>& memory);
  [[nodiscard]] JointIndex joint_of(int contact) const;
  [[nodiscard]] Outcome failed();

  Cartesian& system_;
  const Model& model_;
  const Contacts& contacts_;
  ImpulseProblem problem_;
  StepStates states_;
  double theta_;
  bool implicit_ = false, gyroscopic_ = false, elements_ = false;
  std::vector<int> places_;  // of each imperfect joint
  std::vector<Taker> takers_;
  VecX weights_;  // of velocities, for the error
  // scratch
  VecX y_middle_, change_, force_, row_rate_, row_goal_, power_, mean_, no_multipliers_, still_;
  std::vector<double> rates_, depths_;
  std::vector<std::vector<std::pair<int, double>>> turn_;  // dq'/dv, position by position
  MatX mass_;
  std::int64_t lessened_ = 0;
};

}  // namespace freeplay::dynamics
