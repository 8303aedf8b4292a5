// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.hpp"
#include "core/pose.hpp"
#include "dynamics/bodies/deforming_body.hpp"
#include "dynamics/elements/contacts.hpp"
#include "dynamics/elements/forces.hpp"
#include <freeplay/model.hpp>
#include <freeplay/observed.hpp>
#include <freeplay/state.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <vector>

// The equations of motion of one model in one formulation, y' = f(t, y), as integrators see them,
// and everything that can be known at an instant, as observers see it. A System holds the compiled
// model and its scratch memory: one per run, cheap to make, nothing of the past in it.
namespace freeplay::dynamics {

class Control;

/// Everything known of a mechanism at one instant.
struct Snapshot {
  struct Reaction {
    Vec3 force = Vec3::Zero();             ///< of the first body on the second; global axes; N
    Vec3 moment = Vec3::Zero();            ///< about the second body's joint point; N m
    std::vector<double> coordinate, rate;  ///< in the order of coordinates_of
    std::vector<double> effort;            ///< of each drive, along its coordinate; N or N m
    joints::JointObservation contact;      ///< imperfect joints only
  };
  double time = 0;
  std::vector<Pose<double>> poses;  ///< [0] is the ground
  std::vector<Vec4> quaternion;
  std::vector<Vec3> acceleration;          ///< of the centre of mass, global
  std::vector<Vec3> angular_acceleration;  ///< global axes
  /// Sections of the flexible bodies along their axes, one body after the other.
  std::vector<DeformingBody::SectionState> sections;
  std::vector<Reaction> joints;
  std::vector<double> coupling_effort;  ///< along the coupling's second coordinate
  /// Couplings with play, in their order: the second part is ahead along the pitch line (m), the
  /// teeth push it with a force (N), friction takes power (W).
  struct MeshReading {
    double lead = 0, force = 0, friction_power = 0;
  };
  std::vector<MeshReading> meshes;
  std::vector<Action<double>> forces;
  std::vector<double> signals;  ///< outputs of signals, then of controllers
  /// Where the laws of friction and of rigid contacts are strained most: friction over what its law
  /// allows, a contact at rest that pulls (N) or stands open (m). -1: nowhere.
  struct Strain {
    double friction = 0, pull = 0, gap = 0;
    int friction_joint = -1, pull_joint = -1, gap_joint = -1;
    bool bristles = false;  ///< friction comes from integrated states, and is as exact as these
  } strain;
  double kinetic = 0, potential = 0, elastic = 0;  ///< J
  std::vector<double> work;                        ///< in the order of the layout; J
  std::vector<double> worn;  ///< records of joints that wear, one after the other (Contacts::worn)
  double residual = 0;       ///< E - E(0) - sum of work; J
  Deepest deepest;           ///< of the contacts that touch
};

/// Names of the formulations, as layouts have them.
inline constexpr const char *kCartesian = "cartesian", *kTree = "tree";

class System {
 public:
  virtual ~System() = default;

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const Scales& scales() const { return scales_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int work_size() const { return layout_->size(BlockKind::work); }
  [[nodiscard]] int memory_size() const { return layout_->memory_size(); }
  /// What the numbers of a state are, as their owners declared them.
  [[nodiscard]] const std::shared_ptr<const Layout>& layout() const { return const_layout_; }
  /// How many bodies the mechanism has, ground included. The model of a system may have more:
  /// frames on flexible bodies, which come behind them.
  [[nodiscard]] std::size_t body_count() const { return body_count_; }
  /// Scale of each component of y, to which the tolerance is relative besides its own size.
  [[nodiscard]] VecX error_scale() const;

  /// Takes note of what a run starts from (redundant rows, calibration of the solver). Call once
  /// before anything else.
  virtual void prepare(const State& start) = 0;
  /// Saves or restores what shows in the last digits of evaluations: whether they are compiled, how
  /// the solver is calibrated.
  virtual void carry(Archive& /*archive*/) {}
  /// Keeps to plain code where evaluations could be compiled for the mechanism.
  virtual void keep_plain() {}
  /// f(t, y); false when it cannot be evaluated there (singular or not finite).
  [[nodiscard]] virtual bool derivative(double t, const double* y, const double* memory,
                                        double* f) = 0;
  /// df/dy, exact.
  [[nodiscard]] virtual bool jacobian(double t, const double* y, const double* memory,
                                      MatX& dfdy) = 0;
  /// Brings y back to the constraints; false when they cannot be met from here.
  [[nodiscard]] virtual bool project(double t, double* y, const double* memory) = 0;
  /// Largest constraint violation relative to L (lengths) or 1 rad.
  [[nodiscard]] virtual double violation(double t, const double* y, const double* memory) = 0;
  /// Takes up what memory says of the present position, for a state made elsewhere (tables).
  virtual void take_up(State& /*state*/) {}
  /// How long until a force changes its formula, if the motion goes on as now; s. Steps end just
  /// after: the dense output inside a step that runs far beyond is less accurate than the step.
  [[nodiscard]] virtual double next_change(const State& /*state*/) {
    return std::numeric_limits<double>::infinity();
  }
  /// Something outside has changed (an input): what is known of the last instant no longer holds.
  virtual void forget() {}
  /// Carries memory over an accepted step (turn counts, unit quaternions).
  virtual void accept(State& state) = 0;
  /// Everything known at a state; false when it cannot be evaluated.
  [[nodiscard]] virtual bool snapshot(const State& state, Snapshot& out) = 0;
  /// Its energies and the residual of the audit alone, which need no accelerations.
  [[nodiscard]] virtual bool energies(const State& state, Snapshot& out) {
    return snapshot(state, out);
  }
  /// Functions whose sign changes are located in time (gaps of clearance joints, end stops, stick
  /// and slip).
  [[nodiscard]] virtual int event_count() const { return 0; }
  virtual void event_values(double /*t*/, const double* /*y*/, const double* /*memory*/,
                            double* /*g*/) {}
  /// The same functions with their rates of change; NaN where one is not known, false when any is
  /// not. Far from zero and slow, nobody needs to look inside the step.
  virtual bool event_rates(double t, const double* y, const double* memory, double* g,
                           double* rate) {
    event_values(t, y, memory, g);
    std::fill_n(rate, event_count(), std::numeric_limits<double>::quiet_NaN());
    return false;
  }
  /// No gap turns faster than this at the instant last looked at; rad/s. A body that spins freely
  /// does so in steps of any length: what its gaps do inside one, their ends cannot tell.
  [[nodiscard]] virtual double fastest_turn(const double* /*y*/) { return 0; }
  [[nodiscard]] virtual EventTrait event_trait(int /*which*/, const double* /*memory*/) const {
    return {};
  }
  /// Carries a crossing out on the state it was located at: memory, and velocities where there is
  /// an impulse. True when velocities jumped.
  virtual bool apply_event(int /*which*/, bool /*upward*/, State& /*state*/) { return false; }
  /// After the crossings of an instant were applied: decides what sticks, slips, rests or parts
  /// from here on, all of it together. False when nothing is consistent with the laws (culprit()
  /// names it).
  [[nodiscard]] virtual bool settle(State& /*state*/) { return true; }
  /// What the crossings just applied amounted to, one by one: events for the log, and contact
  /// intervals they closed.
  [[nodiscard]] virtual bool take_event(Event& /*event*/) { return false; }
  [[nodiscard]] virtual bool take_impact(Impact& /*impact*/) { return false; }
  /// Peaks of contacts are looked for inside steps: true while something touches.
  [[nodiscard]] virtual bool wants_samples(const State& /*state*/) const { return false; }
  /// False when no contact can pass its recorded peaks between these two instants of one step.
  [[nodiscard]] virtual bool peaks_possible(double /*t0*/, const double* /*y0*/, double /*t1*/,
                                            const double* /*y1*/, const State& /*state*/) {
    return true;
  }
  /// Load and depth of the contacts from `first` on, at one such look; zeros in flight.
  virtual void loads(double /*t*/, const double* /*y*/, const double* /*memory*/, int /*first*/,
                     std::span<Peak> /*out*/) {}
  /// Where the bodies are and how they move, at an instant of a step; until the next call.
  [[nodiscard]] virtual std::span<const Pose<double>> poses_at(double /*t*/, const double* /*y*/) {
    return {};
  }
  /// Its signals and controllers; null where the model has none.
  [[nodiscard]] virtual Control* control() { return nullptr; }
  /// Works them out for an instant.
  virtual void sense(double /*t*/, const double* /*y*/, const double* /*memory*/) {}
  /// The contacts of the model; null in a system that has none.
  [[nodiscard]] virtual const Contacts* all_contacts() const { return nullptr; }
  /// What touches at this state, as impacts that are still open.
  [[nodiscard]] virtual std::vector<Impact> open_impacts(const State& state) const;
  /// Name of what gave way in the last failed evaluation.
  [[nodiscard]] virtual std::string culprit() const = 0;
  /// Surfaces that wear take the shape that memory has of them. True when there are any.
  virtual bool reshape(const State& /*state*/) { return false; }

  /// Absolute tolerance of the work integrals follows the energy the mechanism has shown so far.
  void set_energy_scale(double joule) { energy_scale_ = joule; }
  [[nodiscard]] double energy_scale() const { return energy_scale_; }

 protected:
  System(const Model& model, const char* formulation);
  const Model& model_;
  Scales scales_;
  std::shared_ptr<Layout> layout_;  // owners declare their blocks while the system is made
  int size_ = 0;                    // of y, once they all have
  std::size_t body_count_;
  double energy_scale_ = 0;

 private:
  std::shared_ptr<const Layout> const_layout_;
};

/// Takes note of the joint whose friction is strained most.
void find_strain(Snapshot& snapshot);

/// The first of the memory of every system. Energy at the start, the zero of the audit; number of
/// redundant rows; scale of the audit, the largest energy in motion so far, 0 before the first
/// step; potential energy at the start, from which its swing is counted. In the state, so that a
/// run that is resumed, or made in pieces, is audited like one made in one go.
inline constexpr std::array kAuditFields = {
    MemoryField{"start_energy", "J", Perturbation::shared},
    MemoryField{"redundant_rows", "1", Perturbation::shared},
    MemoryField{"energy_scale", "J", Perturbation::shared},
    MemoryField{"start_potential", "J", Perturbation::shared}};
inline constexpr int kStartEnergy = 0, kRedundantRows = 1, kEnergyScale = 2, kStartPotential = 3;

/// The system a model asks for.
[[nodiscard]] std::unique_ptr<System> make_system(const Model& model);

}  // namespace freeplay::dynamics
