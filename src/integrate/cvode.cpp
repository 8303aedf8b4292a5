// SPDX-License-Identifier: Apache-2.0
#include "integrate/integrator.hpp"
#include "integrate/sundials_support.hpp"

#include <cvode/cvode.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

// CVODE's variable-order multistep methods: Adams (orders 1 to 12) with functional iteration for
// smooth motion, BDF (orders 1 to 5) with Newton and the exact Jacobian for stiff motion that is
// well damped; from order 3 BDF is unstable for fast vibration with little damping and then creeps
// (ARKODE's implicit method does not). Both draw on past steps, so every start() begins again at
// order one: dear after impacts, cheap on long smooth runs.
namespace freeplay::integrate {
namespace {

using namespace sundials;

// Share of the tolerance that one step may use. Multistep methods take several times the steps of a
// one-step method and their errors add up; measured on smooth problems (tests/unit/integrate), with
// a tenth the error of the whole run comes out at 2 to 100 times the tolerance, as with the other
// integrators.
constexpr double kShare = 0.1;

struct FreeCvode {
  void operator()(void* memory) const { CVodeFree(&memory); }
};

class Cvode final : public Integrator {
 public:
  Cvode(Method method, Problem& problem, const Settings& settings)
      : settings_(settings),
        bdf_(method == Method::cvode_bdf),
        bridge_(problem, counters_),
        context_(make_context()),
        work_(make_vector(problem.size(), context_.get())),
        cvode_(CVodeCreate(bdf_ ? CV_BDF : CV_ADAMS, context_.get())) {
    y_ = trial_ = VecX::Zero(problem.size());
    void* const cvode = cvode_.get();
    check(CVodeInit(cvode, on_rhs, 0, work_.get()), "CVodeInit");
    check(CVodeSetErrHandlerFn(cvode, say_nothing, nullptr), "CVodeSetErrHandlerFn");
    check(CVodeSetUserData(cvode, this), "CVodeSetUserData");
    check(CVodeWFtolerances(cvode, on_weights), "CVodeWFtolerances");
    check(CVodeSetMaxNumSteps(cvode, -1), "CVodeSetMaxNumSteps");
    if (settings.max_step > 0) check(CVodeSetMaxStep(cvode, settings.max_step), "CVodeSetMaxStep");
    if (bdf_) {
      newton_ = std::make_unique<DenseSolver>(work_.get(), context_.get());
      check(CVodeSetLinearSolver(cvode, newton_->solver.get(), newton_->matrix.get()),
            "CVodeSetLinearSolver");
      check(CVodeSetJacFn(cvode, on_jacobian), "CVodeSetJacFn");
      check(CVodeSetProjFn(cvode, on_project), "CVodeSetProjFn");
      check(CVodeSetProjFrequency(cvode, 1), "CVodeSetProjFrequency");
      check(CVodeSetProjErrEst(cvode, SUNFALSE), "CVodeSetProjErrEst");
    } else {
      iteration_.reset(SUNNonlinSol_FixedPoint(work_.get(), 0, context_.get()));
      check(CVodeSetNonlinearSolver(cvode, iteration_.get()), "CVodeSetNonlinearSolver");
      // Without a factorisation to keep, lesser changes of the step pay than CVODE's half as long
      // again.
      check(CVodeSetEtaFixedStepBounds(cvode, 0, 1.2), "CVodeSetEtaFixedStepBounds");
    }
  }

  void start(double t, const VecX& y, double step, Onset) override {
    time_ = previous_ = t;
    y_ = y;
    next_step_ = step;
    used_ = 0;
    fresh_ = true;
    order_ = 1;
  }

  Outcome step(double t_stop) override {
    const double shortest = shortest_step(time_, t_stop);
    if (!(t_stop - time_ > shortest)) return {false, failure_text(CV_TOO_CLOSE)};
    double wanted = next_step_;
    refuse_ = settings_.reject_every > 0 && ++tries_ % settings_.reject_every == 0;
    refused_time_ = std::numeric_limits<double>::quiet_NaN();
    // What CVODE takes for "already there" is still to be stepped over.
    if (t_stop - time_ <= 200 * std::numeric_limits<double>::epsilon() * (std::abs(time_) + used_))
      fresh_ = true;

    for (;;) {
      const bool first = fresh_;
      const double limit = first ? begin(t_stop) : next_limit(t_stop);
      double t = time_;
      int flag = CVodeSetStopTime(cvode_.get(), limit);
      if (flag == CV_SUCCESS) flag = CVode(cvode_.get(), t_stop, work_.get(), &t, CV_ONE_STEP);
      count();
      fresh_ = flag < 0;
      if (fresh_) {
        if (first) return {false, failure_text(flag)};
        // The past may be what misleads it, as behind a kink: once more, without.
        wanted = next_step_ = 0;
        continue;
      }
      used_ = t - time_;

      trial_ = view(work_.get());
      if (!bdf_ && !project_adams(t)) {
        // Too late for CVODE to reject the step: begin again where it began.
        ++counters_.rejected;
        fresh_ = true;
        wanted = next_step_ = 0.25 * used_;
        if (next_step_ <= shortest) return {false, failure_text(CV_REPTD_PROJFUNC_ERR)};
        continue;
      }
      if (!(used_ > shortest) && t != t_stop) return {false, failure_text(CV_TOO_CLOSE)};

      y_.swap(trial_);
      previous_ = time_;
      time_ = t;
      ++counters_.steps;
      CVodeGetLastOrder(cvode_.get(), &order_);
      propose(limit, wanted);
      return {};
    }
  }

