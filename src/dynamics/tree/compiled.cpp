// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/tree.hpp"

#include <algorithm>
#include <cmath>

// Evaluations by a program made for the mechanism, once there have been enough of them; by plain
// code before, and where there is none.
namespace freeplay::dynamics {
namespace {

// chosen: a program is made in the time of some hundred evaluations, and has won that back by the
// thousandth
constexpr int kWorthCompiling = 200;

}  // namespace

template <int Rd>
bool Tree<Rd>::derivative(double t, const double* y, const double* memory, double* f) {
  if (evaluations_ < kWorthCompiling && ++evaluations_ == kWorthCompiling) compile();
  if (program_ && run_program(t, y, memory, f)) return true;
  return interpret(t, y, memory, f);  // which also says what is wrong
}

template <int Rd>
void Tree<Rd>::keep_plain() {
  evaluations_ = kWorthCompiling;  // it has been decided
  program_.reset();
}

template <int Rd>
void Tree<Rd>::carry(Archive& archive) {
  archive(evaluations_);
  kkt_.carry(archive);
  if (archive.restores() && evaluations_ >= kWorthCompiling) compile();
}

template <int Rd>
void Tree<Rd>::compile() {
  if (!rows_.empty() || elements_.states() > 0) return;
  const bool inside = TreeProgram<Rd>::takes(elements_);
  const auto has_force = [&](int node) {
    const BodyIndex body = kernel_.nodes()[node].body;
    return std::any_of(elements_.forces().begin(), elements_.forces().end(),
                       [&](const auto& entry) {
                         return entry.element->first() == body || entry.element->second() == body;
                       });
  };
  std::vector<int> posed;
  for (const int i : watched_)
    if (!inside || has_force(i)) posed.push_back(i);
  std::vector<std::optional<double>> speed;
  for (const auto& p : kernel_.prescribed()) {
    const auto* steady = std::get_if<ConstantSpeed>(&written_.drives[p.joint][p.drive].motion);
    speed.push_back(steady ? std::optional(p.sign * steady->speed) : std::nullopt);
  }
  program_ = TreeProgram<Rd>::make({model_, topology_, kernel_, contacts_, poses_[kGround], posed,
                                    inside, drive_work_, speed, positions() + speeds()});
}

template <int Rd>
void Tree<Rd>::place_program(double t, const double* y) {
  if (program_->is_at(t, y)) return;
  set_time(t);
  placed_time_ = std::numeric_limits<double>::quiet_NaN();  // motion_ is of another instant
  program_->place(t, y, poses_);
}

template <int Rd>
bool Tree<Rd>::run_program(double t, const double* y, const double* memory, double* f) {
  double* const work = f + positions() + speeds();
  const bool contacts_outside = !program_->has_contacts();
  place_program(t, y);
  program_->clear_forces();
  gather_wrenches(t, y, memory, contacts_outside,
                  [&](FrameIndex frame, const auto& wrench) { program_->add(frame, wrench); });
  element_powers(contacts_outside, work);
  program_->touch(memory, work);
  double sum = program_->accelerate(y, f);
  for (int k = 0; k < work_size(); ++k) sum += work[k];
  return std::isfinite(sum);
}

template bool Tree<1>::derivative(double, const double*, const double*, double*);
template bool Tree<3>::derivative(double, const double*, const double*, double*);
template void Tree<1>::carry(Archive&);
template void Tree<3>::carry(Archive&);
template void Tree<1>::keep_plain();
template void Tree<3>::keep_plain();
template void Tree<1>::place_program(double, const double*);
template void Tree<3>::place_program(double, const double*);

}  // namespace freeplay::dynamics
