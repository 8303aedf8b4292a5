// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/beam_line.hpp"
#include "dynamics/bodies/planar_beam_sums.hpp"

#include <algorithm>
#include <cmath>

// What a planar beam is made of: its coordinates, mass and elasticity (theory/beams).
namespace freeplay::dynamics {

using beam::cross, beam::left, beam::sum;

namespace {

using Mat2 = Eigen::Matrix2d;

/// Stretch and its gradient by the slope p = r', theory/beams (BE.3).
template <bool kGreen>
double stretch(const Vec2& p, Vec2& by_p) {
  if (kGreen) {
    by_p = p;
    return 0.5 * (p.squaredNorm() - 1);
  }
  const double f = p.norm();
  by_p = p / f;
  return f - 1;
}
/// Curvature and its gradients by p and w = r'', (BE.4).
template <bool kGreen>
double curvature(const Vec2& p, const Vec2& w, Vec2& by_p, Vec2& by_w) {
  constexpr double n = kGreen ? 3 : 2;
  const double f2 = p.squaredNorm(), c = cross(p, w);
  const double scale = kGreen ? 1 / (f2 * std::sqrt(f2)) : 1 / f2;
  by_p = (-left(w) - n * c / f2 * p) * scale;
  by_w = left(p) * scale;
  return c * scale;
}

/// A strain with its first and second derivatives by x = (p, w).
struct Measure {
  double value = 0;
  Vec4 first = Vec4::Zero();
  Eigen::Matrix4d second = Eigen::Matrix4d::Zero();
};

template <bool kGreen>
Measure stretch_measure(const Vec2& p) {
  Measure out;
  Vec2 by_p;
  out.value = stretch<kGreen>(p, by_p);
  out.first.head<2>() = by_p;
  if (kGreen)
    out.second.topLeftCorner<2, 2>().setIdentity();
  else
    out.second.topLeftCorner<2, 2>() = (Mat2::Identity() - by_p * by_p.transpose()) / p.norm();
  return out;
}

template <bool kGreen>
Measure curvature_measure(const Vec2& p, const Vec2& w) {
  constexpr double n = kGreen ? 3 : 2;
  Measure out;
  Vec2 by_p, by_w;
  out.value = curvature<kGreen>(p, w, by_p, by_w);
  out.first << by_p, by_w;
  const double f2 = p.squaredNorm(), c = cross(p, w), scale = std::pow(f2, -0.5 * n);
  const Vec2 g = -left(w);  // of c by p
  Mat2 turn;
  turn << 0, 1, -1, 0;
  out.second.topLeftCorner<2, 2>() =
      scale * (-n / f2 * (g * p.transpose() + p * g.transpose() + c * Mat2::Identity()) +
               n * (n + 2) * c / (f2 * f2) * p * p.transpose());
  out.second.topRightCorner<2, 2>() = scale * (turn - n / f2 * p * left(p).transpose());
  out.second.bottomLeftCorner<2, 2>() = out.second.topRightCorner<2, 2>().transpose();
  return out;
}

}  // namespace

PlanarBeam::PlanarBeam(const Body& body, const Vec3& gravity, const Flexible& beam)
    : DeformingBody(4 * (beam.elements + 1) + 1, 4 * (beam.elements + 1)),
      body_(body),
      gravity_(gravity.head<2>()),
      beam_(beam),
      nodes_(beam.elements + 1),
      length_((beam.to - beam.from).norm()),
      l_(length_ / beam.elements),
      axis_angle_(std::atan2(beam.to[1] - beam.from[1], beam.to[0] - beam.from[0])),
      axis_((beam.to - beam.from).head<2>() / length_) {
  // Gauss and Legendre on 0 .. 1: five points for the stretch, three for the curvature.
  const double a = std::sqrt(5 - 2 * std::sqrt(10.0 / 7)) / 3,
               b = std::sqrt(5 + 2 * std::sqrt(10.0 / 7)) / 3,
               wa = (322 + 13 * std::sqrt(70.0)) / 900, wb = (322 - 13 * std::sqrt(70.0)) / 900;
  const std::array<double, 5> x5{-b, -a, 0, a, b}, w5{wb, wa, 128.0 / 225, wa, wb};
  const double c = std::sqrt(0.6);
  const std::array<double, 3> x3{-c, 0, c}, w3{5.0 / 9, 8.0 / 9, 5.0 / 9};
  const auto point = [&](double x, double w) {
    const double xi = 0.5 * (1 + x);
    return Point{0.5 * w * l_, slope_weights(xi), bend_weights(xi)};
  };
  for (std::size_t k = 0; k < 5; ++k) axial_[k] = point(x5[k], w5[k]);
  for (std::size_t k = 0; k < 3; ++k) bending_[k] = point(x3[k], w3[k]);
  // rho A int S^T S dx, (BE.2)
  const double m = beam.rhoA * l_ / 420, l = l_;
  mass_ = {Weights{156 * m, 22 * l * m, 54 * m, -13 * l * m},
           Weights{22 * l * m, 4 * l * l * m, 13 * l * m, -3 * l * l * m},
           Weights{54 * m, 13 * l * m, 156 * m, -22 * l * m},
           Weights{-13 * l * m, -3 * l * l * m, -22 * l * m, 4 * l * l * m}};
  stations_.push_back(station_at(Vec3::Zero()));
}

void PlanarBeam::declare(const std::string& path, const Scales& s, Layout& layout) const {
  using enum BlockKind;
  for (int k = 0; k < nodes_; ++k) {
    const std::string node = path + "/node" + std::to_string(k);
    layout.declare({node + "/position", position, 2, "m", s.length});
    layout.declare({node + "/slope", position, 2, "1", 1});
  }
  layout.declare({path + "/angle", position, 1, "rad", 1});
  for (int k = 0; k < nodes_; ++k) {
    const std::string node = path + "/node" + std::to_string(k);
    layout.declare({node + "/velocity", velocity, 2, "m/s", s.length / s.time});
    layout.declare({node + "/slope_rate", velocity, 2, "1/s", 1 / s.time});
  }
}

void PlanarBeam::start(double* q, double* v) const {
  const double spin = body_.angular_velocity.value_or(Vec3::Zero())[2];
  const Vec2 velocity = body_.velocity.value_or(Vec3::Zero()).head<2>();
  const double c = std::cos(body_.angle), s = std::sin(body_.angle);
  const auto turned = [&](const Vec2& x) -> Vec2 { return c * x + s * left(x); };
  const Vec2 slope = turned(axis_);
  for (int k = 0; k < nodes_; ++k) {
    const Vec2 arm = turned(beam_.from.head<2>() + k * l_ * axis_);
    Eigen::Map<Vec2>(q + 4 * k) = body_.position.head<2>() + arm;
    Eigen::Map<Vec2>(q + 4 * k + 2) = slope;
    Eigen::Map<Vec2>(v + 4 * k) = velocity + spin * left(arm);
    Eigen::Map<Vec2>(v + 4 * k + 2) = spin * left(slope);
  }
  q[4 * nodes_] = body_.angle;
}

PlanarBeam::Weights PlanarBeam::place_weights(double x) const {
  return {1 - 3 * x * x + 2 * x * x * x, l_ * (x - 2 * x * x + x * x * x),
          3 * x * x - 2 * x * x * x, l_ * (x * x * x - x * x)};
}
PlanarBeam::Weights PlanarBeam::slope_weights(double x) const {
  const double d = 6 * (x * x - x) / l_;
  return {d, 1 - 4 * x + 3 * x * x, -d, 3 * x * x - 2 * x};
}
PlanarBeam::Weights PlanarBeam::bend_weights(double x) const {
  const double d = (12 * x - 6) / (l_ * l_);
  return {d, (6 * x - 4) / l_, -d, (6 * x - 2) / l_};
}

void PlanarBeam::mass(const double*, MatX& block) const {
  block.setZero(velocities(), velocities());
  for (int e = 0; e < nodes_ - 1; ++e)
    for (int i = 0; i < 8; ++i)
      for (int j = i % 2; j < 8; j += 2)
        block(4 * e + i, 4 * e + j) +=
            mass_[static_cast<std::size_t>(i / 2)][static_cast<std::size_t>(j / 2)];
}

void PlanarBeam::mass_times(const double*, const double* a, double* out) const {
  std::fill_n(out, 4 * nodes_, 0.0);
  for (int e = 0; e < nodes_ - 1; ++e)
    for (int i = 0; i < 4; ++i)
      Eigen::Map<Vec2>(out + 4 * e + 2 * i) += sum(mass_[static_cast<std::size_t>(i)], a + 4 * e);
}

namespace {

/// Forces of stretch and curvature, (BE.6), added to `out`.
template <bool kGreen, class Axial, class Bending>
void add_internal(const Flexible& beam, const Axial& axial, const Bending& bending, const double* q,
                  const double* v, double* out) {
  Vec2 by_p, by_w;
  for (int e = 0; e < beam.elements; ++e, q += 4, v += 4, out += 4) {
    for (const auto& point : axial) {
      double strain = stretch<kGreen>(sum(point.slope, q), by_p);
      if (beam.damping_time > 0) strain += beam.damping_time * by_p.dot(sum(point.slope, v));
      const Vec2 f = beam.EA * point.weight * strain * by_p;
      for (std::size_t k = 0; k < 4; ++k) {
        out[2 * k] -= point.slope[k] * f[0];
        out[2 * k + 1] -= point.slope[k] * f[1];
      }
    }
    for (const auto& point : bending) {
      double strain = curvature<kGreen>(sum(point.slope, q), sum(point.bend, q), by_p, by_w);
      if (beam.damping_time > 0)
        strain +=
            beam.damping_time * (by_p.dot(sum(point.slope, v)) + by_w.dot(sum(point.bend, v)));
      const double c = beam.EI_z * point.weight * strain;
      for (std::size_t k = 0; k < 4; ++k) {
        out[2 * k] -= c * (point.slope[k] * by_p[0] + point.bend[k] * by_w[0]);
        out[2 * k + 1] -= c * (point.slope[k] * by_p[1] + point.bend[k] * by_w[1]);
      }
    }
  }
}

/// visit(element, strain with derivatives, stiffness times length, point) at all points.
template <class Axial, class Bending, class Visit>
void each_strain(const Flexible& beam, const Axial& axial, const Bending& bending, const double* q,
                 Visit&& visit) {
  const bool green = beam.strain == BeamStrain::green;
  for (int e = 0; e < beam.elements; ++e, q += 4) {
    for (const auto& point : axial) {
      const Vec2 p = sum(point.slope, q);
      visit(e, green ? stretch_measure<true>(p) : stretch_measure<false>(p), beam.EA * point.weight,
            point);
    }
    for (const auto& point : bending) {
      const Vec2 p = sum(point.slope, q), w = sum(point.bend, q);
      visit(e, green ? curvature_measure<true>(p, w) : curvature_measure<false>(p, w),
            beam.EI_z * point.weight, point);
    }
  }
}

/// (r', r'') at a point.
template <class Point>
Vec4 at_point(const Point& point, const double* x) {
  Vec4 out;
  out << sum(point.slope, x), sum(point.bend, x);
  return out;
}

}  // namespace

void PlanarBeam::forces(const double* q, const double* v, double* out) const {
  // Weight: rho A g int S dx.
  std::fill_n(out, 4 * nodes_, 0.0);
  const double half = 0.5 * beam_.rhoA * l_, slope = half * l_ / 6;
  for (int k = 0; k < nodes_; ++k) {
    const bool first = k == 0, last = k == nodes_ - 1;
    Eigen::Map<Vec2>(out + 4 * k) = (first || last ? half : 2 * half) * gravity_;
    if (first) Eigen::Map<Vec2>(out + 2) = slope * gravity_;
    if (last) Eigen::Map<Vec2>(out + 4 * k + 2) = -slope * gravity_;
  }
  if (beam_.strain == BeamStrain::green)
    add_internal<true>(beam_, axial_, bending_, q, v, out);
  else
    add_internal<false>(beam_, axial_, bending_, q, v, out);
}

void PlanarBeam::momentum_derivative(const double* q, const double* v, const double*,
                                     const Sink& sink) const {
  Eigen::Matrix<double, 8, 8> by_q = Eigen::Matrix<double, 8, 8>::Zero(), by_v = by_q;
  const double tau = beam_.damping_time;
  int current = 0;
  const auto hand_on = [&] {
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) {
        sink(4 * current + i, 4 * current + j, by_q(i, j));
        if (tau > 0) sink(4 * current + i, positions() + 4 * current + j, by_v(i, j));
      }
    by_q.setZero();
    by_v.setZero();
  };
  each_strain(beam_, axial_, bending_, q,
              [&](int e, const Measure& m, double stiffness, const Point& point) {
                if (e != current) hand_on(), current = e;
                const Vec4 rate = at_point(point, v + 4 * e), drift = tau * m.second * rate;
                const double strain = m.value + tau * m.first.dot(rate);
                const Eigen::Matrix4d x = stiffness * (m.first * (m.first + drift).transpose() +
                                                       strain * m.second),
                                      y = stiffness * tau * m.first * m.first.transpose();
                Eigen::Matrix<double, 4, 8> B = Eigen::Matrix<double, 4, 8>::Zero();
                for (int k = 0; k < 4; ++k)
                  for (int i = 0; i < 2; ++i) {
                    B(i, 2 * k + i) = point.slope[static_cast<std::size_t>(k)];
                    B(2 + i, 2 * k + i) = point.bend[static_cast<std::size_t>(k)];
                  }
                by_q.noalias() += B.transpose() * x * B;
                if (tau > 0) by_v.noalias() += B.transpose() * y * B;
              });
  hand_on();
}

