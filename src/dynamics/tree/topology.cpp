// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/topology.hpp"

#include "dynamics/constraints/constraint_rows.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

namespace freeplay::dynamics {
namespace {

bool can_carry(const Joint& joint) { return !holds_by_force(joint) && kind_of(joint).carries; }

TreeKind carrier_of(const Joint& joint, bool planar_mechanism) {
  const JointKind& kind = kind_of(joint);
  return planar_mechanism && joint.drives.empty() && kind.carries_in_plane ? *kind.carries_in_plane
                                                                           : *kind.carries;
}

void list_columns(TreeNode& node, const Joint& joint) {
  using enum Coordinate;
  // The joint seen from its second body is a joint of the same type with its coordinates negated.
  // A universal joint also swaps its two; the shifts of a planar one are measured in other axes.
  const double sign = node.swapped ? -1 : 1;
  const auto add = [&](Coordinate c, bool named = true) {
    TreeColumn& column = node.column[node.columns++];
    column = {c, sign, -1, named};
    for (std::size_t d = 0; named && d < joint.drives.size(); ++d)
      if (joint.drives[d].coordinate == c) column.drive = static_cast<int>(d);
  };
  switch (node.kind) {
    case TreeKind::revolute:
    case TreeKind::screw:
      add(angle);
      break;
    case TreeKind::prismatic:
      add(displacement);
      break;
    case TreeKind::cylindrical:
      add(angle);
      add(displacement);
      break;
    case TreeKind::universal:
      add(node.swapped ? universal_second : angle);
      add(node.swapped ? angle : universal_second);
      break;
    case TreeKind::planar:
      add(angle);
      add(displacement_x, !node.swapped);
      add(displacement_y, !node.swapped);
      break;
    case TreeKind::fixed:
    case TreeKind::ball:
    case TreeKind::free:
      break;
  }
}

}  // namespace

bool Topology::prescribes(const Model& model, JointIndex joint, int drive) const {
  if (!in_tree[joint]) return false;
  for (const Frame* f : {&model.joints[joint].first, &model.joints[joint].second}) {
    if (f->body == kGround) continue;
    const TreeNode& node = nodes[node_of[f->body]];
    if (node.joint != joint) continue;
    for (int c = 0; c < node.columns; ++c)
      if (node.column[c].drive == drive) return true;
  }
  return false;
}

Topology span_tree(const Model& model) {
  Topology out;
  const int bodies = static_cast<int>(model.bodies.size());
  out.node_of.assign(bodies, -1);
  out.in_tree.assign(model.joints.size(), false);
  std::vector<std::vector<JointIndex>> at(bodies);
  std::vector<int> worth(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!can_carry(joint)) continue;
    at[joint.first.body].push_back(static_cast<JointIndex>(j));
    at[joint.second.body].push_back(static_cast<JointIndex>(j));
    // Rows the joint would cost as the closure of a loop; a drive weighs more than any of them.
    worth[j] =
        static_cast<int>(rows_of(joint, model.planar, 1).size()) + (joint.drives.empty() ? 0 : 100);
  }
  // Prim's algorithm: always the joint worth most, then the one nearest to the ground, then the one
  // between the heaviest bodies, and only then the first in the file: the order in which a
  // mechanism is written down shall not decide where its loops are cut.
  std::vector<int> depth(bodies, -1);
  using Edge = std::tuple<int, int, double, int, BodyIndex>;  // worth, -depth, mass, -joint, outer
  std::priority_queue<Edge> edges;
  const auto reach = [&](BodyIndex body, int level) {
    depth[body] = level;
    out.depth = std::max(out.depth, level);
    for (JointIndex j : at[body]) {
      const Joint& joint = model.joints[j];
      const BodyIndex other = joint.first.body == body ? joint.second.body : joint.first.body;
      const double mass = model.bodies[body].mass + model.bodies[other].mass;
      if (depth[other] < 0) edges.emplace(worth[j], -(level + 1), mass, -j, other);
    }
  };
  const auto grow = [&] {
    while (!edges.empty()) {
      const auto [w, level, mass, j, body] = edges.top();
      edges.pop();
      if (depth[body] >= 0) continue;
      const Joint& joint = model.joints[-j];
      TreeNode node;
      node.body = body;
      node.joint = JointIndex(-j);
      node.swapped = joint.first.body == body;
      node.inboard = node.swapped ? joint.second : joint.first;
      node.outboard = node.swapped ? joint.first : joint.second;
      node.parent = out.node_of[node.inboard.body];
      node.kind = carrier_of(joint, model.planar);
      list_columns(node, joint);
      out.in_tree[-j] = true;
      out.node_of[body] = static_cast<int>(out.nodes.size());
      out.nodes.push_back(node);
      reach(body, -level);
    }
  };
  reach(kGround, 0);
  grow();
  // Parts of the mechanism that only contacts, links or nothing hold: their best connected body is
  // free.
  std::vector<BodyIndex> roots;
  for (BodyIndex b(1); b < bodies; ++b) roots.push_back(b);
  std::stable_sort(roots.begin(), roots.end(),
                   [&](BodyIndex a, BodyIndex b) { return at[a].size() > at[b].size(); });
  for (BodyIndex root : roots) {
    if (depth[root] >= 0) continue;
    TreeNode node;
    node.body = root;
    out.node_of[root] = static_cast<int>(out.nodes.size());
    out.nodes.push_back(node);
    reach(root, 1);
    grow();
  }
  return out;
}

}  // namespace freeplay::dynamics
