// SPDX-License-Identifier: Apache-2.0
#include "gallery/gallery.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::gallery {
namespace {

Measured measure_claim(const Claim& claim, const Figure& figure,
                       const std::vector<const Track*>& tracks) {
  Measured out;
  auto used = claim.of;
  for (const auto& other : {claim.minus, claim.over})
    if (other) used.push_back(*other);
  for (const std::size_t v : used)
    if (!tracks[v]->failure.empty()) {
      out.failure = figure.variants[v].label + ": " + tracks[v]->failure;
      return out;
    }
  const auto number = [&](std::size_t v) {
    return take(claim.measure, *tracks[v], window_on(figure.variants[v], claim.window),
                claim.minus ? tracks[*claim.minus] : nullptr);
  };
  const double unit = claim.over ? number(*claim.over) : 1;
  for (const std::size_t v : claim.of) out.values.push_back(number(v) / unit);
  if (!std::ranges::all_of(out.values, [](double v) { return std::isfinite(v); })) {
    out.failure = "there is nothing to measure";
    return out;
  }
  const auto& y = out.values;
  out.holds = std::ranges::all_of(y, [&](double v) { return v > claim.above && v < claim.below; });
  for (std::size_t i = 1; i < y.size(); ++i) {
    if (claim.order == Claim::Order::rising) out.holds = out.holds && y[i] > y[i - 1];
    if (claim.order == Claim::Order::falling) out.holds = out.holds && y[i] < y[i - 1];
  }
  return out;
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::only_printed:
      return "only as printed";
    case Verdict::only_corrected:
      return "only corrected";
    case Verdict::fails:
      return "does not hold";
    default:
      return "not measured";
  }
}

Window window_on(const Variant& variant, Window window) {
  if (!std::isfinite(window.from)) window.from = variant.from;
  window.turn = variant.turn;
  return window;
}

Judged judge(const Claim& claim, const Figure& figure,
             const std::vector<std::vector<const Track*>>& tracks) {
  Judged out;
  for (const auto& edition : tracks) out.measured.push_back(measure_claim(claim, figure, edition));
  const auto& m = out.measured;
  const bool first = m.front().holds, last = m.back().holds;
  out.verdict = std::ranges::any_of(m, [](const Measured& one) { return !one.failure.empty(); })
                    ? Verdict::not_measured
                : first && last ? Verdict::holds
                : first         ? Verdict::only_printed
                : last          ? Verdict::only_corrected
                                : Verdict::fails;
  return out;
}

}  // namespace freeplay::gallery
