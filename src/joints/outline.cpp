// SPDX-License-Identifier: Apache-2.0
#include "joints/outline.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace freeplay::joints {
namespace {

using Local = Outline::Local;
constexpr double kTurn = 2 * std::numbers::pi;
/// Angles are at equal distances if each is within this part of one of its place: the digits that
/// instruments write.
constexpr double kEven = 1e-6;

/// One wave: a cos(m x) + b sin(m x).
struct Wave {
  double m, a, b;
};

Local sum_of(std::span<const Wave> waves, double x) {
  Local out;
  for (const auto& [m, a, b] : waves) {
    const double c = std::cos(m * x), s = std::sin(m * x);
    out.w += a * c + b * s;
    out.slope += m * (b * c - a * s);
    out.bend -= m * m * (a * c + b * s);
  }
  return out;
}

// ---- one profile each: departure from `radius`, and its highest harmonic

using Departure = std::pair<std::function<Local(double)>, double>;

/// rho = a b/sqrt(q), q = b^2 cos^2 x + a^2 sin^2 x.
Departure departure(const EllipseProfile& p, double radius) {
  const double a = p.along, b = p.across, phase = p.phase;
  const auto at = [=](double angle) -> Local {
    const double x = angle - phase, c = std::cos(x), s = std::sin(x), d = (a - b) * (a + b);
    const double q = b * b * c * c + a * a * s * s, dq = 2 * d * s * c,
                 ddq = 2 * d * (c * c - s * s);
    const double rho = a * b / std::sqrt(q);
    return {rho - radius, -0.5 * rho * dq / q, rho * (0.75 * dq * dq / q - 0.5 * ddq) / q};
  };
  // Harmonics 2, 4, ... fall off as powers of the flatness; chosen: a few of them.
  return {at, std::abs(a - b) > 0.1 * std::max(a, b) ? 16 : 6};
}

Departure departure(const LobedProfile& p, double) {
  const double m = p.lobes, A = p.amplitude, phase = p.phase;
  return {[=](double angle) -> Local {
            const double x = m * (angle - phase), c = std::cos(x);
            return {A * c, -A * m * std::sin(x), -A * m * m * c};
          },
          m};
}

/// Fourier coefficients of the straight lines between the points, which for points at equal
/// distances are those of the sums over them once what straight lines smooth away is put back.
std::vector<Wave> waves_of(const MeasuredProfile& p, double radius) {
  const std::size_t n = p.angle.size();
  const int last = static_cast<int>(std::ceil(4 * p.harmonics));
  bool even = true;
  for (std::size_t k = 0; k < n && even; ++k)
    even = std::abs(p.angle[k] - p.angle[0] -
                    kTurn * static_cast<double>(k) / static_cast<double>(n)) <
           kEven * kTurn / static_cast<double>(n);
  std::vector<Wave> out;
  for (int m = 1; m <= last && 2 * static_cast<std::size_t>(m) < n; ++m) {
    Wave wave{static_cast<double>(m), 0, 0};
    if (even) {
      for (std::size_t k = 0; k < n; ++k) {
        const double share = 2.0 / static_cast<double>(n) * (p.radius[k] - radius);
        wave.a += share * std::cos(m * p.angle[k]);
        wave.b += share * std::sin(m * p.angle[k]);
      }
    } else {
      // By parts twice: jumps of slope at the points.
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t before = (k + n - 1) % n, after = (k + 1) % n;
        const auto slope = [&](std::size_t i, std::size_t j) {
          const double step = p.angle[j] - p.angle[i] + (j < i ? kTurn : 0);
          return (p.radius[j] - p.radius[i]) / step;
        };
        const double jump = slope(k, after) - slope(before, k);
        wave.a -= jump * std::cos(m * p.angle[k]) / (std::numbers::pi * m * m);
        wave.b -= jump * std::sin(m * p.angle[k]) / (std::numbers::pi * m * m);
      }
    }
    // (G.25): the Gaussian filter of roundness measurement.
    const double through = std::exp2(-(m / p.harmonics) * (m / p.harmonics));
    wave.a *= through;
    wave.b *= through;
    out.push_back(wave);
  }
  return out;
}

Departure departure(const MeasuredProfile& p, double radius) {
  auto waves = waves_of(p, radius);
  // Beyond twice the cut-off a sixteenth is let through, beyond four times nothing to speak of.
  return {[waves = std::move(waves)](double x) { return sum_of(waves, x); }, 2 * p.harmonics};
}

/// Steele, Lea & Flood 2014: a sequence that is the same everywhere.
double next_share(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

Departure departure(const WavyProfile& p, double radius) {
  const double middle = kTurn * radius / p.wavelength;
  const int first = std::max(2, static_cast<int>(std::lround(middle / std::numbers::sqrt2))),
            last = std::max(first, static_cast<int>(std::lround(middle * std::numbers::sqrt2)));
  const double amplitude = p.rms * std::sqrt(2.0 / (last - first + 1));
  auto state = static_cast<std::uint64_t>(p.seed);
  std::vector<Wave> waves;
  for (int m = first; m <= last; ++m) {
    const double phase = kTurn * next_share(state);
    waves.push_back(
        {static_cast<double>(m), amplitude * std::cos(phase), amplitude * std::sin(phase)});
  }
  return {[waves = std::move(waves)](double x) { return sum_of(waves, x); },
          static_cast<double>(last)};
}

}  // namespace

