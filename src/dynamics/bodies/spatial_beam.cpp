// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/beam_line.hpp"
#include "dynamics/bodies/rigid_body.hpp"
#include "dynamics/bodies/spatial_beam_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

// What a spatial beam is made of: its coordinates, mass and elasticity (theory/spatial_beams).
namespace freeplay::dynamics {

namespace {

template <class T>
Vec3T<T> cross(const Vec3T<T>& a, const Vec3T<T>& b) {
  return a.cross(b);
}

/// Matrix of w in w x e, by which a tangent e turns.
Mat3 across(const Vec3& e) {
  Mat3 out;
  out << 0, e[2], -e[1], -e[2], 0, e[0], e[1], -e[0], 0;
  return out;
}

/// (1 - (x/2) cot(x/2))/x^2 of x^2, and its derivative by x over x; by their series where the
/// closed form loses digits.
template <class T>
void log_coefficients(const T& square, T& c, T& slope) {
  // Bernoulli numbers over factorials: |B_2k|/(2k)!, k = 1 ...; at 0.3 the rest is below 1e-15.
  constexpr std::array<double, 9> kSeries = {1.0 / 12,
                                             1.0 / 720,
                                             1.0 / 30240,
                                             1.0 / 1209600,
                                             1.0 / 47900160,
                                             691.0 / 1307674368000.0,
                                             1.0 / 74724249600,
                                             3617.0 / 10670622842880000.0,
                                             43867.0 / 5109094217170944000.0};
  if (value_of(square) < 0.3) {
    c = slope = T(0.0);
    for (std::size_t k = kSeries.size(); k-- > 0;) {
      c = c * square + kSeries[k];
      if (k > 0) slope = slope * square + 2.0 * static_cast<double>(k) * kSeries[k];
    }
    return;
  }
  using std::cos, std::sin, std::sqrt;
  const T angle = sqrt(square), sine = sin(0.5 * angle), cot = cos(0.5 * angle) / sine;
  c = (1.0 - 0.5 * angle * cot) / square;
  // d/dx of the above, over x.
  slope = (0.25 / (sine * sine) - 0.5 * cot / angle - 2.0 * c) / square;
}

/// Rotation vector from one node to the next, in the axes of either: they differ by a turn about
/// it.
template <class T>
Vec3T<T> turn_between(const T* a, const T* b) {
  T w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  Vec3T<T> s(a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
             a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1],
             a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]);
  if (value_of(w) < 0) w = -w, s = -s;  // p and -p are one rotation
  const T square = dot(s, s), ratio = square / (w * w);
  if (value_of(ratio) < 1e-3) {  // 2 atan(x)/x by its series: the rest is below 1e-16
    const T series =
        1.0 - ratio * (1.0 / 3 - ratio * (0.2 - ratio * (1.0 / 7 - ratio * (1.0 / 9))));
    return s * T(2.0 * series / w);
  }
  using std::atan2, std::sqrt;
  const T sine = sqrt(square);
  return s * T(2.0 * atan2(sine, w) / sine);
}

}  // namespace

template <class T>
struct SpatialBeam::Strain {
  Vec3T<T> d, psi;  // from node to node in the axes of the first: way and turn
  T c, slope;       // coefficients of (SB.2)
  Vec3T<T> u;       // (SB.3)
  T stretch;        // (SB.4); m
  Vec3T<T> pull;    // its derivative by u
  Vec3T<T> u_rate, psi_rate;
  /// V^-1 x of (SB.2), and with `sign` 1 its transpose.
  [[nodiscard]] Vec3T<T> unrolled(const Vec3T<T>& x, double sign = -1) const {
    const Vec3T<T> once = cross(psi, x);
    return x + once * T(0.5 * sign) + cross(psi, once) * c;
  }
};

