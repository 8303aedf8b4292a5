// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/control/control.hpp"
#include "dynamics/elements/contacts.hpp"
#include "dynamics/elements/element.hpp"
#include "dynamics/elements/meshes.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

// All elements of a model, for either formulation. Poses in; wrenches, powers, rates of states,
// potential and what is recorded out. Friction of ideal joints is not among them: its load is a
// reaction, which only the formulation knows.
namespace freeplay::dynamics {

class Elements {
 public:
  using Poses = std::span<const Pose<double>>;
  /// One element, and what it did at the last evaluation.
  struct Entry {
    std::unique_ptr<Element> element;
    Action<double> action = {};
    std::vector<double> rates = {};  // of its states
    bool quiet = false;              // it did not act
  };

  /// The elements of joints: contacts, stops, oil and rubber. Forces are added later, so that their
  /// works follow those of drives.
  Elements(const Model& model, Layout& layout);
  void add_forces(const Model& model, Layout& layout);

  [[nodiscard]] Contacts& contacts() { return contacts_; }
  [[nodiscard]] const Contacts& contacts() const { return contacts_; }
  /// In the order of the model's forces; and contacts, then cushions, joint by joint.
  [[nodiscard]] const std::vector<Entry>& forces() const { return forces_; }
  [[nodiscard]] const std::vector<Entry>& joints() const { return joints_; }
  /// Is there oil or rubber?
  [[nodiscard]] bool has_cushions() const {
    return joints_.size() > static_cast<std::size_t>(contacts_.size());
  }
  /// Couplings with play.
  [[nodiscard]] const Meshes& meshes() const { return *meshes_; }
  /// Signals and controllers, which forces follow.
  [[nodiscard]] Control& control() { return *control_; }
  [[nodiscard]] const Control& control() const { return *control_; }
  /// Internal states of all of them.
  [[nodiscard]] int states() const { return states_; }

  /// `reference(JointCoordinate)`: the angle that a coordinate continues.
  template <class Reference>
  void evaluate_forces(double t, Poses poses, const double* memory, const double* z,
                       Reference&& reference) {
    control_->sense(t, poses, memory, z, reference);
    const double* signals = control_->now().values.data();
    for (Entry& entry : forces_) {
      const JointCoordinate* on = entry.element->reads();
      evaluate(entry, t, poses, memory, z, on ? reference(*on) : 0.0, signals);
    }
    meshes_->evaluate(poses, memory, reference);
  }
  void evaluate_joints(double t, Poses poses, const double* memory, const double* z) {
    for (Entry& entry : joints_) {
      // In flight there is nothing, and nothing new.
      const bool quiet = !entry.element->acts(memory);
      if (quiet && entry.quiet) continue;
      entry.quiet = quiet;
      evaluate(entry, t, poses, memory, z, 0);
    }
  }
  /// add(body, wrench) for both bodies of every element evaluated.
  template <class Add>
  void add_force_wrenches(Add&& add) const {
    for (const Entry& entry : forces_) add_wrenches(entry, add);
    meshes_->add_wrenches(add);
  }
  template <class Add>
  void add_joint_wrenches(Add&& add) const {
    for (const Entry& entry : joints_)
      if (!entry.quiet) add_wrenches(entry, add);
  }
  void force_powers(double* out) const;
  void joint_powers(double* out) const;
  /// Rates of all states, once the accelerations are known.
  void state_rates(double t, Poses poses, std::span<const FrameAcceleration> accelerations,
                   const double* memory, const double* z, double* rates);
  /// On the second body of a joint held by force: contact, oil and rubber together.
  [[nodiscard]] Wrench<double> on_second(JointIndex joint) const;
  /// What is recorded of such a joint besides.
  [[nodiscard]] joints::JointObservation observe(JointIndex joint, double t, Poses poses,
                                                 const double* memory, const double* z) const;
  /// Efforts of couplings with play on their second coordinates, in the order of the model's
  /// couplings, and what else is recorded of them; of the last evaluation.
  template <class Reading>
  void read_meshes(std::vector<double>& efforts, std::vector<Reading>& out) const {
    out.resize(meshes_->list().size());
    for (std::size_t k = 0; k < out.size(); ++k) {
      const Mesh& mesh = meshes_->list()[k];
      const MeshAction<double>& action = meshes_->actions()[k];
      efforts[mesh.index()] = action.on_second;
      out[k] = {mesh.lead(meshes_->places()[k].motion()).s, action.force, action.friction_power};
    }
  }
  [[nodiscard]] double potential() const;
  /// What each force of the model did.
  void read_forces(std::vector<Action<double>>& out) const;

