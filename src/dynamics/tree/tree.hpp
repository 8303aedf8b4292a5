// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/scalars.hpp"
#include "dynamics/elements/elements.hpp"
#include "dynamics/start/written_start.hpp"
#include "dynamics/system.hpp"
#include "dynamics/tree/kkt.hpp"
#include "dynamics/tree/program.hpp"

#include <limits>
#include <memory>
#include <string>

// Joint coordinates along a spanning tree. A joint with clearance is no joint of the tree, so the
// usual mechanism with play has no constraint left and one evaluation is one sweep out, one in and
// one out again; ideal loops are closed by rows.
//
//   y = [ coordinates | speeds | internal states | works ]
//
// Driven coordinates are prescribed: they are not in y at all, and their effort is what the joint
// is seen to transmit. Spins of balls and free bodies are absolute, in body axes.
namespace freeplay::dynamics {

class TreeSystem : public System, public Laned {
 public:
  /// y of a Cartesian state of the same instant, and back.
  [[nodiscard]] virtual VecX from_cartesian(const State& cartesian) const = 0;
  [[nodiscard]] virtual VecX to_cartesian(const State& tree) = 0;
  [[nodiscard]] virtual int rows() const = 0;
  [[nodiscard]] virtual int positions() const = 0;
  [[nodiscard]] virtual int speeds() const = 0;
  /// True once evaluations are machine code made for this mechanism.
  [[nodiscard]] virtual bool compiled() const = 0;

 protected:
  using System::System;
};

/// Rd = 3: in space; 1: in the plane.
template <int Rd>
class Tree final : public TreeSystem {
 public:
  explicit Tree(const Model& model);

  void prepare(const State& start) override;
  bool derivative(double t, const double* y, const double* memory, double* f) override;
  bool jacobian(double t, const double* y, const double* memory, MatX& dfdy) override;
  bool project(double t, double* y, const double* memory) override;
  double violation(double t, const double* y, const double* memory) override;
  void take_up(State& state) override;
  bool reshape(const State& state) override { return contacts_.reshape(state.memory.data()); }
  double next_change(const State& state) override;
  void accept(State& state) override;
  bool snapshot(const State& state, Snapshot& out) override;
  bool energies(const State& state, Snapshot& out) override;
  std::string culprit() const override {
    const std::string law = elements_.contacts().trouble();  // of the user, with no value
    return law.empty() ? culprit_ : law;
  }
  int event_count() const override { return contacts_.size() + elements_.watched(); }
  void event_values(double t, const double* y, const double* memory, double* g) override;
  bool event_rates(double t, const double* y, const double* memory, double* g,
                   double* rate) override;
  double fastest_turn(const double* y) override;
  EventTrait event_trait(int which, const double* memory) const override {
    return which < contacts_.size() ? contacts_.trait(which, memory)
                                    : elements_.trait(which - contacts_.size(), memory);
  }
  bool apply_event(int which, bool upward, State& state) override;
  bool take_event(Event& event) override { return contacts_.take_event(event); }
  bool take_impact(Impact& impact) override { return contacts_.take_impact(impact); }
  bool wants_samples(const State& state) const override;
  bool peaks_possible(double t0, const double* y0, double t1, const double* y1,
                      const State& state) override;
  void loads(double t, const double* y, const double* memory, int first,
             std::span<Peak> out) override;
  std::span<const Pose<double>> poses_at(double t, const double* y) override {
    place(t, y);
    return poses_;
  }
  Control* control() override {
    return elements_.control().empty() ? nullptr : &elements_.control();
  }
  void sense(double t, const double* y, const double* memory) override;
  const Contacts* all_contacts() const override { return &contacts_; }

  VecX from_cartesian(const State& cartesian) const override;
  VecX to_cartesian(const State& tree) override;
  int rows() const override { return static_cast<int>(rows_.size()); }
  int positions() const override { return kernel_.positions(); }
  int speeds() const override { return kernel_.speeds(); }
  bool compiled() const override { return program_ != nullptr; }
  void forget() override {
    placed_time_ = std::numeric_limits<double>::quiet_NaN();
    if (program_) program_->forget();
  }
  void keep_plain() override;
  Variant* variant() override {
    return program_ && alone_ && program_->knows_drives() ? program_.get() : nullptr;
  }
  void carry(Archive& archive) override;

 private:
  using Kernel = TreeKernel<Rd>;
  using S = TreeSpace<Rd>;
  template <class T>
  using Moving = NodeMotion<Rd, T>;
  template <class T>
  using Force = NodeWrench<Rd, T>;
  template <class T>
  using Acceleration = NodeAcceleration<Rd, T>;

  /// Part of a row: one of the model's scalar rows, times a factor. Couplings have two.
  struct Share {
    RowSpec spec;
    JointIndex joint;
    Coordinate coordinate = Coordinate::angle;  // couplings
    double factor = 1;
    std::vector<int> place;  // of each visited dof in the row's gradient; -1 - driven index
  };
  struct Row {
    std::vector<Share> shares;
    int coupling = -1, work = -1;
    double scale = 1;
    std::string name;
    std::vector<double> driven;  // gradient with respect to the driven dofs
  };

  /// Mass between a driven and a free dof.
  struct DrivenMass {
    int driven, free;
    double mass;
  };
  struct Differentiation;

