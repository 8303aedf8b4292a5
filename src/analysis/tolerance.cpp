// SPDX-License-Identifier: Apache-2.0
#include "analysis/output_places.hpp"
#include "analysis/play_sets.hpp"
#include "analysis/refuse.hpp"
#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/start/start.hpp"
#include <freeplay/assembly.hpp>
#include <freeplay/errors.hpp>
#include <freeplay/tolerance.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace freeplay {
namespace {

using analysis::OutputPlace;
using analysis::PlaySet;
using analysis::refuse;
using dynamics::Cartesian;

/// Gradients are central differences over this share of a play. chosen: what is left of it cubed
/// and what rounding of places leaves over it are both below a millionth of the gradient.
constexpr double kDifference = 1e-2;
/// A set whose gradient is below this share of the largest counts by its second order: all its
/// directions are tried.
constexpr double kFlat = 1e-3;
/// Steps towards a worst case, and the share of a play by which the last one may still move it.
constexpr int kMostSteps = 60;
constexpr double kSettled = 1e-9;
/// How often the way from one position of the drives to the next may be halved.
constexpr int kMostHalvings = 12;

/// With ideal joints between rigid bodies: nothing is loaded.
Model rigid(const Model& model) { return dynamics::stiffened(dynamics::idealised(model)); }

/// The mechanism with ideal joints, asked for positions.
class Positions {
 public:
  Positions(const Model& model, const ToleranceOptions& options)
      : options_(options), play_(analysis::play_sets(model, options.dimensions)) {
    Model concentric = model;
    for (Joint& joint : concentric.joints)
      if (joint.clearance) joint.clearance->offset.setZero();
    ideal_ = rigid(concentric);
    for (Joint& joint : ideal_.joints) joint.friction.reset();
    const Assembly assembly = assemble(ideal_);
    if (assembly.freedom > 0)
      refuse("joints",
             fmt::format("the ideal mechanism has {} degree{} of freedom that no drive moves",
                         assembly.freedom, assembly.freedom == 1 ? "" : "s"),
             "an error is that of an output at given positions of the drives: give every free "
             "coordinate a drive");
    for (const std::string& path : options.outputs)
      outputs_.push_back(analysis::output_place(ideal_, path));
    follow(assembly.start);
  }

  [[nodiscard]] const analysis::PlaySets& play() const { return play_; }
  [[nodiscard]] const std::vector<OutputPlace>& outputs() const { return outputs_; }
  [[nodiscard]] std::size_t size() const { return times_.size(); }
  [[nodiscard]] double time(std::size_t k) const { return times_[k]; }
  [[nodiscard]] double nominal(std::size_t k, std::size_t output) const {
    return nominal_[k][output];
  }

  /// All outputs at position k with the mechanism displaced by u.
  void displaced(std::size_t k, const VecX& u, std::vector<double>& out) const {
    Model model = moved(u);
    analysis::displace(play_, u, model);
    Cartesian system(model);
    system.prepare(poses_[k]);
    VecX y = poses_[k].y;
    if (!system.project(times_[k], y.data(), poses_[k].memory.data()))
      throw AssemblyError(fmt::format(
          "with its play taken up the mechanism does not close at t = {:.6g} s ({}): it is near a "
          "dead point there, where errors have no bound; leave that position out with --from, --to",
          times_[k], system.culprit()));
    read(system, y, nominal_[k], out);
  }

 private:
  /// The ideal mechanism with its dimensions moved.
  [[nodiscard]] Model moved(const VecX& u) const {
    std::vector<double> by(options_.dimensions.size(), 0.0);
    bool any = false;
    for (const PlaySet& set : play_.sets) {
      if (set.dimension < 0) continue;
      by[static_cast<std::size_t>(set.dimension)] = u[set.first];
      any = any || u[set.first] != 0;
    }
    if (!any) return ideal_;
    Model out = options_.moved(by);
    for (Joint& joint : out.joints) joint.friction.reset();
    return rigid(out);
  }

