// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

// What happens at contacts: their events, and how easily the mechanism gives way there.
namespace freeplay::dynamics {

/// Poses of all bodies that touch others; a program that leaves contacts to us has those as well.
template <int Rd>
void Tree<Rd>::place_contacts(double t, const double* y) {
  if (program_)
    place_program(t, y);
  else
    place(t, y);
}

template <int Rd>
void Tree<Rd>::event_values(double t, const double* y, const double* memory, double* g) {
  if (program_ && program_->has_contacts()) {
    place_program(t, y);
    for (int k = 0; k < contacts_.size(); ++k) g[k] = program_->depth(k).first;
  } else {
    place_contacts(t, y);
    contacts_.event_values(poses_, g);
  }
  watch_elements(t, y, memory, g, nullptr);
}

/// Events of elements, behind those of contacts.
template <int Rd>
void Tree<Rd>::watch_elements(double t, const double* y, const double* memory, double* g,
                              double* rate) const {
  if (elements_.watched() == 0) return;
  const int first = contacts_.size();
  elements_.watch(t, poses_, memory, y + positions() + speeds(), angles(y, memory), g + first,
                  rate ? rate + first : nullptr);
}

template <int Rd>
bool Tree<Rd>::event_rates(double t, const double* y, const double* memory, double* g,
                           double* rate) {
  place_contacts(t, y);
  watch_elements(t, y, memory, g, rate);
  bool known = std::none_of(rate + contacts_.size(), rate + event_count(),
                            [](double r) { return std::isnan(r); });
  if (!program_ || !program_->has_contacts())
    return contacts_.event_rates(poses_, g, rate) && known;
  for (int k = 0; k < contacts_.size(); ++k) {
    std::tie(g[k], rate[k]) = program_->depth(k);
    if (contacts_.element(k).single_point()->off_centre(g[k])) continue;
    rate[k] = std::numeric_limits<double>::quiet_NaN();
    known = false;
  }
  return known;
}

/// In the plane turns add up with their signs, in space at most by their size. A body that does not
/// turn itself may be carried round by one that does.
template <int Rd>
double Tree<Rd>::fastest_turn(const double* y) {
  const double* const v = y + positions();
  const auto& nodes = kernel_.nodes();
  turns_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& n = nodes[i];
    auto& [own, fastest] = turns_[i];
    own = fastest = 0;
    if (n.parent >= 0 && n.kind != TreeKind::free) fastest = turns_[n.parent][1];
    if (n.absolute()) {
      const double* spin = v + n.v + (n.kind == TreeKind::free ? Kernel::Ld : 0);
      own = Eigen::Map<const typename Kernel::RotD>(spin).norm();
    } else {
      if (n.parent >= 0) own = turns_[n.parent][0];
      for (int k = 0; k < n.columns; ++k) {
        if (!is_angle(topology_.nodes[i].column[k].coordinate)) continue;
        const double rate =
            n.at_drive[k] < 0 ? v[n.at_v[k]] : kernel_.prescribed()[n.at_drive[k]].jet.dx;
        own += Rd == 1 ? rate : std::abs(rate);
      }
    }
    fastest = std::max(fastest, std::abs(own));
  }
  const auto turn = [&](BodyIndex body) {
    return body == kGround ? 0.0 : turns_[topology_.node_of[body]][1];
  };
  double fastest = 0;
  for (const joints::ImperfectJoint& element : contacts_.elements())
    fastest = std::max(fastest, turn(element.first()) + turn(element.second()));
  return fastest;
}

template <int Rd>
bool Tree<Rd>::peaks_possible(double t0, const double* y0, double t1, const double* y1,
                              const State& state) {
  for (const auto& [t, y] : {std::pair{t0, y0}, std::pair{t1, y1}}) {
    place(t, y);
    if (contacts_.near_peak(poses_, t, state.memory.data())) return true;
  }
  return false;
}

template <int Rd>
Contacts::Response Tree<Rd>::response(const State& state) {
  if (!solve_accelerations(state.time, state.y.data(), state.memory.data()))
    return {[](int, const auto&) { return 0.0; }, {}};
  find_body_accelerations();
  return {[this](int element, const auto& point) { return mobility(element, point); },
          accelerations_};
}

template <int Rd>
bool Tree<Rd>::apply_event(int which, bool upward, State& state) {
  if (which >= contacts_.size()) {
    const double* y = state.y.data();
    place_contacts(state.time, y);
    elements_.turn(which - contacts_.size(), upward, poses_, y + positions() + speeds(),
                   angles(y, state.memory.data()), state);
    return false;
  }
  const Contacts::Response now = response(state);
  double* z = state.y.data() + positions() + speeds();
  contacts_.apply(which, upward, poses_, state, z, z + elements_.states(), now);
  return false;
}

template <int Rd>
double Tree<Rd>::mobility(int element, const joints::ContactPoint<double>& point) {
  const joints::ImperfectJoint& joint = contacts_.elements()[element];
  // h: generalised force of a unit push apart; the answer is the normal acceleration it causes.
  const int n = speeds();
  VecX x = VecX::Zero(n + rows());
  Wrench<double> on_first, on_second;
  joints::push<double>(point, point.normal, on_first, on_second);
  const auto share = [&](BodyIndex body, const Wrench<double>& wrench) {
    if (body == kGround) return;
    const int i = topology_.node_of[body];
    kernel_.template walk_up<double>(motion_.data(), i,
                                     Kernel::template about_joint<double>(wrench, motion_[i]),
                                     [&](int d, double value) {
                                       if (d < n) x[d] += value;
                                     });
  };
  share(joint.first(), on_first);
  share(joint.second(), on_second);
  const VecX h = x.head(n);
  if (rows_.empty())
    bodies_.solve(motion_.data(), x.data());
  else
    kkt_.solve(x.data());
  return h.dot(x.head(n));
}

template <int Rd>
bool Tree<Rd>::wants_samples(const State& state) const {
  return contacts_.any_touching(state.memory.data());
}

template <int Rd>
void Tree<Rd>::loads(double t, const double* y, const double* memory, int first,
                     std::span<Peak> out) {
  place(t, y);
  contacts_.loads(poses_, memory, first, out);
}

template void Tree<1>::event_values(double, const double*, const double*, double*);
template void Tree<3>::event_values(double, const double*, const double*, double*);
template void Tree<1>::place_contacts(double, const double*);
template void Tree<3>::place_contacts(double, const double*);
template bool Tree<1>::event_rates(double, const double*, const double*, double*, double*);
template bool Tree<3>::event_rates(double, const double*, const double*, double*, double*);
template double Tree<1>::fastest_turn(const double*);
template double Tree<3>::fastest_turn(const double*);
template bool Tree<1>::peaks_possible(double, const double*, double, const double*, const State&);
template bool Tree<3>::peaks_possible(double, const double*, double, const double*, const State&);
template bool Tree<1>::apply_event(int, bool, State&);
template bool Tree<3>::apply_event(int, bool, State&);
template bool Tree<1>::wants_samples(const State&) const;
template bool Tree<3>::wants_samples(const State&) const;
template void Tree<1>::loads(double, const double*, const double*, int, std::span<Peak>);
template void Tree<3>::loads(double, const double*, const double*, int, std::span<Peak>);

}  // namespace freeplay::dynamics
