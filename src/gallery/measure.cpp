// SPDX-License-Identifier: Apache-2.0
#include "gallery/measure.hpp"

#include "io/text.hpp"
#include "study/repeatability.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace freeplay::gallery {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Steps crowd where the motion is quick, so means are taken over time, by the trapezoidal rule.
template <class F>
double mean_over_time(const Curve& curve, F&& of) {
  const auto& [t, y] = curve;
  const double span = t.back() - t.front();
  if (!(span > 0)) return of(y[0]);
  double integral = 0;
  for (std::size_t i = 1; i < t.size(); ++i)
    integral += 0.5 * (t[i] - t[i - 1]) * (of(y[i]) + of(y[i - 1]));
  return integral / span;
}

double share_of_time(const Curve& curve) {
  return mean_over_time(curve, [](double y) { return y > 0 ? 1.0 : 0.0; });
}

double crossings_per_second(const Curve& curve) {
  const auto& [t, y] = curve;
  const double mean = mean_over_time(curve, [](double v) { return v; });
  int count = 0;
  bool above = y[0] > mean;
  for (const double v : y)
    if (v != mean && (v > mean) != above) {
      above = !above;
      ++count;
    }
  return t.back() > t.front() ? count / (t.back() - t.front()) : kNone;
}

// The lowest value of each whole turn from the start of the window on.
std::vector<double> lowest_of_turns(const Curve& curve, double begin, double turn) {
  std::vector<double> out;
  const auto& [t, y] = curve;
  study::Extremes extremes(true);
  double end = begin + turn;
  // Round-off of the grid must not cost the last turn.
  const double slack = 1e-9 * turn;
  for (std::size_t i = 0; i < t.size(); ++i) {
    extremes.add(t[i], y[i]);
    if (t[i] < end - slack) continue;
    out.push_back(extremes.end_turn());
    end += turn;
  }
  return out;
}

double take_of_turns(Take take, const Curve& curve, const Window& window) {
  if (!(window.turn > 0)) return kNone;
  const double begin = std::isfinite(window.from) ? window.from : curve.time.front();
  const auto lowest = lowest_of_turns(curve, begin, window.turn);
  if (lowest.empty()) return kNone;
  const auto result = study::repeatability(lowest);
  return take == Take::scatter ? result.range : result.mean;
}

double take_of_run(Take take, const Track& track, const Window& window) {
  const auto inside = [&](double t) { return t >= window.from && t <= window.to; };
  switch (take) {
    case Take::contacts:
      return static_cast<double>(std::ranges::count_if(track.touches, inside));
    case Take::rebounds:
      return static_cast<double>(std::ranges::count_if(track.rebounds, inside));
    case Take::half_contacts: {
      std::vector<double> touches;
      std::ranges::copy_if(track.touches, std::back_inserter(touches), inside);
      std::ranges::sort(touches);
      return touches.empty() ? kNone : touches[(touches.size() - 1) / 2];
    }
    case Take::evaluations:
      return static_cast<double>(track.result.stats.evaluations);
    default:
      return track.result.energy_scale > 0
                 ? track.result.energy_residual / track.result.energy_scale
                 : track.result.energy_residual;
  }
}

// Linear between the rows of a track; constant beyond its ends.
double at(const std::vector<double>& time, const std::vector<double>& value, double t) {
  const auto after = std::ranges::upper_bound(time, t);
  if (after == time.begin()) return value.front();
  if (after == time.end()) return value.back();
  const auto i = static_cast<std::size_t>(after - time.begin());
  const double u = (t - time[i - 1]) / (time[i] - time[i - 1]);
  return value[i - 1] + u * (value[i] - value[i - 1]);
}

}  // namespace

const std::vector<std::string>& take_words() {
  static const std::vector<std::string> words{
      "max",     "min",      "peak",     "mean",          "rms",         "range",
      "final",   "lost",     "travel",   "share",         "crossings",   "lowest",
      "scatter", "contacts", "rebounds", "half_contacts", "evaluations", "residual"};
  return words;
}

bool takes_series(Take take) { return take < Take::contacts; }