template <class T>
void SpatialBeam::strain(const Element& element, const Node<T>& a, const Node<T>& b,
                         Strain<T>& out) const {
  out.psi = turn_between(a.p, b.p);
  out.d = a.R.transpose() * Vec3T<T>(b.r - a.r);
  log_coefficients(dot(out.psi, out.psi), out.c, out.slope);
  out.u = out.unrolled(out.d);
  const Vec3T<T> e = axes_.col(0).cast<T>();
  const T along = dot(e, out.u);
  out.u = out.u - e * along;
  // An S between the nodes is longer than the way across it: (SB.4).
  constexpr double kLengthOfS = 0.6;
  out.stretch = along - element.length + kLengthOfS / element.length * dot(out.u, out.u);
  out.pull = e + out.u * T(2 * kLengthOfS / element.length);
  if (beam_.damping_time <= 0) return;
  const Vec3T<T> d_rate = a.R.transpose() * Vec3T<T>(b.v - a.v) + cross(out.d, a.w);
  out.psi_rate = out.unrolled(b.w, 1) - out.unrolled(a.w);
  const Vec3T<T> psi_d = cross(out.psi, out.d), rate_d = cross(out.psi_rate, out.d);
  out.u_rate = out.unrolled(d_rate) - rate_d * T(0.5) +
               (cross(out.psi_rate, psi_d) + cross(out.psi, rate_d)) * out.c +
               cross(out.psi, psi_d) * T(out.slope * dot(out.psi, out.psi_rate));
}

/// Force that goes with u and moment that goes with psi, damping included: (SB.5).
template <class T>
void SpatialBeam::stress(const Element& element, const Strain<T>& is, Vec3T<T>& n,
                         Vec3T<T>& m) const {
  T stretch = is.stretch;
  Vec3T<T> u = is.u, psi = is.psi;
  if (beam_.damping_time > 0) {
    stretch += beam_.damping_time * dot(is.pull, is.u_rate);
    u += is.u_rate * T(beam_.damping_time);
    psi += is.psi_rate * T(beam_.damping_time);
  }
  n = is.pull * T(element.axial * stretch) + element.lateral.cast<T>() * u;
  m = element.couple.cast<T>() * psi;
}

/// Power that damping takes, over the damping time.
template <class T>
T SpatialBeam::loss(const Element& element, const Strain<T>& is) const {
  const T rate = dot(is.pull, is.u_rate);
  return element.axial * rate * rate +
         dot(is.u_rate, Vec3T<T>(element.lateral.cast<T>() * is.u_rate)) +
         dot(is.psi_rate, Vec3T<T>(element.couple.cast<T>() * is.psi_rate));
}

SpatialBeam::SpatialBeam(const Model& model, BodyIndex body, std::span<const Vec3> points)
    : SpatialBeam(model, body, beam_nodes_of(model, body, points)) {}

SpatialBeam::SpatialBeam(const Model& model, BodyIndex body, std::vector<double> places)
    : DeformingBody(7 * static_cast<int>(places.size()), 6 * static_cast<int>(places.size())),
      body_(model.bodies[static_cast<std::size_t>(body)]),
      gravity_(model.gravity),
      beam_(*body_.flexible),
      axes_(beam_axes(beam_, false)),
      places_(std::move(places)),
      turning_(places_.size(), Mat3::Zero()),
      node_(make_rigid_body(model, body)) {
  const double bending = beam_.EI_y + beam_.EI_z;
  const auto in_body = [&](double x, double y, double z) -> Mat3 {
    return axes_ * Vec3(x, y, z).asDiagonal() * axes_.transpose();
  };
  for (std::size_t k = 0; k + 1 < places_.size(); ++k) {
    Element e;
    const double l = e.length = places_[k + 1] - places_[k];
    // Shear gives way as much as the curvature that varies in the element would: (SB.6).
    e.axial = beam_.EA / l;
    e.lateral = in_body(0, 12 * beam_.EI_z / (l * l), 12 * beam_.EI_y / (l * l)) / l;
    e.couple = in_body(beam_.GJ, beam_.EI_y, beam_.EI_z) / l;
    const double m = beam_.rhoA * l / 420;
    const double mass[4][4] = {{156 * m, 22 * l * m, 54 * m, -13 * l * m},
                               {22 * l * m, 4 * l * l * m, 13 * l * m, -3 * l * l * m},
                               {54 * m, 13 * l * m, 156 * m, -22 * l * m},
                               {-13 * l * m, -3 * l * l * m, -22 * l * m, 4 * l * l * m}};
    std::copy(&mass[0][0], &mass[0][0] + 16, &e.mass[0][0]);
    const double half = 0.5 * beam_.rhoA * l;
    e.weight[0] = e.weight[2] = half;
    e.weight[1] = half * l / 6, e.weight[3] = -half * l / 6;
    // Sections that turn; rho I about y and z is shared as the bending stiffness is.
    const Mat3 own = in_body(1, beam_.EI_y / bending, beam_.EI_z / bending) * beam_.rhoJ * l / 2;
    turning_[k] += own;
    turning_[k + 1] += own;
    elements_.push_back(e);
  }
  fixtures_.push_back(fixture_at(Vec3::Zero()));
}

