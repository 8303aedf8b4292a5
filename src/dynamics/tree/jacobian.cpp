// SPDX-License-Identifier: Apache-2.0
#include "dynamics/control/numbers.hpp"
#include "dynamics/tree/tree.hpp"

// Exact derivatives in joint coordinates. The inverse dynamics with the accelerations and
// multipliers held runs once over dual numbers for every thirty columns; the solver at hand turns
// its derivatives into those of the accelerations:
//
//   M da + J^T dlambda = -d(M a + h - Q + J^T lambda),     J da = -d(J a - gamma).
namespace freeplay::dynamics {

/// Thirty columns at a time: the inverse dynamics over dual numbers, and what it leaves.
template <int Rd>
struct Tree<Rd>::Differentiation {
  using T = PairDual;
  std::vector<T> x, rates, motion_residual, row_residual, row_speed, power, state_rate;
  std::vector<Moving<T>> motion;
  std::vector<Acceleration<T>> acceleration;
  std::vector<Force<T>> applied, transmitted;
  std::vector<Pose<T>> poses;
  std::vector<Vec3T<T>> linear, angular;  // accelerations of the bodies
  Control::Numbers<T> control;

  Differentiation(std::size_t nodes, std::size_t bodies)
      : motion(nodes),
        acceleration(nodes),
        applied(nodes),
        transmitted(nodes),
        poses(bodies),
        linear(bodies, Vec3T<T>::Zero()),
        angular(bodies, Vec3T<T>::Zero()) {
    poses[kGround].r = poses[kGround].v = poses[kGround].w = Vec3T<T>::Zero();
    poses[kGround].R = Mat3T<T>::Identity();
  }
};

/// Mass between driven and free dofs: efforts follow the accelerations.
template <int Rd>
bool Tree<Rd>::find_driven_mass(std::vector<DrivenMass>& out) {
  const int nv = speeds(), m = rows();
  if (!kernel_.prescribed().empty() && m == 0) {
    bodies_.mass_matrix(motion_.data(), [&](int i, int j, double x) {
      if (i >= nv && j < nv) out.push_back({i - nv, j, x});
      if (j >= nv && i < nv) out.push_back({j - nv, i, x});
    });
    if (!bodies_.factorise(motion_.data())) return false;
  }
  for (std::size_t e = 0; m > 0 && e < driven_pairs_.size(); ++e) {
    const auto [i, j] = driven_pairs_[e];
    if (i >= nv && j < nv) out.push_back({i - nv, j, driven_mass_[e]});
    if (j >= nv && i < nv) out.push_back({j - nv, i, driven_mass_[e]});
  }
  return true;
}

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
  std::vector<DrivenMass> pairs;
  if (!find_driven_mass(pairs)) return false;

  dfdy.setZero(size_, size_);
  Differentiation d(kernel_.nodes().size(), model_.bodies.size());
  d.x.resize(static_cast<std::size_t>(columns));
  d.rates.resize(static_cast<std::size_t>(nq));
  d.motion_residual.resize(static_cast<std::size_t>(nv + driven));
  d.row_residual.resize(static_cast<std::size_t>(m));
  d.row_speed.resize(static_cast<std::size_t>(m));
  d.power.resize(static_cast<std::size_t>(work_size()));
  d.state_rate.resize(static_cast<std::size_t>(nz));
  for (int start = 0; start < columns; start += kPairVariables) {
    const int width = std::min(kPairVariables, columns - start);
    for (int c = 0; c < columns; ++c) d.x[c] = T(y[c]);
    for (int c = 0; c < width; ++c) d.x[start + c] = T::variable(y[start + c], c);
    std::fill(d.power.begin(), d.power.end(), T(0.0));
    differentiate_motion(a, d);
    differentiate_elements(t, y, memory, d);
    differentiate_rows(t, lambda, d);
    differentiate_residual(d);
    for (int c = 0; c < width; ++c) store_column(start + c, c, d, pairs, dfdy);
  }
  return dfdy.allFinite();
}

