// SPDX-License-Identifier: Apache-2.0
#include "study/wear_cycle.hpp"

#include "dynamics/system.hpp"
#include "study/series_columns.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freeplay::study {
namespace {

/// Of a cycle: what is run after a change of the surfaces before wear is counted, for the parts to
/// find their new places. chosen: contacts settle in a hundredth of it
constexpr double kSettling = 0.1;
/// Looks per cycle at the slip.
constexpr int kLooks = 400;

/// What a cycle shows besides its wear.
class CycleObserver final : public Observer {
 public:
  explicit CycleObserver(const Model& model, const std::vector<std::size_t>& joints)
      : model_(model), joints_(joints), slip_(joints.size()), peak_(joints.size()) {}
  void begin(const RunHeader& header) override {
    columns_.clear();
    for (const std::size_t j : joints_)
      columns_.push_back(
          column_of(header, "joints/" + model_.joints[j].name + "/slip_speed").value_or(0));
  }
  void uniform(double time, std::span<const double> row) override {
    for (std::size_t k = 0; k < joints_.size(); ++k)
      if (last_ < time) slip_[k] += row[static_cast<std::size_t>(columns_[k])] * (time - last_);
    last_ = time;
  }
  void impact(const Impact& impact) override {
    for (std::size_t k = 0; k < joints_.size(); ++k)
      if (model_.joints[joints_[k]].name == impact.joint)
        peak_[k] = std::max(peak_[k], impact.peak_force);
  }
  [[nodiscard]] bool wants_rows() const override { return false; }
  [[nodiscard]] double slip(std::size_t k) const { return slip_[k]; }
  [[nodiscard]] double peak(std::size_t k) const { return peak_[k]; }

 private:
  const Model& model_;
  const std::vector<std::size_t>& joints_;
  std::vector<int> columns_;
  std::vector<double> slip_, peak_;
  double last_ = INFINITY;
};

const Block& block_of(const Layout& layout, const std::string& name) {
  for (const Block& block : layout.of(BlockKind::memory))
    if (block.name == name) return block;
  throw IoError("the state has no block " + name);
}

/// From here on contacts that last show the peaks of this cycle, not of those before.
void forget_peaks(State& state) {
  for (const Block& block : state.layout->of(BlockKind::memory))
    if (block.name.ends_with("/peak_force") || block.name.ends_with("/peak_depth"))
      state.memory[static_cast<std::size_t>(block.offset)] = 0;
}

/// A state on surfaces that have changed under it: contacts that the wall has left are in flight,
/// parts that it now reaches into touch, and the energy there is what the audit starts from.
void take_up(const Model& model, State& state) {
  const auto system = dynamics::make_system(model);
  system->prepare(state);
  const dynamics::Contacts& all = *system->all_contacts();
  const auto poses = system->poses_at(state.time, state.y.data());
  for (const auto& contact : all.list()) {
    const joints::ImperfectJoint& part = all.elements()[static_cast<std::size_t>(contact.element)];
    double* own = &state.memory[static_cast<std::size_t>(contact.own_memory())];
    joints::ContactMemory past = joints::recall(own);
    const double depth = part.depth(contact.index, poses[part.first()], poses[part.second()]);
    if (past.touching != 0 && depth <= 0) past.touching = past.sticking = past.resting = 0;
    if (past.touching == 0 && depth > 0 && !part.impulse_restitution()) {
      past.touching = 1;
      past.start = state.time;
      past.approach = past.impact_rate = part.min_approach_speed();
    }
    joints::remember(own, past);
  }
  dynamics::Snapshot snapshot;
  if (system->snapshot(state, snapshot)) state.memory[dynamics::kStartEnergy] += snapshot.residual;
}

double parameter(const LawChoice& law, std::string_view key) {
  for (const auto& [name, value] : law.parameters)
    if (name == key) return value;
  return 0;
}

}  // namespace

WearingMechanism::WearingMechanism(Model model, StudyLife life, double time_limit)
    : model_(std::move(model)), life_(std::move(life)), time_limit_(time_limit) {
  std::vector<double> depths;
  modulus_.resize(model_.joints.size());
  play_.resize(model_.joints.size());
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const auto& play = model_.joints[j].clearance;
    if (!play || !play->wear) continue;
    joints_.push_back(j);
    const joints::ImperfectJoint part(model_, static_cast<JointIndex>(j));
    for (const laws::Derived& derived : part.derived())
      if (derived.name == "foundation modulus") modulus_[j] = derived.value;
    const joints::Wearing wearing(model_, static_cast<JointIndex>(j), part);
    const auto cells = static_cast<std::size_t>(wearing.cells(0));
    play_[j] = part.half_play();
    for (const bool outer : {true, false}) {
      const auto& given = outer ? play->wear->outer_depth : play->wear->inner_depth;
      parts_.push_back({j, outer, depths.size(), cells, wearing.cell_area(outer ? 0 : 1),
                        parameter(play->wear->law, outer ? "outer" : "inner")});
      depths.insert(depths.end(), given.begin(), given.end());
      depths.resize(parts_.back().first + cells, 0.0);
    }
  }
  start_ = Eigen::Map<const VecX>(depths.data(), static_cast<Eigen::Index>(depths.size()));
  layout_ = describe(model_).layout;
}

double WearingMechanism::clearance(std::size_t joint, const VecX& depth) const {
  double out = play_[joint];
  for (const WornPart& part : parts_)
    if (part.joint == joint)
      out +=
          depth
              .segment(static_cast<Eigen::Index>(part.first), static_cast<Eigen::Index>(part.cells))
              .maxCoeff();
  return out;
}

