// SPDX-License-Identifier: Apache-2.0
#include "core/views.hpp"
#include "dynamics/constraints/projection.hpp"
#include "dynamics/tree/tree.hpp"

#include <algorithm>
#include <cmath>

// The rows that close what the tree leaves open: their values and gradients, and the projection.
namespace freeplay::dynamics {

template <int Rd>
void Tree<Rd>::note_references(const double* y, const double* memory) {
  for (int r = 0; r < rows(); ++r) {
    if (rows_[r].coupling < 0) continue;
    for (std::size_t s = 0; s < rows_[r].shares.size(); ++s)
      angle_reference_[r][s] =
          angle_reference(rows_[r].shares[s].joint, rows_[r].shares[s].coordinate, y, memory);
  }
}

/// Rows at the present motion; with `accelerating`, gamma for the free accelerations alone: what
/// velocities and drives bring along is in accelerations_.
template <int Rd>
void Tree<Rd>::evaluate_rows(double t, bool accelerating) {
  const int driven = static_cast<int>(kernel_.prescribed().size());
  for (int r = 0; r < rows(); ++r) {
    Row& row = rows_[r];
    double* gradient = kkt_.gradient(r);
    std::fill_n(gradient, kkt_.gradient_size(r), 0.0);
    std::fill(row.driven.begin(), row.driven.end(), 0.0);
    phi_[r] = row.coupling >= 0 ? -written_.coupling_offset[row.coupling] : 0.0;
    phi_t_[r] = gamma_[r] = 0;
    for (const Share& share : row.shares) {
      const Joint& joint = model_.joints[share.joint];
      const BodyIndex b1 = joint.first.body, b2 = joint.second.body;
      const auto g = place_of(joint, poses_[b1], poses_[b2]);
      const Jet drive =
          share.spec.drive < 0
              ? Jet{}
              : freeplay::evaluate(written_.drives[share.joint][share.spec.drive].motion, t);
      const auto value = evaluate_row(share.spec, joint, g, drive, model_.planar);
      phi_[r] +=
          row.coupling < 0
              ? value.phi
              : share.factor * coordinate_value(joint, share.coordinate, g, model_.planar,
                                                angle_reference_[r][&share - &row.shares[0]]);
      phi_t_[r] += share.factor * value.phi_t;
      gamma_[r] += share.factor * value.gamma;
      if (accelerating)
        gamma_[r] -=
            share.factor *
            (value.v1.dot(accelerations_[b1].linear) + value.w1.dot(accelerations_[b1].angular) +
             value.v2.dot(accelerations_[b2].linear) + value.w2.dot(accelerations_[b2].angular));
      const int* place = share.place.data();
      const auto add = [&](BodyIndex body, const Vec3& v, const Vec3& w) {
        if (body == kGround) return;
        const int i = topology_.node_of[body];
        Wrench<double> covector;
        covector.force = share.factor * v;
        covector.moment = share.factor * w;
        kernel_.template walk_up<double>(motion_.data(), i,
                                         Kernel::template about_joint<double>(covector, motion_[i]),
                                         [&](int, double x) {
                                           if (*place >= 0)
                                             gradient[*place] += x;
                                           else
                                             row.driven[-1 - *place] += x;
                                           ++place;
                                         });
      };
      add(b1, value.v1, value.w1);
      add(b2, value.v2, value.w2);
    }
    for (int d = 0; d < driven; ++d) phi_t_[r] += row.driven[d] * kernel_.prescribed()[d].jet.dx;
  }
}

/// Rates of the rows, driven speeds included.
template <int Rd>
void Tree<Rd>::row_rate(const double* v) {
  kkt_.rates(v, row_rate_.data());
  for (int r = 0; r < rows(); ++r)
    for (std::size_t d = 0; d < rows_[r].driven.size(); ++d)
      row_rate_[r] += rows_[r].driven[d] * kernel_.prescribed()[d].jet.dx;
}

template <int Rd>
double Tree<Rd>::violation(double t, const double* y, const double* memory) {
  if (rows_.empty()) return 0;
  place(t, y);
  note_references(y, memory);
  evaluate_rows(t, false);
  double worst = 0;
  for (int r = 0; r < rows(); ++r) worst = std::max(worst, std::abs(phi_[r]) / rows_[r].scale);
  return worst;
}

template <int Rd>
void Tree<Rd>::displace(double* y, const double* increment) const {
  for (const auto& node : kernel_.nodes()) {
    if (!node.absolute()) {
      for (int k = 0; k < node.columns; ++k)
        if (node.at_drive[k] < 0) y[node.at_q[k]] += increment[node.at_v[k]];
      continue;
    }
    double* q = y + node.q;
    const double* d = increment + node.v;
    if (node.kind == TreeKind::free)
      for (int k = 0; k < S::Ld; ++k) *q++ += *d++;
    if constexpr (Rd == 3) {
      auto p = vec4(q);
      p = quaternion_product(Vec4(p), quaternion_exp(vec3(d)));
      p.normalize();
    } else {
      *q += *d;
    }
  }
}

template <int Rd>
bool Tree<Rd>::project(double t, double* y, const double* memory) {
  normalise(y);
  if (rows_.empty()) return true;
  const Projected out = project_onto(
      ProjectedRows<TreeKkt>{kkt_, phi_, phi_t_, row_rate_, solution_}, y + positions(),
      [&] { (void)violation(t, y, memory); },
      [&] {
        update_mass();
        return kkt_.factorise();
      },
      [&](const double* x) { displace(y, x); }, [&](int r) { return rows_[r].scale; });
  if (out.culprit >= 0) culprit_ = "joint " + rows_[out.culprit].name;
  return out.done;
}

template void Tree<1>::note_references(const double*, const double*);
template void Tree<3>::note_references(const double*, const double*);
template void Tree<1>::evaluate_rows(double, bool);
template void Tree<3>::evaluate_rows(double, bool);
template void Tree<1>::row_rate(const double*);
template void Tree<3>::row_rate(const double*);
template double Tree<1>::violation(double, const double*, const double*);
template double Tree<3>::violation(double, const double*, const double*);
template bool Tree<1>::project(double, double*, const double*);
template bool Tree<3>::project(double, double*, const double*);

}  // namespace freeplay::dynamics
