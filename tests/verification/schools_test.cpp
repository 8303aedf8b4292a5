// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

// Three ways to follow the same contacts: event by event, in steps over impacts, and with a contact
// that gives way. On every shipped mechanism with play they tell the same story, as long as the
// story is one that a mechanism has.
namespace freeplay::testing {
namespace {

constexpr double kRestitution = 0.8;

/// The mechanism with rigid contacts, all of its play dry; `friction` in its contacts.
Model rigid(const std::string& name, double friction) {
  Model model = load_imperfect(name);
  for (Joint& joint : model.joints) {
    if (!joint.clearance) continue;
    joint.clearance->contact = {"newton", {{"restitution", kRestitution}}};
    joint.clearance->points = true;  // where there is a choice
    joint.clearance->friction.reset();
    if (friction > 0) joint.clearance->friction = LawChoice{"coulomb", {{"kinetic", friction}}};
  }
  model.simulation.formulation = Formulation::cartesian;
  return model;
}

struct Case {
  const char* name;
  double duration, friction;
};
/// Long enough for ten impacts, or for those that it has. The slider-crank has none by its source.
constexpr Case kCases[] = {{"four_bar_three_joints", 0.02, 0.1},
                           {"four_bar_two_joints", 0.02, 0.1},
                           {"press", 0.04, 0.1},
                           {"quick_return", 0.05, 0.1},
                           {"scotch_yoke", 0.04, 0.1},
                           {"slider_crank", 0.0015, 0},
                           {"spatial_four_bar", 0.25, 0.1},
                           {"spatial_slider_crank", 0.3, 0.1},
                           {"steering_linkage", 0.03, 0.1}};

std::vector<Impact> first_ten(const Simulated& run) {
  std::vector<Impact> out = run.series.impacts;
  std::ranges::stable_sort(out, {}, &Impact::start);
  if (out.size() > 10) out.resize(10);
  return out;
}

TEST(Schools, EveryShippedMechanismWithPlayIsAmongThem) {
  for (const std::string& name : shipped_mechanisms()) {
    const Model model = load_imperfect(name);
    const bool plays = std::ranges::any_of(
        model.joints, [](const Joint& joint) { return joint.clearance.has_value(); });
    const bool listed =
        std::ranges::any_of(kCases, [&](const Case& one) { return name == one.name; });
    EXPECT_EQ(plays, listed) << name;
  }
}

/// Each impact is found half a step off, and what follows carries that on: ten of them to a few
/// tens of steps.
TEST(Schools, FirstTenImpactsInTimeStepsAreThoseOfTheEventDrivenRun) {
  constexpr double kSteps = 100;
  for (const Case& one : kCases) {
    Model model = rigid(one.name, one.friction);
    model.simulation.duration = model.simulation.output = one.duration;
    const std::vector<Impact> known = first_ten(simulate(model));
    ASSERT_GE(known.size(), 3U) << one.name;
    Check check(fmt::format("first impacts of {}, in time steps", one.name), "event-driven run");
    model.simulation.method = Method::moreau;
    for (const double h : {1e-6, 2.5e-7}) {
      model.simulation.step = h;
      const std::vector<Impact> found = first_ten(simulate(model));
      ASSERT_GE(found.size(), known.size()) << one.name;
      for (std::size_t k = 0; k < known.size(); ++k) {
        EXPECT_EQ(found[k].joint, known[k].joint) << one.name << ", impact " << k;
        check.near(fmt::format("time over the step, h = {:g}", h), found[k].start / h,
                   known[k].start / h, kSteps);
        check.near(fmt::format("approach speed, h = {:g}", h),
                   found[k].approach_speed / known[k].approach_speed, 1, 0.03);
      }
    }
  }
}

/// A contact that gives way takes its time, and every following impact is late by what those before
/// it took. Without friction, which a contact that takes time can turn round within it. Of the
/// press two impacts: its third grazes, and comes 1.5 ms later for a restitution of 0.806.
TEST(Schools, StiffContactsStrikeWhereRigidOnesDo) {
  for (const Case& one : kCases) {
    Model model = rigid(one.name, 0);
    const std::size_t few = std::string_view(one.name) == "press" ? 2 : 3;
    model.simulation.duration = model.simulation.output = one.duration;
    model.simulation.method = Method::moreau;
    model.simulation.step = 1e-6;
    const std::vector<Impact> known = first_ten(simulate(model));
    ASSERT_GE(known.size(), few) << one.name;
    model.simulation.duration = model.simulation.output = 1.05 * known[few - 1].start;
    model.simulation.method = Method::automatic;
    for (Joint& joint : model.joints)
      if (joint.clearance)
        joint.clearance->contact = {"exact", {{"restitution", kRestitution}, {"stiffness", 1e15}}};
    const std::vector<Impact> found = first_ten(simulate(model));
    ASSERT_GE(found.size(), few) << one.name;
    Check check(fmt::format("first impacts of {}, stiff and rigid", one.name),
                "steps over impacts");
    double taken = 1e-5;  // ten steps
    for (std::size_t k = 0; k < few; ++k) {
      check.below("times apart over what contacts before took",
                  std::abs(found[k].start - known[k].start) / taken, 3);
      taken += found[k].end - found[k].start;
    }
  }
}

}  // namespace
}  // namespace freeplay::testing
