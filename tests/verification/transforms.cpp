// SPDX-License-Identifier: Apache-2.0
#include "verification/transforms.hpp"

#include "core/rotation.hpp"
#include "model/curve.hpp"
#include "model/force_parts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace freeplay::testing {
namespace {

/// A motion times a constant.
Motion scaled(Motion motion, double k) {
  struct Scale {
    double k;
    void operator()(Constant& m) const { m.value *= k; }
    void operator()(ConstantSpeed& m) const { m.speed *= k, m.start *= k; }
    void operator()(Polynomial& m) const {
      for (double& c : m.coefficients) c *= k;
    }
    void operator()(Sine& m) const { m.amplitude *= k, m.offset *= k; }
    void operator()(SmoothStep& m) const { m.from *= k, m.to *= k; }
    void operator()(Table& m) const {
      for (double& v : m.value) v *= k;
      for (double& v : m.slope) v *= k;
    }
    void operator()(Input& m) const { m.start *= k; }  // what is set later is not of the model
    void operator()(Follow&) const {}                  // signals are not scaled here
    void operator()(Formula& m) const {
      m.code.push_back({Formula::Op::number, k});
      m.code.push_back({Formula::Op::multiply, 0});
    }
  };
  std::visit(Scale{k}, motion);
  return motion;
}

void scale_table(std::optional<ForceTable>& table, double x, double force) {
  if (!table) return;
  for (double& v : table->x) v *= x;
  for (double& v : table->force) v *= force;
  for (double& v : table->slope) v *= force / x;
  for (double& v : table->area) v *= force * x;
}

/// Linear teeth without a transmission error, which would be a formula in the old unit.
void scale_teeth(Coupling& coupling, double l, double m) {
  Teeth& teeth = *coupling.teeth;
  if (teeth.contact.key != "kelvin-voigt" || teeth.error || teeth.thread)
    throw std::logic_error("no rule to scale these teeth");
  if (is_angle(coupling.second.coordinate)) teeth.pitch_radius *= l;
  teeth.backlash *= l;
  teeth.offset *= l;
  teeth.min_approach_speed *= l;
  for (auto& [key, value] : teeth.contact.parameters)
    if (key == "stiffness" || key == "damping") value *= m;
}

}  // namespace

Model moved(const Model& model, const Mat3& Q, const Vec3& d) {
  Model out = model;
  const double angle = std::atan2(Q(1, 0), Q(0, 0));
  const Vec4 q = quaternion_of(Q);
  for (std::size_t b = 1; b < out.bodies.size(); ++b) {
    Body& body = out.bodies[b];
    body.position = Q * body.position + d;
    body.orientation = quaternion_product(q, body.orientation).normalized();
    if (model.planar) body.angle += angle;
    if (body.velocity) body.velocity = Q * *body.velocity;
  }
  out.gravity = Q * out.gravity;
  const auto move = [&](Frame& frame) {  // frames on bodies are in body axes and stay
    if (frame.body != kGround) return;
    frame.point = Q * frame.point + d;
    frame.axes = Q * frame.axes;
  };
  for (Marker& marker : out.markers) move(marker.frame);
  for (Joint& joint : out.joints) move(joint.first), move(joint.second);
  for (Force& force : out.forces) {
    std::visit(
        [&]<class S>(S& s) {
          if constexpr (kBetweenPoints<S>) each_frame(s, move);
        },
        force.element);
    if (auto* f = std::get_if<PointForce>(&force.element); f && !f->follows_body)
      f->direction = Q * f->direction;
    if (auto* f = std::get_if<BodyTorque>(&force.element); f && !f->follows_body)
      f->direction = Q * f->direction;
  }
  return out;
}

