// SPDX-License-Identifier: Apache-2.0
#include "analysis/mode_tracks.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace freeplay::analysis {
namespace {

using Value = std::complex<double>;

/// Where a track leads at number k.
Value ahead(const ModeTrack& track, std::size_t k, std::span<const double> x) {
  const Value last = track.values.back();
  if (track.values.size() < 2) return last;
  const Value before = track.values[track.values.size() - 2];
  return last + (last - before) * ((x[k] - x[k - 1]) / (x[k - 1] - x[k - 2]));
}

}  // namespace

std::vector<ModeTrack> track_modes(std::span<const std::vector<Mode>> modes,
                                   std::span<const double> x) {
  std::vector<ModeTrack> tracks;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    std::vector<Value> open;
    for (const Mode& mode : modes[k])
      if (mode.imaginary > 0) open.emplace_back(mode.real, mode.imaginary);
    // The best pairs first.
    std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      if (tracks[t].end() != k) continue;
      const Value expected = ahead(tracks[t], k, x);
      for (std::size_t m = 0; m < open.size(); ++m) {
        const double distance = std::abs(open[m] - expected);
        if (distance <= 0.5 * std::max(std::abs(open[m]), std::abs(tracks[t].values.back())))
          pairs.emplace_back(distance, t, m);
      }
    }
    std::ranges::sort(pairs);
    std::vector<bool> taken(open.size(), false);
    for (const auto& [distance, t, m] : pairs) {
      if (taken[m] || tracks[t].end() != k) continue;
      tracks[t].values.push_back(open[m]);
      taken[m] = true;
    }
    for (std::size_t m = 0; m < open.size(); ++m)
      if (!taken[m]) tracks.push_back({k, {open[m]}});
  }
  return tracks;
}

std::vector<CriticalSpeed> critical_speeds(std::span<const ModeTrack> tracks,
                                           std::span<const double> x) {
  std::vector<CriticalSpeed> out;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const ModeTrack& track = tracks[t];
    const auto above = [&](std::size_t i) { return track.values[i].imag() - x[track.first + i]; };
    for (std::size_t i = 0; i + 1 < track.values.size(); ++i) {
      const double a = above(i), b = above(i + 1);
      if ((a > 0) == (b > 0)) continue;
      const double share = a / (a - b), from = x[track.first + i];
      const Value at = track.values[i] + share * (track.values[i + 1] - track.values[i]);
      out.push_back({t, from + share * (x[track.first + i + 1] - from), -at.real() / std::abs(at)});
    }
  }
  std::ranges::sort(out, {}, &CriticalSpeed::speed);
  return out;
}

}  // namespace freeplay::analysis
