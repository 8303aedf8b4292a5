// SPDX-License-Identifier: Apache-2.0
#include "integrate/ida.hpp"

#include "integrate/sundials_support.hpp"

#include <ida/ida.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <cmath>
#include <limits>

// IDA solves the index-2 equations of Gear, Gupta & Leimkuhler 1985, theory/multibody (M.22), by
// BDF:
//
// clang-format off
//   q'      = N(q) (v - W^-1 J^T mu)      mu -> 0 keeps the positions on the constraints
//   M v'    = Q - J^T lambda
//   work'   = power
//   0       = J v + phi_t
//   0       = phi
// clang-format on
//
// with unknowns Y = [q, v, work, lambda, mu]. The Newton matrix is exact (forward differentiation)
// and sparse (KLU), so this is the implicit method for large mechanisms.
namespace freeplay::integrate {
namespace {

using namespace sundials;
using dynamics::Cartesian;

// Share of the tolerance that one step may use: the index-2 equations amplify local errors more
// than CVODE's (there 0.1). chosen: the error then falls with the tolerance on both mechanisms of
// the convergence test.
constexpr double kShare = 0.05;
// How loosely multipliers are weighed: in tolerances, and at least (see weights()).
constexpr double kLooser = 1e2, kLeastLoose = 1e-4;

struct FreeIda {
  void operator()(void* memory) const { IDAFree(&memory); }
};

class Ida final : public Integrator {
 public:
  Ida(Cartesian& system, const std::vector<double>& memory, Problem& problem,
      const Settings& settings)
      : system_(system),
        memory_(memory),
        problem_(problem),
        settings_(settings),
        nq_(system.position_size()),
        nv_(system.velocity_size()),
        nw_(system.work_size()),
        m_(system.rows()),
        size_(system.size() + 2 * m_),
        context_(make_context()),
        Y_(make_vector(size_, context_.get())),
        Yp_(make_vector(size_, context_.get())),
        id_(make_vector(size_, context_.get())),
        ida_(IDACreate(context_.get())) {
    y_ = shifted_ = VecX::Zero(system.size());
    force_ = VecX::Zero(nv_);
    metric_ = VecX::Zero(nv_);
    const double L = system.scales().length;
    for (int d = 0; d < nv_; ++d) metric_[d] = system.bodies().turns(d) ? L * L : 1;
    for (int b = 0; b < system.bodies().count() && !system.model().planar; ++b)
      euler_.push_back(system.bodies().position_of(b) + 3);
    view(id_.get()).setOnes();
    view(id_.get()).tail(2 * m_).setZero();

    void* const ida = ida_.get();
    check(IDAInit(ida, on_residual, 0, Y_.get(), Yp_.get()), "IDAInit");
    check(IDASetErrHandlerFn(ida, say_nothing, nullptr), "IDASetErrHandlerFn");
    check(IDASetUserData(ida, this), "IDASetUserData");
    check(IDAWFtolerances(ida, on_weights), "IDAWFtolerances");
    check(IDASetMaxNumSteps(ida, -1), "IDASetMaxNumSteps");
    check(IDASetId(ida, id_.get()), "IDASetId");
    check(IDASetSuppressAlg(ida, SUNTRUE), "IDASetSuppressAlg");
    if (settings.max_step > 0) check(IDASetMaxStep(ida, settings.max_step), "IDASetMaxStep");
  }

  void start(double t, const VecX& y, double step, Onset) override {
    time_ = previous_ = t;
    y_ = y;
    next_step_ = step;
    fresh_ = true;
  }

  Outcome step(double t_stop) override {
    if (!(t_stop - time_ > shortest_step(time_, t_stop)))
      return {false, failure_text(IDA_ERR_FAIL)};
    if (fresh_ && !begin())
      return {false, "the motion cannot be evaluated at the start of the step"};
    check(IDASetStopTime(ida_.get(), t_stop), "IDASetStopTime");
    double t = time_;
    const int flag = IDASolve(ida_.get(), t_stop, &t, Y_.get(), Yp_.get(), IDA_ONE_STEP);
    gather_counters();
    if (flag < 0) return {false, failure_text(flag)};
    previous_ = time_;
    time_ = t;
    y_ = view(Y_.get()).head(system_.size());
    normalise(y_);
    double h = 0;
    IDAGetCurrentStep(ida_.get(), &h);
    IDAGetLastOrder(ida_.get(), &order_);
    next_step_ = h;
    return {};
  }

