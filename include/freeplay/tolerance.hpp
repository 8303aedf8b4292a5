// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

// How far play and tolerances of dimensions let an output of a mechanism be off, without any
// dynamics: each joint with play is a massless link from the centre of its outer part to that of
// its inner one, of any direction and at most as long as the play (theory/tolerance).
namespace freeplay {

/// Where the inner part of a joint is within its play.
enum class PlayedAt {
  wall,     ///< in contact, any direction as likely as another
  anywhere  ///< any place as likely as another
};

/// A dimension that is not exact.
struct LooseDimension {
  std::string path;          ///< in the model file
  double tolerance = 0;      ///< to either side, three standard deviations; unit of the dimension
  std::string written = {};  ///< the tolerance with its unit, "0.05 mm"
};

struct ToleranceOptions {
  std::vector<std::string>
      outputs;              ///< series: "bodies/slider/position.x", "joints/guide/coordinate"
  int positions = 37;       ///< looked at, over the working range
  double from = 0, to = 0;  ///< of the drives; s. Equal: one turn of the drive, or the run
  PlayedAt played = PlayedAt::wall;
  int samples = 0;         ///< random mechanisms at the worst position; 0: none
  std::uint64_t seed = 1;  ///< of these
  std::vector<LooseDimension> dimensions;
  /// The model with its dimensions moved by so much from their stated values, in their order;
  /// needed where there are any. Not moved at all it is the model that is looked at.
  std::function<Model(std::span<const double>)> moved;
};

/// One thing that is not exact.
struct Looseness {
  std::string path;          ///< "joints.pin.clearance", "parameters.rod"
  std::string what;          ///< "radial", "at its ends", "axial", "dimension"
  double size = 0;           ///< play or tolerance to either side; m or unit of the dimension
  std::string written = {};  ///< of a dimension, with its unit
};

/// An output at one position of the drives. Errors are against the ideal mechanism there.
struct OutputError {
  double time = 0, nominal = 0;
  double low = 0, high = 0;    ///< worst cases, exact
  double linear = 0;           ///< worst case to first order, to either side
  double deviation = 0;        ///< standard deviation to first order
  std::vector<double> shares;  ///< of each looseness in `linear`
};

/// What random mechanisms do at one position.
struct SampledError {
  int samples = 0;
  double time = 0, mean = 0, deviation = 0;
  double low = 0, high = 0;  ///< between which 95 % of them are
};

struct OutputTolerance {
  std::string path, unit;
  std::vector<OutputError> at;
  std::size_t worst = 0;  ///< the position whose worst case is largest
  SampledError sampled;
};

struct Tolerances {
  std::vector<Looseness> loose;
  std::vector<OutputTolerance> outputs;
  std::vector<std::string> notes;
};

/// Throws ModelError where the method does not fit: freedoms that nothing drives, play of a kind it
/// does not know, outputs that are no position; AssemblyError where the mechanism does not close.
[[nodiscard]] Tolerances find_tolerances(const Model& model, const ToleranceOptions& options);

}  // namespace freeplay
