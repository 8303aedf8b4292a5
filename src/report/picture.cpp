// SPDX-License-Identifier: Apache-2.0
#include "report/picture.hpp"

#include "model/force_parts.hpp"
#include "model/joint_types.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace freeplay::report {
namespace {

using nlohmann::json;

json vector_of(const Vec3& v) { return {v[0], v[1], v[2]}; }

// Columns one after the other: x, y, z in body axes.
json axes_of(const Mat3& axes) {
  json out = json::array();
  for (int column = 0; column < 3; ++column)
    for (int row = 0; row < 3; ++row) out.push_back(axes(row, column));
  return out;
}

json frame_of(const Frame& frame) {
  return {{"body", static_cast<int>(frame.body)},
          {"point", vector_of(frame.point)},
          {"axes", axes_of(frame.axes)}};
}

const char* word_for(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::box:
      return "box";
    case Shape::Kind::cylinder:
      return "cylinder";
    case Shape::Kind::sphere:
      return "sphere";
    case Shape::Kind::capsule:
      return "capsule";
    case Shape::Kind::mesh:
      return "mesh";
  }
  return "";
}

json shape_of(const Shape& shape, DataBlock& block, double share) {
  json out = {{"kind", word_for(shape.kind)},
              {"size", vector_of(shape.size)},
              {"centre", vector_of(shape.centre)},
              {"axes", axes_of(shape.axes)}};
  if (!shape.colour.empty()) out["colour"] = shape.colour;
  if (shape.kind != Shape::Kind::mesh) return out;
  constexpr std::size_t kFewest = 200;  // triangles that still look like something
  const std::size_t whole = shape.triangles.size();
  const auto limit =
      share < 1 ? std::max(kFewest, static_cast<std::size_t>(share * static_cast<double>(whole)))
                : whole;
  const Surface drawn = coarsened({shape.vertices, shape.triangles}, limit);
  std::vector<double> vertices, triangles;
  for (const Vec3& v : drawn.vertices) vertices.insert(vertices.end(), {v[0], v[1], v[2]});
  for (const auto& t : drawn.triangles)
    for (const int k : t) triangles.push_back(k);
  out["mesh"] = {{"vertices", block.add_floats(vertices)},
                 {"corners", drawn.vertices.size()},
                 {"triangles", block.add_floats(triangles)},  // exact below 2^24
                 {"count", drawn.triangles.size()},
                 {"whole", whole}};
  return out;
}

json beam_of(const Flexible& beam) {
  return {{"from", vector_of(beam.from)},
          {"to", vector_of(beam.to)},
          {"large", beam.method == FlexibleMethod::beam},
          {"EA", beam.EA},
          {"EI", {beam.EI_y, beam.EI_z}},
          {"young", beam.young},
          {"fibre", {beam.fibre_y, beam.fibre_z}}};
}

json body_of(const Body& body, DataBlock& block, double share) {
  json out = {{"name", body.name},
              {"mass", body.mass},
              {"inertia", {body.inertia(0, 0), body.inertia(1, 1), body.inertia(2, 2)}},
              {"shapes", json::array()}};
  for (const Shape& shape : body.shapes) out["shapes"].push_back(shape_of(shape, block, share));
  // A real part has no axis to be drawn by: like a rigid body it is bars between its joints.
  if (body.flexible && !body.flexible->part) out["flexible"] = beam_of(*body.flexible);
  return out;
}

json clearance_of(const Clearance& c) {
  return {{"outer", c.outer_radius},
          {"inner", c.inner_radius},
          {"width", {c.outer_width, c.inner_width}},
          {"height", {c.outer_height, c.inner_height}},
          {"length", {c.outer_length, c.inner_length}},
          {"ends", c.ends ? json{c.ends->from, c.ends->to} : json()},
          {"contact", c.contact.key},
          {"film", c.film ? json(c.film->law.key) : json()},
          {"friction", c.friction ? json(c.friction->key) : json()}};
}

json joint_of(const Joint& joint) {
  const JointKind& kind = kind_of(joint);
  const JointKind::Page& page = kind.page;
  const bool in_arc = kind.play == PlayParts::arc && joint.clearance;
  json out = {
      {"name", joint.name},
      {"type", std::string(name_of(joint.type))},
      {"kind",
       {{"slides", page.slides}, {"shape", page.shape}, {"play", in_arc ? "arc" : page.play}}},
      {"first", frame_of(joint.first)},
      {"second", frame_of(joint.second)},
      {"driven", !joint.drives.empty()},
      {"rubber", joint.bushing.has_value()},
      {"stops", json::array()}};
  for (const Stop& stop : joint.stops)
    out["stops"].push_back({{"coordinate", std::string(name_of(stop.coordinate))},
                            {"angle", is_angle(stop.coordinate)},
                            {"lower", stop.lower ? json(*stop.lower) : json()},
                            {"upper", stop.upper ? json(*stop.upper) : json()}});
  if (joint.clearance) out["clearance"] = clearance_of(*joint.clearance);
  if (joint.curve) {
    out["curve"] = json::array();
    for (const Vec3& p : joint.curve->outline()) out["curve"].push_back(vector_of(p));
  }
  if (joint.length > 0) out["length"] = joint.length;
  if (joint.pitch_radius > 0) out["pitch_radius"] = joint.pitch_radius;
  return out;
}

