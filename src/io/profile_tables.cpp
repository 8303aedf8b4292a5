// SPDX-License-Identifier: Apache-2.0
#include "io/profile_tables.hpp"

#include "io/model_tree.hpp"
#include "io/text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freeplay::io {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

class ProfileReader {
 public:
  ProfileReader(Build& build, const Node& node, std::string path)
      : build_(build), node_(node), path_(std::move(path)) {}

  std::optional<Profile> read() {
    if (node_.has("ellipse")) return read_ellipse();
    if (node_.has("lobes")) return read_lobes();
    if (node_.has("angle")) return read_measured();
    if (node_.has("waviness")) return read_waviness();
    return {};
  }

 private:
  std::optional<Profile> refuse(const std::string& key, std::string message,
                                std::string hint = {}) {
    const Entry* entry = node_.entry(key);
    build_.error(entry ? entry->place : node_.place, path_ + "." + key, std::move(message),
                 std::move(hint));
    return {};
  }
  [[nodiscard]] double number(std::string_view key, double usual) const {
    const Node* value = node_.find(key);
    return value ? value->number() : usual;
  }
  [[nodiscard]] static bool whole(double value) { return value == std::round(value); }

  std::optional<Profile> read_ellipse() {
    const Node* axes = node_.find("ellipse");
    if (!axes) return {};
    return EllipseProfile{axes->items()[0].number(), axes->items()[1].number(), number("phase", 0)};
  }
  std::optional<Profile> read_lobes() {
    const Node *lobes = node_.find("lobes"), *amplitude = node_.find("amplitude");
    if (!lobes || !amplitude) return {};
    if (!whole(lobes->number()))
      return refuse("lobes", brief(lobes->number()) + " is not a whole number",
                    "lobes close after a turn only if they are whole");
    return LobedProfile{lobes->number(), amplitude->number(), number("phase", 0)};
  }
  std::optional<Profile> read_measured() {
    const Node *angle = node_.find("angle"), *radius = node_.find("radius");
    if (!angle || !radius || !is_function(build_, *angle, *radius, path_, "angle")) return {};
    MeasuredProfile out{numbers(*angle), numbers(*radius), number("harmonics", 15)};
    if (out.angle.back() - out.angle.front() >= kTurn)
      return refuse("angle",
                    "the angles go round more than once, from " + brief(out.angle.front()) +
                        " to " + brief(out.angle.back()) + " rad",
                    "one turn, without its first point again; angles in files are in rad");
    double gap = out.angle.front() + kTurn - out.angle.back();
    for (std::size_t k = 1; k < out.angle.size(); ++k)
      gap = std::max(gap, out.angle[k] - out.angle[k - 1]);
    // Two points to a wave, at least.
    if (gap > std::numbers::pi / out.harmonics)
      return refuse("angle",
                    "a gap of " + brief(gap * 180 / std::numbers::pi) +
                        " deg between two angles is too wide for " + brief(out.harmonics) +
                        " undulations per turn",
                    "measure more closely, or lower 'harmonics'; angles in files are in rad");
    if (const auto bad = std::ranges::find_if(out.radius, [](double r) { return !(r > 0); });
        bad != out.radius.end())
      return refuse("radius", brief(*bad) + " m is no radius", "radii, not departures from one");
    return out;
  }
  std::optional<Profile> read_waviness() {
    const Node* table = node_.find("waviness");
    if (!table) return {};
    const Node *rms = table->find("rms"), *wavelength = table->find("wavelength"),
               *seed = table->find("seed");
    if (!rms || !wavelength) return {};
    const double start = seed ? seed->number() : 1;
    if (!whole(start))
      return refuse("waviness", "the seed " + brief(start) + " is not a whole number");
    return WavyProfile{rms->number(), wavelength->number(), start};
  }

  Build& build_;
  const Node& node_;
  std::string path_;
};

}  // namespace

TableShape profile_table(const std::string& name) {
  const auto length = [] { return quantity("m").above(0); };
  TableShape out{
      name,
      "How the surface departs from its circle. Angles count from the x axis of the body that "
      "carries it, anticlockwise. An ellipse or measured radii take the place of the radius.",
      {key("ellipse", list(length(), {2}), "half axes, along x and across, in place of the radius"),
       key("lobes", number().at_least(2), "waves round the circle").needs({"amplitude"}),
       key("amplitude", length(), "of the lobes").needs({"lobes"}),
       key("phase", quantity("rad"), "where the first half axis, or a lobe, points; absent: 0")
           .needs({"ellipse", "lobes"}),
       key("angle", list(quantity("rad")), "of measured radii, one turn").needs({"radius"}),
       key("radius", list(quantity("m")), "measured, in place of the radius").needs({"angle"}),
       key("file", columns({"angle", "radius"}),
           "the same as two columns in rad and m, in a file beside the model"),
       key("harmonics", number().at_least(1).at_most(500),
           "undulations per turn of which the Gaussian filter lets half through; absent: 15")
           .needs({"angle", "file"}),
       key("waviness",
           table({"waviness",
                  "Random waves about a wavelength; the same seed, the same surface.",
                  {key("rms", length(), "of their height").require(),
                   key("wavelength", length(), "along the surface").require(),
                   key("seed", number().at_least(0).at_most(9e15), "absent: 1")}}),
           "random waves")}};
  out.one_of = {"ellipse", "lobes", "angle", "file", "waviness"};
  return out;
}

std::optional<Profile> read_profile(Build& build, const Node& node, const std::string& path) {
  return ProfileReader(build, node, path).read();
}

Node write_profile(const Profile& profile) {
  TableWriter out;
  if (const auto* e = std::get_if<EllipseProfile>(&profile)) {
    const std::array axes{e->along, e->across};
    out.put("ellipse", axes).put_unless(0, "phase", e->phase);
  } else if (const auto* l = std::get_if<LobedProfile>(&profile)) {
    out.put("lobes", l->lobes).put("amplitude", l->amplitude).put_unless(0, "phase", l->phase);
  } else if (const auto* m = std::get_if<MeasuredProfile>(&profile)) {
    out.put("angle", m->angle).put("radius", m->radius).put("harmonics", m->harmonics);
  } else if (const auto* w = std::get_if<WavyProfile>(&profile)) {
    out.put("waviness", TableWriter()
                            .put("rms", w->rms)
                            .put("wavelength", w->wavelength)
                            .put("seed", w->seed)
                            .done());
  }
  return out.done();
}

}  // namespace freeplay::io
