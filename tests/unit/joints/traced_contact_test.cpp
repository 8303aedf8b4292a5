// SPDX-License-Identifier: Apache-2.0
#include "joints/traced_contact.hpp"

#include "support/paths.hpp"
#include "tape/program.hpp"
#include <freeplay/load.hpp>

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>

// Laws on a tape are the laws: one text, and not one bit may depend on who carries it out.
namespace freeplay::joints {
namespace {

using tape::Traced;
using Numbers = std::array<double, 6>;  // normal force, powers, friction

// Inputs of the tapes.
enum Input { kDepth, kRate, kSlip, kTouching = kSlip + 3, kImpactRate, kMassRatio, kInputs };
using Inputs = std::array<double, kInputs>;

struct Taped {
  tape::Tape tape;
  bool recorded = false;

  explicit Taped(const ImperfectJoint& joint) {
    const tape::Recording recording(tape);
    const auto in = [&](int k) { return recording.input({0, k}); };
    ContactPoint<Traced> point;
    point.depth = in(kDepth);
    const ContactMotion<Traced> motion{in(kRate), {in(kSlip), in(kSlip + 1), in(kSlip + 2)}};
    const auto forces =
        traced_forces(joint, point, motion, {in(kTouching), in(kImpactRate), in(kMassRatio)});
    recorded = forces.has_value();
    if (!forces) return;
    int k = 0;
    for (const Traced& x : {forces->normal, forces->normal_power, forces->friction_power,
                            forces->friction[0], forces->friction[1], forces->friction[2]})
      recording.output({1, k++}, x);
    EXPECT_FALSE(recording.broke());
  }
};

/// What a mechanism does in plain code.
Numbers plain(const ImperfectJoint& joint, const Inputs& in) {
  Remembered past;
  past.touching = in[kTouching], past.impact_rate = in[kImpactRate],
  past.mass_ratio = in[kMassRatio];
  ContactPoint<double> point;
  point.depth = in[kDepth];
  const ContactMotion<double> motion{in[kRate], {in[kSlip], in[kSlip + 1], in[kSlip + 2]}};
  if (past.touching == 0 || !(point.depth > 0)) return {};
  const PointForces<double> forces = joint.forces_at(point, motion, past);
  Numbers out{forces.normal, -forces.normal * motion.rate, 0, 0, 0, 0};
  out[2] = forces.friction.dot(motion.slip);
  for (int k = 0; k < 3; ++k) out[static_cast<std::size_t>(3 + k)] = forces.friction[k];
  return out;
}

/// Every combination of numbers that laws may meet, likely or not.
template <class Visit>
void each_input(Visit&& visit) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity(),
                   kNone = std::numeric_limits<double>::quiet_NaN();
  const Vec3 slips[] = {{0, 0, 0},           {-0.0, 0, -0.0},     {3e-5, -2e-5, 0},
                        {4e-4, 3e-4, -1e-4}, {0.2, -0.05, 0.013}, {1e200, 3, -2}};
  for (const double depth :
       {-1e-5, -0.0, 0.0, 1e-320, 1e-14, 3e-7, 1.3e-5, 4e-4, 1.0, kInfinite, kNone})
    for (const double rate : {-kInfinite, -20.0, -0.3, -1e-9, -0.0, 0.0, 2e-3, 0.7, 30.0, kNone})
      for (const Vec3& slip : slips)
        for (const double touching : {0.0, -0.0, 1.0})
          for (const auto& [impact, ratio] : {std::pair{0.2, 1.0}, std::pair{1e-5, 0.37}})
            visit(Inputs{depth, rate, slip[0], slip[1], slip[2], touching, impact, ratio});
}

void expect_same(const ImperfectJoint& joint, const Taped& taped, const std::string& name) {
  const auto program = tape::Program::compile(taped.tape, {2, 0});
  ASSERT_TRUE(program);
  each_input([&](Inputs in) {
    Numbers got{};
    std::array<double, 200> shared{};
    program->run(0, {in.data(), got.data(), shared.data()});
    const Numbers want = plain(joint, in);
    for (std::size_t k = 0; k < got.size(); ++k)
      ASSERT_TRUE(got[k] == want[k] || (std::isnan(got[k]) && std::isnan(want[k])))
          << name << ": number " << k << " is " << got[k] << " instead of " << want[k]
          << " at depth " << in[kDepth] << ", rate " << in[kRate] << ", slip " << in[kSlip];
  });
}

class TracedContact : public ::testing::Test {
 protected:
  TracedContact()
      : model_(load_model(testing::source_dir() / "bench/models/spatial_four_bar_clearance.toml")) {
    while (!model_.joints[joint_].clearance) ++joint_;
  }
  [[nodiscard]] ImperfectJoint with(LawChoice contact, std::optional<LawChoice> friction) {
    Clearance& c = *model_.joints[joint_].clearance;
    c.external_curvature = false;  // which a law for sockets would refuse
    c.contact = std::move(contact);
    c.friction = std::move(friction);
    return {model_, static_cast<JointIndex>(static_cast<int>(joint_))};
  }

