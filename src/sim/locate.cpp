// SPDX-License-Identifier: Apache-2.0
#include "sim/locate.hpp"

#include "joints/outline.hpp"
#include "sim/enclosure.hpp"

#include <boost/math/tools/toms748_solve.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace freeplay::sim {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Depths are differences of places: so many roundings of them say nothing. chosen
constexpr double kRoundings = 64;
/// Two roundings of a time.
constexpr double kRounding = 4e-16;
/// A gap within this share of its width from its centre has no direction, and no rate. chosen: far
/// below where anything touches
constexpr double kCentre = 1e-9;
/// A depth of this share of what the steps resolve is not worth finding. chosen
constexpr double kWorthwhile = 1e-3;
/// Looks into one step; what is unclear after that is decided by signs alone. Functions that can be
/// bounded need a handful.
constexpr int kMostLooks = 60;
/// Gaps that turn by no more than this between two looks show in values and rates there how they
/// bend. chosen: steps where the turn is integrated along are hardly longer. rad
constexpr double kMostTurn = 2;

/// Waves round the waviest surface of a joint: as often may a depth rise and fall in a turn.
double most_undulations(const Model& model) {
  double out = 1;
  for (const Joint& joint : model.joints) {
    if (!joint.clearance) continue;
    const Clearance& c = *joint.clearance;
    for (const auto& [profile, radius] :
         {std::pair(&c.outer_profile, c.outer_radius), std::pair(&c.inner_profile, c.inner_radius)})
      if (*profile) out = std::max(out, joints::outline_of(&**profile, radius).harmonics());
  }
  return out;
}

}  // namespace

Locator::Locator(dynamics::System& system, bool precise)
    : system_(system), precise_(precise), found_() {
  const auto n = static_cast<std::size_t>(system.event_count());
  for (auto* v : {&noise_, &shallow_, &round_, &side_, &beyond_}) v->resize(n);
  forecast_.assign(n, kNaN);
  earlier_.assign(n, kNaN);
  older_ = before_ = left_ = probe_ = first_ = Look(n);
  stack_.assign(n > 0 ? kMostLooks + 1 : 0, Look(n));
  undulations_ = most_undulations(system.model());
}

void Locator::restart(const State& state) {
  if (side_.empty()) return;
  for (std::size_t k = 0; k < side_.size(); ++k)
    round_[k] = system_.event_trait(static_cast<int>(k), state.memory.data()).play;
  all_known_ = look(state.time, state.y, state.memory, before_);
  have_older_ = false;
  std::fill(forecast_.begin(), forecast_.end(), kNaN);
  for (std::size_t k = 0; k < side_.size(); ++k) {
    const dynamics::EventTrait trait =
        system_.event_trait(static_cast<int>(k), state.memory.data());
    noise_[k] = kRoundings * kEpsilon * trait.scale;
    shallow_[k] =
        std::max(noise_[k], kWorthwhile * system_.model().simulation.tolerance * trait.scale);
    side_[k] = trait.side != 0 ? trait.side : before_.value[k] > 0 ? 1 : -1;
    beyond_[k] = trait.scale > 0 ? std::max(0.0, -side_[k] * before_.value[k]) : 0;
  }
}

bool Locator::look(double t, const VecX& y, const std::vector<double>& memory, Look& out) {
  out.time = t;
  const bool known =
      system_.event_rates(t, y.data(), memory.data(), out.value.data(), out.rate.data());
  out.turn = undulations_ * system_.fastest_turn(y.data());
  for (std::size_t k = 0; k < side_.size(); ++k) {
    if (!(round_[k] > 0)) continue;
    const double from_centre = 1 + out.value[k] / round_[k];
    out.value[k] = rounded(k, out.value[k]);
    out.rate[k] = from_centre < kCentre ? 0 : out.rate[k] * from_centre;
  }
  return known;
}

