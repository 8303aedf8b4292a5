// SPDX-License-Identifier: Apache-2.0
#include "integrate/lane_driver.hpp"

#include "core/cpu_time.hpp"
#include "integrate/dop853_rows.hpp"
#include "tape/program.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

namespace freeplay::integrate {
namespace {

using dop853::kUnit;

thread_local LaneDriver* driver_here = nullptr;

// chosen: a study whose mechanisms are of more kinds than that forgets those nobody uses now.
constexpr std::size_t kMostKinds = 16;

bool wanted() {
  const char* const said = std::getenv("FREEPLAY_LANES");
  return Fiber::available() && tape::Program::packed_available() &&
         !(said && std::string_view(said) == "0");
}

constexpr unsigned bit(std::size_t lane) { return 1U << static_cast<unsigned>(lane); }

}  // namespace

LaneDriver* LaneDriver::here() { return driver_here; }

void LaneDriver::run(const std::function<void()>& work) {
  if (driver_here || !wanted()) return work();
  std::unique_ptr<LaneDriver> driver;
  try {
    driver.reset(new LaneDriver(work));
  } catch (const std::bad_alloc&) {  // for the stacks: one by one is slower, and the same
    return work();
  }
  driver_here = driver.get();
  Fiber::change(driver->thread_, *driver->seats_[0].fiber);
  driver_here = nullptr;
}

LaneDriver::LaneDriver(const std::function<void()>& work) : counted_(thread_seconds()) {
  for (std::size_t seat = 0; seat < seats_.size(); ++seat)
    seats_[seat].fiber = std::make_unique<Fiber>([this, seat, &work] { sit(seat, work); });
}

/// What a fiber does: its work, and then it lets the others come to their end.
void LaneDriver::sit(std::size_t seat, const std::function<void()>& work) {
  work();
  count_time();
  seats_[seat].ended = true;
  if (std::ranges::all_of(seats_, &Seat::ended)) Fiber::change(*seats_[seat].fiber, thread_, true);
  if (able() == seats_.size()) make_all();
  go_on_with(able(), true);
}

void LaneDriver::go_on_with(std::size_t seat, bool for_good) {
  Fiber& own = *seats_[now_].fiber;
  now_ = seat;
  Fiber::change(own, *seats_[seat].fiber, for_good);
}

/// A seat besides the one that runs that can go on; seats_.size(): all others wait or have ended.
std::size_t LaneDriver::able() const {
  std::size_t seat = 0;
  while (seat < seats_.size() && (seat == now_ || seats_[seat].ended || seats_[seat].trial)) ++seat;
  return seat;
}

LaneDriver::Kind* LaneDriver::kind_of(const Variant& variant) {
  for (const auto& kind : kinds_)
    if (kind->lanes->takes(variant)) return kind.get();
  if (kinds_.size() >= kMostKinds)
    std::erase_if(kinds_, [&](const auto& kind) {
      return std::ranges::none_of(seats_, [&](const Seat& s) { return s.kind == kind.get(); });
    });
  kinds_.push_back(std::make_unique<Kind>());
  kinds_.back()->lanes = variant.make_lanes();
  return kinds_.back().get();
}

LaneDriver::Kind& LaneDriver::own_kind(const Variant& variant) {
  Seat& own = seats_[now_];
  if (own.slopes) fetch(own.slopes);
  if (own.variant != variant.id()) {
    own.kind = kind_of(variant);
    own.variant = variant.id();
  }
  return *own.kind;
}

bool LaneDriver::evaluate(const Problem& problem, const LaneView& view, const double* t,
                          const double* y, double* f) {
  Kind& kind = own_kind(*view.variant);
  if (!kind.lanes->ready()) return false;
  if (kind.numbers.empty()) make_room(kind, problem);
  LaneStep& step = kind.step;
  double* const point = kind.point;
  double* const slope = kind.slope;
  for (long lane = 0; lane < kLanes; ++lane) {
    kind.lanes->enter(static_cast<int>(lane), *view.variant, view.memory);
    for (long i = 0; i < step.size; ++i) point[kLanes * i + lane] = y[step.size * lane + i];
  }
  Four time;
  std::copy_n(t, kLanes, time.data());
  if (step.evaluate(step.problem, time.data(), point, slope) != 0) return false;
  for (long lane = 0; lane < kLanes; ++lane)
    for (long i = 0; i < step.size; ++i) f[step.size * lane + i] = slope[kLanes * i + lane];
  return true;
}

bool LaneDriver::make(LaneTrial& trial) {
  Seat& own = seats_[now_];
  static_cast<void>(own_kind(*trial.view.variant));
  own.trial = &trial;
  ++own.trials;
  if (const std::size_t other = able(); other < seats_.size())
    go_on_with(other, false);
  else
    make_all();
  // Who goes on here has been let go on by make_all(), called by whoever waited last.
  return own.made;
}

/// All seats that have not ended wait. Afterwards none does.
void LaneDriver::make_all() {
  for (const Seat& first : seats_) {
    if (!first.trial) continue;
    unsigned together = 0;
    for (std::size_t k = 0; k < seats_.size(); ++k)
      if (seats_[k].trial && seats_[k].kind == first.kind) together |= bit(k);
    const bool pays = std::popcount(together) > 1 && first.kind->lanes->ready();
    for (std::size_t k = 0; k < seats_.size(); ++k)
      if ((together & bit(k)) != 0) seats_[k].made = pays;
    if (pays) make_together(*first.kind, together);
    for (std::size_t k = 0; k < seats_.size(); ++k)
      if ((together & bit(k)) != 0) seats_[k].trial = nullptr;
  }
}

void LaneDriver::make_together(Kind& kind, unsigned seats) {
  const auto first = static_cast<std::size_t>(std::countr_zero(seats));
  if (kind.numbers.empty()) make_room(kind, seats_[first].trial->problem);
  LaneStep& step = kind.step;
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    enter(kind, lane, *seats_[(seats & bit(lane)) != 0 ? lane : first].trial);
  unsigned bad = step.take();

  Four time;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    LaneTrial& trial = *seats_[(seats & bit(lane)) != 0 ? lane : first].trial;
    double* const to = trial.to.data();
    const auto own = static_cast<long>(lane);
    for (long i = 0, at = own; i < step.size; ++i, at += kLanes) to[i] = step.to[at];
    if (!trial.problem.project(trial.time, to)) bad |= bit(lane);
    for (long i = 0, at = own; i < step.size; ++i, at += kLanes) step.to[at] = to[i];
    time[lane] = trial.time;
  }
  bad |= step.evaluate(step.problem, time.data(), step.to, step.slope[dop853::kStages]);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if ((seats & bit(lane)) == 0) continue;
    seats_[lane].made = (bad & bit(lane)) == 0;
    if (!seats_[lane].made) continue;
    leave(kind, lane, *seats_[lane].trial);
    seats_[lane].slopes = seats_[lane].trial->slopes;
    ++made_together_;
  }
}

