// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/errors.hpp>

#include <string>

namespace freeplay::testing {

/// A small model for files that refer to one.
inline constexpr const char* kPendulum = R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.rod]
mass = 1
inertia = 0.02
position = [0.25, 0]
[joints.pivot]
type = "revolute"
bodies = ["ground", "rod"]
at = [0, 0]
[simulation]
duration = 0.5
)";

/// What reading a file complains about, a line each; "none" if nothing.
template <class Read>
std::string mistakes_of(Read&& read) {
  try {
    (void)read();
  } catch (const ModelError& error) {
    std::string all;
    for (const Issue& issue : error.issues()) all += issue.text() + "\n";
    return all;
  }
  return "none";
}

}  // namespace freeplay::testing