void Locator::gather(const State& state) {
  found_.together.clear();
  if (!precise_) return;
  look(state.time, state.y, state.memory, probe_);
  const auto is_found = [&](std::size_t k) {
    return std::any_of(found_.crossings.begin(), found_.crossings.end(),
                       [&](const Crossing& c) { return c.which == static_cast<int>(k); });
  };
  // While what was found moves by less than is worth finding, the rest may still come.
  double window = std::numeric_limits<double>::infinity();
  for (const Crossing& c : found_.crossings) {
    const auto k = static_cast<std::size_t>(c.which);
    const double speed = std::abs(probe_.rate[k]);
    window = std::min(window, speed > 0 ? shallow_[k] / speed : 0.0);
  }
  for (std::size_t k = 0; k < side_.size(); ++k) {
    const double f = own(k, probe_.value[k]), speed = -side_[k] * probe_.rate[k];
    const bool past = f < -noise_[k];
    const bool soon = f <= shallow_[k] && speed > 0 && f <= speed * window;
    if ((past || soon) && !is_found(k))
      found_.together.push_back({static_cast<int>(k), side_[k] < 0});
  }
}

/// When function k gets to zero if it goes on as in the last step; NaN: it does not.
double Locator::forecast(std::size_t k, const Look& before, const Look& now) const {
  const double g = now.value[k], rate = now.rate[k],
               bend = (rate - before.rate[k]) / (now.time - before.time);
  const double square = rate * rate - 2 * bend * g;  // g + rate x + bend/2 x^2 = 0
  if (!(g > 0 && rate < 0 && square > 0)) return kNaN;
  return now.time + 2 * g / (-rate + std::sqrt(square));
}

Locator::Soonest Locator::soonest(double t) const {
  Soonest out;
  for (std::size_t k = 0; k < side_.size() && precise_; ++k)
    // Forecasts of a contact that vibrates while it lasts do not agree from step to step.
    if (std::abs(forecast_[k] - earlier_[k]) < 0.5 * (forecast_[k] - t) &&
        (out.which < 0 || forecast_[k] < out.time))
      out = {static_cast<int>(k), forecast_[k]};
  return out;
}

/// Bounds over a whole step, from this one and the one before. After an event there is none before,
/// and one much shorter says little: what only the inside of the step knows may then be as large as
/// the rest, and whatever is not far from its zero is looked at.
void Locator::bound_by_last_step(Look& end) const {
  const double h = end.time - before_.time, last = before_.time - older_.time;
  const bool have_older = have_older_ && h < 4 * last;
  const double per_bend = 6 / (h * h * h * h);  // of a middle coefficient: see Enclosure
  constexpr double kPeak = 16.0 / 6;            // that of a bump of height 1
  for (std::size_t k = 0; k < side_.size(); ++k) {
    const double fa = before_.value[k], ra = before_.rate[k], fb = end.value[k], rb = end.rate[k];
    const double c1 = fa + h * ra / 3, c2 = fb - h * rb / 3;
    const double span = std::max({fa, c1, c2, fb}) - std::min({fa, c1, c2, fb});
    end.bend[k] = (have_older ? 0.02 : 1.0) * kPeak * span * per_bend;
    if (!have_older) continue;
    const double bend = bend_of(last, h, older_.value[k], older_.rate[k], fa, ra, fb, rb);
    if (bend > end.bend[k]) end.bend[k] = bend;
  }
}

void Locator::bound_halves(const Look& left, Look& middle, Look& right) {
  for (std::size_t k = 0; k < middle.value.size(); ++k)
    middle.bend[k] = right.bend[k] =
        bend_of(middle.time - left.time, right.time - middle.time, left.value[k], left.rate[k],
                middle.value[k], middle.rate[k], right.value[k], right.rate[k]);
}

