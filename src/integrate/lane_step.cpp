// SPDX-License-Identifier: Apache-2.0
#include "integrate/lane_step.hpp"

#include "integrate/dop853_rows.hpp"

namespace freeplay::integrate {
namespace {

using namespace dop853;

using Numbers = double __attribute__((vector_size(LaneStep::kWidth * sizeof(double))));
using Bits = long long __attribute__((vector_size(LaneStep::kWidth * sizeof(long long))));

/// One number of each lane, and where it lies.
Numbers at(const double* x, long component = 0) {
  return load<Numbers>(x + LaneStep::kWidth * component);
}
void put(double* x, long component, Numbers value) {
  store(x + LaneStep::kWidth * component, value);
}
Numbers size_of(Numbers x) {
  constexpr long long kAllButSign = 0x7FFFFFFFFFFFFFFF;
  return reinterpret_cast<Numbers>(reinterpret_cast<Bits>(x) & kAllButSign);
}
Numbers larger(Numbers a, Numbers b) { return a > b ? a : b; }

/// Evaluates a stage: k becomes the slope along the clock at x.
unsigned slope_at(LaneStep& step, Numbers x, const double* y, double* k) {
  const Numbers root = at(step.root);
  alignas(sizeof(Numbers)) double time[LaneStep::kWidth];
  put(time, 0, root != 0.0 ? at(step.origin) + x * x : x);
  const unsigned bad = step.evaluate(step.problem, time, y, k);
  const Numbers pace = root != 0.0 ? 2.0 * x : root + 1.0;
  for (long i = 0; i < step.size; ++i) put(k, i, at(k, i) * pace);
  return bad;
}

template <int kRow>
void combine_in(LaneStep& step, const double* base, long components, double* out) {
  combine<kRow>([&](int j) { return step.slope[j]; }, base, at(step.width),
                LaneStep::kWidth * components, out);
}

template <int... kStage>
unsigned take_stages(LaneStep& step, std::integer_sequence<int, kStage...>) {
  const Numbers x = at(step.x), width = at(step.width);
  unsigned bad = 0;
  const auto take = [&]<int kNow>(std::integral_constant<int, kNow>) {
    combine_in<kNow>(step, step.from, step.moving, step.stage);
    bad |= slope_at(step, x + kC[kNow] * width, step.stage, step.slope[kNow]);
  };
  (take(std::integral_constant<int, kStage + 1>{}), ...);
  return bad;
}

/// Sum of the squares of errors in tolerances: in the order in which Eigen adds up vectors of
/// numbers in pairs, two pairs at a time.
Numbers square(const double* error, const double* weight, long count) {
  Numbers sum[kUnit] = {};
  for (long i = 0; i < count; i += kUnit)
    for (long j = 0; j < kUnit; ++j) {
      const Numbers e = at(error, i + j) * at(weight, i + j);
      sum[j] = i == 0 ? e * e : sum[j] + e * e;
    }
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

}  // namespace

unsigned LaneStep::take() {
  const unsigned bad = take_stages(*this, std::make_integer_sequence<int, kStages - 1>{});
  combine_in<kResult>(*this, from, room, to);
  const Numbers share = at(tolerance);
  const Numbers of_integrals = 1.0 / (share * at(energy));
  for (long i = 0; i < size; ++i) {
    const Numbers both = larger(size_of(at(from, i)), size_of(at(to, i)));
    put(weight, i, i < motion ? 1.0 / (share * (both + at(scale, i))) : of_integrals);
  }
  combine_in<kFifth>(*this, zero, room, error);
  put(fifth, 0, square(error, weight, room));
  combine_in<kThird>(*this, zero, room, error);
  put(third, 0, square(error, weight, room));
  return bad;
}

}  // namespace freeplay::integrate
