// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_kind.hpp"
#include "model/joint_kinematics.hpp"

// The words in which joint types list their rows.
namespace freeplay {

class RowList {
 public:
  RowList(const Joint& joint, bool planar, double length_scale)
      : joint_(joint), planar_(planar), L_(length_scale) {}

  /// The joint points coincide.
  RowList& points() {
    constexpr const char* labels[] = {"position x", "position y", "position z"};
    for (int k = 0; k < (planar_ ? 2 : 3); ++k) {
      RowSpec& row = add(RowSpec::Kind::point, labels[k], L_);
      row.component = k;
    }
    return *this;
  }
  /// The second point lies in the plane normal to axis `k` of the first frame.
  RowList& within(int k, const char* label) {
    add(RowSpec::Kind::dot_distance, label, L_).a = joint_.first.axes.col(k);
    return *this;
  }
  /// Axis `k` of the first frame is normal to axis `l` of the second.
  RowList& normal(int k, int l, const char* label) {
    RowSpec& row = add(RowSpec::Kind::dot_axes, label, 1);
    row.a = joint_.first.axes.col(k);
    row.b = joint_.second.axes.col(l);
    return *this;
  }
  /// z axes parallel: the first's z normal to x and y of the second.
  RowList& parallel() { return normal(2, 0, "axis").normal(2, 1, "axis"); }
  RowList& no_turn() { return normal(0, 1, "rotation"); }
  RowSpec& add(RowSpec::Kind kind, const char* label, double scale) {
    RowSpec& row = rows_.emplace_back();
    row.kind = kind;
    row.scale = scale;
    row.label = label;
    return row;
  }
  /// One of the type's own rows.
  RowList& own(int component, const char* label) {
    add(RowSpec::Kind::own, label, L_).component = component;
    return *this;
  }
  /// The list is complete.
  std::vector<RowSpec> done() { return std::move(rows_); }

 private:
  const Joint& joint_;
  bool planar_;
  double L_;
  std::vector<RowSpec> rows_;
};

}  // namespace freeplay
