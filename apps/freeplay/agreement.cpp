// SPDX-License-Identifier: Apache-2.0
#include "agreement.hpp"

#include "model/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::cli {
namespace {

/// Angle between two orientations; rad. A quaternion and its opposite are the same.
double between(const double* a, const double* b) {
  // The vector part of conj(a) b: exact for small angles, where its scalar part is 1.
  const double x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
  const double y = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1];
  const double z = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0];
  const double w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  return 2 * std::atan2(std::sqrt(x * x + y * y + z * z), std::abs(w));
}

}  // namespace

void Track::choose(const std::vector<Channel>& channels) {
  for (const Channel& c : channels) {
    if (!c.path.starts_with("bodies/")) continue;
    const auto slash = c.path.rfind('/');
    const std::string name = c.path.substr(7, slash - 7), leaf = c.path.substr(slash + 1);
    if (leaf == "position") bodies_.push_back({name, c, {}, {}, {}});
    if (leaf != "angle" && leaf != "quaternion") continue;
    const auto body =
        std::find_if(bodies_.begin(), bodies_.end(), [&](const Body& b) { return b.name == name; });
    if (body != bodies_.end()) body->turn = c;
  }
}

Track::Track(const Result& result) {
  choose(result.channels());
  times_ = result.series("uniform/time").values;
  for (Body& body : bodies_) {
    body.places = result.series("uniform/" + body.position.path).values;
    if (!body.turn.path.empty()) body.turns = result.series("uniform/" + body.turn.path).values;
  }
}

void Track::begin(const RunHeader& header) { choose(header.channels); }

void Track::uniform(double time, std::span<const double> row) {
  times_.push_back(time);
  const auto take = [&](const Channel& c, std::vector<double>& out) {
    if (c.path.empty()) return;
    const auto values =
        row.subspan(static_cast<std::size_t>(c.offset), static_cast<std::size_t>(c.width));
    out.insert(out.end(), values.begin(), values.end());
  };
  for (Body& body : bodies_) {
    take(body.position, body.places);
    take(body.turn, body.turns);
  }
}

Track::Apart Track::apart(const Track& other, std::size_t b, std::size_t i) const {
  const Body &one = bodies_[b], &two = other.bodies_[b];
  Apart out;
  const auto width = static_cast<std::size_t>(one.position.width);
  for (std::size_t k = 0; k < width; ++k)
    out.distance = std::hypot(out.distance, one.places[i * width + k] - two.places[i * width + k]);
  if (one.turn.width == 4)
    out.turn = between(&one.turns[4 * i], &two.turns[4 * i]);
  else if (!one.turn.path.empty())
    out.turn = std::abs(one.turns[i] - two.turns[i]);
  return out;
}

Settled compare(const Track& run, const Track& finer, std::size_t body, double length) {
  Settled out;
  const auto count = std::min(run.times().size(), finer.times().size());
  bool parted = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Track::Apart apart = run.apart(finer, body, i);
    out.difference = std::max(out.difference, apart.distance);
    out.rotation = std::max(out.rotation, apart.turn);
    parted = parted || apart.distance > kSettled * length || apart.turn > kSettled;
    if (!parted) out.until = finer.times()[i];
  }
  const double relative = std::max(out.difference / length, out.rotation);
  // 16 digits are all that a number has.
  out.digits = relative > 1e-16
                   ? std::clamp(static_cast<int>(std::floor(-std::log10(relative))), 0, 16)
                   : 16;
  return out;
}

Trust trust_of(const Track& run, const Track& finer, double length) {
  Trust out;
  out.length = length;
  out.until = out.end = finer.times().empty() ? 0 : finer.times().back();
  for (std::size_t b = 0; b < finer.bodies(); ++b) {
    const Settled settled = compare(run, finer, b, length);
    out.difference = std::max(out.difference, settled.difference);
    out.rotation = std::max(out.rotation, settled.rotation);
    out.until = std::min(out.until, settled.until);
  }
  return out;
}

Knob knob_of(Model& model) {
  Simulation& sim = model.simulation;
  // A fixed step takes the place of the tolerance, and is halved.
  if (has_fixed_step(sim)) return {"step", &sim.step, 0.5};
  return {"tolerance", &sim.tolerance, 0.1};
}

std::string text_of(const Trust& trust) {
  const std::string differs =
      fmt::format("{:.1e} m and {:.1e} rad from a run at {} {:.1g}", trust.difference,
                  trust.rotation, trust.knob, trust.value);
  if (trust.until >= trust.end) return "to the end: at most " + differs;
  return fmt::format("until {:.6g} s only, to {:.0e} of {:.3g} m and of a radian; up to {} later",
                     trust.until, kSettled, trust.length, differs);
}

}  // namespace freeplay::cli
