// SPDX-License-Identifier: Apache-2.0
#include "fem/reduce.hpp"

#include "fem/refuse.hpp"
#include "fem/static_solver.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace freeplay::fem {
namespace {

using Motions = Eigen::Matrix<double, 3, 6>;  // of a node by those of a point

std::size_t at(Eigen::Index k) { return static_cast<std::size_t>(k); }

/// u = t + theta x r, (FE.2).
Motions moved(const Vec3& r) {
  Motions out;
  out << 1, 0, 0, 0, r[2], -r[1],  //
      0, 1, 0, -r[2], 0, r[0],     //
      0, 0, 1, r[1], -r[0], 0;
  return out;
}

class Reducer {
 public:
  Reducer(const FreePart& part, const std::vector<Coupling>& couplings, int modes)
      : part_(part),
        couplings_(couplings),
        modes_(modes),
        nodes_(Eigen::Index(part.points.size())) {}

  Reduction run() {
    check_connected();
    weigh();
    check_free();
    check_couplings();
    choose_free_nodes();
    make_shapes();
    integrate();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::string path, std::string message, std::string hint) const {
    refuse({part_.name, 0}, std::move(path), std::move(message), std::move(hint));
  }
  [[nodiscard]] int number(Eigen::Index node) const { return part_.numbers[at(node)]; }

  /// All nodes hang together by the stiffness.
  void check_connected() const {
    std::vector<int> root(at(nodes_));
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int k) {
      while (root[at(k)] != k) k = root[at(k)] = root[at(root[at(k)])];
      return k;
    };
    const Sparse& K = part_.stiffness;
    for (int c = 0; c < K.outerSize(); ++c)
      for (Sparse::InnerIterator it(K, c); it; ++it)
        if (it.value() != 0) root[at(find(static_cast<int>(it.row()) / 3))] = find(c / 3);
    int pieces = 0, other = -1;
    for (int k = 0; k < nodes_; ++k)
      if (find(k) == k) {
        ++pieces;
        if (find(0) != k) other = k;
      }
    if (pieces > 1)
      fail("elements",
           fmt::format("the part is in {} pieces: nothing connects node {} with node {}", pieces,
                       number(0), number(other)),
           "merge nodes that lie on each other, or reduce the pieces as parts of their own");
  }

  void weigh() {
    ReducedPart& p = out_.part;
    p.source = part_.name;
    X_.resize(nodes_, 3);
    for (Eigen::Index k = 0; k < nodes_; ++k) X_.row(k) = part_.points[at(k)].transpose();
    const VecX one = VecX::Ones(nodes_), spread = part_.mass * one;
    p.mass = one.dot(spread);
    if (!(p.mass > 0) || !std::isfinite(p.mass))
      fail("mass", fmt::format("the part has a mass of {:.6g} kg", p.mass),
           "give its material a *DENSITY");
    p.centre = X_.transpose() * spread / p.mass;
    X_.rowwise() -= p.centre.transpose();
    p.size = std::sqrt(X_.rowwise().squaredNorm().maxCoeff());
    const Mat3 S = X_.transpose() * (part_.mass * X_);
    p.inertia = S.trace() * Mat3::Identity() - 0.5 * (S + S.transpose());
    const Vec3 principal =
        Eigen::SelfAdjointEigenSolver<Mat3>(p.inertia, Eigen::EigenvaluesOnly).eigenvalues();
    if (!(principal[0] > 0))
      fail("mass", fmt::format("the smallest moment of inertia is {:.3g} kg m^2", principal[0]),
           "check the mass matrix and the coordinates");
  }

  /// Motions of the whole part as one, turns about its centre: 3 nodes x 6.
  [[nodiscard]] MatX rigid() const {
    MatX out(3 * nodes_, 6);
    for (Eigen::Index k = 0; k < nodes_; ++k)
      out.middleRows<3>(3 * k) = moved(X_.row(k).transpose());
    return out;
  }

  void check_free() {
    MatX R = rigid();
    R.rightCols<3>() /= out_.part.size;
    const Sparse& K = part_.stiffness;
    const double scale = K.diagonal().cwiseAbs().maxCoeff();
    if (!(scale > 0)) fail("stiffness", "the part has no stiffness", "");
    const MatX KR = K * R;
    out_.rigid_stiffness = KR.cwiseAbs().maxCoeff() / scale;
    constexpr double kFree = 1e-9;  // of 14 digits, added up over the neighbours of a node
    if (out_.rigid_stiffness > kFree)
      fail("stiffness",
           fmt::format("moving the part as one meets a resistance of {:.2g} of its stiffness",
                       out_.rigid_stiffness),
           "it has to be free of supports and springs to the ground, and the coordinates must be "
           "those of the matrices");
  }

