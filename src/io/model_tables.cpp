// SPDX-License-Identifier: Apache-2.0
#include "io/model_tables.hpp"

#include "io/control_tables.hpp"
#include "io/coupling_table.hpp"
#include "io/flexible_table.hpp"
#include "io/force_tables.hpp"
#include "io/links.hpp"
#include "io/repeat.hpp"
#include "io/shapes.hpp"
#include "model/joint_types.hpp"
#include "model/words.hpp"

#include <algorithm>

namespace freeplay::io {
namespace {

// ---------------------------------------------------------------- words

constexpr std::string_view kTranslational =
    "translational";  // what the literature calls a prismatic joint

template <class T>
std::vector<std::string> words_for(std::span<const T> values) {
  std::vector<std::string> out;
  out.reserve(values.size());
  for (const T value : values) out.emplace_back(name_of(value));
  return out;
}

/// The types of joint for which `has(kind)` is true.
template <class F>
std::vector<std::string> types_where(F&& has) {
  std::vector<std::string> out;
  for (const JointKind& kind : JointTypes::kinds)
    if (has(kind)) out.emplace_back(kind.word);
  return out;
}

/// The numbers that joint types have of their own, once each.
std::vector<Key> own_keys() {
  std::vector<Key> out;
  for (const JointKind& kind : JointTypes::kinds)
    for (const JointKey& own : kind.keys) {
      Shape value = quantity(std::string(own.unit));
      if (own.bound == JointKey::Bound::above_zero)
        value.above(0);
      else
        value.not_zero();
      Key k = key(std::string(own.name), value, std::string(own.doc));
      k.only_for({std::string(kind.word)});
      if (!own.as_written) k.require();
      out.push_back(std::move(k));
    }
  return out;
}

// ---------------------------------------------------------------- units that follow a joint
// coordinate

Measure measure_of(Coordinate c) { return is_angle(c) ? Measure::angle : Measure::length; }

/// Of the coordinate named in `table`, or of the only one the joint has.
Measure measure_of(const Node& joint, const Node& table) {
  const Node* word = joint.find("type");
  const auto type = word && word->is_text() ? joint_type(word->text()) : std::nullopt;
  if (!type) return Measure::unknown;
  const auto free = coordinates_of(*type);
  if (const Node* chosen = table.find("coordinate"); chosen && chosen->is_text()) {
    const auto c = coordinate(chosen->text());
    return c && std::ranges::find(free, *c) != free.end() ? measure_of(*c) : Measure::unknown;
  }
  return free.size() == 1 ? measure_of(free[0]) : Measure::unknown;
}

// ---------------------------------------------------------------- bodies, markers, joints

Shape point_per_body() { return map(vector("m").in_body()); }

TableShape mechanism_table() {
  return {"[mechanism]",
          "The mechanism as a whole.",
          {key("name", text(), "for headings"),
           key("planar", truth(),
               "bodies move in x, y and turn about z; vectors then have two entries"),
           key("gravity", vector("m/s^2"), "absent: none, with a notice")}};
}

TableShape orientation_table() {
  return {"orientation",
          "Rotation from body axes to global axes; exactly one form.",
          {key("euler_parameters", list(number(), {4}),
               "[w, x, y, z]; normalised if | |p|^2 - 1 | <= 1e-3"),
           key("axis", list(number(), {3}), "axis of one rotation").needs({"angle"}),
           key("angle", quantity("rad"), "about `axis`").needs({"axis"}),
           key("rotation_vector", list(quantity("rad"), {3}), "axis times angle"),
           key("xyz", list(quantity("rad"), {3}), "about x, then the new y, then the new z")},
          "",
          {"euler_parameters", "axis", "rotation_vector", "xyz"}};
}

TableShape body_table() {
  TableShape out{
      "[bodies.NAME]",
      "A body; its frame sits at the centre of mass. It has a mass, a link with a "
      "density, or shapes.",
      {key("mass", quantity("kg").at_least(0), "0 where the joints leave no massless freedom"),
       key("inertia", list(quantity("kg m^2"), {3, 6}),
           "about the centre of mass, body axes: xx yy zz, or xx yy zz xy xz yz (entries of "
           "the matrix); absent: "
           "point mass")
           .in_space(),
       key("inertia", quantity("kg m^2").at_least(0),
           "about the centre of mass; absent: point mass")
           .in_plane(),
       key("position", vector("m"), "centre of mass, global; absent: the origin"),
       key("orientation", table(orientation_table()), "absent: global axes").in_space(),
       key("angle", quantity("rad"), "rotation about z").in_plane(),
       key("velocity", vector("m/s"), "start velocity, global"),
       key("angular_velocity", vector("rad/s"), "start angular velocity, body axes").in_space(),
       key("angular_velocity", quantity("rad/s"), "start angular velocity").in_plane()}};
  std::vector<Key> links = link_keys();
  out.keys.insert(out.keys.end(), links.begin(), links.end());
  out.keys.push_back(shape_key());
  out.keys.push_back(flexible_key());
  out.some_of = {"mass", "density", "shape", "flexible"};
  return out;
}

TableShape marker_table() {
  return {"[markers.NAME]",
          "A frame on a body, to hang joints and springs on and to record.",
          {key("body", text(), "name of the body, or \"ground\"").require(),
           key("at", vector("m"), "global point, in the poses as written"),
           key("local", vector("m").in_body(), "point in the frame of the body"),
           key("axis", vector("1"), "z axis of the marker, global; absent: global z"),
           key("axes", list(number(), {9}),
               "x, y and z axis of the marker in body axes, in place of axis")
               .excludes({"axis"})},
          "",
          {"at", "local"}};
}

TableShape curve_table() {
  return {
      "curve",
      "Points that a smooth curve goes through, seen from the joint's first point in the axes of "
      "the first body: a quintic spline, smooth to the fourth derivative. An open curve goes on "
      "straight beyond its ends.",
      {key("x", list(quantity("m")), "of the points").needs({"y"}),
       key("y", list(quantity("m")), "of the points").needs({"x"}),
       key("z", list(quantity("m")), "of the points").needs({"x"}).in_space(),
       key("file", columns({"x", "y"}), "two columns in m, in a file beside the model").in_plane(),
       key("file", columns({"x", "y", "z"}), "three columns in m, in a file beside the model")
           .in_space(),
       key("closed", truth(), "the curve returns to its first point; absent: false")},
      "",
      {"x", "file"}};
}

TableShape joint_table() {
  std::vector<Key> speeds;
  for (const Coordinate c : coordinates())
    speeds.push_back(
        key(std::string(name_of(c)), quantity(is_angle(c) ? "rad/s" : "m/s"), "start speed"));
  Shape type = choice(words_for(joint_types()));
  type.alias(std::string(kTranslational), std::string(name_of(JointType::prismatic)));
  const Shape drive = table(drive_table());

  TableShape out{
      "[joints.NAME]",
      "A joint between two bodies. The first is the outer part (bearing, socket, guide).",
      {}};
  out.keys = {
      key("type", type, "what it leaves free; `translational` is `prismatic`").require(),
      key("bodies", list(text(), {2}), "first (outer) and second body; \"ground\" is the frame")
          .excludes({"markers"}),
      key("markers", list(text(), {2}), "first and second marker, in place of bodies, at and axis")
          .excludes({"bodies", "at", "axis", "second_axis", "axes"}),
      key("at", either({vector("m"), list(vector("m"), {2}), point_per_body()}),
          "global point in the poses as written; or { BODY = point } in body frames; the joints " +
              joint_words([](const JointKind& kind) { return kind.file.two_points; }) +
              " have two points, [first, second]"),
      key("axis", either({vector("1"), map(vector("1"))}),
          "axis, direction or normal, of any length: global, or { BODY = axis } in body frames")
          .only_for(types_where([](const JointKind& kind) { return kind.file.axis; })),
      key("second_axis", either({vector("1"), map(vector("1"))}),
          "cross axis fixed in the second body, normal to axis")
          .only_for(types_where(
              [](const JointKind& kind) { return kind.file.frames == FrameRule::cross; })),
      key("axes", map(list(number(), {9})),
          "{ BODY = [x, y, z axis of the joint frame in body axes] } for both bodies, in place of "
          "axis; as programs write it")
          .excludes({"axis", "second_axis"}),
      key("speed",
          either({quantity("{q}/s"),
                  table({"speed", "One for each coordinate that the joint has.", speeds})}),
          "start speed of the only coordinate, or { COORDINATE = speed }"),
      key("drive", either({drive, list(drive)}),
          "prescribed motion; a list where several coordinates are driven"),
      key("clearance", either({table(clearance_table()), text()}),
          "play between the parts, or the name of one of the `[clearances.NAME]`; absent: an ideal "
          "joint"),
      key("bushing", table(bushing_table()), "rubber in its place; absent: an ideal joint"),
      key("friction", table(joint_friction_table()), "of an ideal joint; absent: none"),
      key("stop", either({table(stop_table()), list(table(stop_table()))}),
          "end stops; a list where several coordinates have them"),
  };
  const auto after = std::ranges::find(out.keys, "second_axis", &Key::name) + 1;
  std::vector<Key> own = own_keys();
  own.push_back(key("curve", table(curve_table()), "the guide, in the axes of the first body")
                    .only_for(types_where([](const JointKind& kind) { return kind.file.curve; }))
                    .require());
  out.keys.insert(after, own.begin(), own.end());
  out.discriminator = "type";
  out.measure = [](const Node&, const Node& joint, const Node*) {
    return measure_of(joint, joint);
  };
  return out;
}

// ---------------------------------------------------------------- the run

/// It says nothing about the motion, so it is no part of a Model.
Key record_key() {
  const TableShape shape{
      "record",
      "What the result file keeps. Events, impacts and states to go on from are always kept.",
      {key("steps", truth(), "rows of the accepted steps; default true, false: the grid alone"),
       key("series", list(text()),
           "paths, in which * stands for anything (\"bodies/ram/*\"); default all"),
       key("every", number().at_least(1).at_most(1e9),
           "of the steps every n-th, and those at events; 1: all; default: all up to 512 kB, "
           "beyond "
           "it as many as fit, with those at events and at the extremes of each series")}};
  return key("record", table(shape), "what the result file keeps; default all, in little room");
}

TableShape simulation_table() {
  TableShape out{"[simulation]", "What is computed, and how exactly.",
                 keys_of(simulation_fields())};
  out.keys.push_back(record_key());
  return out;
}

Field<Simulation> stabilisation_field() {
  const TableShape baumgarte{
      "stabilisation",
      "Baumgarte's feedback, as published codes use it.",
      {key("baumgarte", list(quantity("1/s").at_least(0), {2}), "[alpha, beta]").require()}};
  return {key("stabilisation", either({choice({"projection"}), table(baumgarte)}),
              "of the constraints"),
          [](Simulation& out, const Node& node) {
            const Node* pair = node.find("baumgarte");
            if (pair)
              out.baumgarte = Baumgarte{pair->items()[0].number(), pair->items()[1].number()};
          },
          [](const Simulation& from) {
            Node alpha, beta, pair, out;
            if (!from.baumgarte) return out;
            alpha.value = from.baumgarte->alpha;
            beta.value = from.baumgarte->beta;
            pair.value = Node::Items{std::move(alpha), std::move(beta)};
            out.value = Node::Entries{{"baumgarte", {}, std::move(pair)}};
            return out;
          }};
}

}  // namespace

const std::vector<Field<Simulation>>& simulation_fields() {
  static const std::vector<Field<Simulation>> fields = [] {
    using S = Simulation;
    return std::vector<Field<S>>{
        field(key("start", quantity("s"), "time at which the run begins; default 0"), &S::start),
        field(key("duration", quantity("s").above(0), "default 1 s, with a notice"), &S::duration),
        field(key("output", quantity("s").above(0),
                  "step of the uniform series; default a thousandth of the duration"),
              &S::output),
        field(key("tolerance", number().at_least(1e-14).at_most(1e-2),
                  "relative to the mechanism's own scales; default 1e-9, of moreau 1e-6"),
              &S::tolerance),
        field(key("analysis", choice({"dynamic", "kinematic"}), "default dynamic"), &S::analysis,
              {Analysis::dynamic, Analysis::kinematic}),
        field(key("formulation", choice({"auto", "cartesian", "tree"}), "default auto"),
              &S::formulation, {Formulation::automatic, Formulation::cartesian, Formulation::tree}),
        field(key("integrator", choice(words_for(methods())),
                  "default auto; rk4 and heun take fixed steps, moreau steps over impacts"),
              &S::method, {methods().begin(), methods().end()}),
        field(key("step", quantity("s").above(0), "of the fixed-step methods, and of moreau"),
              &S::step),
        field(key("theta", number().at_least(0.5).at_most(1),
                  "of moreau: from 0.5, the midpoint, to 1, implicit Euler; default 0.5"),
              &S::theta),
        field(
            key("max_step", quantity("s").above(0), "largest step of the others; absent: no limit"),
            &S::max_step),
        stabilisation_field(),
    };
  }();
  return fields;
}

std::optional<JointType> joint_type(std::string_view word) {
  if (word == kTranslational) return JointType::prismatic;
  for (const JointType type : joint_types())
    if (name_of(type) == word) return type;
  return {};
}

std::optional<Coordinate> coordinate(std::string_view word) {
  for (const Coordinate c : coordinates())
    if (name_of(c) == word) return c;
  return {};
}

/// Of the joint that `table` names by its key "joint".
Measure measure_of_named_joint(const Node& root, const Node& table) {
  const Node* name = table.find("joint");
  const Node* joints = root.find("joints");
  const Node* joint = name && name->is_text() && joints ? joints->find(name->text()) : nullptr;
  return joint ? measure_of(*joint, table) : Measure::unknown;
}

std::vector<std::string> words_of_coordinates() { return words_for(coordinates()); }

Measure coordinate_measure(const Node& joint, const Node& table) {
  return measure_of(joint, table);
}

namespace {

TableShape row_of_points() {
  return {
      "row of points",
      "Points NAME_1, NAME_2, ...; `[points]` are NAME = vector, NAME = expression of points "
      "such as \"(A + B)/2\", or such a row.",
      {repeat_key().require(), key("at", vector("m"), "each of them, with the index i").require()}};
}

TableShape defaults_table() {
  return {"[defaults]",
          "What stands in a table unless it says otherwise.",
          {key("clearance", table(clearance_table()), "for every `clearance` table")}};
}

}  // namespace

const TableShape& model_table() {
  static const TableShape whole = [] {
    const auto named = [](TableShape shape) {
      shape.keys.push_back(repeat_key());
      return map(table(std::move(shape)));
    };
    TableShape out{"Model file", "One mechanism and what is to be computed of it.", {}};
    out.keys = {
        key("include", either({text(), list(text())}),
            "files this one is laid over, relative to it")
            .resolve_away(),
        key("parameters", map(either({quantity(""), list(quantity(""), {2, 3})})),
            "named quantities and vectors for use in values")
            .resolve_away(),
        key("points", map(either({vector("m"), table(row_of_points())})),
            "named points, global, in the poses as written: for `at`, `link` and expressions")
            .resolve_away(),
        key("defaults", table(defaults_table()), "keys of tables that do not have them themselves")
            .resolve_away(),
        key("clearances", map(table(clearance_table())),
            "tables of play that joints use by their names")
            .resolve_away(),
        key("mechanism", table(mechanism_table()), "the mechanism as a whole"),
        key("bodies", named(body_table()).reserve("ground"), "rigid bodies"),
        key("markers", named(marker_table()), "frames on bodies"),
        key("joints", named(joint_table()), "joints"),
        key("couplings", named(coupling_table()), "gears and racks"),
        key("signals", named(signal_table()).reserve("t"), "quantities as they are measured"),
        key("controllers", named(controller_table()).reserve("t"), "control laws"),
        key("simulation", table(simulation_table()), "the run"),
    };
    const std::vector<Key> forces = force_sections();
    out.keys.insert(out.keys.end() - 3, forces.begin(), forces.end());
    return out;
  }();
  return whole;
}

}  // namespace freeplay::io
