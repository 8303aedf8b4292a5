// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/modal_basis.hpp"

#include "dynamics/bodies/beam_line.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace freeplay::dynamics {
namespace {

/// Gauss and Legendre on -1 .. 1, exact to degree 7: products of two cubics.
struct GaussPoint {
  double x, weight;
};
constexpr std::array<GaussPoint, 4> kGauss{{{-0.8611363115940526, 0.3478548451374538},
                                            {-0.3399810435848563, 0.6521451548625461},
                                            {0.3399810435848563, 0.6521451548625461},
                                            {0.8611363115940526, 0.3478548451374538}}};

/// What may happen to a point of the axis. Fields of a straight beam do not know of each other.
enum class Kind { stretch, towards_y, towards_z, twist };

/// One field over the elements between nodes: quadratic where a slope may jump (stretch, twist),
/// cubic with slopes as coordinates where it may not (bending).
class Field {
 public:
  Field(Kind kind, const std::vector<double>& nodes)
      : kind_(kind), nodes_(nodes), bends_(kind == Kind::towards_y || kind == Kind::towards_z) {}

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool bends() const { return bends_; }
  [[nodiscard]] int rigid() const { return bends_ ? 2 : 1; }
  [[nodiscard]] int size() const {
    const int n = static_cast<int>(nodes_.size());
    return bends_ ? 2 * n : 2 * n - 1;
  }
  /// Coordinates that a joint at a node takes hold of.
  [[nodiscard]] std::vector<int> held_at(int node) const {
    return bends_ ? std::vector<int>{2 * node, 2 * node + 1} : std::vector<int>{2 * node};
  }
  /// Weights of the coordinates in the field (0) or its derivatives at x, seen from element e.
  [[nodiscard]] VecX at(int e, double x, int derivative) const {
    const double a = nodes_[static_cast<std::size_t>(e)],
                 l = nodes_[static_cast<std::size_t>(e) + 1] - a, s = (x - a) / l;
    VecX out = VecX::Zero(size());
    if (bends_) {
      Eigen::Vector4d w;
      if (derivative == 0)
        w << 1 + s * s * (2 * s - 3), l * s * (1 + s * (s - 2)), s * s * (3 - 2 * s),
            l * s * s * (s - 1);
      else if (derivative == 1)
        w << 6 * s * (s - 1) / l, 1 + s * (3 * s - 4), 6 * s * (1 - s) / l, s * (3 * s - 2);
      else
        w << (12 * s - 6) / (l * l), (6 * s - 4) / l, (6 - 12 * s) / (l * l), (6 * s - 2) / l;
      out.segment<4>(2 * e) = w;
    } else {
      Eigen::Vector3d w;
      if (derivative == 0)
        w << (1 - s) * (1 - 2 * s), 4 * s * (1 - s), s * (2 * s - 1);
      else
        w << (4 * s - 3) / l, (4 - 8 * s) / l, (4 * s - 1) / l;
      out.segment<3>(2 * e) = w;
    }
    return out;
  }