SpatialBeam::~SpatialBeam() = default;

std::vector<double> SpatialBeam::beam_nodes_of(const Model& model, BodyIndex body,
                                               std::span<const Vec3> points) {
  const Flexible& beam = *model.bodies[static_cast<std::size_t>(body)].flexible;
  std::vector<double> marks;
  for (const Vec3& point : points) marks.push_back(along_axis(beam, point));
  return beam_nodes(beam, marks);
}

void SpatialBeam::declare(const std::string& path, const Scales& s, Layout& layout) const {
  for (int k = 0; k < nodes(); ++k) node_->declare(path + "/node" + std::to_string(k), s, layout);
}

void SpatialBeam::start(double* q, double* v) const {
  const Mat3 R = rotation_matrix(body_.orientation);
  const Vec3 velocity = body_.velocity.value_or(Vec3::Zero()),
             spin = body_.angular_velocity.value_or(Vec3::Zero());
  for (int k = 0; k < nodes(); ++k) {
    const Vec3 arm = places_[static_cast<std::size_t>(k)] * axes_.col(0);
    vec3(q + 7 * k) = body_.position + R * arm;
    vec4(q + 7 * k + 3) = body_.orientation;
    vec3(v + 6 * k) = velocity + R * spin.cross(arm);
    vec3(v + 6 * k + 3) = spin;
  }
}

void SpatialBeam::position_rates(const double* q, const double* v, double* q_dot) const {
  for (int k = 0; k < nodes(); ++k) node_->position_rates(q + 7 * k, v + 6 * k, q_dot + 7 * k);
}
void SpatialBeam::position_rates_derivative(const double* q, const double* v,
                                            const Sink& sink) const {
  for (int k = 0; k < nodes(); ++k)
    node_->position_rates_derivative(q + 7 * k, v + 6 * k, [&](int r, int c, double x) {
      sink(7 * k + r, c < 7 ? 7 * k + c : positions() + 6 * k + c - 7, x);
    });
}
void SpatialBeam::displace(double* q, const double* change) const {
  for (int k = 0; k < nodes(); ++k) node_->displace(q + 7 * k, change + 6 * k);
}
void SpatialBeam::displacement(const double* from, const double* to, double* change) const {
  for (int k = 0; k < nodes(); ++k) node_->displacement(from + 7 * k, to + 7 * k, change + 6 * k);
}
void SpatialBeam::normalise(double* q) const {
  for (int k = 0; k < nodes(); ++k) node_->normalise(q + 7 * k);
}

