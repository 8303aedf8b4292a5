// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"
#include "io/start.hpp"
#include "kept_run.hpp"
#include "model.hpp"
#include "result.hpp"
#include <freeplay/simulator.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>

// The mechanism that a Python program steps: control loops, learning, co-simulation.
namespace freeplay::python {
namespace {

const char* name_of(Stopped stopped) {
  switch (stopped) {
    case Stopped::at_time:
      return "time";
    case Stopped::at_event:
      return "event";
    case Stopped::at_schedule:
      return "schedule";
    case Stopped::failed:
      break;
  }
  return "failed";
}

class Stepped {
 public:
  Stepped(const ReadyModel& ready, bool record)
      : model_(ready.model),
        kept_(record ? std::make_shared<KeptRun>(ready.model, KeptRun::Options{}) : nullptr) {
    if (kept_) observers_.push_back(kept_.get());
    const py::gil_scoped_release released;
    simulator_.emplace(*model_, io::assemble_start(*model_).start, observers_);
  }

  /// Nothing else is done with it at the same time.
  class Turn {
   public:
    explicit Turn(Stepped& of) : of_(of) {
      if (of.finished_) throw py::value_error("the simulation has been finished");
      if (of.busy_.exchange(true))
        throw std::runtime_error("another thread is working with this simulator");
    }
    ~Turn() { of_.busy_ = false; }
    Turn(const Turn&) = delete;
    Simulator* operator->() { return &*of_.simulator_; }

   private:
    Stepped& of_;
  };
  Turn turn() { return Turn(*this); }

