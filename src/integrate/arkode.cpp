// SPDX-License-Identifier: Apache-2.0
#include "integrate/integrator.hpp"
#include "integrate/sundials_support.hpp"

#include <Eigen/QR>
#include <arkode/arkode_arkstep.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

// ARKODE's one-step methods of order 5 with an error estimate of order 4: explicit (Dormand &
// Prince 1980) and diagonally implicit, L-stable and stiffly accurate (Kennedy & Carpenter 2019)
// with Newton and the exact Jacobian. Being one-step they lose nothing at an event or after a
// projection.
//
// ARKODE interpolates either through slopes evaluated inside the step, at every request anew and
// useless when the problem is stiff, or through past steps, which a restart takes away. Here the
// interpolant comes from the stages of the step itself, for both methods and at no cost.
namespace freeplay::integrate {
namespace {

using namespace sundials;

constexpr int kDegree = 4;  // and order of the interpolant

struct FreeArkode {
  void operator()(void* memory) const { ARKStepFree(&memory); }
};

/// Coefficients of a Runge-Kutta method.
struct Table {
  explicit Table(ARKodeButcherTable table) : stages(table->stages) {
    A = MatX::Zero(stages, stages);
    b = c = VecX::Zero(stages);
    for (int i = 0; i < stages; ++i) {
      for (int j = 0; j < stages; ++j) A(i, j) = table->A[i][j];
      b[i] = table->b[i];
      c[i] = table->c[i];
    }
    ARKodeButcherTable_Free(table);
  }
  int stages;
  MatX A;
  VecX b, c;
};

/// B with y(t + theta h) = y + h sum_ij B(i, j) theta^(j+1) k_i of order 4 for all theta in [0, 1],
/// with the step's own value and slope at the end. Order conditions: Hairer, Norsett & Wanner 1993,
/// II.2 and II.6. They leave some freedom; it goes to the smallest coefficients.
MatX interpolant(const Table& m, bool implicit) {
  const int s = m.stages;
  const VecX one = VecX::Ones(s), Ac = m.A * m.c, c2 = m.c.cwiseAbs2();
  // One row for each tree up to order 4, met by the coefficients of the power of theta that is its
  // order and annulled by all others.
  MatX conditions(8, s);
  conditions << one.transpose(), m.c.transpose(), c2.transpose(), Ac.transpose(),
      m.c.cwiseProduct(c2).transpose(), m.c.cwiseProduct(Ac).transpose(), (m.A * c2).transpose(),
      (m.A * Ac).transpose();

  VecX linear = VecX::Unit(s, 0);  // explicit: the slope of the first stage at the start
  if (implicit) {
    // Under infinite stiffness z, y' = z y, the slopes of the stages tend to z times the vector
    // below; the interpolant stays bounded if its coefficients are orthogonal to that. The slope of
    // the first stage, evaluated and not deduced, is worth nothing then.
    VecX limit = VecX::Ones(s);
    limit.tail(s - 1) = -m.A.bottomRightCorner(s - 1, s - 1)
                             .triangularView<Eigen::Lower>()
                             .solve(m.A.col(0).tail(s - 1));
    conditions.conservativeResize(9, Eigen::NoChange);
    conditions.row(8) = limit.transpose();
  }
  const Eigen::CompleteOrthogonalDecomposition<MatX> solver(conditions);
  const Eigen::Index rows = conditions.rows();
  if (implicit) linear = solver.solve(VecX::Unit(rows, 0));

  // Value b and slope of the last stage ("first same as last") at the end leave theta^2 open.
  const VecX last = VecX::Unit(s, s - 1);
  const VecX cubic = 4 * m.b - 3 * linear - last;    // B3 = cubic - 2 B2
  const VecX quartic = 2 * linear + last - 3 * m.b;  // B4 = quartic + B2
  VecX quadratic = (2 * cubic - quartic) / 6;
  quadratic += solver.solve(0.5 * VecX::Unit(rows, 1) - conditions * quadratic);
  MatX B(s, kDegree);
  B << linear, quadratic, cubic - 2 * quadratic, quartic + quadratic;
  return B;
}

class Arkode final : public Integrator {
 public:
  Arkode(Method method, Problem& problem, const Settings& settings)
      : settings_(settings),
        implicit_(method == Method::arkode_dirk),
        table_(implicit_ ? ARKodeButcherTable_LoadDIRK(kImplicit)
                         : ARKodeButcherTable_LoadERK(kExplicit)),
        weights_(interpolant(table_, implicit_)),
        bridge_(problem, counters_),
        context_(make_context()),
        work_(make_vector(problem.size(), context_.get())),
        arkode_(ARKStepCreate(implicit_ ? nullptr : on_rhs, implicit_ ? on_rhs : nullptr, 0,
                              work_.get(), context_.get())) {
    const VecX zero = VecX::Zero(problem.size());
    y_ = y_old_ = trial_ = zero;
    stage_.assign(table_.stages, zero);
    dense_ = MatX::Zero(problem.size(), kDegree + 1);
    void* const arkode = arkode_.get();
    check(ARKStepSetErrHandlerFn(arkode, say_nothing, nullptr), "ARKStepSetErrHandlerFn");
    check(ARKStepSetUserData(arkode, this), "ARKStepSetUserData");
    check(ARKStepWFtolerances(arkode, on_weights), "ARKStepWFtolerances");
    check(ARKStepSetMaxNumSteps(arkode, -1), "ARKStepSetMaxNumSteps");
    if (settings.max_step > 0)
      check(ARKStepSetMaxStep(arkode, settings.max_step), "ARKStepSetMaxStep");
    check(ARKStepSetTableNum(arkode, implicit_ ? kImplicit : ARKODE_DIRK_NONE,
                             implicit_ ? ARKODE_ERK_NONE : kExplicit),
          "ARKStepSetTableNum");
    // The first stage is evaluated afresh at the projected state. The other kind of interpolant
    // would evaluate there once more, at the end of each step.
    check(ARKStepSetInterpolantType(arkode, ARK_INTERP_LAGRANGE), "ARKStepSetInterpolantType");
    check(ARKStepSetInterpolantDegree(arkode, 1), "ARKStepSetInterpolantDegree");
    check(ARKStepSetPostprocessStageFn(arkode, on_stage), "ARKStepSetPostprocessStageFn");
    check(ARKStepSetPostprocessStepFn(arkode, on_accept), "ARKStepSetPostprocessStepFn");
    if (implicit_) {
      newton_ = std::make_unique<DenseSolver>(work_.get(), context_.get());
      check(ARKStepSetLinearSolver(arkode, newton_->solver.get(), newton_->matrix.get()),
            "ARKStepSetLinearSolver");
      check(ARKStepSetJacFn(arkode, on_jacobian), "ARKStepSetJacFn");
      // ARKODE judges an iteration by the rate of convergence it saw last, even after the step has
      // changed under an old factorisation, and then takes a first guess for the answer: factorise
      // in each step.
      check(ARKStepSetLSetupFrequency(arkode, 1), "ARKStepSetLSetupFrequency");
      check(ARKStepSetMaxNonlinIters(arkode, 8), "ARKStepSetMaxNonlinIters");
      check(ARKStepSetNonlinConvCoef(arkode, 0.01), "ARKStepSetNonlinConvCoef");
      // The slope of a stage follows from its equation: an evaluation saved, and no stiff error in
      // it.
      check(ARKStepSetDeduceImplicitRhs(arkode, SUNTRUE), "ARKStepSetDeduceImplicitRhs");
    }
  }