Model in_units(const Model& model, double l, double m) {
  Model out = model;
  out.gravity *= l;
  for (Body& body : out.bodies) {
    body.mass *= m;
    body.inertia *= m * l * l;
    body.position *= l;
    if (body.velocity) body.velocity = *body.velocity * l;
  }
  for (Marker& marker : out.markers) marker.frame.point *= l;
  const auto unit = [&](Coordinate c) { return is_angle(c) ? 1.0 : l; };
  for (Joint& joint : out.joints) {
    joint.first.point *= l;
    joint.second.point *= l;
    joint.length *= l;
    joint.pitch *= l;
    joint.pitch_radius *= l;
    if (joint.curve) {
      std::vector<Vec3> points = joint.curve->points();
      for (Vec3& point : points) point *= l;
      joint.curve = make_curve(std::move(points), joint.curve->closed());
    }
    for (Drive& drive : joint.drives) drive.motion = scaled(drive.motion, unit(drive.coordinate));
    for (StartSpeed& start : joint.start_speeds) start.speed *= unit(start.coordinate);
  }
  for (Coupling& coupling : out.couplings) {
    coupling.ratio *= unit(coupling.second.coordinate) / unit(coupling.first.coordinate);
    if (coupling.teeth) scale_teeth(coupling, l, m);
  }
  for (Force& force : out.forces) {
    if (auto* s = std::get_if<PointSpring>(&force.element)) {
      s->first.point *= l, s->second.point *= l, s->free_length *= l;
      s->stiffness *= m, s->damping *= m, s->preload *= m * l;
      scale_table(s->table, l, m * l);
    } else if (auto* c = std::get_if<CoordinateSpring>(&force.element)) {
      const double x = unit(c->on.coordinate), effort = m * l * l / x;
      c->stiffness *= effort / x, c->damping *= effort / x, c->preload *= effort, c->rest *= x;
      scale_table(c->table, x, effort);
    } else if (auto* f = std::get_if<PointForce>(&force.element)) {
      f->at.point *= l;
      f->magnitude = scaled(f->magnitude, m * l);
    } else if (auto* t = std::get_if<BodyTorque>(&force.element)) {
      t->magnitude = scaled(t->magnitude, m * l * l);
    } else if (auto* e = std::get_if<JointEffort>(&force.element)) {
      e->magnitude = scaled(e->magnitude, m * l * l / unit(e->on.coordinate));
    } else if (auto* d = std::get_if<SeriesDamper>(&force.element)) {
      each_frame(*d, [&](Frame& frame) { frame.point *= l; });
      const JointCoordinate* on = coordinate_of(*d);
      const double x = on ? unit(on->coordinate) : l, factor = m * l * l / (x * x);
      d->damping *= factor, d->stiffness *= factor;
    }
  }
  return out;
}

Model reordered(const Model& model) {
  Model out = model;
  const int bodies = static_cast<int>(model.bodies.size()),
            joints = static_cast<int>(model.joints.size());
  const auto body = [&](BodyIndex b) { return b == kGround ? kGround : BodyIndex(bodies - b); };
  const auto joint = [&](JointIndex j) { return JointIndex(joints - 1 - j); };
  std::reverse(out.bodies.begin() + 1, out.bodies.end());
  std::reverse(out.joints.begin(), out.joints.end());
  std::reverse(out.couplings.begin(), out.couplings.end());
  std::reverse(out.forces.begin(), out.forces.end());
  for (std::size_t b = 1; b < out.bodies.size(); ++b) out.bodies[b].name = "x" + out.bodies[b].name;
  for (Marker& marker : out.markers) marker.frame.body = body(marker.frame.body);
  for (Joint& j : out.joints) {
    j.name = "x" + j.name;
    j.first.body = body(j.first.body);
    j.second.body = body(j.second.body);
  }
  for (Coupling& c : out.couplings) {
    c.name = "x" + c.name;
    c.first.joint = joint(c.first.joint);
    c.second.joint = joint(c.second.joint);
  }
  for (Force& force : out.forces) {
    force.name = "x" + force.name;
    std::visit(
        [&]<class S>(S& s) {
          each_frame(s, [&](Frame& frame) { frame.body = body(frame.body); });
          if constexpr (kOnBody<S>) s.body = body(s.body);
          if (auto* on = const_cast<JointCoordinate*>(coordinate_of(s)))
            on->joint = joint(on->joint);
        },
        force.element);
  }
  return out;
}

double unit_factor(const std::string& unit, double l, double m) {
  if (unit == "1" || unit == "rad" || unit == "rad/s" || unit == "rad/s^2") return 1;
  if (unit == "m" || unit == "m/s" || unit == "m/s^2") return l;
  if (unit == "N") return m * l;
  if (unit == "N m" || unit == "J") return m * l * l;
  throw std::invalid_argument("unknown unit " + unit);
}

}  // namespace freeplay::testing