  // Exact derivatives (jacobian.cpp).
  [[nodiscard]] bool find_driven_mass(std::vector<DrivenMass>& out);
  void differentiate_motion(const VecX& a, Differentiation& d) const;
  void differentiate_elements(double t, const double* y, const double* memory,
                              Differentiation& d) const;
  void differentiate_rows(double t, const VecX& lambda, Differentiation& d) const;
  void differentiate_residual(Differentiation& d) const;
  void apply(FrameIndex frame, const Wrench<PairDual>& wrench, Differentiation& d) const;
  void store_column(int at, int c, const Differentiation& d, const std::vector<DrivenMass>& pairs,
                    MatX& dfdy);

  void declare_motion();
  void list_rows();
  void list_watched();
  void take_written_turns();
  void lay_out_matrices();
  void set_time(double t);
  void place(double t, const double* y);
  void place_all(double t, const double* y);
  void set_pose(int node);
  void apply_forces(double t, const double* y, const double* memory);
  /// Evaluates force elements and, if asked to, contacts at the present poses; add(body, wrench)
  /// for all that acts.
  template <class Add>
  void gather_wrenches(double t, const double* y, const double* memory, bool contacts, Add&& add);
  void element_powers(bool contacts, double* out) const;
  void evaluate_rows(double t, bool accelerating);
  void update_mass();
  [[nodiscard]] bool solve_accelerations(double t, const double* y, const double* memory);
  void powers(const double* y, double* out);
  void set_accelerations(const Acceleration<double>* a);
  void find_body_accelerations();
  void row_rate(const double* v);
  void note_references(const double* y, const double* memory);
  [[nodiscard]] std::string body_of_dof(int dof) const;
  [[nodiscard]] double angle_reference(JointIndex joint, Coordinate c, const double* y,
                                       const double* memory) const;
  /// The same, as elements ask for it.
  [[nodiscard]] auto angles(const double* y, const double* memory) const {
    return [this, y, memory](const JointCoordinate& on) {
      return angle_reference(on.joint, on.coordinate, y, memory);
    };
  }
  [[nodiscard]] int angle_slot(JointIndex joint, Coordinate c) const;
  void normalise(double* y) const;
  void displace(double* y, const double* increment) const;
  [[nodiscard]] bool finite(const double* f);
  [[nodiscard]] bool interpret(double t, const double* y, const double* memory, double* f);
  void compile();
  void place_program(double t, const double* y);
  void place_contacts(double t, const double* y);
  void watch_elements(double t, const double* y, const double* memory, double* g,
                      double* rate) const;
  [[nodiscard]] bool run_program(double t, const double* y, const double* memory, double* f);
  [[nodiscard]] Contacts::Response response(const State& state);
  [[nodiscard]] double mobility(int element, const joints::ContactPoint<double>& point);
  void quaternions(const double* y, std::vector<Vec4>& out) const;
  void add_energies(const State& state, Snapshot& out) const;
  void evaluate_forces(double t, const double* y, const double* memory);

  WrittenStart written_;
  Topology topology_;
  Kernel kernel_;
  Articulated<Rd, double> bodies_;
  Elements elements_;
  Contacts& contacts_;
  std::vector<Row> rows_;
  TreeKkt kkt_;
  std::vector<int> mass_place_;  // of each visited pair: entry of kkt_ or -1 - driven entry
  std::vector<std::pair<int, int>> driven_pairs_;
  std::vector<double> driven_mass_;
  std::vector<int> drive_work_;  // per prescribed column
  std::vector<std::vector<int>> angle_slots_;
  std::vector<Vec4> inner_turn_, outer_turn_;  // constant quaternions of each node
  bool redundant_ = false, loose_angles_ = false;
  std::vector<std::array<double, 2>> angle_reference_;  // per row, of the coordinates of couplings

  // Nodes that something acts on, and whose poses an evaluation asks for: those with forces,
  // contacts and rows.
  std::vector<int> watched_;

  // Evaluations so far, and the code made when there were enough of them to be worth it.
  int evaluations_ = 0;
  std::unique_ptr<TreeProgram<Rd>> program_;
  bool alone_ = false;  // nothing acts besides what is in it

  // scratch
  double placed_time_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> placed_;  // coordinates and speeds that motion_ and poses_ belong to
  std::vector<Moving<double>> motion_;
  std::vector<std::array<double, 2>> turns_;  // of each node, and of the fastest on the way to it
  std::vector<Pose<double>> poses_;
  std::vector<Wrench<double>> wrenches_;  // on each body
  std::vector<Force<double>> applied_, transmitted_;
  std::vector<Acceleration<double>> node_acceleration_;
  std::vector<FrameAcceleration> accelerations_;
  VecX phi_, phi_t_, gamma_, row_rate_, lambda_, solution_, bias_, effort_;
  std::string culprit_;
};

template <int Rd>
template <class Add>
void Tree<Rd>::gather_wrenches(double t, const double* y, const double* memory, bool contacts,
                               Add&& add) {
  evaluate_forces(t, y, memory);
  elements_.add_force_wrenches(add);
  if (!contacts || elements_.joints().empty()) return;
  elements_.evaluate_joints(t, poses_, memory, y + positions() + speeds());
  elements_.add_joint_wrenches(add);
}

[[nodiscard]] std::unique_ptr<TreeSystem> make_tree(const Model& model);

}  // namespace freeplay::dynamics
