// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/scalars.hpp"
#include "core/slot_queue.hpp"
#include "dynamics/elements/element.hpp"
#include "joints/imperfect_joint.hpp"
#include "joints/wearing.hpp"
#include <freeplay/observed.hpp>
#include <freeplay/state.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

// The contacts of all imperfect joints and stops of a model: touches and separations as events with
// their memory, their peaks and their record. What they do to the bodies, they do as elements
// (elements/joint_elements.hpp).
namespace freeplay::dynamics {

/// A pose that moves: derivatives along time.
[[nodiscard]] Pose<TimeDual> moving(const Pose<double>& pose,
                                    const FrameAcceleration& acceleration);

/// Load and depth of a contact, at an instant or at their largest; N, m.
struct Peak {
  double force = 0, depth = 0;
};

/// The contact that is pressed deepest for its size at an instant.
struct Deepest {
  int contact = -1;  ///< none touches
  double depth = 0;  ///< m, or rad at the stop of an angle
  double share = 0;  ///< of what the parts have room for: ImperfectJoint::depth_limit()
};

class Contacts {
 public:
  using Poses = std::span<const Pose<double>>;
  /// What the mechanism does at a contact, everything else of it taken into account.
  struct Response {
    /// How easily the two bodies of a joint part along the normal at a point: 1/m_eff; 1/kg.
    std::function<double(int element, const joints::ContactPoint<double>&)> mobility;
    /// Of the bodies, as long as the contacts in question push nothing; empty: not known.
    std::span<const FrameAcceleration> accelerations;
  };

  explicit Contacts(const Model& model);
  /// Takes up the play and the stops of a joint: declares what their contacts remember, their
  /// internal states and their work.
  void add(JointIndex joint, Layout& layout);

  [[nodiscard]] const std::vector<joints::ImperfectJoint>& elements() const { return elements_; }
  /// Imperfect joint of a joint; -1: ideal.
  [[nodiscard]] int element_of(JointIndex joint) const { return element_of_joint_[joint]; }
  [[nodiscard]] int size() const { return static_cast<int>(contacts_.size()); }

  /// Which law of the user was found to have no value, and where; empty: none.
  [[nodiscard]] std::string trouble() const;
  /// What is recorded of a joint with play besides its reaction.
  [[nodiscard]] joints::JointObservation observe(JointIndex joint, double t, Poses poses,
                                                 const double* memory, const double* z) const;

  // Events: event k is the depth of contact k.
  void event_values(Poses poses, double* g) const;
  /// Also their rates of change; NaN where a contact has no direction to measure one in, false when
  /// there is such a one.
  bool event_rates(Poses poses, double* g, double* rate) const;
  /// On the side of the wall on which the contact is remembered to be.
  [[nodiscard]] EventTrait trait(int contact, const double* memory) const;
  /// Throws AssemblyError where a part starts beyond a wall that cannot be pressed in.
  void refuse_start_beyond_walls(Poses poses) const;
  /// Memory of what touches before anything moves. What lies on its wall to within round-off is
  /// still before it: it touches with the first motion towards it. Throws AssemblyError for what
  /// lies beyond a wall that cannot be pressed in.
  void begin(Poses poses, State& state, const Response& response) const;
  /// A touch (upward) or separation carried out on the state; `z` and `work` are its parts. False
  /// when the other side of the same root was dealt with before.
  bool apply(int contact, bool upward, Poses poses, State& state, double* z, const double* work,
             const Response& response);
  [[nodiscard]] bool take_event(Event& event) { return events_.take(event); }
  [[nodiscard]] bool take_impact(Impact& impact) { return impacts_.take(impact); }
  [[nodiscard]] bool any_touching(const double* memory) const;
  /// Load and depth of the contacts from `first` on; zeros in flight.
  void loads(Poses poses, const double* memory, int first, std::span<Peak> out) const;
  [[nodiscard]] Deepest deepest(Poses poses, const double* memory) const {
    return deepest(memory, [&](std::size_t k) {
      const joints::ImperfectJoint& part = elements_[contacts_[k].element];
      return part.depth(contacts_[k].index, poses[part.first()], poses[part.second()]);
    });
  }
  /// The same where depths are known otherwise: depth_of(contact).
  template <class DepthOf>
  [[nodiscard]] Deepest deepest(const double* memory, DepthOf&& depth_of) const {
    Deepest out;
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      if (memory[contacts_[k].own_memory()] == 0) continue;
      const double depth = depth_of(k);
      const double share = depth / elements_[contacts_[k].element].depth_limit();
      if (out.contact < 0 || share > out.share) out = {static_cast<int>(k), depth, share};
    }
    return out;
  }
  /// What touches at this state, as impacts that are still open. `work` is that part of the state.
  [[nodiscard]] std::vector<Impact> open_impacts(const State& state, const double* work) const;
  /// False when every contact that touches is past its impact and well below its recorded peaks:
  /// asked of both ends of a step, none can pass them in between.
  [[nodiscard]] bool near_peak(Poses poses, double t, const double* memory) const;

  struct Contact {
    int element = 0, index = 0;  ///< which imperfect joint, which contact of it
    int memory = 0;              ///< of the element
    int each = 0;                ///< numbers of memory of each of its contacts
    int state = 0;               ///< first of its friction states in z
    int normal_work = 0, friction_work = -1;
    double scale = 0;  ///< of the places its depth is a difference of; m or rad
    double play = 0;   ///< where the depth is a distance from a centre less this; m
    [[nodiscard]] int own_memory() const { return memory + index * each; }
  };
  [[nodiscard]] const std::vector<Contact>& list() const { return contacts_; }
  [[nodiscard]] const joints::ImperfectJoint& element(int contact) const {
    return elements_[contacts_[contact].element];
  }

  /// A joint that wears.
  struct Worn {
    int element = 0;   ///< which imperfect joint
    int contacts = 0;  ///< memory of its contacts
    int memory = 0;    ///< of its record (joints/wearing.hpp)
    int shape = -1;    ///< of the shape that touches, where that follows within a run
    int first = 0;     ///< of its contacts
    joints::Wearing wearing;
  };
  [[nodiscard]] const std::vector<Worn>& worn() const { return worn_; }
  /// Their records, one after the other.
  void read_wear(const double* memory, std::vector<double>& out) const;
  /// The surfaces that touch become those of the memory. True when there are any to change.
  bool reshape(const double* memory);
  /// Adds an event to those that take_event() hands out.
  void tell(const std::string& joint, int contact, const char* kind, double time, double speed);
  /// Adds an impact, to be filled in: joint and contact are.
  Impact& tell_impact(const Contact& contact);

 private:
  joints::ContactMemory touch(const Contact& c, double time, double speed,
                              const joints::ContactPoint<double>& point, Poses poses,
                              const Response& response) const;
  /// Approach speed that damping laws count at least; m/s or rad/s.
  [[nodiscard]] double least_approach(const Contact& c, Poses poses,
                                      std::span<const FrameAcceleration> accelerations) const;

  const Model& model_;
  double length_;  // of the mechanism; m
  std::vector<joints::ImperfectJoint> elements_;
  std::vector<int> element_of_joint_;
  std::vector<Contact> contacts_;
  std::vector<Worn> worn_;
  SlotQueue<Event> events_;
  SlotQueue<Impact> impacts_;
};

}  // namespace freeplay::dynamics