std::optional<std::vector<Term>> parse_terms(std::string_view text) {
  std::vector<Term> terms;
  double sign = 1;
  while (true) {
    // Blanks around the sign tell it from a hyphen in a name.
    const auto plus = text.find(" + "), minus = text.find(" - ");
    const auto end = std::min(plus, minus);
    const auto name = trimmed(text.substr(0, end));
    if (name.empty() || name.find(' ') != name.npos) return {};
    terms.push_back({sign, std::string(name)});
    if (end == text.npos) return terms;
    sign = end == plus ? 1 : -1;
    text.remove_prefix(end + 3);
  }
}

Measure parse_measure(std::string_view text) {
  text = trimmed(text);
  const auto blank = text.find(' ');
  const std::string word(text.substr(0, blank));
  const auto found = std::ranges::find(take_words(), word);
  if (found == take_words().end())
    throw std::invalid_argument(io::quote(word) + " is no measure; " +
                                (io::nearest(word, take_words()).empty()
                                     ? "use " + io::one_of_these(take_words())
                                     : io::did_you_mean(word, take_words())));
  Measure out;
  out.take = static_cast<Take>(found - take_words().begin());
  const auto rest = blank == text.npos ? std::string_view{} : trimmed(text.substr(blank));
  if (!takes_series(out.take)) {
    if (!rest.empty())
      throw std::invalid_argument(io::quote(word) + " belongs to the run as a whole, not to " +
                                  io::quote(rest));
    return out;
  }
  auto terms = parse_terms(rest);
  if (!terms)
    throw std::invalid_argument(io::quote(word) +
                                " wants a series behind it, or several with + or - between blanks");
  out.terms = std::move(*terms);
  return out;
}

std::string unit_of(Take take, const std::string& series_unit) {
  switch (take) {
    case Take::crossings:
      return "1/s";
    case Take::half_contacts:
      return "s";
    case Take::share:
      return "1";
    default:
      return takes_series(take) ? series_unit : "1";
  }
}

Curve curve_of(const Track& track, const std::vector<Term>& terms, const Window& window,
               const Track* minus) {
  const auto begin = std::ranges::lower_bound(track.time, window.from) - track.time.begin();
  const auto end = std::ranges::upper_bound(track.time, window.to) - track.time.begin();
  Curve out;
  out.time.assign(track.time.begin() + begin, track.time.begin() + end);
  out.value.assign(out.time.size(), 0);
  for (const Term& term : terms) {
    const auto& values = track.series.at(term.series);
    for (std::size_t i = 0; i < out.time.size(); ++i)
      out.value[i] += term.sign * values[static_cast<std::size_t>(begin) + i];
    if (!minus || minus->time.empty()) continue;
    const auto& others = minus->series.at(term.series);
    for (std::size_t i = 0; i < out.time.size(); ++i)
      out.value[i] -= term.sign * at(minus->time, others, out.time[i]);
  }
  return out;
}

double take(const Measure& measure, const Track& track, const Window& window, const Track* minus) {
  if (measure.of_run()) return take_of_run(measure.take, track, window);
  const Curve curve = curve_of(track, measure.terms, window, minus);
  const auto& y = curve.value;
  if (y.empty()) return kNone;
  const auto [low, high] = std::ranges::minmax(y);
  switch (measure.take) {
    case Take::max:
      return high;
    case Take::min:
      return low;
    case Take::peak:
      return std::max(std::abs(low), std::abs(high));
    case Take::mean:
      return mean_over_time(curve, [](double v) { return v; });
    case Take::rms:
      return std::sqrt(mean_over_time(curve, [](double v) { return v * v; }));
    case Take::range:
      return high - low;
    case Take::final:
      return y.back();
    case Take::lost:
      return y.front() - y.back();
    case Take::travel: {
      double sum = 0;
      for (std::size_t i = 1; i < y.size(); ++i) sum += std::abs(y[i] - y[i - 1]);
      return sum;
    }
    case Take::share:
      return share_of_time(curve);
    case Take::crossings:
      return crossings_per_second(curve);
    default:
      return take_of_turns(measure.take, curve, window);
  }
}

}  // namespace freeplay::gallery