  Model model_;
  std::size_t joint_ = 0;
};

TEST_F(TracedContact, GivesTheBitsOfEveryContactLawThatATapeCanHold) {
  std::set<std::string> recorded;
  laws::for_each_type<laws::ContactLaw>([&]<class L>(std::type_identity<L>) {
    if constexpr (!laws::FormulaLaw<L>) {
      const std::string key(L::key);
      try {
        const ImperfectJoint joint = with({key, {}}, {});
        if (!joint.single_point()) return;
        const Taped taped(joint);
        EXPECT_EQ(taped.recorded, laws::is_recordable<L>()) << key;
        if (!taped.recorded) return;
        recorded.insert(key);
        if (tape::Program::available()) expect_same(joint, taped, key);
      } catch (const ModelError&) {
        EXPECT_FALSE(laws::is_recordable<L>()) << key << " does not serve a ball";
      }
    }
  });
  EXPECT_THAT(recorded, ::testing::IsSupersetOf({"exact", "hertz", "lankarani-nikravesh", "flores",
                                                 "kelvin-voigt", "liu-steuermann"}));
}

TEST_F(TracedContact, GivesTheBitsOfFormulas) {
  const auto formula = [&](const char* text, bool tension = false) {
    LawChoice law{"expression", {}, Expression{text, {{"K", 1e9, ""}, {"D", 4, ""}}}};
    if (tension) law.parameters = {{"tension", 1}};
    return with(law, {});
  };
  for (const auto& [text, tension] :
       {std::pair{"K*d^1.5*(1 + 0.14*v/v0)", false}, std::pair{"K*d + D*v", true},
        std::pair{"K*mass*d*(1 + 0.1*v/v0)", false}, std::pair{"K*d*(1 + sin(v/v0)/9)", false}}) {
    const ImperfectJoint joint = formula(text, tension);
    const Taped taped(joint);
    ASSERT_TRUE(taped.recorded) << text;
    if (tape::Program::available()) expect_same(joint, taped, text);
  }
  EXPECT_FALSE(Taped(formula("K*d*exp(v/v0)")).recorded);
}

TEST_F(TracedContact, GivesTheBitsOfFriction) {
  for (const char* contact : {"lankarani-nikravesh", "kelvin-voigt"})
    for (const char* friction : {"ambrosio", "piecewise-linear"}) {
      LawChoice normal{contact, {}};
      if (normal.key == "kelvin-voigt") normal.parameters = {{"tension", 1}};  // pulls, unrubbed
      const ImperfectJoint joint = with(normal, LawChoice{friction, {{"kinetic", 0.13}}});
      const Taped taped(joint);
      ASSERT_TRUE(taped.recorded) << friction;
      if (tape::Program::available())
        expect_same(joint, taped, std::string(contact) + " and " + friction);
    }
}

TEST_F(TracedContact, SaysWhatATapeCannotHold) {
  EXPECT_FALSE(Taped(with({"flores", {}}, LawChoice{"tanh", {}})).recorded);
  EXPECT_FALSE(Taped(with({"memory-free", {}}, {})).recorded);
  // A power that is no root.
  EXPECT_FALSE(Taped(with({"flores", {{"stiffness", 1e9}, {"exponent", 1.4}}}, {})).recorded);
  EXPECT_TRUE(Taped(with({"flores", {{"stiffness", 1e9}, {"exponent", 1.5}}}, {})).recorded);
}

}  // namespace
}  // namespace freeplay::joints
