// SPDX-License-Identifier: Apache-2.0
#include "dynamics/start/written_start.hpp"
#include "sim/engine.hpp"
#include <freeplay/simulator.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace freeplay {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// An input of the model, and what it is told to follow.
struct Lead {
  std::shared_ptr<Signal> signal;
  bool drive = false;
  bool set = false;
};

}  // namespace

struct Simulator::Impl {
  Impl(const Model& given, std::span<Observer* const> observers, const RunOptions& options)
      : model(given),
        announced(&model),
        watching(observers.begin(), observers.end()),
        wishes(options) {
    take_inputs();
  }
  void start(const State& from) {
    engine.emplace(model, from, watching, wishes);
    now = engine->state().time;
    row.resize(static_cast<std::size_t>(engine->header(model).width));
    channels = engine->header(model).channels;
  }

  // ---- inputs

  /// Every input of this copy of the model gets a signal of its own.
  void take_inputs() {
    const dynamics::WrittenStart written(model);
    const auto take = [&](Motion& motion, const Motion& resolved, bool drive) {
      auto* input = std::get_if<Input>(&motion);
      if (!input) return;
      input->start = std::get<Input>(resolved).start;
      input->from_pose = false;
      auto signal = std::make_shared<Signal>();
      signal->begin = signal->end = model.simulation.start;
      signal->last = input->start;
      input->signal = signal;
      names.push_back(input->name);
      leads.push_back({std::move(signal), drive, false});
    };
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      for (std::size_t d = 0; d < model.joints[j].drives.size(); ++d)
        take(model.joints[j].drives[d].motion, written.drives[j][d].motion, true);
    for (Force& force : model.forces)
      std::visit(
          [&](auto& law) {
            if constexpr (requires { law.magnitude; }) take(law.magnitude, law.magnitude, false);
          },
          force.element);
  }
  Lead* find(std::string_view name) {
    const auto at = std::ranges::find(names, name);
    if (at != names.end()) return &leads[static_cast<std::size_t>(at - names.begin())];
    engine->fail(fmt::format("there is no input '{}'", name), "inputs() lists them");
    return nullptr;
  }
  /// What the inputs do next is known up to here.
  [[nodiscard]] double next_corner() const {
    double out = kNever;
    for (const Lead& lead : leads)
      if (lead.signal->end > engine->state().time) out = std::min(out, lead.signal->end);
    return out;
  }
  /// Ends the step under way here, for something is about to change.
  bool stop_here() {
    if (failed || !begin()) return false;
    if (engine->in_hand()) {
      // An instant so short after the last step is that of the step.
      const double t = engine->state().time;
      if (now - t > 64 * std::numeric_limits<double>::epsilon() * std::abs(now)) {
        if (!engine->take_until(now)) return fail();
      }
    }
    now = engine->state().time;
    changed = true;
    looked = false;
    return true;
  }

  // ---- time

  bool fail() {
    failed = true;
    now = engine->state().time;
    return false;
  }
  bool begin() {
    if (begun) return true;
    begun = true;
    return engine->begin(*announced) || fail();
  }
  bool propose(double target) {
    if (changed && !engine->restart()) return fail();
    changed = false;
    kept = engine->may_pass(target) && engine->can_be_saved();
    if (kept) engine->save(before);
    return engine->propose(next_corner()) || fail();
  }
  /// False: failed.
  bool take() {
    if (!engine->take()) return fail();
    now = engine->state().time;
    looked = false;
    return true;
  }
  void note_events() {
    for (const Event& event : engine->events()) {
      if (happened == events.size()) events.emplace_back();
      events[happened++] = event;
    }
  }
  Stopped go(double to, bool stop_at_events) {
    happened = 0;
    if (failed || !begin()) return Stopped::failed;
    if (!(to >= now && to <= engine->end())) {
      engine->fail(fmt::format("{:.9g} s lies outside the time that is left, {:.9g} s to {:.9g} s",
                               to, now, engine->end()),
                   "restore() goes back; the duration of the simulation sets the end");
      return Stopped::failed;
    }
    double target = to;
    if (stop_at_events)
      for (const auto& [time, period] : times)
        target = time > now ? std::min(target, time) : target;
    while (now < target) {
      if (!engine->in_hand() && !propose(target)) return Stopped::failed;
      if (engine->step_end() > target) {
        now = target;
        looked = false;
        break;
      }
      if (!take()) return Stopped::failed;
      note_events();
      if (stop_at_events && happened > 0) return Stopped::at_event;
    }
    bool due = false;
    for (auto& [time, period] : times)
      if (stop_at_events && time == now) {
        due = true;
        time = period > 0 ? time + period : -kNever;
      }
    std::erase_if(times, [](const Instant& i) { return i.time == -kNever; });
    return due ? Stopped::at_schedule : Stopped::at_time;
  }
  Stopped step() {
    happened = 0;
    if (failed || !begin()) return Stopped::failed;
    if (now >= engine->end()) {
      engine->fail(fmt::format("the simulation has ended at t = {:.9g} s", now),
                   "the duration of the simulation sets the end");
      return Stopped::failed;
    }
    if (!engine->in_hand() && !propose(kNever)) return Stopped::failed;
    if (!take()) return Stopped::failed;
    note_events();
    return Stopped::at_time;
  }