template <int Rd>
void Tree<Rd>::differentiate_motion(const VecX& a, Differentiation& d) const {
  using T = PairDual;
  kernel_.template move<T>(d.x.data(), d.x.data() + positions(), d.motion.data());
  kernel_.template position_rates<T>(d.x.data(), d.x.data() + positions(), d.rates.data());
  kernel_.template accelerate<T>(d.motion.data(), a.data(), d.acceleration.data());
  for (std::size_t i = 0; i < d.motion.size(); ++i) {
    const BodyIndex b = kernel_.nodes()[i].body;
    const Moving<T>& k = d.motion[i];
    d.poses[b] = kernel_.template pose<T>(k);
    d.linear[b] = S::template in_space<T>(typename S::template Lin<T>(
        d.acceleration[i].l + S::template cross<T>(d.acceleration[i].r, k.c) +
        S::template cross<T>(k.w, S::template cross<T>(k.w, k.c))));
    d.angular[b] = S::template rotation_in_space<T>(d.acceleration[i].r);
    d.applied[i].n.setZero();
    d.applied[i].f.setZero();
  }
}

template <int Rd>
void Tree<Rd>::apply(FrameIndex frame, const Wrench<PairDual>& wrench, Differentiation& d) const {
  if (frame == kGround) return;
  const int i = topology_.node_of[frame];
  const auto w = Kernel::template about_joint<PairDual>(wrench, d.motion[i]);
  d.applied[i].n += w.n;
  d.applied[i].f += w.f;
}

template <int Rd>
void Tree<Rd>::differentiate_elements(double t, const double* y, const double* memory,
                                      Differentiation& d) const {
  const PairDual* z = d.x.data() + positions() + speeds();
  const Control& control = elements_.control();
  control.size(d.control);
  for (std::size_t k = 0; k < control.readings().size(); ++k)
    d.control.readings[k] = control.read_at<PairDual>(k, d.poses, angles(y, memory));
  control.evaluate<PairDual>(t, z + control.state(), memory, d.control);
  std::ranges::copy(d.control.rates, d.state_rate.begin() + control.state());
  elements_.each(angles(y, memory), [&](const Element& element, double angle) {
    const FrameIndex b1 = element.first(), b2 = element.second();
    Action<PairDual> out;
    element.act(
        {t, d.poses[b1], d.poses[b2], z + element.state(), memory, angle, d.control.values.data()},
        d.state_rate.data() + element.state(), out);
    apply(b1, out.on_first, d);
    apply(b2, out.on_second, d);
    if (element.work() >= 0) d.power[element.work()] += out.power;
    if (element.friction_work() >= 0) d.power[element.friction_work()] += out.friction_power;
  });
  const Meshes& meshes = elements_.meshes();
  for (const Mesh& mesh : meshes.list()) {
    const auto now = meshes.now<PairDual>(mesh, d.poses, angles(y, memory));
    const auto action = mesh.act<PairDual>(now.motion(), memory);
    const auto add = [&](FrameIndex frame, const Wrench<PairDual>& wrench) {
      apply(frame, wrench, d);
    };
    meshes.push<PairDual>(mesh.first(), now.first.row, action.on_first, add);
    meshes.push<PairDual>(mesh.second(), now.second.row, action.on_second, add);
    d.power[mesh.work()] += action.power;
    if (mesh.friction_work() >= 0) d.power[mesh.friction_work()] += action.friction_power;
  }
}