/// What function k does between two looks; where that is unclear, `split` is the part of the
/// interval at which another look helps most. `wide`: an eighth of the step or more.
Locator::Verdict Locator::judge(std::size_t k, const Look& left, const Look& right, bool wide,
                                double& split) const {
  const double h = right.time - left.time;
  const double fa = std::max(0.0, own(k, left.value[k])), fb = own(k, right.value[k]);
  double ra = side_[k] * left.rate[k], rb = side_[k] * right.rate[k], bend = right.bend[k];
  const bool crossed = fb < -noise_[k];
  if (std::isnan(ra) || std::isnan(rb)) {
    // Without its rates a function is only known where it is looked at: eight times a step.
    if (wide) {
      split = 0.5;
      return Verdict::unclear;
    }
    if (std::isnan(ra) && std::isnan(rb)) return crossed ? Verdict::crossing : Verdict::clear;
    (std::isnan(ra) ? ra : rb) = 2 * (fb - fa) / h - (std::isnan(ra) ? rb : ra);
    bend = 0;
  }
  const Enclosure inside(h, fa, ra, fb, rb, bend);
  if (!crossed && inside.least_inside() >= -shallow_[k]) return Verdict::clear;
  // What begins on its root has to be seen on one side of it: at rest there, only smaller and
  // smaller looks ahead tell which way it goes.
  const bool begins = crossed && fa <= noise_[k];
  if (begins && std::abs(inside.b[1]) <= noise_[k]) {
    split = 0.1;
    return Verdict::unclear;
  }
  const bool leaves = begins && inside.b[1] > 0;
  if (crossed && !leaves && inside.crosses_once()) return Verdict::crossing;
  constexpr double kLeast = 1e-3;  // chosen: of the interval, so that it does shrink
  split = std::clamp(inside.turn(), kLeast, 1 - kLeast);
  return Verdict::unclear;
}

const Found* Locator::first(double t0, double t1, const std::vector<double>& memory,
                            const VecX& end, int landed,
                            const std::function<void(double, VecX&)>& interpolate) {
  if (side_.empty()) return nullptr;
  const bool known_before = all_known_;
  before_.time = t0;
  Look& last = stack_[0];
  all_known_ = look(t1, end, memory, last);
  forecast_.swap(earlier_);
  for (std::size_t k = 0; k < side_.size(); ++k)
    forecast_[k] = known_before && all_known_ ? forecast(k, before_, last) : kNaN;
  const Dense dense{*this, memory, interpolate};
  // What spins freely turns by any angle in a step: as many shorter ones.
  const double turn = std::max(before_.turn, last.turn) * (t1 - t0);
  if (const double parts = precise_ ? std::ceil(turn / kMostTurn) : 1; parts > 1) {
    for (double part = 1; part < parts; ++part) {
      dense.look(t0 + part / parts * (t1 - t0), last);
      bound_by_last_step(last);
      if (search(landed, dense)) return &found_;
      move_on();
    }
    look(t1, end, memory, last);
  }
  bound_by_last_step(last);
  if (search(landed, dense)) return &found_;
  move_on();
  if (landed < 0) return nullptr;
  found_.time = t1;
  found_.crossings.assign(1, {landed, false});
  return &found_;
}

/// The next step begins where this one ended, and on the side on which it is.
void Locator::move_on() {
  for (std::size_t k = 0; k < side_.size(); ++k)
    if (beyond_[k] > 0)
      beyond_[k] = std::min(beyond_[k], std::max(0.0, -side_[k] * left_.value[k]));
  std::swap(older_, before_);
  std::swap(before_, left_);
  have_older_ = true;
}

/// Goes through the step from left to right, look by look, and makes more of them where it is not
/// clear what happens in between. True when there is an event; else left_ is the end of the step.
bool Locator::search(int landed, const Dense& dense) {
  const Look* left = &before_;
  std::size_t ahead = 1;  // looks on the stack, the next one last
  const double step = stack_[0].time - before_.time;
  for (int looks = 0; ahead > 0;) {
    Look& right = stack_[ahead - 1];
    const double width = right.time - left->time;
    const bool enough =
        !precise_ || looks == kMostLooks || width <= 16 * kEpsilon * std::abs(right.time);
    bool crossing = false;
    double split = 0;
    for (std::size_t k = 0; k < side_.size() && split == 0; ++k) {
      if (static_cast<int>(k) == landed) continue;
      if (enough)
        crossing |= own(k, right.value[k]) < -noise_[k];
      else
        crossing |= judge(k, *left, right, width > 0.126 * step, split) == Verdict::crossing;
    }
    if (split > 0) {
      Look& middle = stack_[ahead++];
      dense.look(left->time + split * width, middle);
      bound_halves(*left, middle, right);
      ++looks;
    } else if (crossing) {
      settle(*left, right, dense);
      return true;
    } else {
      std::swap(left_, right);
      left = &left_;
      --ahead;
    }
  }
  return false;
}

