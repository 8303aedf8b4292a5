// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/flexible_body.hpp"

#include "dynamics/bodies/modal_body.hpp"
#include "dynamics/bodies/planar_beam.hpp"
#include "dynamics/bodies/rigid_body.hpp"
#include "dynamics/bodies/spatial_beam.hpp"
#include "model/force_parts.hpp"

#include <algorithm>

namespace freeplay::dynamics {
namespace {

/// Where joints and forces act on a body, and where markers look at it; body axes.
struct Points {
  std::vector<Vec3> loaded, watched;
  Points(const Model& model, BodyIndex body) {
    const auto load = [&](const Frame& frame) {
      if (frame.body == body) loaded.push_back(frame.point);
    };
    for (const Joint& joint : model.joints) load(joint.first), load(joint.second);
    for (const Force& force : model.forces)
      std::visit([&](const auto& s) { each_frame(s, load); }, force.element);
    for (const Marker& marker : model.markers)
      if (marker.frame.body == body) watched.push_back(marker.frame.point);
  }
};

}  // namespace

std::unique_ptr<MovingBody> make_body(const Model& model, BodyIndex body) {
  const Body& is = model.bodies[static_cast<std::size_t>(body)];
  if (!is.flexible) return make_rigid_body(model, body);
  const Points points(model, body);
  if (is.flexible->method == FlexibleMethod::modal)
    return std::make_unique<ModalBody>(model, body, points.loaded, points.watched);
  if (model.planar) return std::make_unique<PlanarBeam>(is, model.gravity, *is.flexible);
  std::vector<Vec3> all = points.loaded;
  all.insert(all.end(), points.watched.begin(), points.watched.end());
  return std::make_unique<SpatialBeam>(model, body, all);
}

Model stiffened(const Model& model) {
  Model out = model;
  for (Body& body : out.bodies) body.flexible.reset();
  return out;
}

bool bends(const Model& model) {
  return std::any_of(model.bodies.begin(), model.bodies.end(),
                     [](const Body& body) { return body.flexible.has_value(); });
}

}  // namespace freeplay::dynamics
