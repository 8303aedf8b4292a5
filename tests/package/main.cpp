// SPDX-License-Identifier: Apache-2.0
#include <freeplay/load.hpp>
#include <freeplay/simulator.hpp>
#include <freeplay/version.hpp>

#include <cmath>
#include <cstdio>
#include <span>

// docs/guide/embedding.md shows what stands between the marks.
namespace {

// [example]
using namespace freeplay;

/// A pendulum of 1 kg, 0.5 m below its pin, whose motor is set from outside.
Model pendulum() {
  Model model;  // bodies[0] is the ground
  model.planar = true;
  model.gravity = {0, -9.81, 0};

  Body bob;
  bob.name = "bob";
  bob.mass = 1;
  bob.inertia(2, 2) = 0.02;
  bob.position = {0, -0.5, 0};
  model.bodies.push_back(bob);

  Joint pin;
  pin.name = "pin";
  pin.type = JointType::revolute;
  pin.first = {kGround, {0, 0, 0}};
  pin.second = {BodyIndex(1),
                {0, 0.5, 0}};  // in the frame of the bob, which sits at its centre of mass
  model.joints.push_back(pin);

  model.forces.push_back(
      {"motor", JointEffort{{JointIndex(0), Coordinate::angle}, Input{"torque"}}});
  model.simulation.duration = 5;
  validate(model);  // throws a ModelError that names every mistake and its place
  return model;
}

/// Holds the pendulum out at 1 rad by a controller that looks every 5 ms.
double hold_at(double angle) {
  Simulator simulator(pendulum());
  const int at = simulator.column("joints/pin/coordinate");
  const int rate = simulator.column("joints/pin/rate");
  for (int sample = 0; sample < 1000; ++sample) {
    const std::span<const double> now = simulator.snapshot();
    const double torque = 40 * (angle - now[at]) - 8 * now[rate];
    if (!simulator.set("torque", torque)) break;
    if (simulator.advance(5e-3 * (sample + 1)) == Stopped::failed) break;
  }
  const double reached = simulator.snapshot()[at];
  if (simulator.finish().status != RunStatus::done) std::puts(simulator.result().reason.c_str());
  return reached;
}
// [example]

}  // namespace

int main() {
  // At rest the spring of the controller carries the weight: 40 (1 - x) = 9.81 0.5 sin x.
  const double x = hold_at(1);
  if (std::abs(40 * (1 - x) - 9.81 * 0.5 * std::sin(x)) > 1e-6) {
    std::printf("the pendulum hangs at %.9g rad\n", x);
    return 1;
  }
  // What was built in code is a model file like any other.
  if (write_model(parse_model(write_model(pendulum()), "pendulum")) != write_model(pendulum()))
    return 2;
  std::printf("freeplay %s\n", freeplay::version());
}
