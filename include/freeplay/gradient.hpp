// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/study.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

// How what a run yields changes with numbers of its model: sensitivities of the motion through
// touches, separations, stick and slip (theory/gradients).
namespace freeplay {

struct GradientOptions {
  /// "bodies/slider/position.x" (at the end), "... at 3 ms", "max joints/pin/normal_force" (also
  /// min, range, mean, rms), "touch joints/pin" or "separation 3 joints/pin" (when).
  std::vector<std::string> of;
  std::vector<std::string> wrt;  ///< paths of the model file, as for --set
  /// Differences to both sides: twice the time, and far more digits.
  bool central = false;
  double step = 0;  ///< of each number, relative to it; 0: as fits
  int workers = 0;  ///< runs at a time; 0: one per core
  const std::atomic<bool>* stop = nullptr;
};

struct GradientVariable {
  std::string path, unit;  ///< unit: SI; "" where it depends on more than the path
  double value = 0, step = 0;
};

struct GradientOutput {
  std::string name, unit;
  double value = 0;
  std::vector<double> slope;  ///< by the variables, in SI
  std::vector<double> error;  ///< estimates of how far each is off
  std::string refused;        ///< why there are none: when and at which event trust ends
};

struct Gradient {
  std::vector<GradientVariable> variables;
  std::vector<GradientOutput> outputs;
  double trusted_until = 0;  ///< s; the end of the run, or of the last event that can be trusted
  std::string horizon;       ///< what ends it; empty: the run
  double run_seconds = 0;    ///< CPU time of the run itself, from its model to its end
  double cpu_seconds = 0;    ///< and of everything
  int neighbours = 0;        ///< runs beside it
};

/// The run itself failed, or was interrupted.
class NoGradient : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws ModelError (also for a neighbour that cannot be), AssemblyError or NoGradient.
[[nodiscard]] Gradient find_gradient(const ModelSource& model, const GradientOptions& options);

}  // namespace freeplay
