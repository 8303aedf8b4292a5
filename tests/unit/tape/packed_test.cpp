// SPDX-License-Identifier: Apache-2.0
#include "core/sin_cos.hpp"
#include "tape/branches.hpp"
#include "tape/program.hpp"
#include "tape/traced.hpp"

#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

// Packed code against scalar code: the same tape with other constants in each lane.
namespace freeplay::tape {
namespace {

constexpr int kInputs = 6, kLater = 3, kOutputs = 40, kFirst = 5;

double any(std::mt19937& random) { return std::uniform_real_distribution<double>(-2, 2)(random); }

/// The numbers of `structure` decide what is computed, those of `constants` from what.
void record(Tape& tape, unsigned structure, unsigned constants) {
  std::mt19937 choice(structure), number(constants);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(choice);
  };
  const Recording recording(tape);
  std::vector<Traced> known;
  for (int k = 0; k < kInputs; ++k) known.push_back(recording.input({0, k}));
  const auto grow = [&] {
    for (int k = 0; k < 300; ++k) {
      const Traced a = known[below(known.size())], b = known[below(known.size())];
      const std::size_t what = below(9);
      if (what == 0) known.push_back(a + b);
      if (what == 1) known.push_back(a - b);
      if (what == 2) known.push_back(a * any(number));
      if (what == 3) known.push_back(a / (1.0 + b * b));
      if (what == 4) known.push_back(below(2) == 0 ? sin(a) : cos(a));
      if (what == 5) known.push_back(sqrt(1.0 + a * a) - any(number));
      if (what == 6) known.push_back(-a);
      if (what == 7) known.push_back(any(number) + a * b);
      if (what == 8)
        known.push_back((*Branches::record(
            [&]() -> std::array<Traced, 1> { return {a < b ? a : Traced(any(number)) * b}; }))[0]);
    }
  };
  const auto put_out = [&](int first) {
    for (int k = first; k < first + kOutputs / 2; ++k)
      recording.output({1, k}, known[below(known.size())]);
  };
  grow();
  put_out(0);
  tape.cut();
  for (int k = 0; k < kLater; ++k) known.push_back(recording.input({3, k}));
  grow();
  put_out(kOutputs / 2);
}

bool same(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) ||
         (std::isnan(x) && std::isnan(y));
}
double* numbers(Fours& of) { return of.data()->data(); }

class PackedTape : public testing::TestWithParam<unsigned> {};

TEST_P(PackedTape, GivesEachLaneTheBitsOfScalarCode) {
  if (!Program::packed_available()) GTEST_SKIP() << "this machine has no wide registers";
  std::array<Tape, kLanes> tapes;
  unsigned constants_of_lane = 1000 * GetParam();
  for (Tape& tape : tapes) do {  // until no comparison of constants goes the other way
      tape = Tape();
      record(tape, GetParam(), ++constants_of_lane);
    } while (!tape.has_structure_of(tapes[0].steps().empty() ? tape : tapes[0]));
  const auto packed = Program::compile_packed(tapes[0], {2, kFirst}, 4);
  ASSERT_TRUE(packed);
  Fours in(kInputs), out(kOutputs), later(kLater), constants(tapes[0].constants().size()),
      shared(static_cast<std::size_t>(kFirst + packed->shared_size()));
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::vector<double> own = tapes[lane].constants();
    for (std::size_t k = 0; k < own.size(); ++k) constants[k][lane] = own[k];
  }
  std::mt19937 random(GetParam());
  for (int round = 0; round < 20; ++round) {
    for (Fours* block : {&in, &later})
      for (Four& x : *block)
        for (double& of_lane : x) of_lane = any(random);
    // In one lane only: what goes the way round the code of sines, and what is no number.
    if (round % 4 == 1) in[0][2] = 1e6 * any(random);
    if (round % 4 == 2) in[1][1] = std::numeric_limits<double>::quiet_NaN();
    if (round % 4 == 3) in[2][3] = std::numeric_limits<double>::infinity();
    packed->run(0, {numbers(in), numbers(out), numbers(shared), nullptr, numbers(constants)});
    packed->run(1,
                {numbers(in), numbers(out), numbers(shared), numbers(later), numbers(constants)});
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto scalar = Program::compile(tapes[lane], {2, kFirst});
      std::vector<double> x, z, y(kOutputs),
          kept(static_cast<std::size_t>(kFirst + scalar->shared_size()));
      for (const Four& k : in) x.push_back(k[lane]);
      for (const Four& k : later) z.push_back(k[lane]);
      scalar->run(0, {x.data(), y.data(), kept.data(), nullptr});
      scalar->run(1, {x.data(), y.data(), kept.data(), z.data()});
      for (std::size_t k = 0; k < kOutputs; ++k)
        ASSERT_TRUE(same(y[k], out[k][lane])) << "lane " << lane << ", output " << k;
      // What later stages need lies where it does in scalar code.
      ASSERT_EQ(scalar->kept_size(), packed->kept_size());
      for (int k = kFirst; k < kFirst + packed->kept_size(); ++k) {
        const auto place = static_cast<std::size_t>(k);
        ASSERT_TRUE(same(kept[place], shared[place][lane])) << "lane " << lane << ", kept " << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PackedTape, testing::Range(1U, 21U));

TEST(PackedTape, GoesTheWayRoundInSomeLanes) {
  if (!Program::packed_available()) GTEST_SKIP() << "this machine has no wide registers";
  Tape tape;
  {
    const Recording recording(tape);
    Traced s, c;
    sin_cos(recording.input({0, 0}), s, c);
    recording.output({1, 0}, s);
    recording.output({1, 1}, c);
  }
  const auto packed = Program::compile_packed(tape, {2, 0}, 4);
  ASSERT_TRUE(packed);
  Fours in(1), out(2), shared(static_cast<std::size_t>(packed->shared_size()) + 1);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const std::array angles = {0.0, -0.0, 0.3, -2.0, 799999.9, 8e5, -8e5, 1e22, 1e-320, kInfinite};
  for (std::size_t k = 0; k < angles.size() * angles.size(); ++k) {
    in[0] = {angles[k % angles.size()], 1.5, angles[k / angles.size()], -angles[k % angles.size()]};
    packed->run(0, {numbers(in), numbers(out), numbers(shared), nullptr, nullptr});
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      double s = 0, c = 0;
      freeplay::sin_cos(in[0][lane], s, c);
      EXPECT_TRUE(same(out[0][lane], s)) << in[0][lane];
      EXPECT_TRUE(same(out[1][lane], c)) << in[0][lane];
    }
  }
}

TEST(PackedTape, RefusesFunctions) {
  Tape tape;
  {
    const Recording recording(tape);
    const Traced x = recording.input({0, 0});
    recording.output({1, 0}, call([](double a, double) { return a; }, x, x));
  }
  EXPECT_FALSE(Program::compile_packed(tape, {2, 0}, 4));
}

TEST(Tape, HasTheStructureOfAnotherWithOtherConstants) {
  Tape one, other, longer;
  record(one, 3, 1);
  record(other, 3, 2);
  record(longer, 4, 1);
  EXPECT_TRUE(one.has_structure_of(other));
  EXPECT_NE(one.constants(), other.constants());
  EXPECT_FALSE(one.has_structure_of(longer));
  other.output({1, 0}, 0);
  EXPECT_FALSE(one.has_structure_of(other));
}

}  // namespace
}  // namespace freeplay::tape
