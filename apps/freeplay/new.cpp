// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "terminal.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

// `freeplay new`: a model to start from, which runs as it is. Comments explain what one changes
// first.
namespace freeplay::cli {
namespace {

constexpr std::string_view kPlanar = R"toml(# A slider-crank in the plane: crank -> rod -> slider.
#
#   freeplay check FILE                                  everything known before running
#   freeplay run FILE                                    simulate, into STEM.h5
#   freeplay get STEM.h5 bodies/slider/position.x        numbers
#
# A bare number is SI and angles are radians; a text may carry a unit: "50 mm", "300 rpm", "30 deg".

[mechanism]
name    = "NAME"
planar  = true                       # bodies move in x, y and turn about z
gravity = [0, -9.81]                 # m/s^2

[parameters]                         # names for use in the values below, also: --set parameters.speed="600 rpm"
speed  = "300 rpm"
crank  = "50 mm"
rod    = "120 mm"

# Bodies: mass (kg), inertia about the centre of mass (kg m^2), and where the centre of mass is at the start.
# Here the crank and the rod lie stretched out along x.

[bodies.crank]
mass     = 0.30
inertia  = 1.0e-4
position = ["crank/2", 0]

[bodies.rod]
mass     = 0.21
inertia  = 2.5e-4
position = ["crank + rod/2", 0]

[bodies.slider]
mass     = 0.14
inertia  = 1.0e-5
position = ["crank + rod", 0]

# Joints connect two bodies, of which the first is the outer part (bearing, guide). `at` is a point of the start
# pose; `ground` does not move. Reactions of all joints are recorded.

[joints.crank_bearing]
type   = "revolute"
bodies = ["ground", "crank"]
at     = [0, 0]
drive  = { speed = "speed" }         # a prescribed motion; without it, say   speed = "speed"   to let it run free

[joints.crank_pin]
type   = "revolute"
bodies = ["crank", "rod"]
at     = ["crank", 0]

[joints.pin]
type   = "revolute"
bodies = ["slider", "rod"]
at     = ["crank + rod", 0]

[joints.guide]
type   = "prismatic"
bodies = ["ground", "slider"]
at     = ["crank + rod", 0]
axis   = [1, 0]

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

}  // namespace

int new_command(const NewArguments& a) {
  std::filesystem::path file = a.name;
  if (file.extension() != ".toml") file += ".toml";
  if (file.stem().empty() || file.stem() == ".toml") throw UsageError("a model needs a name");
  std::string text(a.spatial ? kSpatial : kPlanar);
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
