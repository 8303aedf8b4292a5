// SPDX-License-Identifier: Apache-2.0
#include "fem/free_modes.hpp"

#include <freeplay/errors.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <fmt/format.h>

#include <limits>
#include <numbers>

namespace freeplay::fem {
namespace {

[[noreturn]] void refuse(const ReducedPart& part, std::string message, std::string hint) {
  Issue issue;
  issue.path = part.source;
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  throw ModelError(issue);
}

/// Does any motion of the held coordinates stir this mode? Their mass couples it with them; where
/// it does not, no joint can excite it: modes out of the plane of a mechanism, for one.
bool stirred(const MatX& M, const std::vector<int>& held, int mode) {
  // Of the effective mass; chosen: in a plane of symmetry, meshes leave 1e-5 of what is none and
  // 1e-2 of what is one.
  constexpr double kShare = 1e-4;
  for (const int b : held)
    if (M(b, mode) * M(b, mode) > kShare * M(b, b) * M(mode, mode)) return true;
  return false;
}

std::vector<int> chosen_coordinates(const ReducedPart& part, const MatX& M,
                                    const ModeChoice& choice) {
  std::vector<int> out;
  for (int k = 0; k < part.held(); k += 6)
    for (const int c :
         choice.planar ? std::vector<int>{0, 1, 5} : std::vector<int>{0, 1, 2, 3, 4, 5})
      out.push_back(k + c);
  const std::vector<int> held = out;
  const double bound = choice.max_frequency > 0 ? 2 * std::numbers::pi * choice.max_frequency
                                                : std::numeric_limits<double>::infinity();
  int left = choice.modes > 0 ? choice.modes : part.coordinates();
  for (int k = 0; k < part.fixed_frequency.size() && left > 0; ++k) {
    if (!(part.fixed_frequency[k] < bound)) break;
    if (!stirred(M, held, part.held() + k)) continue;
    out.push_back(part.held() + k);
    --left;
  }
  return out;
}

}  // namespace

MatX ReducedPart::rigid_motions() const {
  MatX out = MatX::Zero(coordinates(), 6);
  for (std::size_t k = 0; k < interfaces.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(6 * k);
    const Vec3& p = interfaces[k].point;
    out.block<6, 6>(at, 0).setIdentity();
    for (int c = 0; c < 3; ++c) out.block<3, 1>(at, 3 + c) = Vec3::Unit(c).cross(p);
  }
  return out;
}

std::vector<Vec3> compliances(const ReducedPart& part) {
  std::vector<Vec3> out;
  const Eigen::Index loose = part.held() - 6;
  if (loose <= 0) return out;
  const MatX K = part.stiffness.block(6, 6, loose, loose),
             C = K.ldlt().solve(MatX::Identity(loose, loose));
  for (Eigen::Index k = 0; k < loose; k += 6) out.push_back(C.diagonal().segment<3>(k));
  return out;
}

ModalPart free_modes(const ReducedPart& part, const ModeChoice& choice) {
  const MatX all = part.mass_matrix();
  const std::vector<int> kept = chosen_coordinates(part, all, choice);
  const MatX M = all(kept, kept), K = part.stiffness(kept, kept);
  const std::vector<int> motions =
      choice.planar ? std::vector<int>{0, 1, 5} : std::vector<int>{0, 1, 2, 3, 4, 5};
  const MatX R = part.rigid_motions()(kept, motions);

  const Eigen::LLT<MatX> factor(M);
  if (factor.info() != Eigen::Success)
    refuse(part, "its mass matrix is not positive", "the file was made from something else");
  // In y = L^T q the mass is 1; what is perpendicular to L^T R has no momentum.
  const MatX rigid = factor.matrixL().transpose() * R;
  const Eigen::HouseholderQR<MatX> qr(rigid);
  const MatX Q = qr.householderQ();
  const Eigen::Index n = M.rows() - R.cols();
  const MatX Z = factor.matrixL().transpose().solve(Q.rightCols(n));
  const MatX elastic = Z.transpose() * K * Z;
  const Eigen::SelfAdjointEigenSolver<MatX> modes(0.5 * (elastic + elastic.transpose()));
  if (modes.info() != Eigen::Success || !modes.eigenvalues().allFinite())
    refuse(part, "its modes cannot be computed", "the file was made from something else");
  if (n > 0 && !(modes.eigenvalues()[0] > 1e-12 * modes.eigenvalues()[n - 1]))
    refuse(part,
           fmt::format("its stiffness has the eigenvalue {:.3g} (rad/s)^2: a motion that deforms "
                       "nothing, or less than nothing",
                       modes.eigenvalues()[0]),
           "parts inside it hang on to each other too loosely");
  MatX psi = MatX::Zero(part.coordinates(), n);
  psi(kept, Eigen::all) = Z * modes.eigenvectors();
  // The sign of an eigenvector is nobody's: the largest entry is positive, on every machine.
  for (Eigen::Index j = 0; j < n; ++j) {
    Eigen::Index largest = 0;
    psi.col(j).cwiseAbs().maxCoeff(&largest);
    if (psi(largest, j) < 0) psi.col(j) *= -1;
  }

  ModalPart out;
  out.size = part.size;
  out.frequency = modes.eigenvalues().cwiseSqrt();
  for (std::size_t k = 0; k < part.interfaces.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(6 * k);
    out.interfaces.push_back({part.interfaces[k].name, part.interfaces[k].point,
                              psi.middleRows<3>(at), psi.middleRows<3>(at + 3)});
  }
  out.moments = part.moments * psi;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = a; b < 3; ++b) {
      const MatX product = psi.transpose() * part.products[3 * a + b] * psi;
      out.products[3 * b + a] = product.transpose();
      out.products[3 * a + b] = product;
    }
  return out;
}

}  // namespace freeplay::fem
