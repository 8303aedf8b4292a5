// SPDX-License-Identifier: Apache-2.0
#include "tape/program.hpp"

#include "core/sin_cos.hpp"
#include "tape/branches.hpp"
#include "tape/traced.hpp"

#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace freeplay::tape {
namespace {

using Blocks = std::array<double*, kBlocks>;

std::pair<double, double> turned(double angle) {
  double s = 0, c = 0;
  freeplay::sin_cos(angle, s, c);
  return {s, c};
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
double number(std::uint64_t bits) { return std::bit_cast<double>(bits); }
double all_bits(bool holds) { return number(holds ? ~std::uint64_t{0} : 0); }

/// What a tape says, step by step: the second way to carry it out.
std::vector<double> carried_out(const Tape& tape, const Blocks& blocks) {
  std::vector<double> x;
  for (const Tape::Step& s : tape.steps()) {
    switch (s.op) {
      case Op::constant:
        x.push_back(s.number);
        break;
      case Op::input:
        x.push_back(blocks[s.place.block][s.place.index]);
        break;
      case Op::add:
        x.push_back(x[s.a] + x[s.b]);
        break;
      case Op::subtract:
        x.push_back(x[s.a] - x[s.b]);
        break;
      case Op::multiply:
        x.push_back(x[s.a] * x[s.b]);
        break;
      case Op::divide:
        x.push_back(x[s.a] / x[s.b]);
        break;
      case Op::negate:
        x.push_back(-x[s.a]);
        break;
      case Op::root:
        x.push_back(std::sqrt(x[s.a]));
        break;
      case Op::sine:
        x.push_back(turned(x[s.a]).first);
        break;
      case Op::cosine:
        x.push_back(turned(x[s.a]).second);
        break;
      case Op::call:
        x.push_back(s.function(x[s.a], x[s.b]));
        break;
      case Op::less:
        x.push_back(all_bits(x[s.a] < x[s.b]));
        break;
      case Op::at_most:
        x.push_back(all_bits(x[s.a] <= x[s.b]));
        break;
      case Op::equal:
        x.push_back(all_bits(x[s.a] == x[s.b]));
        break;
      case Op::both:
        x.push_back(number(bits(x[s.a]) & bits(x[s.b])));
        break;
      case Op::without:
        x.push_back(number(bits(x[s.a]) & ~bits(x[s.b])));
        break;
      case Op::either:
        x.push_back(number(bits(x[s.a]) | bits(x[s.b])));
        break;
    }
  }
  return x;
}

template <class T>
T some_arithmetic(const T* x) {
  using freeplay::sin_cos;
  using std::sqrt;
  T s0, c0, s1, c1;
  sin_cos(x[0], s0, c0);
  sin_cos(x[1], s1, c1);
  const T turn = s0 * c1 - c0 * s1;
  return -(x[2] - turn / sqrt(1.0 + x[3] * x[3])) * (0.5 - x[2]) + (-x[1]) * (-turn) - 0.0 * x[0];
}

TEST(Program, ComputesWhatWasTraced) {
  Tape tape;
  {
    const Recording recording(tape);
    Traced x[4];
    for (int k = 0; k < 4; ++k) x[k] = recording.input({0, k});
    recording.output({1, 2}, some_arithmetic(x));
  }
  const auto program = Program::compile(tape, {2, 0});
  if (!Program::available()) GTEST_SKIP() << "this machine has no compiler for tapes";
  ASSERT_TRUE(program);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-3, 3);
  for (int k = 0; k < 100; ++k) {
    double in[4], out[3] = {}, shared[8];
    for (double& x : in) x = any(random);
    program->run(0, {in, out, shared, nullptr});
    ASSERT_EQ(out[2], some_arithmetic(in));
    EXPECT_EQ(out[0], 0);
  }
}

// Functions that a tape may call.
double both(double a, double b) { return std::atan2(a, 1 + b * b); }
double one(double a, double) { return std::tanh(a); }

/// Random programs, long enough that registers run out.
class RandomTape : public testing::TestWithParam<int> {};

TEST_P(RandomTape, GivesTheSameBitsCompiled) {
  std::mt19937 random(GetParam());
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  constexpr int kInputs = 6, kLater = 3, kSteps = 400;
  Tape tape;
  std::vector<Traced> known;
  std::vector<double> in(kInputs), later(kLater), out(40), shared(2000);
  std::vector<std::pair<int, int>> expected;  // place in `out`, step
  {
    const Recording recording(tape);
    for (int k = 0; k < kInputs; ++k) known.push_back(recording.input({0, k}));
    known.emplace_back(1.0);
    known.emplace_back(-0.7);
    known.emplace_back(0.0);
    const auto grow = [&] {
      for (int k = 0; k < kSteps; ++k) {
        const Traced a = known[static_cast<std::size_t>(below(static_cast<int>(known.size())))],
                     b = known[static_cast<std::size_t>(below(static_cast<int>(known.size())))];
        switch (below(12)) {
          case 0:
          case 1:
            known.push_back(a + b);
            break;
          case 2:
          case 3:
            known.push_back(a - b);
            break;
          case 4:
          case 5:
            known.push_back(a * b);
            break;
          case 6:
            known.push_back(a / (1.0 + b * b));
            break;
          case 7:
            known.push_back(below(2) ? sin(a) : cos(a));
            break;
          case 8:
          case 9: {
            const Traced c = known[static_cast<std::size_t>(below(static_cast<int>(known.size())))];
            const int kind = below(3);
            known.push_back((*Branches::record([&]() -> std::array<Traced, 1> {
              const bool first = kind == 0 ? a < b : kind == 1 ? a <= c : b == c;
              return {first ? a : (b > c ? b : Traced(0.0))};
            }))[0]);
            break;
          }
          case 10:
            known.push_back(call(below(2) ? &both : &one, a, b));
            break;
          default:
            known.push_back(below(2) ? -a : sqrt(1.0 + a * a));
        }
      }
    };
    const auto put_out = [&](int first) {
      for (int k = first; k < first + 20; ++k) {
        const Traced& x = known[static_cast<std::size_t>(below(static_cast<int>(known.size())))];
        expected.emplace_back(k, x.on(tape));
        recording.output({1, k}, x);
      }
    };
    grow();
    put_out(0);
    tape.cut();
    for (int k = 0; k < kLater; ++k) known.push_back(recording.input({3, k}));
    grow();
    put_out(20);
  }
  const auto program = Program::compile(tape, {2, 5});
  if (!Program::available()) GTEST_SKIP() << "this machine has no compiler for tapes";
  ASSERT_TRUE(program);
  ASSERT_LE(5 + program->shared_size(), static_cast<int>(shared.size()));
  for (int round = 0; round < 10; ++round) {
    for (double& x : in) x = 0.01 * (below(400) - 200);
    for (double& x : later) x = 0.01 * (below(400) - 200);
    const Blocks blocks{in.data(), out.data(), shared.data(), later.data()};
    program->run(0, {in.data(), out.data(), shared.data(), nullptr});
    program->run(1, blocks);
    const std::vector<double> x = carried_out(tape, blocks);
    for (const auto& [place, step] : expected) {
      const double want = x[static_cast<std::size_t>(step)],
                   got = out[static_cast<std::size_t>(place)];
      ASSERT_TRUE(got == want || (std::isnan(got) && std::isnan(want)))
          << "output " << place << ": " << got << " instead of " << want;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTape, testing::Range(1, 21));

TEST(Program, SineAndCosineAreThoseOfPlainCodeForAllAngles) {
  if (!Program::available()) GTEST_SKIP() << "this machine has no compiler for tapes";
  constexpr int kLive = 24;  // more than there are registers, needed before and after
  for (const bool with_call : {false, true}) {
    Tape tape;
    {
      const Recording recording(tape);
      std::array<Traced, kLive> live;
      for (int k = 0; k < kLive; ++k)
        live[static_cast<std::size_t>(k)] = recording.input({1, k}) * 3.0;
      Traced s, c, s2, c2;
      sin_cos(recording.input({0, 0}), s, c);
      sin_cos(live[3], s2, c2);
      Traced sum = with_call ? call(&both, s, c) : s * c;
      for (const Traced& x : live) sum = sum + x;
      int k = 0;
      for (const Traced& x : {s, c, s2, c2, sum}) recording.output({2, k++}, x);
    }
    const auto program = Program::compile(tape, {3, 0});
    ASSERT_TRUE(program);
    std::array<double, kLive> live{};
    for (int k = 0; k < kLive; ++k) live[static_cast<std::size_t>(k)] = 0.3 * k - 2;
    const auto check = [&](double angle) {
      std::array<double, 5> out{};
      std::array<double, 200> shared{};
      program->run(0, {&angle, live.data(), out.data(), shared.data(), nullptr});
      const auto [s, c] = turned(angle);
      const auto [s2, c2] = turned(live[3] * 3.0);
      double sum = with_call ? both(s, c) : s * c;
      for (const double x : live) sum = sum + x * 3.0;
      int k = 0;
      for (const double want : {s, c, s2, c2, sum}) {
        const double got = out[static_cast<std::size_t>(k++)];
        if (std::isnan(want))
          EXPECT_TRUE(std::isnan(got)) << angle;
        else
          EXPECT_EQ(bits(got), bits(want)) << angle << ", output " << k - 1;
      }
    };
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    for (const double x : {0.0, 1e-320, 1e-8, 0.1, 1.0, 3.0, 799999.99, 8e5, 8e5 + 1e-9, 1e6, 1e22,
                           1e300, kInfinite, std::numeric_limits<double>::quiet_NaN()})
      check(x), check(-x);
    for (int quarter = -40; quarter <= 40; ++quarter)
      for (const double off : {0.0, 1e-16, -1e-16, 0.25 * M_PI, 0.3, -0.7})
        check(quarter * 0.5 * M_PI + off);
    std::mt19937 random(11);
    std::uniform_real_distribution<double> any(-1, 1);
    for (int k = 0; k < 20000; ++k) check(any(random) * std::pow(10.0, 8 * any(random)));
  }
}

TEST(Tape, FindsWhatItKnowsAndLeavesOutWhatHasNoEffect) {
  Tape tape;
  const Recording recording(tape);
  const Traced x = recording.input({0, 0}), y = recording.input({0, 1});
  const Traced sum = x + y;
  const std::size_t before = tape.steps().size();
  EXPECT_EQ((y + x).on(tape), sum.on(tape));
  EXPECT_EQ((x - -y).on(tape), sum.on(tape));
  EXPECT_EQ((1.0 * sum + 0.0).on(tape), sum.on(tape));
  EXPECT_EQ(tape.steps().size(), before + 3);  // -y, 1 and 0, which nobody needs in the end
  EXPECT_TRUE((0.0 * x).is_constant());
  EXPECT_TRUE((x - x).is_constant());
  EXPECT_EQ((Traced(2.0) * 3.0).number(), 6.0);
}

}  // namespace
}  // namespace freeplay::tape
