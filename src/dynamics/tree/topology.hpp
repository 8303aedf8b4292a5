// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_kind.hpp"
#include <freeplay/model.hpp>

#include <array>
#include <string>
#include <vector>

// The spanning tree of a mechanism: which joint carries each body, seen from the ground outward.
// Joints with clearance hold by contact and are no part of it; what else is left over closes loops.
namespace freeplay::dynamics {

/// One scalar motion of a joint of the tree: its coordinate in the model and the sign between them.
struct TreeColumn {
  Coordinate coordinate = Coordinate::angle;
  double sign = 1;
  int drive = -1;      ///< into Joint::drives; prescribed, hence no unknown
  bool named = false;  ///< is +-(a coordinate of the joint)
};

struct TreeNode {
  BodyIndex body;
  int parent = -1;       ///< node; -1: the ground
  JointIndex joint{-1};  ///< -1: a free body
  TreeKind kind = TreeKind::free;
  bool swapped = false;     ///< the joint's second body is the inner one
  Frame inboard, outboard;  ///< on the parent and on the body
  int columns = 0;
  std::array<TreeColumn, 3> column;
};

struct Topology {
  std::vector<TreeNode> nodes;  ///< parents come before their children
  std::vector<int> node_of;     ///< per body; -1: the ground
  std::vector<bool> in_tree;    ///< per joint
  int depth = 0;
  /// Drives that no column prescribes, per joint: they stay constraint rows.
  [[nodiscard]] bool prescribes(const Model& model, JointIndex joint, int drive) const;
};

/// The tree with the fewest loop rows and, among those, small depth; driven joints come first.
[[nodiscard]] Topology span_tree(const Model& model);

}  // namespace freeplay::dynamics
