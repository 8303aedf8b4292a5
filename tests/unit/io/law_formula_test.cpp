// SPDX-License-Identifier: Apache-2.0
#include "io/law_formula.hpp"

#include "core/dual.hpp"
#include "joints/read_formula.hpp"
#include "laws/catalogue.hpp"
#include "laws/numerics.hpp"
#include "unit/io/model_text.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

// Laws that are written as a formula: they are the laws of the catalogue where their text says so,
// they come through files unchanged, and what cannot be one is told where and why.
namespace freeplay {
namespace {

using ::testing::HasSubstr;
using Parameters = std::vector<Expression::Parameter>;

template <class L>
L law_of(const std::string& text, Parameters parameters = {}) {
  L law;
  EXPECT_TRUE(law.take(joints::read_formula({text, std::move(parameters)}, L::use))) << text;
  return law;
}

double between(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<>(low, high)(random);
}
double any_size(std::mt19937_64& random, double low, double high) {
  return std::exp(between(random, std::log(low), std::log(high)));
}

// ---- forces

constexpr double kK = 1e10, kE = 0.7, kD = 300;

template <class L>
L with_stiffness(double exponent_or_damping = 0) {
  L law;
  law.stiffness = kK;
  if constexpr (requires { law.restitution; }) law.restitution = kE;
  if constexpr (requires {
                  law.damping_ratio;
                  law.tension;
                  law.damping;
                }) {
    law.stiffness = 1e7;
    law.damping = exponent_or_damping;
  }
  return law;
}

struct Twin {
  std::string name, text;
  laws::ContactLaw built_in;
  Parameters parameters;
  bool tension = false;
};

std::vector<Twin> contact_twins() {
  const Parameters Ke{{"K", kK, "N/m^1.5"}, {"e", kE, ""}};
  const double z = laws::relaxed_damping_ratio(kE), zeta = laws::release_damping_ratio(kE);
  return {
      {"hertz", "4/3*modulus*sqrt(radius)*d^1.5", laws::Hertz{}, {}},
      {"hertz given", "K*d^1.5", with_stiffness<laws::Hertz>(), {Ke[0]}},
      {"hunt-crossley", "K*d^1.5*(1 + 3/2*(1 - e)*v/v0)", with_stiffness<laws::HuntCrossley>(), Ke},
      {"lankarani-nikravesh", "K*d^1.5*(1 + 3/4*(1 - e^2)*v/v0)",
       with_stiffness<laws::LankaraniNikravesh>(), Ke},
      {"flores", "K*d^1.5*(1 + 8/5*(1 - e)/e*v/v0)", with_stiffness<laws::Flores>(), Ke},
      {"kelvin-voigt",
       "K*d + D*v",
       with_stiffness<laws::KelvinVoigt>(kD),
       {{"K", 1e7, "N/m"}, {"D", kD, "N s/m"}}},
      {"jankowski",
       "K*d^1.5 + 9*sqrt(5)*(1 - e^2)/(e*(e*(9*pi - 16) + 16))*sqrt(mass*K)*d^0.25*max(0, v)",
       with_stiffness<laws::Jankowski>(), Ke},
      {"memory-free",
       "K*d^1.5 + 2*z*sqrt(5/4*mass*K)*d^0.25*v",
       with_stiffness<laws::MemoryFree>(),
       {Ke[0], {"z", zeta, ""}}},
      {"tsuji",
       "K*d^1.5 + sqrt(5)*z*sqrt(mass*K)*d^0.25*v",
       with_stiffness<laws::Tsuji>(),
       {Ke[0], {"z", z, ""}},
       true}};
}

TEST(LawFormulaTest, IsTheContactLawThatItsTextSays) {
  std::mt19937_64 random(3);
  for (const Twin& twin : contact_twins()) {
    SCOPED_TRACE(twin.name);
    auto own = law_of<laws::ContactExpression>(twin.text, twin.parameters);
    own.tension = twin.tension;
    ASSERT_EQ(own.misfit(laws::kBallSite), "");
    own.prepare(laws::kBallSite);
    laws::ContactLaw other = twin.built_in;
    laws::prepare(other, laws::kBallSite);
    std::visit(
        [&](const auto& built_in) {
          for (int k = 0; k < 5000; ++k) {
            const double d = any_size(random, 1e-9, 4e-4), v0 = any_size(random, 1e-5, 10),
                         v = between(random, -1.2, 1.2) * v0, ratio = any_size(random, 0.1, 1);
            const laws::Contact<> at{d, v, v0, ratio};
            // Near a force of zero spring and damper cancel.
            const double scale =
                std::max(built_in.elastic(d), built_in.force(laws::Contact<>{d, v0, v0, ratio}));
            ASSERT_NEAR(own.force(at), built_in.force(at), 1e-14 * scale) << d << ' ' << v;
            ASSERT_NEAR(own.elastic(d), built_in.elastic(d), 1e-14 * scale);
            using D = Dual<2>;
            const laws::Contact<D> moving{D::variable(d, 0), D::variable(v, 1), v0, ratio};
            const D a = own.force(moving), b = built_in.force(moving);
            ASSERT_NEAR(a.d[0], b.d[0], 1e-13 * scale / d) << d << ' ' << v;
            ASSERT_NEAR(a.d[1], b.d[1], 1e-13 * scale / v0) << d << ' ' << v;
          }
          for (const double d : {1e-7, 1e-5, 4e-4})
            EXPECT_NEAR(own.potential(d), built_in.potential(d), 1e-13 * built_in.potential(d));
        },
        other);
  }
}

TEST(LawFormulaTest, CutsInfiniteSlopesOffWhereTheCatalogueDoes) {
  auto own = law_of<laws::ContactExpression>("K*d^1.5 + 2*z*sqrt(5/4*mass*K)*d^0.25*v",
                                             {{"K", kK, ""}, {"z", 0.1, ""}});
  own.prepare(laws::kBallSite);
  using D = Dual<2>;
  const auto slope = [&](double d) {
    return own.force(laws::Contact<D>{D::variable(d, 0), D::variable(0.1, 1), 0.1}).d[0];
  };
  EXPECT_LT(slope(1e-20), 1.01 * slope(own.floor));
  EXPECT_GT(own.floor, 1e-13);
  EXPECT_LT(own.floor, 1e-9);
  auto plain = law_of<laws::ContactExpression>("K*d^1.5", {{"K", kK, ""}});
  plain.prepare(laws::kBallSite);
  EXPECT_EQ(plain.floor, 0);
}

TEST(LawFormulaTest, ReportsWhatTwoFreeBodiesRestitute) {
  auto own =
      law_of<laws::ContactExpression>("K*d^1.5*(1 + b*v/v0)", {{"K", kK, ""}, {"b", 0.3, ""}});
  own.prepare(laws::kBallSite);
  int found = 0;
  for (const laws::Derived& d : own.derived())
    if (d.name.starts_with("restitution")) {
      EXPECT_NEAR(d.value, laws::achieved_restitution(0.3), 1e-5) << d.name;
      ++found;
    }
  EXPECT_EQ(found, 2);
}

template <class L>
void expect_same_friction(const std::string& text, const L& built_in, const Parameters& numbers) {
  SCOPED_TRACE(L::key);
  const auto own = law_of<laws::FrictionExpression>(text, numbers);
  EXPECT_EQ(own.conflict(), "");
  std::mt19937_64 random(5);
  for (int k = 0; k < 5000; ++k) {
    const double v = any_size(random, 1e-7, 10);
    const double c = built_in.coefficient(v);
    ASSERT_NEAR(own.bound(v), c, 1e-14 * std::max(c, 0.1)) << v;
    using D = Dual<1>;
    const D a = own.ratio(D::variable(v, 0)), b = built_in.ratio(D::variable(v, 0));
    ASSERT_NEAR(a.value, b.value, 1e-14 * std::max(c, 0.1) / v);
    // (c' - c/v)/v: both have few digits where the coefficient is as good as a straight line.
    ASSERT_NEAR(a.d[0], b.d[0], 1e-13 * std::max(c, 0.1) / (v * v)) << v;
  }
}

TEST(LawFormulaTest, IsTheFrictionLawThatItsTextSays) {
  laws::Tanh tanh;
  expect_same_friction("mu*tanh(v/v1)", tanh, {{"mu", 0.1, ""}, {"v1", 1e-3, "m/s"}});
  laws::Ambrosio ambrosio;
  expect_same_friction("mu*max(0, min(1, (v - v0)/(v1 - v0)))", ambrosio,
                       {{"mu", 0.1, ""}, {"v0", 1e-4, "m/s"}, {"v1", 1e-3, "m/s"}});
  laws::Stribeck stribeck;
  stribeck.viscous = 0.3;
  expect_same_friction("(mk + (ms - mk)*exp(-(v/vs)^2))*tanh(v/v1) + c*v", stribeck,
                       {{"mk", 0.1, ""},
                        {"ms", 0.15, ""},
                        {"vs", 1e-2, "m/s"},
                        {"v1", 1e-3, "m/s"},
                        {"c", 0.3, "s/m"}});
}

TEST(LawFormulaTest, FrictionMayDependOnTheLoad) {
  const auto law = law_of<laws::FrictionExpression>(
      "mu*(load/N0)^(-1/3)*tanh(v/v1)", {{"mu", 0.1, ""}, {"N0", 50, "N"}, {"v1", 1e-3, "m/s"}});
  EXPECT_EQ(law.conflict(), "");
  EXPECT_TRUE(law.depends_on_load());
  using D = Dual<2>;
  const double v = 2e-3, N = 30, h = 1e-6;
  const D ratio = law.ratio(D::variable(v, 0), D::variable(N, 1));
  EXPECT_NEAR(ratio.value, 0.1 / std::cbrt(N / 50) * std::tanh(2) / v, 1e-12 * ratio.value);
  EXPECT_NEAR(ratio.d[0], (law.ratio(v + h * v, N) - law.ratio(v - h * v, N)) / (2 * h * v),
              1e-6 * std::abs(ratio.d[0]));
  EXPECT_NEAR(ratio.d[1], (law.ratio(v, N + h * N) - law.ratio(v, N - h * N)) / (2 * h * N),
              1e-6 * std::abs(ratio.d[1]));
  EXPECT_EQ(law.bound(v, N), law.ratio(v, N) * v);
  EXPECT_NEAR(law.force(laws::Slip<>{{v, 0, 0}, N})[0], -ratio.value * v * N, 1e-12);
  // At rest the quotient is the slope.
  EXPECT_NEAR(law.ratio(0.0, 50.0), 0.1 / 1e-3, 1e-10);
}

TEST(LawFormulaTest, IsTheWearLawThatItsTextSays) {
  std::mt19937_64 random(7);
  const auto expect_same = [&](const auto& built_in, const laws::WearExpression& own) {
    EXPECT_EQ(own.conflict(), "");
    for (int i = 0; i < 2000; ++i) {
      const double p = any_size(random, 1e3, 1e9);
      const laws::Rubbing at{p, any_size(random, 1e-6, 10), between(random, 0, p),
                             any_size(random, 1e-9, 1e-4), 1};
      const double k = any_size(random, 1e-17, 1e-10), expected = built_in.rate(k, at);
      ASSERT_NEAR(own.rate(k, at), expected, 1e-14 * expected);
    }
  };
  expect_same(laws::Archard{}, law_of<laws::WearExpression>("k*p*v"));
  expect_same(laws::ArchardShear{}, law_of<laws::WearExpression>("k*sqrt(p^2 + 3*shear^2)*v"));
  expect_same(laws::RunningIn{}, law_of<laws::WearExpression>("k*(1 + (f - 1)*exp(-h/h0))*p*v",
                                                              {{"f", 10, ""}, {"h0", 1e-6, "m"}}));
  EXPECT_FALSE(law_of<laws::WearExpression>("k*p*v").uses_shear);
  EXPECT_TRUE(law_of<laws::WearExpression>("k*shear*v").uses_shear);
}

// Slopes of every function and operator against finite differences, over points on both sides of
// kinks; machine code against the same steps walked.
TEST(LawFormulaTest, HasExactSlopes) {
  const std::vector<std::string> texts{"sin(v) + cos(load)",
                                       "tan(v/3)*load",
                                       "asin(v/4) + acos(load/4)",
                                       "atan(v*load)",
                                       "sinh(v)*cosh(load)",
                                       "tanh(v - load)",
                                       "exp(-v*load)",
                                       "log(1 + v^2 + load)",
                                       "sqrt(1 + v^2)*load^0.25",
                                       "abs(v - load)",
                                       "min(v, load, 0.5)",
                                       "max(v, load, -v)",
                                       "atan2(v, load)",
                                       "v^load",
                                       "2^v",
                                       "load^-1.75 + v^3 + v^7.3",
                                       "(v + load)^(v - 1)",
                                       "-v/(2 + load)",
                                       "max(0, v - 1)*min(1, load)",
                                       "v^0 + load^1",
                                       "abs(-v)*abs(load)"};
  std::mt19937_64 random(11);
  for (const std::string& text : texts) {
    const auto code = joints::read_formula({text, {}}, laws::FrictionExpression::use);
    const auto compiled = laws::CompiledFormula::make(code);
    ASSERT_TRUE(compiled) << text;
    for (int k = 0; k < 300; ++k) {
      const double v = between(random, 0.1, 2), N = between(random, 0.1, 2);
      const auto f = [&](double a, double b) { return compiled->value(std::array{a, b}.data()); };
      const auto found = compiled->with_slopes(std::array{v, N}.data());
      EXPECT_EQ(found[0], f(v, N)) << text;
      const double h = 1e-6, dv = (f(v + h, N) - f(v - h, N)) / (2 * h),
                   dN = (f(v, N + h) - f(v, N - h)) / (2 * h);
      if (std::abs(v - N) < 2e-6 || std::abs(v - 0.5) < 2e-6 || std::abs(N - 0.5) < 2e-6 ||
          std::abs(v - 1) < 2e-6 || std::abs(N - 1) < 2e-6)
        continue;
      ASSERT_NEAR(found[1], dv, 1e-8 * (1 + std::abs(dv))) << text << ' ' << v << ' ' << N;
      ASSERT_NEAR(found[2], dN, 1e-8 * (1 + std::abs(dN))) << text << ' ' << v << ' ' << N;
    }
  }
}

// ---- files

/// A planar pin in its bearing; the tables of its laws are appended.
std::string pin(const std::string& laws, const std::string& above = {}) {
  return above + R"model([mechanism]
planar = true
gravity = [0, -9.81]
[bodies.pin]
mass = 1
inertia = 1e-3
[joints.hole]
type = "revolute"
bodies = ["ground", "pin"]
at = [0, 0]
[joints.hole.clearance]
bearing_radius = "10 mm"
bearing_length = "20 mm"
radial = "0.1 mm"
material = "steel"
)model" + laws +
         "[simulation]\nduration = 0.1\n";
}

const std::string kLaws = R"model(
[joints.hole.clearance.contact]
law = "expression"
force = "K*d^1.5*(1 + 3/4*(1-e^2)*v/v0)"
K = "66 N/um^1.5"
e = 0.9
[joints.hole.clearance.friction]
law = "expression"
coefficient = "mu*tanh(v/slow)"
mu = 0.1
[joints.hole.clearance.wear]
law = "expression"
rate = "k*p*v*(1 + (f - 1)*exp(-h/h0))"
outer = "1e-14 1/Pa"
inner = 0
f = 3
h0 = "2 um"
)model";
const std::string kSlow = "[parameters]\nslow = \"2 mm/s\"\n";

