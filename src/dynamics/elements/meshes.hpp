// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/element.hpp"
#include "dynamics/elements/mesh.hpp"

#include <span>
#include <vector>

// The couplings with play of a model, for either formulation. Unlike other elements a mesh sees two
// joints, and so up to four bodies.
namespace freeplay::dynamics {

class Meshes {
 public:
  using Poses = std::span<const Pose<double>>;

  /// Declares what they remember and their works.
  Meshes(const Model& model, Layout& layout);

  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] const std::vector<Mesh>& list() const { return list_; }
  /// Does one of them act on this body?
  [[nodiscard]] bool act_on(FrameIndex frame) const;
  /// visit(first joint, second joint)
  template <class Visit>
  void each_joint(Visit&& visit) const {
    for (const Mesh& mesh : list_)
      for (const JointCoordinate* on : {&mesh.first(), &mesh.second()})
        visit(model_.joints[on->joint]);
  }

  /// Both coordinates of a mesh at an instant.
  template <class T>
  struct Now {
    CoordinateNow<T> first, second;
    [[nodiscard]] MeshMotion<T> motion() const {
      return {first.value, first.rate, second.value, second.rate};
    }
  };
  /// `reference(JointCoordinate)`: the angle that a coordinate continues.
  template <class T, class Bodies, class Reference>
  [[nodiscard]] Now<T> now(const Mesh& mesh, const Bodies& poses, Reference&& reference) const {
    return {now_of<T>(mesh.first(), poses, reference), now_of<T>(mesh.second(), poses, reference)};
  }
  template <class T, class Bodies, class Reference>
  [[nodiscard]] CoordinateNow<T> now_of(const JointCoordinate& on, const Bodies& poses,
                                        Reference&& reference) const {
    const Joint& joint = model_.joints[on.joint];
    return coordinate_now<T>(model_, on, poses[static_cast<std::size_t>(joint.first.body)],
                             poses[static_cast<std::size_t>(joint.second.body)], reference(on));
  }

  template <class Reference>
  void evaluate(Poses poses, const double* memory, Reference&& reference) {
    for (std::size_t k = 0; k < list_.size(); ++k) {
      now_[k] = now<double>(list_[k], poses, reference);
      actions_[k] = list_[k].template act<double>(now_[k].motion(), memory);
    }
  }
  /// What they did at the last evaluation.
  [[nodiscard]] const std::vector<MeshAction<double>>& actions() const { return actions_; }
  [[nodiscard]] const std::vector<Now<double>>& places() const { return now_; }
  /// add(body, wrench), of the last evaluation.
  template <class Add>
  void add_wrenches(Add&& add) const {
    for (std::size_t k = 0; k < list_.size(); ++k) {
      if (actions_[k].on_first == 0 && actions_[k].on_second == 0) continue;
      push(list_[k].first(), now_[k].first.row, actions_[k].on_first, add);
      push(list_[k].second(), now_[k].second.row, actions_[k].on_second, add);
    }
  }
  /// An effort on a joint coordinate: add(body, wrench) for both bodies.
  template <class T, class Add>
  void push(const JointCoordinate& on, const RowValue<T>& row, const T& effort, Add&& add) const {
    const Joint& joint = model_.joints[on.joint];
    Wrench<T> first, second;
    add_effort(row, effort, first, second);
    add(joint.first.body, first);
    add(joint.second.body, second);
  }
  void powers(double* out) const;

  // Touches and separations of flanks as events.
  [[nodiscard]] int watches() const { return Mesh::kFlanks * static_cast<int>(list_.size()); }
  template <class Reference>
  void watch(Poses poses, Reference&& reference, double* g, double* rate) const {
    for (const Mesh& mesh : list_) {
      const auto lead = mesh.lead(now<double>(mesh, poses, reference).motion());
      for (int flank = 0; flank < Mesh::kFlanks; ++flank) {
        const auto [depth, speed] = mesh.depth(flank, lead);
        *g++ = depth;
        if (rate) *rate++ = speed;
      }
    }
  }
  [[nodiscard]] EventTrait trait(int event, const double* memory) const {
    const Mesh& mesh = mesh_of(event);
    return {mesh.side(event % Mesh::kFlanks, memory), mesh.scale(memory), 0};
  }
  /// tell(coupling, flank, approach speed) where something happens.
  template <class Reference, class Tell>
  void turn(int event, bool upward, Poses poses, Reference&& reference, double* memory,
            Tell&& tell) const {
    const Mesh& mesh = mesh_of(event);
    const int flank = event % Mesh::kFlanks;
    const MeshMotion<double> motion = now<double>(mesh, poses, reference).motion();
    if (mesh.turn(flank, upward, motion, memory))
      tell(mesh.coupling().name, flank, mesh.depth(flank, mesh.lead(motion)).second);
  }
  template <class Reference>
  void follow(Poses poses, Reference&& reference, double* memory) const {
    for (const Mesh& mesh : list_)
      mesh.follow(now<double>(mesh, poses, reference).motion(), memory);
  }

 private:
  [[nodiscard]] const Mesh& mesh_of(int event) const {
    return list_[static_cast<std::size_t>(event / Mesh::kFlanks)];
  }

  const Model& model_;
  std::vector<Mesh> list_;
  std::vector<Now<double>> now_;
  std::vector<MeshAction<double>> actions_;
};

}  // namespace freeplay::dynamics
