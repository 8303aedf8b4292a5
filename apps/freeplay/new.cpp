// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "templates.hpp"
#include "terminal.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

// `freeplay new`: a model to start from, which runs as it is. Comments explain what one changes
// first.
namespace freeplay::cli {
namespace {

constexpr std::string_view kPlanar =
    R"toml(# A slider-crank in the plane: crank -> rod -> slider, with play in the pin between rod and slider.
#
#   freeplay check FILE                                  everything known before running
#   freeplay run FILE                                    simulate, into STEM.h5
#   freeplay get STEM.h5 impacts                         how the pin hits its bearing
#   freeplay report STEM.h5                              the motion, and the pin in its play, as a page
#   freeplay run FILE --set joints.pin.clearance=false   the same without play
#
# A bare number is SI and angles are radians; a text may carry a unit: "50 mm", "300 rpm", "30 deg".
# `freeplay new --list` shows other machines to start from.

[mechanism]
name    = "NAME"
planar  = true                       # bodies move in x, y and turn about z
gravity = [0, -9.81]                 # m/s^2

[parameters]                         # names for use in the values below, also: --set parameters.speed="600 rpm"
speed = "300 rpm"
crank = "50 mm"
rod   = "120 mm"
play  = "0.1 mm"

[points]                             # of the start pose: crank and rod lie stretched out along x
O = [0, 0]
A = ["crank", 0]
B = "A + polar(rod, 0 deg)"

# Bodies: a link is a uniform rod between two points, whose centre and inertia follow; any other body has a mass (kg), an
# inertia about its centre of mass (kg m^2) and a position.

[bodies]
crank  = { link = ["O", "A"], mass = 0.30 }
rod    = { link = ["A", "B"], mass = 0.21 }
slider = { position = "B", mass = 0.14, inertia = 1e-5 }

# Joints connect two bodies, of which the first is the outer part (bearing, guide). `ground` does not move. Reactions
# of all joints are recorded.

[joints]
crank_pin = { type = "revolute", bodies = ["crank", "rod"], at = "A" }
guide     = { type = "prismatic", bodies = ["ground", "slider"], at = "B", axis = [1, 0] }

[joints.crank_bearing]
type   = "revolute"
bodies = ["ground", "crank"]
at     = "O"
drive  = { speed = "speed" }         # a prescribed motion; without it, say   speed = "speed"   to let it run free

[joints.pin]
type   = "revolute"
bodies = ["slider", "rod"]
at     = "B"

[joints.pin.clearance]               # delete this table and the joint is ideal; `freeplay laws` lists the laws
bearing_radius = "10 mm"
radial         = "play"
material       = "steel"
contact        = { law = "flores", restitution = 0.7 }
friction       = { law = "ambrosio", kinetic = 0.05 }

[simulation]
duration  = "0.4 s"                  # two turns
output    = "0.2 ms"                 # spacing of the uniform series; steps of the solver are stored as well
tolerance = 1e-9                     # accuracy, relative to the mechanism's own scales
)toml";

constexpr std::string_view kSpatial =
    R"toml(# A slider-crank in space: crank -> rod -> slider; the guide passes beside the crank's plane.
#
#   freeplay check FILE                                  everything known before running
#   freeplay run FILE                                    simulate, into STEM.h5
#   freeplay get STEM.h5 bodies/slider/position.x        numbers
#
# A bare number is SI and angles are radians; a text may carry a unit: "50 mm", "300 rpm", "30 deg".

[mechanism]
name    = "NAME"
gravity = [0, 0, -9.81]              # m/s^2

[parameters]                         # names for use in the values below, also: --set parameters.offset="30 mm"
crank  = "0.10 m"
rod    = "0.29 m"
offset = "20 mm"                     # of the guide, along y
reach  = "sqrt(rod^2 - crank^2 - offset^2)"

# Bodies: mass (kg), inertia about the centre of mass in body axes (kg m^2: xx, yy, zz), and the pose at the start:
# centre of mass, and orientation where the body axes do not point along the global ones.
# Here the crank stands upright along z.

[bodies.crank]
mass     = 0.12
inertia  = [1e-4, 1e-4, 1e-5]        # z along the crank
position = [0, 0, "crank/2"]

[bodies.rod]
mass        = 0.5
inertia     = [4e-3, 4e-4, 4e-3]     # y along the rod, from crank to slider
position    = ["reach/2", "offset/2", "crank/2"]
orientation = { xyz = ["atan2(-crank, offset)", 0, "-asin(reach/rod)"] }

[bodies.slider]
mass     = 0.5
inertia  = [1e-4, 1e-4, 1e-4]
position = ["reach", "offset", 0]

# Joints connect two bodies, of which the first is the outer part (bearing, socket, guide). `at` and `axis` are
# global, in the start pose; `ground` does not move. Reactions of all joints are recorded.

[joints.crank_bearing]
type   = "revolute"
bodies = ["ground", "crank"]
at     = [0, 0, 0]
axis   = [0, 1, 0]
speed  = "1 rev/s"                   # at the start, then free; a prescribed motion would be   drive = { speed = "1 rev/s" }

[joints.crank_pin]
type   = "spherical"
bodies = ["crank", "rod"]
at     = [0, 0, "crank"]

[joints.wrist]                       # lets the rod swing about two axes, but not spin
type        = "universal"
bodies      = ["rod", "slider"]
at          = ["reach", "offset", 0]
axis        = ["-crank/rod", 0, "-reach/rod"]   # in the rod, across it
second_axis = [0, 1, 0]                         # in the slider

[joints.guide]
type   = "prismatic"
bodies = ["ground", "slider"]
at     = ["reach", "offset", 0]
axis   = [1, 0, 0]

[simulation]
duration  = "1 s"
output    = "1 ms"                   # spacing of the uniform series; steps of the solver are stored as well
tolerance = 1e-9                     # accuracy, relative to the mechanism's own scales
)toml";