  void start(double t, const VecX& y, double step, Onset) override {
    time_ = previous_ = t;
    y_ = y;
    next_step_ = step;
    proposal_ = kUnknown;
    used_ = 0;
    fresh_ = true;
  }

  Outcome step(double t_stop) override {
    const double shortest = shortest_step(time_, t_stop);
    if (!(t_stop - time_ > shortest)) return {false, failure_text(ARK_TOO_CLOSE)};
    double wanted = next_step_;
    double longest = t_stop - time_;  // worth trying
    // What ARKODE takes for "already there" is still to be stepped over.
    if (t_stop - time_ <= 200 * std::numeric_limits<double>::epsilon() * (std::abs(time_) + used_))
      proposal_ = kUnknown;

    for (;;) {
      if (next_step_ != proposal_) begin(t_stop);
      const double limit = step_limit(time_, t_stop, next_step_);
      double t = time_;
      int flag = ARKStepSetStopTime(arkode_.get(), limit);
      if (flag == ARK_SUCCESS)
        flag = ARKStepEvolve(arkode_.get(), t_stop, work_.get(), &t, ARK_ONE_STEP);
      count();
      if (flag < 0) {
        // ARKODE gives up when a stage cannot be evaluated, or the new state not projected.
        const bool retry = flag == ARK_RHSFUNC_FAIL || flag == ARK_UNREC_RHSFUNC_ERR ||
                           flag == ARK_POSTPROCESS_STEP_FAIL;
        double tried = 0;
        ARKStepGetCurrentStep(arkode_.get(), &tried);
        if (tried > 0) longest = std::min(longest, tried);
        wanted = next_step_ = longest = 0.25 * longest;
        proposal_ = kUnknown;
        if (!retry || next_step_ <= shortest) return {false, failure_text(flag)};
        ++counters_.rejected;
        continue;
      }
      used_ = t - time_;
      if (!(used_ > shortest) && t != t_stop) return {false, failure_text(ARK_TOO_CLOSE)};

      y_old_.swap(y_);
      y_.swap(trial_);
      previous_ = time_;
      time_ = t;
      ++counters_.steps;
      dense_ready_ = false;
      if (time_ == limit) {
        // Cut short to hit the limit, which says nothing against the longer step wanted before.
        next_step_ = std::max(wanted, used_);
        proposal_ = kUnknown;
      } else {
        ARKStepGetCurrentStep(arkode_.get(), &proposal_);
        // ARKODE may have cut its proposal to the limit: the step just taken is then a better
        // guess.
        const bool cut = proposal_ >= (limit - time_) * kCutToLimit;
        next_step_ = cut ? std::max(proposal_, used_) : proposal_;
      }
      return {};
    }
  }

