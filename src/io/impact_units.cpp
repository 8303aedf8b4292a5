// SPDX-License-Identifier: Apache-2.0
#include "io/impact_units.hpp"

#include "io/model_to_look_at.hpp"
#include <freeplay/errors.hpp>

#include <algorithm>
#include <utility>

namespace freeplay::io {
namespace {

ImpactUnits units(bool surfaces, bool angles) {
  ImpactUnits out;
  if (angles && !surfaces) return {"rad", "rad/s", "N m", "N m s"};
  if (angles) return {"m or rad", "m/s or rad/s", "N or N m", "N s or N m s"};
  return out;
}

std::pair<bool, bool> surfaces_and_angles(const Joint& joint) {
  bool surfaces = joint.clearance.has_value(), angles = false;
  for (const Stop& stop : joint.stops) (is_angle(stop.coordinate) ? angles : surfaces) = true;
  return {surfaces, angles};
}

ImpactUnits units_in(const Model& model) {
  bool surfaces = false, angles = false;
  for (const Joint& joint : model.joints) {
    const auto [s, a] = surfaces_and_angles(joint);
    surfaces = surfaces || s;
    angles = angles || a;
  }
  return units(surfaces, angles);
}

std::string renamed(const std::string& unit, const ImpactUnits& now) {
  const ImpactUnits usual;
  for (const auto& [from, to] :
       {std::pair(usual.speed, now.speed), std::pair(usual.impulse, now.impulse),
        std::pair(usual.force, now.force), std::pair(usual.depth, now.depth)})
    if (unit == from) return to;
  return unit;
}

std::vector<std::string> headings(const RowType& table, const Result& result) {
  ImpactUnits now;
  try {
    now = units_in(model_to_look_at(result.model_text(), result.path().string() + ": model"));
  } catch (const ModelError&) {
    // A damaged file, whose numbers are wanted all the same.
  }
  std::vector<std::string> out = headings_of(table);
  for (std::string& heading : out)
    if (const std::size_t at = heading.find(" ["); at != heading.npos)
      heading = heading.substr(0, at + 2) +
                renamed(heading.substr(at + 2, heading.size() - at - 3), now) + "]";
  return out;
}

}  // namespace

ImpactUnits impact_units(const Joint& joint) {
  const auto [surfaces, angles] = surfaces_and_angles(joint);
  return units(surfaces, angles);
}

std::string contact_units(const RowType& table, const Model& model) {
  const ImpactUnits now = units_in(model);
  std::string out;
  for (const Hdf5Field& field : table.fields)
    if (const std::string unit = column_unit(field.name); !unit.empty())
      out += (out.empty() ? "" : ", ") + field.name + ": " + renamed(unit, now);
  return out;
}

std::vector<std::string> impact_headings(const Result& result) {
  return headings(impact_row(0), result);
}
std::vector<std::string> event_headings(const Result& result) {
  return headings(event_row(0, 0), result);
}

}  // namespace freeplay::io
