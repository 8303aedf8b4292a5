// SPDX-License-Identifier: Apache-2.0
#include "model/drivable.hpp"
#include "model/joint_types.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/model.hpp>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <cmath>
#include <set>

// What no mechanism can have, whatever file or program built it. Everything found is reported at
// once.
namespace freeplay {
namespace {

class Report {
 public:
  void add(int line, std::string path, std::string message, std::string hint = {}) {
    Issue issue;
    issue.line = line;
    issue.path = std::move(path);
    issue.message = std::move(message);
    issue.hint = std::move(hint);
    issues_.push_back(std::move(issue));
  }
  void finish() {
    if (!issues_.empty()) throw ModelError(std::move(issues_));
  }

 private:
  std::vector<Issue> issues_;
};

void check_inertia(const Model& model, const Body& body, const std::string& path, Report& report) {
  const Mat3& J = body.inertia;
  if (!J.allFinite())
    return report.add(body.line, path + ".inertia", "inertia is not a finite number");
  if (model.planar) {
    if (J(2, 2) < 0)
      report.add(body.line, path + ".inertia",
                 fmt::format("{} is negative; kg m^2 expected", J(2, 2)));
    return;
  }
  const Vec3 principal =
      Eigen::SelfAdjointEigenSolver<Mat3>(J, Eigen::EigenvaluesOnly).eigenvalues();
  const double slack = 1e-6 * principal.cwiseAbs().maxCoeff();
  if (principal[0] < -slack) {
    report.add(body.line, path + ".inertia",
               fmt::format("principal inertia {:.6g} is negative", principal[0]),
               "check the signs of the products xy, xz, yz");
  } else if (principal[2] > principal[0] + principal[1] + slack) {
    report.add(
        body.line, path + ".inertia",
        fmt::format("principal inertias {:.6g}, {:.6g}, {:.6g} violate the triangle inequality: "
                    "no body has the largest above the sum of the others",
                    principal[0], principal[1], principal[2]),
        "inertia is about the centre of mass, in body axes");
  }
}

void check_clearance(const Joint& joint, const std::string& path, Report& report) {
  const Clearance& c = *joint.clearance;
  const auto refuse = [&](std::string message, std::string hint = {}) {
    report.add(joint.line, path, std::move(message), std::move(hint));
  };
  for (const double size :
       {c.outer_radius, c.inner_radius, c.outer_length, c.inner_length, c.outer_width,
        c.inner_width, c.outer_height, c.inner_height, c.flange_radius, c.corner_radius,
        c.face_modulus, c.outer.young, c.inner.young, c.min_approach_speed})
    if (!(std::isfinite(size) && size >= 0))
      return refuse(fmt::format("{} is not a size; a finite number >= 0 expected", size));
  for (const Material& m : {c.outer, c.inner})
    if (!(m.poisson > -1 && m.poisson < 0.5))
      refuse(fmt::format("Poisson's ratio {} is outside (-1, 0.5)", m.poisson));
  if (c.inner_radius > c.outer_radius || c.inner_width > c.outer_width)
    refuse("the inner part is larger than the outer one");
  if (!c.offset.allFinite()) refuse("offset is not finite");
}

}  // namespace

void validate(const Model& model) {
  Report report;
  if (model.bodies.size() < 2)
    report.add(0, "bodies", "there is no body besides the ground", "add a [bodies.NAME] table");

  std::set<std::string> names;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const std::string path = "bodies." + body.name;
    if (!names.insert(body.name).second) report.add(body.line, path, "name is used twice");
    if (!std::isfinite(body.mass) || body.mass < 0)
      report.add(body.line, path + ".mass",
                 fmt::format("{} kg is not a mass; a number >= 0 expected", body.mass));
    if (!body.position.allFinite())
      report.add(body.line, path + ".position", "position is not finite");
    if (!body.orientation.allFinite() || std::abs(body.orientation.squaredNorm() - 1) > 1e-9)
      report.add(body.line, path + ".orientation", "Euler parameters are not of unit length");
    check_inertia(model, body, path, report);
    if (body.mass == 0 && body.inertia.cwiseAbs().maxCoeff() > 0)
      report.add(body.line, path + ".inertia", "a body without mass has an inertia",
                 "give it a mass, or no inertia");
  }

  const int bodies = static_cast<int>(model.bodies.size());
  for (const Joint& joint : model.joints) {
    const std::string path = "joints." + joint.name;
    for (const Frame* f : {&joint.first, &joint.second})
      if (f->body < 0 || f->body >= bodies)
        report.add(joint.line, path + ".bodies", "unknown body");
    if (joint.first.body == joint.second.body)
      report.add(joint.line, path + ".bodies",
                 fmt::format("joins '{}' with itself", model.bodies[joint.first.body].name));
    if (const auto faults = kind_of(joint).faults)
      for (const JointFault& fault : faults(joint))
        report.add(joint.line, path + "." + fault.key, fault.message, fault.hint);
    if (joint.clearance) check_clearance(joint, path + ".clearance", report);
    std::set<Coordinate> driven;
    for (const Drive& drive : joint.drives)
      if (const std::string why = undrivable(joint); !why.empty())
        report.add(joint.line, path + ".drive", why, "put the drive on another joint");
      else if (!driven.insert(drive.coordinate).second)
        report.add(joint.line, path + ".drive",
                   fmt::format("coordinate '{}' is driven twice", name_of(drive.coordinate)));
  }
  const Simulation& sim = model.simulation;
  if (!(sim.duration > 0))
    report.add(0, "simulation.duration", fmt::format("{} s is not > 0", sim.duration));
  if (!(sim.tolerance >= 1e-14 && sim.tolerance <= 1e-2))
    report.add(0, "simulation.tolerance",
               fmt::format("{} is outside [1e-14, 1e-2]", sim.tolerance));
  if (sim.analysis == Analysis::kinematic)
    for (const Joint& joint : model.joints)
      if (joint.clearance)
        report.add(joint.line, "simulation.analysis",
                   fmt::format("a kinematic analysis follows ideal joints, but '{}' has clearance: "
                               "contact forces decide where its parts are",
                               joint.name),
                   fmt::format("use analysis = \"dynamic\", or set joints.{}.clearance = false",
                               joint.name));
  report.finish();
}

}  // namespace freeplay