TEST(LawFormulaTest, IsReadWithItsParametersAndThoseOfTheFile) {
  const Model model = testing::read(pin(kLaws, kSlow));
  const Clearance& play = *model.joints[0].clearance;
  ASSERT_TRUE(play.contact.expression);
  EXPECT_EQ(play.contact.expression->text, "K*d^1.5*(1 + 3/4*(1-e^2)*v/v0)");
  ASSERT_EQ(play.contact.expression->parameters.size(), 2U);
  EXPECT_EQ(play.contact.expression->parameters[0].name, "K");
  EXPECT_NEAR(play.contact.expression->parameters[0].value, 66e9, 1);
  EXPECT_EQ(play.contact.expression->parameters[1].unit, "");
  const Expression& friction = *play.friction->expression;
  ASSERT_EQ(friction.parameters.size(), 2U);
  EXPECT_EQ(friction.parameters[1].name, "slow");
  EXPECT_EQ(friction.parameters[1].value, 0.002);
  EXPECT_EQ(play.wear->law.parameters.size(), 2U);
  EXPECT_EQ(play.wear->law.expression->parameters.size(), 2U);
}

TEST(LawFormulaTest, ComesBackAsItWent) {
  const Model model = testing::read(pin(kLaws, kSlow));
  const std::string text = write_model(model);
  const Model again = testing::read(text);
  EXPECT_EQ(testing::dump(again), testing::dump(model));
  EXPECT_EQ(write_model(again), text);
  EXPECT_NO_THROW(validate(model));
  EXPECT_THAT(text, HasSubstr("coefficient = \"mu*tanh(v/slow)\""));
  // What differs in a formula differs in the text.
  Model other = model;
  other.joints[0].clearance->contact.expression->parameters[1].value = 0.8;
  EXPECT_NE(write_model(other), text);
}

