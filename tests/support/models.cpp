// SPDX-License-Identifier: Apache-2.0
#include "support/models.hpp"

#include "core/rotation.hpp"

namespace freeplay::testing {
namespace {

Body rod(std::string name, const Vec3& from, const Vec3& to, bool planar) {
  Body body;
  body.name = std::move(name);
  body.mass = 1;
  body.position = (from + to) / 2;
  const Vec3 along = (to - from).normalized();
  body.inertia = (to - from).squaredNorm() / 12 * (Mat3::Identity() - along * along.transpose());
  if (!planar) body.inertia += 1e-3 * along * along.transpose();
  return body;
}

/// A joint at a global point, between bodies in their written poses (all unrotated here).
Joint joint_at(const Model& model, std::string name, JointType type, BodyIndex a, BodyIndex b,
               const Vec3& at) {
  Joint joint;
  joint.name = std::move(name);
  joint.type = type;
  joint.first = {a, at - model.bodies[a].position, Mat3::Identity()};
  joint.second = {b, at - model.bodies[b].position, Mat3::Identity()};
  return joint;
}

}  // namespace

Model n_four_bar(int windows) {
  Model model;
  model.name = "N-four-bar";
  model.planar = true;
  model.gravity = {0, -9.81, 0};
  for (int i = 0; i <= windows; ++i)
    model.bodies.push_back(rod("upright" + std::to_string(i), Vec3(i, 0, 0), Vec3(i, 1, 0), true));
  for (int i = 1; i <= windows; ++i)
    model.bodies.push_back(
        rod("coupler" + std::to_string(i), Vec3(i - 1, 1, 0), Vec3(i, 1, 0), true));
  const auto upright = [](int i) { return BodyIndex(1 + i); };
  const auto coupler = [&](int i) { return BodyIndex(1 + windows + i); };
  const auto add = [&](std::string name, BodyIndex a, BodyIndex b, const Vec3& at) {
    model.joints.push_back(joint_at(model, std::move(name), JointType::revolute, a, b, at));
  };
  for (int i = 0; i <= windows; ++i)
    add("foot" + std::to_string(i), kGround, upright(i), Vec3(i, 0, 0));
  for (int i = 1; i <= windows; ++i) {
    add("left" + std::to_string(i), i == 1 ? upright(0) : coupler(i - 1), coupler(i),
        Vec3(i - 1, 1, 0));
    add("right" + std::to_string(i), coupler(i), upright(i), Vec3(i, 1, 0));
  }
  model.joints.front().start_speeds.push_back({Coordinate::angle, -1.0});
  model.simulation.duration = 10;
  model.simulation.output = 0.01;
  return model;
}

Model spherical_chain(int links) {
  Model model;
  model.name = "chain";
  model.gravity = {0, 0, -9.81};
  for (int i = 0; i < links; ++i)
    model.bodies.push_back(
        rod("link" + std::to_string(i), Vec3(i, 0, 0), Vec3(i + 1, 0, 0), false));
  for (int i = 0; i < links; ++i)
    model.joints.push_back(joint_at(model, "ball" + std::to_string(i), JointType::spherical,
                                    BodyIndex(i), BodyIndex(i + 1), Vec3(i, 0, 0)));
  return model;
}

Model clearance_chain(int links) {
  Model model = spherical_chain(links);
  model.name = "chain with play";
  for (Joint& joint : model.joints) {
    Clearance c;
    c.outer_radius = 0.010;
    c.inner_radius = 0.0098;
    c.outer = c.inner = {207e9, 0.3};
    c.contact = {"lankarani-nikravesh", {{"restitution", 0.9}}};
    c.friction = LawChoice{"tanh", {{"kinetic", 0.1}, {"v1", 1e-3}}};
    c.offset = {1.4e-4, 0, -1.5e-4};
    joint.clearance = c;
  }
  return model;
}

Model one_of_each(JointType type) {
  Model model;
  model.name = std::string(name_of(type));
  model.gravity = {0.3, -0.4, -9.81};
  const Mat3 tilt = rotation_matrix(quaternion_exp(Vec3(0.4, -0.7, 0.5)));
  Body a, b;
  a.name = "a";
  a.mass = 1.3;
  a.inertia << 0.3, 0.02, -0.01, 0.02, 0.4, 0.03, -0.01, 0.03, 0.5;
  a.position = {0.2, 0.5, -0.3};
  a.orientation = quaternion_exp(Vec3(0.3, 0.9, -0.4));
  b = a;
  b.name = "b";
  b.mass = 0.7;
  b.position = {0.9, -0.1, 0.2};
  b.orientation = quaternion_exp(Vec3(-0.8, 0.2, 0.6));
  model.bodies.push_back(a);
  model.bodies.push_back(b);
  const auto local = [&](BodyIndex i, const Vec3& at, const Mat3& axes) {
    const Mat3 R = rotation_matrix(model.bodies[i].orientation);
    return Frame{i, R.transpose() * (at - model.bodies[i].position), R.transpose() * axes};
  };
  Joint joint;
  joint.name = "joint";
  joint.type = type;
  const Vec3 at(0.5, 0.2, 0.1);
  joint.first = local(BodyIndex(1), at, tilt);
  joint.second = local(BodyIndex(2), at, tilt);
  if (type == JointType::universal) {
    Mat3 second;
    second.col(2) = tilt.col(0), second.col(0) = tilt.col(2),
    second.col(1) = tilt.col(0).cross(tilt.col(2));
    joint.second = local(BodyIndex(2), at, second);
  }
  if (type == JointType::distance) {
    joint.second = local(BodyIndex(2), Vec3(0.7, -0.2, 0.4), tilt);
    joint.length = (at - Vec3(0.7, -0.2, 0.4)).norm();
  }
  if (type == JointType::screw) joint.pitch = 0.05;
  if (type == JointType::rack) joint.pitch_radius = 0.08;
  if (type == JointType::point_on_curve)
    joint.curve = make_curve(
        {{-0.4, 0.3, -0.2}, {-0.1, 0.02, 0.1}, {0.3, 0.1, 0.2}, {0.5, 0.4, -0.1}}, false);
  model.joints.push_back(joint);
  Joint ball;
  ball.name = "ball";
  ball.type = JointType::spherical;
  ball.first = {kGround, {0.1, 0.1, 0.1}, Mat3::Identity()};
  ball.second = local(BodyIndex(1), {0.1, 0.1, 0.1}, Mat3::Identity());
  model.joints.push_back(ball);

  PointSpring spring;
  spring.first = {kGround, {0, 0, 1}, Mat3::Identity()};
  spring.second = local(BodyIndex(2), {1.1, 0.3, 0.3}, Mat3::Identity());
  spring.stiffness = 30;
  spring.damping = 2;
  spring.free_length = 0.6;
  model.forces.push_back({"spring", spring, 0});
  PointForce force;
  force.at = local(BodyIndex(1), {0.4, 0.4, 0}, Mat3::Identity());
  force.direction = {0.5, -1, 0.2};
  force.magnitude = Sine{3, 0.5, 0.2, 1};
  force.follows_body = true;
  model.forces.push_back({"force", force, 0});
  model.forces.push_back(
      {"torque", BodyTorque{BodyIndex(2), Vec3(0.1, 0.3, -0.2), Constant{2.0}, true}, 0});
  for (Coordinate c : coordinates_of(type)) {
    CoordinateSpring on;
    on.on = {JointIndex(0), c};
    on.stiffness = 5;
    on.damping = 0.3;
    on.rest = 0.1;
    model.forces.push_back({"on_" + std::string(name_of(c)), on, 0});
  }
  return model;
}

}  // namespace freeplay::testing
