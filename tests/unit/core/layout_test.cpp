// SPDX-License-Identifier: Apache-2.0
#include <freeplay/layout.hpp>
#include <freeplay/state.hpp>

#include <gtest/gtest.h>

namespace freeplay {
namespace {

Layout sample() {
  Layout out("cartesian");
  out.declare({.name = "joints/pin/contact", .kind = BlockKind::work, .unit = "J"});
  out.declare({"bodies/rod/position", BlockKind::position, 2, "m", 0.5});
  out.declare({"bodies/rod/velocity", BlockKind::velocity, 2, "m/s", 3});
  out.declare({"bodies/rod/angle", BlockKind::position, 1, "rad", 1});
  return out;
}

TEST(LayoutTest, BlocksOfOneKindLieSideBySideInTheOrderOfTheirDeclaration) {
  const Layout layout = sample();
  const auto blocks = layout.blocks();
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0].name, "bodies/rod/position");
  EXPECT_EQ(blocks[1].name, "bodies/rod/angle");
  EXPECT_EQ(blocks[1].offset, 2);
  EXPECT_EQ(blocks[2].name, "bodies/rod/velocity");
  EXPECT_EQ(blocks[2].offset, 3);
  EXPECT_EQ(blocks[3].offset, 5);
  EXPECT_EQ(layout.y_size(), 6);
  EXPECT_EQ(layout.owner(2), "bodies/rod/angle");
  EXPECT_EQ(layout.owner(5), "joints/pin/contact");
  EXPECT_THROW(static_cast<void>(layout.owner(6)), std::out_of_range);
}

TEST(LayoutTest, MemoryIsAnArrayOfItsOwn) {
  Layout layout = sample();
  constexpr MemoryField fields[] = {{"touching", "1", Perturbation::shared},
                                    {"slip", "1", Perturbation::continuous, 3}};
  EXPECT_EQ(layout.declare("joints/pin/contact", fields), 0);
  EXPECT_EQ(layout.declare("joints/rod/contact", fields), 4);
  EXPECT_EQ(layout.memory_size(), 8);
  EXPECT_EQ(layout.y_size(), 6);
  EXPECT_EQ(layout.of(BlockKind::memory)[3].name, "joints/rod/contact/slip");
  EXPECT_EQ(layout.of(BlockKind::memory)[3].offset, 5);
}

TEST(LayoutTest, DifferencesAreNamedAndChangeTheDigest) {
  const Layout layout = sample();
  EXPECT_EQ(layout.difference(sample()), "");
  EXPECT_EQ(layout.digest(), sample().digest());
  Layout longer = sample();
  longer.declare({"bodies/rod/bending", BlockKind::position, 1, "m", 1});
  EXPECT_NE(longer.digest(), layout.digest());
  EXPECT_NE(longer.difference(layout).find("bodies/rod/bending"), std::string::npos);
  EXPECT_NE(layout.difference(longer).find("bodies/rod/bending"), std::string::npos);
  const Layout other("tree");
  EXPECT_EQ(layout.difference(other), "it is cartesian, not tree");
}

TEST(LayoutTest, AStateOfAnotherLayoutIsRefusedByName) {
  State state;
  EXPECT_THROW(expect_layout(state, sample()), std::invalid_argument);
  state.layout = std::make_shared<const Layout>(sample());
  EXPECT_THROW(expect_layout(state, sample()), std::invalid_argument);  // it has no numbers
  state.y = VecX::Zero(6);
  EXPECT_NO_THROW(expect_layout(state, sample()));
  Layout other = sample();
  other.declare({.name = "joints/pin/contact/touching", .kind = BlockKind::memory, .unit = "1"});
  try {
    expect_layout(state, other);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("joints/pin/contact/touching"), std::string::npos);
  }
}

}  // namespace
}  // namespace freeplay
