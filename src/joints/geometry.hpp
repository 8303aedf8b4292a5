// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/ball_bed_gap.hpp"
#include "joints/bed_gap.hpp"
#include "joints/bore_gap.hpp"
#include "joints/coordinate_stop.hpp"
#include "joints/guide_gap.hpp"
#include "joints/profile_gap.hpp"
#include "joints/radial_gap.hpp"
#include "joints/slot_gap.hpp"
#include "joints/tube_gap.hpp"
#include "laws/contact.hpp"
#include <freeplay/model.hpp>

#include <span>
#include <string_view>
#include <variant>

// Which contact geometry a joint with clearance has, and what its laws know of it.
//
//   parts of the joint type      in the plane             in space
//   ball                         RadialGap                RadialGap      ball in socket
//     worn on a bed                                       BallBedGap     elastic-foundation
//   bore                         RadialGap                BoreGap        journal in bearing
//     out of round               ProfileGap                              at the nearest points
//                                BedGap                                  elastic-foundation
//   sleeve                                                BoreGap        the same without end faces
//   guide                        GuideGap                 TubeGap        slider, box in a tube
//   slot                         SlotGap                  SlotGap        pin in straight slot
//   arc                          SlotGap                                 pin in arc slot
namespace freeplay::joints {

/// End stops of ideal joints are contacts too.
using Geometry = std::variant<RadialGap, BoreGap, GuideGap, TubeGap, SlotGap, CoordinateStop,
                              ProfileGap, BedGap, BallBedGap>;

/// Throws ModelError naming the key when the data do not fit.
[[nodiscard]] Geometry make_geometry(const Model& model, JointIndex joint);

/// The surfaces of a bearing of the plane and of its journal as they are, profiles and what is worn
/// away: how they depart from the mean circles.
struct Outlines {
  Outline bearing, journal;
  [[nodiscard]] bool round() const { return bearing.round() && journal.round(); }
};
[[nodiscard]] Outlines outlines_of(const Model& model, const Joint& joint);
/// The same with other depths worn away; empty: none.
[[nodiscard]] Outlines outlines_of(const Model& model, const Joint& joint,
                                   std::span<const double> outer_depth,
                                   std::span<const double> inner_depth);

/// Does the pressure between its parts follow the shape as it wears?
[[nodiscard]] bool follows_wear(const Model& model, const Joint& joint);

/// What the contact law of a joint with clearance may know before anything moves.
[[nodiscard]] laws::ContactSite site_of(const Model& model, const Joint& joint);

/// Force of a whole end face per depth, N/m, so that a point on it presses with
/// weight x stiffness x depth; 0 where the joint has no faces under a law of their own. Throws
/// ModelError when neither materials nor a modulus say it.
[[nodiscard]] double face_stiffness(const Model& model, const Joint& joint);

/// Names of the keys that a joint of that type has in its clearance table, for messages.
struct ClearanceKeys {
  std::string_view outer, inner;  ///< radii or widths
};
[[nodiscard]] ClearanceKeys clearance_keys(JointType type);

/// Does a joint of that type hold by contact in some geometry?
[[nodiscard]] bool takes_clearance(JointType type, bool planar);

}  // namespace freeplay::joints
