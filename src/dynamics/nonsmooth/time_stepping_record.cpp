// SPDX-License-Identifier: Apache-2.0
#include "dynamics/nonsmooth/time_stepping.hpp"

#include <algorithm>

// What a time step leaves behind: works, and what contacts and friction of joints remember.
namespace freeplay::dynamics {

/// Work of impulses: with the mean of the speeds before and after, which is exact. Of smooth forces
/// that have no potential: their power in the middle of the step.
void TimeStepping::book_works(double t, double h, const VecX& y, const std::vector<double>& memory,
                              VecX& y_new) {
  const int q = system_.position_size(), n = system_.velocity_size();
  double* works = y_new.data() + system_.motion_size() + system_.state_size();
  system_.kkt().rates(mean_.data(), row_rate_.data());
  for (int r = 0; r < system_.rows(); ++r)
    if (const int work = system_.work_of_row(r); work >= 0)
      works[work] -= problem_.multipliers()[r] * row_rate_[r];
  for (std::size_t k = 0; k < takers_.size(); ++k) {
    const ImpulseProblem::Contact& is = problem_.contacts()[k];
    const auto& contact = contacts_.list()[static_cast<std::size_t>(takers_[k].contact)];
    const ImpulseProblem::Along mean = 0.5 * (is.before + is.after);
    works[contact.normal_work] += is.impulse[0] * mean[0];
    if (contact.friction_work >= 0)
      works[contact.friction_work] += is.impulse[1] * mean[1] + is.impulse[2] * mean[2];
  }
  for (std::size_t f = 0; f < system_.frictions().size(); ++f) {
    const ImpulseProblem::Contact& is = problem_.contacts()[takers_.size() + f];
    works[system_.frictions()[f].work] +=
        0.5 * is.impulse.tail<3>().dot(is.before.tail<3>() + is.after.tail<3>());
  }
  if (!implicit_) return;
  y_middle_ = y;
  change_ = 0.5 * h * mean_;
  system_.displace(y_middle_.data(), change_.data());
  y_middle_.segment(q, n) = mean_;
  const int states = system_.state_size();
  y_middle_.segment(q + n, states) +=
      0.5 * (y_new.segment(q + n, states) - y.segment(q + n, states));
  system_.update(t + 0.5 * h, y_middle_.data(), memory.data());
  system_.applied_forces(t + 0.5 * h, y_middle_.data(), memory.data(), force_.data());
  power_.setZero();
  system_.powers(mean_.data(), no_multipliers_.data(), power_.data());
  for (int w = 0; w < power_.size(); ++w) works[w] += h * power_[w];
}

/// What the contacts keep of the step; `works` are those of before.
void TimeStepping::remember(double t, double h, const double* works, std::vector<double>& memory) {
  const StepRecord& record = *system_.step_record();
  std::size_t next = 0;
  for (int k = 0; k < contacts_.size(); ++k) {
    const auto& contact = contacts_.list()[static_cast<std::size_t>(k)];
    double* own = &memory[static_cast<std::size_t>(contact.own_memory())];
    const bool taken = next < takers_.size() && takers_[next].contact == k;
    const ImpulseProblem::Contact* is = taken ? &problem_.contacts()[next] : nullptr;
    const Taker* taker = taken ? &takers_[next++] : nullptr;
    joints::ContactMemory past = joints::recall(own);
    StepMemory step = record.recall(k, memory.data());
    const bool presses = is && is->mode != Mode::open && is->impulse[0] > 0;
    if (!presses && past.touching == 0 && step.normal == 0) continue;
    step.normal = step.use = 0;
    std::fill_n(step.force, 3, 0.0);
    if (!presses) {
      past.touching = past.sticking = 0;
    } else {
      const double P = is->impulse[0];
      if (past.touching == 0) {
        past = {};
        past.touching = 1;
        past.start = t + h;
        past.approach = past.impact_rate = std::max(0.0, -is->before[0]);
        past.work = works[contact.normal_work];
        step.impulse = 0;
      } else {
        past.peak_force = std::max(past.peak_force, P / h);
      }
      past.peak_depth = std::max(past.peak_depth, taker->point.depth);
      const Vec3 force = (-P * taker->point.normal + is->impulse[1] * taker->tangent[0] +
                          is->impulse[2] * taker->tangent[1]) /
                         h;
      std::copy_n(force.data(), 3, step.force);
      step.normal = P / h;
      step.impulse += P;
      step.leaving = is->after[0];
      const double slip = is->after.tail<3>().norm();
      past.sticking =
          is->tangents > 0 && is->mode == Mode::stick ? joints::kSticks : joints::kSlips;
      const Vec3 direction = is->after[1] * taker->tangent[0] + is->after[2] * taker->tangent[1];
      for (int i = 0; i < 3; ++i) past.slip[i] = slip > 0 ? direction[i] / slip : 0;
      const double coefficient = is->mode == Mode::stick ? is->at_rest : is->sliding;
      if (is->tangents > 0)
        step.use = is->impulse.tail<3>().norm() / (coefficient * P + problem_.slack());
    }
    joints::remember(own, past);
    record.remember(k, step, memory.data());
  }
  remember_frictions(h, memory);
  memory[static_cast<std::size_t>(record.residual())] =
      problem_.contacts().empty() ? 0 : problem_.residual();
}

/// What friction of ideal joints keeps of the step: its mean forces, and whether it sticks.
void TimeStepping::remember_frictions(double h, std::vector<double>& memory) {
  const auto frictions = system_.frictions();
  for (std::size_t f = 0; f < frictions.size(); ++f) {
    const ImpulseProblem::Contact& is = problem_.contacts()[takers_.size() + f];
    SlipMemory slip;
    slip.sticking = is.mode == Mode::stick ? joints::kSticks : joints::kSlips;
    const double speed = is.after.tail<3>().norm();
    RubMemory rub;
    rub.load = is.impulse[0] / h;
    for (int i = 0; i < 3; ++i) {
      slip.slip[i] = speed > 0 ? is.after[1 + i] / speed : 0;
      rub.force[i] = is.impulse[1 + i] / h;
      rub.pressing[i] = is.pressing[i];
    }
    remember_slip(&memory[static_cast<std::size_t>(frictions[f].memory)], slip);
    system_.step_record()->remember_rub(static_cast<int>(f), rub, memory.data());
  }
}

}  // namespace freeplay::dynamics