  void check_couplings() const {
    if (couplings_.empty())
      fail("interfaces", "no interface is named", "say which face a joint takes hold of");
    std::vector<int> owner(at(nodes_), -1);
    for (std::size_t c = 0; c < couplings_.size(); ++c) {
      const Coupling& is = couplings_[c];
      for (const int node : is.nodes) {
        int& own = owner[at(node)];
        if (own >= 0)
          fail("interfaces." + is.name,
               fmt::format("node {} belongs to '{}' as well", number(node),
                           couplings_[at(own)].name),
               "a node can follow one interface only");
        own = static_cast<int>(c);
      }
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> eigen(gathered(is, true));
      if (!(eigen.eigenvalues()[0] > 1e-9 * eigen.eigenvalues()[5]))
        fail("interfaces." + is.name,
             fmt::format("its {} nodes lie on a line or in a point, and cannot carry a moment",
                         is.nodes.size()),
             "choose a face");
    }
  }

  /// Sum of w T^T T; scaled: lengths in the size of the face.
  [[nodiscard]] Eigen::Matrix<double, 6, 6> gathered(const Coupling& is, bool scaled) const {
    double size = 0;
    Vec3 middle = Vec3::Zero();
    for (const int node : is.nodes) middle += part_.points[at(node)] / double(is.nodes.size());
    for (const int node : is.nodes) size = std::max(size, (part_.points[at(node)] - middle).norm());
    Eigen::Matrix<double, 6, 6> out = Eigen::Matrix<double, 6, 6>::Zero();
    for (std::size_t k = 0; k < is.nodes.size(); ++k) {
      Vec3 r = part_.points[at(is.nodes[k])] - (scaled ? middle : is.point);
      if (scaled && size > 0) r /= size;
      const Motions T = moved(r);
      out += (is.averaged ? is.weights[k] : 1.0) * T.transpose() * T;
    }
    return out;
  }

  void choose_free_nodes() {
    free_.assign(at(nodes_), 0);
    for (const Coupling& is : couplings_)
      if (!is.averaged)
        for (const int node : is.nodes) free_[at(node)] = -1;
    int count = 0;
    for (int& row : free_)
      if (row >= 0) row = count++;
    const int conditions =
        6 * static_cast<int>(std::count_if(couplings_.begin(), couplings_.end(),
                                           [](const Coupling& is) { return is.averaged; }));
    const int most = (3 * count - conditions) / 4;
    if (modes_ > most)
      fail("modes",
           fmt::format("{} modes are asked for; so few nodes have at most {}", modes_, most),
           "ask for fewer");
    free_count_ = count;
  }

  [[nodiscard]] Sparse free_rows(const Sparse& m, int per_node, int copies) const {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(at(m.nonZeros() * copies));
    for (int c = 0; c < m.outerSize(); ++c) {
      const int column = free_[at(c / per_node)];
      if (column < 0) continue;
      for (Sparse::InnerIterator it(m, c); it; ++it) {
        const int row = free_[at(it.row() / per_node)];
        if (row < 0) continue;
        for (int d = 0; d < copies; ++d)
          entries.emplace_back(3 * row + (copies == 1 ? int(it.row() % per_node) : d),
                               3 * column + (copies == 1 ? c % per_node : d), it.value());
      }
    }
    Sparse out(3 * free_count_, 3 * free_count_);
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  }
  [[nodiscard]] MatX free_rows(const MatX& m) const {
    MatX out(3 * free_count_, m.cols());
    for (Eigen::Index k = 0; k < nodes_; ++k)
      if (free_[at(k)] >= 0) out.middleRows<3>(3 * free_[at(k)]) = m.middleRows<3>(3 * k);
    return out;
  }
  void put(const VecX& u, Eigen::Index column) {
    for (Eigen::Index k = 0; k < nodes_; ++k)
      if (free_[at(k)] >= 0) out_.basis.block<3, 1>(3 * k, column) = u.segment<3>(3 * free_[at(k)]);
  }

  /// The mean motion of averaged faces, (FE.3).
  [[nodiscard]] MatX conditions() const {
    MatX A = MatX::Zero(0, 3 * free_count_);
    for (const Coupling& is : couplings_) {
      if (!is.averaged) continue;
      A.conservativeResize(A.rows() + 6, Eigen::NoChange);
      A.bottomRows<6>().setZero();
      const Eigen::FullPivLU<Eigen::Matrix<double, 6, 6>> G(gathered(is, false));
      for (std::size_t k = 0; k < is.nodes.size(); ++k) {
        const Motions T = moved(part_.points[at(is.nodes[k])] - is.point);
        A.block<6, 3>(A.rows() - 6, 3 * free_[at(is.nodes[k])]) =
            G.solve(is.weights[k] * T.transpose());
      }
    }
    return A;
  }

