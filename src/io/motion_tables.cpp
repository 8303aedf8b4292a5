// SPDX-License-Identifier: Apache-2.0
#include "io/expression.hpp"
#include "io/model_tables.hpp"

// Functions of time, in drives and in the magnitudes of forces.
namespace freeplay::io {
namespace {

std::vector<Key> motion_keys(const std::string& unit, const Key& formula_key) {
  return {
      key("polynomial", list(quantity(unit + "/s^{i}")),
          "c0 + c1 t + c2 t^2 + ..., t being the time of the run"),
      key("sine",
          table({"sine", "offset + amplitude sin(2 pi frequency t + phase).",
                 keys_of(sine_fields(unit))}),
          "harmonic motion"),
      key("step",
          table({"step",
                 "From one value to another, at rest at both ends: 6u^5 - 15u^4 + 10u^3, u from 0 "
                 "to 1.",
                 keys_of(step_fields(unit))}),
          "smooth change"),
      key("table",
          table({"table",
                 "A cubic spline through points (not-a-knot), limited where it would overshoot "
                 "them: velocities are continuous, accelerations wherever the points allow.",
                 {key("time", list(quantity("s")), "strictly increasing; must cover the run")
                      .needs({"value"}),
                  key("value", list(quantity(unit)), "one for each time").needs({"time"}),
                  key("file", columns({"time", "value"}),
                      "two columns in SI, in a file beside the model")},
                 "",
                 {"time", "file"}}),
          "points, joined by a spline"),
      formula_key,
      key("input", text(), "name under which a program sets it while a Simulator runs"),
  };
}

const std::vector<std::string> kMotions = {"polynomial", "sine",    "step",
                                           "table",      "formula", "input"};

}  // namespace

Shape motion_or_number(const std::string& unit) {
  const char* doc =
      "expression in SI: \"-40*x - 0.5*v + sin(3*t)\"; x and v are coordinate and speed of the "
      "element itself";
  std::vector<Key> keys = motion_keys(unit, key("formula", formula(kOfMotion), doc));
  keys.push_back(
      key("start", quantity(unit), "until the input is set; default 0").needs({"input"}));
  keys.push_back(key("signal", text(), "follows this signal or controller"));
  std::vector<std::string> forms = kMotions;
  forms.emplace_back("signal");
  return either({quantity(unit), table({"function of time",
                                        "A magnitude that changes; exactly one form. `sine`, "
                                        "`step` and `table` are those of drives, with N or "
                                        "N m in place of rad or m.",
                                        std::move(keys), "", std::move(forms)})});
}

TableShape drive_table() {
  TableShape out{"drive", "Prescribed motion of one joint coordinate; exactly one form.", {}};
  out.keys = {key("speed", quantity("{q}/s"), "constant speed"),
              key("start", quantity("{q}"), "coordinate at the start; absent: as assembled")
                  .needs({"speed", "input"})};
  for (Key& k : motion_keys("{q}", key("formula", formula(kOfTime),
                                       "expression in t, computed in SI: \"0.1*sin(3*t)\"")))
    out.keys.push_back(std::move(k));
  out.keys.push_back(
      key("coordinate", choice(words_of_coordinates()), "which, if the joint has several"));
  out.one_of = {"speed"};
  out.one_of.insert(out.one_of.end(), kMotions.begin(), kMotions.end());
  out.measure = [](const Node&, const Node& drive, const Node* joint) {
    return joint ? coordinate_measure(*joint, drive) : Measure::unknown;
  };
  return out;
}

std::vector<Field<Sine>> sine_fields(const std::string& unit) {
  return {field(key("amplitude", quantity(unit), "amplitude").require(), &Sine::amplitude),
          field(key("frequency", quantity("Hz").at_least(0), "cycles per second").require(),
                &Sine::frequency),
          field(key("phase", quantity("rad"), "default 0"), &Sine::phase),
          field(key("offset", quantity(unit), "default 0"), &Sine::offset)};
}

std::vector<Field<SmoothStep>> step_fields(const std::string& unit) {
  return {field(key("from", quantity(unit), "value before").require(), &SmoothStep::from),
          field(key("to", quantity(unit), "value after").require(), &SmoothStep::to),
          field(key("start", quantity("s"), "where it leaves `from`").require(), &SmoothStep::t0),
          field(key("end", quantity("s"), "where it reaches `to`").require(), &SmoothStep::t1)};
}

}  // namespace freeplay::io