  /// Poses and outputs at every position, each from the one before.
  void follow(const State& start) {
    const Simulation& run = ideal_.simulation;
    double from = options_.from, to = options_.to;
    if (!(to > from)) {
      from = run.start;
      to = run.start + std::min(run.duration, one_turn());
    }
    Cartesian system(ideal_);
    system.prepare(start);
    State state = start;
    const int n = std::max(1, options_.positions);
    for (int k = 0; k < n; ++k) {
      const double time = n == 1 ? from : from + (to - from) * k / (n - 1);
      advance(system, time, state);
      times_.push_back(time);
      poses_.push_back(state);
      std::vector<double> values;
      read(system, state.y, nominal_.empty() ? std::vector<double>() : nominal_.back(), values);
      nominal_.push_back(std::move(values));
    }
  }

  /// The drives go on to another time, in parts small enough for Newton's method.
  static void advance(Cartesian& system, double to, State& state, int depth = 0) {
    constexpr double kCoarse = 0.05;  // rad, or lengths of the mechanism: far within its reach
    VecX y = state.y;
    const double* memory = state.memory.data();
    // Twice: the first correction may leave the square of a violation that was not so small.
    if (system.violation(to, y.data(), memory) < kCoarse && system.project(to, y.data(), memory) &&
        system.project(to, y.data(), memory)) {
      state.time = to;
      state.y = y;
      system.accept(state);  // turns are counted
      return;
    }
    if (depth == kMostHalvings)
      throw AssemblyError(fmt::format("the ideal mechanism does not close at t = {:.6g} s: {}", to,
                                      system.culprit()));
    advance(system, 0.5 * (state.time + to), state, depth + 1);
    advance(system, to, state, depth + 1);
  }

  /// How long the fastest drive of constant speed takes for a turn; s.
  [[nodiscard]] double one_turn() const {
    double out = INFINITY;
    for (const Joint& joint : ideal_.joints)
      for (const Drive& drive : joint.drives)
        if (const auto* speed = std::get_if<ConstantSpeed>(&drive.motion);
            speed && is_angle(drive.coordinate) && speed->speed != 0)
          out = std::min(out, 2 * std::numbers::pi / std::abs(speed->speed));
    return out;
  }

  void read(const Cartesian& system, const VecX& y, const std::vector<double>& near,
            std::vector<double>& out) const {
    std::vector<Pose<double>> frames(static_cast<std::size_t>(system.bodies().frames()));
    frames[kGround].R.setIdentity();
    system.bodies().place(y.data(), y.data() + system.position_size(), frames);
    out.resize(outputs_.size());
    for (std::size_t k = 0; k < outputs_.size(); ++k)
      out[k] = outputs_[k].value(system.model(), frames, near.empty() ? 0 : near[k]);
  }