  void interpolate(double t, VecX& y) override {
    check(IDAGetDky(ida_.get(), t, 0, Yp_.get()), "IDAGetDky");
    y = view(Yp_.get()).head(system_.size());
    normalise(y);
  }

  int order() const override { return order_; }

 private:
  /// Consistent start: accelerations and multipliers from the equations of motion, mu = 0.
  bool begin() {
    VecX f(system_.size());
    ++extra_evaluations_;
    if (!system_.derivative(time_, y_.data(), memory_.data(), f.data())) return false;
    auto Y = view(Y_.get()), Yp = view(Yp_.get());
    Y.setZero();
    Yp.setZero();
    Y.head(system_.size()) = y_;
    Y.segment(system_.size(), m_) = system_.multipliers();
    Yp.head(system_.size()) = f;
    if (next_step_ > 0) check(IDASetInitStep(ida_.get(), next_step_), "IDASetInitStep");
    check(IDAReInit(ida_.get(), time_, Y_.get(), Yp_.get()), "IDAReInit");
    if (!solver_) build_matrix();
    fresh_ = false;
    steps_before_ = counters_.steps;
    rejected_before_ = counters_.rejected;
    return true;
  }

  void gather_counters() {
    long steps = 0, errors = 0, failures = 0;
    IDAGetNumSteps(ida_.get(), &steps);
    IDAGetNumErrTestFails(ida_.get(), &errors);
    IDAGetNumNonlinSolvConvFails(ida_.get(), &failures);
    counters_.steps = steps_before_ + steps;
    counters_.rejected = rejected_before_ + errors + failures;
    counters_.evaluations = residuals_ + extra_evaluations_;
    counters_.jacobians = jacobians_;
  }

  int residual(double t, N_Vector yy, N_Vector yp, N_Vector rr) {
    ++residuals_;
    const auto Y = view(yy), Yp = view(yp);
    auto F = view(rr);
    const int n = system_.size();
    const double* y = Y.data();
    system_.update(t, y, memory_.data());
    system_.applied_forces(t, y, memory_.data(), force_.data());
    // q' - N (v - W^-1 J^T mu), with the length of the Euler parameters drawn to 1
    shifted_ = Y.head(n);
    VecX& u = pull_;
    u.setZero(nv_);
    system_.kkt().add_transposed(Y.data() + n + m_, 1.0, u.data());
    shifted_.segment(nq_, nv_) -= u.cwiseQuotient(metric_);
    system_.position_rates(shifted_.data(), F.data());
    F.head(nq_) = Yp.head(nq_) - F.head(nq_);
    for (int at : euler_) {
      const auto p = Y.segment(at, 4);
      F.segment(at, 4) += (p.squaredNorm() - 1) / system_.scales().time * p;
    }
    // M v' + J^T lambda - Q
    system_.mass_times(y, Yp.data() + nq_, F.data() + nq_);
    system_.kkt().add_transposed(Y.data() + n, 1.0, F.data() + nq_);
    F.segment(nq_, nv_) -= force_;
    // work
    system_.powers(y + nq_, Y.data() + n, F.data() + nq_ + nv_);
    F.segment(nq_ + nv_, nw_) = Yp.segment(nq_ + nv_, nw_) - F.segment(nq_ + nv_, nw_);
    // constraints
    system_.kkt().rates(y + nq_, F.data() + n);
    F.segment(n, m_) += system_.phi_t();
    F.segment(n + m_, m_) = system_.phi();
    return F.allFinite() ? 0 : 1;
  }

