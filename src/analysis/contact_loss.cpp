// SPDX-License-Identifier: Apache-2.0
#include "analysis/refuse.hpp"
#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/start/start.hpp"
#include "model/joint_types.hpp"
#include <freeplay/assembly.hpp>
#include <freeplay/contact_loss.hpp>
#include <freeplay/errors.hpp>
#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

// The inner part of a joint with little play is a particle in a ring, pressed outwards by the
// reaction R of the ideal joint: m c phi'' = -R sin(phi - theta), a pendulum of the pace
// w0 = sqrt(R / (m c)) in a field that turns as theta does (theory/contact_loss (K.1)).
namespace freeplay {
namespace {

using dynamics::Cartesian;

/// Of the largest reaction: below this it is round-off and has no direction.
constexpr double kNoForce = 1e-12;

/// What the pendulum knows: play at a pin in the plane, or of a ball.
bool is_known(const Model& model, const Joint& joint) {
  const PlayParts parts = kind_of(joint).play;
  const bool pin = model.planar && parts == PlayParts::bore;
  return joint.clearance && (pin || parts == PlayParts::ball) && !joint.clearance->outer_profile &&
         !joint.clearance->inner_profile &&
         joint.clearance->outer_radius > joint.clearance->inner_radius;
}

/// Reaction of each joint looked at, and the mass behind its play, at every step of a run.
class Reactions final : public Observer {
 public:
  Reactions(const Model& ideal, std::vector<JointIndex> joints)
      : system_(ideal), joints_(std::move(joints)), force(joints_.size()), mass(joints_.size()) {}

  void step(const State& state, std::span<const double>, const StepInfo&) override {
    if (rate_.size() == 0) system_.prepare(state);
    rate_.resize(state.y.size());
    if (!system_.derivative(state.time, state.y.data(), state.memory.data(), rate_.data()))
      throw ContactLossFailed("the ideal mechanism cannot be evaluated: " + system_.culprit());
    lambda_ = system_.multipliers();
    time.push_back(state.time);
    for (std::size_t k = 0; k < joints_.size(); ++k) look(k);
  }
  [[nodiscard]] bool wants_rows() const override { return false; }
  [[nodiscard]] bool wants_peaks() const override { return false; }

 private:
  /// The reaction by its rows, in global axes (those of a pin and of a ball are), and the mass that
  /// resists a parting of the two bodies along it while the joint is open.
  void look(std::size_t k) {
    dynamics::Kkt& kkt = system_.kkt();
    Vec3 R = Vec3::Zero();
    push_.setZero(kkt.size());
    int axis = 0;
    const auto holds = [&](int r) {
      return system_.joint_of_row(r) == static_cast<int>(joints_[k]) && !system_.drives(r) &&
             !system_.row_turns(r);
    };
    saved_.clear();
    for (int r = 0; r < system_.joint_rows(); ++r) {
      if (!holds(r)) continue;
      R[axis++] = lambda_[r];
      for (int e = 0; e < kkt.entries(r); ++e)
        for (int d = 0; d < kkt.width(r, e); ++d) {
          double& gradient = kkt.gradient(r, e)[d];
          push_[kkt.first_dof(r, e) + d] += lambda_[r] * gradient;
          saved_.push_back(gradient);
          gradient = 0;
        }
      kkt.set_active(r, false);
    }
    force[k].push_back(R);
    answer_ = push_;
    double mobility = 0;
    if (kkt.factorise()) {
      kkt.solve(answer_.data());
      const int n = system_.velocity_size();
      mobility = push_.head(n).dot(answer_.head(n));
    }
    // The joint is closed again for the next one.
    auto next = saved_.begin();
    for (int r = 0; r < system_.joint_rows(); ++r) {
      if (!holds(r)) continue;
      for (int e = 0; e < kkt.entries(r); ++e)
        for (int d = 0; d < kkt.width(r, e); ++d) kkt.gradient(r, e)[d] = *next++;
      kkt.set_active(r, true);
    }
    mass[k].push_back(mobility > 0 ? R.squaredNorm() / mobility : 0);
  }

  Cartesian system_;
  std::vector<JointIndex> joints_;
  VecX rate_, lambda_, push_, answer_;
  std::vector<double> saved_;

