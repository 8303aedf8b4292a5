// SPDX-License-Identifier: Apache-2.0
#include "sim/itinerary.hpp"

#include "sim/engine.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeplay::sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// A step that has to end where the model says so may differ by this part of its length from the
/// one that it follows. chosen: beyond, the ways have parted
constexpr double kSameStep = 0.5;
/// An event is looked for this far from where it ought to be, in lengths of its step.
constexpr double kReach = 0.5;
/// Steps between two questions whether to go on.
constexpr std::size_t kAsk = 64;

RunOptions quiet() {
  RunOptions out;
  out.record_steps = false;
  return out;
}

/// Their kinds and places, not their times.
bool same_kind(const Event& a, const Event& b) {
  return a.kind == b.kind && a.joint == b.joint && a.contact == b.contact;
}

RunResult finished(Engine& engine) {
  if (engine.state().time < engine.end()) return engine.finish(RunStatus::failed);
  if (engine.energy_is_accounted_for()) return engine.finish(RunStatus::done);
  engine.fail_audit();
  return engine.finish(RunStatus::audit_broken);
}

[[noreturn]] void refuse_method() {
  Issue issue;
  issue.path = "simulation.integrator";
  issue.message =
      "this integrator has no steps that a neighbouring motion could follow, as gradients need";
  issue.hint = "use \"auto\", \"dop853\", \"radau\", \"rk4\" or \"heun\"";
  throw ModelError(issue);
}

}  // namespace

std::string text_of(const Event& event) {
  return fmt::format("the {} of {} at t = {:.9g} s", event.kind, event.joint, event.time);
}

// ---- the engine as one that is followed, and as one that follows

Leg Engine::leg() {
  const integrate::Integrator& step = now();
  Leg out;
  out.shape = step.shape();
  out.begin = state_.time;
  out.end = step_end_;
  out.width = step.time() - step.previous_time();
  out.stops = step.time() == stop_;
  return out;
}

void Engine::complete(Leg& leg) const {
  leg.end = state_.time;
  leg.takes_over = took_over_;
  if (!found_) return;
  leg.crossings = found_->crossings;
  leg.together = found_->together;
}

bool Engine::propose(const Leg& leg) {
  leg_ = &leg;
  const auto crosses = [&](int which) {
    return std::ranges::any_of(leg.crossings, [&](const Crossing& c) { return c.which == which; });
  };
  // One step early is no other order.
  if (strayed_ >= 0 && !crosses(strayed_))
    return fail(fmt::format("{} comes in between", event_of(strayed_)), "");
  strayed_ = -1;
  limit_ = stop_ = control_limit(next_stop());
  const double end = leg.stops ? stop_ : state_.time + leg.width;
  if (!(std::abs(end - state_.time - leg.width) <= kSameStep * leg.width))
    return fail(fmt::format("after t = {:.9g} s the model wants other steps", state_.time), "");
  const integrate::Outcome outcome = stepper_->repeat(leg.shape, end);
  if (!outcome.ok) return fail(outcome.reason, "");
  step_end_ = now().time();
  found_ = nullptr;
  if (!leg.crossings.empty() && !find_event_of(leg)) return false;
  if (leg.crossings.empty()) strayed_ = locator_->strayed(step_end_, now().state(), state_.memory);
  in_hand_ = true;
  return true;
}

bool Engine::find_event_of(const Leg& leg) {
  const auto interpolate = [&](double t, VecX& y) { look_at(t, y); };
  if (leg.shape.landed && leg.crossings.size() == 1 &&
      leg.crossings.front().which == leg.shape.landing) {
    found_ = locator_->landed(leg.crossings.front(), step_end_);
    return true;
  }
  found_ = locator_->find(leg.crossings, state_.time + (leg.end - leg.begin), kReach * leg.width,
                          state_.memory, interpolate);
  if (!found_)
    return fail(leg.crossings.size() > 1 ? "what happened at one instant comes apart"
                                         : "it does not come to that",
                "");
  step_end_ = found_->time;
  return true;
}