  void interpolate(double t, VecX& y) override {
    if (!dense_ready_) prepare_dense();
    const double x = (t - previous_) / (time_ - previous_);
    y = y_old_ +
        x * (dense_.col(0) + x * (dense_.col(1) + x * (dense_.col(2) + x * dense_.col(3))));
    // What the projection added to the step comes in without a kink.
    y += x * x * (3 - 2 * x) * dense_.col(kDegree);
  }

  int order() const override { return 5; }

 private:
  // All stages lie within the step, so that nothing is evaluated beyond t_stop: that leaves few of
  // ARKODE's implicit methods of order 5. This one estimates its error better than its forerunner
  // of 2003, and ESDIRK547L2SA2 has a wrong coefficient before SUNDIALS 6.5.
  static constexpr ARKODE_DIRKTableID kImplicit = ARKODE_ARK548L2SAb_DIRK_8_4_5;
  static constexpr ARKODE_ERKTableID kExplicit = ARKODE_DORMAND_PRINCE_7_4_5;
  static constexpr double kUnknown = -1;

  /// Sets ARKODE to (time, state) with the step wanted.
  void begin(double t_stop) {
    view(work_.get()) = y_;
    if (std::exchange(fresh_, false)) {  // nothing of the past, not even of its errors
      ARKStepReInit(arkode_.get(), implicit_ ? nullptr : on_rhs, implicit_ ? on_rhs : nullptr,
                    time_, work_.get());
      seen_ = 0;
    } else {
      ARKStepReset(arkode_.get(), time_, work_.get());
    }
    const double left = t_stop - time_;
    // Its own estimate needs some room; below that any step is short enough.
    const bool tight = left <= kTightStart * std::abs(t_stop);
    ARKStepSetInitStep(arkode_.get(), tight ? left : std::max(next_step_, 0.0));
  }