 private:
  Kind kind_;
  const std::vector<double>& nodes_;
  bool bends_;
};

/// visit(element, x, weight) at the points of integration from `from` to `to`.
template <class Visit>
void integrate(const std::vector<double>& nodes, double from, double to, Visit&& visit) {
  for (std::size_t e = 0; e + 1 < nodes.size(); ++e) {
    const double a = std::max(nodes[e], from), b = std::min(nodes[e + 1], to);
    if (b <= a) continue;
    for (const GaussPoint& g : kGauss)
      visit(static_cast<int>(e), 0.5 * (a + b) + 0.5 * (b - a) * g.x, 0.5 * (b - a) * g.weight);
  }
}

/// A field held at the nodes of joints: what it does between them, and with them.
struct Held {
  Field field;
  MatX M, K;
  std::vector<int> inner, outer;
  VecX values;  // squares of the frequencies between the joints
  MatX shapes;  // of the inner coordinates
  int kept = 0;
};

MatX pick(const MatX& m, const std::vector<int>& rows, const std::vector<int>& columns) {
  MatX out(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < columns.size(); ++c)
      out(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = m(rows[r], columns[c]);
  return out;
}

Held hold(Field field, const std::vector<double>& nodes, const std::vector<int>& joints,
          double mass, double stiffness) {
  Held out{std::move(field), {}, {}, {}, {}, {}, {}, 0};
  const int n = out.field.size();
  out.M = out.K = MatX::Zero(n, n);
  const int order = out.field.bends() ? 2 : 1;
  integrate(nodes, nodes.front(), nodes.back(), [&](int e, double x, double weight) {
    const VecX place = out.field.at(e, x, 0), strain = out.field.at(e, x, order);
    out.M += weight * mass * place * place.transpose();
    out.K += weight * stiffness * strain * strain.transpose();
  });
  std::vector<bool> held(static_cast<std::size_t>(n), false);
  for (const int node : joints)
    for (const int c : out.field.held_at(node)) held[static_cast<std::size_t>(c)] = true;
  for (int c = 0; c < n; ++c)
    (held[static_cast<std::size_t>(c)] ? out.outer : out.inner).push_back(c);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> modes(pick(out.K, out.inner, out.inner),
                                                             pick(out.M, out.inner, out.inner));
  out.values = modes.eigenvalues();
  out.shapes = modes.eigenvectors();
  if (out.outer.empty()) out.kept = out.field.rigid();  // flies free: they go again below
  return out;
}

/// Shapes of the whole field, a column each, orthonormal by the mass, and their frequencies.
struct Reduced {
  MatX shapes;
  VecX frequency;
};
Reduced reduce(const Held& h) {
  const int n = h.field.size();
  const auto outer = static_cast<Eigen::Index>(h.outer.size());
  MatX T = MatX::Zero(n, outer + h.kept);
  for (Eigen::Index k = 0; k < outer; ++k) T(h.outer[static_cast<std::size_t>(k)], k) = 1;
  if (outer > 0 && !h.inner.empty()) {
    const MatX still = -pick(h.K, h.inner, h.inner).ldlt().solve(pick(h.K, h.inner, h.outer));
    for (std::size_t i = 0; i < h.inner.size(); ++i)
      T.row(h.inner[i]).head(outer) = still.row(static_cast<Eigen::Index>(i));
  }
  for (std::size_t i = 0; i < h.inner.size(); ++i)
    T.row(h.inner[i]).tail(h.kept) = h.shapes.row(static_cast<Eigen::Index>(i)).head(h.kept);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> modes(MatX(T.transpose() * h.K * T),
                                                             MatX(T.transpose() * h.M * T));
  const Eigen::Index deforming = T.cols() - h.field.rigid();
  if (deforming <= 0) return {MatX::Zero(n, 0), VecX(0)};
  return {T * modes.eigenvectors().rightCols(deforming),
          modes.eigenvalues().tail(deforming).cwiseMax(0).cwiseSqrt()};
}

class BasisMaker {
 public:
  BasisMaker(const Flexible& beam, bool planar, std::span<const Vec3> loaded,
             std::span<const Vec3> watched)
      : beam_(beam), axes_(beam_axes(beam_, planar)), planar_(planar), half_(0.5 * beam_.length()) {
    for (const Vec3& point : loaded) attached_.push_back(along_axis(beam_, point));
    place_nodes();
    for (const Vec3& point : watched) attached_.push_back(along_axis(beam_, point));
  }

  [[nodiscard]] ModalBasis make() {
    reduce_fields();
    out_.axis = axes_.col(0);
    integrate_mass();
    for (const double x : attached_) out_.attached.push_back(station(x));
    const int n = sections_of(beam_);
    for (int k = 0; k < n; ++k) out_.sections.push_back(station(half_ * (2.0 * k / (n - 1) - 1)));
    return std::move(out_);
  }

 private:
  void place_nodes() {
    nodes_ = beam_nodes(beam_, attached_);  // one in the middle, where G of (MO.1) has a kink
    const double same = kSamePlace * half_;
    for (const double x : attached_)
      for (std::size_t k = 0; k < nodes_.size(); ++k)
        if (std::abs(nodes_[k] - x) <= same) joints_.push_back(static_cast<int>(k));
    std::sort(joints_.begin(), joints_.end());
    joints_.erase(std::unique(joints_.begin(), joints_.end()), joints_.end());
  }

  void reduce_fields() {
    std::vector<Held> held;
    const auto add = [&](Kind kind, double mass, double stiffness) {
      held.push_back(hold(Field(kind, nodes_), nodes_, joints_, mass, stiffness));
    };
    add(Kind::stretch, beam_.rhoA, beam_.EA);
    add(Kind::towards_y, beam_.rhoA, beam_.EI_z);
    if (!planar_) add(Kind::towards_z, beam_.rhoA, beam_.EI_y);
    if (!planar_) add(Kind::twist, beam_.rhoJ, beam_.GJ);
    choose(held);
    std::vector<Reduced> reduced;
    for (const Held& h : held) {
      reduced.push_back(reduce(h));
      out_.modes += static_cast<int>(reduced.back().frequency.size());
    }
    out_.frequency.resize(out_.modes);
    int first = 0;
    for (std::size_t k = 0; k < held.size(); ++k) {
      const auto n = static_cast<int>(reduced[k].frequency.size());
      out_.frequency.segment(first, n) = reduced[k].frequency;
      fields_.push_back({held[k].field, reduced[k].shapes, first});
      first += n;
    }
  }

  /// The lowest of all fields together, or all below a frequency.
  void choose(std::vector<Held>& held) const {
    const double bound = beam_.max_frequency > 0
                             ? std::pow(2 * std::numbers::pi * beam_.max_frequency, 2)
                             : std::numeric_limits<double>::infinity();
    constexpr int kMostByFrequency = 40;
    const int wanted = beam_.max_frequency > 0 ? kMostByFrequency
                       : beam_.modes > 0       ? beam_.modes
                       : planar_               ? 10
                                               : 16;
    for (int k = 0; k < wanted; ++k) {
      Held* next = nullptr;
      for (Held& h : held)
        if (h.kept < h.values.size() && h.values[h.kept] < bound &&
            (!next || h.values[h.kept] < next->values[next->kept]))
          next = &h;
      if (!next) return;
      ++next->kept;
    }
  }

  struct Part {
    Field field;
    MatX shapes;  // a column for each of its modes
    int first;    // of them
  };

  /// A derivative of the displacements along the axis and both directions of the section, and of
  /// the twist: 4 x modes.
  [[nodiscard]] MatX fields_at(int e, double x, int derivative) const {
    MatX out = MatX::Zero(4, out_.modes);
    for (const Part& part : fields_)
      if (derivative < 2 || part.field.bends())
        out.row(static_cast<int>(part.field.kind())).segment(part.first, part.shapes.cols()) =
            part.field.at(e, x, derivative).transpose() * part.shapes;
    return out;
  }
  /// Slopes of both bending fields, multiplied: what shortens the axis.
  [[nodiscard]] MatX slope_products(int e, double x) const {
    const MatX slope = fields_at(e, x, 1).middleRows<2>(1);
    return slope.transpose() * slope;
  }

  void integrate_mass() {
    const int n = out_.modes;
    out_.first = MatX::Zero(3, n);
    MatX shortening = MatX::Zero(n, n), shortening_x = shortening;
    out_.moments = MatX::Zero(9, n);
    std::vector<MatX> products(9, MatX::Zero(n, n));
    out_.twist = VecX::Zero(n);
    integrate(nodes_, -half_, half_, [&](int e, double x, double weight) {
      const MatX field = fields_at(e, x, 0), psi = axes_ * field.topRows<3>();
      const double dm = weight * beam_.rhoA;
      const Vec3 point = x * axes_.col(0);
      out_.first += dm * psi;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
          out_.moments.row(3 * a + b) += dm * point[a] * psi.row(b);
          products[static_cast<std::size_t>(3 * a + b)] += dm * psi.row(a).transpose() * psi.row(b);
        }
      const MatX slopes = slope_products(e, x);
      shortening += dm * ((x > 0 ? half_ : -half_) - x) * slopes;
      shortening_x += dm * 0.5 * (half_ * half_ - x * x) * slopes;
      out_.twist += weight * beam_.rhoJ * field.row(3).transpose();
    });
    out_.shortening = shortening;
    out_.shortening_x = shortening_x;
    out_.products.assign(products.begin(), products.end());
  }

  [[nodiscard]] ModalStation station(double x) const {
    ModalStation out;
    const int n = out_.modes;
    out.point = x * axes_.col(0);
    int e = 0;
    while (e + 2 < static_cast<int>(nodes_.size()) && nodes_[static_cast<std::size_t>(e) + 1] < x)
      ++e;
    const MatX field = fields_at(e, x, 0), slope = fields_at(e, x, 1);
    out.place = axes_ * field.topRows<3>();
    MatX turn(3, n);
    turn << field.row(3), -slope.row(2), slope.row(1);
    out.turn = axes_ * turn;
    MatX shortening = MatX::Zero(n, n);
    integrate(nodes_, std::min(x, 0.0), std::max(x, 0.0), [&](int at, double s, double weight) {
      shortening += (x < 0 ? -weight : weight) * slope_products(at, s);
    });
    out.shortening = shortening;
    // Strains jump where forces act: the mean of both sides.
    const auto strain = [&](int at) {
      const MatX first = fields_at(at, x, 1), second = fields_at(at, x, 2);
      MatX s(4, n);
      s << first.row(0), -second.row(2), second.row(1), first.row(3);
      return s;
    };
    out.strain = strain(e);
    if (e + 2 < static_cast<int>(nodes_.size()) &&
        std::abs(nodes_[static_cast<std::size_t>(e) + 1] - x) <= kSamePlace * half_)
      out.strain = 0.5 * (out.strain + strain(e + 1));
    return out;
  }

  const Flexible& beam_;
  Mat3 axes_;
  bool planar_;
  double half_;                   // length; m
  std::vector<double> nodes_;     // along the axis from its middle
  std::vector<double> attached_;  // places of joints, forces and markers there
  std::vector<int> joints_;       // nodes where it is loaded
  std::vector<Part> fields_;
  ModalBasis out_;
};

}  // namespace

ModalBasis make_modal_basis(const Body& body, bool planar, std::span<const Vec3> loaded,
                            std::span<const Vec3> watched) {
  if (body.flexible->part) return make_part_basis(body, planar, loaded, watched);
  return BasisMaker(*body.flexible, planar, loaded, watched).make();
}

}  // namespace freeplay::dynamics
