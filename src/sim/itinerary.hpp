// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/integrator.hpp"
#include "sim/locate.hpp"
#include <freeplay/model.hpp>
#include <freeplay/run.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

// How a run was made, step by step, so that neighbouring motions can be led along the same way:
// the same steps, ended by the same events, each where it happens to them. What such a run returns
// is a smooth function of the model and its start, since nothing in it chooses: differences of two
// are free of the noise of step control (internal differentiation, Bock 1981; theory/gradients).
namespace freeplay::sim {

/// One step of the way.
struct Leg {
  integrate::StepShape shape;
  double begin = 0, end = 0;  ///< of the run that was kept; s
  /// Length of the step that was cut short at its event; s.
  double width = 0;
  /// It ended where something of the model said so: a corner of a load, a sample, the end of the
  /// run. In a neighbour that may be at another time.
  bool stops = false;
  bool takes_over = false;                    ///< the implicit method, from its end on
  std::vector<Crossing> crossings, together;  ///< of the event that ended it
  std::size_t first_event = 0, events = 0;    ///< what was told of it, in Itinerary::events
};

struct Itinerary {
  std::vector<Leg> legs;
  std::vector<Event> events;
};

/// An instant of a leg at which a row is wanted.
struct Look {
  std::size_t leg = 0;
  bool by_time = false;
  double at = 1;  ///< s by time, else the share of the leg: 1 is its end, before its event
};

/// Rows that a run is asked for before it is known which leg they lie in.
struct Sights {
  std::vector<double> times;              ///< increasing; s
  std::vector<std::vector<double>> rows;  ///< at these, as far as the run got
  std::vector<double> last;               ///< at its end
};

/// Simulates the model and keeps how. Throws ModelError where its integrator has no steps to
/// follow. `keep_going`: asked now and then; false interrupts.
[[nodiscard]] RunResult keep_itinerary(const Model& model, const State& start, Itinerary& out,
                                       Sights& sights, const std::function<bool()>& keep_going);

/// How far a neighbour got on the way of another.
struct Followed {
  RunResult result;
  std::size_t legs = 0;       ///< that it followed
  std::vector<double> ends;   ///< of these; s
  std::vector<Event> events;  ///< its own, one for each of the itinerary's
  std::string parted;         ///< why no further, empty at the end of the way
  [[nodiscard]] bool arrived() const { return parted.empty(); }
};
/// `looks` in the order of their legs; `see` gets the number of each and the row there.
[[nodiscard]] Followed follow_itinerary(
    const Model& model, const State& start, const Itinerary& way, std::span<const Look> looks,
    const std::function<void(std::size_t, double, std::span<const double>)>& see);

/// "the touch of pin at t = 0.01 s"
[[nodiscard]] std::string text_of(const Event& event);

}  // namespace freeplay::sim