template <int Rd>
void Tree<Rd>::differentiate_rows(double t, const VecX& lambda, Differentiation& d) const {
  using T = PairDual;
  for (int r = 0; r < rows(); ++r) {
    d.row_residual[r] = d.row_speed[r] = T(0.0);
    for (const Share& share : rows_[r].shares) {
      const Joint& joint = model_.joints[share.joint];
      const BodyIndex b1 = joint.first.body, b2 = joint.second.body;
      const Jet drive =
          share.spec.drive < 0
              ? Jet{}
              : freeplay::evaluate(written_.drives[share.joint][share.spec.drive].motion, t);
      const auto g = place_of(joint, d.poses[b1], d.poses[b2]);
      const auto value = evaluate_row(share.spec, joint, g, drive, model_.planar);
      d.row_residual[r] +=
          share.factor * (value.v1.dot(d.linear[b1]) + value.w1.dot(d.angular[b1]) +
                          value.v2.dot(d.linear[b2]) + value.w2.dot(d.angular[b2]) - value.gamma);
      d.row_speed[r] += share.factor * rate_of(value, d.poses[b1], d.poses[b2]);
      const double push = -lambda[r] * share.factor;
      apply(b1, {value.v1 * push, value.w1 * push}, d);
      apply(b2, {value.v2 * push, value.w2 * push}, d);
    }
    if (rows_[r].work >= 0) d.power[rows_[r].work] = -lambda[r] * d.row_speed[r];
  }
}

template <int Rd>
void Tree<Rd>::differentiate_residual(Differentiation& d) const {
  using T = PairDual;
  kernel_.template inverse<T>(d.motion.data(), d.acceleration.data(), d.applied.data(),
                              d.transmitted.data());
  typename S::template Rot<T> turn;
  typename S::template Lin<T> slide;
  for (std::size_t i = 0; i < d.motion.size(); ++i) {
    const auto& node = kernel_.nodes()[i];
    for (int k = 0; k < node.dofs; ++k) {
      kernel_.template column<T>(static_cast<int>(i), d.motion[i], k, turn, slide);
      d.motion_residual[node.dof[k]] = turn.dot(d.transmitted[i].n) + slide.dot(d.transmitted[i].f);
    }
  }
}

/// Column `at` of df/dy from direction c of the duals.
template <int Rd>
void Tree<Rd>::store_column(int at, int c, const Differentiation& d,
                            const std::vector<DrivenMass>& pairs, MatX& dfdy) {
  const int nq = positions(), nv = speeds(), nz = elements_.states(), m = rows();
  const int work = nq + nv + nz, driven = static_cast<int>(kernel_.prescribed().size());
  VecX column(nv + m);
  for (int k = 0; k < nv; ++k) column[k] = -d.motion_residual[k].d[c];
  for (int r = 0; r < m; ++r) column[nv + r] = -d.row_residual[r].d[c];
  if (m == 0)
    bodies_.solve(motion_.data(), column.data());
  else
    kkt_.solve(column.data());
  for (int k = 0; k < nq; ++k) dfdy(k, at) = d.rates[k].d[c];
  for (int k = 0; k < nv; ++k) dfdy(nq + k, at) = column[k];
  for (int k = 0; k < nz; ++k) dfdy(nq + nv + k, at) = d.state_rate[k].d[c];
  for (int k = 0; k < work_size(); ++k) dfdy(work + k, at) = d.power[k].d[c];
  for (int r = 0; r < m; ++r)
    if (rows_[r].work >= 0) dfdy(work + rows_[r].work, at) -= column[nv + r] * d.row_speed[r].value;
  for (int k = 0; k < driven; ++k) {
    double effort = d.motion_residual[nv + k].d[c];
    for (int r = 0; r < m; ++r) effort += rows_[r].driven[k] * column[nv + r];
    for (const DrivenMass& pair : pairs)
      if (pair.driven == k) effort += pair.mass * column[pair.free];
    dfdy(work + drive_work_[k], at) = effort * kernel_.prescribed()[k].jet.dx;
  }
}

template bool Tree<1>::jacobian(double, const double*, const double*, MatX&);
template bool Tree<3>::jacobian(double, const double*, const double*, MatX&);

}  // namespace freeplay::dynamics
