// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fiber.hpp"
#include "core/lanes.hpp"
#include "integrate/integrator.hpp"
#include "integrate/lane_step.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

// Several runs on one thread. Each steps in plain code as if it were alone, on a fiber of its own;
// only trial steps of DOP853 are made together. A run that comes to one waits until all others wait
// for theirs or have ended, which is never longer than they have something to do besides. Then the
// trials of problems of one kind are made side by side, and the rest alone, each by its run.
namespace freeplay::integrate {

/// A problem as lanes see it.
struct LaneView {
  Variant* variant = nullptr;  ///< null: it is evaluated alone
  const double* memory = nullptr;
  /// weights(): 1 / (tolerance (|y| + scale)) for what moves, 1 / (tolerance energy) for the rest.
  double tolerance = 0, energy = 0;
  const double* scale = nullptr;
};

/// What problems are besides, if lanes can take them. Their projections leave no trace but in y.
class LaneProblem {
 public:
  virtual ~LaneProblem() = default;
  /// As it is now.
  [[nodiscard]] virtual LaneView in_lanes() = 0;
};

/// A trial step that lanes are to make: what Dop853::attempt() does, and going on to the new point.
struct LaneTrial {
  Problem& problem;
  LaneView view;
  const VecX& from;  ///< the state at the beginning
  VecX* slopes;      ///< along the clock: of the beginning (given) and of all stages (those before
                     ///< the last wait for fetch()), then that at the new point in time
  VecX &stage, &to, &weight;    ///< state of the last stage; new point, projected; 1/tolerances
  double x, width, origin;      ///< beginning and length by the clock, and the zero of that
  bool root;                    ///< whether the clock is the root of time
  double time;                  ///< of the new point
  double fifth = 0, third = 0;  ///< squares of the errors against orders 5 and 3
};

class LaneDriver {
 public:
  /// Calls `work` on each of kLanes fibers of this thread, or once where that brings nothing: the
  /// machine has no lanes, or the environment says FREEPLAY_LANES=0. Returns when all calls have.
  /// `work` may not throw.
  static void run(const std::function<void()>& work);
  /// That of the code that asks; null: it has its thread to itself.
  [[nodiscard]] static LaneDriver* here();

  /// Makes a trial, while others may run; the problem then knows what was found at the new point.
  /// False when its run has to make it alone.
  [[nodiscard]] bool make(LaneTrial& trial);
  /// The slopes of the stages before the last, which stay where they are until somebody asks or
  /// another method makes a trial on this fiber.
  void fetch(VecX* slopes);
  /// Nobody will ask; every method says so before its next trial and at its end.
  void forget(const VecX* slopes);

  /// Evaluates the problem of this run at kLanes points at once, as implicit methods want it for
  /// their stages: column l of f is f(t[l], column l of y). False where some of that has to be done
  /// alone.
  [[nodiscard]] bool evaluate(const Problem& problem, const LaneView& view, const double* t,
                              const double* y, double* f);

  /// How many trials were made with others.
  [[nodiscard]] std::int64_t made_together() const { return made_together_; }
  /// CPU time of the run that asks. What trials take is divided equally among those who made some.
  [[nodiscard]] double cpu_seconds();

 private:
  /// Problems that share their evaluations: the variants of one mechanism.
  struct Kind {
    std::unique_ptr<Lanes> lanes;
    LaneStep step;
    double *point = nullptr, *slope = nullptr;  // what evaluate() works on
    Fours numbers;  // all of them; what nobody writes is zero, such as powers that always are
    std::array<std::uint64_t, kLanes> inside{};
  };
  struct Seat {
    std::unique_ptr<Fiber> fiber;
    std::uint64_t variant = 0;
    Kind* kind = nullptr;        // of that variant
    LaneTrial* trial = nullptr;  // that it waits for
    bool made = false;           // what became of the last one
    VecX* slopes = nullptr;      // of the last one that was made, where they have not been fetched
    bool ended = false;
    double seconds = 0;
    std::int64_t trials = 0;  // since seconds were counted
  };

  explicit LaneDriver(const std::function<void()>& work);
  void sit(std::size_t seat, const std::function<void()>& work);
  void go_on_with(std::size_t seat, bool for_good);
  [[nodiscard]] std::size_t able() const;
  [[nodiscard]] Kind* kind_of(const Variant& variant);
  [[nodiscard]] Kind& own_kind(const Variant& variant);
  void make_all();
  void make_together(Kind& kind, unsigned seats);
  static void make_room(Kind& kind, const Problem& problem);
  static void enter(Kind& kind, std::size_t lane, const LaneTrial& trial);
  static void leave(const Kind& kind, std::size_t lane, LaneTrial& trial);
  void count_time();

  std::array<Seat, kLanes> seats_;  // the lane of a seat has its number
  std::vector<std::unique_ptr<Kind>> kinds_;
  Fiber thread_;
  std::size_t now_ = 0;  // the seat that runs
  std::int64_t made_together_ = 0;
  double counted_;  // the thread's time up to which seconds are counted
};

}  // namespace freeplay::integrate