  void make_shapes() {
    const bool all_averaged = std::all_of(couplings_.begin(), couplings_.end(),
                                          [](const Coupling& is) { return is.averaged; });
    MatX R = MatX::Zero(3 * free_count_, 0);
    if (all_averaged) {
      R = free_rows(rigid());
      R.rightCols<3>() /= out_.part.size;
    }
    const StaticSolver solver(free_rows(part_.stiffness, 3, 1), conditions(), std::move(R));
    if (const auto weak = solver.weakness()) {
      const auto node = std::find(free_.begin(), free_.end(), weak->row / 3) - free_.begin();
      if (weak->pivot < -1e-12)
        fail("stiffness",
             fmt::format("its stiffness is negative (pivot {:.2g}) at node {}, direction {}",
                         weak->pivot, number(node), weak->row % 3 + 1),
             "elements turned inside out, or a material that is not stable");
      fail("stiffness",
           fmt::format("nothing holds node {} in direction {}: the part is a mechanism there",
                       number(node), weak->row % 3 + 1),
           "elements that share an edge or a corner only hinge on it");
    }
    const auto held = static_cast<Eigen::Index>(6 * couplings_.size());
    out_.basis = MatX::Zero(3 * nodes_, held + modes_);
    static_shapes(solver);
    const StaticSolver::Modes modes = solver.modes(free_rows(part_.mass, 1, 3), modes_);
    if (!modes.converged)
      fail("modes", "the modes between the interfaces were not found", "ask for fewer or more");
    if (modes_ > 0 && !(modes.squares.minCoeff() > 0))
      fail("modes",
           fmt::format("a mode with held interfaces has the eigenvalue {:.3g} (rad/s)^2",
                       modes.squares.minCoeff()),
           "the stiffness or the mass is not positive");
    out_.part.fixed_frequency = modes.squares.cwiseSqrt();
    for (Eigen::Index j = 0; j < modes_; ++j) put(modes.shapes.col(j), held + j);
  }

  /// Each coordinate of each interface by 1, the others held: (FE.7).
  void static_shapes(const StaticSolver& solver) {
    int conditions = 0;
    for (const Coupling& is : couplings_) conditions += is.averaged ? 6 : 0;
    int condition = 0;
    Eigen::Index column = 0;
    for (const Coupling& is : couplings_)
      for (int c = 0; c < 6; ++c, ++column) {
        VecX b = VecX::Zero(3 * free_count_), d = VecX::Zero(conditions);
        if (is.averaged) {
          d[condition++] = 1;
        } else {
          for (const int node : is.nodes)
            out_.basis.block<3, 1>(3 * node, column) =
                moved(part_.points[at(node)] - is.point).col(c);
          b = -free_rows(MatX(part_.stiffness * out_.basis.col(column)));
        }
        const VecX u = solver.solve(b, d);
        out_.imbalance = std::max(out_.imbalance, solver.imbalance(u, b));
        put(u, column);
      }
  }

  void integrate() {
    ReducedPart& p = out_.part;
    const MatX& U = out_.basis;
    for (const Coupling& is : couplings_)
      p.interfaces.push_back({is.name, is.averaged, is.point - p.centre});
    const MatX K = U.transpose() * (part_.stiffness * U);
    p.stiffness = 0.5 * (K + K.transpose());
    // Modes and static shapes do not work on each other, and each mode has its frequency.
    const Eigen::Index held = p.held(), n = modes_;
    p.stiffness.topRightCorner(held, n).setZero();
    p.stiffness.bottomLeftCorner(n, held).setZero();
    p.stiffness.bottomRightCorner(n, n) = p.fixed_frequency.cwiseAbs2().asDiagonal();
    MatX by[3], weighed[3];
    for (int a = 0; a < 3; ++a) {
      by[a].resize(nodes_, U.cols());
      for (Eigen::Index k = 0; k < nodes_; ++k) by[a].row(k) = U.row(3 * k + a);
      weighed[a] = part_.mass * by[a];
    }
    p.first.resize(3, U.cols());
    p.moments.resize(9, U.cols());
    for (int a = 0; a < 3; ++a) {
      p.first.row(a) = weighed[a].colwise().sum();
      for (int b = 0; b < 3; ++b) {
        p.moments.row(3 * a + b) = X_.col(a).transpose() * weighed[b];
        p.products[at(3 * a + b)] = by[a].transpose() * weighed[b];
      }
    }
    check_mass();
  }

  void check_mass() {
    const ReducedPart& p = out_.part;
    const MatX R = p.rigid_motions();
    Eigen::Matrix<double, 6, 6> is = R.transpose() * p.mass_matrix() * R,
                                should = Eigen::Matrix<double, 6, 6>::Zero();
    should.topLeftCorner<3, 3>() = p.mass * Mat3::Identity();
    should.bottomRightCorner<3, 3>() = p.inertia;
    is.topRightCorner<3, 3>() /= p.size, is.bottomLeftCorner<3, 3>() /= p.size;
    is.bottomRightCorner<3, 3>() /= p.size * p.size;
    should.bottomRightCorner<3, 3>() /= p.size * p.size;
    out_.rigid_mass = (is - should).cwiseAbs().maxCoeff() / p.mass;
  }

  const FreePart& part_;
  const std::vector<Coupling>& couplings_;
  int modes_;
  Eigen::Index nodes_;
  MatX X_;                 // nodes x 3: from the centre of mass
  std::vector<int> free_;  // row among the free nodes, -1 for nodes of rigid faces
  int free_count_ = 0;
  Reduction out_;
};

}  // namespace

Reduction reduce(const FreePart& part, const std::vector<Coupling>& couplings, int modes) {
  return Reducer(part, couplings, modes).run();
}

}  // namespace freeplay::fem
