// SPDX-License-Identifier: Apache-2.0
#include "io/coupling_table.hpp"

#include "dynamics/elements/mesh.hpp"
#include "io/expression.hpp"
#include "io/law_tables.hpp"
#include "io/model_tables.hpp"
#include "io/parameters.hpp"
#include "io/text.hpp"
#include "model/formula.hpp"
#include <freeplay/errors.hpp>

#include <algorithm>
#include <cmath>

// [couplings.NAME]: its table, how it is read, checked and written.
namespace freeplay::io {
namespace {

/// Places round a turn at which formulas of teeth are tried.
constexpr int kTrials = 3600;

const std::vector<laws::Entry>& contacts() {
  static const auto out = laws::contact_catalogue();
  return out;
}
const std::vector<laws::Entry>& frictions() {
  static const auto out = laws::friction_catalogue();
  return out;
}

std::vector<Field<Teeth>> teeth_fields() {
  using T = Teeth;
  return {
      field(key("backlash", quantity("m").at_least(0),
                "play between the teeth along the pitch line, the whole gap; absent: none, and the "
                "coupling is a constraint. 0: teeth that give way, without play"),
            &T::backlash),
      field(key("pitch_radius", quantity("m").above(0), "of the second wheel, if both turn")
                .needs({"backlash"})
                .only_for({"gear"}),
            &T::pitch_radius),
      field(key("offset", quantity("m"),
                "how far the second part is ahead of the middle of the gap at the start; absent: 0")
                .needs({"backlash"}),
            &T::offset)};
}

std::vector<Field<Teeth::Thread>> thread_fields() {
  using T = Teeth::Thread;
  return {field(key("radius", quantity("m").above(0),
                    "pitch radius of the screw or worm, the first part")
                    .require(),
                &T::radius),
          field(key("flank_angle", quantity("rad").at_least(0).at_most(1.5),
                    "of the flanks against the normal of the axis; absent: 0, square"),
                &T::flank_angle)};
}

Key contact_key() {
  return key("contact",
             table(law_table("contact", "The contact law of both flanks.", contacts(), "",
                             {key("min_approach_speed", quantity("m/s").above(0),
                                  "damping laws divide by the approach speed: not by less than "
                                  "this; absent: 1e-5 m/s")})),
             "stiffness and damping or restitution of the teeth")
      .needs({"backlash"});
}

/// A formula of the first coordinate, tried all round.
std::optional<Formula> read_of_place(Build& build, const Node& node, const std::string& path,
                                     bool positive) {
  Formula out;
  try {
    out = compile_formula(node.text(), kOfPlace);
  } catch (const ExpressionError& error) {
    report(error, node, path, build.diagnostics);
    return {};
  }
  for (int k = 0; k < kTrials; ++k) {
    const double x = 2 * M_PI * k / kTrials;
    const double y = model::evaluate<Series<double, 3>>(out, {x, 0.0, 0.0}).c[0];
    if (std::isfinite(y) && (!positive || y > 0)) continue;
    build.error(node.place, path,
                quote(node.text()) + " is " + brief(y) + " at x = " + brief(x) +
                    (positive ? ", and teeth push" : ""),
                positive ? "a factor above 0, such as \"1 + 0.2*cos(20*x)\"" : "");
    return {};
  }
  return out;
}

/// `angles`: both parts turn.
std::optional<Teeth> read_teeth(Build& build, const Entry& entry, const std::string& path,
                                bool angles) {
  const Node& node = entry.node;
  if (!node.has("backlash")) return {};
  Teeth out;
  fill(out, node, teeth_fields());
  if (angles && !node.has("pitch_radius"))
    build.error(entry.place, path + ".pitch_radius",
                "'pitch_radius' of the second wheel is missing: backlash is a length on it");
  if (!angles && node.has("pitch_radius"))
    build.error(entry.place, path + ".pitch_radius", "lengths have no pitch radius");
  const Node* contact = node.find("contact");
  if (!node.has("contact"))
    build.error(entry.place, path + ".contact",
                "'contact' is missing: teeth with play hold by their stiffness",
                "contact = { law = \"kelvin-voigt\", stiffness = \"2e8 N/m\", damping = \"1000 N "
                "s/m\" }");
  if (contact) {
    out.contact = read_law(*contact, "", {"min_approach_speed"});
    say_departure(build, *contact, path + ".contact", contacts());
    if (const Node* speed = contact->find("min_approach_speed"))
      out.min_approach_speed = speed->number();
  }
  if (const Node* text = node.find("stiffness_factor"))
    out.stiffness = read_of_place(build, *text, path + ".stiffness_factor", true);
  if (const Node* text = node.find("transmission_error"))
    out.error = read_of_place(build, *text, path + ".transmission_error", false);
  if (const Node* friction = node.find("friction")) {
    Teeth::Thread thread;
    thread.law = read_law(*friction, "", {"radius", "flank_angle"});
    say_departure(build, *friction, path + ".friction", frictions());
    fill(thread, *friction, thread_fields());
    out.thread = std::move(thread);
  }
  return out;
}

}  // namespace

TableShape coupling_table() {
  TableShape out{
      "[couplings.NAME]",
      "Two joint coordinates that move together, exactly or by way of teeth with play.",
      {key("type", choice({"gear", "rack"}),
           "gear: two coordinates of one kind; rack: an angle and a displacement")
           .require(),
       key("joints", list(text(), {2}), "first and second joint; of a rack: pinion and slide")
           .require(),
       key("coordinates", list(choice(words_of_coordinates()), {2}),
           "which, if a joint has several"),
       key("ratio", number().not_zero(), "second = ratio x first; may be negative")
           .only_for({"gear"})
           .require(),
       key("radius", quantity("m").not_zero(),
           "pitch radius: slide = radius x angle; may be negative")
           .only_for({"rack"})
           .require()},
      "type"};
  for (Key& k : keys_of(teeth_fields())) out.keys.push_back(std::move(k));
  out.keys.push_back(contact_key());
  out.keys.push_back(key("stiffness_factor", formula(kOfPlace),
                         "factor on the force of the teeth, of x, the first coordinate in rad or "
                         "m: \"1 + 0.2*cos(20*x)\" for 20 teeth; absent: 1")
                         .needs({"contact"}));
  out.keys.push_back(key("transmission_error", formula(kOfPlace),
                         "by which the second part runs ahead along the pitch line, in m, of x")
                         .needs({"contact"}));
  out.keys.push_back(
      key("friction",
          table(law_table("friction",
                          "Friction of a screw or worm (the first part, which turns) on the flanks "
                          "of the second.",
                          frictions(), "", keys_of(thread_fields()))),
          "losses that grow with the load; absent: none")
          .needs({"contact"}));
  return out;
}

void read_couplings(Build& build) {
  const Node* section = build.tree.find("couplings");
  if (!section) return;
  for (const Entry& entry : section->entries()) {
    const std::string path = "couplings." + entry.key;
    Coupling out;
    out.name = entry.key;
    out.line = entry.place.line;
    const Node* type = entry.node.find("type");
    const Node* joints = entry.node.find("joints");
    const Node* coordinates = entry.node.find("coordinates");
    if (!type || !joints || (entry.node.has("coordinates") && !coordinates)) continue;
    const bool rack = type->text() == "rack";
    if (const Node* ratio = entry.node.find(rack ? "radius" : "ratio")) out.ratio = ratio->number();

    bool sound = true;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string at_joint = path + (i == 0 ? ".joints.0" : ".joints.1");
      const std::string at_coordinate = path + (i == 0 ? ".coordinates.0" : ".coordinates.1");
      const auto joint = find_joint(build, joints->items()[i], at_joint);
      sound = sound && joint && build.joint_types[*joint];
      if (!joint || !build.joint_types[*joint]) continue;
      // A gear joins angles unless told otherwise; a rack an angle with a displacement.
      const Measure measure = rack && i == 1 ? Measure::length : Measure::angle;
      const auto c = find_coordinate(build, *build.joint_types[*joint],
                                     coordinates ? &coordinates->items()[i] : nullptr,
                                     joints->items()[i].place, at_coordinate, measure);
      sound = sound && c;
      if (c) (i == 0 ? out.first : out.second) = {*joint, *c};
    }
    if (!sound) continue;
    const bool angle = is_angle(out.first.coordinate), other = is_angle(out.second.coordinate);
    if (rack ? !angle || other : angle != other)
      build.error(coordinates ? coordinates->place : entry.place, path + ".coordinates",
                  rack ? "a rack joins an angle (first) with a displacement (second)"
                       : "a gear joins two angles or two lengths",
                  rack ? "" : "an angle and a displacement are joined by type = \"rack\"");
    if (out.first.joint == out.second.joint && out.first.coordinate == out.second.coordinate)
      build.error(joints->place, path + ".joints", "couples a coordinate with itself");
    out.teeth = read_teeth(build, entry, path, angle && other);
    if (const Node* friction = entry.node.find("friction"); friction && !angle)
      build.error(friction->place, path + ".friction", "the first part is a screw, and has to turn",
                  "name its revolute joint first");
    build.model.couplings.push_back(std::move(out));
  }
}

