// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <stdexcept>
#include <string>
#include <vector>

// Where the parts of a joint with play would lose contact, foreseen from the reactions of the
// mechanism with ideal joints, and compared with the run in full (theory/contact_loss).
namespace freeplay {

struct ContactLossOptions {
  int positions = 720;     ///< at least so many over the run are looked at
  bool compare = true;     ///< also run the mechanism as it is, with its play
  double earles_wu = 5.0;  ///< their limit of rate over force; rad/(s N)
};

/// A joint at one instant of the ideal mechanism.
struct JointLoad {
  double time = 0;       ///< s
  double force = 0;      ///< reaction; N
  double turning = 0;    ///< rate at which its direction turns; rad/s
  double mass = 0;       ///< behind the play, along the reaction; kg
  double following = 0;  ///< turning over the pace at which play can follow it; 1
  double swerving = 0;   ///< acceleration of the direction over the same pace squared; 1
  double earles_wu = 0;  ///< turning over force; rad/(s N)
  bool lost = false;     ///< following or swerving reaches 1, or R turns round
};

/// A stretch of time in which contact is foreseen to be lost.
struct LossInterval {
  double from = 0, to = 0;  ///< s
};

struct JointContactLoss {
  std::string joint;
  double play = 0;  ///< radial; m
  std::vector<JointLoad> at;
  std::vector<LossInterval> lost;
  std::vector<LossInterval> earles_wu;  ///< where their index is beyond its limit
  int separations = 0;                  ///< of the run in full, bounces included
  int losses = 0;    ///< of these: after a contact of a quarter swing, long enough to follow
  int foreseen = 0;  ///< of the losses: within an interval, or a swing behind it
};

struct ContactLoss {
  std::vector<JointContactLoss> joints;
  std::vector<std::string> notes;  ///< what was not looked at, and where the assumption fails
  bool compared = false;
};

/// A run did not get to its end: where and why.
struct ContactLossFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws ModelError where no joint of the model has play of a kind it knows (pins and balls),
/// AssemblyError where the mechanism does not close, ContactLossFailed where the ideal mechanism
/// or the run in full does not get to its end.
[[nodiscard]] ContactLoss find_contact_loss(const Model& model,
                                            const ContactLossOptions& options = {});

}  // namespace freeplay