  /// All entries of dF/dY + cj dF/dY', in an order that never changes.
  template <class Sink>
  void newton_entries(double t, double cj, const double* Y, const double* Yp, Sink&& sink) {
    const int n = system_.size(), work = nq_ + nv_;
    system_.update(t, Y, memory_.data());
    auto& kkt = system_.kkt();
    for (int k = 0; k < nq_; ++k) sink(k, k, cj);
    system_.position_rates_derivative(Y, [&](int r, int c, double x) { sink(r, c, -x); });
    for (int at : euler_)
      for (int i = at; i < at + 4; ++i)
        for (int j = at; j < at + 4; ++j) sink(i, j, 2 * Y[i] * Y[j] / system_.scales().time);
    // Mass: columns of M by unit accelerations would be dense work; the blocks are known.
    const auto& bodies = system_.bodies();
    for (int b = 0; b < bodies.count(); ++b) {
      const int at = nq_ + bodies.velocity_of(b), width = bodies.body(b).velocities();
      bodies.body(b).mass(Y + bodies.position_of(b), mass_);
      for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j)
          if (i == j || bodies.body(b).couples(std::max(i, j), std::min(i, j)))
            sink(at + i, at + j, cj * mass_(i, j));
    }
    system_.residual_derivative(t, Y, memory_.data(), Yp + nq_, Y + n, [&](int r, int c, double x) {
      if (r < nv_)
        sink(nq_ + r, c, x);
      else if (r >= nv_ + m_)
        sink(work + r - nv_ - m_, c, -x);
    });
    for (int k = 0; k < nw_; ++k) sink(work + k, work + k, cj);
    kkt.rates(Y + nq_, rate_.setZero(m_).data());
    for (int r = 0; r < m_; ++r) {
      for (int k = 0; k < kkt.entries(r); ++k) {
        const double* g = kkt.gradient(r, k);
        const int body = kkt.body(r, k), dof = kkt.first_dof(r, k);
        const int at = bodies.position_of(body), width = bodies.body(body).positions();
        for (int c = 0; c < kkt.width(r, k); ++c) sink(nq_ + dof + c, n + r, g[c]);
        // N W^-1 J^T on mu
        VecX one = VecX::Zero(system_.size());
        one.segment(at, width) = Eigen::Map<const VecX>(Y + at, width);
        for (int c = 0; c < kkt.width(r, k); ++c) one[nq_ + dof + c] = g[c] / metric_[dof + c];
        VecX out(nq_);
        system_.position_rates(one.data(), out.data());
        for (int c = 0; c < width; ++c) sink(at + c, n + m_ + r, out[at + c]);
      }
      const int own = system_.work_of_row(r);
      if (own >= 0) sink(work + own, n + r, rate_[r]);
    }
    system_.constraint_derivative(t, Y, memory_.data(), [&](int r, int c, double x) {
      sink(r < m_ ? n + m_ + r : n + r - m_, c, x);  // phi, then its rate
    });
    for (int r = 0; r < 2 * m_; ++r) sink(n + r, n + r, 0.0);  // a diagonal for KLU to see
  }

  /// Pattern of the Newton matrix, by columns, and the place of each entry in it.
  void build_matrix() {
    std::vector<std::pair<int, int>> places;  // (column, row)
    newton_entries(time_, 1.0, view(Y_.get()).data(), view(Yp_.get()).data(),
                   [&](int r, int c, double) { places.emplace_back(c, r); });
    std::vector<std::pair<int, int>> unique = places;
    std::sort(unique.begin(), unique.end());
    unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
    pattern_ = unique;
    slot_.clear();
    for (const auto& place : places)
      slot_.push_back(
          static_cast<int>(std::lower_bound(unique.begin(), unique.end(), place) - unique.begin()));
    matrix_.reset(SUNSparseMatrix(size_, size_, static_cast<sunindextype>(unique.size()), CSC_MAT,
                                  context_.get()));
    write_pattern(matrix_.get());
    solver_.reset(SUNLinSol_KLU(Y_.get(), matrix_.get(), context_.get()));
    check(IDASetLinearSolver(ida_.get(), solver_.get(), matrix_.get()), "IDASetLinearSolver");
    check(IDASetJacFn(ida_.get(), on_jacobian), "IDASetJacFn");
  }
  void write_pattern(SUNMatrix matrix) const {
    sunindextype* columns = SUNSparseMatrix_IndexPointers(matrix);
    sunindextype* rows = SUNSparseMatrix_IndexValues(matrix);
    std::fill_n(columns, size_ + 1, 0);
    for (const auto& [c, r] : pattern_) ++columns[c + 1];
    for (int c = 0; c < size_; ++c) columns[c + 1] += columns[c];
    for (std::size_t k = 0; k < pattern_.size(); ++k) rows[k] = pattern_[k].second;
  }

