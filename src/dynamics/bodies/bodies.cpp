// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/bodies.hpp"

#include "core/views.hpp"
#include "model/force_parts.hpp"

namespace freeplay::dynamics {
namespace {

/// visit(frame) for every frame of a model that something is fixed to.
template <class Visit>
void each_frame(Model& model, Visit&& visit) {
  for (Joint& joint : model.joints) visit(joint.first), visit(joint.second);
  for (Marker& marker : model.markers) visit(marker.frame);
  for (Force& force : model.forces)
    std::visit([&](auto& s) { freeplay::each_frame(s, visit); }, force.element);
}

}  // namespace

Bodies::Bodies(const Model& model, const MakeBody& make) : model_(model) {
  const int moving = static_cast<int>(model.bodies.size()) - 1;
  owners_.resize(model.bodies.size());
  bool rigid = true;
  for (int b = 0; b < moving; ++b) {
    Entry entry;
    entry.body = make(model, BodyIndex(b + 1));
    entry.deforming = dynamic_cast<DeformingBody*>(entry.body.get());
    entry.q = positions_;
    entry.v = velocities_;
    rigid = rigid && !entry.deforming;
    mass_varies_ = mass_varies_ || entry.body->mass_varies();
    positions_ += entry.body->positions();
    velocities_ += entry.body->velocities();
    for (int c = 0; c < entry.body->velocities(); ++c) dofs_.push_back({b, entry.body->turns(c)});
    owners_[at(b + 1)] = {b, -1};
    list_.push_back(std::move(entry));
  }
  if (!rigid) attach(model);
}

void Bodies::attach(const Model& model) {
  attached_ = model;
  std::vector<std::vector<Frame*>> on(list_.size());
  each_frame(*attached_, [&](Frame& frame) {
    if (frame.body == kGround) return;
    const int b = frame.body - 1;
    if (list_[at(b)].deforming) on[at(b)].push_back(&frame);
  });
  for (std::size_t b = 0; b < list_.size(); ++b) {
    list_[b].first_attached = frames();
    for (Frame* frame : on[b]) {
      const int number = list_[b].deforming->attach(frame->point);
      Body place = model.bodies[b + 1];
      const Mat3 R =
          model.planar ? rotation_about_z(place.angle) : rotation_matrix(place.orientation);
      place.name += "@" + std::to_string(number);
      place.position += R * frame->point;
      place.mass = 0;
      place.inertia.setZero();
      place.flexible.reset();
      place.shapes.clear();
      attached_->bodies.push_back(place);
      frame->body = BodyIndex(frames());
      frame->point.setZero();
      owners_.push_back({static_cast<int>(b), number});
    }
  }
}

void Bodies::declare(const Scales& scales, Layout& layout) const {
  for (int b = 0; b < count(); ++b)
    body(b).declare("bodies/" + model_.bodies[at(b + 1)].name, scales, layout);
}

void Bodies::start(double* q, double* v) const {
  for (const Entry& e : list_) e.body->start(q + e.q, v + e.v);
}

void Bodies::place(const double* q, const double* v, std::span<Pose<double>> frames) const {
  for (std::size_t b = 0; b < list_.size(); ++b) {
    const Entry& e = list_[b];
    e.body->place(q + e.q, v + e.v, frames[b + 1], frames.data() + e.first_attached);
  }
}

void Bodies::accelerate(const double* q, const double* v, const double* a,
                        std::span<const Pose<double>> frames,
                        std::span<FrameAcceleration> out) const {
  for (std::size_t b = 0; b < list_.size(); ++b) {
    const Entry& e = list_[b];
    e.body->accelerate(q + e.q, v + e.v, a + e.v, frames[b + 1], out[b + 1],
                       out.data() + e.first_attached);
  }
}

void Bodies::position_rates(const double* q, const double* v, double* q_dot) const {
  for (const Entry& e : list_) e.body->position_rates(q + e.q, v + e.v, q_dot + e.q);
}

void Bodies::position_rates_derivative(const double* q, const double* v, const Sink& sink) const {
  for (const Entry& e : list_) {
    const int nq = e.body->positions();
    e.body->position_rates_derivative(q + e.q, v + e.v, [&](int row, int column, double x) {
      sink(e.q + row, column < nq ? e.q + column : positions_ + e.v + column - nq, x);
    });
  }
}

void Bodies::displace(double* q, const double* change) const {
  for (const Entry& e : list_) e.body->displace(q + e.q, change + e.v);
}

void Bodies::displacement(const double* from, const double* to, double* change) const {
  for (const Entry& e : list_) e.body->displacement(from + e.q, to + e.q, change + e.v);
}

void Bodies::normalise(double* q) const {
  for (const Entry& e : list_) e.body->normalise(q + e.q);
}

void Bodies::mass_times(const double* q, const double* a, double* out) const {
  for (const Entry& e : list_) e.body->mass_times(q + e.q, a + e.v, out + e.v);
}

void Bodies::forces(const double* q, const double* v, double* out) const {
  for (const Entry& e : list_) e.body->forces(q + e.q, v + e.v, out + e.v);
}

void Bodies::momentum_derivative(const double* q, const double* v, const double* a,
                                 const Sink& sink) const {
  for (const Entry& e : list_) {
    const int nq = e.body->positions();
    e.body->momentum_derivative(q + e.q, v + e.v, a + e.v, [&](int row, int column, double x) {
      sink(e.v + row, column < nq ? e.q + column : positions_ + e.v + column - nq, x);
    });
  }
}

MovingBody::Energies Bodies::energies(const double* q, const double* v,
                                      std::span<const Pose<double>> frames) const {
  MovingBody::Energies sum;
  for (std::size_t b = 0; b < list_.size(); ++b) {
    const Entry& e = list_[b];
    const MovingBody::Energies of = e.body->energies(q + e.q, v + e.v, frames[b + 1]);
    sum.kinetic += of.kinetic;
    sum.potential += of.potential;
    sum.elastic += of.elastic;
  }
  return sum;
}

void Bodies::observe(const double* q, const double* v,
                     std::vector<DeformingBody::SectionState>& out) const {
  std::size_t number = 0;
  for (const Entry& e : list_)
    if (e.deforming) number += at(e.deforming->sections());
  out.resize(number);
  std::size_t first = 0;
  for (const Entry& e : list_)
    if (e.deforming) {
      const std::size_t own = at(e.deforming->sections());
      e.deforming->observe(q + e.q, v + e.v, std::span(out).subspan(first, own));
      first += own;
    }
}

void Bodies::spread(const double* q, FrameIndex frame, const Wrench<double>& wrench,
                    const Pose<double>& pose, double* out) const {
  if (const DeformingBody* body = deforming(frame)) {
    body->spread(q + position_of(owner(frame)), number(frame), wrench, out);
  } else if (model_.planar) {
    out[0] += wrench.force[0], out[1] += wrench.force[1], out[2] += wrench.moment[2];
  } else {
    vec3(out) += wrench.force;
    vec3(out + 3).noalias() += pose.R.transpose() * wrench.moment;  // to body axes
  }
}

}  // namespace freeplay::dynamics