TEST(LawFormulaTest, KeepsUnitsThatAreWrittenInSi) {
  const Model model = testing::read(pin(R"model(
contact = { law = "expression", force = "K*d^1.25 + F0*d/(d + a)", K = "3e9 N/m^1.25", F0 = "-2 kN", a = "1 um", tension = true }
)model"));
  std::map<std::string, std::string> units;
  for (const auto& p : model.joints[0].clearance->contact.expression->parameters)
    units[p.name] = p.unit;
  EXPECT_EQ(units["K"], "N/m^1.25");
  EXPECT_EQ(units["a"], "m");
  EXPECT_EQ(io::parse_unit(units["F0"])->in_si(), 1);
  const std::string text = write_model(model);
  EXPECT_THAT(text, HasSubstr("K = \"3e+09 N/m^1.25\""));
  EXPECT_EQ(write_model(testing::read(text)), text);
}

TEST(LawFormulaTest, MayBeBuiltInCode) {
  Model model = testing::read(pin("contact = { law = \"hertz\" }\n"));
  model.joints[0].clearance->contact = {
      "expression", {}, Expression{"K*d^1.5", {{"K", 1e10, "N/m^1.5"}}}};
  EXPECT_NO_THROW(validate(model));
  model.joints[0].clearance->contact.expression->parameters[0].unit = "kN/m^1.5";  // values are SI
  EXPECT_EQ(testing::read(write_model(model))
                .joints[0]
                .clearance->contact.expression->parameters[0]
                .value,
            1e10);
  const auto complaint = [&] {
    try {
      validate(model);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  model.joints[0].clearance->contact.expression->parameters[0].unit = "N/m";
  EXPECT_THAT(complaint(), HasSubstr("the force comes out in"));
  model.joints[0].clearance->contact.expression->parameters[0].unit = "Nm/s2";
  EXPECT_THAT(complaint(), HasSubstr("is not a unit"));
  model.joints[0].clearance->contact.expression.reset();
  EXPECT_THAT(complaint(), HasSubstr("'force' is missing"));
  model.joints[0].clearance->contact = {"hertz", {}, Expression{"K*d", {{"K", 1, ""}}}};
  EXPECT_THAT(complaint(), HasSubstr("unknown key 'K'"));
}

TEST(LawFormulaTest, ParametersAreReachedByTheirPaths) {
  const auto value_of = [](const std::vector<Override>& changes, const std::string& name) {
    const Model model = testing::read(pin(kLaws, kSlow), changes);
    for (const auto& p : model.joints[0].clearance->contact.expression->parameters)
      if (p.name == name) return p.value;
    return std::nan("");
  };
  EXPECT_EQ(value_of({{"joints.hole.clearance.contact.K", "1e10 N/m^1.5"}}, "K"), 1e10);
  EXPECT_EQ(value_of({{"joints.hole.clearance.contact.K", "2e10"}}, "K"), 2e10);  // bare: SI
  EXPECT_EQ(value_of({{"joints.hole.clearance.contact.e", "0.5"}}, "e"), 0.5);
  EXPECT_EQ(value_of({{"joints.hole.clearance.contact",
                       "{ law = 'expression', force = 'c*d', c = '1 N/m' }"}},
                     "c"),
            1);
  EXPECT_EQ(value_of({{"joints.hole.clearance.contact.force", "K*d^1.5*(1 + e*v/v0) + G*d"},
                      {"joints.hole.clearance.contact.G", "5 N/m"}},
                     "G"),
            5);
  EXPECT_THAT(testing::mistakes(pin(kLaws, kSlow), {{"joints.hole.clearance.contact.K", "3 N/m"}}),
              HasSubstr("comes out in"));
  // Other laws know what they have.
  EXPECT_THAT(testing::mistakes(pin("contact = { law = \"hertz\" }\n"),
                                {{"joints.hole.clearance.contact.stifness", "3"}}),
              HasSubstr("did you mean 'stiffness'?"));
}

TEST(LawFormulaTest, IsSharedByNamedTables) {
  const Model model = testing::read(R"model([mechanism]
planar = true
gravity = [0, -9.81]
[clearances.loose]
bearing_radius = "10 mm"
radial = "0.1 mm"
contact = { law = "expression", force = "K*d^1.5", K = "1e10 N/m^1.5" }
[bodies.pin]
mass = 1
inertia = 1e-3
[joints.hole]
type = "revolute"
bodies = ["ground", "pin"]
at = [0, 0]
clearance = { use = "loose", contact = { K = "2e10 N/m^1.5" } }
[simulation]
duration = 0.1
)model");
  EXPECT_EQ(model.joints[0].clearance->contact.expression->parameters.at(0).value, 2e10);
}

TEST(LawFormulaTest, InfersTheUnitsOfBareNumbers) {
  EXPECT_EQ(testing::mistakes(pin("contact = { law = \"expression\", force = \"K*d^n\", K = 1e10, "
                                  "n = 1.5 }\n")),
            "");
  // One of them is then known to be in m: it cannot be added to a speed as well.
  EXPECT_THAT(testing::mistakes(pin("contact = { law = \"expression\", force = \"K*(d + a)*(v + "
                                    "a)/v0\", K = 1e10, a = 1 }\n")),
              HasSubstr("cannot add m/s and m"));
}

// ---- mistakes

struct Mistake {
  std::string laws, message;
};

TEST(LawFormulaTest, TellsWhatIsWrong) {
  const auto contact = [](const std::string& rest) {
    return "contact = { law = \"expression\", " + rest + " }\n";
  };
  const auto force = [&](const std::string& text, const std::string& rest = {}) {
    return contact("force = \"" + text + "\"" + (rest.empty() ? "" : ", " + rest));
  };
  const auto friction = [](const std::string& text, const std::string& rest = {}) {
    return "friction = { law = \"expression\", coefficient = \"" + text + "\"" +
           (rest.empty() ? "" : ", " + rest) + " }\n";
  };
  const auto wear = [](const std::string& text, const std::string& rest = {}) {
    return "wear = { law = \"expression\", outer = 1e-14, inner = 0, rate = \"" + text + "\"" +
           (rest.empty() ? "" : ", " + rest) + " }\n";
  };
  const std::string K = "K = \"1e10 N/m^1.5\"";
  const std::vector<Mistake> mistakes{
      // units
      {force("K*d", K), "the force comes out in"},
      {force("K*d", K), "a factor in"},
      {force("K*d^1.5 + d", K), "cannot add N and m"},
      {force("K*d^1.5 - v", K), "cannot subtract N and m/s"},
      {force("K*d^1.5*exp(d)", K), "exp() of m; a number without unit was expected"},
      {force("K*d^1.5*max(d, v)/d", K), "max() of m and m/s"},
      {force("K*d^(1.5*d)", K), "the exponent is in m; a plain number was expected"},
      {force("K*d^(v/v0)", K), "m to a power that varies has no unit"},
      {force("K*d^1.5*(1 + v)", K), "cannot add a number without unit and m/s"},
      {friction("mu*v", "mu = \"0.1 1/s\""), "the coefficient comes out in"},
      {friction("load*tanh(v/v1)", "v1 = \"1 mm/s\""), "expected a number without unit"},
      {wear("k*v"), "the rate comes out in"},
      // names
      {force("K*d^1.5*(1 + e*v/v0)", K), "there is no parameter or variable 'e'"},
      {force("Kk*d^1.5", K), "did you mean 'K'?"},
      {force("K*d^1.5*x/x", K), "variables are 'd', 'v', 'v0'"},
      {force("K*d^1.5", K + ", e = 0.9"), "the formula does not use 'e'"},
      {force("K*d^1.5", K + ", d = \"1 mm\""), "'d' is a variable of the law"},
      {force("K*d^1.5*sin", K), "sin is a function and needs arguments"},
      {force("K*d^1.5", K + ", sin = 3"), "'sin' is a function or constant"},
      {force("K*d^1.5", K + ", \"a b\" = 3"), "cannot stand in a formula"},
      {force("K*sind(d)", K), "'sind' is not a function"},
      {force("K*d^1.5*distance(d, d)", K), "has no place in the formula of a law"},
      {force("K*d^1.5", K + ", " + "K = 3"), "only once"},
      {friction("mu*tanh(d/v1)", "mu = 0.1, v1 = \"1 mm/s\""),
       "there is no parameter or variable 'd'"},
      // text
      {force(""), "nothing is written here"},
      {force("K*d^1.5*(1 + v/v0", K), "a closing ')' is missing"},
      {force("K*d^1.5*", K), "ends where a value was expected"},
      {force("K*d^1.5,5", K), "decimals are written with a point"},
      {contact(K), "'force' is missing; expected a formula in d, v, v0"},
      {contact("force = 3"), "expected a formula in d, v, v0"},
      {"contact = { law = \"hertz\", force = \"d\" }\n", "has no key 'force'"},
      {"contact = { force = \"d\" }\n", "it belongs to 'expression'"},
      {"contact = { law = \"hertz\", K = 3 }\n", "unknown key 'K'"},
      {"friction = { law = \"expression\" }\n", "'coefficient' is missing"},
      // numbers
      {force("K*d^1.5", "K = \"3 N/mm^1.5x\""), "contact.K"},
      {force("K*d^1.5", "K = nan"), "expected a finite number"},
      {force("K*d^1.5", "K = [1, 2]"), "contact.K"},
      {force("K*d^1.5/0", K), "division by zero"},
      {force("1e300*1e300*K*d^1.5", K), "the result is not a finite number"},
      // what is no law
      {force("K*d^1.5*(1 - v/(v + v0/2))", K), "divides by zero"},
      {force("K*d^1.5/(1 - d/a)", K + ", a = \"10 um\""), "divides by zero"},
      {force("K*d^1.5*sqrt(1 - d/a)", K + ", a = \"10 um\""), "no finite number"},
      {force("K*d^1.5*log(d/a)", K + ", a = \"10 um\""), "pull at each other"},
      {force("K*d^1.5*(1 - 0.3*v/v0)", K), "it makes energy"},
      {force("-K*d^1.5", K), "not positive at any depth"},
      {force("K*d^1.5 + F", K + ", F = \"5 N\""), "does not vanish with the depth"},
      {friction("mu", "mu = 0.1"), "let it vanish with the speed"},
      {friction("-mu*tanh(v/v1)", "mu = 0.1, v1 = \"1 mm/s\""), "would push the slip on"},
      {friction("mu*sqrt(v/v1)", "mu = 0.1, v1 = \"1 mm/s\""), "infinite slope"},
      {friction("mu*v/(v1 - v)", "mu = 0.1, v1 = \"1 mm/s\""), "divides by zero"},
      {wear("k*p*v*(1 - h/a)", "a = \"1 um\""), "a surface cannot grow"},
      {wear("b*p*v", "b = \"1e-14 1/Pa\""), "does not name k"},
      {wear("k*shear*v"), "the joint has none; give it 'friction'"},
  };
  int count = 0;
  for (const Mistake& m : mistakes) {
    const std::string found = testing::mistakes(pin(m.laws));
    EXPECT_THAT(found, HasSubstr(m.message)) << m.laws;
    EXPECT_THAT(found, HasSubstr("model.toml:")) << m.laws;
    ++count;
  }
  EXPECT_GE(count, 40);
  // Places: of the formula, of the parameter.
  EXPECT_THAT(testing::mistakes(pin(force("K*d^1.5 + d", K))), HasSubstr("model.toml:16:"));
  EXPECT_THAT(testing::mistakes(pin(force("K*d^1.5", K + ", e = 1"))), HasSubstr("contact.e"));
}

TEST(LawFormulaTest, TellsParametersOfTheFileFromVariables) {
  EXPECT_THAT(testing::mistakes(pin("contact = { law = \"expression\", force = \"K*d^1.5\", K = "
                                    "\"1e10 N/m^1.5\" }\n",
                                    "[parameters]\nd = \"1 mm\"\n")),
              HasSubstr("'d' is a parameter of the file, and here also a variable of the law"));
  // One that the formula does not name is nobody's business.
  EXPECT_EQ(testing::mistakes(pin("contact = { law = \"expression\", force = \"K*d^1.5\", K = "
                                  "\"1e10 N/m^1.5\" }\n",
                                  "[parameters]\nlength = \"1 mm\"\nmass = \"3 kg\"\n")),
            "");
}

TEST(LawFormulaTest, WorksInTheUnitsOfAStop) {
  const auto hinge = [](const std::string& contact) {
    return R"model([mechanism]
planar = true
gravity = [0, -9.81]
[bodies.arm]
mass = 1
inertia = 1e-3
position = [0.1, 0]
[joints.hinge]
type = "revolute"
bodies = ["ground", "arm"]
at = [0, 0]
stop = { lower = "-1 deg", contact = { law = "expression", )model" +
           contact + " } }\n[simulation]\nduration = 0.1\n";
  };
  EXPECT_EQ(
      testing::mistakes(hinge("force = \"K*d + c*v\", K = \"1e5 N m/rad\", c = \"2 N m s/rad\"")),
      "");
  EXPECT_THAT(testing::mistakes(hinge("force = \"K*d\", K = \"1e5 N/m\"")),
              HasSubstr("expected N m"));
  EXPECT_THAT(testing::mistakes(hinge("force = \"K*d*radius/a\", K = \"1e5 N m\", a = \"1 m\"")),
              HasSubstr("there is no parameter or variable 'radius'"));
}

TEST(LawFormulaTest, OfTheLoadIsForJointsWithPlay) {
  EXPECT_THAT(testing::mistakes(R"model([mechanism]
planar = true
gravity = [0, -9.81]
[bodies.arm]
mass = 1
inertia = 1e-3
position = [0.1, 0]
[joints.hinge]
type = "revolute"
bodies = ["ground", "arm"]
at = [0, 0]
friction = { law = "expression", radius = "5 mm", coefficient = "a*load*tanh(v/v1)", a = "1e-3 1/N", v1 = "1 mm/s" }
[simulation]
duration = 0.1
)model"),
              HasSubstr("give the joint a clearance"));
}

TEST(LawFormulaTest, DescribesItsVariables) {
  for (const auto& catalogue :
       {laws::contact_catalogue(), laws::friction_catalogue(), laws::wear_catalogue()}) {
    const auto found = std::find_if(catalogue.begin(), catalogue.end(),
                                    [](const laws::Entry& e) { return e.key == "expression"; });
    ASSERT_NE(found, catalogue.end());
    const laws::Entry& law = *found;
    ASSERT_TRUE(law.use);
    const std::string text = laws::to_text(law), page = laws::to_markdown({law});
    for (const laws::Variable& v : law.use->variables) {
      EXPECT_THAT(text, HasSubstr(std::string(v.doc)));
      EXPECT_THAT(page, HasSubstr("| `" + std::string(v.name) + "` | "));
      EXPECT_TRUE(io::parse_unit(v.unit)) << v.name;
    }
    EXPECT_THAT(text, HasSubstr(std::string(law.use->example)));
  }
}

}  // namespace
}  // namespace freeplay
