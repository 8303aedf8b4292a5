// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contact_problem/contact_problem.hpp"
#include "core/scalars.hpp"
#include "dynamics/bodies/bodies.hpp"
#include "dynamics/bodies/flexible_body.hpp"
#include "dynamics/constraints/kkt.hpp"
#include "dynamics/elements/elements.hpp"
#include "dynamics/elements/joint_friction.hpp"
#include "dynamics/nonsmooth/step_record.hpp"
#include "dynamics/system.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>

// Cartesian formulation: every body has coordinates of its own (a rigid one its centre of mass and
// Euler parameters; in the plane x, y, angle), every joint its constraint rows with Lagrange
// multipliers.
//
//   y = [ positions of each body | velocities of each body | internal states | works ]
//
// One evaluation: frames of the bodies -> rows of the joints -> forces -> one sparse factorisation
// -> accelerations. What stands behind a frame is the body's affair (bodies/).
namespace freeplay::dynamics {

/// The bodies exist before the system, which sees the model on their frames.
struct WithBodies {
  Bodies bodies_;
};

class FrameMaps;

class Cartesian final : private WithBodies, public System {
 public:
  explicit Cartesian(const Model& model, const MakeBody& make = make_body);

  void prepare(const State& start) override;
  bool derivative(double t, const double* y, const double* memory, double* f) override;
  bool jacobian(double t, const double* y, const double* memory, MatX& dfdy) override;
  bool project(double t, double* y, const double* memory) override;
  double violation(double t, const double* y, const double* memory) override;
  void take_up(State& state) override;
  bool reshape(const State& state) override { return contacts_.reshape(state.memory.data()); }
  void carry(Archive& archive) override {
    kkt_.carry(archive);
    elements_.control().carry(archive);
  }
  double next_change(const State& state) override;
  void accept(State& state) override;
  bool snapshot(const State& state, Snapshot& out) override;
  bool energies(const State& state, Snapshot& out) override;
  std::string culprit() const override {
    const std::string law = law_trouble();  // of the user, with no value
    return law.empty() ? culprit_ : law;
  }
  int event_count() const override {
    return step_record_ ? 0 : first_watched() + elements_.watched();
  }
  void event_values(double t, const double* y, const double* memory, double* g) override;
  bool event_rates(double t, const double* y, const double* memory, double* g,
                   double* rate) override;
  double fastest_turn(const double* y) override;
  EventTrait event_trait(int which, const double* memory) const override;
  bool apply_event(int which, bool upward, State& state) override;
  bool settle(State& state) override;
  bool take_event(Event& event) override { return contacts_.take_event(event); }
  bool take_impact(Impact& impact) override { return contacts_.take_impact(impact); }
  bool wants_samples(const State& state) const override;
  void loads(double t, const double* y, const double* memory, int first,
             std::span<Peak> out) override;
  std::span<const Pose<double>> poses_at(double t, const double* y) override;
  Control* control() override {
    return elements_.control().empty() ? nullptr : &elements_.control();
  }
  void sense(double t, const double* y, const double* memory) override;
  const Contacts* all_contacts() const override { return &contacts_; }
  std::vector<Impact> open_impacts(const State& state) const override;
  /// Contacts that exist before anything moves: memory of those already touching, and what sticks.
  /// False when nothing is consistent with the laws there.
  [[nodiscard]] bool begin_contacts(State& state);
  /// Only the memory of those already touching.
  void note_contacts(State& state);
  /// Ends every stick and rest: the mechanism as if dry friction were nothing at rest.
  void let_go(double* memory) const;

  // The pieces that assembly, equilibrium, linearisation and IDA are built from.

  /// Right-hand side of the accelerations, J a = gamma, and accelerations of the last evaluation.
  [[nodiscard]] const VecX& gamma() const { return gamma_; }
  [[nodiscard]] const VecX& solution() const { return solution_; }

