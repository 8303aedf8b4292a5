// SPDX-License-Identifier: Apache-2.0
#include "integrate/sundials_support.hpp"

#include <arkode/arkode.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

namespace freeplay::integrate::sundials {

static_assert(std::is_same_v<realtype, double>, "SUNDIALS must be built for double precision");

void Free::operator()(SUNContext x) const { SUNContext_Free(&x); }
void Free::operator()(N_Vector x) const { N_VDestroy(x); }
void Free::operator()(SUNMatrix x) const { SUNMatDestroy(x); }
void Free::operator()(SUNLinearSolver x) const { SUNLinSolFree(x); }
void Free::operator()(SUNNonlinearSolver x) const { SUNNonlinSolFree(x); }

Owned<SUNContext> make_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
  return Owned<SUNContext>(context);
}

Owned<N_Vector> make_vector(int size, SUNContext context) {
  Owned<N_Vector> x(N_VNew_Serial(size, context));
  if (!x) throw std::bad_alloc();
  view(x.get()).setZero();
  return x;
}

Eigen::Map<VecX> view(N_Vector x) {
  return {NV_DATA_S(x), static_cast<Eigen::Index>(NV_LENGTH_S(x))};
}

DenseSolver::DenseSolver(N_Vector like, SUNContext context)
    : matrix(SUNDenseMatrix(NV_LENGTH_S(like), NV_LENGTH_S(like), context)),
      solver(matrix ? SUNLinSol_Dense(like, matrix.get(), context) : nullptr) {
  if (!solver) throw std::bad_alloc();
}

Bridge::Bridge(Problem& problem, Counters& counters) : problem_(problem), counters_(counters) {}

int Bridge::rhs(double t, N_Vector y, N_Vector f) {
  ++counters_.evaluations;
  if (!problem_.rhs(t, NV_DATA_S(y), NV_DATA_S(f))) return 1;
  return view(f).allFinite() ? 0 : 1;
}

int Bridge::jacobian(double t, N_Vector y, SUNMatrix dfdy) {
  ++counters_.jacobians;
  const Eigen::Index n = NV_LENGTH_S(y);
  dfdy_.resize(n, n);
  if (!problem_.jacobian(t, NV_DATA_S(y), dfdy_)) return 1;
  if (!dfdy_.allFinite()) return 1;
  // Both sides store whole columns one after the other.
  Eigen::Map<MatX>(SM_DATA_D(dfdy), n, n) = dfdy_;
  return 0;
}

int Bridge::weights(N_Vector y, N_Vector w) const {
  problem_.weights(NV_DATA_S(y), NV_DATA_S(w));
  return view(w).allFinite() && (view(w).array() > 0).all() ? 0 : -1;
}

int Bridge::project(double t, VecX& y) {
  return y.allFinite() && problem_.project(t, y.data()) && y.allFinite() ? 0 : 1;
}

void say_nothing(int, const char*, const char*, char*, void*) {}

std::string failure_text(int flag) {
  // The first codes mean the same to CVODE and ARKODE.
  constexpr int cvode[] = {CV_TOO_MUCH_ACC,      CV_ERR_FAILURE,       CV_CONV_FAILURE,
                           CV_LSETUP_FAIL,       CV_LSOLVE_FAIL,       CV_RHSFUNC_FAIL,
                           CV_FIRST_RHSFUNC_ERR, CV_REPTD_RHSFUNC_ERR, CV_UNREC_RHSFUNC_ERR,
                           CV_ILL_INPUT,         CV_TOO_CLOSE};
  constexpr int arkode[] = {ARK_TOO_MUCH_ACC,      ARK_ERR_FAILURE,       ARK_CONV_FAILURE,
                            ARK_LSETUP_FAIL,       ARK_LSOLVE_FAIL,       ARK_RHSFUNC_FAIL,
                            ARK_FIRST_RHSFUNC_ERR, ARK_REPTD_RHSFUNC_ERR, ARK_UNREC_RHSFUNC_ERR,
                            ARK_ILL_INPUT,         ARK_TOO_CLOSE};
  static_assert(std::ranges::equal(cvode, arkode));
  switch (flag) {
    case CV_TOO_MUCH_ACC:
      return "the tolerance asks for more digits than a double has";
    case CV_ERR_FAILURE:
      return "the error of the step stayed above the tolerance however short the step was made";
    case CV_CONV_FAILURE:
    case CV_NLS_FAIL:
      return "the iteration for the implicit step did not converge however short the step was made";
    case CV_LSETUP_FAIL:
      return "the Jacobian of the motion cannot be evaluated or factorised";
    case CV_LSOLVE_FAIL:
      return "the linear system of the implicit step cannot be solved";
    case CV_FIRST_RHSFUNC_ERR:
      return "the motion cannot be evaluated at the start of the step";
    case CV_RHSFUNC_FAIL:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
      return "the motion cannot be evaluated within the step however short the step is made";
    case CV_ILL_INPUT:
      return "the error weights are not finite and positive: the state is no longer finite";
    case CV_TOO_CLOSE:
      return "the step became too small to advance time";
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR:
    case ARK_POSTPROCESS_STEP_FAIL:
      return "the constraints cannot be met after a step however short the step is made";
    default:
      return "the integrator stopped with SUNDIALS code " + std::to_string(flag);
  }
}

void check(int flag, const char* call) {
  if (flag != 0) throw std::runtime_error(std::string(call) + " returned " + std::to_string(flag));
}

double step_limit(double t, double t_stop, double step) {
  constexpr double kReachesStop = 1 - 1e-12;  // as for other steps: see trial_step()
  const double left = t_stop - t;
  if (step <= 0 || step >= left * kReachesStop) return t_stop;
  if (step > 0.5 * left) return t + 0.5 * left;
  return std::numeric_limits<double>::infinity();
}

double shortest_step(double t, double t_stop) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::abs(t_stop));
}

}  // namespace freeplay::integrate::sundials
