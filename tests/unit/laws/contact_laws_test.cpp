// SPDX-License-Identifier: Apache-2.0
#include "laws/contact_laws.hpp"

#include "laws/catalogue.hpp"
#include "unit/laws/free_impact.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <string>

// What holds for every normal law. A law is covered as soon as its name is in the variant.
namespace freeplay::laws {
namespace {

template <class V>
struct TypesOf;
template <class... L>
struct TypesOf<std::variant<L...>> {
  using type = ::testing::Types<L...>;
};
struct LawName {
  template <class L>
  static std::string GetName(int) {
    std::string name(L::key);
    for (char& c : name)
      if (c == '-') c = '_';
    return name;
  }
};

/// Laws of users, of which only they know what they need.
template <class L>
constexpr bool kOfUser = FormulaLaw<L> || PluginUser<L>;

template <class L>
class ContactLawTest : public ::testing::Test {
 protected:
  ContactLawTest() { law.prepare(L::sample_site); }
  L law;
};
TYPED_TEST_SUITE(ContactLawTest, TypesOf<ContactLaw>::type, LawName);

TYPED_TEST(ContactLawTest, ReproducesItsSamples) {
  ASSERT_EQ(this->law.misfit(TypeParam::sample_site), "");
  ASSERT_FALSE(TypeParam::samples.empty());
  for (const ContactSample& s : TypeParam::samples)
    EXPECT_NEAR(this->law.force(s.at), s.force, 1e-8 * std::abs(s.force)) << "depth " << s.at.depth;
}

TYPED_TEST(ContactLawTest, HasNoForceWithoutDepth) {
  for (const double depth : {0.0, -1e-9, -1e-3})
    for (const double rate : {-1.0, 0.0, 1.0})
      EXPECT_EQ(this->law.force(Contact<>{depth, rate, 0.5}), 0);
  EXPECT_EQ(this->law.elastic(-1e-6), 0);
  EXPECT_EQ(this->law.potential(0.0), 0);
}

TYPED_TEST(ContactLawTest, NeverPullsUnlessItSaysSo) {
  if constexpr (requires { TypeParam::pulls; }) {
    EXPECT_LT(this->law.force(Contact<>{1e-8, -1.0, 1.0}), 0);
    return;
  }
  for (double depth = 1e-12; depth < 1e-3; depth *= 3)
    for (const double rate : {-1e3, -1.0, -0.3, -1e-6, 0.0, 1.0})
      EXPECT_GE(this->law.force(Contact<>{depth, rate, 0.2}), 0)
          << "depth " << depth << ", rate " << rate;
}

TYPED_TEST(ContactLawTest, LosesEnergyOverAClosedCycle) {
  // Once in and out along a cosine, at three speeds beside that of the touch.
  const double top = 2e-5, touch = 0.2;
  for (const double rate : {0.01, 0.2, 2.0}) {
    double work = 0, kept = 0;
    const int n = 20000;
    for (int i = 0; i < n; ++i) {
      const double phase = 2 * std::numbers::pi * (i + 0.5) / n;
      const Contact<> c{0.5 * top * (1 - std::cos(phase)), rate * std::sin(phase), touch};
      const double travelled = 0.5 * top * std::sin(phase) * 2 * std::numbers::pi / n;
      work += this->law.force(c) * travelled;
      kept = std::max(kept, work);
    }
    EXPECT_GE(work, -1e-9 * kept) << "rate " << rate;
  }
}

TYPED_TEST(ContactLawTest, HasTheDerivativesOfFiniteDifferences) {
  for (const double depth : {1e-7, 1e-6, 1e-5, 1e-4, 4e-4})
    for (const double rate : {0.3, 0.05, -0.05}) {
      const auto force = [&](double d, double r) { return this->law.force(Contact<>{d, r, 0.2}); };
      if (force(depth, rate) == 0) continue;
      const Dual<2> f = this->law.force(
          Contact<Dual<2>>{Dual<2>::variable(depth, 0), Dual<2>::variable(rate, 1), 0.2});
      const double hd = 1e-5 * depth, hr = 1e-5 * std::abs(rate),
                   scale = std::abs(force(depth, rate));
      EXPECT_NEAR(f.value, force(depth, rate), 1e-13 * scale);
      EXPECT_NEAR(f.d[0], (force(depth + hd, rate) - force(depth - hd, rate)) / (2 * hd),
                  1e-8 * scale / depth);
      EXPECT_NEAR(f.d[1], (force(depth, rate + hr) - force(depth, rate - hr)) / (2 * hr),
                  1e-8 * scale / std::abs(rate));
    }
}

TYPED_TEST(ContactLawTest, StoresTheWorkOfItsElasticForce) {
  for (const double depth : {1e-7, 1e-5, 1e-4, 4e-4}) {
    test::Y<1> work(0.0), scale(this->law.elastic(depth) * depth + 1e-30);
    double root = 0;  // in the square root of the depth the integrand is smooth
    test::integrate<1>(
        [&](double s, const test::Y<1>&) { return test::Y<1>(2 * s * this->law.elastic(s * s)); },
        root, work, std::sqrt(depth), scale);
    EXPECT_NEAR(this->law.potential(depth), work[0], 1e-9 * scale[0]);
    const Dual<1> U = this->law.potential(Dual<1>::variable(depth, 0));
    EXPECT_NEAR(U.d[0], this->law.elastic(depth), 1e-12 * this->law.elastic(depth));
  }
}

TYPED_TEST(ContactLawTest, GrowsWithDepthWithoutJump) {
  double before = 0;
  for (double depth = 1e-9; depth < 2e-3; depth *= 1.01) {
    const double now = this->law.elastic(depth);
    EXPECT_TRUE(now > before || TypeParam::impulsive) << depth;
    EXPECT_TRUE(now <= 1.05 * before || depth < 2e-9) << depth;
    before = now;
  }
}

TYPED_TEST(ContactLawTest, RestitutesWhatItReports) {
  bool reported = false;
  for (const Derived& d : this->law.derived()) {
    EXPECT_TRUE(std::isfinite(d.value)) << d.name;
    EXPECT_FALSE(d.unit.empty()) << d.name;
    if (d.name != "restitution of two free bodies") continue;
    reported = true;
    EXPECT_NEAR(test::free_impact(this->law, 1, 0.2).restitution, d.value, 1e-8);
  }
  // What a formula restitutes depends on mass and speed: expression_laws_test.cpp.
  EXPECT_TRUE(reported || !TypeParam::uses_impact_rate || kOfUser<TypeParam>);
}

TYPED_TEST(ContactLawTest, DoesNotReadTheTouchUnlessItSaysSo) {
  const double slow = this->law.force(Contact<>{1e-5, 0.1, 0.1}),
               fast = this->law.force(Contact<>{1e-5, 0.1, 10});
  EXPECT_EQ(slow != fast, TypeParam::uses_impact_rate);
}

TYPED_TEST(ContactLawTest, IsNotANumberBeforeItIsPrepared) {
  EXPECT_NE(std::isnan(TypeParam{}.force(Contact<>{1e-5, 0.1, 0.2})), TypeParam::impulsive);
}

TYPED_TEST(ContactLawTest, DocumentsAndKeepsItsBounds) {
  for (const Field<TypeParam>& f : TypeParam::fields()) {
    EXPECT_FALSE(f.key.empty() || f.unit.empty() || f.doc.empty()) << f.key;
    EXPECT_LT(f.min, f.max) << f.key;
    const auto faults_with = [&](double value) {
      TypeParam changed;
      changed.*f.member = value;
      std::vector<std::string> keys;
      for (const Fault& fault : faults(ContactLaw(changed))) keys.emplace_back(fault.key);
      return keys;
    };
    EXPECT_THAT(faults_with(TypeParam{}.*f.member), ::testing::IsEmpty()) << f.key << " by default";
    EXPECT_THAT(faults_with(f.min), ::testing::IsEmpty());
    EXPECT_THAT(faults_with(f.max), ::testing::IsEmpty());
    EXPECT_THAT(faults_with(f.max * 1.1), ::testing::ElementsAre(std::string(f.key)));
    EXPECT_THAT(faults_with(f.min - 1), ::testing::ElementsAre(std::string(f.key)));
  }
}

TYPED_TEST(ContactLawTest, WorksAtItsBounds) {
  for (const Field<TypeParam>& f : TypeParam::fields())
    for (const double value : {f.min, f.max}) {
      TypeParam extreme;
      extreme.*f.member = value;
      if (!extreme.misfit(TypeParam::sample_site).empty()) continue;
      extreme.prepare(TypeParam::sample_site);
      const double force = extreme.force(Contact<>{1e-5, 0.1, 0.2});
      EXPECT_TRUE(std::isfinite(force) && force >= 0) << f.key << " = " << value << ": " << force;
    }
}

TYPED_TEST(ContactLawTest, SaysWhyItDoesNotFit) {
  // Nothing is known of the site: whoever derives something from it must say what is missing.
  const std::string why = TypeParam{}.misfit(ContactSite{});
  const bool content = TypeParam::key == "kelvin-voigt" || TypeParam::key == "walton-braun" ||
                       TypeParam::key == "newton" || kOfUser<TypeParam>;
  EXPECT_EQ(why.empty(), content) << why;
}

TEST(ContactLawsTest, FitTheGeometriesTheyAreMadeFor) {
  const auto fits = [](const char* key, const ContactSite& site) {
    return misfit(make_law<ContactLaw>(key).value(), site).empty();
  };
  int accepted = 0, refused = 0;
  for (const Entry& law : contact_catalogue())
    for (const ContactSite& site : {kBallSite, kJournalSite, kFaceSite})
      ++(fits(law.key.data(), site) ? accepted : refused);
  std::printf("law x site: %d accepted, %d refused\n", accepted, refused);
  EXPECT_EQ(accepted + refused, 3 * static_cast<int>(std::variant_size_v<ContactLaw>));

  for (const char* line : {"johnson", "radzimovsky", "goldsmith", "dubowsky-freudenstein",
                           "esdu-78035", "pereira", "bai-zhao"}) {
    EXPECT_TRUE(fits(line, kJournalSite)) << line;
    EXPECT_FALSE(fits(line, kBallSite)) << line;
    EXPECT_FALSE(fits(line, kFaceSite)) << line;
  }
  for (const char* point :
       {"exact", "memory-free", "tsuji", "hertz", "lankarani-nikravesh", "jankowski"}) {
    EXPECT_TRUE(fits(point, kJournalSite)) << point;
    EXPECT_TRUE(fits(point, kBallSite)) << point;
    EXPECT_FALSE(fits(point, kFaceSite)) << point;  // no radii
    ContactLaw given = make_law<ContactLaw>(point).value();
    *find_parameter(given, "stiffness") = 1e10;
    EXPECT_EQ(misfit(given, kFaceSite), "") << point;
  }
  EXPECT_TRUE(fits("liu-steuermann", kBallSite));
  EXPECT_FALSE(fits("liu-steuermann", kJournalSite));
  EXPECT_TRUE(fits("plane-face", kFaceSite));
  EXPECT_FALSE(fits("plane-face", kBallSite));
  for (const ContactSite& site : {kBallSite, kJournalSite, kFaceSite})
    EXPECT_TRUE(fits("elastic-foundation", site));

  ContactSite massless = kBallSite;
  massless.mass = 0;
  EXPECT_FALSE(fits("memory-free", massless));
  EXPECT_TRUE(fits("exact", massless));
  ContactSite interference = kBallSite;
  interference.inner_radius = 0.011;
  EXPECT_FALSE(fits("exact", interference));

  ContactLaw odd = ExactRestitution{};
  *find_parameter(odd, "exponent") = 1.1;
  EXPECT_THAT(misfit(odd, kBallSite), ::testing::HasSubstr("stiffness"));
}

}  // namespace
}  // namespace freeplay::laws
