// SPDX-License-Identifier: Apache-2.0
#include "support/trusses.hpp"

#include <freeplay/load.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <tuple>

namespace freeplay::testing {
namespace {

constexpr const char* kPlay =
    "clearance = { bearing_radius = \"5 mm\", radial = \"play\", bearing_length = \"10 mm\", "
    "material "
    "= \"steel\", contact = { law = \"flores\", restitution = 0.5 }, friction = { law = "
    "\"ambrosio\", "
    "kinetic = 0.1 } }\n";

struct Point {
  double x = 0, y = 0;
};

std::string pin(const std::string& name, const std::string& first, const std::string& second,
                Point at) {
  return fmt::format(
      "[joints.{}]\ntype = \"revolute\"\nbodies = [\"{}\", \"{}\"]\nat = [{:.15g}, {:.15g}]\n{}\n",
      name, first, second, at.x, at.y, kPlay);
}

Model load(const std::string& text, const std::string& name) {
  const auto file = std::filesystem::temp_directory_path() /
                    fmt::format("freeplay_{}_{}.toml", name, static_cast<long>(::getpid()));
  std::ofstream(file) << text;
  Model model = load_model(file);
  std::filesystem::remove(file);
  return model;
}

}  // namespace

std::string scissor_mast_text(int units) {
  constexpr double kHalf = 0.2, kTilt = 70 * std::numbers::pi / 180;  // half a bar, m; its angle
  const double width = 2 * kHalf * std::cos(kTilt), height = 2 * kHalf * std::sin(kTilt);
  std::string out = fmt::format(
      "# A deployable mast: {} scissor units in a row, 0.05 mm of play in each of {} pins.\n"
      "#\n"
      "# Look at: bodies/u{}/position while the mast sags into its play and is shut at the root; "
      "one gentle touch\n"
      "# after the other until all pins carry.\n\n"
      "[mechanism]\nname = \"deployable scissor mast, {} units\"\nplanar = true\ngravity = [0, "
      "-9.81]\n\n"
      "[parameters]\nplay = \"0.05 mm\"\n\n[simulation]\nduration = \"20 ms\"\n\n",
      units, 3 * units - 2, units - 1, units);
  for (int k = 0; k < units; ++k)
    for (const char bar : {'u', 'd'})
      out += fmt::format(
          "[bodies.{}{}]\nmass = 0.3\ninertia = 4e-3\nposition = [{:.15g}, {:.15g}]\nangle = "
          "{:.15g}\n\n",
          bar, k, (k + 0.5) * width, 0.5 * height, bar == 'u' ? kTilt : -kTilt);
  const auto name = [](char letter, int k) { return fmt::format("{}{}", letter, k); };
  for (int k = 0; k < units; ++k) {
    out += pin(name('m', k), name('u', k), name('d', k), {(k + 0.5) * width, 0.5 * height});
    if (k + 1 == units) break;
    out += pin(name('t', k), name('u', k), name('d', k + 1), {(k + 1) * width, height});
    out += pin(name('b', k), name('d', k), name('u', k + 1), {(k + 1) * width, 0});
  }
  out += "[joints.foot]\ntype = \"revolute\"\nbodies = [\"ground\", \"u0\"]\nat = [0, 0]\n\n";
  out += fmt::format(
      "[joints.rail]\ntype = \"point-on-line\"\nbodies = [\"ground\", \"d0\"]\nat = [0, {:.15g}]\n"
      "axis = [0, 1]\n"
      "drive = {{ step = {{ from = 0, to = \"-60 mm\", start = 0, end = \"0.4 s\" }} }}\n",
      height);
  return out;
}

std::string ring_truss_text(int units) {
  constexpr double kPart = 0.14, kSpin = 10;  // of the circumference, m; rad/s
  const double turn = 2 * std::numbers::pi / units, inner = kPart / turn, outer = inner + 0.2;
  std::string out = fmt::format(
      "# A ring truss: {} scissor units in a closed ring that spins freely, 0.05 mm of play in "
      "each of {} pins.\n"
      "#\n"
      "# Look at: joints/o0/ratio: the bars fly outward until every pin carries its share of the "
      "hoop.\n\n"
      "[mechanism]\nname = \"ring truss, {} units\"\nplanar = true\ngravity = [0, 0]\n\n"
      "[parameters]\nplay = \"0.05 mm\"\n\n[simulation]\nduration = \"10 ms\"\n\n",
      units, 3 * units, units);
  const auto at = [&](double radius, int k) {
    return Point{radius * std::cos(k * turn), radius * std::sin(k * turn)};
  };
  const auto name = [&](char letter, int k) { return fmt::format("{}{}", letter, k % units); };
  std::string pins;
  for (int k = 0; k < units; ++k) {
    const Point a = at(inner, k), b = at(outer, k + 1), c = at(outer, k), d = at(inner, k + 1);
    for (const auto& [bar, from, to] : {std::tuple{'u', a, b}, std::tuple{'d', c, d}}) {
      const double x = 0.5 * (from.x + to.x), y = 0.5 * (from.y + to.y);
      out += fmt::format(
          "[bodies.{}{}]\nmass = 0.3\ninertia = 1e-3\nposition = [{:.15g}, {:.15g}]\nangle = "
          "{:.15g}\nvelocity = [{:.15g}, {:.15g}]\nangular_velocity = {}\n\n",
          bar, k, x, y, std::atan2(to.y - from.y, to.x - from.x), -kSpin * y, kSpin * x, kSpin);
    }
    // The bars are mirror images: they cross on the line between.
    const double share = inner / (inner + outer);
    pins += pin(name('m', k), name('u', k), name('d', k),
                {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)});
    pins += pin(name('o', k), name('u', k), name('d', k + 1), b);
    pins += pin(name('i', k), name('d', k), name('u', k + 1), d);
  }
  return out + pins;
}

Model scissor_mast(int units) {
  return load(scissor_mast_text(units), fmt::format("mast_{}", units));
}
Model ring_truss(int units) { return load(ring_truss_text(units), fmt::format("ring_{}", units)); }

}  // namespace freeplay::testing
