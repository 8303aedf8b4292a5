// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/joint_friction.hpp"

#include "core/scalars.hpp"
#include "joints/choose_law.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

namespace freeplay::dynamics {

JointFriction::JointFriction(const Model& model, JointIndex index)
    : joint_(index), surfaces_(kind_of(model.joints[index]).surfaces) {
  const Joint& joint = model.joints[index];
  const freeplay::JointFriction& given = *joint.friction;
  const std::string path = "joints." + joint.name + ".friction";
  using enum Surfaces;
  const bool turns = surfaces_ == pin || surfaces_ == pin_and_slide || surfaces_ == ball;
  const bool slides = surfaces_ == slide || surfaces_ == pin_and_slide || surfaces_ == groove;
  if (surfaces_ == none)
    joints::refuse(
        joint, path,
        fmt::format("friction in a {} joint is not defined: it has no sliding surfaces of its own; "
                    "{} joints have",
                    name_of(joint.type),
                    joint_words([](const JointKind& kind) { return kind.surfaces != none; })));
  if (turns && !(given.radius > 0))
    joints::refuse(joint, path + ".radius",
                   "'radius' of the pin or ball is missing: friction turns on it");
  if (joint.clearance)
    joints::refuse(joint, path,
                   "a joint with clearance has its friction inside the clearance table");
  preload_ = given.preload;
  radius_ = given.radius;
  law_ = joints::choose_law<laws::FrictionLaw>(joint, given.law, path);
  std::visit(
      [&](const auto& law) {
        std::string why = law.conflict();
        if constexpr (requires { law.depends_on_load(); })
          if (why.empty() && law.depends_on_load())
            why =
                "its coefficient depends on the load, which in an ideal joint is a reaction that "
                "friction itself changes; give the joint a clearance, or the law another variable";
        if (!why.empty())
          joints::refuse(joint, path, fmt::format("law '{}' cannot serve here: {}", law.key, why));
        states_ = law.states;
      },
      law_);
  dry_ = joints::dry_friction(law_);
  aimless_ = joints::aimless_speed(model);
  if (surfaces_ == ball) {
    components_ = model.planar ? 1 : 3;
    return;
  }
  components_ = 0;
  if (slides) {
    coordinate_[components_] = Coordinate::displacement;
    lever_[components_++] = 1;
  }
  if (turns) {
    coordinate_[components_] = Coordinate::angle;
    lever_[components_++] = radius_;
  }
  for (int k = 0; k < components_; ++k) specs_[k] = coordinate_row(joint, coordinate_[k]);
}

void JointFriction::coordinates(const Joint& joint, const Pose<double>& p1, const Pose<double>& p2,
                                bool planar, const double* reference, double* out) const {
  const auto g = place_of(joint, p1, p2);
  for (int k = 0; k < holonomic(); ++k) {
    // In the plane an angle is known with its turns.
    const double turns = planar && is_angle(coordinate_[k]) ? 0 : reference[k];
    out[k] = coordinate_value(joint, coordinate_[k], g, planar, turns);
  }
}

double JointFriction::state_scale() const {
  return std::visit(
      []<class L>(const L& law) {
        if constexpr (L::states > 0)
          return law.deflection_scale();
        else
          return 1.0;
      },
      law_);
}

double JointFriction::bound(double speed) const {
  return std::visit([&](const auto& law) { return law.bound(speed); }, law_);
}

Vec3 JointFriction::pressing(const Vec3& reaction, const Vec3& axis) const {
  // Nothing presses along the direction of travel; a groove has no rows along it anyway.
  const bool along_axis = surfaces_ == Surfaces::slide || surfaces_ == Surfaces::pin_and_slide;
  return along_axis ? Vec3(reaction - axis * axis.dot(reaction)) : reaction;
}

template <class T>
std::array<RowValue<T>, 3> JointFriction::rows(const Joint& joint, const Pose<T>& p1,
                                               const Pose<T>& p2, bool planar) const {
  std::array<RowValue<T>, 3> out;
  if (surfaces_ == Surfaces::ball) {
    for (int k = 0; k < components_; ++k) {
      const Vec3 axis = radius_ * Vec3::Unit(planar ? 2 : k);
      out[k].phi = out[k].gamma = T(0.0);
      out[k].v1 = out[k].v2 = Vec3T<T>::Zero();
      out[k].w1 = (-axis).template cast<T>();
      out[k].w2 = axis.template cast<T>();
    }
    return out;
  }
  const auto g = place_of(joint, p1, p2);
  for (int k = 0; k < components_; ++k) {
    out[k] = evaluate_row(specs_[k], joint, g, {}, planar);
    out[k].phi = T(0.0);
    out[k].gamma *= T(lever_[k]);
    for (Vec3T<T>* v : {&out[k].v1, &out[k].w1, &out[k].v2, &out[k].w2}) *v *= T(lever_[k]);
  }
  return out;
}

template <class T>
Vec3T<T> JointFriction::slip(const std::array<RowValue<T>, 3>& rows, const Pose<T>& p1,
                             const Pose<T>& p2) const {
  Vec3T<T> out = Vec3T<T>::Zero();
  for (int k = 0; k < components_; ++k) out[k] = rate_of(rows[k], p1, p2);
  return out;
}

template <class T>
joints::FrictionAction<T> JointFriction::act(const Vec3T<T>& slip, const T& load, const T* states,
                                             double load_rate, const double* memory) const {
  const SlipMemory past = recall_slip(memory);
  if (past.sticking == joints::kSticks) return {};
  if (past.sticking == joints::kYields) return {joints::yield<T>(*dry_, load, past.slip)};
  return joints::act<T>(law_, slip, load, states, load_rate, past.slip, aimless_);
}

template std::array<RowValue<double>, 3> JointFriction::rows(const Joint&, const Pose<double>&,
                                                             const Pose<double>&, bool) const;
template std::array<RowValue<PairDual>, 3> JointFriction::rows(const Joint&, const Pose<PairDual>&,
                                                               const Pose<PairDual>&, bool) const;
template Vec3T<double> JointFriction::slip(const std::array<RowValue<double>, 3>&,
                                           const Pose<double>&, const Pose<double>&) const;
template Vec3T<PairDual> JointFriction::slip(const std::array<RowValue<PairDual>, 3>&,
                                             const Pose<PairDual>&, const Pose<PairDual>&) const;
template joints::FrictionAction<double> JointFriction::act(const Vec3T<double>&, const double&,
                                                           const double*, double,
                                                           const double*) const;
template joints::FrictionAction<PairDual> JointFriction::act(const Vec3T<PairDual>&,
                                                             const PairDual&, const PairDual*,
                                                             double, const double*) const;

}  // namespace freeplay::dynamics