void LaneDriver::make_room(Kind& kind, const Problem& problem) {
  const auto up = [](long components) { return (components + kUnit - 1) / kUnit * kUnit; };
  LaneStep& step = kind.step;
  step.size = problem.size();
  step.motion = step.size - problem.quadratures();
  step.moving = up(step.motion);
  step.room = up(step.size + 1);
  constexpr int kVectors = 9;
  const auto room = static_cast<std::size_t>(step.room);
  kind.numbers.assign((kVectors + LaneStep::kSlopes) * room, Four{});
  double* next = kind.numbers.data()->data();
  const auto take = [&] { return std::exchange(next, next + kLanes * step.room); };
  for (double*& slope : step.slope) slope = take();
  for (double** vector : {&step.from, &step.scale, &step.zero, &step.stage, &step.to, &step.weight,
                          &step.error, &kind.point, &kind.slope})
    *vector = take();
  step.problem = kind.lanes.get();
  step.evaluate = [](void* lanes, const double* t, const double* y, double* f) {
    return static_cast<Lanes*>(lanes)->evaluate(*reinterpret_cast<const Four*>(t),
                                                reinterpret_cast<const Four*>(y),
                                                reinterpret_cast<Four*>(f));
  };
}

void LaneDriver::enter(Kind& kind, std::size_t lane, const LaneTrial& trial) {
  LaneStep& step = kind.step;
  const LaneView& view = trial.view;
  double* const from = step.from + lane;
  double* const slope = step.slope[0] + lane;
  for (long i = 0; i < step.size; ++i) {
    from[kLanes * i] = trial.from[i];
    slope[kLanes * i] = trial.slopes[0][i];
  }
  step.x[lane] = trial.x;
  step.width[lane] = trial.width;
  step.origin[lane] = trial.origin;
  step.root[lane] = trial.root ? 1 : 0;
  step.tolerance[lane] = view.tolerance;
  step.energy[lane] = view.energy;
  kind.lanes->enter(static_cast<int>(lane), *view.variant, view.memory);
  if (std::exchange(kind.inside[lane], view.variant->id()) == view.variant->id()) return;
  double* const scale = step.scale + lane;
  for (long i = 0; i < step.motion; ++i) scale[kLanes * i] = view.scale[i];
}

void LaneDriver::leave(const Kind& kind, std::size_t lane, LaneTrial& trial) {
  const LaneStep& step = kind.step;
  constexpr int kLast = dop853::kStages - 1, kThere = dop853::kStages;
  double* const last = trial.slopes[kLast].data();
  double* const there = trial.slopes[kThere].data();
  double* const stage = trial.stage.data();
  double* const weight = trial.weight.data();
  for (long i = 0, at = static_cast<long>(lane); i < step.size; ++i, at += kLanes) {
    last[i] = step.slope[kLast][at];
    there[i] = step.slope[kThere][at];
    stage[i] = step.stage[at];
    weight[i] = step.weight[at];
  }
  // Now, since others may evaluate before that run goes on.
  kind.lanes->tell(static_cast<int>(lane), *trial.view.variant, trial.time, trial.to.data());
  trial.fifth = step.fifth[lane];
  trial.third = step.third[lane];
}

void LaneDriver::fetch(VecX* slopes) {
  Seat& own = seats_[now_];
  if (own.slopes != slopes) return;
  own.slopes = nullptr;
  const LaneStep& step = own.kind->step;
  for (int s = 1; s < dop853::kStages - 1; ++s)
    for (long i = 0, at = static_cast<long>(now_); i < step.size; ++i, at += kLanes)
      slopes[s][i] = step.slope[s][at];
}

void LaneDriver::forget(const VecX* slopes) {
  if (seats_[now_].slopes == slopes) seats_[now_].slopes = nullptr;
}

double LaneDriver::cpu_seconds() {
  count_time();
  return seats_[now_].seconds;
}

/// Asking the system is dear, so it is asked when somebody wants to know.
void LaneDriver::count_time() {
  const double now = thread_seconds(), passed = now - std::exchange(counted_, now);
  std::int64_t all = 0;
  for (const Seat& seat : seats_) all += seat.trials;
  if (all == 0) seats_[now_].seconds += passed;
  for (Seat& seat : seats_)
    if (const auto own = std::exchange(seat.trials, 0); own > 0)
      seat.seconds += passed * static_cast<double>(own) / static_cast<double>(all);
}

}  // namespace freeplay::integrate