  [[nodiscard]] const Bodies& bodies() const { return bodies_; }
  [[nodiscard]] int position_size() const { return bodies_.positions(); }
  [[nodiscard]] int velocity_size() const { return bodies_.velocities(); }
  [[nodiscard]] int motion_size() const { return position_size() + velocity_size(); }
  /// Friction states, after the motion in y.
  [[nodiscard]] int state_size() const { return layout_->size(BlockKind::state); }
  [[nodiscard]] const Contacts& contacts() const { return contacts_; }
  [[nodiscard]] const Elements& elements() const { return elements_; }
  [[nodiscard]] int rows() const { return kkt_.rows(); }
  /// Rows of joints and couplings; those that come and go follow them.
  [[nodiscard]] int joint_rows() const { return holds_.empty() ? rows() : holds_.front().row; }
  [[nodiscard]] bool has_holds() const { return !holds_.empty(); }
  /// What time steps leave behind of contacts; null where contacts are events.
  [[nodiscard]] StepRecord* step_record() { return step_record_ ? &*step_record_ : nullptr; }
  /// Friction of an ideal joint.
  struct Friction {
    JointFriction element;
    int memory = 0, state = 0, work = 0;
    double load = 0, load_rate = 0;  // of the last evaluation; N, N/s
    Vec3 force = Vec3::Zero();       // likewise, in slip components; N
    double power = 0;
  };
  [[nodiscard]] std::span<const Friction> frictions() const { return frictions_; }
  /// The force with which a row of its joint presses the surfaces that rub, per unit of its
  /// multiplier.
  [[nodiscard]] Vec3 pressing_of(const Friction& friction, int row) const;
  /// The poses of the last evaluation.
  [[nodiscard]] std::span<const Pose<double>> poses() const { return poses_; }
  /// What gives way in a step that is not made here.
  [[nodiscard]] std::string law_trouble() const;
  void blame(std::string culprit) { culprit_ = std::move(culprit); }
  [[nodiscard]] std::string row_name(int row) const;
  [[nodiscard]] int joint_of_row(int row) const { return rows_[row].joint; }
  /// Is the row the prescribed motion of a coordinate?
  [[nodiscard]] bool drives(int row) const { return rows_[row].spec.drive >= 0; }
  /// Work integral that books the power of a row; -1: none.
  [[nodiscard]] int work_of_row(int row) const {
    return rows_[row].work >= 0 ? rows_[row].work : drift_work_;
  }
  [[nodiscard]] double row_scale(int row) const { return rows_[row].spec.scale; }
  /// Is the violation of the row an angle?
  [[nodiscard]] bool row_turns(int row) const {
    const int coupling = rows_[row].coupling;
    return coupling >= 0 ? is_angle(model_.couplings[coupling].second.coordinate)
                         : rows_[row].spec.turns();
  }
  /// Dofs (almost) without inertia.
  [[nodiscard]] const std::vector<bool>& light() const { return light_; }
  [[nodiscard]] bool has_light() const { return has_light_; }
  /// y of the poses and velocities written in the model.
  [[nodiscard]] VecX written_state() const;
  [[nodiscard]] std::vector<double> written_memory() const;
  /// Poses, rows and their right-hand sides at (t, y).
  void update(double t, const double* y, const double* memory);
  [[nodiscard]] const VecX& phi() const { return phi_; }
  [[nodiscard]] const VecX& phi_t() const { return phi_t_; }
  [[nodiscard]] const VecX& multipliers() const { return lambda_; }
  Kkt& kkt() { return kkt_; }
  [[nodiscard]] const Kkt& kkt() const { return kkt_; }
  /// Mass blocks as they are; or a metric for assembly (1 for lengths, L^2 for rotations).
  void use_mass_metric();
  void use_metric(const VecX& diagonal);
  /// y moved along a velocity-like increment [dr, dtheta'].
  void displace(double* y, const double* increment) const { bodies_.displace(y, increment); }
  /// Generalised applied force at the present poses (gravity, gyroscopic, elements); update()
  /// first.
  void applied_forces(double t, const double* y, const double* memory, double* Q);
  /// Derivatives with respect to (q, v, z), with accelerations a and multipliers held, of
  ///   rows 0 ..          M a + J^T lambda - Q       (velocity_size of them)
  ///   then               J a - gamma                (rows of them)
  ///   then               rates of friction states   (state_size of them)
  ///   then               power of each work         (work_size of them)
  /// What Newton methods and linearisation need; the columns are those of y. update() first.
  void residual_derivative(double t, const double* y, const double* memory, const double* a,
                           const double* lambda, const Sink& sink) const;
  /// Derivatives with respect to (q, v) of phi (rows 0 ..) and of J v + phi_t (then); update()
  /// first.
  void constraint_derivative(double t, const double* y, const double* memory,
                             const Sink& sink) const;
  /// q' = N(q) v
  void position_rates(const double* y, double* q_dot) const {
    bodies_.position_rates(y, y + position_size(), q_dot);
  }
  void position_rates_derivative(const double* y, const Sink& sink) const {
    bodies_.position_rates_derivative(y, y + position_size(), sink);
  }
  /// M(q) a at the positions of y.
  void mass_times(const double* y, const double* a, double* out) const {
    bodies_.mass_times(y, a, out);
  }
  /// Power of each work integral for given multipliers, after update() and applied_forces().
  void powers(const double* v, const double* lambda, double* out);