/// The first of the crossings between two looks, and those that coincide with it.
void Locator::settle(const Look& left, const Look& right, const Dense& dense) {
  const auto crosses = [&](std::size_t k) { return own(k, right.value[k]) < -noise_[k]; };
  double earliest = right.time;
  if (precise_) {
    // Where many cross, the one that a straight line lets cross first; then only those that have
    // crossed by its zero.
    const std::size_t n = side_.size();
    std::size_t first = n;
    double least = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if (!crosses(k)) continue;
      const double fa = std::max(0.0, own(k, left.value[k])),
                   part = fa / (fa - own(k, right.value[k]));
      if (first == n || part < least) first = k, least = part;
    }
    const Look* then = &right;
    const auto solve = [&](std::size_t k) {
      const double t = just_past(k, left, right, dense);
      if (!(t < earliest)) return;
      earliest = t;
      dense.look(t, first_);
      then = &first_;
    };
    if (first < n) solve(first);
    for (std::size_t k = 0; k < n; ++k)
      if (k != first && crosses(k) && own(k, then->value[k]) < 0) solve(k);
  }
  probe_ = earliest < right.time ? first_ : right;
  found_.time = earliest;
  found_.crossings.clear();
  for (std::size_t k = 0; k < side_.size(); ++k)
    if (const double f = own(k, probe_.value[k]); f < 0 && (crosses(k) || f < -noise_[k]))
      found_.crossings.push_back({static_cast<int>(k), side_[k] < 0});
}

/// The zero of function k between two looks, to the last bits of time, on the side where the
/// function already has its new sign.
double Locator::just_past(std::size_t k, const Look& left, const Look& right, const Dense& dense) {
  const auto f = [&](double t) { return dense.value(k, t); };
  double a = left.time, fa = own(k, left.value[k]);
  const double least = kRounding * std::max(std::abs(right.time), right.time - left.time);
  // It begins on its root, give or take round-off: first away from that.
  for (double step = least; fa <= 0 && a < right.time; step *= 2) {
    a = std::min(a + step, right.time);
    fa = f(a);
    if (fa < 0) return a;
  }
  std::uintmax_t iterations = 100;
  const auto narrow = [](double x, double y) {
    return std::abs(y - x) <= kRounding * std::max(std::abs(x), std::abs(y));
  };
  if (!(a < right.time)) return right.time;
  double t = boost::math::tools::toms748_solve(f, a, right.time, fa, own(k, right.value[k]), narrow,
                                               iterations)
                 .second;
  // Round-off in the function may leave the old sign there: go on until it has turned.
  for (double step = least; t < right.time; step *= 2) {
    if (f(t) < 0) return t;
    t += step;
  }
  return right.time;
}

double Locator::Dense::value(std::size_t k, double t) const {
  interpolate(t, locator.y_);
  std::vector<double>& g = locator.probe_.value;
  locator.system_.event_values(t, locator.y_.data(), memory.data(), g.data());
  return locator.own(k, locator.rounded(k, g[k]));
}

void Locator::Dense::look(double t, Look& out) const {
  interpolate(t, locator.y_);
  locator.look(t, locator.y_, memory, out);
}

void Locator::carry(Archive& archive) {
  archive(noise_, shallow_, round_, side_, beyond_, have_older_, all_known_, forecast_, earlier_);
  for (Look* look : {&older_, &before_}) archive(look->time, look->value, look->rate, look->bend);
}

}  // namespace freeplay::sim