  const State& here() {
    if (!engine->in_hand() || now <= engine->state().time) return engine->state();
    if (!looked && !engine->look(now, sample)) sample = {};
    looked = true;
    return sample;
  }

  struct Instant {
    double time, period;
  };

  Model model;
  const Model* announced;  // to observers
  std::vector<Observer*> watching;
  RunOptions wishes;
  std::vector<std::string> names;
  std::vector<Lead> leads;
  std::optional<sim::Engine> engine;
  std::vector<Channel> channels;
  double now = 0;
  bool begun = false, failed = false;
  bool changed = false;  // an input has, since the last step
  bool kept = false;     // `before` is the step memory from which the step in hand was made
  bool looked = false;   // `sample` is the state at `now`
  std::vector<double> before, row;
  State sample;
  std::vector<Event> events;  // the first `happened` are of the last call
  std::size_t happened = 0;
  std::vector<Instant> times;
};

Simulator::Simulator(const Model& model, std::span<Observer* const> observers,
                     const RunOptions& options)
    : impl_(std::make_unique<Impl>(model, observers, options)) {
  impl_->start(assemble(impl_->model).start);
}
Simulator::Simulator(const Model& model, const State& start, std::span<Observer* const> observers,
                     const RunOptions& options)
    : impl_(std::make_unique<Impl>(model, observers, options)) {
  impl_->start(start);
}
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;
Simulator::~Simulator() = default;

void Simulator::announce(const Model& model) { impl_->announced = &model; }

double Simulator::time() const { return impl_->now; }
double Simulator::end() const { return impl_->engine->end(); }
Stopped Simulator::step() { return impl_->step(); }
Stopped Simulator::advance(double to) { return impl_->go(to, false); }
Stopped Simulator::advance_to_event(double to) { return impl_->go(to, true); }
void Simulator::schedule(double time, double period) { impl_->times.push_back({time, period}); }
std::span<const Event> Simulator::events() const { return {impl_->events.data(), impl_->happened}; }
const State& Simulator::state() { return impl_->here(); }
std::span<const double> Simulator::snapshot() {
  const State& here = impl_->here();
  if (here.y.size() == 0 || !impl_->engine->observe(here, impl_->row)) return {};
  return impl_->row;
}
const std::vector<Channel>& Simulator::channels() const { return impl_->channels; }
int Simulator::column(std::string_view path) const {
  for (const Channel& channel : impl_->channels) {
    if (channel.width == 1 && path == channel.path) return channel.offset;
    if (channel.width == 1 || path.size() != channel.path.size() + 2 ||
        !path.starts_with(channel.path) || path[channel.path.size()] != '.')
      continue;
    const std::string_view names = channel.width == 4 ? "wxyz" : "xyz";
    const std::size_t at = names.find(path.back());
    if (at < static_cast<std::size_t>(channel.width)) return channel.offset + static_cast<int>(at);
  }
  return -1;
}
const RunResult& Simulator::result() { return impl_->engine->so_far(); }
const std::vector<std::string>& Simulator::inputs() const { return impl_->names; }

bool Simulator::set(std::string_view name, double value) {
  Lead* lead = impl_->find(name);
  if (!lead) return false;
  Signal& signal = *lead->signal;
  if (lead->drive || !std::isfinite(value))
    return impl_->engine->fail(
        lead->drive ? fmt::format("the input '{}' drives a joint, which cannot jump", name)
                    : fmt::format("{} is not a value for the input '{}'", value, name),
        "use ramp(), with a finite value");
  if (impl_->now >= signal.end && signal.rate == 0 && signal.last == value) return true;
  if (!impl_->stop_here()) return false;
  signal = {impl_->now, impl_->now, {}, value, 0};
  return lead->set = true;
}