 private:
  struct Row {
    RowSpec spec;
    int joint = -1;  // -1: a coupling
    int coupling = -1;
    int work = -1;  // drives
    int hold = -1;
  };
  /// A constraint that comes and goes.
  struct Hold {
    enum class Kind { rest, stick, joint_stick };
    Kind kind = Kind::rest;
    int index = 0;  // of the contact, or of the joint's friction
    int memory = 0;
    int row = 0, count = 1;
  };
  /// A body that damps its own deformation.
  struct Damping {
    int body = 0, work = 0;
  };
  /// Coulomb friction of a rigid contact while it rests: its load is a multiplier.
  struct RigidFriction {
    int contact = 0, rest_row = 0;
    bool active = false;
    double load = 0;            // of the last evaluation; N
    Vec3 force = Vec3::Zero();  // likewise, on the second body, global axes; N
    double power = 0;
  };
  /// One row of a hold, whether it holds at present or not: its rate is the motion that it stops.
  struct HoldRow {
    Vec3 v1 = Vec3::Zero(), w1 = Vec3::Zero(), v2 = Vec3::Zero(), w2 = Vec3::Zero();
    double phi = 0, gamma = 0;
  };
  using HoldRows = std::array<HoldRow, 3>;
  struct DryState {
    Vec3 slip = Vec3::Zero(), last = Vec3::Zero();  // components or global axes, as in memory
    double load = 0;
    joints::DryFriction law;
    double mode = 0;  // kSlips, kSticks, kYields
    bool possible = false;
    [[nodiscard]] bool held() const { return mode == joints::kSticks; }
  };
  /// What is decided together at an instant, and how the mechanism answers to each unknown.
  struct Together {
    contact_problem::Problem problem;
    std::vector<int> holds;      // of each element; -1: friction of another law
    std::vector<int> frictions;  // of each element; -1: none
    std::vector<char> pulls;     // of each element: a contact held closed against its will
    std::vector<VecX> rows;      // gradient of each unknown
    std::vector<VecX> response;  // [velocities; multipliers] to a unit of each unknown
  };

  /// A rigid contact that takes part in an impact.
  struct Taker {
    int hold, element;
    double approach;  // m/s
    double rest;      // leaving more slowly than this, it stays; m/s
  };
  struct Collision {
    Together all;
    std::vector<Taker> takers;
    bool any = false;  // something approaches that did not rest
  };