 public:
  std::vector<double> time;
  std::vector<std::vector<Vec3>> force;
  std::vector<std::vector<double>> mass;
};

/// Contacts of a run in full that have ended.
class Separations final : public Observer {
 public:
  void impact(const Impact& impact) override {
    if (!impact.open) list.push_back(impact);
  }
  [[nodiscard]] bool wants_rows() const override { return false; }
  [[nodiscard]] bool wants_peaks() const override { return false; }
  std::vector<Impact> list;
};

void expect_done(const RunResult& result, const char* which) {
  if (result.status != RunStatus::done)
    throw ContactLossFailed(fmt::format("{} ends at t = {:.6g} s: {}{}{}", which, result.time,
                                        result.reason, result.remedy.empty() ? "" : "; ",
                                        result.remedy));
}

/// First and second derivative of a series at its k-th point, by the parabola through three.
template <class T>
std::pair<T, T> derivatives(const std::vector<double>& t, const std::vector<T>& x, std::size_t k) {
  const std::size_t m = std::clamp<std::size_t>(k, 1, t.size() - 2);
  const double h0 = t[m] - t[m - 1], h1 = t[m + 1] - t[m];
  const T s0 = (x[m] - x[m - 1]) / h0, s1 = (x[m + 1] - x[m]) / h1;
  const T second = 2.0 * (s1 - s0) / (h0 + h1);
  const T first = (s0 * h1 + s1 * h0) / (h0 + h1);
  return {T(first + second * (t[k] - t[m])), second};
}

/// Runs of points at which something holds, as stretches of time.
template <class Holds>
std::vector<LossInterval> stretches(const std::vector<JointLoad>& at, const Holds& holds) {
  std::vector<LossInterval> out;
  bool open = false;
  for (const JointLoad& load : at) {
    const bool now = holds(load);
    if (now && !open) out.push_back({load.time, load.time});
    if (now) out.back().to = load.time;
    open = now;
  }
  return out;
}

void judge(JointContactLoss& joint, const std::vector<double>& time, const std::vector<Vec3>& R,
           const std::vector<double>& mass, double limit) {
  double largest = 0;
  for (const Vec3& force : R) largest = std::max(largest, force.norm());
  for (std::size_t k = 0; k < time.size(); ++k) {
    const auto [rate, second] = derivatives(time, R, k);
    JointLoad load;
    load.time = time[k];
    load.force = R[k].norm();
    load.mass = mass[k];
    const double square = R[k].squaredNorm();
    if (load.force <= kNoForce * largest) {
      load.turning = load.following = load.swerving = load.earles_wu =
          std::numeric_limits<double>::infinity();
      load.lost = true;
    } else {
      // theta' = |R x R'| / R^2 and its rate, theory/contact_loss (K.2).
      const Vec3 turn = R[k].cross(rate) / square;
      const Vec3 swerve = R[k].cross(second) / square - 2 * R[k].dot(rate) / square * turn;
      const double pace = mass[k] > 0 ? std::sqrt(load.force / (mass[k] * joint.play))
                                      : std::numeric_limits<double>::infinity();
      load.turning = turn.norm();
      load.following = load.turning / pace;
      load.swerving = swerve.norm() / (pace * pace);
      load.earles_wu = load.turning / load.force;
      load.lost = load.following >= 1 || load.swerving >= 1;
    }
    joint.at.push_back(load);
  }
  // A reaction that turns round between two instants takes the inner part across its play, however
  // little of that is seen at either.
  for (std::size_t k = 1; k < R.size(); ++k)
    if (R[k].dot(R[k - 1]) <= 0) joint.at[k - 1].lost = joint.at[k].lost = true;
  joint.lost = stretches(joint.at, [](const JointLoad& l) { return l.lost; });
  joint.earles_wu = stretches(joint.at, [&](const JointLoad& l) { return l.earles_wu > limit; });
}

/// The joint at the first instant looked at from `time` on.
const JointLoad& load_at(const JointContactLoss& joint, double time) {
  const auto at = std::lower_bound(joint.at.begin(), joint.at.end(), time,
                                   [](const JointLoad& l, double t) { return l.time < t; });
  return at == joint.at.end() ? joint.at.back() : *at;
}

/// Period of the pendulum there; s.
double swing(const JointContactLoss& joint, double time) {
  const JointLoad& now = load_at(joint, time);
  return now.force > 0 ? 2 * std::numbers::pi * std::sqrt(now.mass * joint.play / now.force) : 0;
}

/// Is a separation inside an interval, or so soon behind it that the inner part still swings?
/// `apart`: of the instants looked at; s.
bool foreseen(const JointContactLoss& joint, double time, double apart) {
  return std::any_of(joint.lost.begin(), joint.lost.end(), [&](const LossInterval& i) {
    return time >= i.from - apart && time <= i.to + apart + swing(joint, time);
  });
}

}  // namespace

ContactLoss find_contact_loss(const Model& model, const ContactLossOptions& options) {
  analysis::refuse_teeth(model, "losses of contact");
  ContactLoss out;
  std::vector<JointIndex> looked_at;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (is_known(model, joint)) {
      looked_at.push_back(static_cast<JointIndex>(j));
      JointContactLoss& more = out.joints.emplace_back();
      more.joint = joint.name;
      more.play = joint.clearance->outer_radius - joint.clearance->inner_radius;
      if (joint.clearance->film)
        out.notes.push_back(
            fmt::format("joint '{}' is filled with oil, which holds its parts back: the forecast "
                        "is that of a dry one",
                        joint.name));
    } else if (joint.clearance) {
      out.notes.push_back(fmt::format(
          "joint '{}' is not looked at: only round pins in the plane and balls are", joint.name));
    }
  }
  if (looked_at.empty())
    analysis::refuse(
        "joints", "no round pin in the plane and no ball has play",
        "give such a joint a clearance; other joints with play are for 'freeplay run'");
  if (model.simulation.duration <= 0 || options.positions < 2)
    analysis::refuse("simulation.duration", "nothing moves in no time", "give a duration");