  // Event functions of elements that are smooth only in stretches: knots of tables, laws that
  // remember; then of flanks of teeth, and of limits of signals, behind them.
  [[nodiscard]] int watched() const {
    return own_events() + meshes_->watches() + control_->watches();
  }
  template <class Reference>
  void watch(double t, Poses poses, const double* memory, const double* z, Reference&& reference,
             double* g, double* rate) const {
    for (const auto& [element, k] : watched_) {
      const Watched now = element->watch(k, sight(*element, t, poses, memory, z, reference));
      *g++ = now.value;
      if (rate) *rate++ = now.rate;
    }
    meshes_->watch(poses, reference, g, rate);
    g += meshes_->watches();
    if (rate) rate += meshes_->watches();
    if (control_->watches() == 0) return;
    control_->sense(t, poses, memory, z, reference);
    for (int k = 0; k < control_->watches(); ++k) {
      const Watched now = control_->watch(k);
      *g++ = now.value;
      if (rate) *rate++ = now.rate;
    }
  }
  [[nodiscard]] EventTrait trait(int event, const double* memory) const {
    if (event >= before_control()) return control_->trait(event - before_control(), memory);
    if (event >= own_events()) return meshes_->trait(event - own_events(), memory);
    const auto& [element, k] = watched_[static_cast<std::size_t>(event)];
    return element->trait(k, memory);
  }
  template <class Reference>
  void turn(int event, bool upward, Poses poses, const double* z, Reference&& reference,
            State& state) {
    double* memory = state.memory.data();
    if (event >= before_control()) return control_->turn(event - before_control(), upward, memory);
    if (event >= own_events())
      return meshes_->turn(event - own_events(), upward, poses, reference, memory,
                           [&](const std::string& name, int flank, double approach) {
                             contacts_.tell(name, flank, upward ? "touch" : "separation",
                                            state.time, upward ? approach : -approach);
                           });
    const auto& [element, k] = watched_[static_cast<std::size_t>(event)];
    element->turn(k, sight(*element, state.time, poses, memory, z, reference), upward, memory);
  }
  /// Takes up the stretches that they are in, wherever the state came from.
  template <class Reference>
  void follow(Poses poses, const double* z, Reference&& reference, State& state) const {
    double* memory = state.memory.data();
    for (const auto& [element, k] : watched_)
      if (k == 0) element->follow(sight(*element, state.time, poses, memory, z, reference), memory);
    meshes_->follow(poses, reference, memory);
    if (control_->watches() == 0) return;
    control_->sense(state.time, poses, memory, z, reference);
    control_->follow(memory, false);
  }
  /// How long until the first of them ends its stretch if all go on as now; s.
  template <class Reference>
  [[nodiscard]] double soonest(Poses poses, const double* z, Reference&& reference,
                               const State& state) const {
    double out = INFINITY;
    for (const auto& [element, k] : watched_)
      if (k == 0)
        out = std::min(out, element->soonest(sight(*element, state.time, poses, state.memory.data(),
                                                   z, reference)));
    return std::max(out, 0.0);
  }

  /// visit(element, angle) for every element, forces first.
  template <class Reference, class Visit>
  void each(Reference&& reference, Visit&& visit) const {
    for (const Entry& entry : forces_) {
      const JointCoordinate* on = entry.element->reads();
      visit(*entry.element, on ? reference(*on) : 0.0);
    }
    for (const Entry& entry : joints_) visit(*entry.element, 0.0);
  }

 private:
  [[nodiscard]] int own_events() const { return static_cast<int>(watched_.size()); }
  [[nodiscard]] int before_control() const { return own_events() + meshes_->watches(); }
  template <class Reference>
  static Sight<double> sight(const Element& element, double t, Poses poses, const double* memory,
                             const double* z, Reference&& reference) {
    const JointCoordinate* on = element.reads();
    return {t,      poses[element.first()],   poses[element.second()], z + element.state(),
            memory, on ? reference(*on) : 0.0};
  }
  void add(std::vector<Entry>& list, std::unique_ptr<Element> element);
  static void evaluate(Entry& entry, double t, Poses poses, const double* memory, const double* z,
                       double angle, const double* signals = nullptr) {
    const Element& element = *entry.element;
    const Sight<double> sight{
        t,      poses[element.first()], poses[element.second()], z + element.state(), memory, angle,
        signals};
    entry.element->act(sight, entry.rates.data(), entry.action);
  }
  template <class Add>
  static void add_wrenches(const Entry& entry, Add& add) {
    add(entry.element->first(), entry.action.on_first);
    add(entry.element->second(), entry.action.on_second);
  }

  Contacts contacts_;
  std::unique_ptr<Control> control_;
  std::unique_ptr<Meshes> meshes_;
  std::vector<Entry> forces_, joints_;
  /// One event function: of which element, and which of its own.
  struct EventOf {
    const Element* element;
    int k;
  };
  std::vector<EventOf> watched_;
  int states_ = 0;
};

}  // namespace freeplay::dynamics