/// What it would be called.
std::string Engine::event_of(int which) {
  State there = state_;
  Event event;
  static_cast<void>(system_->apply_event(which, false, there));
  if (!system_->take_event(event)) return "another event";
  event.time = state_.time;
  return text_of(event);
}

// ---- the runs

RunResult keep_itinerary(const Model& model, const State& start, Itinerary& out, Sights& sights,
                         const std::function<bool()>& keep_going) {
  out = {};
  Engine engine(model, start, {}, quiet());
  std::vector<double> row(static_cast<std::size_t>(engine.header(model).width));
  State sample;
  const auto see = [&](double t) { return engine.look(t, sample) && engine.observe(sample, row); };
  if (!engine.keep_to_repeatable()) refuse_method();
  if (!engine.begin(model)) return engine.finish(RunStatus::failed);
  while (engine.state().time < engine.end()) {
    if (keep_going && out.legs.size() % kAsk == 0 && !keep_going())
      return engine.finish(RunStatus::interrupted);
    if (!engine.propose(kNever)) break;
    Leg leg = engine.leg();
    for (std::size_t n = sights.rows.size();
         n < sights.times.size() && sights.times[n] <= leg.end && see(sights.times[n]); ++n)
      sights.rows.push_back(row);
    if (leg.end >= engine.end() && see(leg.end)) sights.last = row;
    if (!engine.take()) break;
    engine.complete(leg);
    leg.first_event = out.events.size();
    leg.events = engine.events().size();
    out.events.insert(out.events.end(), engine.events().begin(), engine.events().end());
    out.legs.push_back(std::move(leg));
  }
  return finished(engine);
}

Followed follow_itinerary(
    const Model& model, const State& start, const Itinerary& way, std::span<const Look> looks,
    const std::function<void(std::size_t, double, std::span<const double>)>& see) {
  Followed out;
  Engine engine(model, start, {}, quiet());
  if (!engine.keep_to_repeatable()) refuse_method();
  std::vector<double> row(static_cast<std::size_t>(engine.header(model).width));
  State sample;
  const auto part = [&](const Leg& leg, const std::string& why) {
    const std::string reason = why.empty() ? engine.so_far().reason : why;
    out.parted = leg.events > 0 ? text_of(way.events[leg.first_event]) + ": " + reason : reason;
  };
  const auto is_as_expected = [&](const Leg& leg) {
    const std::span<const Event> happened = engine.events();
    bool same = happened.size() == leg.events;
    for (std::size_t k = 0; same && k < leg.events; ++k)
      same = same_kind(happened[k], way.events[leg.first_event + k]);
    out.events.insert(out.events.end(), happened.begin(), happened.end());
    if (same) return true;
    part(leg, happened.empty() ? "nothing comes of it"
                               : text_of(happened.front()) + " comes in its place");
    return false;
  };
  if (!engine.begin(model)) part({}, "");
  std::size_t next = 0;
  for (const Leg& leg : way.legs) {
    if (!out.parted.empty()) break;
    if (!engine.propose(leg)) {
      part(leg, "");
      break;
    }
    const double begin = engine.state().time, end = engine.step_end();
    for (; next < looks.size() && looks[next].leg == out.legs; ++next) {
      const Look& look = looks[next];
      const double t = look.by_time   ? look.at
                       : look.at == 1 ? end
                                      : begin + look.at * (end - begin);
      if (!engine.look(t, sample) || !engine.observe(sample, row)) {
        part(leg, "the state cannot be evaluated");
        break;
      }
      see(next, t, row);
    }
    if (!out.parted.empty()) break;
    if (!engine.take())
      part(leg, "");
    else if (is_as_expected(leg)) {
      ++out.legs;
      out.ends.push_back(engine.state().time);
    }
  }
  out.result = finished(engine);
  return out;
}

}  // namespace freeplay::sim