MovingBody::Energies PlanarBeam::energies(const double* q, const double* v,
                                          const Pose<double>&) const {
  Energies out;
  const double half = 0.5 * beam_.rhoA * l_;
  for (int e = 0; e < nodes_ - 1; ++e) {
    const double *x = q + 4 * e, *u = v + 4 * e;
    for (int i = 0; i < 4; ++i)
      out.kinetic +=
          0.5 * Eigen::Map<const Vec2>(u + 2 * i).dot(sum(mass_[static_cast<std::size_t>(i)], u));
    out.potential -= gravity_.dot(sum({half, half * l_ / 6, half, -half * l_ / 6}, x));
  }
  each_strain(beam_, axial_, bending_, q,
              [&](int, const Measure& m, double stiffness, const Point&) {
                out.elastic += 0.5 * stiffness * m.value * m.value;
              });
  return out;
}

double PlanarBeam::dissipated_power(const double* q, const double* v) const {
  double power = 0;
  each_strain(beam_, axial_, bending_, q,
              [&](int e, const Measure& m, double stiffness, const Point& point) {
                const double rate = m.first.dot(at_point(point, v + 4 * e));
                power -= stiffness * beam_.damping_time * rate * rate;
              });
  return power;
}

void PlanarBeam::dissipated_power_derivative(const double* q, const double* v,
                                             const Sink& sink) const {
  each_strain(beam_, axial_, bending_, q,
              [&](int e, const Measure& m, double stiffness, const Point& point) {
                const Vec4 x = at_point(point, v + 4 * e);
                const double factor = -2 * stiffness * beam_.damping_time * m.first.dot(x);
                const Vec4 by_x = factor * m.second * x, by_rate = factor * m.first;
                for (int c = 0; c < 8; ++c) {
                  const auto k = static_cast<std::size_t>(c / 2);
                  const int i = c % 2;
                  sink(0, 4 * e + c, point.slope[k] * by_x[i] + point.bend[k] * by_x[2 + i]);
                  sink(0, positions() + 4 * e + c,
                       point.slope[k] * by_rate[i] + point.bend[k] * by_rate[2 + i]);
                }
              });
}

