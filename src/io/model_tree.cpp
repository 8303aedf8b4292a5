// SPDX-License-Identifier: Apache-2.0
#include "io/model_tree.hpp"

#include "io/control_tables.hpp"
#include "io/coupling_table.hpp"
#include "io/flexible_table.hpp"
#include "io/law_formula.hpp"
#include "io/model_tables.hpp"
#include "io/shapes.hpp"
#include "io/text.hpp"
#include "laws/plugin_law.hpp"
#include "model/words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>

namespace freeplay::io {
namespace {

/// Names have no '/', so that nothing is called this.
std::string out_of_range(const char* what, long long index) {
  return std::string(what) + "/" + std::to_string(index);
}

template <class T>
std::string name_at(const std::vector<T>& list, int index, const char* what) {
  return index >= 0 && static_cast<std::size_t>(index) < list.size()
             ? list[static_cast<std::size_t>(index)].name
             : out_of_range(what, index);
}

template <class T>
std::string word_in(std::span<const T> known, T value, const char* what) {
  return std::ranges::find(known, value) != known.end()
             ? std::string(name_of(value))
             : out_of_range(what, static_cast<long long>(value));
}

/// Entries of a section, whose names are its keys: none may come twice.
template <class T, class Write>
void write_section(Writing& writing, TableWriter& root, const char* section,
                   std::span<const T> list, Write&& write) {
  if (list.empty()) return;
  TableWriter out;
  std::set<std::string> names;
  for (const T& item : list) {
    int line = 0;
    if constexpr (requires { item.line; }) line = item.line;
    if (!names.insert(item.name).second)
      writing.refuse(line, std::string(section) + "." + item.name, "the name is used twice");
    out.put(item.name, write(item));
  }
  root.put(section, out.done());
}

Node write_inertia(const Model& model, const Mat3& J) {
  if (model.planar) return node_of(J(2, 2));  // nothing turns about x and y
  const std::array<double, 6> six{J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)};
  if (J == J.transpose() || !J.allFinite())
    return node_of(std::span(six).first(J.isDiagonal(0) ? 3 : 6));
  return node_of(std::span(J.data(), 9));  // refused for their number
}

Node write_body(Writing& writing, const Body& body) {
  const bool planar = writing.model.planar;
  TableWriter out(body.line);
  out.put("mass", body.mass);
  if (body.inertia != Mat3::Zero()) out.put("inertia", write_inertia(writing.model, body.inertia));
  out.put("position", writing.vector(body.position));
  if (planar)
    out.put_unless(0, "angle", body.angle);
  else if (body.orientation != Vec4(1, 0, 0, 0))
    out.put("orientation",
            TableWriter(body.line)
                .put("euler_parameters", std::span<const double>(body.orientation.data(), 4))
                .done());
  if (body.velocity) out.put("velocity", writing.vector(*body.velocity));
  if (const auto& w = body.angular_velocity) {
    const bool about_z = planar && (*w)[0] == 0 && (*w)[1] == 0;
    out.put("angular_velocity", about_z ? node_of((*w)[2]) : node_of(std::span(w->data(), 3)));
  }
  if (body.flexible) out.put("flexible", write_flexible(writing, body));
  if (!body.shapes.empty()) {
    Node::Items shapes;
    for (const freeplay::Shape& shape : body.shapes)
      shapes.push_back(write_shape(writing, body, shape));
    Node list;
    list.value = std::move(shapes);
    out.put("shape", std::move(list));
  }
  return out.done();
}

Node write_marker(Writing& writing, const Marker& marker) {
  TableWriter out;
  out.put("body", writing.body(marker.frame.body));
  out.put("local", writing.vector(marker.frame.point));
  out.put("axes", node_of_axes(marker.frame.axes));
  return out.done();
}

/// A number that is no byte of UTF-8 cannot be written as text.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t more = lead < 0x80         ? 0
                             : lead >> 5 == 0x6  ? 1
                             : lead >> 4 == 0xe  ? 2
                             : lead >> 3 == 0x1e ? 3
                                                 : 4;
    if (more == 4 || i + more >= text.size()) return false;
    std::uint32_t code = more == 0 ? lead : lead & (0x3fU >> more);
    for (std::size_t k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if (next >> 6 != 0x2) return false;
      code = code << 6 | (next & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 4> kLeast{0, 0x80, 0x800, 0x10000};
    if (code < kLeast[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    i += more + 1;
  }
  return true;
}

/// Names and other texts of a tree, which may hold what a file cannot.
void check_texts(const Node& node, const std::string& path, Diagnostics& diagnostics) {
  const auto check = [&](const std::string& text, const std::string& where) {
    if (!is_utf8(text)) diagnostics.error(node.place, where, quote(text) + " is not UTF-8");
  };
  if (node.is_text()) check(node.text(), path);
  if (node.is_array())
    for (const Node& item : node.items()) check_texts(item, path, diagnostics);
  if (node.is_table())
    for (const Entry& entry : node.entries()) {
      const std::string below = path.empty() ? entry.key : path + "." + entry.key;
      check(entry.key, below);
      check_texts(entry.node, below, diagnostics);
    }
}

std::string shown(const Node& node) {
  if (node.is_number()) return shortest(node.number());
  return node.described();
}

void compare(const Node& given, const Node& read, const std::string& path,
             Diagnostics& diagnostics) {
  const auto differ = [&](const std::string& message) {
    diagnostics.error(given.place, path, message, "make it as the reader of model files would");
  };
  if (given.is_table() && read.is_table()) {
    const auto below = [&](const std::string& key) {
      return path.empty() ? key : path + "." + key;
    };
    for (const Entry& entry : given.entries())
      if (const Entry* other = read.entry(entry.key))
        compare(entry.node, other->node, below(entry.key), diagnostics);
      else
        diagnostics.error(entry.place, below(entry.key), "has no effect", "leave it out");
    for (const Entry& entry : read.entries())
      if (!given.has(entry.key))
        differ("reads back with '" + entry.key + "' = " + shown(entry.node));
    if (given.entries().size() != read.entries().size()) differ("an entry comes twice");
    return;
  }
  if (given.is_array() && read.is_array() && given.items().size() == read.items().size()) {
    for (std::size_t i = 0; i < given.items().size(); ++i)
      compare(given.items()[i], read.items()[i], path + "." + std::to_string(i), diagnostics);
    return;
  }
  if (!same(given, read)) differ("is " + shown(given) + ", but reads back as " + shown(read));
}

}  // namespace

std::string Writing::body(BodyIndex index) const { return name_at(model.bodies, index, "bodies"); }
std::string Writing::joint(JointIndex index) const {
  return name_at(model.joints, index, "joints");
}

Node Writing::vector(const Vec3& v) const {
  return node_of(std::span<const double>(v.data(), model.planar && v[2] == 0 ? 2 : 3));
}

Node Writing::points(std::span<const Frame> frames) const {
  TableWriter out;
  for (const Frame& frame : frames) out.put(body(frame.body), vector(frame.point));
  return out.done();
}

TableWriter& TableWriter::put(std::string key, Node node) {
  node.place = place_;
  entries_.push_back({std::move(key), place_, std::move(node)});
  return *this;
}
TableWriter& TableWriter::put(std::string key, double value) {
  return put(std::move(key), node_of(value));
}
TableWriter& TableWriter::put(std::string key, std::string text) {
  return put(std::move(key), node_of(std::move(text)));
}
TableWriter& TableWriter::put(std::string key, std::span<const double> numbers) {
  return put(std::move(key), node_of(numbers));
}
TableWriter& TableWriter::put_unless(double usual, std::string key, double value) {
  if (std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(usual)) return *this;
  return put(std::move(key), value);
}
TableWriter& TableWriter::put_flag(std::string key, bool value) {
  Node node;
  node.value = value;
  return put(std::move(key), std::move(node));
}
Node TableWriter::done() {
  Node out;
  out.place = place_;
  out.value = std::move(entries_);
  return out;
}

Node node_of(double value) {
  Node out;
  out.value = value;
  return out;
}
Node node_of(std::string text) {
  Node out;
  out.value = std::move(text);
  return out;
}
Node node_of(std::span<const double> numbers) {
  Node::Items items;
  items.reserve(numbers.size());
  for (const double x : numbers) items.push_back(node_of(x));
  Node out;
  out.value = std::move(items);
  return out;
}
Node node_of_axes(const Mat3& axes) {  // Eigen stores columns one after the other
  return node_of(std::span<const double>(axes.data(), 9));
}

TableWriter law_writer(const LawChoice& law, const std::vector<laws::Entry>& catalogue) {
  const auto known =
      std::ranges::find_if(catalogue, [&](const laws::Entry& e) { return e.key == law.key; });
  const auto is_flag = [&](const std::string& key) {
    return known != catalogue.end() &&
           std::ranges::any_of(known->parameters,
                               [&](const laws::Parameter& p) { return p.key == key && p.is_flag; });
  };
  TableWriter out;
  out.put("law", law.key);
  auto parameters = law.parameters;
  std::ranges::stable_sort(parameters, {}, &std::pair<std::string, double>::first);
  for (const auto& [key, value] : parameters)
    if (is_flag(key) && (value == 0 || value == 1))
      out.put_flag(key, value != 0);
    else
      out.put(key, value);
  if (!law.expression) return out;
  if (known != catalogue.end() && known->use)
    out.put(std::string(known->use->key), law.expression->text);
  if (law.key == laws::kPluginKey) {
    auto which = laws::PluginReference::read(law.expression->text);
    if (!which.digest.empty()) out.put("digest", std::exchange(which.digest, {}));
    out.put(std::string(laws::kPluginKey), which.text());
  }
  auto named = law.expression->parameters;
  std::ranges::stable_sort(named, {}, &freeplay::Expression::Parameter::name);
  for (const freeplay::Expression::Parameter& p : named) {
    const auto unit = p.unit.empty() ? std::nullopt : parse_unit(p.unit);
    if (p.unit.empty())
      out.put(p.name, p.value);
    else  // the value is in SI, whatever the unit was; one that is none is told by the reader
      out.put(p.name, shortest(p.value) + " " +
                          (unit && (unit->factor != 1 || unit->tens != 0) ? si_unit(unit->dimension)
                                                                          : p.unit));
  }
  return out;
}

std::string word_of(JointType type) { return word_in(joint_types(), type, "type"); }
std::string word_of(Coordinate coordinate) {
  return word_in(coordinates(), coordinate, "coordinate");
}

Node tree_of(const Model& model, Diagnostics& diagnostics) {
  Writing writing{model, diagnostics};
  TableWriter root, mechanism;
  if (!model.name.empty()) mechanism.put("name", model.name);
  if (model.planar) mechanism.put_flag("planar", true);
  mechanism.put("gravity", writing.vector(model.gravity));
  root.put("mechanism", mechanism.done());

  if (model.bodies.empty())
    writing.refuse(0, "bodies", "there is not even a ground", "bodies[0] is the ground");
  else if (const Body& ground = model.bodies[kGround], usual = Mechanism{}.bodies[kGround];
           ground.name != usual.name || ground.position != usual.position ||
           ground.orientation != usual.orientation || ground.angle != 0 || ground.velocity ||
           ground.angular_velocity || !ground.shapes.empty())
    writing.refuse(ground.line, "bodies.ground",
                   "bodies[0] is the ground: of that name, at the origin and at rest",
                   "leave it as Mechanism() makes it, and add bodies behind it");
  if (model.bodies.size() > 1)
    write_section<Body>(writing, root, "bodies", std::span(model.bodies).subspan(1),
                        [&](const Body& body) { return write_body(writing, body); });
  write_section<Marker>(writing, root, "markers", model.markers,
                        [&](const Marker& marker) { return write_marker(writing, marker); });
  write_section<Joint>(writing, root, "joints", model.joints,
                       [&](const Joint& joint) { return write_joint(writing, joint); });
  write_section<Coupling>(
      writing, root, "couplings", model.couplings,
      [&](const Coupling& coupling) { return write_coupling(writing, coupling); });
  write_forces(writing, root);
  write_section<ControlSignal>(
      writing, root, "signals", model.signals,
      [&](const ControlSignal& signal) { return write_signal(writing, signal); });
  write_section<Controller>(
      writing, root, "controllers", model.controllers,
      [&](const Controller& controller) { return write_controller(controller); });
  root.put("simulation",
           TableWriter().put_fields(model.simulation, simulation_fields(), {"duration"}).done());
  Node out = root.done();
  check_texts(out, "", diagnostics);
  return out;
}

void report_differences(const Node& given, const Node& read, Diagnostics& diagnostics) {
  compare(given, read, "", diagnostics);
}

}  // namespace freeplay::io
