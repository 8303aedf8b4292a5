// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.hpp"
#include "core/structure.hpp"
#include <freeplay/math.hpp>
#include <freeplay/model.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

// Steps through y' = f(t, y). An integrator knows nothing of mechanisms: it takes one accepted step
// at a time, can interpolate inside it, and can be put back to any instant of it (that is how
// events work). A trial that is rejected leaves no trace.
namespace freeplay::integrate {

/// What is integrated.
class Problem {
 public:
  virtual ~Problem() = default;
  [[nodiscard]] virtual int size() const = 0;
  /// How many components at the end of y nothing depends on: integrals taken along.
  [[nodiscard]] virtual int quadratures() const { return 0; }
  /// f(t, y); false when it cannot be evaluated: the step is then retried shorter.
  [[nodiscard]] virtual bool rhs(double t, const double* y, double* f) = 0;
  /// df/dy, exact; only implicit methods ask for it.
  [[nodiscard]] virtual bool jacobian(double t, const double* y, MatX& dfdy) = 0;
  /// What of f depends on what of y, the integrals taken along left out; empty: all on all.
  [[nodiscard]] virtual Structure structure() const { return {}; }
  /// Brings y back to the invariants of the problem (constraints). Called on accepted states.
  [[nodiscard]] virtual bool project(double, double*) { return true; }
  /// Event function `which` and its rate of change; false where that is not known. Methods that end
  /// a step on its zero ask for it.
  [[nodiscard]] virtual bool event(int /*which*/, double /*t*/, const double* /*y*/, double& /*g*/,
                                   double& /*rate*/) {
    return false;
  }
  /// Weight of each component in the error norm: 1 / (tolerance (|y| + scale)).
  virtual void weights(const double* y, double* w) const = 0;
};

struct Settings {
  double step = 0;                ///< fixed-step methods; s
  double max_step = 0;            ///< 0: none
  std::int64_t reject_every = 0;  ///< test aid: every n-th acceptable step is refused once
};

/// Costs since the start.
struct Counters {
  std::int64_t steps = 0, rejected = 0, evaluations = 0, jacobians = 0;
};

struct Outcome {
  bool ok = true;
  std::string reason;  ///< when not ok: what gave way
};

/// How the motion sets out from a start: as a power series in time, or, just after a touch, in
/// the root of time, since a contact force grows with a broken power of the depth.
enum class Onset { smooth, root };

/// How a step was taken, for neighbouring motions that take the same one (theory/gradients).
struct StepShape {
  int landing = -1;     ///< event towards whose zero it went; -1: none
  bool landed = false;  ///< and got there
  double share = 1;     ///< of the way to it, by the clock of such steps
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Begins, or begins again, at (t, y); `step` is a first guess (0: choose; the last good step
  /// after an event). y must satisfy the invariants.
  virtual void start(double t, const VecX& y, double step, Onset onset = Onset::smooth) = 0;
  /// The event function whose zero is nearest (-1: none is near) and when it may get there: the
  /// next step may end on it.
  virtual void expect(int /*event*/, double /*time*/) {}
  /// True when the last step ended on the zero of the expected event.
  [[nodiscard]] virtual bool landed() const { return false; }
  /// One accepted step of at most up to t_stop; on success time() > previous_time().
  [[nodiscard]] virtual Outcome step(double t_stop) = 0;
  /// Can steps be taken as another motion took them, by `repeat`?
  [[nodiscard]] virtual bool can_repeat() const { return false; }
  /// How the last step was taken.
  [[nodiscard]] virtual StepShape shape() const { return {}; }
  /// One step like that, up to `end` unless it lands: without control of its error, so that its
  /// result is a smooth function of where it begins.
  [[nodiscard]] virtual Outcome repeat(const StepShape& /*shape*/, double /*end*/) {
    return {false, "the method cannot take the steps of another motion"};
  }
  /// y at an instant of the last step. Only valid until the problem's memory changes.
  virtual void interpolate(double t, VecX& y) = 0;

  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] double previous_time() const { return previous_; }
  [[nodiscard]] const VecX& state() const { return y_; }
  /// The step the method would like to take next; kept across events and checkpoints.
  [[nodiscard]] double next_step() const { return next_step_; }
  /// The length at which the last step would just have been acceptable; s.
  [[nodiscard]] virtual double ideal_step() const { return time_ - previous_; }
  [[nodiscard]] virtual int order() const = 0;
  /// True once an explicit method has found that stability, not accuracy, limits its steps.
  [[nodiscard]] virtual bool stiff() const { return false; }
  /// Can all that the next step depends on be saved? Methods whose past is out of reach can only
  /// begin anew.
  [[nodiscard]] virtual bool can_be_saved() const { return false; }
  /// Saves or restores it, where it can be.
  virtual void carry(Archive&) {}
  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// Puts next_step back to what it was before steps were shortened to hit a point in time.
  void suggest_step(double h) { next_step_ = h; }

 protected:
  /// The next step as it can be taken: no longer than `longest` (0: any), landing exactly on t_stop
  /// without a sliver of a step before it. A step of 0 would not advance time.
  struct Trial {
    double step = 0;
    bool last = false;
  };
  [[nodiscard]] Trial trial_step(double t_stop, double longest) const {
    const double left = t_stop - time_,
                 h = longest > 0 ? std::min(next_step_, longest) : next_step_;
    constexpr double kSliver = 1e-12;  // of a step: what would be left of it is no step
    const bool last = h >= left * (1 - kSliver);
    const double step = last ? left : std::min(h, 0.5 * left);
    const double least =
        16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time_), std::abs(t_stop));
    return {step > least ? step : 0.0, last};
  }

  double time_ = 0, previous_ = 0, next_step_ = 0;
  VecX y_;
  Counters counters_;
};

/// The integrator for a method; `automatic` must have been decided by the caller.
[[nodiscard]] std::unique_ptr<Integrator> make_integrator(Method method, Problem& problem,
                                                          const Settings& settings);

[[nodiscard]] std::unique_ptr<Integrator> make_dop853(Problem&, const Settings&);
[[nodiscard]] std::unique_ptr<Integrator> make_radau(Problem&, const Settings&);
/// Has the problem a structure that make_radau works in: many unknowns, few neighbours each?
[[nodiscard]] bool is_sparse(const Problem&);
[[nodiscard]] std::unique_ptr<Integrator> make_fixed_step(Method, Problem&, const Settings&);
[[nodiscard]] std::unique_ptr<Integrator> make_cvode(Method, Problem&, const Settings&);
[[nodiscard]] std::unique_ptr<Integrator> make_arkode(Method, Problem&, const Settings&);

}  // namespace freeplay::integrate