void WearingMechanism::put_depths(const VecX& depth, State& state) const {
  for (const WornPart& part : parts_) {
    const std::string record = "joints/" + model_.joints[part.joint].name + "/wear/";
    const std::string side = part.outer ? "outer" : "inner";
    double* to = &state.memory[static_cast<std::size_t>(
        block_of(*state.layout, record + side + "_depth").offset)];
    double volume = 0;
    for (std::size_t k = 0; k < part.cells; ++k) {
      to[k] = depth[static_cast<Eigen::Index>(part.first + k)];
      volume += to[k] * part.cell_area;
    }
    const auto number = [&](const std::string& name) -> double& {
      return state.memory[static_cast<std::size_t>(block_of(*state.layout, record + name).offset)];
    };
    number(side + "_volume") = volume;
    number("pressed") = number("carried") = 0;
  }
}

State WearingMechanism::begin(const VecX& depth, const Carry* from) const {
  State state;
  if (from) {
    state = from->state;
    state.layout = layout_;
  } else {
    state = assemble(model_).start;
  }
  state.stepping.clear();
  put_depths(depth, state);
  return state;
}

std::optional<Cycle> WearingMechanism::run(const VecX& depth, const Carry* from,
                                           RowOutcome& failure) {
  const auto fail = [&](RowStatus status, std::string reason) {
    failure.status = status;
    failure.error = std::move(reason);
    return std::nullopt;
  };
  try {
    if (life_.update)
      for (const WornPart& part : parts_) {
        Wear& wear = *model_.joints[part.joint].clearance->wear;
        const double* first = depth.data() + part.first;
        (part.outer ? wear.outer_depth : wear.inner_depth).assign(first, first + part.cells);
      }
    State state = begin(depth, from);
    const double begin = model_.simulation.start;
    const auto lead = [&](double until, Observer* observer) {
      model_.simulation.duration = until - begin;
      model_.simulation.output = life_.cycle / kLooks;
      RunOptions options;
      options.record_steps = false;
      options.go_on = true;  // within a cycle the integrator keeps its pace, and its method
      if (time_limit_ > 0) {
        options.time_limit = time_limit_ - used_;
        if (options.time_limit <= 0) {
          failure.error = fmt::format("the time limit of {:g} CPU seconds is used up", time_limit_);
          return RowStatus::out_of_time;
        }
      }
      Observer* const observers[] = {observer};
      RunResult result = freeplay::run(model_, state, {observers, observer ? 1U : 0U}, options);
      used_ += result.stats.cpu_seconds;
      state = std::move(result.final_state);
      return result.status == RunStatus::done
                 ? RowStatus::done
                 : (failure.error = result.reason,
                    result.status == RunStatus::interrupted    ? RowStatus::out_of_time
                    : result.status == RunStatus::audit_broken ? RowStatus::audit_broken
                                                               : RowStatus::failed);
    };
    const double settle = from ? kSettling : std::max<double>(kSettling, life_.settle);
    if (from) take_up(model_, state);
    if (const RowStatus s = lead(state.time + settle * life_.cycle, nullptr); s != RowStatus::done)
      return fail(s, failure.error);
    put_depths(depth, state);
    forget_peaks(state);
    Cycle out;
    CycleObserver observer(model_, joints_);
    std::vector<double> volumes;
    const auto volume = [&](std::size_t joint, const char* side) {
      return state.memory[static_cast<std::size_t>(
          block_of(*state.layout,
                   "joints/" + model_.joints[joint].name + "/wear/" + side + "_volume")
              .offset)];
    };
    const auto all_volumes = [&] {
      double sum = 0;
      for (const std::size_t j : joints_) sum += volume(j, "outer") + volume(j, "inner");
      return sum;
    };
    const int count = life_.average;
    std::vector<std::array<double, 2>> before;
    for (const std::size_t j : joints_) before.push_back({volume(j, "outer"), volume(j, "inner")});
    for (int k = 0; k < count; ++k) {
      const double had = all_volumes();
      if (const RowStatus s = lead(state.time + life_.cycle, &observer); s != RowStatus::done)
        return fail(s, failure.error);
      volumes.push_back(all_volumes() - had);
    }
    out.rates.resize(depth.size());
    for (const WornPart& part : parts_) {
      const Block& block =
          block_of(*state.layout, "joints/" + model_.joints[part.joint].name + "/wear/" +
                                      (part.outer ? "outer_depth" : "inner_depth"));
      for (std::size_t k = 0; k < part.cells; ++k) {
        const auto at = static_cast<Eigen::Index>(part.first + k);
        out.rates[at] =
            (state.memory[static_cast<std::size_t>(block.offset) + k] - depth[at]) / count;
      }
    }
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const std::size_t j = joints_[k];
      const auto number = [&](const char* name) {
        return state.memory[static_cast<std::size_t>(
            block_of(*state.layout, "joints/" + model_.joints[j].name + "/wear/" + name).offset)];
      };
      CycleOfJoint one;
      one.peak_force = observer.peak(k);
      one.slip = observer.slip(k) / count;
      one.volume_outer = (volume(j, "outer") - before[k][0]) / count;
      one.volume_inner = (volume(j, "inner") - before[k][1]) / count;
      if (number("carried") > 0) one.load_ratio = number("pressed") / number("carried");
      out.joints.push_back(one);
    }
    double mean = 0, square = 0;
    for (const double v : volumes) mean += v / count;
    for (const double v : volumes) square += (v - mean) * (v - mean);
    if (count > 1 && mean > 0) out.scatter = std::sqrt(square / (count - 1)) / mean;
    state.stepping.clear();
    out.end = std::move(state);
    return out;
  } catch (const ModelError& error) {
    return fail(RowStatus::bad_model, error.what());
  } catch (const AssemblyError& error) {
    return fail(RowStatus::not_assembled, error.what());
  }
}

}  // namespace freeplay::study