  void prepare_dense() {
    const double h = time_ - previous_;
    // Explicit stages have left their slope. That of an implicit one, z = y + h sum a_ij k_j, is
    // deduced: evaluating it would magnify the error of z by the stiffness.
    for (int i = 0; i < table_.stages; ++i) {
      if (table_.A(i, i) == 0) continue;
      VecX& k = stage_[i];
      k = (k - y_old_) / h;
      for (int j = 0; j < i; ++j)
        if (table_.A(i, j) != 0) k -= table_.A(i, j) * stage_[j];
      k /= table_.A(i, i);
    }
    dense_.setZero();
    for (int i = 0; i < table_.stages; ++i)
      for (int j = 0; j < kDegree; ++j)
        if (weights_(i, j) != 0) dense_.col(j) += h * weights_(i, j) * stage_[i];
    dense_.col(kDegree) = y_ - y_old_ - dense_.leftCols<kDegree>().rowwise().sum();
    dense_ready_ = true;
  }

  void count() {
    long errors = 0, solves = 0;
    ARKStepGetNumErrTestFails(arkode_.get(), &errors);
    if (implicit_) ARKStepGetNumStepSolveFails(arkode_.get(), &solves);
    counters_.rejected += errors + solves - seen_;
    seen_ = errors + solves;
  }

  static int on_rhs(realtype t, N_Vector y, N_Vector f, void* self) {
    auto& me = *static_cast<Arkode*>(self);
    const int flag = me.bridge_.rhs(t, y, f);
    if (std::exchange(me.want_slope_, false)) me.stage_[me.current_] = view(f);
    return flag;
  }

  /// After each stage. The first, and it alone, is at the start of the step.
  static int on_stage(realtype t, N_Vector y, void* self) {
    auto& me = *static_cast<Arkode*>(self);
    me.current_ = t == me.time_ ? 0 : me.current_ + 1;
    if (me.current_ >= me.table_.stages) return -1;
    me.want_slope_ = me.table_.A(me.current_, me.current_) == 0;
    if (!me.want_slope_) me.stage_[me.current_] = view(y);
    return 0;
  }

  /// After each step that passed the error test.
  static int on_accept(realtype t, N_Vector y, void* self) {
    auto& me = *static_cast<Arkode*>(self);
    const std::int64_t every = me.settings_.reject_every;
    if (every > 0 && ++me.acceptable_ % every == 0) return 1;  // test aid
    me.trial_ = view(y);
    if (me.bridge_.project(t, me.trial_) != 0) return 1;
    view(y) = me.trial_;
    return 0;
  }

  static int on_weights(N_Vector y, N_Vector w, void* self) {
    return static_cast<Arkode*>(self)->bridge_.weights(y, w);
  }

  static int on_jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix dfdy, void* self, N_Vector,
                         N_Vector, N_Vector) {
    return static_cast<Arkode*>(self)->bridge_.jacobian(t, y, dfdy);
  }

  Settings settings_;
  bool implicit_;
  Table table_;
  MatX weights_;  // of the stages in the interpolant
  Bridge bridge_;
  // In this order: each may only go after those below it.
  Owned<SUNContext> context_;
  Owned<N_Vector> work_;
  std::unique_ptr<DenseSolver> newton_;
  std::unique_ptr<void, FreeArkode> arkode_;

  VecX y_old_, trial_;
  std::vector<VecX> stage_;  // slope of an explicit stage; state of an implicit one, until deduced
  MatX dense_;               // coefficients of the interpolant, and what the projection added
  bool dense_ready_ = false, want_slope_ = false, fresh_ = true;
  int current_ = 0;             // stage
  double proposal_ = kUnknown;  // the step ARKODE will try next
  double used_ = 0;             // the last step
  std::int64_t seen_ = 0;       // of ARKODE's rejections, how many are in the counters
  std::int64_t acceptable_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_arkode(Method method, Problem& problem, const Settings& settings) {
  return std::make_unique<Arkode>(method, problem, settings);
}

}  // namespace freeplay::integrate