  int jacobian(double t, double cj, N_Vector yy, N_Vector yp, SUNMatrix matrix) {
    ++jacobians_;
    write_pattern(matrix);  // IDA clears it between calls
    double* values = SUNSparseMatrix_Data(matrix);
    std::fill_n(values, pattern_.size(), 0.0);
    std::size_t k = 0;
    newton_entries(t, cj, view(yy).data(), view(yp).data(),
                   [&](int, int, double x) { values[slot_[k++]] += x; });
    return 0;
  }

  int weights(N_Vector yy, N_Vector ww) const {
    const auto Y = view(yy);
    auto w = view(ww);
    problem_.weights(Y.data(), w.data());
    w.head(system_.size()) /= kShare;
    const Scales& s = system_.scales();
    const double tolerance = system_.model().simulation.tolerance;
    const double force = s.mass * s.length / (s.time * s.time);
    const int n = system_.size();
    for (int r = 0; r < m_; ++r) {
      // Multipliers are not error controlled, and at the tiny first steps they are differences of
      // velocities over h, noisy in the sixth digit: Newton settles the motion, not them.
      const double unit = system_.row_scale(r) == 1 ? force * s.length : force;
      const double loose = std::max(kLooser * tolerance, kLeastLoose);
      w[n + r] = 1 / (loose * (std::abs(Y[n + r]) + unit));
      w[n + m_ + r] = 1 / (loose * s.length / s.time);
    }
    return 0;
  }

  void normalise(VecX& y) const {
    for (int at : euler_) y.segment(at, 4).normalize();
  }

  static int on_residual(double t, N_Vector y, N_Vector yp, N_Vector r, void* self) {
    return static_cast<Ida*>(self)->residual(t, y, yp, r);
  }
  static int on_jacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix J,
                         void* self, N_Vector, N_Vector, N_Vector) {
    return static_cast<Ida*>(self)->jacobian(t, cj, y, yp, J);
  }
  static int on_weights(N_Vector y, N_Vector w, void* self) {
    return static_cast<Ida*>(self)->weights(y, w);
  }

  Cartesian& system_;
  const std::vector<double>& memory_;
  Problem& problem_;
  Settings settings_;
  int nq_, nv_, nw_, m_, size_, order_ = 1;
  std::vector<int> euler_;  // where Euler parameters begin
  bool fresh_ = true;
  std::int64_t residuals_ = 0, jacobians_ = 0, extra_evaluations_ = 0, steps_before_ = 0,
               rejected_before_ = 0;
  VecX shifted_, force_, metric_, pull_, rate_;
  MatX mass_;
  std::vector<std::pair<int, int>> pattern_;
  std::vector<int> slot_;
  Owned<SUNContext> context_;
  Owned<N_Vector> Y_, Yp_, id_;
  Owned<SUNMatrix> matrix_;
  Owned<SUNLinearSolver> solver_;
  std::unique_ptr<void, FreeIda> ida_;
};

}  // namespace

std::unique_ptr<Integrator> make_ida(Cartesian& system, const std::vector<double>& memory,
                                     Problem& problem, const Settings& settings) {
  return std::make_unique<Ida>(system, memory, problem, settings);
}

}  // namespace freeplay::integrate