  /// In pieces of some milliseconds, which change nothing of the motion, so that Ctrl-C is heard.
  std::string advance(double to, bool stop_at_events) {
    Turn turn(*this);
    happened_.clear();
    for (;;) {
      const double now = turn->time();
      // The first piece says how fast it goes.
      const double ahead = pace_ > 0 ? pace_ : 1e-4 * model_->simulation.duration;
      const double piece = to > now ? std::min(to, now + ahead) : to;
      const auto begin = std::chrono::steady_clock::now();
      Stopped stopped;
      {
        const py::gil_scoped_release released;
        stopped = stop_at_events ? turn->advance_to_event(piece) : turn->advance(piece);
      }
      const auto events = turn->events();
      happened_.insert(happened_.end(), events.begin(), events.end());
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      const double moved = turn->time() - now;
      if (moved > 0) pace_ = moved * std::clamp(kPiece / std::max(took.count(), 1e-6), 0.1, 1e4);
      if (stopped == Stopped::failed) fail(turn);
      if (stopped != Stopped::at_time || turn->time() >= to) return name_of(stopped);
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  }
  std::string step() {
    Turn turn(*this);
    Stopped stopped;
    {
      const py::gil_scoped_release released;
      stopped = turn->step();
    }
    const auto events = turn->events();
    happened_.assign(events.begin(), events.end());
    if (stopped == Stopped::failed) fail(turn);
    return name_of(stopped);
  }
  void set(const std::string& input, double value) {
    Turn turn(*this);
    if (!turn->set(input, value)) fail(turn);
  }
  void ramp(const std::string& input, double value, double until, double rate) {
    Turn turn(*this);
    if (!turn->ramp(input, value, until, rate)) fail(turn);
  }
  py::array_t<double> snapshot() {
    Turn turn(*this);
    const auto row = turn->snapshot();
    if (row.empty()) fail(turn);
    return py::array_t<double>(static_cast<py::ssize_t>(row.size()), row.data());
  }
  double value(int column) {
    Turn turn(*this);
    const auto row = turn->snapshot();
    if (row.empty()) fail(turn);
    return row[static_cast<std::size_t>(column)];
  }
  void restore(const Saved& saved) {
    Turn turn(*this);
    if (!turn->restore(saved)) fail(turn);
    happened_.clear();
  }
  py::object finish() {
    Turn turn(*this);
    {
      const py::gil_scoped_release released;
      (void)turn->finish();
    }
    finished_ = true;
    return kept_ ? py::cast(MemoryResult{kept_}) : py::none();
  }
  [[nodiscard]] const std::vector<Event>& happened() const { return happened_; }

 private:
  static constexpr double kPiece = 0.02;  // s of computing

  [[noreturn]] static void fail(Turn& turn) {
    const RunResult& r = turn->result();
    const std::string text = r.reason + (r.remedy.empty() ? "" : "; " + r.remedy);
    const py::object type = py::module_::import("freeplay._errors").attr("SimulationError");
    PyErr_SetString(type.ptr(), text.c_str());
    throw py::error_already_set();
  }

  std::shared_ptr<const Model> model_;
  std::shared_ptr<KeptRun> kept_;
  std::vector<Observer*> observers_;
  std::optional<Simulator> simulator_;
  std::atomic<bool> busy_{false};
  bool finished_ = false;
  double pace_ = 0;  // simulated seconds that take kPiece
  std::vector<Event> happened_;
};

// ---- what was saved, as plain values

py::tuple tuple_of(const Saved& saved) {
  const State& s = saved.state;
  std::vector<double> signals;
  for (const Signal& x : saved.inputs)
    signals.insert(signals.end(), {x.begin, x.end, x.c[0], x.c[1], x.c[2], x.c[3], x.last, x.rate});
  const std::vector<double> y(s.y.data(), s.y.data() + s.y.size());
  return py::make_tuple(s.time, y, s.memory, s.stepping, saved.time, signals, saved.set,
                        saved.scheduled, saved.periods, s.layout ? s.layout->digest() : 0);
}

/// `layout`: of the model it is for.
Saved saved_of(const py::tuple& t, const std::shared_ptr<const Layout>& layout) {
  if (t.size() != 10) throw py::value_error("this is not what a simulator saved");
  if (t[9].cast<std::uint64_t>() != layout->digest())
    throw py::value_error("what was saved is not of this model");
  Saved out;
  out.state.time = t[0].cast<double>();
  const auto y = t[1].cast<std::vector<double>>();
  out.state.y = Eigen::Map<const VecX>(y.data(), static_cast<Eigen::Index>(y.size()));
  out.state.memory = t[2].cast<std::vector<double>>();
  out.state.stepping = t[3].cast<std::vector<double>>();
  out.state.layout = layout;
  out.time = t[4].cast<double>();
  const auto signals = t[5].cast<std::vector<double>>();
  for (std::size_t i = 0; i + 8 <= signals.size(); i += 8)
    out.inputs.push_back({signals[i],
                          signals[i + 1],
                          {signals[i + 2], signals[i + 3], signals[i + 4], signals[i + 5]},
                          signals[i + 6],
                          signals[i + 7]});
  out.set = t[6].cast<std::vector<bool>>();
  out.scheduled = t[7].cast<std::vector<double>>();
  out.periods = t[8].cast<std::vector<double>>();
  return out;
}

}  // namespace

void bind_simulator(py::module_& module) {
  py::class_<Stepped>(module, "Stepped", "A mechanism that a program steps.")
      .def(py::init<const ReadyModel&, bool>(), py::arg("model"), py::arg("record"))
      .def("time", [](Stepped& s) { return s.turn()->time(); })
      .def("end", [](Stepped& s) { return s.turn()->end(); })
      .def("advance", &Stepped::advance, py::arg("to"), py::arg("stop_at_events"))
      .def("step", &Stepped::step)
      .def(
          "schedule",
          [](Stepped& s, double time, double period) { s.turn()->schedule(time, period); },
          py::arg("time"), py::arg("period"))
      .def("events", [](const Stepped& s) { return columns_of(s.happened()); })
      .def("snapshot", &Stepped::snapshot)
      .def("value", &Stepped::value, py::arg("column"))
      .def(
          "column", [](Stepped& s, const std::string& path) { return s.turn()->column(path); },
          py::arg("path"))
      .def("channels",
           [](Stepped& s) {
             py::list out;
             for (const Channel& c : s.turn()->channels())
               out.append(py::make_tuple(c.path, c.unit, c.long_name, c.frame, c.width, c.offset));
             return out;
           })
      .def("inputs", [](Stepped& s) { return s.turn()->inputs(); })
      .def(
          "input",
          [](Stepped& s, const std::string& name) {
            const Jet jet = s.turn()->input(name);
            return py::make_tuple(jet.x, jet.dx, jet.ddx);
          },
          py::arg("name"))
      .def("set", &Stepped::set, py::arg("input"), py::arg("value"))
      .def("ramp", &Stepped::ramp, py::arg("input"), py::arg("value"), py::arg("until"),
           py::arg("rate"))
      .def("save", [](Stepped& s) { return tuple_of(s.turn()->save()); })
      .def(
          "restore",
          [](Stepped& s, const py::tuple& saved) {
            const auto layout = s.turn()->state().layout;
            s.restore(saved_of(saved, layout));
          },
          py::arg("saved"))
      .def("total", [](Stepped& s) { return dict_of(s.turn()->result()); })
      .def("finish", &Stepped::finish);
}

}  // namespace freeplay::python
