// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/mesh.hpp"

#include "core/scalars.hpp"
#include "dynamics/blocks.hpp"
#include "joints/choose_law.hpp"
#include "joints/small_numbers.hpp"
#include "model/formula.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {
namespace {

constexpr MemoryField kFields[] = {{"drive_flank", "1", Perturbation::shared},
                                   {"drive_approach", "m/s"},
                                   {"coast_flank", "1", Perturbation::shared},
                                   {"coast_approach", "m/s"},
                                   {"reach", "m", Perturbation::shared}};

/// Depth at which a law answers that is asked at the very touch; m.
constexpr double kTouch = 1e-30;

/// Value and slope of a formula of one variable, in the scalar of that variable.
template <class T>
std::pair<T, T> along(const Formula& formula, const T& x) {
  using Number = Series<double, 3>;
  const Number y =
      model::evaluate<Number>(formula, {Number::variable(value_of(x)), Number(0.0), Number(0.0)});
  if constexpr (std::is_same_v<T, double>)
    return {y.c[0], y.c[1]};
  else
    return {T(y.c[0], x.d * y.c[1]), T(y.c[1], x.d * (2 * y.c[2]))};
}

}  // namespace

Mesh::Mesh(const Model& model, std::size_t coupling, double constant, Layout& layout)
    : model_(model), index_(coupling), constant_(constant) {
  choose_laws();
  const std::string path = "couplings/" + this->coupling().name;
  memory_ = layout.declare(path + "/teeth", kFields);
  work_ = declare_work(layout, path + "/teeth");
  if (friction_) friction_work_ = declare_work(layout, path + "/friction");
}

void Mesh::choose_laws() {
  const Teeth& teeth = this->teeth();
  const std::string path = "couplings." + coupling().name;
  Joint place;  // for messages
  place.name = coupling().name;
  place.line = coupling().line;
  contact_ = joints::choose_law<laws::ContactLaw>(place, teeth.contact, path + ".contact");
  std::visit(
      [&]<class L>(L& law) {
        std::string why = law.misfit(laws::ContactSite{});
        if (law.impulsive)
          why =
              "an impulse would have to pass through both joints at once; take a law with a force, "
              "such as 'kelvin-voigt' or 'exact'";
        else if (!laws::memory_of<L>().empty())
          why = "teeth come and go, and what it remembers of one of them would stay with all";
        if (!why.empty())
          joints::refuse(place, path + ".contact",
                         fmt::format("law '{}' cannot serve here: {}", law.key, why));
        law.prepare(laws::ContactSite{});
      },
      contact_);
  if (!teeth.thread) return;
  const Teeth::Thread& thread = *teeth.thread;
  friction_ = joints::choose_law<laws::FrictionLaw>(place, thread.law, path + ".friction");
  std::visit(
      [&](const auto& law) {
        std::string why = law.conflict();
        if (why.empty() && (law.states > 0 || law.sticks_by_events))
          why =
              "a thread takes friction that follows from the slip alone, such as 'tanh'; what "
              "holds then creeps below the speed at which the law is fully developed";
        if (!why.empty())
          joints::refuse(place, path + ".friction",
                         fmt::format("law '{}' cannot serve here: {}", law.key, why));
      },
      *friction_);
  // theory/transmissions (TR.6)
  const double advance = coupling().ratio * teeth.pitch_radius,
               rise = std::atan2(advance, thread.radius);
  screw_ = thread.radius * std::cos(rise);
  slide_ = std::sin(rise) * teeth.pitch_radius;
  wedge_ = 1 / (std::cos(rise) * std::cos(thread.flank_angle));
}

