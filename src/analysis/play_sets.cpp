// SPDX-License-Identifier: Apache-2.0
#include "analysis/play_sets.hpp"

#include "core/rotation.hpp"
#include "model/joint_types.hpp"
#include <freeplay/errors.hpp>

#include <algorithm>
#include <cmath>

namespace freeplay::analysis {
namespace {

class Builder {
 public:
  explicit Builder(const Model& model) : model_(model) {}

  void add(JointIndex index) {
    const Joint& joint = model_.joints[index];
    const Clearance& c = *joint.clearance;
    switch (kind_of(joint).play) {
      case PlayParts::ball:
        begin(joint, "radial", c.outer_radius - c.inner_radius);
        return put(index, 3, Mat3::Identity());
      case PlayParts::bore:
      case PlayParts::sleeve:
        return add_cylinder(index, joint, c);
      case PlayParts::guide:
        if (model_.planar) return add_guide(index, joint, c);
        break;
      case PlayParts::slot:
        begin(joint, "radial", c.outer_radius - c.inner_radius);
        return put(index, model_.planar ? 1 : 2, Mat3::Identity());
      case PlayParts::none:
      case PlayParts::cross:
      case PlayParts::arc:
        break;
    }
    Issue issue;
    issue.line = joint.line;
    issue.path = "joints." + joint.name + ".clearance";
    issue.message = "what this play does without dynamics is not known";
    issue.hint =
        "known is that of balls, journals, pins in straight slots and sliders in the "
        "plane; make this joint ideal with --set joints." +
        joint.name + ".clearance=false";
    throw ModelError(issue);
  }

  void add(const LooseDimension& dimension, int index) {
    out_.loose.push_back({dimension.path, "dimension", dimension.tolerance, dimension.written});
    put({}, 1, Mat3::Zero());
    out_.sets.back().dimension = index;
  }

  PlaySets done() { return std::move(out_); }

 private:
  void begin(const Joint& joint, const char* what, double size) {
    out_.loose.push_back({"joints." + joint.name + ".clearance", what, size});
  }
  /// A set of the looseness begun last.
  void put(JointIndex joint, int size, const Mat3& shift, const Mat3& turn = Mat3::Zero()) {
    PlaySet set;
    set.loose = static_cast<int>(out_.loose.size()) - 1;
    set.first = out_.numbers;
    set.size = size;
    set.radius = out_.loose.back().size;
    set.joint = joint;
    set.shift = shift;
    set.turn = turn;
    out_.numbers += size;
    out_.sets.push_back(set);
  }

  /// In the plane the centre is anywhere in a disc. In space both ends of the contact length are:
  /// where end s moves by u, the middle moves by u/2 and the axis turns by z x u/(2 s).
  void add_cylinder(JointIndex index, const Joint& joint, const Clearance& c) {
    begin(joint, model_.planar ? "radial" : "radial, at both ends",
          c.outer_radius - c.inner_radius);
    if (model_.planar) return put(index, 2, Mat3::Identity());
    const double reach = 0.5 * std::min(c.outer_length, c.inner_length);
    for (const double s : {-reach, reach}) {
      Mat3 turn = Mat3::Zero();
      turn(1, 0) = 1 / (2 * s);
      turn(0, 1) = -1 / (2 * s);
      put(index, 2, 0.5 * Mat3::Identity(), turn);
    }
    if (kind_of(joint).play == PlayParts::sleeve) return;
    begin(joint, "axial", 0.5 * std::abs(c.outer_length - c.inner_length));
    Mat3 along = Mat3::Zero();
    along(2, 0) = 1;
    put(index, 1, along);
  }

  /// Both ends of the slider move across the guide.
  void add_guide(JointIndex index, const Joint& joint, const Clearance& c) {
    begin(joint, "across, at both ends", 0.5 * (c.outer_width - c.inner_width));
    const double reach =
        0.5 * (c.outer_length > 0 ? std::min(c.outer_length, c.inner_length) : c.inner_length);
    for (const double s : {-reach, reach}) {
      Mat3 turn = Mat3::Zero();
      turn(1, 0) = 1 / (2 * s);
      put(index, 1, 0.5 * Mat3::Identity(), turn);
    }
  }

  const Model& model_;
  PlaySets out_;
};

}  // namespace

double PlaySet::variance(PlayedAt played) const {
  if (dimension >= 0) return 1.0 / 9;  // the tolerance is three standard deviations
  return played == PlayedAt::wall ? 1.0 / size : 1.0 / (size + 2);
}

PlaySets play_sets(const Model& model, const std::vector<LooseDimension>& dimensions) {
  Builder build(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (model.joints[j].clearance) build.add(static_cast<JointIndex>(j));
  for (std::size_t k = 0; k < dimensions.size(); ++k) build.add(dimensions[k], static_cast<int>(k));
  return build.done();
}

void displace(const PlaySets& play, const VecX& u, Model& ideal) {
  // Sets of one joint act on the frame as it is without any of them.
  std::vector<Vec3> shift(ideal.joints.size(), Vec3::Zero()), turn = shift;
  for (const PlaySet& set : play.sets) {
    if (set.dimension >= 0) continue;
    const auto j = static_cast<std::size_t>(set.joint);
    shift[j] += set.shift.leftCols(set.size) * u.segment(set.first, set.size);
    turn[j] += set.turn.leftCols(set.size) * u.segment(set.first, set.size);
  }
  for (std::size_t j = 0; j < ideal.joints.size(); ++j) {
    Frame& frame = ideal.joints[j].first;
    frame.point += frame.axes * shift[j];
    if (const double angle = turn[j].norm(); angle > 0)
      frame.axes = frame.axes * Eigen::AngleAxisd(angle, turn[j] / angle).toRotationMatrix();
  }
}

}  // namespace freeplay::analysis