template <class T>
void SpatialBeam::element_momentum(const Element& element, const Node<T>& a, const Node<T>& b,
                                   T* on_a, T* on_b) const {
  // Inertia: the axis is cubic between the nodes, so that its accelerations are those of places
  // and tangents, (SB.7).
  const Vec3T<T> e = axes_.col(0).cast<T>();
  const auto tangent_rate = [&](const Node<T>& n) -> Vec3T<T> {
    return n.R * Vec3T<T>(cross<T>(n.alpha.template cast<T>(), e) + cross(n.w, cross(n.w, e)));
  };
  const Vec3T<T> second[4] = {(a.a - gravity_).template cast<T>(), tangent_rate(a),
                              (b.a - gravity_).template cast<T>(), tangent_rate(b)};
  Vec3T<T> pull[4];
  for (int i = 0; i < 4; ++i) {
    pull[i] = second[0] * T(element.mass[i][0]);
    for (int j = 1; j < 4; ++j) pull[i] += second[j] * T(element.mass[i][j]);
  }
  // Elasticity, (SB.5).
  Strain<T> is;
  strain(element, a, b, is);
  Vec3T<T> n, m;
  stress(element, is, n, m);
  const Vec3T<T> force = is.unrolled(n, 1), psi_d = cross(is.psi, is.d),
                 g = cross(is.d, n) * T(-0.5) +
                     (cross(psi_d, n) + cross(is.d, cross(n, is.psi))) * is.c +
                     is.psi * T(is.slope * dot(n, cross(is.psi, psi_d))),
                 t = m + g, pulled = a.R * force;
  const Vec3T<T> moment_a = cross(force, is.d) - is.unrolled(t, 1), moment_b = is.unrolled(t);
  const Vec3T<T> turn_a = cross(e, Vec3T<T>(a.R.transpose() * pull[1])) + moment_a,
                 turn_b = cross(e, Vec3T<T>(b.R.transpose() * pull[3])) + moment_b;
  for (int c = 0; c < 3; ++c) {
    on_a[c] += pull[0][c] - pulled[c];
    on_b[c] += pull[2][c] + pulled[c];
    on_a[3 + c] += turn_a[c];
    on_b[3 + c] += turn_b[c];
  }
}

template <class T>
void SpatialBeam::node_momentum(int node, const Node<T>& at, T* on) const {
  const Mat3T<T> J = turning_[static_cast<std::size_t>(node)].cast<T>();
  const Vec3T<T> sum = J * at.alpha.template cast<T>() + cross(at.w, Vec3T<T>(J * at.w));
  for (int c = 0; c < 3; ++c) on[3 + c] += sum[c];
}

void SpatialBeam::forces(const double* q, const double* v, double* out) const {
  std::fill_n(out, velocities(), 0.0);
  Node<double> a = read<double>(q, v, nullptr, 0);
  node_momentum(0, a, out);
  for (int k = 1; k < nodes(); ++k) {
    const Node<double> b = read<double>(q + 7 * k, v + 6 * k, nullptr, 0);
    element_momentum(elements_[static_cast<std::size_t>(k - 1)], a, b, out + 6 * (k - 1),
                     out + 6 * k);
    node_momentum(k, b, out + 6 * k);
    a = b;
  }
  for (int c = 0; c < velocities(); ++c) out[c] = -out[c];
}

void SpatialBeam::momentum_derivative(const double* q, const double* v, const double* a,
                                      const Sink& sink) const {
  using Two = Dual<2 * kNode>;
  const auto column = [&](int node, int c) {
    return c < 7 ? 7 * node + c : positions() + 6 * node + c - 7;
  };
  for (int k = 0; k < nodes(); ++k) {
    std::array<Two, 12> out{};
    const Node<Two> first = read<Two>(q + 7 * k, v + 6 * k, a + 6 * k, 0);
    const bool last = k + 1 == nodes();
    node_momentum(k, first, out.data());
    if (!last)
      element_momentum(elements_[static_cast<std::size_t>(k)], first,
                       read<Two>(q + 7 * k + 7, v + 6 * k + 6, a + 6 * k + 6, kNode), out.data(),
                       out.data() + 6);
    for (int r = 0; r < (last ? 6 : 12); ++r)
      for (int c = 0; c < (last ? kNode : 2 * kNode); ++c)
        sink(6 * k + r, column(k + c / kNode, c % kNode), out[static_cast<std::size_t>(r)].d[c]);
  }
}