  const ToleranceOptions& options_;
  analysis::PlaySets play_;
  Model ideal_;
  std::vector<OutputPlace> outputs_;
  std::vector<double> times_;
  std::vector<State> poses_;
  std::vector<std::vector<double>> nominal_;
};

/// Gradients of all outputs about u, one column each.
MatX gradients(const Positions& positions, std::size_t k, const VecX& u) {
  MatX out(u.size(), positions.outputs().size());
  std::vector<double> more, less;
  for (const PlaySet& set : positions.play().sets)
    for (int c = set.first; c < set.first + set.size; ++c) {
      const double h = kDifference * set.radius;
      out.row(c).setZero();
      if (h == 0) continue;
      VecX at = u;
      at[c] = u[c] + h;
      positions.displaced(k, at, more);
      at[c] = u[c] - h;
      positions.displaced(k, at, less);
      for (std::size_t o = 0; o < more.size(); ++o)
        out(c, static_cast<Eigen::Index>(o)) = (more[o] - less[o]) / (2 * h);
    }
  return out;
}

/// The place of a product of balls that is farthest along a gradient.
VecX farthest(const analysis::PlaySets& play, const VecX& gradient, const VecX& otherwise) {
  VecX out = otherwise;
  for (const PlaySet& set : play.sets) {
    const auto g = gradient.segment(set.first, set.size);
    if (const double size = g.norm(); size > 0)
      out.segment(set.first, set.size) = g * (set.radius / size);
  }
  return out;
}

/// The largest (sign 1) or smallest (-1) value of an output: at the place whose own gradient points
/// to it (T.4). From the farthest place to first order, and where a set has hardly any gradient,
/// from either side of it besides.
double extreme(const Positions& positions, std::size_t k, Eigen::Index output, const MatX& about,
               double sign) {
  const analysis::PlaySets& play = positions.play();
  const VecX gradient = sign * about.col(output);
  double largest = 0;
  for (const PlaySet& set : play.sets)
    largest = std::max(largest, set.radius * gradient.segment(set.first, set.size).norm());
  std::vector<VecX> starts{farthest(play, gradient, VecX::Zero(gradient.size()))};
  for (const PlaySet& set : play.sets) {
    if (set.radius * gradient.segment(set.first, set.size).norm() > kFlat * largest) continue;
    for (int c = 0; c < set.size; ++c)
      for (const double side : {-1.0, 1.0}) {
        VecX start = starts.front();
        start.segment(set.first, set.size).setZero();
        start[set.first + c] = side * set.radius;
        starts.push_back(std::move(start));
      }
  }
  double best = 0;  // the nominal place is among them
  std::vector<double> value;
  for (VecX& u : starts) {
    for (int step = 0; step < kMostSteps; ++step) {
      positions.displaced(k, u, value);
      const auto o = static_cast<std::size_t>(output);
      best = std::max(best, sign * (value[o] - positions.nominal(k, o)));
      const VecX next = farthest(play, sign * gradients(positions, k, u).col(output), u);
      double moved = 0;
      for (const PlaySet& set : play.sets)
        if (set.radius > 0)
          moved = std::max(moved, (next - u).segment(set.first, set.size).norm() / set.radius);
      u = next;
      // The value is at its top: what an error of the place does to it goes with its square.
      if (moved < std::sqrt(kSettled)) break;
    }
    positions.displaced(k, u, value);
    const auto o = static_cast<std::size_t>(output);
    best = std::max(best, sign * (value[o] - positions.nominal(k, o)));
  }
  return best;
}

/// A random displacement within all sets.
VecX draw(const analysis::PlaySets& play, PlayedAt played, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  VecX u(play.numbers);
  for (const PlaySet& set : play.sets) {
    VecX way(set.size);
    for (int c = 0; c < set.size; ++c) way[c] = normal(random);
    if (set.dimension >= 0) {
      u[set.first] = way[0] * set.radius / 3;
      continue;
    }
    const double share = played == PlayedAt::wall ? 1 : std::pow(uniform(random), 1.0 / set.size);
    u.segment(set.first, set.size) = way.normalized() * (share * set.radius);
  }
  return u;
}

SampledError sample(const Positions& positions, std::size_t k, std::size_t output,
                    const ToleranceOptions& options) {
  SampledError out;
  out.samples = options.samples;
  out.time = positions.time(k);
  std::mt19937_64 random(options.seed);
  std::vector<double> errors, value;
  for (int s = 0; s < options.samples; ++s) {
    positions.displaced(k, draw(positions.play(), options.played, random), value);
    errors.push_back(value[output] - positions.nominal(k, output));
  }
  for (const double e : errors) out.mean += e / options.samples;
  for (const double e : errors) out.deviation += (e - out.mean) * (e - out.mean);
  out.deviation = std::sqrt(out.deviation / std::max(1, options.samples - 1));
  std::ranges::sort(errors);
  const auto quantile = [&](double p) {
    return errors[static_cast<std::size_t>(p * static_cast<double>(errors.size() - 1) + 0.5)];
  };
  out.low = quantile(0.025);
  out.high = quantile(0.975);
  return out;
}

OutputError error_at(const Positions& positions, std::size_t k, Eigen::Index output,
                     const MatX& about, PlayedAt played) {
  const analysis::PlaySets& play = positions.play();
  OutputError out;
  out.time = positions.time(k);
  out.nominal = positions.nominal(k, static_cast<std::size_t>(output));
  out.shares.assign(play.loose.size(), 0.0);
  double variance = 0;
  for (const PlaySet& set : play.sets) {
    const double reach = set.radius * about.col(output).segment(set.first, set.size).norm();
    out.shares[static_cast<std::size_t>(set.loose)] += reach;
    out.linear += reach;
    variance += reach * reach * set.variance(played);
  }
  out.deviation = std::sqrt(variance);
  out.high = extreme(positions, k, output, about, 1);
  out.low = -extreme(positions, k, output, about, -1);
  return out;
}

/// Errors of the size of a play are in the play: an ideal mechanism does not know them.
void refuse_sizes_of_play(const Model& model, const ToleranceOptions& options) {
  constexpr double kSame = 1e-9;  // of a size, which changes of other dimensions leave alone
  const std::vector<Looseness> plays = analysis::play_sets(model, {}).loose;
  for (std::size_t k = 0; k < options.dimensions.size(); ++k) {
    std::vector<double> by(options.dimensions.size(), 0.0);
    by[k] = options.dimensions[k].tolerance;
    const std::vector<Looseness> moved = analysis::play_sets(options.moved(by), {}).loose;
    for (std::size_t p = 0; p < plays.size() && p < moved.size(); ++p)
      if (std::abs(moved[p].size - plays[p].size) > kSame * plays[p].size)
        refuse(options.dimensions[k].path,
               fmt::format("this dimension changes a play, {} ({})", plays[p].path, plays[p].what),
               "a play counts with its whole size: give it the largest that it may have, with "
               "--set, and leave the dimension out");
  }
}

}  // namespace

