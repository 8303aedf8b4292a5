// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/run.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// A mechanism that moves while a program watches and acts: control loops, co-simulation, games.
//
//   Simulator simulator(load_model("crane.toml"));
//   while (simulator.time() < 2.0) {
//     simulator.set("torque", controller(simulator.snapshot()));
//     if (simulator.advance(simulator.time() + 1e-3) == Stopped::failed) break;
//   }
//
// Steps are as long as accuracy allows and do not end where a call does: what is shown there comes
// from the dense output, as exact as the run, and a motion cut into a thousand calls is the same as
// one made in one go. An input that changes ends the step under way.
namespace freeplay {

/// Why a call came back.
enum class Stopped {
  at_time,      ///< there
  at_event,     ///< touch, separation, stick, slip ...: see events()
  at_schedule,  ///< an instant that was asked for by schedule()
  failed        ///< see result().reason; the last good state stays
};

/// All that a Simulator is at an instant, as a value.
struct Saved {
  State state;  ///< at the beginning of the step under way, with its step memory
  double time = 0;
  std::vector<Signal> inputs;
  std::vector<bool> set;  ///< which of them were set at all
  std::vector<double> scheduled, periods;
};

class Simulator {
 public:
  /// From the assembled start of the model, which is copied and has to be valid (`validate`).
  /// Throws AssemblyError; ModelError where the integrator does not fit the model.
  explicit Simulator(const Model& model, std::span<Observer* const> observers = {},
                     const RunOptions& options = {});
  /// From a start of the caller's. Of the options, `stop`, `progress` and `time_limit` are for
  /// `run`, which is a loop over step().
  Simulator(const Model& model, const State& start, std::span<Observer* const> observers = {},
            const RunOptions& options = {});
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;
  ~Simulator();

  [[nodiscard]] double time() const;  ///< s
  [[nodiscard]] double end() const;   ///< of the model's simulation, which bounds time(); s

  // Nothing below throws. -----------------------------------------------------------------------

  /// To the end of a step: of the one under way, or of a new one.
  Stopped step();
  /// To an instant: not before time(), not behind end().
  Stopped advance(double to);
  /// The same, but comes back right after the first event, and at scheduled instants.
  Stopped advance_to_event(double to);
  /// An instant at which advance_to_event stops; with a `period` (s, > 0), again and again.
  void schedule(double time, double period = 0);

  /// What happened in the last call.
  [[nodiscard]] std::span<const Event> events() const;
  /// At time(); empty when it cannot be evaluated there.
  [[nodiscard]] const State& state();
  /// What the channels say at time(), one row of numbers; empty when it cannot be evaluated there.
  [[nodiscard]] std::span<const double> snapshot();
  [[nodiscard]] const std::vector<Channel>& channels() const;
  /// Where a number stands in the row: "joints/pin/coordinate", "bodies/rod/position.x"; -1: there
  /// is none.
  [[nodiscard]] int column(std::string_view path) const;
  /// Totals so far; after a failure its reason and remedy.
  [[nodiscard]] const RunResult& result();

  // ---- inputs

  /// Names in the order of the model: drives, then forces.
  [[nodiscard]] const std::vector<std::string>& inputs() const;
  /// A force, torque or effort takes this value from now on. False, and nothing happens: there is
  /// no such input, or it drives a joint, which cannot jump. Then see result().reason.
  [[nodiscard]] bool set(std::string_view input, double value);
  /// Goes to a value, reached at `until` (s) and kept from there on: forces on a straight line;
  /// drives by the cubic that begins with the present value and rate and ends with `rate` (rad/s or
  /// m/s), at which they then go on, so that velocities never jump.
  [[nodiscard]] bool ramp(std::string_view input, double value, double until, double rate = 0);
  /// What the input is now.
  [[nodiscard]] Jet input(std::string_view input) const;

  // ---- memory

  /// From it the motion goes on to the last bit as it would have. Methods whose memory cannot be
  /// saved (SUNDIALS) begin anew here.
  [[nodiscard]] Saved save();
  /// False when it is not of this model; nothing happens then. Observers are not told; counters
  /// begin anew.
  [[nodiscard]] bool restore(const Saved& saved);

  // ---- the end

  /// Closes the audit and tells the observers: done where time() has reached end() and all energy
  /// is accounted for, failed after a failure, interrupted otherwise.
  RunResult finish();
  /// The same before the end, with a checkpoint from which a run can go on.
  RunResult interrupt(std::string reason, std::string remedy);

 private:
  friend RunResult run(const Model&, const State&, std::span<Observer* const>, const RunOptions&);
  /// Observers are told of the caller's model in place of the copy.
  void announce(const Model& model);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace freeplay
