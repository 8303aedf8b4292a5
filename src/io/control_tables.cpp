// SPDX-License-Identifier: Apache-2.0
#include "io/control_tables.hpp"

#include "dynamics/control/control.hpp"
#include "io/build.hpp"
#include "io/expression.hpp"
#include "io/law_tables.hpp"
#include "io/parameters.hpp"
#include "io/text.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/run.hpp>

#include <algorithm>
#include <bit>

namespace freeplay::io {
namespace {

std::vector<Field<ControlSignal>> signal_fields() {
  using S = ControlSignal;
  return {
      field(key("filter", quantity("s").above(0), "time constant of a first-order lag"),
            &S::filter),
      field(key("delay", quantity("s").above(0), "of transport; before the start the value there"),
            &S::delay),
      field(key("sample_time", quantity("s").above(0),
                "measured at these intervals, from the start on, and held in between"),
            &S::sample_time),
      field(key("noise", quantity("").above(0), "standard deviation, anew at every sample")
                .needs({"sample_time"}),
            &S::noise),
      field(key("seed", number().at_least(0).at_most(9e15), "of the noise; default 1")
                .needs({"noise"}),
            &S::seed)};
}

std::vector<Field<Controller>> controller_fields() {
  using C = Controller;
  return {field(key("sample_time", quantity("s").above(0),
                    "acts at these intervals, from the start on, and holds its output in between"),
                &C::sample_time),
          field(key("computation_delay", quantity("s").above(0),
                    "from a sample to the output it leads to; at most sample_time")
                    .needs({"sample_time"}),
                &C::computation_delay)};
}

/// What both have in common.
void put_common(TableShape& out) {
  out.keys.push_back(key("limit", list(quantity(""), {2}), "[least, most] of the output")
                         .excludes({"lower", "upper"}));
  out.keys.push_back(key("lower", quantity(""), "least output"));
  out.keys.push_back(key("upper", quantity(""), "largest output"));
  out.keys.push_back(key("unit", text(), "of the output, in results; default 1"));
}

Key input_key() {
  return key("input", either({text(), list(text())}),
             "what it acts on: signals, controllers, paths of results")
      .require();
}

template <class C>
void read_common(Build& build, const Node& node, const std::string& path, C& out) {
  if (const Node* limit = node.find("limit")) {
    out.lower = limit->items()[0].number();
    out.upper = limit->items()[1].number();
  }
  if (const Node* lower = node.find("lower")) out.lower = lower->number();
  if (const Node* upper = node.find("upper")) out.upper = upper->number();
  if (out.lower && out.upper && !(*out.lower < *out.upper))
    build.error(node.place, path,
                "the least output, " + brief(*out.lower) + ", is not below the largest, " +
                    brief(*out.upper));
  if (const Node* unit = node.find("unit")) out.unit = unit->text();
}

void read_signal(Build& build, const Entry& entry, const std::string& path) {
  const Node* formula = entry.node.find("formula");
  if (!formula) return;
  ControlSignal out;
  out.name = entry.key;
  out.line = entry.place.line;
  try {
    out.formula = compile_formula(formula->text(), kOfSignals, &out.reads);
  } catch (const ExpressionError& error) {
    return report(error, *formula, path + ".formula", build.diagnostics);
  }
  fill(out, entry.node, signal_fields());
  if (out.seed != std::floor(out.seed))
    build.error(entry.place, path + ".seed", "the seed is no whole number");
  read_common(build, entry.node, path, out);
  build.model.signals.push_back(std::move(out));
}

void read_controller(Build& build, const Entry& entry, const std::string& path) {
  const Node& node = entry.node;
  const Node *law = node.find("law"), *input = node.find("input");
  if (!law || !input) return;
  Controller out;
  out.name = entry.key;
  out.line = entry.place.line;
  out.law = law->text();
  if (input->is_text())
    out.inputs = {input->text()};
  else
    for (const Node& one : input->items()) out.inputs.push_back(one.text());
  fill(out, node, controller_fields());
  read_common(build, node, path, out);
  if (out.computation_delay > out.sample_time)
    build.error(entry.place, path + ".computation_delay",
                "the output takes effect after the next sample",
                "a computation_delay of at most the sample_time");
  for (const laws::Entry& known : laws::control_catalogue()) {
    if (known.key != out.law) continue;
    for (const laws::Parameter& p : known.parameters) {
      const Node* value = node.find(std::string(p.key));
      if (!value) continue;
      if (p.unit == laws::kListUnit)
        out.lists.emplace_back(p.key, numbers(*value));
      else
        out.parameters.emplace_back(p.key, value->number());
    }
  }
  build.model.controllers.push_back(std::move(out));
}

template <class C>
void write_common(const C& from, TableWriter& out) {
  if (from.lower) out.put("lower", *from.lower);
  if (from.upper) out.put("upper", *from.upper);
  if (from.unit != "1") out.put("unit", from.unit);
}

}  // namespace

TableShape signal_table() {
  TableShape out{
      "[signals.NAME]",
      "A quantity as it is measured. In this order, each where it is given: the formula, "
      "`filter`, `delay`, sampling with `noise`, limits.",
      {key("formula", formula(kOfSignals),
           "in SI: \"joints/crank_bearing/rate - 2*pi*5\"; of paths of results, other "
           "signals and controllers by their names, and t")
           .require()}};
  for (Key& k : keys_of(signal_fields())) out.keys.push_back(std::move(k));
  put_common(out);
  return out;
}

TableShape controller_table() {
  TableShape more{"", "", {input_key()}};
  for (Key& k : keys_of(controller_fields())) more.keys.push_back(std::move(k));
  put_common(more);
  return law_table("[controllers.NAME]",
                   "A control law. Efforts, forces and torques follow its output by `magnitude = { "
                   "signal = \"NAME\" }`; signals and controllers share their names.",
                   laws::control_catalogue(), "", std::move(more.keys));
}

void read_control(Build& build) {
  std::map<std::string, std::string> owner;
  for (const std::string section : {"signals", "controllers"}) {
    const Node* table = build.tree.find(section);
    if (!table) continue;
    for (const Entry& entry : table->entries()) {
      const std::string path = section + "." + entry.key;
      if (const auto [known, fresh] = owner.emplace(entry.key, path); !fresh)
        build.error(entry.place, path, "the name is already used by " + quote(known->second),
                    "signals and controllers share their names");
      if (entry.node.broken()) continue;
      if (section == "signals")
        read_signal(build, entry, path);
      else
        read_controller(build, entry, path);
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, path] : owner) names.push_back(name);
  for (const Build::Followed& f : build.followed)
    if (!owner.contains(f.name))
      build.error(f.place, f.path, "there is no signal or controller " + quote(f.name),
                  did_you_mean(f.name, names));
}

Node write_signal(Writing& writing, const ControlSignal& signal) {
  TableWriter out(signal.line);
  try {
    std::vector<std::string> reads;
    const Formula made = compile_formula(signal.formula.text, kOfSignals, &reads);
    const bool same =
        reads == signal.reads &&
        std::ranges::equal(made.code, signal.formula.code,
                           [](const Formula::Instruction& a, const Formula::Instruction& b) {
                             return a.op == b.op && std::bit_cast<std::uint64_t>(a.value) ==
                                                        std::bit_cast<std::uint64_t>(b.value);
                           });
    if (!same)
      writing.refuse(signal.line, "signals." + signal.name + ".formula",
                     "code and `reads` are not those of the text",
                     "make signals with make_signal(name, text)");
  } catch (const ExpressionError&) {
    // The reader says what is wrong with it.
  }
  out.put("formula", signal.formula.text);
  out.put_fields(signal, signal_fields());
  write_common(signal, out);
  return out.done();
}

Node write_controller(const Controller& controller) {
  TableWriter out(controller.line);
  out.put("law", controller.law);
  Node input;
  Node::Items items;
  for (const std::string& name : controller.inputs) items.push_back(node_of(name));
  input.value = std::move(items);
  out.put("input", std::move(input));
  out.put_fields(controller, controller_fields());
  write_common(controller, out);
  auto parameters = controller.parameters;
  std::ranges::sort(parameters);
  for (const auto& [key, value] : parameters) out.put(key, value);
  auto lists = controller.lists;
  std::ranges::sort(lists);
  for (const auto& [key, values] : lists) out.put(key, std::span<const double>(values));
  return out.done();
}

void check_control(const Model& model, const Node& root, Diagnostics& diagnostics) {
  if (model.signals.empty() && model.controllers.empty()) return;
  try {
    Layout unused("");
    dynamics::Control control(model, unused);
    const bool recorded = std::ranges::any_of(control.nodes(), [](const auto& node) {
      return std::ranges::any_of(node.in, [](const auto& source) { return source.index < 0; });
    });
    if (recorded) control.bind(describe(model).channels);
  } catch (const ModelError& error) {
    for (const Issue& issue : error.issues())
      diagnostics.error(locate(root, issue.path), issue.path, issue.message, issue.hint);
  }
}

}  // namespace freeplay::io

namespace freeplay {

ControlSignal make_signal(std::string name, std::string_view text) {
  ControlSignal out;
  out.name = std::move(name);
  try {
    out.formula = io::compile_formula(text, io::kOfSignals, &out.reads);
  } catch (const io::ExpressionError& error) {
    Issue issue;
    issue.path = "signals." + out.name;
    issue.message = io::quote(text) + ": " + error.what();
    issue.hint = error.hint();
    throw ModelError(issue);
  }
  return out;
}

}  // namespace freeplay