Tolerances find_tolerances(const Model& given, const ToleranceOptions& options) {
  analysis::refuse_teeth(given, "tolerances");
  const std::vector<double> none(options.dimensions.size(), 0.0);
  const Model model = none.empty() ? given : options.moved(none);
  refuse_sizes_of_play(model, options);
  const Positions positions(model, options);
  Tolerances out;
  out.loose = positions.play().loose;
  if (out.loose.empty())
    refuse("joints", "nothing is loose: no joint has play, and no dimension a tolerance",
           "give a joint a clearance, or a dimension with --dimension");
  for (const Joint& joint : model.joints)
    if (joint.bushing)
      out.notes.push_back("the rubber of joint " + joint.name + " is taken as rigid");
  const auto count = static_cast<Eigen::Index>(positions.outputs().size());
  for (const OutputPlace& place : positions.outputs()) {
    OutputTolerance output;
    output.path = place.path;
    output.unit = place.unit;
    out.outputs.push_back(std::move(output));
  }
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const MatX about = gradients(positions, k, VecX::Zero(positions.play().numbers));
    for (Eigen::Index o = 0; o < count; ++o)
      out.outputs[static_cast<std::size_t>(o)].at.push_back(
          error_at(positions, k, o, about, options.played));
  }
  for (std::size_t o = 0; o < out.outputs.size(); ++o) {
    OutputTolerance& output = out.outputs[o];
    const auto size = [](const OutputError& e) { return std::max(e.high, -e.low); };
    output.worst =
        static_cast<std::size_t>(std::ranges::max_element(output.at, {}, size) - output.at.begin());
    if (options.samples > 0) output.sampled = sample(positions, output.worst, o, options);
  }
  return out;
}

}  // namespace freeplay