bool Simulator::ramp(std::string_view name, double value, double until, double rate) {
  Lead* lead = impl_->find(name);
  if (!lead) return false;
  if (!std::isfinite(value) || !std::isfinite(rate) || !(until > impl_->now) ||
      !std::isfinite(until))
    return impl_->engine->fail(
        fmt::format("the input '{}' cannot go to {} until {} s with the rate {}", name, value,
                    until, rate),
        "finite numbers, and an instant in the future");
  if (!impl_->stop_here()) return false;
  const double t = impl_->now, h = until - t;
  const Jet from = evaluate(*lead->signal, t);
  const double slope = (value - from.x) / h;
  std::array<double, 4> c{from.x, slope, 0, 0};
  if (lead->drive)  // cubic Hermite
    c = {from.x, from.dx, (3 * slope - 2 * from.dx - rate) / h,
         (from.dx + rate - 2 * slope) / (h * h)};
  *lead->signal = {t, until, c, value, rate};
  return lead->set = true;
}

Jet Simulator::input(std::string_view name) const {
  const auto at = std::ranges::find(impl_->names, name);
  if (at == impl_->names.end()) return {};
  return evaluate(*impl_->leads[static_cast<std::size_t>(at - impl_->names.begin())].signal,
                  impl_->now);
}

Saved Simulator::save() {
  Impl& me = *impl_;
  Saved out;
  sim::Engine& engine = *me.engine;
  // Without the memory from before the step in hand, or where there can be none, begin anew here.
  if (engine.in_hand() && !me.kept) static_cast<void>(me.stop_here());
  if (!engine.in_hand() && (me.changed || !engine.can_be_saved())) {
    if (!engine.restart()) static_cast<void>(me.fail());
    me.changed = false;
  }
  out.state = engine.state();
  if (engine.in_hand())
    out.state.stepping = me.before;
  else
    engine.save(out.state.stepping);
  out.time = me.now;
  for (const Lead& lead : me.leads) {
    out.inputs.push_back(*lead.signal);
    out.set.push_back(lead.set);
  }
  for (const Impl::Instant& i : me.times) {
    out.scheduled.push_back(i.time);
    out.periods.push_back(i.period);
  }
  return out;
}

bool Simulator::restore(const Saved& saved) {
  Impl& me = *impl_;
  const Layout& own = *me.engine->header(me.model).layout;
  if (!saved.state.layout || !saved.state.layout->difference(own).empty() ||
      saved.inputs.size() != me.leads.size() || saved.set.size() != me.leads.size() ||
      saved.scheduled.size() != saved.periods.size())
    return me.engine->fail("what was saved is not of this model", "");
  if (!me.watching.empty() && me.begun)
    return me.engine->fail("who observes a simulation sees its time go forward",
                           "restore into a simulator that nothing observes, or into a new one");
  if (saved.time > me.engine->end())
    return me.engine->fail(
        fmt::format("what was saved is of t = {:.9g} s, after the end at {:.9g} s", saved.time,
                    me.engine->end()),
        "a longer duration");
  for (std::size_t i = 0; i < me.leads.size(); ++i) {
    *me.leads[i].signal = saved.inputs[i];
    me.leads[i].set = saved.set[i];
  }
  try {
    me.engine->restore(saved.state);
  } catch (const std::invalid_argument& error) {
    me.failed = true;
    return me.engine->fail(error.what(), "");
  }
  me.begun = true;
  me.failed = me.changed = me.looked = false;
  me.happened = 0;
  me.now = me.engine->state().time;
  if (!me.watching.empty() && !me.engine->begin_midway(*me.announced)) return me.fail();
  me.times.clear();
  for (std::size_t i = 0; i < saved.scheduled.size(); ++i)
    me.times.push_back({saved.scheduled[i], saved.periods[i]});
  if (!(saved.time > me.now)) return true;
  if (!me.propose(saved.time)) return false;
  me.now = saved.time;
  return true;
}

RunResult Simulator::finish() {
  Impl& me = *impl_;
  if (!me.failed && me.begin() && me.engine->in_hand()) static_cast<void>(me.stop_here());
  if (me.failed) return me.engine->finish(RunStatus::failed);
  if (me.now < me.engine->end()) return me.engine->finish(RunStatus::interrupted);
  if (me.engine->energy_is_accounted_for()) return me.engine->finish(RunStatus::done);
  me.engine->fail_audit();
  return me.engine->finish(RunStatus::audit_broken);
}

RunResult Simulator::interrupt(std::string reason, std::string remedy) {
  Impl& me = *impl_;
  if (!me.failed && me.begin() && me.engine->in_hand()) static_cast<void>(me.stop_here());
  if (me.failed) return me.engine->finish(RunStatus::failed);
  me.engine->fail(std::move(reason), std::move(remedy));
  me.engine->checkpoint();
  return me.engine->finish(RunStatus::interrupted);
}

}  // namespace freeplay
