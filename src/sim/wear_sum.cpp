// SPDX-License-Identifier: Apache-2.0
#include "sim/wear_sum.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::sim {
namespace {

/// A node on [-1, 1] with its weights in three rules that share nodes: Kronrod's seven, Gauss's
/// three among them, and the middle alone.
struct Node {
  double x, seven, three, one;
};
constexpr std::array<Node, 3> kFirst{{{0, 0.450916538658474142, 8.0 / 9, 2},
                                      {-0.774596669241483377, 0.268488089868333441, 5.0 / 9, 0},
                                      {0.774596669241483377, 0.268488089868333441, 5.0 / 9, 0}}};
constexpr std::array<Node, 4> kFurther{{{-0.960491268708020283, 0.104656226026467265, 0, 0},
                                        {-0.434243749346802558, 0.401397414775962223, 0, 0},
                                        {0.434243749346802558, 0.401397414775962223, 0, 0},
                                        {0.960491268708020283, 0.104656226026467265, 0, 0}}};

/// Of the depth worn away in a part of a step, summed over the cells: how far the two rules may
/// lie apart. The finer one is then better by orders, and errors of many steps lie on either side.
/// chosen: the sectors of a journal that a narrow line passes once then come out to a thousandth
constexpr double kApart = 2e-3;
/// A part of a step is halved so often at most: sectors that pass in less have felt a jump.
constexpr int kMostHalvings = 16;

}  // namespace

WearSum::WearSum(dynamics::System& system) : system_(system) {
  const dynamics::Contacts* all = system.all_contacts();
  if (!all) return;
  for (const auto& worn : all->worn()) {
    const auto n = static_cast<std::size_t>(worn.wearing.numbers());
    const std::vector<double> none(n);
    records_.push_back({none, none, none, none});
  }
}

void WearSum::look(double t, const State& state,
                   const std::function<void(double, VecX&)>& interpolate) {
  interpolate(t, y_);
  const auto poses = system_.poses_at(t, y_.data());
  const dynamics::Contacts& all = *system_.all_contacts();
  const double* memory = state.memory.data();
  for (std::size_t k = 0; k < records_.size(); ++k) {
    const auto& worn = all.worn()[k];
    const joints::ImperfectJoint& part = all.elements()[static_cast<std::size_t>(worn.element)];
    worn.wearing.rates(part, poses[part.first()], poses[part.second()], memory + worn.contacts,
                       memory + worn.memory, records_[k].rate.data());
  }
}

/// How far two of the sums lie apart, summed over the cells, within what is allowed?
bool WearSum::agree(std::vector<double> Record::*better, std::vector<double> Record::*worse) const {
  const dynamics::Contacts& all = *system_.all_contacts();
  for (std::size_t k = 0; k < records_.size(); ++k) {
    const auto depths = static_cast<std::size_t>(all.worn()[k].wearing.volume(0));
    const std::vector<double>&a = records_[k].*better, &b = records_[k].*worse;
    double apart = 0, sum = 0;
    for (std::size_t i = 0; i < depths; ++i) {
      apart += std::abs(a[i] - b[i]);
      sum += a[i];
    }
    if (apart > kApart * sum) return false;
  }
  return true;
}

void WearSum::add(double t0, double t1, State& state,
                  const std::function<void(double, VecX&)>& interpolate) {
  if (!system_.wants_samples(state)) return;  // nothing touches
  const dynamics::Contacts& all = *system_.all_contacts();
  // From t0 on, in parts that are halved until two rules agree and doubled where they do.
  double from = t0, length = t1 - t0;
  int halvings = 0;
  while (from < t1) {
    const double to = length >= t1 - from ? t1 : from + length;
    const double half = 0.5 * (to - from);
    for (Record& record : records_)
      for (auto sum : {&Record::seven, &Record::three, &Record::one})
        std::fill((record.*sum).begin(), (record.*sum).end(), 0.0);
    const auto look_at = [&](const Node& node) {
      look(from + half * (1 + node.x), state, interpolate);
      for (Record& record : records_)
        for (std::size_t i = 0; i < record.rate.size(); ++i) {
          const double rate = half * record.rate[i];
          record.seven[i] += node.seven * rate;
          record.three[i] += node.three * rate;
          record.one[i] += node.one * rate;
        }
    };
    for (const Node& node : kFirst) look_at(node);
    auto best = &Record::three;
    if (!agree(&Record::three, &Record::one)) {
      for (const Node& node : kFurther) look_at(node);
      best = &Record::seven;
      if (!agree(&Record::seven, &Record::three) && halvings < kMostHalvings) {
        length *= 0.5;
        ++halvings;
        continue;
      }
    }
    for (std::size_t k = 0; k < records_.size(); ++k) {
      double* record = &state.memory[static_cast<std::size_t>(all.worn()[k].memory)];
      const std::vector<double>& sum = records_[k].*best;
      for (std::size_t i = 0; i < sum.size(); ++i) record[i] += sum[i];
    }
    from = to;
    if (halvings > 0) {
      length *= 2;
      --halvings;
    }
  }
}

}  // namespace freeplay::sim