  void find_light_dofs();
  void resolve_drives();
  void add_joint_rows(std::vector<std::vector<Kkt::Entry>>& pattern);
  void add_coupling_rows(std::vector<std::vector<Kkt::Entry>>& pattern);
  [[nodiscard]] Kkt::Entry entry_of(FrameIndex frame, std::uint8_t columns) const;
  void make_scratch();
  void add_frictions();
  void add_holds(std::vector<std::vector<Kkt::Entry>>& pattern);
  [[nodiscard]] bool holding(const Hold& hold, const double* memory) const;
  [[nodiscard]] std::pair<FrameIndex, FrameIndex> bodies_of_hold(const Hold& hold) const;
  [[nodiscard]] bool hold_rows(const Hold& hold, const double* memory, HoldRows& out) const;
  void evaluate_holds(const double* memory);
  void drop_holds();
  [[nodiscard]] VecX generalised(const HoldRow& row, FrameIndex b1, FrameIndex b2) const;
  void store_row(int row, FrameIndex b1, FrameIndex b2, const HoldRow& values);
  [[nodiscard]] double hold_force(const Hold& hold) const;
  [[nodiscard]] DryState dry_state(const Hold& hold, const double* memory) const;
  void anchor(const Hold& hold, double* memory) const;
  void set_dry(const Hold& hold, double* memory, double mode, const Vec3& direction) const;
  /// A vector of slip components in the axes that the memory keeps it in.
  [[nodiscard]] Vec3 as_remembered(const Hold& hold, const double* memory,
                                   const Vec3& components) const;
  /// How far the force that holds is beyond what friction can do; < 0: within. N
  [[nodiscard]] double beyond_cone(const Hold& hold, const DryState& now) const;
  /// Slower than this, a contact whose slip has turned round is at rest; m/s.
  [[nodiscard]] double still_speed(const Hold& hold) const;
  /// A contact that has moved no faster than this stays where it is; m/s.
  [[nodiscard]] double rest_speed() const;
  /// A rigid contact that would leave more slowly than this stays: the flight of such a bounce is
  /// not resolved. `pressing`: how fast it would be pressed without contacts; m/s^2. m/s, or rad/s
  /// at the stop of an angle
  [[nodiscard]] double rest_speed(const Hold& rest, double pressing) const;
  /// The unit of lengths of a rigid contact: that of the mechanism, or a radian.
  [[nodiscard]] double extent(const Hold& rest) const {
    return contacts_.element(rest.index).is_angle() ? 1 : scales_.length;
  }
  static constexpr double kClosed = 1e-12;  ///< rounding of places, in lengths of the mechanism
  static constexpr double kSlow = 1e-6;     ///< chosen: a speed that is rest, in lengths and times
  /// So much later (in times of the mechanism) loads are asked for again where their rate counts:
  /// half the digits of a difference. chosen
  static constexpr double kMoment = 1e-7;
  /// A gap smaller than this is closed; m, or rad.
  [[nodiscard]] double closed_gap(const Hold& rest) const { return kClosed * extent(rest); }
  /// Round-off of forces; N.
  [[nodiscard]] double force_noise() const;
  void tell_of(const Hold& hold, const char* kind, double time, double speed = 0);
  void refresh_slip(State& state);
  void note_strain(const Hold& hold, const double* memory, Snapshot& out) const;

  // Deciding together (decide.cpp, impacts.cpp).
  void take_row(Together& all, const HoldRow& row, FrameIndex b1, FrameIndex b2) const;
  contact_problem::Contact& take(Together& all, int hold, const HoldRows& rows) const;
  [[nodiscard]] bool take_friction_of_other_law(Together& all, const State& state, int index,
                                                contact_problem::Contact& element) const;
  void respond(Together& all);
  [[nodiscard]] Together at_rest(const State& state, std::vector<double>& memory);
  [[nodiscard]] bool decide(State& state, const std::vector<char>& released, bool& redundant);
  void carry_out(const Together& all, const contact_problem::Solution& answer,
                 double* memory) const;
  [[nodiscard]] bool let_yield(State& state, bool redundant, int& beyond);
  [[nodiscard]] int yields_alone(State& state);
  void tell_changes(const std::vector<double>& before, State& state);
  [[nodiscard]] bool refuse(const Together& all, const contact_problem::Solution& answer);
  bool collide(State& state);
  [[nodiscard]] Collision colliding(const State& state);
  [[nodiscard]] double work_of_impulse(const Together& all, const contact_problem::Solution& answer,
                                       int element, const VecX& mean) const;
  void tell_impacts(const Collision& collision, const contact_problem::Solution& answer,
                    const VecX& mean, State& state);
  /// Force of the first body on the second by the joint's own rows, for given multipliers; N.
  [[nodiscard]] Vec3 reaction_force(int joint, const double* lambda) const;
  /// The same, of one row at a unit of its multiplier.
  [[nodiscard]] Vec3 row_force(int row) const;
  void recall_frictions(const double* memory, double* Q);
  [[nodiscard]] std::vector<StepRecord::Slip> slips_of_frictions() const;
  [[nodiscard]] Vec3 pressing_force(const Friction& friction, const double* lambda) const;
  void add_wrench(FrameIndex frame, const Wrench<double>& wrench, double* Q) const;
  [[nodiscard]] bool solve_with_friction(const double* y, const double* memory);
  [[nodiscard]] bool find_loads();
  void friction_state_rates(double t, const double* y, const double* memory, double* f);
  /// Generalised force of a unit push apart at a contact, padded with zeros for the rows.
  [[nodiscard]] VecX push_apart(int element, const joints::ContactPoint<double>& point) const;
  void evaluate_rows(double t, const double* memory);
  void evaluate_coupling(int row, const double* memory);
  void store(int row, int k, FrameIndex frame, const Vec3& v, const Vec3& w);
  template <class Visit>
  void visit_rows(double t, const FrameMaps& maps, const double* memory, Visit&& visit) const;
  [[nodiscard]] Jet drive_at(const Row& row, double t) const;
  [[nodiscard]] int angle_slot(int joint, Coordinate coordinate) const;  // into memory, -1: none
  /// Planar angles: whole turns as written; rad.
  [[nodiscard]] double written_turns(int joint, Coordinate coordinate) const;
  /// What an angle is measured from: its last unwrapped value, or in the plane the turns the file
  /// wrote.
  [[nodiscard]] double angle_reference(int joint, Coordinate coordinate,
                                       const double* memory) const;
  /// The same, as elements ask for it.
  [[nodiscard]] auto angles(const double* memory) const {
    return [this, memory](const JointCoordinate& on) {
      return angle_reference(on.joint, on.coordinate, memory);
    };
  }
  /// Events of elements follow those of contacts and of dry friction.
  [[nodiscard]] int first_watched() const { return contacts_.size() + dry_events_; }
  void element_derivative(double t, const double* y, const FrameMaps& maps, const double* memory,
                          const Sink& sink) const;
  void control_derivative(double t, const double* y, const FrameMaps& maps, const double* memory,
                          const Sink& sink) const;
  void mesh_derivative(const FrameMaps& maps, const double* memory, const Sink& sink) const;
  void friction_derivative(const double* y, const FrameMaps& maps, const double* memory,
                           const Sink& sink) const;
  void damping_derivative(const Damping& damping, const double* y, const Sink& sink) const;
  void row_derivative(double t, const double* y, const FrameMaps& maps, const double* memory,
                      const double* a, const double* lambda, const Sink& sink) const;
  [[nodiscard]] FrameAcceleration frame_acceleration(FrameIndex frame, const double* y,
                                                     const double* a) const;
  [[nodiscard]] bool solve_accelerations(double t, const double* y, const double* memory);
  void right_hand_side(double t, const double* y, const double* memory);
  [[nodiscard]] bool finite(const double* f, double t);
  void set_poses(const double* y);
  void set_masses(bool all);  // or of those bodies alone whose mass varies
  [[nodiscard]] Contacts::Response response(const State& state);
  /// How easily two bodies part along the normal of a contact: h^T M_c^-1 h, theory/multibody
  /// (M.19); 1/kg.
  double mobility(int element, const joints::ContactPoint<double>& point);

