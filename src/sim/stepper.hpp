// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/integrator.hpp"
#include "sim/trajectory.hpp"

#include <memory>

// Which method steps. Left to itself, a run changes it with the mode of the motion: flight, impact
// and vibrating contact are for an explicit one-step method; where the vibration has died out and
// only stability holds the steps back, an implicit one goes on until the next event.
namespace freeplay::sim {

class Stepper {
 public:
  /// `method` steps first, and alone unless the model leaves the choice to the run.
  Stepper(std::unique_ptr<integrate::Integrator> method, const Model& model, Trajectory& trajectory,
          const integrate::Settings& settings);

  [[nodiscard]] integrate::Integrator& now() { return *now_; }
  /// Of all methods together.
  [[nodiscard]] integrate::Counters counters() const;

  /// Begins, or goes on after an event.
  void start(double t, const VecX& y, double step, integrate::Onset onset);
  [[nodiscard]] integrate::Outcome step(double t_stop);
  /// After an accepted step: true when the implicit method takes over here.
  [[nodiscard]] bool change_over();

  /// From the start on only methods whose steps others can follow; false when there is none.
  [[nodiscard]] bool keep_to_repeatable();
  /// A step as another motion took it (integrate::Integrator::repeat).
  [[nodiscard]] integrate::Outcome repeat(const integrate::StepShape& shape, double end);
  /// Where the implicit method took over there, it does here.
  void take_over();
  /// After an accepted step: a method whose past cannot be saved begins anew every so often, so
  /// that a run is never far from where it can be taken up again.
  void refresh();

  [[nodiscard]] bool can_be_saved() const { return steps_ == 0 || now_->can_be_saved(); }
  /// Saves or restores all that the next step depends on.
  void carry(Archive& archive);

 private:
  void make_implicit();

  const Model& model_;
  Trajectory& trajectory_;
  integrate::Settings settings_;
  std::unique_ptr<integrate::Integrator> first_, implicit_;
  integrate::Integrator* now_;
  bool one_step_ = false;  // the implicit method is one, and has no past to lose
  bool repeatable_ = false;
  integrate::Onset onset_ = integrate::Onset::smooth;
  int steps_ = 0;  // since the method was started
};

}  // namespace freeplay::sim
