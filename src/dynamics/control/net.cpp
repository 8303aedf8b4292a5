// SPDX-License-Identifier: Apache-2.0
#include "dynamics/control/node.hpp"
#include "dynamics/control/readings.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace freeplay::dynamics {
namespace {

using Node = ControlNode;
using Kind = Node::Source::Kind;

[[noreturn]] void refuse(const Node& node, std::string message, std::string hint) {
  Issue issue;
  issue.path = node.path;
  std::ranges::replace(issue.path, '/', '.');
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  throw ModelError(issue);
}

Node make_node(const ControlSignal& s) {
  Node out;
  out.name = s.name;
  out.path = "signals/" + s.name;
  out.signal = &s;
  out.filter = s.filter;
  out.delay = s.delay;
  out.period = s.sample_time;
  out.lower = s.lower;
  out.upper = s.upper;
  out.states = s.filter > 0 ? 1 : 0;
  return out;
}

Node make_node(const Controller& c) {
  Node out;
  out.name = c.name;
  out.path = "controllers/" + c.name;
  out.law = laws::make_law<laws::ControlLaw>(c.law);
  if (!out.law) refuse(out, "there is no control law '" + c.law + "'", "see 'freeplay laws'");
  for (const auto& [key, value] : c.parameters)
    if (double* at = laws::find_parameter(*out.law, key)) *at = value;
  for (const auto& [key, values] : c.lists)
    if (auto* at = laws::find_list(*out.law, key)) *at = values;
  out.period = c.sample_time;
  out.computation_delay = c.computation_delay;
  out.lower = c.lower;
  out.upper = c.upper;
  const int inputs = static_cast<int>(c.inputs.size());
  std::visit(
      [&](auto& law) {
        if (const std::string why = law.conflict(inputs); !why.empty()) refuse(out, why, "");
        if (out.sampled() && !law.sampled)
          refuse(out, "this law acts at all times",
                 "leave out sample_time; a signal that reads the controller can be sampled");
        law.prepare(inputs);
        out.delay = law.delay();
        if (out.sampled())
          out.stored = law.stored(inputs);
        else
          out.states = law.states(inputs);
      },
      *out.law);
  return out;
}

/// The number that a node reads.
Node::Source source_of(const Model& model, ControlNet& net, const Node& node,
                       const std::string& what) {
  if (const int other = net.find(what); other >= 0) return {Kind::node, other, what};
  if (find_reading(model, what)) {
    const auto known = std::ranges::find(net.readings, what);
    const int index = static_cast<int>(known - net.readings.begin());
    if (known == net.readings.end()) net.readings.push_back(what);
    return {Kind::reading, index, what};
  }
  if (!node.sampled() || node.filter > 0 || (node.signal && node.delay > 0))
    refuse(node,
           fmt::format("'{}' is neither a signal, a controller nor a position, angle, coordinate, "
                       "velocity or rate",
                       what),
           "accelerations, reactions and contact forces are known to signals with a sample_time; "
           "components are .x .y .z");
  return {Kind::recorded, -1, what};
}

/// Nodes behind those that they need, along `needs`; calls `circle` with one that is found.
std::vector<int> sorted(std::size_t count, const std::function<std::vector<int>(int)>& needs,
                        const std::function<void(const std::vector<int>&)>& circle) {
  std::vector<int> out, open;
  std::vector<char> seen(count, 0);  // 1: being looked at, 2: done
  const std::function<void(int)> visit = [&](int k) {
    char& state = seen[static_cast<std::size_t>(k)];
    if (state == 2) return;
    if (state == 1) return circle({std::ranges::find(open, k), open.end()});
    state = 1;
    open.push_back(k);
    for (const int other : needs(k)) visit(other);
    open.pop_back();
    seen[static_cast<std::size_t>(k)] = 2;
    out.push_back(k);
  };
  for (int k = 0; k < static_cast<int>(count); ++k) visit(k);
  return out;
}

}  // namespace

int ControlNet::find(std::string_view name) const {
  // By its name, or as its record is called.
  const auto is_it = [&](const Node& n) {
    return n.name == name || (n.signal ? n.path == name : n.path + "/output" == name);
  };
  const auto at = std::ranges::find_if(nodes, is_it);
  return at == nodes.end() ? -1 : static_cast<int>(at - nodes.begin());
}

ControlNet::ControlNet(const Model& model) {
  std::vector<Issue> mistakes;  // all of them are told at once
  const auto gather = [&](auto&& work) {
    try {
      work();
    } catch (const ModelError& error) {
      mistakes.insert(mistakes.end(), error.issues().begin(), error.issues().end());
    }
  };
  for (const ControlSignal& s : model.signals) nodes.push_back(make_node(s));
  for (const Controller& c : model.controllers) gather([&] { nodes.push_back(make_node(c)); });
  if (!mistakes.empty()) throw ModelError(mistakes);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    Node& node = nodes[k];
    for (const std::string& what :
         node.signal ? node.signal->reads : model.controllers[k - model.signals.size()].inputs)
      gather([&] { node.in.push_back(source_of(model, *this, node, what)); });
  }
  if (!mistakes.empty()) throw ModelError(mistakes);
  for (const Node& node : nodes)
    if (model.simulation.analysis == Analysis::kinematic && (node.states > 0 || node.delay > 0))
      refuse(node, "a kinematic analysis has nothing to integrate, and no past",
             "use analysis = \"dynamic\"");
  const auto inputs = [&](int k, bool only_direct) {
    std::vector<int> out;
    for (const Node::Source& s : nodes[static_cast<std::size_t>(k)].in)
      if (s.kind == Kind::node &&
          (!only_direct || nodes[static_cast<std::size_t>(s.index)].direct()))
        out.push_back(s.index);
    return out;
  };
  const auto refuse_circle = [&](const std::vector<int>& circle) {
    std::string names;
    for (const int k : circle) names += nodes[static_cast<std::size_t>(k)].name + " -> ";
    names += nodes[static_cast<std::size_t>(circle[0])].name;
    refuse(nodes[static_cast<std::size_t>(circle[0])],
           "these need each other at the same instant: " + names,
           "give one of them a filter, a delay or a sample_time");
  };
  for (const int k : sorted(
           nodes.size(),
           [&](int k) {
             return nodes[static_cast<std::size_t>(k)].direct() ? inputs(k, true)
                                                                : std::vector<int>();
           },
           refuse_circle))
    if (nodes[static_cast<std::size_t>(k)].direct()) direct.push_back(k);
  order = sorted(
      nodes.size(), [&](int k) { return inputs(k, false); }, [](const std::vector<int>&) {});
}

}  // namespace freeplay::dynamics
