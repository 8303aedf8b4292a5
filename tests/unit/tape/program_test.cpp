// SPDX-License-Identifier: Apache-2.0
#include "tape/program.hpp"

#include "core/sin_cos.hpp"
#include "tape/traced.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace freeplay::tape {
namespace {

using Blocks = std::array<double*, kBlocks>;

std::pair<double, double> turned(double angle) {
  double s = 0, c = 0;
  freeplay::sin_cos(angle, s, c);
  return {s, c};
}

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
        switch (below(9)) {
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