  std::vector<Row> rows_;
  std::vector<std::vector<int>> angle_slots_;  // per joint, per coordinate of coordinates_of
  std::vector<std::vector<Drive>> drives_;     // with starts resolved
  std::vector<double>
      planar_turns_;  // whole turns between the bodies of each joint, as written; rad
  std::vector<double> coupling_offset_;
  Elements elements_;
  Contacts& contacts_;
  std::optional<StepRecord> step_record_;
  std::vector<Friction> frictions_;
  bool friction_states_ = false;  // one of them has bristles
  std::vector<RigidFriction> rigid_frictions_;
  std::vector<Damping> dampings_;
  std::vector<Hold> holds_;
  int dry_events_ = 0;  // one for each hold of Coulomb friction
  int drift_work_ = -1;
  bool has_light_ = false, redundant_ = false;
  bool metric_is_mass_ = true;  // what the solver works with at present
  std::vector<bool> light_;     // velocities without inertia worth its name
  double mass_scale_ = 1, inertia_scale_ = 1;

  // scratch
  std::vector<Pose<double>> poses_;       // of all frames
  VecX motion_;                           // positions and velocities that they show
  std::vector<FrameAcceleration> drift_;  // of frames while the velocities of bodies stay
  std::vector<MatX> mass_blocks_;         // of the bodies
  VecX steady_;                           // zero accelerations
  VecX share_;
  Kkt kkt_;
  VecX phi_, phi_t_, gamma_, row_rate_, lambda_, solution_;
  // Loads that are forces of the mechanism: those of joints, then those of rigid contacts. How the
  // mechanism answers to each friction at unit load, and what presses each of them then.
  std::vector<VecX> at_unit_load_;
  std::vector<Vec3> pressing_;
  MatX load_slopes_;
  Eigen::PartialPivLU<MatX> load_factors_;
  VecX loads_, load_errors_;
  std::vector<FrameAcceleration> accelerations_;
  VecX later_, later_rates_, later_events_;  // a moment later, for rates of events
  std::string culprit_;
  bool collisions_solved_ = true;  // the last one
};

}  // namespace freeplay::dynamics