template <class T>
MeshLead<T> Mesh::lead(const MeshMotion<T>& motion) const {
  const Teeth& teeth = this->teeth();
  const double r = teeth.pitch_radius, advance = r * coupling().ratio;
  MeshLead<T> out;
  out.s = r * (motion.second - constant_) - advance * motion.first + teeth.offset;
  out.by_first = T(-advance);
  if (teeth.error) {
    const auto [error, slope] = along<T>(*teeth.error, motion.first);
    out.s -= error;
    out.by_first -= slope;
  }
  out.rate = r * motion.second_rate + out.by_first * motion.first_rate;
  return out;
}

template <class T>
MeshAction<T> Mesh::act(const MeshMotion<T>& motion, const double* memory) const {
  MeshAction<T> out;
  if (!touches(0, memory) && !touches(1, memory)) return out;
  const MeshLead<T> lead = this->lead(motion);
  for (int flank = 0; flank < kFlanks; ++flank) {
    if (!touches(flank, memory)) continue;
    const double way = flank == 0 ? -1 : 1;
    // What touches may lie before its flank by a rounding: laws whose force jumps at the touch are
    // beyond the jump there.
    const T depth = way * lead.s - 0.5 * teeth().backlash;
    const laws::Contact<T> contact{depth > T(kTouch) ? depth : T(kTouch), way * lead.rate,
                                   memory[at(flank) + kApproach]};
    out.force -= way * std::visit([&](const auto& law) { return T(law.force(contact)); }, contact_);
  }
  if (teeth().stiffness) out.force *= along<T>(*teeth().stiffness, motion.first).first;
  out.power = out.force * lead.rate;
  out.on_first = out.force * lead.by_first;
  out.on_second = out.force * teeth().pitch_radius;
  if (!friction_) return out;
  using std::abs;
  using std::sqrt;
  const T slip = screw_ * motion.first_rate + slide_ * motion.second_rate;
  const T speed = sqrt(slip * slip + joints::kRegularRate);
  const T load = value_of(out.force) < 0 ? T(-wedge_ * out.force) : T(wedge_ * out.force);
  const T drag = slip * std::visit(
                            [&]<class L>(const L& law) {
                              if constexpr (L::states == 0 && !L::sticks_by_events)
                                return T(-laws::ratio_under(law, speed, load) * load);
                              else
                                return T(0.0);  // refused
                            },
                            *friction_);
  out.on_first += drag * screw_;
  out.on_second += drag * slide_;
  out.friction_power = drag * slip;
  return out;
}

bool Mesh::turn(int flank, bool upward, const MeshMotion<double>& motion, double* memory) const {
  if (touches(flank, memory) == upward) return false;
  if (upward)
    begin(flank, motion, memory);
  else
    memory[at(flank)] = kApart;
  const double r = teeth().pitch_radius;
  memory[memory_ + kReach] =
      std::max({r, std::abs(r * motion.second), std::abs(r * coupling().ratio * motion.first)});
  return true;
}

void Mesh::begin(int flank, const MeshMotion<double>& motion, double* memory) const {
  memory[at(flank)] = kTouching;
  memory[at(flank) + kApproach] =
      std::max(depth(flank, lead(motion)).second, teeth().min_approach_speed);
}

void Mesh::follow(const MeshMotion<double>& motion, double* memory) const {
  if (memory[at(0)] != kUnknown && memory[at(1)] != kUnknown) return;
  const MeshLead<double> now = lead(motion);
  for (int flank = 0; flank < kFlanks; ++flank)
    // What lies on its flank is still before it: it touches with the first motion towards it.
    if (depth(flank, now).first > 0)
      begin(flank, motion, memory);
    else
      memory[at(flank)] = kApart;
  const double r = teeth().pitch_radius;
  memory[memory_ + kReach] =
      std::max({r, std::abs(r * motion.second), std::abs(r * coupling().ratio * motion.first)});
}

template MeshLead<double> Mesh::lead(const MeshMotion<double>&) const;
template MeshAction<double> Mesh::act(const MeshMotion<double>&, const double*) const;
template MeshAction<PairDual> Mesh::act(const MeshMotion<PairDual>&, const double*) const;

}  // namespace freeplay::dynamics
