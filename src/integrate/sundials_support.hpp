// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/integrator.hpp"

#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sundials/sundials_nvector.h>

#include <memory>
#include <string>
#include <type_traits>

// What CVODE and ARKODE share on our side: owned handles, the problem behind C callbacks, and
// failure codes in words. SUNDIALS prints nothing: whatever goes wrong comes back as the reason of
// an Outcome.
namespace freeplay::integrate::sundials {

struct Free {
  void operator()(SUNContext x) const;
  void operator()(N_Vector x) const;
  void operator()(SUNMatrix x) const;
  void operator()(SUNLinearSolver x) const;
  void operator()(SUNNonlinearSolver x) const;
};
template <class Pointer>
using Owned = std::unique_ptr<std::remove_pointer_t<Pointer>, Free>;

[[nodiscard]] Owned<SUNContext> make_context();
[[nodiscard]] Owned<N_Vector> make_vector(int size, SUNContext context);
/// The vector's own storage, seen by Eigen.
[[nodiscard]] Eigen::Map<VecX> view(N_Vector x);

/// Below this share of the time itself, their own estimates of a first step have no room. chosen:
/// thousands of roundings of a time.
inline constexpr double kTightStart = 1e-12;
/// A proposal that comes so close to the limit has been cut to it. chosen: far above round-off, far
/// below what a step would be shortened by for any other reason.
inline constexpr double kCutToLimit = 1 - 1e-9;

/// A dense direct solver and the matrix it factorises.
struct DenseSolver {
  DenseSolver(N_Vector like, SUNContext context);
  Owned<SUNMatrix> matrix;
  Owned<SUNLinearSolver> solver;
};

/// The problem as SUNDIALS wants to see it, every call counted. Return values are SUNDIALS': 0
/// done, 1 try again with a shorter step, -1 hopeless.
class Bridge {
 public:
  Bridge(Problem& problem, Counters& counters);
  int rhs(double t, N_Vector y, N_Vector f);
  int jacobian(double t, N_Vector y, SUNMatrix dfdy);
  int weights(N_Vector y, N_Vector w) const;
  int project(double t, VecX& y);

 private:
  Problem& problem_;
  Counters& counters_;
  MatX dfdy_;
};

/// Takes the place of SUNDIALS' own handler, which prints to stderr.
void say_nothing(int code, const char* module, const char* function, char* text, void* data);

/// Says in words what a negative return value of CVode() or ARKStepEvolve() means.
[[nodiscard]] std::string failure_text(int flag);

/// Throws std::runtime_error when a set-up call was refused: a mistake in this code, not in the
/// model.
void check(int flag, const char* call);

/// Where a step of about `step` (0: unknown) from t must end at the latest: t_stop when it can be
/// reached; half way there when the step would leave a sliver; otherwise infinity, that is nowhere.
[[nodiscard]] double step_limit(double t, double t_stop, double step);

/// The shortest step that still moves time forward.
[[nodiscard]] double shortest_step(double t, double t_stop);

}  // namespace freeplay::integrate::sundials
