// SPDX-License-Identifier: Apache-2.0
#include "sim/features.hpp"

#include "dynamics/elements/force_types.hpp"
#include "model/formula.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

namespace freeplay::sim {
namespace {

constexpr int kDegree = 6;
// chosen: what a polynomial of that degree may leave out, of the change that five values show.
constexpr double kHidden = 0.01;
// chosen: intervals are not halved further than this part of the run; a corner is a breakpoint.
constexpr double kShortest = 1e-10;
// An interval of this share of what is left of the run is all of it: the rest is round-off of
// times.
constexpr double kAll = 1 - 1e-12;
// chosen: looks at a formula to find its largest value. Pulses of a millionth need some fifty.
constexpr int kLooks = 2000;

using Bounds = Series<Interval, kDegree + 3>;
using Jets = Series<double, 3>;
constexpr double kFactorial[] = {1, 1, 2};

Jets jets_at(const Formula& formula, double t) {
  return model::evaluate<Jets>(formula, {0.0, 0.0, Jets::variable(t)});
}

}  // namespace

Feature::Feature(Formula formula, int rates, double start, double end, double tolerance)
    : formula_(std::move(formula)),
      rates_(rates),
      start_(start),
      end_(end),
      shortest_(kShortest * (end - start)) {
  for (int d = 0; d <= rates_; ++d) small_[d] = tolerance * largest_value(d);
  intervals_.push_back({start_, start_, true});
}

/// At least half the largest size of a derivative during the run: the interval that may hold more
/// than has been seen is halved until none can hold twice as much (branch and bound).
double Feature::largest_value(int rate) const {
  struct Part {
    double most, begin, end;
    bool operator<(const Part& o) const { return most < o.most; }
  };
  using Few = Series<Interval, 3>;
  double seen = 0;
  const auto look = [&](double t) {
    const double value = std::abs(jets_at(formula_, t).c[static_cast<std::size_t>(rate)]);
    if (std::isfinite(value)) seen = std::max(seen, value * kFactorial[rate]);
  };
  std::priority_queue<Part> parts;
  const auto add = [&](double a, double b) {
    look(0.5 * (a + b));
    const auto bounds = model::evaluate<Few>(formula_, {0.0, 0.0, Few::variable({a, b})});
    parts.push({bounds.c[static_cast<std::size_t>(rate)].size() * kFactorial[rate], a, b});
  };
  look(start_);
  look(end_);
  add(start_, end_);
  for (int k = 0; k < kLooks; ++k) {
    const Part top = parts.top();
    if (top.most <= 2 * seen || top.end - top.begin < shortest_) break;
    parts.pop();
    const double middle = 0.5 * (top.begin + top.end);
    add(top.begin, middle);
    add(middle, top.end);
  }
  return seen;
}

Feature::Verdict Feature::judge(double a, double b) const {
  const double half = 0.5 * (b - a);
  const auto bounds = model::evaluate<Bounds>(formula_, {0.0, 0.0, Bounds::variable({a, b})});
  bool still = true;
  for (int d = 0; d <= rates_; ++d) {
    const auto order = static_cast<std::size_t>(d);
    const double change = bounds.c[order].width() * kFactorial[d];
    still &= change <= small_[d];
  }
  if (still) return Verdict::still;
  Jets seen[5];
  for (int k = 0; k < 5; ++k) seen[k] = jets_at(formula_, a + 0.5 * half * k);
  bool exact = true;
  for (int d = 0; d <= rates_; ++d) {
    const auto order = static_cast<std::size_t>(d);
    double low = seen[0].c[order], high = low;
    for (const Jets& s : seen) {
      low = std::min(low, s.c[order]);
      high = std::max(high, s.c[order]);
    }
    // Lagrange's remainder about the middle: the derivative of order d has coefficients
    // c[d + k] (d + k)!/k!.
    double factor = 1;
    for (int k = 1; k <= d; ++k) factor *= kDegree + k;
    const double rest = bounds.c[order + kDegree].size() * factor * std::pow(half, kDegree);
    if (!(rest <= kHidden * (high - low) * kFactorial[d] + small_[d])) return Verdict::hides;
    exact &= rest == 0;
  }
  return exact ? Verdict::still : Verdict::shows;
}

/// One more interval, as wide as it may be within a tenth.
void Feature::append() {
  const double from = intervals_.back().end, left = end_ - from;
  const double last = intervals_.back().width();
  double good = 0, bad = left;
  Verdict verdict = judge(from, end_), found = verdict;
  if (verdict != Verdict::hides) good = left;
  // Down from the whole rest of the run, or, where things happen, from twice the last one.
  for (double width = last > 0 ? std::min(2 * last, 0.5 * left) : 0.5 * left; good == 0;
       width *= 0.5) {
    if (width > shortest_) found = judge(from, from + width);
    if (width <= shortest_ || found != Verdict::hides)
      good = std::max(width, shortest_);
    else
      bad = width;
  }
  while (bad - good > 0.1 * good && good > shortest_) {
    const double width = bad > 4 * good ? 2 * good : 0.5 * (good + bad);
    verdict = judge(from, from + width);
    (verdict == Verdict::hides ? bad : good) = width;
    if (verdict != Verdict::hides) found = verdict;
  }
  const bool whole = good >= left * kAll;
  intervals_.push_back({from, whole ? end_ : from + good, found == Verdict::still});
}

const Feature::Span& Feature::at(double t) {
  while (intervals_[now_].end <= t &&
         (now_ + 1 < intervals_.size() || intervals_[now_].end < end_)) {
    if (now_ + 1 == intervals_.size()) append();
    ++now_;
  }
  // Those behind are not needed again: a run goes back by no more than a step.
  constexpr std::size_t kMany = 1024;
  if (now_ > kMany) {
    intervals_.erase(intervals_.begin(), intervals_.begin() + static_cast<std::ptrdiff_t>(now_));
    now_ = 0;
  }
  while (now_ > 0 && intervals_[now_].begin > t) --now_;
  return intervals_[now_];
}

double Feature::latest(double t, double share) {
  const Span first = at(t);
  double narrowest = first.width();
  double end = first.still ? std::max(first.end, t + share * narrowest) : t + share * narrowest;
  for (std::size_t k = now_; end > intervals_[k].end && intervals_[k].end < end_; ++k) {
    if (k + 1 == intervals_.size()) append();
    narrowest = std::min(narrowest, intervals_[k + 1].width());
    end = std::max(intervals_[k].end, std::min(end, t + share * narrowest));
  }
  return end;
}

namespace {

/// take(path, formula, rates) for every part of a formula that depends on time alone.
template <class Take>
void each_formula(const Model& model, Take&& take) {
  const auto motion = [&](const std::string& path, const Motion& m, int rates) {
    if (const auto* formula = std::get_if<Formula>(&m))
      for (Formula& part : model::parts_in_time(*formula)) take(path, std::move(part), rates);
  };
  for (const Joint& joint : model.joints)
    for (const Drive& drive : joint.drives)
      motion("joints." + joint.name + ".drive", drive.motion, 2);
  for (const Force& force : model.forces) {
    const std::string path = std::string(dynamics::section_of(force)) + "." + force.name;
    std::visit(
        [&](const auto& s) {
          if (const Formula* formula = formula_of(s)) motion(path, *formula, 0);
          if (const Motion* magnitude = magnitude_of(s)) motion(path, *magnitude, 0);
        },
        force.element);
  }
  for (const ControlSignal& signal : model.signals)
    motion("signals." + signal.name, signal.formula, 0);
}

}  // namespace

// chosen: without events a step may be as long as two intervals, that is one period of a sine; with
// events a quarter of one, as for drives that are sines.
Features::Features(const Model& model, bool events) : share_(events ? 0.5 : 2) {
  const Simulation& run = model.simulation;
  each_formula(model, [&](const std::string&, Formula formula, int rates) {
    list_.emplace_back(std::move(formula), rates, run.start, run.start + run.duration,
                       run.tolerance);
  });
}

double Features::latest(double t) {
  double out = std::numeric_limits<double>::infinity();
  for (Feature& feature : list_) out = std::min(out, feature.latest(t, share_));
  return out;
}

std::vector<Unresolved> unresolved_by(const Model& model, double step) {
  std::vector<Unresolved> out;
  const Simulation& run = model.simulation;
  const double end = run.start + run.duration;
  each_formula(model, [&](const std::string& path, Formula formula, int rates) {
    Feature feature(std::move(formula), rates, run.start, end, run.tolerance);
    constexpr int kMany = 100000;  // chosen: a formula that never rests is known by then
    double t = run.start;
    for (int k = 0; k < kMany && t < end; ++k) {
      const Feature::Span& interval = feature.at(t);
      if (!interval.still && interval.width() < step && interval.end < end) {
        out.push_back({path, feature.formula().text, interval.begin, interval.width()});
        break;
      }
      t = interval.end;
    }
  });
  return out;
}

}  // namespace freeplay::sim
