// SPDX-License-Identifier: Apache-2.0
#include "study/row_motion.hpp"

#include "study/series_columns.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace freeplay::study {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

/// Between now and a turn from now; round-off does not cost a turn.
double from_now(double turn) {
  if (std::abs(turn) < 1e-9) return 0;
  return turn < 0 ? turn + 1 : turn;
}

}  // namespace

void RowMotion::begin() { start_ = assemble(model_).start; }

RunResult RowMotion::simulate(const State& from, Observer* observer, bool steps,
                              const std::atomic<bool>* enough) {
  RunOptions options;
  options.record_steps = steps;
  options.stop = enough;
  if (study_.time_limit > 0) {
    options.time_limit = study_.time_limit - used_;
    if (options.time_limit <= 0) out_of_time();
  }
  Observer* const observers[] = {observer};
  RunResult result =
      freeplay::run(model_, from, {observers, observer ? std::size_t{1} : std::size_t{0}}, options);
  used_ += result.stats.cpu_seconds;
  switch (result.status) {
    case RunStatus::done:
      break;
    case RunStatus::interrupted:
      if (!enough || !enough->load()) out_of_time();
      break;
    case RunStatus::audit_broken:
      throw Failure{RowStatus::audit_broken, result.reason};
    case RunStatus::failed:
      throw Failure{RowStatus::failed, result.reason};
  }
  return result;
}

void RowMotion::out_of_time() const {
  throw Failure{RowStatus::out_of_time,
                fmt::format("the time limit of {:g} CPU seconds is used up", study_.time_limit)};
}

Motion* RowMotion::drive() {
  for (Joint& joint : model_.joints)
    if (joint.name == study_.section->joint && !joint.drives.empty())
      return &joint.drives[0].motion;
  return nullptr;
}

double RowMotion::start_coordinate() {
  for (const Joint& joint : model_.joints)
    if (joint.name == study_.section->joint && !joint.drives.empty())
      return coordinate_of(joint, joint.drives[0].coordinate);
  return 0;
}

Clock RowMotion::clock() {
  if (by_joint()) coordinate_ = start_coordinate();
  const Section& section = *study_.section;
  const double start = model_.simulation.start;
  if (section.by == Section::By::time) return {start + section.from, section.every};
  Motion* motion = drive();
  const auto* speed = motion ? std::get_if<ConstantSpeed>(motion) : nullptr;
  const auto* sine = motion ? std::get_if<Sine>(motion) : nullptr;
  if (speed && speed->speed != 0) {
    const double period = kTurn / std::abs(speed->speed);
    double turn = std::remainder(section.angle - coordinate_, kTurn) / kTurn;
    if (speed->speed < 0) turn = -turn;
    return {start + from_now(turn) * period, period};
  }
  if (sine && sine->frequency > 0) {
    // The angle is that of the argument of the sine.
    const double period = 1 / sine->frequency;
    double turn =
        std::remainder(section.angle - sine->phase - kTurn * sine->frequency * start, kTurn) /
        kTurn;
    return {start + from_now(turn) * period, period};
  }
  throw Failure{RowStatus::bad_model,
                fmt::format("section.joint: joint {} has no drive at constant speed or by a sine; "
                            "use section = {{ series = \"joints/{}/coordinate\", level = ... }}",
                            section.joint, section.joint)};
}

void RowMotion::begin_at(double time) {
  Simulation& sim = model_.simulation;
  for (Joint& joint : model_.joints)
    for (Drive& d : joint.drives)
      if (auto* speed = std::get_if<ConstantSpeed>(&d.motion)) {
        if (speed->from_pose) {
          speed->from_pose = false;
          speed->start = coordinate_of(joint, d.coordinate);
        }
        speed->start += speed->speed * (time - sim.start);
      }
  sim.start = time;
}

double RowMotion::coordinate_of(const Joint& joint, Coordinate coordinate) {
  if (start_row_.empty()) {
    header_ = describe(model_);
    start_row_.resize(static_cast<std::size_t>(header_.width));
    observe_at(model_, start_, start_.time, start_row_);
  }
  const auto list = coordinates_of(joint.type);
  std::string path = "joints/" + joint.name + "/coordinate";
  if (list.size() > 1) path += "_" + std::string(name_of(coordinate));
  const auto column = column_of(header_, path);
  return column ? start_row_[static_cast<std::size_t>(*column)] : 0;
}

State RowMotion::advance(const State& from, double time) {
  if (time <= from.time) return from;
  model_.simulation.duration = time - model_.simulation.start;
  model_.simulation.output = model_.simulation.duration;
  State state = simulate(from, nullptr, false).final_state;
  state.time = time;  // start + duration may differ from it in the last digit
  begin_at(time);
  return state;
}

State RowMotion::settled(const Clock& look) {
  State state = advance(start_, look.first);
  coordinate_ += coordinate_change(look.first - start_.time);
  return after_transient(std::move(state), look.period);
}

State RowMotion::after_transient(State state, double period) {
  if (study_.transient == 0) return state;
  return advance(state, state.time + study_.transient * period);
}

double RowMotion::coordinate_change(double seconds) {
  if (!by_joint()) return 0;
  const auto* speed = std::get_if<ConstantSpeed>(drive());
  return speed ? speed->speed * seconds : 0;
}

State RowMotion::adopt(const Carry& carry) {
  State state = carry.state;
  state.layout = start_.layout;
  begin_at(state.time);
  if (by_joint())
    if (auto* speed = std::get_if<ConstantSpeed>(drive())) speed->start = carry.coordinate;
  coordinate_ = carry.coordinate;
  const auto system = dynamics::make_system(model_);
  state.memory[dynamics::kRedundantRows] = start_.memory[dynamics::kRedundantRows];
  system->prepare(state);
  if (!system->project(state.time, state.y.data(), state.memory.data()))
    throw Failure{RowStatus::not_assembled,
                  "the end of the row before does not fit this model: " + system->culprit()};
  restart_audit(*system, state);
  state.memory[dynamics::kEnergyScale] = 0;  // and is measured against this motion
  return state;
}

void RowMotion::restart_audit(dynamics::System& system, State& state) {
  dynamics::Snapshot snapshot;
  if (!system.snapshot(state, snapshot))
    throw Failure{RowStatus::failed, "a start between turns cannot be evaluated"};
  state.memory[dynamics::kStartEnergy] += snapshot.residual;
}

}  // namespace freeplay::study
