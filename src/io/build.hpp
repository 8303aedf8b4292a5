// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/fields.hpp"
#include "io/node.hpp"
#include <freeplay/model.hpp>
#include <freeplay/record.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

// From the checked tree to the Model: names become indices, points and axes become frames on
// bodies. Shapes and units are right by now; what is left to find out is whether the parts fit
// together. Parts of the tree that are Broken have been reported and are passed over.
namespace freeplay::io {

struct PartFile;
/// Files of flexible parts, by the name of their body.
using PartFiles = std::map<std::string, std::shared_ptr<const PartFile>>;

/// What the readers of the sections share.
struct Build {
  const Node& tree;
  Diagnostics& diagnostics;
  Model model = {};
  std::map<std::string, BodyIndex> bodies = {};
  std::map<std::string, JointIndex> joints = {};
  std::map<std::string, int> markers = {};
  std::vector<std::optional<JointType>> joint_types = {};  ///< nothing while the type is wrong
  std::vector<bool> marker_sound = {};
  std::set<std::string> inputs = {};  ///< names that are taken
  /// Signals and controllers that forces follow.
  struct Followed {
    std::string name;
    Place place;
    std::string path;
  };
  std::vector<Followed> followed = {};
  PartFiles parts = {};

  void error(Place place, std::string path, std::string message, std::string hint = {}) {
    diagnostics.error(place, std::move(path), std::move(message), std::move(hint));
  }
};

// The sections, in the order in which they need each other.
void read_mechanism(Build& build);
void read_simulation(Build& build);
/// `simulation.record` of a checked tree.
[[nodiscard]] Record read_record(const Node& tree);
void read_bodies(Build& build);
void read_markers(Build& build);
void read_joints(Build& build);
/// The imperfection of one joint, if it has one.
void read_clearance(Build& build, const Entry& entry, const std::string& joint_path, Joint& joint);
/// The parts of a universal joint with clearance: its cross goes to the bodies, two revolute joints
/// come back; none when something is wrong, which is reported.
[[nodiscard]] std::vector<Joint> split_universal(Build& build, const Entry& entry,
                                                 const Joint& whole);
/// Whether the laws chosen fit the joints they are chosen for.
void check_laws(Build& build);
/// Friction and end stops of one joint, if it has them, and whether their laws fit.
void read_imperfections(Build& build, const Entry& entry, const std::string& joint_path,
                        Joint& joint);
void check_imperfections(Build& build);
void read_couplings(Build& build);
void read_forces(Build& build);  ///< springs, forces, torques, efforts
/// Signals and controllers, and whether what forces follow exists.
void read_control(Build& build);

// ---- names

/// Index of the body that a string names; reported and nothing when there is none.
[[nodiscard]] std::optional<BodyIndex> find_body(Build& build, const Node& name,
                                                 const std::string& path);
[[nodiscard]] std::optional<int> find_marker(Build& build, const Node& name,
                                             const std::string& path);
[[nodiscard]] std::optional<JointIndex> find_joint(Build& build, const Node& name,
                                                   const std::string& path);

/// The coordinate that `wanted` names, or the only one of the joint (of that measure, unless
/// unknown).
[[nodiscard]] std::optional<Coordinate> find_coordinate(Build& build, JointType type,
                                                        const Node* wanted, Place place,
                                                        const std::string& path,
                                                        Measure measure = Measure::unknown);
/// The same for a table with the keys `joint` and `coordinate`.
[[nodiscard]] std::optional<JointCoordinate> find_joint_coordinate(Build& build, const Entry& table,
                                                                   const std::string& path);

// ---- points and directions

/// xx yy zz, or xx yy zz xy xz yz; a single number is zz.
[[nodiscard]] Mat3 read_inertia(const Node& node);

/// [x, y, z], or [x, y] with z = 0.
[[nodiscard]] Vec3 vec(const Node& list);
/// Unit vector; a zero one is reported.
[[nodiscard]] std::optional<Vec3> direction(Build& build, const Node& list,
                                            const std::string& path);

/// Columns x, y, z one after the other, which have to be a right-handed frame that maps a planar
/// mechanism to its plane; a wrong one is reported.
[[nodiscard]] std::optional<Mat3> read_frame_axes(Build& build, const Node& list,
                                                  const std::string& path);

/// What two points are mounted on: bodies, points in their frames (m), and for markers the z axes
/// given.
struct Mount {
  BodyIndex first = kGround, second = kGround;
  Vec3 first_point = Vec3::Zero(), second_point = Vec3::Zero();
  std::optional<std::pair<Vec3, Vec3>> marker_axes = {};  ///< global
};
/// From `bodies` and `at`, or `markers`. `two_points`: distance joints and springs, whose global
/// points are a pair. Mistakes are reported; nothing comes back then.
[[nodiscard]] std::optional<Mount> read_mount(Build& build, const Entry& table,
                                              const std::string& path, bool two_points);
/// Distance of the two points in the poses as written; m.
[[nodiscard]] double distance(const Model& model, const Mount& mount);

// ---- functions of time

/// One of the motion tables of drives and magnitudes. `drive`: rates must be finite as well.
[[nodiscard]] std::optional<Motion> read_motion(Build& build, const Node& table,
                                                const std::string& path, bool drive);
/// A number, or a motion table.
[[nodiscard]] std::optional<Formula> read_formula(Build& build, const Node& node,
                                                  const std::string& path, bool drive);
[[nodiscard]] std::optional<Motion> read_magnitude(Build& build, const Node& node,
                                                   const std::string& path);

/// The pairs of a table: equally many, at least two, the first strictly increasing.
[[nodiscard]] bool is_function(Build& build, const Node& x, const Node& y, const std::string& path,
                               const std::string& x_name);
[[nodiscard]] std::vector<double> numbers(const Node& list);

}  // namespace freeplay::io
