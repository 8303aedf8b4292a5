// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/tree.hpp"

#include <algorithm>
#include <cmath>

// Evaluations by a program made for the mechanism, once there have been enough of them; by plain
// code before, and where there is none.
namespace freeplay::dynamics {
namespace {

// chosen: a program is made in the time of some two hundred evaluations and has won that back by
// the three hundredth, and hardly a run has less than a thousand
constexpr int kWorthCompiling = 100;

}  // namespace

template <int Rd>
bool Tree<Rd>::derivative(double t, const double* y, const double* memory, double* f) {
  if (evaluations_ < kWorthCompiling && ++evaluations_ == kWorthCompiling) compile();
  if (program_ && program_->is_whole()) {
    placed_time_ = std::numeric_limits<double>::quiet_NaN();  // motion_ is of another instant
    if (std::isfinite(program_->evaluate(t, y, memory, f))) return true;
  } else if (program_ && run_program(t, y, memory, f)) {
    return true;
  }
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
  elements_.control().carry(archive);
  if (archive.restores() && evaluations_ >= kWorthCompiling) compile();
}

template <int Rd>
void Tree<Rd>::compile() {
  if (!rows_.empty() || elements_.states() > 0) return;
  const bool inside = TreeProgram<Rd>::takes(elements_);
  const auto has_force = [&](int node) {
    const BodyIndex body = kernel_.nodes()[node].body;
    if (elements_.control().reads(body) || elements_.meshes().act_on(body)) return true;
    return std::any_of(elements_.forces().begin(), elements_.forces().end(),
                       [&](const auto& entry) {
                         return entry.element->first() == body || entry.element->second() == body;
                       });
  };
  std::vector<int> posed;
  for (const int i : watched_)
    if (!inside || has_force(i)) posed.push_back(i);
  std::vector<std::optional<ConstantSpeed>> steady;
  for (const auto& p : kernel_.prescribed()) {
    const auto* motion = std::get_if<ConstantSpeed>(&written_.drives[p.joint][p.drive].motion);
    steady.push_back(motion ? std::optional(*motion) : std::nullopt);
  }
  alone_ = inside && elements_.forces().empty() && elements_.meshes().empty() &&
           elements_.control().empty();
  program_ = TreeProgram<Rd>::make({model_, topology_, kernel_, contacts_, poses_[kGround], posed,
                                    alone_, inside, drive_work_, steady, positions() + speeds()});
}

template <int Rd>
void Tree<Rd>::place_program(double t, const double* y) {
  if (program_->is_at(t, y)) return;
  // What elements may ask of the drives is not of this instant otherwise.
  if (!alone_ || elements_.watched() > 0 || !program_->knows_drives()) set_time(t);
  placed_time_ = std::numeric_limits<double>::quiet_NaN();  // motion_ is of another instant
  program_->place(t, y, poses_);
}

template <int Rd>
bool Tree<Rd>::run_program(double t, const double* y, const double* memory, double* f) {
  double* const work = f + positions() + speeds();
  place_program(t, y);
  if (!alone_) {
    const bool contacts_outside = !program_->has_contacts();
    program_->clear_forces();
    gather_wrenches(t, y, memory, contacts_outside,
                    [&](FrameIndex frame, const auto& wrench) { program_->add(frame, wrench); });
    element_powers(contacts_outside, work);
  }
  program_->touch(memory, work);
  double sum = program_->accelerate(y, memory, f);
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
