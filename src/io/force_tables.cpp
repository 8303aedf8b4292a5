// SPDX-License-Identifier: Apache-2.0
#include "io/force_tables.hpp"

#include "io/expression.hpp"
#include "io/model_tables.hpp"
#include "io/repeat.hpp"
#include "io/text.hpp"

#include <algorithm>

namespace freeplay::io {
namespace {

using dynamics::each_force_type;
using dynamics::ForceKind;

std::vector<std::string> sections() {
  std::vector<std::string> out;
  each_force_type([&]<class S>(std::type_identity<S>) {
    if (out.empty() || out.back() != ForceKind<S>::section) out.emplace_back(ForceKind<S>::section);
  });
  return out;
}

Key coordinate_key() {
  return key("coordinate", choice(words_of_coordinates()), "which, if the joint has several");
}
Key frame_key() {
  return key("frame", choice({"global", "body"}),
             "axes of the direction; \"body\" follows the body");
}
Key magnitude_key(const std::string& unit) {
  return key("magnitude", motion_or_number(unit), "constant, or a function of time and motion");
}

/// Between two points, on a joint coordinate, or either.
void put_line(TableShape& out, bool points, bool coordinate) {
  if (points) {
    out.keys.push_back(key("bodies", list(text(), {2}), "between points of these").needs({"at"}));
    out.keys.push_back(key("markers", list(text(), {2}), "between these markers"));
    out.one_of = {"bodies", "markers"};
  }
  if (coordinate) {
    Key joint = key("joint", text(), points ? "on a coordinate of this joint" : "on which it acts");
    if (points)
      out.one_of.emplace_back("joint");
    else
      joint.require();
    out.keys.push_back(joint);
    out.keys.push_back(points ? coordinate_key().needs({"joint"}) : coordinate_key());
  }
  if (points)
    out.keys.push_back(key("at", either({list(vector("m"), {2}), map(vector("m").in_body())}),
                           "global points [first, second], or { BODY = point } in body frames")
                           .needs({"bodies"}));
  out.measure = [](const Node& root, const Node& table, const Node*) {
    return table.has("joint") ? measure_of_named_joint(root, table) : Measure::length;
  };
}

/// Table and formula in place of a stiffness.
void put_characteristic(TableShape& out) {
  out.keys.push_back(
      key("table",
          table({"force table",
                 "Force against elongation or coordinate: a cubic spline through the points, "
                 "limited where it would overshoot them, and continued straight.",
                 {key("x", list(quantity("{q}")), "strictly increasing").needs({"force"}),
                  key("force", list(quantity("{f}")), "tension or restoring effort").needs({"x"}),
                  key("file", columns({"x", "force"}),
                      "two columns in SI, in a file beside the model")},
                 "",
                 {"x", "file"}}),
          "nonlinear characteristic in place of stiffness")
          .excludes({"stiffness", "formula"}));
  out.keys.push_back(
      key("formula", formula(kOfMotion),
          "tension or restoring effort in place of stiffness, in SI: \"500*x + 2e4*x^3\"; x is the "
          "elongation, or the coordinate less `rest`, and v its rate")
          .excludes({"stiffness", "table"}));
}

/// On a body: at one of its points a force, else a torque.
void put_vector(TableShape& out, bool at_point) {
  out.keys.push_back(key("body", text(), "on which it acts").require());
  if (at_point) {
    out.keys.push_back(key("at", either({vector("m"), map(vector("m").in_body())}),
                           "global point in the pose as written, or { BODY = point } in its frame; "
                           "absent: centre of mass"));
    out.keys.push_back(key("vector", vector("N"), "constant force"));
    out.keys.push_back(key("direction", vector("1"), "of any length").needs({"magnitude"}));
    out.keys.push_back(magnitude_key("N").needs({"direction"}));
    out.one_of = {"vector", "magnitude"};
  } else {
    out.keys.push_back(key("vector", vector("N m"), "constant torque").in_space());
    out.keys.push_back(key("value", quantity("N m"), "constant torque about z").in_plane());
    out.keys.push_back(
        key("direction", vector("1"), "of any length").in_space().needs({"magnitude"}));
    out.keys.push_back(magnitude_key("N m").in_plane());
    out.keys.push_back(magnitude_key("N m").in_space().needs({"direction"}));
    out.one_of = {"vector", "value", "magnitude"};
  }
  out.keys.push_back(frame_key());
}

/// visit(type) for the types of one section.
template <class Visit>
void each_type_of(const std::string& section, Visit&& visit) {
  each_force_type([&]<class S>(std::type_identity<S> type) {
    if (ForceKind<S>::section == section) visit(type);
  });
}

Key section_key(const std::string& name) {
  TableShape out{"[" + name + ".NAME]", "", {}};
  std::string brief;
  bool points = false, coordinate = false, characteristic = false, effort = false;
  int types = 0;
  each_type_of(name, [&]<class S>(std::type_identity<S>) {
    out.doc = ForceKind<S>::doc;
    brief = ForceKind<S>::brief;
    points = points || kBetweenPoints<S>;
    coordinate = coordinate || kOnCoordinate<S>;
    characteristic = characteristic || requires(const S& s) { s.table; };
    effort = effort || (kOnCoordinate<S> && requires(const S& s) { s.magnitude; });
    if (kAtPoint<S> || kOnBody<S>) put_vector(out, kAtPoint<S>);
    ++types;
  });
  if (points || coordinate) put_line(out, points, coordinate);
  // Types of one section read the same keys, each into its own members; every key is listed once.
  each_type_of(name, [&]<class S>(std::type_identity<S>) {
    for (Key k : keys_of(number_fields<S>())) {
      if (out.find(k.name, nullptr)) continue;
      int owners = 0;
      each_type_of(name, [&]<class Other>(std::type_identity<Other>) {
        owners += std::ranges::count(keys_of(number_fields<Other>()), k.name, &Key::name);
      });
      if (owners < types)
        k.needs(kBetweenPoints<S> ? std::vector<std::string>{"bodies", "markers"}
                                  : std::vector<std::string>{"joint"});
      out.keys.push_back(std::move(k));
    }
  });
  if (characteristic) put_characteristic(out);
  if (effort) out.keys.push_back(magnitude_key("{f}").require());
  out.keys.push_back(repeat_key());
  return key(name, map(table(std::move(out))), brief);
}

}  // namespace

std::vector<Key> force_sections() {
  std::vector<Key> out;
  for (const std::string& name : sections()) out.push_back(section_key(name));
  return out;
}

std::string section_words() {
  const std::vector<std::string> all = sections();
  std::string out;
  for (std::size_t k = 0; k < all.size(); ++k)
    out += (k == 0 ? "" : k + 1 < all.size() ? ", " : " and ") + all[k];
  return out;
}

}  // namespace freeplay::io