Outline::Outline(const std::function<Local(double)>& departure, double harmonics, int pieces)
    : harmonics_(harmonics) {
  // Sixteen pieces to the shortest wave leave a tenth of a millionth of it, (G.27).
  const int n = pieces > 0 ? pieces : std::max(256, static_cast<int>(std::ceil(16 * harmonics)));
  count_ = n;
  per_radian_ = n / kTurn;
  least_ = INFINITY;
  greatest_ = -INFINITY;
  const auto knot = [&](int k) {
    const Local at = departure(kTurn * k / n);
    least_ = std::min(least_, at.w);
    greatest_ = std::max(greatest_, at.w);
    extent_.w = std::max(extent_.w, std::abs(at.w));
    extent_.slope = std::max(extent_.slope, std::abs(at.slope));
    extent_.bend = std::max(extent_.bend, std::abs(at.bend));
    return Local{at.w, at.slope / per_radian_, at.bend / (per_radian_ * per_radian_)};
  };
  Local left = knot(0);
  const Local first = left;
  for (int k = 0; k < n; ++k) {
    const Local right = k + 1 < n ? knot(k + 1) : first;
    const double d = right.w - left.w;
    pieces_.push_back(
        {left.w, left.slope, 0.5 * left.bend,
         10 * d - 6 * left.slope - 4 * right.slope - 1.5 * left.bend + 0.5 * right.bend,
         -15 * d + 8 * left.slope + 7 * right.slope + 1.5 * left.bend - right.bend,
         6 * d - 3 * (left.slope + right.slope) + 0.5 * (right.bend - left.bend)});
    left = right;
  }
  pieces_.push_back(pieces_.front());
  // Six places to the shortest wave, and never so few that the circle itself is coarse.
  const int places = std::max(48, static_cast<int>(std::ceil(6 * harmonics)));
  for (int k = 0; k < places; ++k) {
    const double angle = kTurn * k / places;
    const Local local = at(angle);
    places_.push_back({std::cos(angle), std::sin(angle), local.w, local.bend, 0});
  }
  for (int k = 0; k < places; ++k)
    for (int i = k - 1; i < k + 3; ++i)
      places_[static_cast<std::size_t>(k)].steepest =
          std::max(places_[static_cast<std::size_t>(k)].steepest,
                   std::abs(places_[static_cast<std::size_t>((i + places) % places)].bend));
}

namespace {

/// Second derivatives, per sector squared, of the cubic spline through values at the middles of
/// sectors that follow each other round the circle: M[k-1] + 4 M[k] + M[k+1] = 6 (second
/// difference) without a first or last one. The influence of a value falls by 0.27 from knot to
/// knot: sixty sweeps that take each from its neighbours leave nothing.
std::vector<double> spline_bends(const std::vector<double>& v) {
  const std::size_t n = v.size();
  std::vector<double> M(n, 0.0);
  for (int sweep = 0; sweep < 60; ++sweep)
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t before = (k + n - 1) % n, after = (k + 1) % n;
      M[k] = 0.25 * (6 * (v[before] - 2 * v[k] + v[after]) - M[before] - M[after]);
    }
  return M;
}

}  // namespace

Outline worn_outline(const Profile* profile, double radius, std::span<const double> depth,
                     double sense) {
  const std::size_t n = depth.size();
  // (W.9): from means over sectors to values at their middles.
  std::vector<double> v(n);
  for (std::size_t k = 0; k < n; ++k)
    v[k] = sense * (depth[k] - (depth[(k + n - 1) % n] - 2 * depth[k] + depth[(k + 1) % n]) / 24);
  const std::vector<double> M = spline_bends(v);
  const double per_radian = static_cast<double>(n) / kTurn;
  const auto worn = [=](double angle) -> Local {
    const double turn = angle / kTurn, x = (turn - std::floor(turn)) * static_cast<double>(n);
    const std::size_t k = std::min(static_cast<std::size_t>(x), n - 1), next = (k + 1) % n;
    const double t = x - static_cast<double>(k), s = 1 - t;
    return {
        s * v[k] + t * v[next] + (s * (s * s - 1) * M[k] + t * (t * t - 1) * M[next]) / 6,
        (v[next] - v[k] + ((1 - 3 * s * s) * M[k] + (3 * t * t - 1) * M[next]) / 6) * per_radian,
        (s * M[k] + t * M[next]) * per_radian * per_radian};
  };
  // Six places to a wave: two to a sector, in half of which a spline has one rise or fall.
  const double own = static_cast<double>(n) / 3;
  const int count = static_cast<int>(n);
  if (!profile) return {worn, own, count};
  const auto [made, harmonics] =
      std::visit([&](const auto& p) { return departure(p, radius); }, *profile);
  const double all = std::max(own, harmonics);
  const int needed = std::max(256, static_cast<int>(std::ceil(16 * harmonics)));
  return {[worn, made = made](double angle) -> Local {
            const Local a = worn(angle), b = made(angle);
            return {a.w + b.w, a.slope + b.slope, a.bend + b.bend};
          },
          all, count*((needed + count - 1) / count)};
}

Outline outline_of(const Profile* profile, double radius) {
  if (!profile) return {};
  const auto [at, harmonics] =
      std::visit([&](const auto& p) { return departure(p, radius); }, *profile);
  return {at, harmonics};
}

}  // namespace freeplay::joints

namespace freeplay {

double own_radius(const Profile& profile) {
  if (const auto* p = std::get_if<EllipseProfile>(&profile)) return 0.5 * (p->along + p->across);
  if (const auto* p = std::get_if<MeasuredProfile>(&profile)) {
    // Of the straight lines between the points: each counts for half of what lies beside it.
    const std::size_t n = p->angle.size();
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double before = p->angle[k] - p->angle[(k + n - 1) % n] + (k == 0 ? joints::kTurn : 0),
                   after = p->angle[(k + 1) % n] - p->angle[k] + (k + 1 == n ? joints::kTurn : 0);
      sum += p->radius[k] * 0.5 * (before + after);
    }
    return sum / joints::kTurn;
  }
  return 0;
}

}  // namespace freeplay
