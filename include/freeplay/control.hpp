// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/motion.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Signals and controllers: numbers worked out of the motion while it goes on, which efforts, forces
// and torques follow (`Follow`). Both share one list of names. docs/theory/control.md
namespace freeplay {

/// A quantity as it is measured: a formula of what is recorded, of other signals and of time; then,
/// in this order and each only where it is asked for, a lag, a delay, sampling with noise, limits.
struct ControlSignal {
  std::string name;
  Formula formula;                 ///< of time and, as variables, of `reads`
  std::vector<std::string> reads;  ///< "joints/pin/rate", "bodies/rod/position.x", "error"
  std::string unit = "1";          ///< of the record
  double filter = 0;               ///< time constant of a first-order lag; s; 0: none
  double delay = 0;                ///< s
  double sample_time = 0;          ///< s; 0: at all times
  double noise = 0;                ///< standard deviation, one value a sample
  double seed = 1;                 ///< of the noise: a whole number
  std::optional<double> lower, upper;
  int line = 0;
};

/// A control law of the catalogue (`freeplay laws`) and what it acts on.
struct Controller {
  std::string name;
  std::string law;
  std::vector<std::pair<std::string, double>> parameters;
  /// Gains, coefficients, matrices row by row.
  std::vector<std::pair<std::string, std::vector<double>>> lists;
  std::vector<std::string> inputs;  ///< as `ControlSignal::reads`
  std::string unit = "1";           ///< of the output, for the record
  double sample_time = 0;           ///< s; 0: at all times
  double computation_delay = 0;     ///< from a sample to the output it leads to; s
  std::optional<double> lower, upper;
  int line = 0;
};

}  // namespace freeplay