void SpatialBeam::mass(const double* q, MatX& block) const {
  if (block.rows() != velocities()) block.setZero(velocities(), velocities());
  for (int k = 0; k < nodes(); ++k) {  // the rest is never touched
    const int first = std::max(0, k - 1), last = std::min(nodes() - 1, k + 1);
    block.block(6 * k, 6 * first, 6, 6 * (last - first + 1)).setZero();
  }
  const Mat3 turning = across(axes_.col(0));
  const auto turned = [&](int k) -> Mat3 {
    return rotation_matrix(Vec4(vec4(q + 7 * k + 3))) * turning;
  };
  Mat3 G[2] = {turned(0), turned(0)};
  for (int k = 0; k < nodes(); ++k)
    block.block<3, 3>(6 * k + 3, 6 * k + 3) += turning_[static_cast<std::size_t>(k)];
  for (int k = 0; k + 1 < nodes(); ++k) {
    G[0] = G[1];
    G[1] = turned(k + 1);
    const auto& m = elements_[static_cast<std::size_t>(k)].mass;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        auto part = block.block<6, 6>(6 * (k + i), 6 * (k + j));
        part.topLeftCorner<3, 3>().diagonal().array() += m[2 * i][2 * j];
        part.topRightCorner<3, 3>() += m[2 * i][2 * j + 1] * G[j];
        part.bottomLeftCorner<3, 3>() += m[2 * i + 1][2 * j] * G[i].transpose();
        part.bottomRightCorner<3, 3>() += m[2 * i + 1][2 * j + 1] * G[i].transpose() * G[j];
      }
  }
}

void SpatialBeam::mass_times(const double* q, const double* a, double* out) const {
  std::fill_n(out, velocities(), 0.0);
  const Mat3 turning = across(axes_.col(0));
  Mat3 G[2];
  G[1] = rotation_matrix(Vec4(vec4(q + 3))) * turning;
  for (int k = 0; k < nodes(); ++k)
    vec3(out + 6 * k + 3) += turning_[static_cast<std::size_t>(k)] * vec3(a + 6 * k + 3);
  for (int k = 0; k + 1 < nodes(); ++k) {
    G[0] = G[1];
    G[1] = rotation_matrix(Vec4(vec4(q + 7 * k + 10))) * turning;
    const Vec3 second[4] = {vec3(a + 6 * k), G[0] * vec3(a + 6 * k + 3), vec3(a + 6 * k + 6),
                            G[1] * vec3(a + 6 * k + 9)};
    for (int i = 0; i < 4; ++i) {
      const auto& m = elements_[static_cast<std::size_t>(k)].mass[i];
      const Vec3 pull = m[0] * second[0] + m[1] * second[1] + m[2] * second[2] + m[3] * second[3];
      double* const to = out + 6 * (k + i / 2);
      if (i % 2 == 0)
        vec3(to) += pull;
      else
        vec3(to + 3) += G[i / 2].transpose() * pull;
    }
  }
}

MovingBody::Energies SpatialBeam::energies(const double* q, const double* v,
                                           const Pose<double>&) const {
  Energies out;
  std::vector<double> momentum(static_cast<std::size_t>(velocities()));
  mass_times(q, v, momentum.data());
  for (int c = 0; c < velocities(); ++c)
    out.kinetic += 0.5 * v[c] * momentum[static_cast<std::size_t>(c)];
  Strain<double> is;
  Node<double> a = read<double>(q, v, nullptr, 0);
  for (int k = 1; k < nodes(); ++k) {
    const Element& element = elements_[static_cast<std::size_t>(k - 1)];
    const Node<double> b = read<double>(q + 7 * k, v + 6 * k, nullptr, 0);
    strain(element, a, b, is);
    out.elastic += 0.5 * (element.axial * is.stretch * is.stretch +
                          is.u.dot(element.lateral * is.u) + is.psi.dot(element.couple * is.psi));
    out.potential -= gravity_.dot(element.weight[0] * a.r + element.weight[2] * b.r +
                                  element.weight[1] * a.R * axes_.col(0) +
                                  element.weight[3] * b.R * axes_.col(0));
    a = b;
  }
  return out;
}