void check_teeth(Build& build) {
  if (build.diagnostics.failed()) return;
  const Node* section = build.tree.find("couplings");
  for (std::size_t c = 0; c < build.model.couplings.size(); ++c) {
    const Coupling& coupling = build.model.couplings[c];
    if (!coupling.teeth) continue;
    try {
      Layout unused("");
      static_cast<void>(dynamics::Mesh(build.model, c, 0, unused));
    } catch (const ModelError& error) {
      const Node* table = section ? section->find(coupling.name) : nullptr;
      for (const Issue& issue : error.issues()) {
        const Node* at =
            table ? table->find(issue.path.find(".friction") != std::string::npos ? "friction"
                                                                                  : "contact")
                  : nullptr;
        build.error(at ? at->place : Place{}, issue.path, issue.message, issue.hint);
      }
    }
  }
}

Node write_coupling(Writing& writing, const Coupling& coupling) {
  const auto list = [](std::string a, std::string b) {
    Node out;
    out.value = Node::Items{node_of(std::move(a)), node_of(std::move(b))};
    return out;
  };
  const bool angle = is_angle(coupling.first.coordinate),
             other = is_angle(coupling.second.coordinate), rack = angle && !other;
  TableWriter out(coupling.line);
  out.put("type", std::string(rack ? "rack" : "gear"));
  out.put("joints",
          list(writing.joint(coupling.first.joint), writing.joint(coupling.second.joint)));
  out.put("coordinates",
          list(word_of(coupling.first.coordinate), word_of(coupling.second.coordinate)));
  out.put(rack ? "radius" : "ratio", coupling.ratio);
  if (!coupling.teeth) return out.done();
  const Teeth& teeth = *coupling.teeth;
  std::set<std::string> always{"backlash"};
  if (angle && other) always.insert("pitch_radius");
  out.put_fields(teeth, teeth_fields(), always);
  out.put("contact", law_writer(teeth.contact, contacts())
                         .put_unless(Teeth{}.min_approach_speed, "min_approach_speed",
                                     teeth.min_approach_speed)
                         .done());
  const std::string path = "couplings." + coupling.name;
  if (teeth.stiffness)
    out.put("stiffness_factor",
            write_formula(writing, *teeth.stiffness, coupling.line, path + ".stiffness_factor"));
  if (teeth.error)
    out.put("transmission_error",
            write_formula(writing, *teeth.error, coupling.line, path + ".transmission_error"));
  if (teeth.thread)
    out.put("friction", law_writer(teeth.thread->law, frictions())
                            .put_fields(*teeth.thread, thread_fields(), {"radius"})
                            .done());
  return out.done();
}

}  // namespace freeplay::io