  Model ideal = dynamics::idealised(model);
  for (Joint& joint : ideal.joints) joint.friction.reset();
  ideal.simulation.formulation = Formulation::cartesian;
  const double apart = ideal.simulation.duration / options.positions;
  ideal.simulation.max_step =
      ideal.simulation.max_step > 0 ? std::min(ideal.simulation.max_step, apart) : apart;
  Reactions reactions(ideal, looked_at);
  Observer* const watching[] = {&reactions};
  expect_done(run(ideal, assemble(ideal).start, watching), "the ideal mechanism");
  // Impacts at stops jump: instants told twice have no rate between them.
  std::vector<double>& time = reactions.time;
  for (std::size_t k = time.size(); k-- > 1;)
    if (!(time[k] > time[k - 1])) {
      time.erase(time.begin() + static_cast<std::ptrdiff_t>(k));
      for (auto& list : reactions.force) list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
      for (auto& list : reactions.mass) list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
    }
  for (std::size_t k = 0; k < looked_at.size(); ++k)
    judge(out.joints[k], time, reactions.force[k], reactions.mass[k], options.earles_wu);
  if (looked_at.size() > 1)
    out.notes.push_back(
        "each joint is looked at as if the others were ideal: play of one shakes the next");
  if (!options.compare) return out;

  Separations separations;
  Observer* const counting[] = {&separations};
  expect_done(run(model, assemble(model).start, counting), "the run in full");
  out.compared = true;
  for (JointContactLoss& joint : out.joints) {
    for (const Impact& contact : separations.list) {
      if (contact.joint != joint.joint) continue;
      ++joint.separations;
      if (contact.end - contact.start < 0.25 * swing(joint, contact.end)) continue;
      ++joint.losses;
      joint.foreseen += foreseen(joint, contact.end, apart);
    }
    if (joint.losses < joint.separations)
      out.notes.push_back(fmt::format(
          "joint '{}': {} of {} separations are bounces, shorter than a quarter swing; a forecast "
          "takes parts to follow the reaction and knows nothing of these",
          joint.joint, joint.separations - joint.losses, joint.separations));
    if (joint.foreseen < joint.losses)
      out.notes.push_back(fmt::format("joint '{}': {} of {} losses of contact are not foreseen",
                                      joint.joint, joint.losses - joint.foreseen, joint.losses));
  }
  return out;
}

}  // namespace freeplay