PlanarBeam::Section PlanarBeam::section(const double* q, const double* v, double share) const {
  const double x = std::clamp(share, 0.0, 1.0) * (nodes_ - 1);
  const int e = std::min(static_cast<int>(x), nodes_ - 2);
  const double* at = q + 4 * e;
  const Point point{0, slope_weights(x - e), bend_weights(x - e)};
  Section out;
  out.place = sum(place_weights(x - e), at);
  out.slope = sum(point.slope, at);
  const bool green = beam_.strain == BeamStrain::green;
  const Vec2 bend = sum(point.bend, at);
  const Measure stretched =
                    green ? stretch_measure<true>(out.slope) : stretch_measure<false>(out.slope),
                bent = green ? curvature_measure<true>(out.slope, bend)
                             : curvature_measure<false>(out.slope, bend);
  const Vec4 rate = beam_.damping_time * at_point(point, v + 4 * e);
  out.stretch = stretched.value;
  out.curvature = bent.value;
  out.force = beam_.EA * (stretched.value + stretched.first.dot(rate));
  out.moment = beam_.EI_z * (bent.value + bent.first.dot(rate));
  return out;
}

int PlanarBeam::sections() const { return sections_of(beam_); }

void PlanarBeam::observe(const double* q, const double* v, std::span<SectionState> out) const {
  Pose<double> own;
  std::vector<Pose<double>> others(static_cast<std::size_t>(attached()));
  place(q, v, own, others.data());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(out.size() - 1);
    const Section at = section(q, v, share);
    const Vec3 place(at.place[0], at.place[1], 0),
        straight = beam_.from + share * (beam_.to - beam_.from);
    out[k].deflection = own.R.transpose() * (place - own.r) - straight;
    out[k].force = at.force;
    out[k].moment_z = at.moment;
  }
}

}  // namespace freeplay::dynamics
