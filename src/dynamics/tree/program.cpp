// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/program.hpp"

#include "dynamics/tree/lanes.hpp"

#include <algorithm>
#include <cstddef>

namespace freeplay::dynamics {
namespace {

using namespace program;
using tape::Place;
using tape::Traced;

constexpr int kWrench = 6, kJet = 3;
// Of what a contact remembers.
constexpr int kTouching = offsetof(joints::ContactMemory, touching) / sizeof(double),
              kImpactRate = offsetof(joints::ContactMemory, impact_rate) / sizeof(double),
              kMassRatio = offsetof(joints::ContactMemory, mass_ratio) / sizeof(double);
constexpr int kPose = 3 + 9 + 3 + 3 + 1;
static_assert(sizeof(Pose<double>) == kPose * sizeof(double), "poses are numbers in a row");

// chosen: a chain of a hundred links gains a factor of two, one of a thousand nothing: its code
// comes from memory more slowly than its data would.
constexpr std::size_t kLargestTree = 256;

struct TracedJet {
  Traced x, dx, ddx;
};

Vec3T<Traced> vector(const tape::Recording& tape, Place first) {
  Vec3T<Traced> out;
  for (int k = 0; k < 3; ++k) out[k] = tape.input({first.block, first.index + k});
  return out;
}
void put(const tape::Recording& tape, Place first, const Vec3T<Traced>& v) {
  for (int k = 0; k < 3; ++k) tape.output({first.block, first.index + k}, v[k]);
}

Pose<Traced> constant(const Pose<double>& pose) {
  Pose<Traced> out;
  out.r = pose.r.cast<Traced>();
  out.R = pose.R.cast<Traced>();
  out.v = pose.v.cast<Traced>();
  out.w = pose.w.cast<Traced>();
  out.angle = pose.angle;
  return out;
}

/// As Pose<double> lies in memory.
void put_pose(const tape::Recording& tape, BodyIndex body, const Pose<Traced>& pose) {
  const Traced* const parts[] = {pose.r.data(), pose.R.data(), pose.v.data(), pose.w.data(),
                                 &pose.angle};
  constexpr int sizes[] = {3, 9, 3, 3, 1};
  int at = body * kPose;
  for (int p = 0; p < 5; ++p)
    for (int k = 0; k < sizes[p]; ++k, ++at) tape.output({kPoses, at}, parts[p][k]);
}

/// Can a tape hold the laws of a contact? On one that is thrown away.
bool recordable(const joints::ImperfectJoint& element) {
  tape::Tape tape;
  const tape::Recording recording(tape);
  auto number = [&, k = 0]() mutable { return recording.input({0, k++}); };
  joints::ContactPoint<Traced> point;
  joints::ContactMotion<Traced> motion;
  point.depth = number(), motion.rate = number();
  for (int k = 0; k < 3; ++k) motion.slip[k] = number();
  return joints::traced_forces(element, point, motion, {number(), number(), number()}).has_value();
}

}  // namespace

template <int Rd>
bool TreeProgram<Rd>::takes(const Elements& elements) {
  const auto& parts = elements.contacts().elements();
  return !elements.has_cushions() &&
         std::all_of(parts.begin(), parts.end(),
                     [](const auto& element) { return element.single_point() != nullptr; });
}

template <int Rd>
std::unique_ptr<TreeProgram<Rd>> TreeProgram<Rd>::make(const Subject& subject) {
  if (subject.kernel.nodes().size() > kLargestTree) return nullptr;
  std::unique_ptr<TreeProgram> program(new TreeProgram);
  if (!program->record(subject)) return nullptr;
  const int shared = static_cast<int>(program->frame_.size());
  program->code_ = tape::Program::compile(program->tape_, {kFrame, shared});
  if (!program->code_) return nullptr;
  program->frame_.resize(program->frame_.size() +
                         static_cast<std::size_t>(program->code_->shared_size()));
  return program;
}

template <int Rd>
joints::TracedForces TreeProgram<Rd>::record_contact(const Subject& s, const tape::Recording& tape,
                                                     int contact,
                                                     const joints::ContactPoint<Traced>& point,
                                                     const joints::ContactMotion<Traced>& motion,
                                                     Traced& power) {
  const joints::ImperfectJoint& element = s.contacts.element(contact);
  const Contacts::Contact& c = s.contacts.list()[static_cast<std::size_t>(contact)];
  const auto remembered = [&](int k) { return tape.input({kMemory, c.own_memory() + k}); };
  const auto known = joints::traced_forces(
      element, point, motion,
      {remembered(kTouching), remembered(kImpactRate), remembered(kMassRatio)});
  if (known) {
    tape.output({kRates, s.first_work + c.normal_work}, known->normal_power);
    power += known->normal_power;
    if (c.friction_work < 0) return *known;
    tape.output({kRates, s.first_work + c.friction_work}, known->friction_power);
    power += known->friction_power;
    return *known;
  }
  const int at = touches_ + kTouch * contact;
  list_.push_back({&element, at, c.own_memory(), c.normal_work, c.friction_work});
  joints::TracedForces asked;
  asked.normal = tape.input({kFrame, at + kNormal});
  asked.friction = element.has_friction() ? vector(tape, {kFrame, at + kFriction})
                                          : Vec3T<Traced>(Vec3T<Traced>::Zero());
  return asked;
}

template <int Rd>
bool TreeProgram<Rd>::record(const Subject& s) {
  const auto& nodes = s.kernel.nodes();
  const int nq = s.kernel.positions(), nv = s.kernel.speeds(),
            driven = static_cast<int>(s.kernel.prescribed().size());
  kernel_ = &s.kernel;
  touches_ = kJets + kJet * driven;
  const int contacts = s.contacts_inside ? s.contacts.size() : 0;
  wrenches_ = touches_ + kTouch * contacts;
  slot_.assign(s.model.bodies.size(), -1);
  for (const int i : s.posed)
    slot_[nodes[static_cast<std::size_t>(i)].body] = wrenches_ + kWrench * posed_count_++;
  energies_ = wrenches_ + kWrench * posed_count_;
  sum_ = energies_ + 2;
  frame_.assign(static_cast<std::size_t>(sum_ + 1), 0.0);
  forget();
  placed_.resize(static_cast<std::size_t>(nq + nv));

  knows_drives_ = std::all_of(s.steady.begin(), s.steady.end(),
                              [](const auto& steady) { return steady.has_value(); });
  whole_ = s.alone && knows_drives_;
  for (int k = 0; whole_ && k < contacts; ++k) whole_ = recordable(s.contacts.element(k));

  const tape::Recording tape(tape_);
  std::vector<Traced> q, v;
  for (int k = 0; k < nq; ++k) q.push_back(tape.input({kState, k}));
  for (int k = 0; k < nv; ++k) v.push_back(tape.input({kState, nq + k}));
  std::vector<TracedJet> jets;
  for (int d = 0; d < driven; ++d) {
    const auto part = [&](int k) { return tape.input({kFrame, kJets + kJet * d + k}); };
    const double sign = s.kernel.prescribed()[static_cast<std::size_t>(d)].sign;
    if (const auto& steady = s.steady[static_cast<std::size_t>(d)])
      jets.push_back({sign * (steady->start + steady->speed * tape.input({kFrame, 0})),
                      Traced(sign * steady->speed), Traced(0.0)});
    else
      jets.push_back({part(0), part(1), part(2)});
  }
  std::vector<NodeMotion<Rd, Traced>> motion(nodes.size());
  s.kernel.move(q.data(), v.data(), motion.data(),
                [&](int d) -> const TracedJet& { return jets[static_cast<std::size_t>(d)]; });
  const auto pose_of = [&](BodyIndex body) {
    return body == kGround ? constant(s.ground) : s.kernel.pose(motion[s.topology.node_of[body]]);
  };
  for (const int i : s.posed) {
    const BodyIndex body = nodes[static_cast<std::size_t>(i)].body;
    put_pose(tape, body, pose_of(body));
  }
  has_contacts_ = contacts > 0;
  std::vector<joints::ContactPoint<Traced>> points;
  std::vector<joints::ContactMotion<Traced>> motions;
  for (int k = 0; k < contacts; ++k) {
    const joints::ImperfectJoint& element = s.contacts.element(k);
    const Pose<Traced> p1 = pose_of(element.first()), p2 = pose_of(element.second());
    joints::ContactPoint<Traced> point;
    element.single_point()->measure(p1, p2, point);
    const auto relative = joints::motion_at(point, p1, p2);
    const int at = touches_ + kTouch * k;
    tape.output({kFrame, at + kDepth}, point.depth);
    tape.output({kFrame, at + kRate}, relative.rate);
    if (element.has_friction()) put(tape, {kFrame, at + kSlip}, relative.slip);
    points.push_back(point);
    motions.push_back(relative);
  }

  if (!whole_) tape_.cut();
  Traced power;
  std::vector<Wrench<Traced>> wrenches(s.model.bodies.size());
  for (std::size_t b = 0; b < wrenches.size(); ++b)
    if (slot_[b] >= 0) {
      wrenches[b].force = vector(tape, {kFrame, slot_[b]});
      wrenches[b].moment = vector(tape, {kFrame, slot_[b] + 3});
    }
  for (int k = 0; k < contacts; ++k) {
    const joints::ImperfectJoint& element = s.contacts.element(k);
    const auto& point = points[static_cast<std::size_t>(k)];
    const joints::TracedForces forces =
        record_contact(s, tape, k, point, motions[static_cast<std::size_t>(k)], power);
    Vec3T<Traced> on_inner = point.normal * -forces.normal;
    if (element.has_friction()) on_inner += forces.friction;
    joints::push(point, on_inner, wrenches[element.first()], wrenches[element.second()]);
  }
  std::vector<NodeWrench<Rd, Traced>> applied(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    applied[i] = TreeKernel<Rd>::template about_joint<Traced>(wrenches[nodes[i].body], motion[i]);
  Articulated<Rd, Traced> bodies(s.kernel);
  std::vector<Traced> rates(static_cast<std::size_t>(std::max(nq, nv)));
  static_cast<void>(bodies.forward(motion.data(), applied.data(), rates.data()));
  Traced sum;
  for (int k = 0; k < nv; ++k) {
    tape.output({kRates, nq + k}, rates[static_cast<std::size_t>(k)]);
    sum += rates[static_cast<std::size_t>(k)];
  }
  s.kernel.position_rates(q.data(), v.data(), rates.data());
  for (int k = 0; k < nq; ++k) tape.output({kRates, k}, rates[static_cast<std::size_t>(k)]);
  for (std::size_t d = 0; d < jets.size(); ++d) {
    if (s.drive_work[d] < 0) continue;
    const Traced drive = bodies.effort(motion.data(), s.kernel.prescribed()[d]) * jets[d].dx;
    tape.output({kRates, s.first_work + s.drive_work[d]}, drive);
    power += drive;
  }
  tape.output({kFrame, sum_}, sum + power);

  tape_.cut();
  const auto [kinetic, potential] = s.kernel.energies(motion.data());
  tape.output({kFrame, energies_}, kinetic);
  tape.output({kFrame, energies_ + 1}, potential);

  std::size_t memory = 0, written = 0;
  for (const tape::Tape::Step& step : tape_.steps())
    if (step.op == tape::Op::input && step.place.block == kMemory)
      memory = std::max(memory, static_cast<std::size_t>(step.place.index) + 1);
  for (const tape::Tape::Output& output : tape_.outputs())
    if (output.place.block == kRates)
      written = std::max(written, static_cast<std::size_t>(output.place.index) + 1);
  no_memory_.assign(memory, 0.0);
  no_rates_.assign(written, 0.0);
  return !tape.broke();
}

template <int Rd>
void TreeProgram<Rd>::place(double t, const double* y, std::span<Pose<double>> poses) {
  remember(t, y);
  double* jet = frame_.data() + kJets;
  if (!knows_drives_)
    for (const auto& p : kernel_->prescribed()) {
      jet[0] = p.jet.x, jet[1] = p.jet.dx, jet[2] = p.jet.ddx;
      jet += kJet;
    }
  // The program only reads the state.
  code_->run(0, {const_cast<double*>(y), frame_.data(), reinterpret_cast<double*>(poses.data()),
                 no_rates_.data(), no_memory_.data()});
}

template <int Rd>
std::pair<double, double> TreeProgram<Rd>::depth(int contact) const {
  const double* at = frame_.data() + touches_ + kTouch * contact;
  return {at[kDepth], at[kRate]};
}

template <int Rd>
std::pair<double, double> TreeProgram<Rd>::energies(const double* y) {
  code_->run(tape_.stages() - 1, {const_cast<double*>(y), frame_.data()});
  return {frame_[energies_], frame_[energies_ + 1]};
}

template <int Rd>
void TreeProgram<Rd>::add(FrameIndex frame, const Wrench<double>& wrench) {
  if (slot_[frame] < 0) return;
  double* at = frame_.data() + slot_[frame];
  for (int k = 0; k < 3; ++k) {
    at[k] += wrench.force[k];
    at[k + 3] += wrench.moment[k];
  }
}

void TreeTouch::ask(const double* known, const double* memory, Answer& out) const {
  out = {};
  if (!(memory[at_memory] != 0 && known[kDepth] > 0)) return;
  joints::ContactPoint<double> point;
  point.depth = known[kDepth];
  const joints::ContactMotion<double> motion{known[kRate],
                                             {known[kSlip], known[kSlip + 1], known[kSlip + 2]}};
  const auto forces = element->forces_at(point, motion, joints::recall(memory + at_memory));
  out.normal = forces.normal;
  out.normal_power = -forces.normal * motion.rate;
  if (friction_work < 0) return;
  for (int i = 0; i < 3; ++i) out.friction[static_cast<std::size_t>(i)] = forces.friction[i];
  out.friction_power = forces.friction.dot(motion.slip);
}

template <int Rd>
void TreeProgram<Rd>::touch(const double* memory, double* work) {
  TreeTouch::Answer found;
  for (const TreeTouch& c : list_) {
    double* at = frame_.data() + c.place;
    c.ask(at, memory, found);
    at[kNormal] = found.normal;
    work[c.normal_work] = found.normal_power;
    if (c.friction_work >= 0) {
      std::copy_n(found.friction.data(), 3, at + kFriction);
      work[c.friction_work] = found.friction_power;
    }
  }
}

template <int Rd>
std::unique_ptr<Lanes> TreeProgram<Rd>::make_lanes() const {
  return std::make_unique<TreeLanes<Rd>>(*this);
}

template <int Rd>
double TreeProgram<Rd>::accelerate(const double* y, const double* memory, double* f) {
  code_->run(1, {const_cast<double*>(y), frame_.data(), nullptr, f, const_cast<double*>(memory)});
  return frame_[static_cast<std::size_t>(sum_)];
}

template class TreeProgram<1>;
template class TreeProgram<3>;

}  // namespace freeplay::dynamics
