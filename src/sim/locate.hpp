// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.hpp"
#include "dynamics/system.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

// Events located on the dense output of a step: the first instant at which any of the system's
// event functions crosses zero, and all those that cross together with it.
//
// No crossing is lost because nobody looked: values and rates at two instants bound what a function
// does in between (enclosure.hpp), and where the bound does not exclude a crossing the interval is
// divided until it does, or until what may be left is too shallow to matter.
namespace freeplay::sim {

struct Crossing {
  int which = 0;
  bool upward = false;
  bool operator==(const Crossing&) const = default;
};
struct Found {
  double time = 0;  ///< just past the root: the function already has its new sign
  std::vector<Crossing> crossings;
  /// Others that get to their zero before those above have moved on by what counts as nothing.
  std::vector<Crossing> together;
};

class Locator {
 public:
  /// `precise`: false takes the end of the step for the instant of everything in it.
  Locator(dynamics::System& system, bool precise);
  /// Begins anew at a state: at the start, and after an event was carried out.
  void restart(const State& state);
  /// Completes what was found, for the state at that instant (which projection may have moved a
  /// little) before the crossings are carried out on it: `together`. Two parts of one joint that
  /// touch at once are one event.
  void gather(const State& state);
  /// The function that falls to zero soonest if the motion goes on as at t, for a step that ends
  /// there; -1: none does.
  struct Soonest {
    int which = -1;
    double time = 0;  ///< s
  };
  [[nodiscard]] Soonest soonest(double t) const;
  /// First event in (t0, t1], or null. `end` is the state at t1; `interpolate(t, y)` gives the
  /// dense output, and is only asked where an event is possible. `landed`: the function on whose
  /// zero the step was made to end, falling all the way; -1: none.
  const Found* first(double t0, double t1, const std::vector<double>& memory, const VecX& end,
                     int landed, const std::function<void(double, VecX&)>& interpolate);

  // For motions that follow another (itinerary.hpp), which know what to expect.
  /// These crossings near `guess`, within `reach` of it, or null; more than one only where they
  /// come together here as well.
  const Found* find(std::span<const Crossing> crossings, double guess, double reach,
                    const std::vector<double>& memory,
                    const std::function<void(double, VecX&)>& interpolate);
  /// The step ended on this one.
  const Found* landed(const Crossing& crossing, double time);
  /// A function that a step without event has taken to its other side, -1: none did.
  [[nodiscard]] int strayed(double t, const VecX& end, const std::vector<double>& memory);
  /// Saves or restores what it knows of the steps before.
  void carry(Archive& archive);

 private:
  /// All functions at one instant, and what bounds them since the instant before.
  struct Look {
    double time = 0;
    double turn = 0;                  ///< of the fastest gap; rad/s
    std::vector<double> value, rate;  ///< rate: NaN where it is not known
    std::vector<double> bend;         ///< |f''''|/4! since the last look is no more than this
    explicit Look(std::size_t n = 0) : value(n), rate(n), bend(n) {}
  };
  enum class Verdict { clear, crossing, unclear };

  /// The dense output of the step under way, as the event functions see it.
  struct Dense {
    Locator& locator;
    const std::vector<double>& memory;
    const std::function<void(double, VecX&)>& interpolate;
    [[nodiscard]] double value(std::size_t k, double t) const;  ///< on its own side
    void look(double t, Look& out) const;
  };

  bool look(double t, const VecX& y, const std::vector<double>& memory, Look& out);
  /// A distance from a centre has a corner there, its square has none: (e^2 - c^2) / 2c, which is
  /// the depth e - c where that is small.
  [[nodiscard]] double rounded(std::size_t k, double depth) const {
    if (!(round_[k] > 0)) return depth;
    const double inside = std::max(depth, -round_[k]);
    return inside * (1 + 0.5 * inside / round_[k]);
  }
  /// The function as seen from the side it is on: positive there, negative once it has crossed.
  [[nodiscard]] double own(std::size_t k, double value) const {
    return side_[k] * value + beyond_[k];
  }
  [[nodiscard]] Verdict judge(std::size_t k, const Look& left, const Look& right, bool wide,
                              double& split) const;
  bool search(int landed, const Dense& dense);
  void move_on();
  void settle(const Look& left, const Look& right, const Dense& dense);
  double just_past(std::size_t k, const Look& left, const Look& right, const Dense& dense);
  double zero_near(std::size_t k, double guess, double reach, const Dense& dense) const;
  void bound_by_last_step(Look& end) const;
  static void bound_halves(const Look& left, Look& middle, Look& right);
  [[nodiscard]] double forecast(std::size_t k, const Look& before, const Look& now) const;

  dynamics::System& system_;
  double undulations_ = 1;  // of the waviest surface: depths may turn so often in a turn
  bool precise_ = true;
  std::vector<double> noise_,
      shallow_;                 // what is rounding, and what is not worth finding; m or rad
  std::vector<double> round_;   // play c of those that are a distance from a centre; m
  std::vector<double> side_;    // +1 or -1: the sign a function has until it crosses
  std::vector<double> beyond_;  // by how much it began on the other side: that does not count
  Look older_, before_;         // starts of the last step and of this one
  Look left_, probe_, first_;   // first_: where the earliest crossing found so far is
  bool have_older_ = false, all_known_ = false;
  std::vector<Look> stack_;  // looks ahead of left_, the next one last; [0] is the end of the step
  std::vector<double> forecast_, earlier_;  // of zeros, after the last step and the one before; s
  VecX y_;
  Found found_;
};

}  // namespace freeplay::sim