std::string with(std::string text, std::string_view key, std::string_view value) {
  for (auto at = text.find(key); at != text.npos; at = text.find(key, at + value.size()))
    text.replace(at, key.size(), value);
  return text;
}

// For a TOML string, or a comment.
std::string plain(const std::string& name) {
  std::string out;
  for (const char c : name)
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7f) out += c;
  return out;
}

/// The comment that a template begins with, up to the first full stop.
std::string_view about(std::string_view text) {
  const auto start = text.find_first_not_of("# ");
  return text.substr(start, text.find_first_of(".\n", start) - start);
}

int list_templates() {
  Table table({"template", "what it is"});
  table.add({"slider-crank",
             "A slider-crank in the plane, with play in its pin (what any other name gives)"});
  for (const Template& t : templates())
    table.add({std::string(t.name), std::string(about(t.text))});
  print(table.text() +
        "\n`freeplay new press` writes press.toml, `freeplay new my_machine --from press` "
        "my_machine.toml\n");
  return kDone;
}

/// Chosen by --from, or by the name of the file itself; the slider-crank otherwise.
std::string_view text_for(const NewArguments& a, const std::string& stem) {
  std::vector<std::string> names{"slider-crank"};
  for (const Template& t : templates()) names.emplace_back(t.name);
  const std::string wanted = a.from.empty() ? stem : a.from;
  for (const Template& t : templates())
    if (t.name == wanted) return t.text;
  if (!a.from.empty() && a.from != names[0])
    throw UsageError("there is no template '" + a.from + "'; there are " +
                     fmt::format("{}", fmt::join(names, ", ")));
  return a.spatial ? kSpatial : kPlanar;
}

}  // namespace

int new_command(const NewArguments& a) {
  if (a.list) return list_templates();
  if (a.name.empty()) throw UsageError("a model needs a name, or say --list");
  std::filesystem::path file = a.name;
  if (file.extension() != ".toml") file += ".toml";
  if (file.stem().empty() || file.stem() == ".toml") throw UsageError("a model needs a name");
  std::string text(text_for(a, file.stem().string()));
  text = with(text, "FILE", plain(file.string()));
  text = with(text, "STEM", plain(file.stem().string()));
  text = with(text, "NAME", plain(file.stem().string()));

  std::FILE* out = std::fopen(file.string().c_str(), "wbx");
  if (!out && errno == EEXIST)
    throw UsageError(file.string() + " exists already; nothing was written");
  const auto fail = [&](int error) {
    throw IoError("cannot write " + file.string() + ": " + std::generic_category().message(error));
  };
  if (!out) fail(errno);
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (std::fclose(out) != 0 || !written) {
    const int error = errno;
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    fail(error);
  }
  print(fmt::format("wrote {}; next: freeplay run {}\n", file.string(), file.string()));
  return kDone;
}

}  // namespace freeplay::cli
