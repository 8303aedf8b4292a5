// SPDX-License-Identifier: Apache-2.0
#include "io/build.hpp"
#include "io/expression.hpp"
#include "io/model_tables.hpp"
#include "io/parameters.hpp"
#include "io/text.hpp"

#include <cmath>

namespace freeplay::io {
namespace {

std::optional<Motion> read_step(Build& build, const Node& node, const std::string& path) {
  SmoothStep out;
  fill(out, node, step_fields(""));
  const Node* end = node.find("end");
  if (!end || !node.find("start")) return {};
  if (out.t1 > out.t0) return out;
  build.error(
      end->place, path + ".end",
      "the step ends at " + brief(out.t1) + " s, not after its start at " + brief(out.t0) + " s");
  return {};
}

std::optional<Motion> read_table(Build& build, const Node& node, const std::string& path) {
  const Node* time = node.find("time");
  const Node* value = node.find("value");
  if (!time || !value || !is_function(build, *time, *value, path, "time")) return {};
  auto t = numbers(*time);
  const double from = build.model.simulation.start, to = from + build.model.simulation.duration;
  const double slack = 1e-9 * (to - from);  // "0.1 s" ten times over is not quite 1 s
  if (t.front() > from + slack || t.back() < to - slack) {
    build.error(time->place, path + ".time",
                "the table runs from " + brief(t.front()) + " s to " + brief(t.back()) +
                    " s, the simulation from " + brief(from) + " s to " + brief(to) + " s",
                "let the table cover the run");
    return {};
  }
  return make_table(std::move(t), numbers(*value));
}

}  // namespace

std::optional<Formula> read_formula(Build& build, const Node& node, const std::string& path,
                                    bool drive) {
  Formula out;
  try {
    out = compile_formula(node.text(), drive ? kOfTime : kOfMotion);
  } catch (const ExpressionError& error) {
    report(error, node, path, build.diagnostics);
    return {};
  }
  // A formula that fails at the ends of the run is better refused now than met in the middle of it;
  // of one that depends on the motion nothing is known yet.
  if (out.of_motion()) return out;
  const Simulation& run = build.model.simulation;
  for (const double t : {run.start, run.start + run.duration}) {
    const Jet jet = evaluate(Motion(out), t);
    const bool finite =
        std::isfinite(jet.x) && (!drive || (std::isfinite(jet.dx) && std::isfinite(jet.ddx)));
    if (finite) continue;
    build.error(node.place, path, quote(node.text()) + " is not finite at t = " + brief(t) + " s",
                std::isfinite(jet.x) ? "a drive needs its speed and acceleration as well" : "");
    return {};
  }
  return out;
}

std::vector<double> numbers(const Node& list) {
  std::vector<double> out;
  out.reserve(list.items().size());
  for (const Node& item : list.items()) out.push_back(item.number());
  return out;
}

bool is_function(Build& build, const Node& x, const Node& y, const std::string& path,
                 const std::string& x_name) {
  const auto& points = x.items();
  if (points.size() != y.items().size()) {
    build.error(y.place, path,
                "found " + std::to_string(points.size()) + " and " +
                    std::to_string(y.items().size()) + " entries; expected equally many");
    return false;
  }
  if (points.size() < 2) {
    build.error(x.place, path,
                std::string("found ") + (points.empty() ? "no point" : "one point") +
                    "; a table needs at least two");
    return false;
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].number() > points[i - 1].number()) continue;
    const bool repeated = points[i].number() == points[i - 1].number();
    const std::string fault =
        repeated ? " comes twice" : " comes after " + brief(points[i - 1].number());
    build.error(points[i].place, path + "." + x_name + "." + std::to_string(i),
                brief(points[i].number()) + fault + "; expected strictly increasing numbers");
    return false;
  }
  return true;
}

std::optional<Motion> read_motion(Build& build, const Node& table, const std::string& path,
                                  bool drive) {
  if (const Node* speed = table.find("speed")) {
    ConstantSpeed out;
    out.speed = speed->number();
    if (const Node* start = table.find("start")) {
      out.start = start->number();
      out.from_pose = false;
    }
    return out;
  }
  if (const Node* node = table.find("polynomial")) return Polynomial{numbers(*node)};
  if (const Node* node = table.find("sine")) {
    Sine out;
    fill(out, *node, sine_fields(""));
    return out;
  }
  if (const Node* node = table.find("step")) return read_step(build, *node, path + ".step");
  if (const Node* node = table.find("table")) return read_table(build, *node, path + ".table");
  if (const Node* node = table.find("formula"))
    return read_formula(build, *node, path + ".formula", drive);
  if (const Node* node = table.find("signal")) {
    build.followed.push_back({node->text(), node->place, path + ".signal"});
    return Follow{node->text()};
  }
  if (const Node* node = table.find("input")) {
    Input out;
    out.name = node->text();
    if (const Node* start = table.find("start")) out.start = start->number();
    out.from_pose = drive && !table.has("start");
    const bool fresh = build.inputs.insert(out.name).second;
    if (out.name.empty() || !fresh) {
      build.error(node->place, path + ".input",
                  fresh ? "the name is empty" : "there is another input " + quote(out.name),
                  "each input has a name of its own");
      return {};
    }
    return out;
  }
  return {};
}

std::optional<Motion> read_magnitude(Build& build, const Node& node, const std::string& path) {
  if (node.is_number()) return Constant{node.number()};
  return read_motion(build, node, path, false);
}

}  // namespace freeplay::io
