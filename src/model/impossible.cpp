// SPDX-License-Identifier: Apache-2.0
#include "model/impossible.hpp"

#include "model/joint_types.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/modal_part.hpp>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <string>
#include <utility>

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
  std::vector<Issue> take() { return std::move(issues_); }

 private:
  std::vector<Issue> issues_;
};

void check_inertia(const Model& model, const Body& body, const std::string& path, Report& report) {
  const Mat3& J = body.inertia;
  if (model.planar) return;  // a number >= 0, which the reader checks
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

/// A part of finite elements is taken hold of at its interfaces.
void check_place(const Model& model, const Frame& frame, int line, const std::string& path,
                 Report& report) {
  if (frame.body <= kGround || static_cast<std::size_t>(frame.body) >= model.bodies.size()) return;
  const Body& body = model.bodies[static_cast<std::size_t>(frame.body)];
  if (!body.flexible || !body.flexible->part) return;
  const ModalPart& part = *body.flexible->part;
  if (part.at(frame.point, model.planar) >= 0) return;
  report.add(
      line, path,
      fmt::format("{} of '{}' is at none of its interfaces", part.place(frame.point), body.name),
      "they are " + part.places());
}

}  // namespace

std::vector<Issue> impossibilities(const Model& model) {
  Report report;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const std::string path = "bodies." + body.name;
    check_inertia(model, body, path, report);
    if (body.mass == 0 && body.inertia.cwiseAbs().maxCoeff() > 0)
      report.add(body.line, path + ".inertia", "a body without mass has an inertia",
                 "give it a mass, or no inertia");
  }
  for (const Joint& joint : model.joints)
    for (const Frame* frame : {&joint.first, &joint.second})
      check_place(model, *frame, joint.line, "joints." + joint.name + ".at", report);
  for (const Marker& marker : model.markers)
    check_place(model, marker.frame, 0, "markers." + marker.name, report);
  for (const Joint& joint : model.joints)
    if (const auto faults = kind_of(joint).faults)
      for (const JointFault& fault : faults(joint))
        report.add(joint.line, "joints." + joint.name + "." + fault.key, fault.message, fault.hint);
  if (model.simulation.analysis == Analysis::kinematic)
    for (const Joint& joint : model.joints)
      if (joint.clearance)
        report.add(joint.line, "simulation.analysis",
                   fmt::format("a kinematic analysis follows ideal joints, but '{}' has clearance: "
                               "contact forces decide where its parts are",
                               joint.name),
                   fmt::format("use analysis = \"dynamic\", or set joints.{}.clearance = false",
                               joint.name));
  if (model.simulation.analysis == Analysis::kinematic)
    for (const Coupling& coupling : model.couplings)
      if (coupling.teeth)
        report.add(
            coupling.line, "simulation.analysis",
            fmt::format("a kinematic analysis follows constraints, but '{}' has play between "
                        "its teeth",
                        coupling.name),
            "use analysis = \"dynamic\", or leave 'backlash' and what belongs to it out");
  return report.take();
}

}  // namespace freeplay