double SpatialBeam::dissipated_power(const double* q, const double* v) const {
  double power = 0;
  if (!dissipates()) return power;
  Strain<double> is;
  Node<double> a = read<double>(q, v, nullptr, 0);
  for (int k = 1; k < nodes(); ++k) {
    const Element& element = elements_[static_cast<std::size_t>(k - 1)];
    const Node<double> b = read<double>(q + 7 * k, v + 6 * k, nullptr, 0);
    strain(element, a, b, is);
    power -= beam_.damping_time * loss(element, is);
    a = b;
  }
  return power;
}

void SpatialBeam::dissipated_power_derivative(const double* q, const double* v,
                                              const Sink& sink) const {
  if (!dissipates()) return;
  using Two = Dual<2 * kNode>;
  Strain<Two> is;
  for (int k = 0; k + 1 < nodes(); ++k) {
    const Element& element = elements_[static_cast<std::size_t>(k)];
    strain(element, read<Two>(q + 7 * k, v + 6 * k, nullptr, 0),
           read<Two>(q + 7 * k + 7, v + 6 * k + 6, nullptr, kNode), is);
    const Two power = loss(element, is);
    for (int c = 0; c < 2 * kNode; ++c) {
      const int node = k + c / kNode, own = c % kNode;
      sink(0, own < 7 ? 7 * node + own : positions() + 6 * node + own - 7,
           -beam_.damping_time * power.d[c]);
    }
  }
}

int SpatialBeam::sections() const { return sections_of(beam_); }

void SpatialBeam::observe(const double* q, const double* v, std::span<SectionState> out) const {
  Pose<double> own;
  std::vector<Pose<double>> others(static_cast<std::size_t>(attached()));
  place(q, v, own, others.data());
  const double length = beam_.length();
  Strain<double> is;
  for (std::size_t s = 0; s < out.size(); ++s) {
    const double x = length * (static_cast<double>(s) / static_cast<double>(out.size() - 1) - 0.5);
    std::size_t k = 0;
    while (k + 2 < places_.size() && places_[k + 1] <= x) ++k;
    const Element& element = elements_[k];
    const double l = element.length, xi = (x - places_[k]) / l;
    const Node<double> a = read<double>(q + 7 * k, v + 6 * k, nullptr, 0),
                       b = read<double>(q + 7 * k + 7, v + 6 * k + 6, nullptr, 0);
    const Vec3 place = (1 - 3 * xi * xi + 2 * xi * xi * xi) * a.r +
                       l * (xi - 2 * xi * xi + xi * xi * xi) * a.R * axes_.col(0) +
                       (3 * xi * xi - 2 * xi * xi * xi) * b.r +
                       l * (xi * xi * xi - xi * xi) * b.R * axes_.col(0);
    out[s].deflection = own.R.transpose() * (place - own.r) - x * axes_.col(0);
    strain(element, a, b, is);
    Vec3 n, m;
    stress(element, is, n, m);
    n = (axes_.transpose() * n).eval();
    m = (axes_.transpose() * m).eval();
    // Shear makes the moment vary along the element: m' = - e x n.
    const double off = (xi - 0.5) * l;
    out[s].force = n[0];
    out[s].torque = m[0];
    out[s].moment_y = m[1] + off * n[2];
    out[s].moment_z = m[2] - off * n[1];
  }
}

}  // namespace freeplay::dynamics
