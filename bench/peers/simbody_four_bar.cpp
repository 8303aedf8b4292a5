// SPDX-License-Identifier: Apache-2.0
#include "contact.hpp"

#include <Simbody.h>

#include <algorithm>
#include <cstdio>

// The spatial four-bar with play (papers/marques_2017) in Simbody: the tree it would build itself
// (pin, ball, pin; the clearance opens the loop), the contact as a custom force, touch and
// separation as triggered events. RungeKuttaMerson is its fastest integrator here; CPodes stalls in
// the impacts.
namespace {

using namespace SimTK;

constexpr double kPi = 3.14159265358979323846;
const Vec3 A(0, 0, 0.02), B(-0.07492, -0.085, 0.06524), C(-0.04, -0.085, 0);
const Vec3 kCouplerCentre(-0.03746, -0.04250, 0.04262), kRockerCentre(-0.05746, -0.08500, 0.03262);

/// Body axes along the global ones at the start, origin at the joint: mass properties about it.
MassProperties about(const Vec3& origin, double mass, const Vec3& centre, const Vec3& principal,
                     const Quaternion& turn) {
  const Rotation R(turn);
  const Inertia own = Inertia(principal).reexpress(~R);
  return MassProperties(mass, centre - origin, own.shiftFromMassCenter(-(centre - origin), mass));
}

struct FourBar {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::Gravity gravity{forces, matter, Vec3(0, 0, -9.81)};
  MobilizedBody::Pin crank, rocker;
  MobilizedBody::Ball coupler;
  peers::Mode mode;

  FourBar() {
    const Rotation to_x(kPi / 2, YAxis), to_y(-kPi / 2, XAxis);  // pins turn about z
    crank = MobilizedBody::Pin(
        matter.Ground(), Transform(to_x),
        Body::Rigid(MassProperties(0.0196, Vec3(0), Inertia(3.92e-5, 1.97e-5, 1.97e-5))),
        Transform(to_x));
    coupler = MobilizedBody::Ball(
        crank, Transform(A),
        Body::Rigid(about(A, 0.1416, kCouplerCentre, Vec3(1.7743e-3, 3.51e-5, 1.7743e-3),
                          Quaternion(Vec4(0.9186, -0.1764, 0.06747, -0.3472)))),
        Transform());
    rocker = MobilizedBody::Pin(
        matter.Ground(), Transform(to_y, C),
        Body::Rigid(about(C, 0.0316, kRockerCentre, Vec3(1.456e-4, 2.9e-6, 1.456e-4),
                          Quaternion(Vec4(0.3634, -0.6066, -0.6066, 0.3634)))),
        Transform(to_y));
  }
  Vec3 socket(const State& s) const { return coupler.findStationLocationInGround(s, B - A); }
  Vec3 ball(const State& s) const { return rocker.findStationLocationInGround(s, B - C); }
  double depth(const State& s) const { return (ball(s) - socket(s)).norm() - peers::kPlay; }
  double rate(const State& s) const {
    const Vec3 e = ball(s) - socket(s);
    const Vec3 v = rocker.findStationVelocityInGround(s, B - C) -
                   coupler.findStationVelocityInGround(s, B - A);
    return dot(v, e) / e.norm();
  }
};

class Contact : public Force::Custom::Implementation {
 public:
  explicit Contact(const FourBar& bar) : bar_(bar) {}
  void calcForce(const State& s, Vector_<SpatialVec>& on, Vector_<Vec3>&, Vector&) const override {
    Vec3 force, place;
    const auto speed = [&](const Vec3& q) {
      return Vec3(
          bar_.rocker.findStationVelocityInGround(s, bar_.rocker.findStationAtGroundPoint(s, q)) -
          bar_.coupler.findStationVelocityInGround(s, bar_.coupler.findStationAtGroundPoint(s, q)));
    };
    if (!peers::push_on_ball<Vec3>(
            bar_.socket(s), bar_.ball(s), bar_.mode,
            [](const Vec3& a, const Vec3& b) { return dot(a, b); }, speed, force, place))
      return;
    bar_.rocker.applyForceToBodyPoint(s, bar_.rocker.findStationAtGroundPoint(s, place), force, on);
    bar_.coupler.applyForceToBodyPoint(s, bar_.coupler.findStationAtGroundPoint(s, place), -force,
                                       on);
  }
  Real calcPotentialEnergy(const State&) const override { return 0; }

 private:
  const FourBar& bar_;
};

class TouchOrPart : public TriggeredEventHandler {
 public:
  explicit TouchOrPart(FourBar& bar) : TriggeredEventHandler(Stage::Position), bar_(bar) {
    getTriggerInfo().setRequiredLocalizationTimeWindow(1e-9);
  }
  Real getValue(const State& s) const override { return bar_.depth(s); }
  void handleEvent(State& s, Real, bool&) const override {
    bar_.system.realize(s, Stage::Velocity);
    bar_.mode.touching = bar_.depth(s) > 0;
    if (bar_.mode.touching) bar_.mode.approach = std::max(bar_.rate(s), 1e-5);
    s.invalidateAllCacheAtOrAbove(Stage::Dynamics);
  }

 private:
  FourBar& bar_;
};

void measure(bool friction, double duration, double accuracy, const char* name) {
  double best = 0, z = 0;
  long evaluations = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    FourBar bar;
    bar.mode.friction = friction;
    Force::Custom contact(bar.forces, new Contact(bar));
    bar.system.addEventHandler(new TouchOrPart(bar));
    State state = bar.system.realizeTopology();
    RungeKuttaMersonIntegrator integrator(bar.system);
    integrator.setAccuracy(accuracy);
    TimeStepper stepper(bar.system, integrator);
    stepper.initialize(state);
    const double start = peers::cpu_seconds();
    stepper.stepTo(duration);
    const double cpu = peers::cpu_seconds() - start;
    z = bar.rocker.findStationLocationInGround(stepper.getState(), kRockerCentre - C)[2];
    evaluations = integrator.getNumRealizations();
    if (repeat == 0 || cpu < best) best = cpu;
    if (cpu > 2) break;  // long enough to be measured once
  }
  char setting[40];
  std::snprintf(setting, sizeof setting, "%.0e", accuracy);
  peers::print_row(name, "Simbody RungeKuttaMerson", setting, z, best, evaluations);
}

/// One evaluation of an open chain of links hanging from pins.
void chain(int links) {
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::Gravity gravity(forces, matter, Vec3(0, -9.81, 0));
  const Body::Rigid link(MassProperties(1, Vec3(0.5, 0, 0), Inertia(1e-3, 1. / 3, 1. / 3)));
  MobilizedBody last = matter.Ground();
  for (int k = 0; k < links; ++k)
    last = MobilizedBody::Pin(last, Transform(Vec3(k > 0, 0, 0)), link, Transform());
  State state = system.realizeTopology();
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const int count = 20;
    const double start = peers::cpu_seconds();
    for (int k = 0; k < count; ++k) {
      state.updQ()[0] = 1e-3 * k;
      system.realize(state, Stage::Acceleration);
    }
    best = std::min(best, (peers::cpu_seconds() - start) / count);
  }
  char setting[40];
  std::snprintf(setting, sizeof setting, "%d links", links);
  peers::print_row("one evaluation, open chain", "Simbody", setting, 0, best, 1);
}

}  // namespace

int main() {
  for (double accuracy : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10})
    measure(false, 0.2, accuracy, "four-bar frictionless 0.2 s");
  for (double accuracy : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9})
    measure(true, 2, accuracy, "four-bar friction 2 s");
  chain(1000);
  return 0;
}
