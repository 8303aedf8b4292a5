// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/control_laws.hpp"
#include <freeplay/model.hpp>

#include <optional>
#include <string>
#include <vector>

namespace freeplay::dynamics {

/// A signal or a controller as it is worked out: what goes in, what it keeps in the state, when its
/// output follows.
struct ControlNode {
  /// Where a number comes from: a reading, another node, or what is only known of an instant as a
  /// whole, and so only to those that sample.
  struct Source {
    enum class Kind { reading, node, recorded };
    Kind kind = Kind::reading;
    int index = 0;  ///< of the reading, the node, the column of a row
    std::string path;
  };

  std::string name, path;                 ///< path: of its records, "signals/error"
  const ControlSignal* signal = nullptr;  ///< else a controller
  std::optional<laws::ControlLaw> law;
  std::vector<Source> in;
  double filter = 0, delay = 0, period = 0, computation_delay = 0;
  std::optional<double> lower, upper;
  int state = 0, states = 0;  ///< among those of all nodes
  int stored = 0;             ///< numbers kept from sample to sample
  int channel = -1;           ///< of the history
  // Places in memory; -1: none.
  int samples = -1;  ///< samples taken, samples that took effect, output, the next one, `stored`
  int past = -1;     ///< stretch of the past that it is on, value before the start
  int limited = -1;  ///< kInside ...
  static constexpr int kTaken = 0, kInEffect = 1, kOutput = 2, kPending = 3, kStored = 4;
  static constexpr int kStretch = 0, kBefore = 1;
  static constexpr int kUnknown = 0, kInside = 1, kAbove = 2, kBelow = 3;

  [[nodiscard]] bool sampled() const { return period > 0; }
  /// Does its output depend on what goes in at that very instant?
  [[nodiscard]] bool direct() const {
    if (sampled() || filter > 0) return false;
    if (signal) return delay == 0;
    return std::visit([](const auto& l) { return l.direct(); }, *law);
  }
};

/// The nodes of a model, signals first, with the order in which they can be worked out. Throws a
/// ModelError that names a circle, or a number that nobody knows.
struct ControlNet {
  explicit ControlNet(const Model& model);

  std::vector<ControlNode> nodes;
  std::vector<std::string> readings;  ///< paths
  std::vector<int> direct;            ///< nodes of which `direct()`, each behind what it needs
  std::vector<int> order;             ///< all nodes, behind what they need as far as that goes
  [[nodiscard]] int find(std::string_view name) const;
};

}  // namespace freeplay::dynamics
