// SPDX-License-Identifier: Apache-2.0
#include "laws/wear_laws.hpp"

#include "laws/catalogue.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freeplay::laws {
namespace {

template <class V>
struct TypesOf;
template <class... L>
struct TypesOf<std::variant<L...>> {
  using Types = ::testing::Types<L...>;
};

template <class L>
class EveryWearLaw : public ::testing::Test {};
TYPED_TEST_SUITE(EveryWearLaw, TypesOf<WearLaw>::Types);

TYPED_TEST(EveryWearLaw, ReproducesItsSamples) {
  const TypeParam law;
  for (const WearSample& sample : TypeParam::samples)
    EXPECT_NEAR(law.rate(law.outer, sample.at), sample.rate, 1e-8 * sample.rate);
}

TYPED_TEST(EveryWearLaw, IsZeroWithoutLoadSlipOrCoefficient) {
  const TypeParam law;
  EXPECT_EQ(law.rate(law.outer, {0, 1, 0, 0, 1}), 0);
  EXPECT_EQ(law.rate(law.outer, {1e7, 0, 1e6, 0, 1}), 0);
  EXPECT_EQ(law.rate(0, {1e7, 1, 1e6, 0, 1}), 0);
}

TYPED_TEST(EveryWearLaw, IsProportionalToPathAndCoefficient) {
  const TypeParam law;
  const Rubbing slow{1e7, 0.1, 1e6, 1e-7, 1}, fast{1e7, 0.2, 1e6, 1e-7, 1};
  EXPECT_NEAR(law.rate(1e-14, fast), 2 * law.rate(1e-14, slow), 1e-22);
  EXPECT_NEAR(law.rate(2e-14, slow), 2 * law.rate(1e-14, slow), 1e-22);
}

TYPED_TEST(EveryWearLaw, FindsFaultWithWhatIsOutOfBounds) {
  TypeParam law;
  EXPECT_TRUE(faults(WearLaw(law)).empty());
  law.outer = -1;
  EXPECT_EQ(faults(WearLaw(law)).size(), 1U);
  law.outer = law.inner = 0;
  EXPECT_EQ(faults(WearLaw(law)).size(), 1U) << "neither part wears";
}

TEST(WearLaws, StandInTheCatalogue) {
  const auto all = wear_catalogue();
  EXPECT_EQ(all.size(), std::variant_size_v<WearLaw>);
  for (const Entry& law : all) EXPECT_EQ(law.kind, "wear");
}

}  // namespace
}  // namespace freeplay::laws
