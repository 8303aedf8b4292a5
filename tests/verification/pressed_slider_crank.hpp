// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/recording.hpp"

#include <string>

namespace freeplay::testing {

/// Cases W2 and W3: the slider-crank of case G at 300 rpm, pressed by 100 N so that its pin
/// follows. `clearance` and `simulation` are lines of those tables.
inline Model pressed_slider_crank(const std::string& clearance, const std::string& simulation) {
  return model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.crank]
mass = 0.30
inertia = 1.0e-4
position = [0.025, 0]
[bodies.rod]
mass = 0.21
inertia = 2.5e-4
position = [0.11, 0]
[bodies.slider]
mass = 0.14
position = [0.17, 0]
[joints.crank_bearing]
type = "revolute"
bodies = ["ground", "crank"]
at = [0, 0]
drive = { speed = "300 rpm" }
[joints.crank_pin]
type = "revolute"
bodies = ["crank", "rod"]
at = [0.05, 0]
[joints.pin]
type = "revolute"
bodies = ["slider", "rod"]
at = [0.17, 0]
[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
at = [0.17, 0]
axis = [1, 0]
[forces.load]
body = "slider"
at = [0.17, 0]
vector = [-100, 0]
[joints.pin.clearance]
)" + clearance + "\n[simulation]\n" +
                    simulation);
}

}  // namespace freeplay::testing
