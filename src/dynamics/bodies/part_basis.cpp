// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/modal_basis.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/modal_part.hpp>

#include <fmt/format.h>

namespace freeplay::dynamics {
namespace {

/// No axis is kept in its length: a part of any shape has none, (FE.10).
ModalStation station(const ModalPart::Interface& at, bool planar) {
  ModalStation out;
  const Eigen::Index n = at.place.cols();
  out.point = at.point;
  if (planar) out.point[2] = 0;
  out.place = at.place;
  out.turn = at.turn;
  out.shortening = MatX(MatX::Zero(n, n));
  out.strain = MatX::Zero(4, n);
  return out;
}

}  // namespace

ModalBasis make_part_basis(const Body& body, bool planar, std::span<const Vec3> loaded,
                           std::span<const Vec3> watched) {
  const ModalPart& part = *body.flexible->part;
  const int n = part.modes();
  ModalBasis out;
  out.modes = n;
  out.frequency = part.frequency;
  out.axis.setZero();
  out.first = MatX::Zero(3, n);
  out.shortening = out.shortening_x = MatX(MatX::Zero(n, n));
  out.moments = part.moments;
  out.products.assign(part.products.begin(), part.products.end());
  out.twist = VecX::Zero(n);
  for (const auto points : {loaded, watched})
    for (const Vec3& point : points) {
      const int at = part.at(point, planar);
      if (at < 0) {
        Issue issue;
        issue.line = body.line;
        issue.path = "bodies." + body.name + ".flexible";
        issue.message =
            fmt::format("something acts at {} of its frame, where the part has no interface",
                        part.place(point));
        issue.hint = "its interfaces are " + part.places();
        throw ModelError(issue);
      }
      out.attached.push_back(station(part.interfaces[static_cast<std::size_t>(at)], planar));
    }
  for (const ModalPart::Interface& at : part.interfaces)
    out.sections.push_back(station(at, planar));
  return out;
}

}  // namespace freeplay::dynamics
