// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.hpp"
#include "core/scalars.hpp"
#include "core/series.hpp"
#include "dynamics/control/history.hpp"
#include "dynamics/control/node.hpp"
#include "dynamics/control/readings.hpp"
#include "dynamics/elements/element.hpp"
#include <freeplay/observed.hpp>
#include <freeplay/state.hpp>

#include <functional>
#include <span>
#include <vector>

// The signals and controllers of a model. They are worked out from the state that forces are, so
// that nothing lags behind by a step; what they integrate, hold and remember is in the state like
// everything else, apart from the past of those with a delay, which goes with the step memory.
// docs/theory/control.md
namespace freeplay::dynamics {

class Control {
 public:
  /// Declares states and memory of the nodes, behind the states of forces.
  Control(const Model& model, Layout& layout);

  [[nodiscard]] bool empty() const { return net_.nodes.empty(); }
  [[nodiscard]] int find(std::string_view name) const { return net_.find(name); }
  [[nodiscard]] const std::vector<ControlNode>& nodes() const { return net_.nodes; }
  [[nodiscard]] const std::vector<Reading>& readings() const { return readings_; }
  [[nodiscard]] bool reads(FrameIndex frame) const;
  /// Numbers that they integrate, and the first of them among the states of the layout.
  [[nodiscard]] int states() const { return states_; }
  [[nodiscard]] int state() const { return first_state_; }

  /// All numbers of an instant, in any scalar.
  template <class T>
  struct Numbers {
    std::vector<T> readings, values, raw, kept, rates;  // of readings, nodes, channels, states
    std::vector<T> in;                                  // of one node
  };
  template <class T>
  void size(Numbers<T>& numbers) const;
  /// Values, and rates of states, from the readings. `z`: states of the nodes.
  template <class T>
  void evaluate(double t, const T* z, const double* memory, Numbers<T>& at) const;

  /// Works them out for an instant. `z`: states of the layout; `reference(JointCoordinate)`: the
  /// angle that a coordinate continues.
  template <class Poses, class Reference>
  void sense(double t, const Poses& poses, const double* memory, const double* z,
             Reference&& reference) {
    if (empty()) return;
    for (std::size_t k = 0; k < readings_.size(); ++k)
      now_.readings[k] = read_at<double>(k, poses, reference);
    evaluate<double>(t, z + first_state_, memory, now_);
  }
  template <class T, class Poses, class Reference>
  [[nodiscard]] T read_at(std::size_t k, const Poses& poses, Reference&& reference) const {
    const Reading& r = readings_[k];
    const JointCoordinate* on = continues(r);
    return read<T>(r, model_, poses[static_cast<std::size_t>(r.first)],
                   poses[static_cast<std::size_t>(r.second)], on ? reference(*on) : 0.0);
  }
  [[nodiscard]] const Numbers<double>& now() const { return now_; }
  [[nodiscard]] const Model& model() const { return model_; }

  // Corners at limits, as event functions.
  [[nodiscard]] int watches() const { return static_cast<int>(watched_.size()); }
  [[nodiscard]] Watched watch(int k) const;
  [[nodiscard]] EventTrait trait(int k, const double* memory) const;
  void turn(int k, bool upward, double* memory) const;
  /// Takes up the side of every limit; of those known already only if `again`.
  void follow(double* memory, bool again) const;

  // What happens at instants: samples, outputs that take effect, the past's own events.
  using Sense = std::function<void()>;
  /// Begins, unless that was done before: states, first samples. `row`: all that is recorded.
  /// False: nothing was to be done.
  bool begin(State& state, const Sense& sense, std::span<const double> row);
  [[nodiscard]] bool has_begun(const State& state) const { return state.memory[begun_] != 0; }
  [[nodiscard]] double next_instant(const std::vector<double>& memory) const;
  [[nodiscard]] bool due(double t, const std::vector<double>& memory) const;
  /// Does what is due ask for more than readings?
  [[nodiscard]] bool asks_for_row() const { return asks_for_row_; }
  /// Where the paths that only samples know stand in a row.
  void bind(const std::vector<Channel>& channels);
  /// Does what is due.
  void carry_out(State& state, const Sense& sense, std::span<const double> row);

  // The past.
  [[nodiscard]] bool has_past() const { return channels_ > 0; }
  /// The latest end of a step from t.
  [[nodiscard]] double latest(double t) const;
  /// Something happened at t, which comes back after every delay.
  void mark(double t) { mark(t, 0); }
  void record(double t0, double t1, const std::function<void(double)>& sense_at);
  void carry(Archive& archive);

 private:
  struct Mark {
    double time = 0;
    int level = 0;  // how often it has come back
  };
  void declare(ControlNode& node, Layout& layout);
  [[nodiscard]] double sample_instant(const ControlNode& node, double number) const;
  [[nodiscard]] double next_mark(const ControlNode& node, const double* memory) const;
  void mark(double t, int level);
  void take(const ControlNode& node, double t, double* memory, const double* z,
            std::span<const double> row);
  void begin_states(const ControlNode& node, double* z) const;
  template <class T>
  void gather(const ControlNode& node, Numbers<T>& at) const;
  template <class T>
  [[nodiscard]] T formula(const ControlNode& node, double t, std::span<const T> in) const;
  template <class T>
  [[nodiscard]] T limited(const ControlNode& node, const T& raw, const double* memory) const;
  template <class T>
  [[nodiscard]] laws::Seen<T> seen(const ControlNode& node, double t, const T* z,
                                   const double* memory, std::span<const T> in) const;
  template <class T>
  void put_out(std::size_t k, double t, const T* z, const double* memory, Numbers<T>& at) const;

  const Model& model_;
  ControlNet net_;
  std::vector<Reading> readings_;
  double start_;
  int states_ = 0, first_state_ = 0, begun_ = 0, channels_ = 0, generations_ = 0;
  double shortest_delay_ = 0, longest_delay_ = 0;
  bool asks_for_row_ = false;
  struct Limit {
    int node;
    bool upper;
  };
  std::vector<Limit> watched_;
  Numbers<double> now_;
  History history_;
  std::vector<Mark> marks_;
  mutable std::vector<Series<double, 2>> arguments_;
};

}  // namespace freeplay::dynamics
