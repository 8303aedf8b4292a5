// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/row.hpp"
#include <freeplay/model.hpp>

#include <optional>
#include <vector>

// One simulated cycle of a mechanism that wears, with its surfaces as they are by then.
namespace freeplay::study {

/// A surface that wears, and where its depths lie among those of the whole mechanism.
struct WornPart {
  std::size_t joint = 0;  ///< of the model
  bool outer = true;
  std::size_t first = 0, cells = 0;
  double cell_area = 0;    ///< m^2
  double coefficient = 0;  ///< 1/Pa
};

/// What a joint showed in the cycle.
struct CycleOfJoint {
  double peak_force = 0;                      ///< N
  double slip = 0;                            ///< path of the surfaces over each other; m
  double volume_outer = 0, volume_inner = 0;  ///< per cycle; m^3
  double load_ratio = 1;
};

struct Cycle {
  VecX rates;                        ///< depth per cycle, of every cell of every part; m
  std::vector<CycleOfJoint> joints;  ///< those that wear
  double scatter = 0;                ///< of the worn volume from cycle to cycle, over its mean
  State end;
};

class WearingMechanism {
 public:
  /// `time_limit`: CPU seconds for everything until time is renewed; 0: none.
  WearingMechanism(Model model, StudyLife life, double time_limit);

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const StudyLife& life() const { return life_; }
  [[nodiscard]] const std::vector<std::size_t>& joints() const { return joints_; }
  [[nodiscard]] const std::vector<WornPart>& parts() const { return parts_; }
  /// Depths as the model has them.
  [[nodiscard]] const VecX& start() const { return start_; }
  /// Stiffness of the bed of a joint; Pa/m. 0: it has none.
  [[nodiscard]] double modulus(std::size_t joint) const { return modulus_[joint]; }
  /// Clearance that is left of a joint with these depths: as made, and what both parts have lost
  /// where they have lost most; m.
  [[nodiscard]] double clearance(std::size_t joint, const VecX& depth) const;

  /// Runs on from `from`, or from the start of the model. Failures are a row's: see RowOutcome.
  [[nodiscard]] std::optional<Cycle> run(const VecX& depth, const Carry* from, RowOutcome& failure);
  void renew_time() { used_ = 0; }
  [[nodiscard]] std::uint64_t layout() const { return layout_->digest(); }

 private:
  [[nodiscard]] State begin(const VecX& depth, const Carry* from) const;
  /// Puts the depths into the record of the state, where wear begins to be counted.
  void put_depths(const VecX& depth, State& state) const;

  Model model_;
  StudyLife life_;
  double time_limit_, used_ = 0;  // CPU seconds
  std::vector<std::size_t> joints_;
  std::vector<WornPart> parts_;
  std::vector<double> modulus_, play_;
  VecX start_;
  std::shared_ptr<const Layout> layout_;
};

}  // namespace freeplay::study
