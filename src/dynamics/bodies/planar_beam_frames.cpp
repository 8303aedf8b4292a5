// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/planar_beam_sums.hpp"

#include <algorithm>
#include <cmath>

// What is fixed to a planar beam: frames on its sections, how they move with its coordinates, and
// what wrenches on them do to these (theory/beams (BE.9) to (BE.12)).
namespace freeplay::dynamics {

using beam::cross, beam::left, beam::sum;

namespace {

using Mat2 = Eigen::Matrix2d;

/// So near to a node (of an element's length) a station is the node. chosen: round-off of points.
constexpr double kAtNode = 1e-9;

/// A section that moves: its place, slope and their rates; what is fixed to it turns with it.
struct Moving {
  Vec2 p, p_rate, arm, spin_by_p, g;  // g: of the angle by the slope
  double f2, spin, cosine, sine;
};

Moving motion_of(const Vec2& p, const Vec2& p_rate, const Vec2& axis, const Vec2& offset) {
  Moving m;
  m.p = p;
  m.p_rate = p_rate;
  m.f2 = p.squaredNorm();
  const double f = std::sqrt(m.f2);
  m.cosine = p.dot(axis) / f;
  m.sine = cross(axis, p) / f;
  m.arm = m.cosine * offset + m.sine * left(offset);
  m.g = left(p) / m.f2;
  m.spin = m.g.dot(p_rate);
  m.spin_by_p = -left(p_rate) / m.f2 - 2 * m.spin / m.f2 * p;
  return m;
}

}  // namespace

PlanarBeam::Station PlanarBeam::station_at(const Vec3& point) const {
  const Vec2 from = beam_.from.head<2>(), to = point.head<2>();
  const double x = std::clamp(axis_.dot(to - from), 0.0, length_);
  Station out;
  out.offset = to - from - x * axis_;
  out.element = std::min(static_cast<int>(x / l_), nodes_ - 2);
  double xi = x / l_ - out.element;
  if (xi > 1 - kAtNode) ++out.element, xi = 0;
  if (xi < kAtNode) out.nodes = 1, xi = 0;
  out.place = place_weights(xi);
  out.slope = slope_weights(xi);
  return out;
}

int PlanarBeam::attach(const Vec3& point) {
  stations_.push_back(station_at(point));
  return attached() - 1;
}

DeformingBody::Reach PlanarBeam::reach(int frame) const {
  const Station& at = station(frame);
  return {4 * at.element, 4 * at.nodes, 4 * at.element, 4 * at.nodes};
}

double PlanarBeam::wrapped(const Vec2& slope) const {
  return std::atan2(slope[1] + 0.0, slope[0]) - axis_angle_;  // + 0: -0 is above the cut as well
}

int PlanarBeam::winding(const double* q, const Station& at) const {
  int turns = 0;
  Vec2 last(q[2], q[3]);
  const auto go_on = [&](const Vec2& next) {
    const bool below = next[1] < 0, was_below = last[1] < 0;
    if (below != was_below) {
      const bool to_the_left = cross(last, next) > 0;
      if (below && to_the_left) ++turns;
      if (was_below && !to_the_left) --turns;
    }
    last = next;
  };
  for (int k = 1; k <= at.element; ++k) go_on({q[4 * k + 2], q[4 * k + 3]});
  if (at.nodes == 2) go_on(sum(at.slope, q + 4 * at.element));
  return turns;
}

double PlanarBeam::own_angle(const double* q, double near) const {
  const Station& own = station(-1);
  const double raw = wrapped(sum(own.slope, q + 4 * own.element, own.nodes));
  return raw + 2 * M_PI * std::round((near - raw) / (2 * M_PI));
}

void PlanarBeam::place(const double* q, const double* v, Pose<double>& own,
                       Pose<double>* attached) const {
  const int own_turns = winding(q, station(-1));
  const double own_turned = own_angle(q, q[4 * nodes_]);
  const Station& middle = station(-1);
  const double zero = own_turned - wrapped(sum(middle.slope, q + 4 * middle.element, middle.nodes));
  for (int frame = -1; frame < this->attached(); ++frame) {
    const Station& at = station(frame);
    const double *e = q + 4 * at.element, *rate = v + 4 * at.element;
    const Moving m =
        motion_of(sum(at.slope, e, at.nodes), sum(at.slope, rate, at.nodes), axis_, at.offset);
    Pose<double>& pose = frame < 0 ? own : attached[frame];
    const Vec2 r = sum(at.place, e, at.nodes) + m.arm,
               speed = sum(at.place, rate, at.nodes) + m.spin * left(m.arm);
    pose.r = {r[0], r[1], 0};
    pose.v = {speed[0], speed[1], 0};
    pose.w = {0, 0, m.spin};
    pose.R << m.cosine, -m.sine, 0, m.sine, m.cosine, 0, 0, 0, 1;
    pose.angle =
        frame < 0 ? own_turned : wrapped(m.p) + zero + 2 * M_PI * (winding(q, at) - own_turns);
  }
}

void PlanarBeam::accelerate(const double* q, const double* v, const double* a, const Pose<double>&,
                            FrameAcceleration& out, FrameAcceleration* attached) const {
  for (int frame = -1; frame < this->attached(); ++frame) {
    const Station& at = station(frame);
    const int first = 4 * at.element;
    const Moving m = motion_of(sum(at.slope, q + first, at.nodes),
                               sum(at.slope, v + first, at.nodes), axis_, at.offset);
    const double turn =
        m.g.dot(sum(at.slope, a + first, at.nodes)) - 2 * m.p.dot(m.p_rate) * m.spin / m.f2;
    const Vec2 x =
        sum(at.place, a + first, at.nodes) + turn * left(m.arm) - m.spin * m.spin * m.arm;
    (frame < 0 ? out : attached[frame]) = {{x[0], x[1], 0}, {0, 0, turn}};
  }
}

void PlanarBeam::position_rates(const double* q, const double* v, double* q_dot) const {
  std::copy_n(v, 4 * nodes_, q_dot);
  const Station& own = station(-1);
  const int first = 4 * own.element;
  q_dot[4 * nodes_] = motion_of(sum(own.slope, q + first, own.nodes),
                                sum(own.slope, v + first, own.nodes), axis_, own.offset)
                          .spin;
}

void PlanarBeam::position_rates_derivative(const double* q, const double* v,
                                           const Sink& sink) const {
  for (int c = 0; c < 4 * nodes_; ++c) sink(c, positions() + c, 1);
  const Station& own = station(-1);
  const int first = 4 * own.element;
  const Moving m = motion_of(sum(own.slope, q + first, own.nodes),
                             sum(own.slope, v + first, own.nodes), axis_, own.offset);
  for (int c = 0; c < 4 * own.nodes; ++c) {
    const double w = own.slope[static_cast<std::size_t>(c / 2)];
    sink(4 * nodes_, first + c, w * m.spin_by_p[c % 2]);
    sink(4 * nodes_, positions() + first + c, w * m.g[c % 2]);
  }
}

void PlanarBeam::displace(double* q, const double* change) const {
  for (int c = 0; c < 4 * nodes_; ++c) q[c] += change[c];
  normalise(q);
}
void PlanarBeam::displacement(const double* from, const double* to, double* change) const {
  for (int c = 0; c < 4 * nodes_; ++c) change[c] = to[c] - from[c];
}
void PlanarBeam::normalise(double* q) const { q[4 * nodes_] = own_angle(q, q[4 * nodes_]); }

void PlanarBeam::spread(const double* q, int frame, const Wrench<double>& wrench,
                        double* out) const {
  const Station& at = station(frame);
  const int first = 4 * at.element;
  const Moving m = motion_of(sum(at.slope, q + first, at.nodes), Vec2::Zero(), axis_, at.offset);
  const Vec2 force = wrench.force.head<2>(),
             couple = (wrench.moment[2] + cross(m.arm, force)) * m.g;
  for (int c = 0; c < 4 * at.nodes; ++c) {
    const auto k = static_cast<std::size_t>(c / 2);
    out[first + c] += at.place[k] * force[c % 2] + at.slope[k] * couple[c % 2];
  }
}

void PlanarBeam::spread_derivative(const double* q, int frame, const Wrench<double>& wrench,
                                   const Sink& sink) const {
  const Station& at = station(frame);
  const int first = 4 * at.element;
  const Moving m = motion_of(sum(at.slope, q + first, at.nodes), Vec2::Zero(), axis_, at.offset);
  const Vec2 force = wrench.force.head<2>();
  const double couple = wrench.moment[2] + cross(m.arm, force);
  Mat2 turn;
  turn << 0, -1, 1, 0;
  const Mat2 by_p = -m.arm.dot(force) * m.g * m.g.transpose() +
                    couple / m.f2 * (turn - 2 * m.g * m.p.transpose());
  for (int r = 0; r < 4 * at.nodes; ++r)
    for (int c = 0; c < 4 * at.nodes; ++c)
      sink(first + r, first + c,
           at.slope[static_cast<std::size_t>(r / 2)] * at.slope[static_cast<std::size_t>(c / 2)] *
               by_p(r % 2, c % 2));
}

void PlanarBeam::frame_derivative(const double* q, const double* v, int frame, MatX& out) const {
  const Station& at = station(frame);
  const int first = 4 * at.element, nq = positions();
  if (out.rows() != kBodyVariables || out.cols() != nq + velocities())
    out.setZero(kBodyVariables, nq + velocities());
  const Moving m = motion_of(sum(at.slope, q + first, at.nodes), sum(at.slope, v + first, at.nodes),
                             axis_, at.offset);
  const Vec2 across = left(m.arm);
  for (int c = 0; c < 4 * at.nodes; ++c) {
    const auto k = static_cast<std::size_t>(c / 2);
    const int i = c % 2;
    auto by_q = out.col(first + c), by_v = out.col(nq + first + c);
    by_q.setZero();
    by_v.setZero();
    const double turn = at.slope[k] * m.g[i], spin = at.slope[k] * m.spin_by_p[i];
    by_q[i] = by_v[kVelocityVariable + i] = at.place[k];
    by_q.head<2>() += turn * across;
    by_q[kTurnVariable + 2] = turn;
    by_q.segment<2>(kVelocityVariable) = spin * across - m.spin * turn * m.arm;
    by_q[kSpinVariable + 2] = spin;
    by_v.segment<2>(kVelocityVariable) += turn * across;
    by_v[kSpinVariable + 2] = turn;
  }
}

void PlanarBeam::acceleration_derivative(const double* q, const double* v, const double* a,
                                         int frame, const Vec3& row_v, const Vec3& row_w,
                                         const Sink& sink) const {
  const Station& at = station(frame);
  const int first = 4 * at.element;
  const Moving m = motion_of(sum(at.slope, q + first, at.nodes), sum(at.slope, v + first, at.nodes),
                             axis_, at.offset);
  const Vec2 p_dd = sum(at.slope, a + first, at.nodes), row = row_v.head<2>();
  const double growth = m.p.dot(m.p_rate) / m.f2, pulled = cross(m.p, p_dd) / m.f2;
  const double turn = pulled - 2 * growth * m.spin;
  // row . a + row_w turn = row . r'' + A turn - spin^2 row . arm
  const double A = row_w[2] + row.dot(left(m.arm)), along = row.dot(m.arm),
               across = row.dot(left(m.arm));
  const Vec2 growth_by_p = m.p_rate / m.f2 - 2 * growth / m.f2 * m.p;
  const Vec2 turn_by_p = -left(p_dd) / m.f2 - 2 * pulled / m.f2 * m.p -
                         2 * (growth_by_p * m.spin + growth * m.spin_by_p),
             turn_by_rate = -2 * (m.p / m.f2 * m.spin + growth * m.g);
  const Vec2 by_p = A * turn_by_p - along * turn * m.g - 2 * m.spin * along * m.spin_by_p -
                    m.spin * m.spin * across * m.g,
             by_rate = A * turn_by_rate - 2 * m.spin * along * m.g;
  for (int c = 0; c < 4 * at.nodes; ++c) {
    const double w = at.slope[static_cast<std::size_t>(c / 2)];
    sink(0, first + c, w * by_p[c % 2]);
    sink(0, positions() + first + c, w * by_rate[c % 2]);
  }
}

}  // namespace freeplay::dynamics