  void interpolate(double t, VecX& y) override {
    // The polynomial may not be asked beyond the step, not even by round-off.
    CVodeGetDky(cvode_.get(), std::clamp(t, previous_, time_), 0, work_.get());
    y = view(work_.get());
  }

  int order() const override { return order_; }

 private:
  /// Sets CVODE to (time, state) at order one and returns how far the first step may go. CVODE
  /// chooses that step itself: the suggestion, good for the order reached before, only bounds it.
  double begin(double t_stop) {
    view(work_.get()) = y_;
    CVodeReInit(cvode_.get(), time_, work_.get());
    seen_ = 0;
    const double left = t_stop - time_;
    // Its own estimate needs some room; below that any step is short enough.
    const bool tight = left <= kTightStart * std::abs(t_stop);
    CVodeSetInitStep(cvode_.get(), tight ? left : 0);
    return next_step_ > 0 && next_step_ < left ? time_ + next_step_ : t_stop;
  }

  double next_limit(double t_stop) const {
    const double step = proposal_ > 0 ? std::min(next_step_, proposal_) : 0;
    const double limit = step_limit(time_, t_stop, step);
    // A step suggested by the caller can only shorten CVODE's own.
    if (std::isinf(limit) && next_step_ < proposal_) return time_ + next_step_;
    return limit;
  }

  /// The step for next time, when the last one may have been cut short at `limit`.
  void propose(double limit, double wanted) {
    if (time_ == limit) {
      // That says nothing against the longer step wanted before; what CVODE now has in mind it
      // hides.
      next_step_ = std::max(wanted, used_);
      proposal_ = 0;
      return;
    }
    CVodeGetCurrentStep(cvode_.get(), &proposal_);
    next_step_ = proposal_;
    // CVODE has already cut its proposal to the limit: the step just taken is the better guess.
    if (proposal_ >= (limit - time_) * kCutToLimit) next_step_ = std::max(proposal_, used_);
    if (next_step_ > proposal_) proposal_ = 0;
  }

  /// SUNDIALS projects for BDF only. An Adams method remembers slopes and one state, the newest:
  /// moving that state onto the invariants is all there is to do.
  bool project_adams(double t) {
    if (bridge_.project(t, trial_) != 0) return false;
    double time = 0, gamma = 0, rl1 = 0;
    N_Vector newest = nullptr, y = nullptr, f = nullptr, slope = nullptr;
    void* data = nullptr;
    CVodeGetNonlinearSystemData(cvode_.get(), &time, &newest, &y, &f, &gamma, &rl1, &slope, &data);
    view(newest) = trial_;
    return true;
  }

  void count() {
    long errors = 0, solves = 0, projections = 0;
    CVodeGetNumErrTestFails(cvode_.get(), &errors);
    CVodeGetNumStepSolveFails(cvode_.get(), &solves);
    if (bdf_) CVodeGetNumProjFails(cvode_.get(), &projections);
    const std::int64_t now = errors + solves + projections;
    counters_.rejected += now - seen_;
    seen_ = now;
  }

  static int on_rhs(realtype t, N_Vector y, N_Vector f, void* self) {
    auto& me = *static_cast<Cvode*>(self);
    if (!me.bdf_ && me.refuses(t)) return 1;
    return me.bridge_.rhs(t, y, f);
  }

  /// Test aid: a step of Adams is refused by failing every evaluation at the end of its first
  /// trial.
  bool refuses(double t) {
    if (!refuse_ || t == time_) return false;
    if (std::isnan(refused_time_)) refused_time_ = t;
    return t == refused_time_;
  }

  static int on_project(realtype t, N_Vector y, N_Vector correction, realtype, N_Vector,
                        void* self) {
    auto& me = *static_cast<Cvode*>(self);
    if (std::exchange(me.refuse_, false)) return 1;  // test aid: BDF is refused here
    me.trial_ = view(y);
    if (me.bridge_.project(t, me.trial_) != 0) return 1;
    view(correction) = me.trial_ - view(y);
    return 0;
  }

  static int on_weights(N_Vector y, N_Vector w, void* self) {
    const int flag = static_cast<Cvode*>(self)->bridge_.weights(y, w);
    view(w) /= kShare;
    return flag;
  }

  static int on_jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix dfdy, void* self, N_Vector,
                         N_Vector, N_Vector) {
    return static_cast<Cvode*>(self)->bridge_.jacobian(t, y, dfdy);
  }

  Settings settings_;
  bool bdf_;
  Bridge bridge_;
  // In this order: each may only go after those below it.
  Owned<SUNContext> context_;
  Owned<N_Vector> work_;
  std::unique_ptr<DenseSolver> newton_;
  Owned<SUNNonlinearSolver> iteration_;
  std::unique_ptr<void, FreeCvode> cvode_;

  VecX trial_;
  bool fresh_ = true;    // the next step begins at order one
  double proposal_ = 0;  // the step CVODE will try next; 0: not known
  double used_ = 0;      // the last step
  int order_ = 1;
  std::int64_t seen_ = 0;   // of CVODE's rejections, how many are in the counters
  std::int64_t tries_ = 0;  // test aid
  bool refuse_ = false;
  double refused_time_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_cvode(Method method, Problem& problem, const Settings& settings) {
  return std::make_unique<Cvode>(method, problem, settings);
}

}  // namespace freeplay::integrate
