// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/tree.hpp"

// Exact derivatives in joint coordinates. The inverse dynamics with the accelerations and
// multipliers held runs once over dual numbers for every thirty columns; the solver at hand turns
// its derivatives into those of the accelerations:
//
//   M da + J^T dlambda = -d(M a + h - Q + J^T lambda),     J da = -d(J a - gamma).
namespace freeplay::dynamics {

template <int Rd>
bool Tree<Rd>::jacobian(double t, const double* y, const double* memory, MatX& dfdy) {
  using T = PairDual;
  if (!solve_accelerations(t, y, memory)) return false;
  const int nq = positions(), nv = speeds(), nz = elements_.states(), m = rows();
  const int columns = nq + nv + nz, driven = static_cast<int>(kernel_.prescribed().size());
  const VecX a = solution_.head(nv), lambda = lambda_;
  if (nz > 0) {  // the change of the load, taken as given below
    find_body_accelerations();
    VecX rates(nz);
    elements_.state_rates(t, poses_, accelerations_, memory, y + nq + nv, rates.data());
  }
  // Mass between driven and free dofs: efforts follow the accelerations.
  struct Pair {
    int driven, free;
    double mass;
  };
  std::vector<Pair> pairs;
  if (driven > 0 && m == 0) {
    bodies_.mass_matrix(motion_.data(), [&](int i, int j, double x) {
      if (i >= nv && j < nv) pairs.push_back({i - nv, j, x});
      if (j >= nv && i < nv) pairs.push_back({j - nv, i, x});
    });
    if (!bodies_.factorise(motion_.data())) return false;
  }
  for (std::size_t e = 0; m > 0 && e < driven_pairs_.size(); ++e) {
    const auto [i, j] = driven_pairs_[e];
    if (i >= nv && j < nv) pairs.push_back({i - nv, j, driven_mass_[e]});
    if (j >= nv && i < nv) pairs.push_back({j - nv, i, driven_mass_[e]});
  }

  dfdy.setZero(size_, size_);
  const std::size_t count = kernel_.nodes().size();
  const int work = nq + nv + nz;
  std::vector<T> x(columns), rates(nq), motion_residual(nv + driven), row_residual(m), row_speed(m);
  std::vector<T> power(work_size());
  std::vector<Motion<T>> motion(count);
  std::vector<Acceleration<T>> acceleration(count);
  std::vector<Force<T>> applied(count), transmitted(count);
  std::vector<Pose<T>> poses(model_.bodies.size());
  std::vector<Vec3T<T>> linear(model_.bodies.size(), Vec3T<T>::Zero()),
      angular(model_.bodies.size(), Vec3T<T>::Zero());
  poses[kGround].r = poses[kGround].v = poses[kGround].w = Vec3T<T>::Zero();
  poses[kGround].R = Mat3T<T>::Identity();
  std::vector<T> state_rate(nz);
  VecX column(nv + m);

  for (int start = 0; start < columns; start += kPairVariables) {
    const int width = std::min(kPairVariables, columns - start);
    for (int c = 0; c < columns; ++c) x[c] = T(y[c]);
    for (int c = 0; c < width; ++c) x[start + c] = T::variable(y[start + c], c);
    std::fill(power.begin(), power.end(), T(0.0));

    kernel_.template move<T>(x.data(), x.data() + nq, motion.data());
    kernel_.template position_rates<T>(x.data(), x.data() + nq, rates.data());
    kernel_.template accelerate<T>(motion.data(), a.data(), acceleration.data());
    for (std::size_t i = 0; i < count; ++i) {
      const BodyIndex b = kernel_.nodes()[i].body;
      const Motion<T>& k = motion[i];
      poses[b] = kernel_.template pose<T>(k);
      linear[b] = S::template in_space<T>(typename S::template Lin<T>(
          acceleration[i].l + S::template cross<T>(acceleration[i].r, k.c) +
          S::template cross<T>(k.w, S::template cross<T>(k.w, k.c))));
      angular[b] = S::template rotation_in_space<T>(acceleration[i].r);
      applied[i].n.setZero();
      applied[i].f.setZero();
    }
    const auto add = [&](BodyIndex body, const Wrench<T>& wrench) {
      if (body == kGround) return;
      const int i = topology_.node_of[body];
      const auto w = Kernel::template about_joint<T>(wrench, motion[i]);
      applied[i].n += w.n;
      applied[i].f += w.f;
    };
    const auto reference = [&](const JointCoordinate& on) {
      return angle_reference(on.joint, on.coordinate, y, memory);
    };
    elements_.each(reference, [&](const Element& element, double angle) {
      const BodyIndex b1 = element.first(), b2 = element.second();
      Action<T> out;
      element.act({t, poses[b1], poses[b2], x.data() + nq + nv + element.state(), memory, angle},
                  state_rate.data() + element.state(), out);
      add(b1, out.on_first);
      add(b2, out.on_second);
      if (element.work() >= 0) power[element.work()] += out.power;
      if (element.friction_work() >= 0) power[element.friction_work()] += out.friction_power;
    });
    for (int r = 0; r < m; ++r) {
      row_residual[r] = row_speed[r] = T(0.0);
      for (const Share& share : rows_[r].shares) {
        const Joint& joint = model_.joints[share.joint];
        const BodyIndex b1 = joint.first.body, b2 = joint.second.body;
        const Jet drive =
            share.spec.drive < 0
                ? Jet{}
                : freeplay::evaluate(written_.drives[share.joint][share.spec.drive].motion, t);
        const auto g = geometry(joint, poses[b1], poses[b2]);
        const auto value = evaluate_row(share.spec, joint, g, drive, model_.planar);
        row_residual[r] +=
            share.factor * (value.v1.dot(linear[b1]) + value.w1.dot(angular[b1]) +
                            value.v2.dot(linear[b2]) + value.w2.dot(angular[b2]) - value.gamma);
        row_speed[r] += share.factor * rate_of(value, poses[b1], poses[b2]);
        const double push = -lambda[r] * share.factor;
        Wrench<T> on_first, on_second;
        on_first.force = value.v1 * push;
        on_first.moment = value.w1 * push;
        on_second.force = value.v2 * push;
        on_second.moment = value.w2 * push;
        add(b1, on_first);
        add(b2, on_second);
      }
      if (rows_[r].work >= 0) power[rows_[r].work] = -lambda[r] * row_speed[r];
    }
    kernel_.template inverse<T>(motion.data(), acceleration.data(), applied.data(),
                                transmitted.data());
    typename S::template Rot<T> turn;
    typename S::template Lin<T> slide;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& node = kernel_.nodes()[i];
      for (int k = 0; k < node.dofs; ++k) {
        kernel_.template column<T>(static_cast<int>(i), motion[i], k, turn, slide);
        motion_residual[node.dof[k]] = turn.dot(transmitted[i].n) + slide.dot(transmitted[i].f);
      }
    }

    for (int c = 0; c < width; ++c) {
      const int at = start + c;
      for (int k = 0; k < nv; ++k) column[k] = -motion_residual[k].d[c];
      for (int r = 0; r < m; ++r) column[nv + r] = -row_residual[r].d[c];
      if (m == 0)
        bodies_.solve(motion_.data(), column.data());
      else
        kkt_.solve(column.data());
      for (int k = 0; k < nq; ++k) dfdy(k, at) = rates[k].d[c];
      for (int k = 0; k < nv; ++k) dfdy(nq + k, at) = column[k];
      for (int k = 0; k < nz; ++k) dfdy(nq + nv + k, at) = state_rate[k].d[c];
      for (int k = 0; k < work_size(); ++k) dfdy(work + k, at) = power[k].d[c];
      for (int r = 0; r < m; ++r)
        if (rows_[r].work >= 0)
          dfdy(work + rows_[r].work, at) -= column[nv + r] * row_speed[r].value;
      for (int d = 0; d < driven; ++d) {
        double effort = motion_residual[nv + d].d[c];
        for (int r = 0; r < m; ++r) effort += rows_[r].driven[d] * column[nv + r];
        for (const Pair& pair : pairs)
          if (pair.driven == d) effort += pair.mass * column[pair.free];
        dfdy(work + drive_work_[d], at) = effort * kernel_.prescribed()[d].jet.dx;
      }
    }
  }
  return dfdy.allFinite();
}

template bool Tree<1>::jacobian(double, const double*, const double*, MatX&);
template bool Tree<3>::jacobian(double, const double*, const double*, MatX&);

}  // namespace freeplay::dynamics
