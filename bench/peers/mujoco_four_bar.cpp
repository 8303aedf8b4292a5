// SPDX-License-Identifier: Apache-2.0
#include "contact.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <vector>

// The spatial four-bar with play (papers/marques_2017) in MuJoCo: its own tree of joints, the
// contact through mjcb_passive, its RK4 with a fixed step. It has no events; touch and separation
// are located here by repeating the step with another length. Flight takes longer steps than
// contact.
namespace {

using Vec3 = Eigen::Vector3d;
const Vec3 kSocketPoint(-0.07492, -0.085, 0.04524), kBallPoint(-0.03492, 0, 0.06524);

mjModel* model = nullptr;
mjData* data = nullptr;
int coupler = 0, rocker = 0;
peers::Mode mode;

Vec3 origin(int body) { return Eigen::Map<const Vec3>(data->xpos + 3 * body); }
Vec3 point(int body, const Vec3& local) {
  return origin(body) +
         Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data->xmat + 9 * body) *
             local;
}
Vec3 speed_of(int body, const Vec3& place) {
  double v[6];
  mj_objectVelocity(model, data, mjOBJ_XBODY, body, v, 0);
  return Vec3(v[3], v[4], v[5]) + Vec3(v[0], v[1], v[2]).cross(place - origin(body));
}

void contact_force(const mjModel* m, mjData* d) {
  Vec3 force, place;
  const auto speed = [](const Vec3& q) { return Vec3(speed_of(rocker, q) - speed_of(coupler, q)); };
  if (!peers::push_on_ball<Vec3>(
          point(coupler, kSocketPoint), point(rocker, kBallPoint), mode,
          [](const Vec3& a, const Vec3& b) { return a.dot(b); }, speed, force, place))
    return;
  const double none[3] = {0, 0, 0};
  mj_applyFT(m, d, force.data(), none, place.data(), rocker, d->qfrc_passive);
  force = -force;
  mj_applyFT(m, d, force.data(), none, place.data(), coupler, d->qfrc_passive);
}

double depth() {
  mj_kinematics(model, data);
  return (point(rocker, kBallPoint) - point(coupler, kSocketPoint)).norm() - peers::kPlay;
}
double rate() {
  mj_fwdPosition(model, data);
  mj_fwdVelocity(model, data);
  const Vec3 socket = point(coupler, kSocketPoint), ball = point(rocker, kBallPoint);
  return (speed_of(rocker, ball) - speed_of(coupler, socket)).dot((ball - socket).normalized());
}

struct Saved {
  std::vector<double> q, v;
  double time = 0;
  void take() {
    q.assign(data->qpos, data->qpos + model->nq);
    v.assign(data->qvel, data->qvel + model->nv);
    time = data->time;
  }
  void put_back() const {
    std::copy(q.begin(), q.end(), data->qpos);
    std::copy(v.begin(), v.end(), data->qvel);
    data->time = time;
  }
};

long steps = 0;
void step(double h) {
  model->opt.timestep = h;
  mj_step(model, data);
  ++steps;
}

double simulate(bool friction, double duration, double contact_step, double flight_step) {
  mj_resetData(model, data);
  mode = {};
  mode.friction = friction;
  Saved before;
  double now = depth();
  while (data->time < duration) {
    const double h = std::min(mode.touching ? contact_step : flight_step, duration - data->time);
    if (h < 1e-15) break;
    before.take();
    const double old = now;
    step(h);
    now = depth();
    if ((now > 0) == mode.touching) continue;
    // Regula falsi (Illinois) on the length of the step.
    double a = 0, b = h, fa = mode.touching ? std::max(old, 1e-300) : std::min(old, -1e-300),
           fb = now;
    for (int k = 0; k < 40 && b - a > 1e-15; ++k) {
      double x = b - fb * (b - a) / (fb - fa);
      if (!(x > a && x < b)) x = 0.5 * (a + b);
      before.put_back();
      step(x);
      const double f = depth();
      if ((f > 0) == (fb > 0)) {
        if (b - x < 1e-15) {
          b = x;
          break;
        }
        b = x, fb = f, fa *= 0.5;
      } else {
        a = x, fa = f, fb *= 0.5;
      }
      if (std::abs(f) < 1e-17) break;
    }
    mode.touching = !mode.touching;
    if (mode.touching) mode.approach = std::max(rate(), 1e-5);
    now = depth();
  }
  mj_kinematics(model, data);
  return data->xipos[3 * rocker + 2];
}

void measure(const char* name, bool friction, double duration, double h) {
  double best = 0, z = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    steps = 0;
    const double start = peers::cpu_seconds();
    z = simulate(friction, duration, h, 5 * h);
    const double cpu = peers::cpu_seconds() - start;
    if (repeat == 0 || cpu < best) best = cpu;
    if (cpu > 2) break;  // long enough to be measured once
  }
  char setting[40];
  std::snprintf(setting, sizeof setting, "h = %.1e s", h);
  peers::print_row(name, "MuJoCo RK4", setting, z, best, 4 * steps);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: mujoco_four_bar four_bar.xml\n");
    return 2;
  }
  char error[1000] = "";
  model = mj_loadXML(argv[1], nullptr, error, sizeof error);
  if (!model) {
    std::fprintf(stderr, "%s\n", error);
    return 2;
  }
  data = mj_makeData(model);
  coupler = mj_name2id(model, mjOBJ_BODY, "coupler");
  rocker = mj_name2id(model, mjOBJ_BODY, "rocker");
  mjcb_passive = contact_force;
  for (double h : {2e-5, 1e-5, 5e-6, 2.5e-6, 1.25e-6})
    measure("four-bar frictionless 0.2 s", false, 0.2, h);
  for (double h : {4e-5, 3.5e-5, 3e-5, 2e-5, 1.4e-5, 1e-5})
    measure("four-bar friction 2 s", true, 2, h);

  // One evaluation in contact.
  simulate(true, 0.5, 2e-5, 1e-4);
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    constexpr int kCount = 20000;
    const double start = peers::cpu_seconds();
    for (int k = 0; k < kCount; ++k) mj_forward(model, data);
    best = std::min(best, (peers::cpu_seconds() - start) / kCount);
  }
  peers::print_row("one evaluation, four-bar", "MuJoCo", "in contact", 0, best, 1);
  mj_deleteData(data);
  mj_deleteModel(model);
  return 0;
}