// By the names of members, as in force_parts.hpp: a new type of element is drawn without a word
// here.
template <class S>
json element_of(const S& s) {
  json out = json::object();
  bool spring = false, damper = false;
  if constexpr (requires { s.stiffness; })
    spring = s.stiffness != 0 || table_of(s) || formula_of(s);
  if constexpr (requires { s.preload; }) spring = spring || s.preload != 0;
  if constexpr (requires { s.damping; }) damper = s.damping != 0;
  out["spring"] = spring;
  out["damper"] = damper;
  if constexpr (requires { s.free_length; }) out["free_length"] = s.free_length;
  if constexpr (requires { s.along; }) out["series"] = true;
  std::vector<Frame> frames;
  each_frame(s, [&](const Frame& frame) { frames.push_back(frame); });
  if (frames.size() > 1) {
    out["first"] = frame_of(frames.front());
    out["second"] = frame_of(frames.back());
  } else if (frames.size() == 1) {
    out["at"] = frame_of(frames.front());
  }
  if (const JointCoordinate* on = coordinate_of(s)) {
    out["joint"] = static_cast<int>(on->joint);
    out["angle"] = is_angle(on->coordinate);
  }
  if constexpr (requires { s.direction; }) {
    const double length = s.direction.norm();
    out["direction"] = vector_of(length > 0 ? Vec3(s.direction / length) : s.direction);
    out["follows"] = s.follows_body;
  }
  if constexpr (kOnBody<S>) out["body"] = static_cast<int>(s.body);
  return out;
}

// The vertices in each cell of a grid as one, in their middle.
Surface clustered(const Surface& surface, const Vec3& low, double cell) {
  using Key = std::array<std::int64_t, 3>;
  std::map<Key, int> cells;
  std::vector<int> of(surface.vertices.size());
  std::vector<int> members;
  Surface out;
  for (std::size_t i = 0; i < surface.vertices.size(); ++i) {
    const Vec3 at = (surface.vertices[i] - low) / cell;
    const Key key{std::llround(std::floor(at[0])), std::llround(std::floor(at[1])),
                  std::llround(std::floor(at[2]))};
    const auto [known, is_new] = cells.emplace(key, static_cast<int>(members.size()));
    if (is_new) {
      members.push_back(0);
      out.vertices.emplace_back(Vec3::Zero());
    }
    of[i] = known->second;
    const auto k = static_cast<std::size_t>(known->second);
    ++members[k];
    out.vertices[k] += surface.vertices[i];
  }
  for (std::size_t k = 0; k < members.size(); ++k) out.vertices[k] /= members[k];
  for (const auto& t : surface.triangles) {
    const std::array<int, 3> now{of[static_cast<std::size_t>(t[0])],
                                 of[static_cast<std::size_t>(t[1])],
                                 of[static_cast<std::size_t>(t[2])]};
    if (now[0] != now[1] && now[1] != now[2] && now[2] != now[0]) out.triangles.push_back(now);
  }
  return out;
}

}  // namespace

Surface coarsened(const Surface& surface, std::size_t limit) {
  if (surface.triangles.size() <= limit || surface.vertices.empty()) return surface;
  Vec3 low = surface.vertices[0], high = low;
  for (const Vec3& v : surface.vertices) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  const double size = (high - low).maxCoeff();
  if (!(size > 0)) return surface;
  // Cells along the longest side: the number of triangles grows with it, hardly ever otherwise.
  Surface out = clustered(surface, low, size);
  int fits = 1, too_many = 2048;
  while (too_many - fits > 1) {
    const int cells = (fits + too_many) / 2;
    Surface finer = clustered(surface, low, size / cells);
    if (finer.triangles.size() <= limit) {
      fits = cells;
      out = std::move(finer);
    } else {
      too_many = cells;
    }
  }
  return out;
}

json picture_of(const Model& model, DataBlock& block, std::size_t triangles) {
  std::size_t whole = 0;
  for (const Body& body : model.bodies)
    for (const Shape& shape : body.shapes) whole += shape.triangles.size();
  const double share =
      whole > triangles ? static_cast<double>(triangles) / static_cast<double>(whole) : 1;
  json bodies = json::array(), joints = json::array(), forces = json::array(),
       couplings = json::array(), markers = json::array();
  for (const Body& body : model.bodies) bodies.push_back(body_of(body, block, share));
  for (const Joint& joint : model.joints) joints.push_back(joint_of(joint));
  for (const Force& force : model.forces) {
    json one = std::visit([](const auto& s) { return element_of(s); }, force.element);
    one["name"] = force.name;
    forces.push_back(std::move(one));
  }
  for (const Coupling& c : model.couplings)
    couplings.push_back(
        {{"name", c.name},
         {"joints", {static_cast<int>(c.first.joint), static_cast<int>(c.second.joint)}},
         {"angles", {is_angle(c.first.coordinate), is_angle(c.second.coordinate)}},
         {"ratio", c.ratio}});
  for (const Marker& marker : model.markers)
    markers.push_back({{"name", marker.name}, {"frame", frame_of(marker.frame)}});
  return {{"name", model.name},
          {"planar", model.planar},
          {"gravity", vector_of(model.gravity)},
          {"bodies", bodies},
          {"joints", joints},
          {"forces", forces},
          {"couplings", couplings},
          {"markers", markers},
          {"tolerance", model.simulation.tolerance},
          {"duration", model.simulation.duration}};
}

}  // namespace freeplay::report
