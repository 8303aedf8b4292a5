// SPDX-License-Identifier: Apache-2.0
#include "core/scalars.hpp"
#include "laws/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace freeplay::laws {
namespace {

using ::testing::HasSubstr;

template <class L>
class EveryControlLaw : public ::testing::Test {};
template <class V>
struct TypesOf;
template <class... L>
struct TypesOf<std::variant<L...>> {
  using Types = ::testing::Types<L...>;
};
TYPED_TEST_SUITE(EveryControlLaw, TypesOf<ControlLaw>::Types);

TYPED_TEST(EveryControlLaw, SamplesAreWhatTheLawSays) {
  TypeParam law;
  law.prepare(1);
  for (const ControlSample& s : TypeParam::samples) {
    const std::array<double, 2> in{s.first, s.second};
    const std::array<double, 4> z{s.state, 0, 0, 0};
    const Seen<double> seen{{in.data(), 1}, z.data(), s.state, true};
    EXPECT_NEAR(law.raw(seen), s.output, 1e-15);
  }
}

TYPED_TEST(EveryControlLaw, DerivativesAreExact) {
  TypeParam law;
  law.prepare(1);
  std::array<PairDual, 1> in{PairDual::variable(0.7, 0)};
  std::array<PairDual, 2> z{PairDual::variable(0.3, 1), PairDual::variable(0.2, 2)};
  const auto value = [&](double dx, double dz) {
    const std::array<double, 1> a{0.7 + dx};
    const std::array<double, 2> b{0.3 + dz, 0.2};
    return law.raw(Seen<double>{a, b.data(), 0.1, true});
  };
  const PairDual out = law.raw(Seen<PairDual>{in, z.data(), 0.1, true});
  EXPECT_NEAR(out.d[0], (value(1e-4, 0) - value(-1e-4, 0)) / 2e-4, 1e-9);
  EXPECT_NEAR(out.d[1], (value(0, 1e-4) - value(0, -1e-4)) / 2e-4, 1e-9);
  EXPECT_EQ(law.direct(), out.d[0] != 0);
}

TEST(ControlLawsTest, CatalogueHasThemAll) {
  const std::vector<Entry> all = control_catalogue();
  ASSERT_EQ(all.size(), std::variant_size_v<ControlLaw>);
  std::set<std::string_view> keys;
  for (const Entry& law : all) {
    EXPECT_EQ(law.kind, "control");
    keys.insert(law.key);
  }
  EXPECT_EQ(keys.size(), all.size());
  EXPECT_THAT(reference_page("control"), HasSubstr("| `denominator` | list |"));
}

// (2 s + 3)/(s^2 + 0.5 s + 4), sampled: of z. The first numbers of its pulse response by long
// division: 0, 2, 2, -9, -3.5.
TEST(ControlLawsTest, TransferFunctionByLongDivision) {
  TransferFunction law;
  law.numerator = {2, 3};
  law.denominator = {1, 0.5, 4};
  law.prepare(1);
  std::array<double, 4> x{};
  for (const double expected : {0.0, 2.0, 2.0, -9.0, -3.5}) {
    const std::array<double, 1> in{expected == 0 ? 1.0 : 0.0};
    EXPECT_NEAR(law.at_sample(in, 1, x.data()), expected, 1e-14);
    law.next(in, 1, 0, 0, x.data());
  }
}

TEST(ControlLawsTest, IntegralFollowsALimitedOutput) {
  Pid law;
  law.kp = 1;
  law.ki = 2;
  law.tracking_time = 0.5;
  const std::array<double, 1> in{3};
  const std::array<double, 1> z{4};
  double rate = 0;
  const double raw = law.raw(Seen<double>{in, z.data()});
  EXPECT_EQ(raw, 7);
  law.rates(Seen<double>{in, z.data()}, raw, 5.0, &rate);
  EXPECT_EQ(rate, 2 * 3 + (5 - 7) / 0.5);
}

TEST(ControlLawsTest, ConflictsAreSaid) {
  Pid pid;
  pid.kd = 1;
  EXPECT_THAT(pid.conflict(1), HasSubstr("derivative_filter"));
  EXPECT_EQ(pid.conflict(2), "");
  StateSpace space;
  space.a = {1, 2};
  EXPECT_THAT(space.conflict(1), HasSubstr("1 in a"));
  TransferFunction improper;
  improper.numerator = {1, 2, 3};
  EXPECT_THAT(improper.conflict(1), HasSubstr("more powers"));
}

}  // namespace
}  // namespace freeplay::laws
