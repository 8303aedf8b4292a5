// SPDX-License-Identifier: Apache-2.0
#include <freeplay/result.hpp>

#include <boost/math/tools/minima.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

// The true extremes of a stored series. Samples bracket each peak; where the parabola through them
// promises more than the best sample, the run is integrated on from the stored state before and the
// peak closed in on. Events cut the series: what a value tends to just before one is no sample, but
// may be the extreme (the speed before an impact).
namespace freeplay {
namespace {

/// chosen: candidates looked at per component and side. Their promises are sorted and most are out
/// after the first; a noisy series must not take for ever.
constexpr std::size_t kMostLooks = 24;

struct Candidate {
  double promise = 0;
  double from = 0, to = 0;  // where to look; s
  bool at_end = false;      // just before `to`, which is an event
};

/// Samples of one component, turned over where the minimum is wanted.
struct Column {
  const Series& series;
  std::size_t component = 0;
  double sign = 1;
  [[nodiscard]] double t(std::size_t i) const { return series.time[i]; }
  [[nodiscard]] double f(std::size_t i) const {
    return sign * series.values[i * static_cast<std::size_t>(series.channel.width) + component];
  }
};

/// What the parabola through three samples reaches between two instants.
double promise(const Column& c, std::size_t i, double from, double to) {
  const double t0 = c.t(i), t1 = c.t(i + 1), t2 = c.t(i + 2);
  const double slope = (c.f(i + 1) - c.f(i)) / (t1 - t0);
  const double bend = ((c.f(i + 2) - c.f(i + 1)) / (t2 - t1) - slope) / (t2 - t0);
  const auto at = [&](double t) { return c.f(i) + (t - t0) * (slope + bend * (t - t1)); };
  double out = std::max(at(from), at(to));
  if (bend < 0) {
    const double vertex = 0.5 * (t0 + t1 - slope / bend);
    if (vertex > from && vertex < to) out = at(vertex);
  }
  // chosen: half as much again, for what a parabola does not know
  const double known = std::max({c.f(i), c.f(i + 1), c.f(i + 2)});
  return out + 0.5 * std::abs(out - known);
}

/// Where the samples from `first` to `last` (one smooth piece, which an event at `end` closes, or
/// nothing) may hide more than `best`.
void collect(const Column& c, std::size_t first, std::size_t last, double end, double best,
             std::vector<Candidate>& out) {
  const auto add = [&](std::size_t i, double from, double to, bool at_end) {
    if (const double reach = promise(c, i, from, to); reach > best)
      out.push_back({reach, from, to, at_end});
  };
  const bool open = end > c.t(last);
  if (last - first >= 2) {
    for (std::size_t i = first; i + 2 <= last; ++i) {
      const bool peak = c.f(i + 1) >= c.f(i) && c.f(i + 1) >= c.f(i + 2);
      if (peak) add(i, c.t(i), c.t(i + 2), false);
    }
    if (c.f(first) > c.f(first + 1)) add(first, c.t(first), c.t(first + 1), false);
    if (open)
      add(last - 2, c.t(last), end, true);
    else if (c.f(last) > c.f(last - 1))
      add(last - 2, c.t(last - 1), c.t(last), false);
  } else if (open) {
    // Too few to tell: as much again as they differ.
    const double top = std::max(c.f(first), c.f(last)) + std::abs(c.f(last) - c.f(first));
    if (top >= best) out.push_back({top, c.t(last), end, true});
  }
}

}  // namespace

std::vector<Extremes> Result::extremes(const std::string& path) const {
  const Series samples = dense(path);
  const std::size_t rows = samples.time.size();
  if (rows == 0) throw NotInResult("the series " + samples.channel.path + " has no values");
  std::vector<double> cuts;
  for (const Event& event : events()) cuts.push_back(event.time);
  const auto known = channels();
  const bool between = !path.starts_with("uniform/") && !path.starts_with("/uniform/") &&
                       std::any_of(known.begin(), known.end(), [&](const Channel& channel) {
                         return samples.channel.path == channel.path ||
                                samples.channel.path.starts_with(channel.path + ".");
                       });

  std::vector<Extremes> out(static_cast<std::size_t>(samples.channel.width));
  for (std::size_t k = 0; k < out.size(); ++k) {
    for (const double sign : {-1.0, 1.0}) {
      const Column column{samples, k, sign};
      std::size_t highest = 0;
      for (std::size_t i = 1; i < rows; ++i)
        if (column.f(i) > column.f(highest)) highest = i;
      double best = column.f(highest), when = column.t(highest);

      std::vector<Candidate> candidates;
      for (std::size_t first = 0; between && first < rows;) {
        const auto cut = std::upper_bound(cuts.begin(), cuts.end(), column.t(first));
        const double end = cut == cuts.end() ? -std::numeric_limits<double>::infinity() : *cut;
        std::size_t last = first;
        while (last + 1 < rows && (cut == cuts.end() || column.t(last + 1) < end)) ++last;
        collect(column, first, last, end, best, candidates);
        first = last + 1;
      }
      std::sort(candidates.begin(), candidates.end(),
                [](const Candidate& a, const Candidate& b) { return a.promise > b.promise; });
      if (candidates.size() > kMostLooks) candidates.resize(kMostLooks);
      const auto value = [&](double t) {
        const auto values = at(path, t);
        const double found = sign * values[k];
        if (found > best) best = found, when = t;
        return found;
      };
      for (const Candidate& c : candidates) {
        if (c.promise <= best) break;
        const double span = c.to - c.from;
        // Just before an event: as near as the digits of time allow.
        if (c.at_end) (void)value(c.to - std::max(1e-9 * span, 1e-14 * std::abs(c.to)));
        const double room = c.at_end ? 1 - 1e-9 : 1;
        boost::math::tools::brent_find_minima([&](double x) { return -value(c.from + x * span); },
                                              0.0, room, 20);
      }
      (sign > 0 ? out[k].max : out[k].min) = sign * best;
      (sign > 0 ? out[k].at_max : out[k].at_min) = when;
    }
  }
  return out;
}

}  // namespace freeplay
