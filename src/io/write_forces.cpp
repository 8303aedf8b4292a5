// SPDX-License-Identifier: Apache-2.0
#include "io/force_tables.hpp"
#include "io/frames.hpp"
#include "io/model_tables.hpp"
#include "io/model_tree.hpp"
#include "io/text.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/load.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>

// Force elements and functions of time, from the model. Tables and formulas carry what was worked
// out from them (slopes, code), which a file does not: it has to be what reading works out.
namespace freeplay::io {
namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

/// Can a curve be laid through these points? If not, the reader says why.
bool is_curve(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size() || x.size() < 2) return false;
  const auto finite = [](double v) { return std::isfinite(v); };
  return std::ranges::all_of(x, finite) && std::ranges::all_of(y, finite) &&
         std::ranges::adjacent_find(x, std::greater_equal<>{}) == x.end();
}

/// Where a mistake is told to be.
struct At {
  int line;
  const std::string& path;
};

struct MotionWriter {
  Writing& writing;
  bool drive;
  At at;
  TableWriter out = TableWriter(at.line);

  // A drive cannot be a bare number.
  Node operator()(const Constant& m) {
    if (!drive) return node_of(m.value);
    return out.put("polynomial", std::span(&m.value, 1)).done();
  }
  Node operator()(const ConstantSpeed& m) {
    if (!drive) return out.put("polynomial", std::array{m.start, m.speed}).done();
    out.put("speed", m.speed);
    if (!m.from_pose) out.put("start", m.start);
    return out.done();
  }
  Node operator()(const Polynomial& m) { return out.put("polynomial", m.coefficients).done(); }
  Node operator()(const Sine& m) {
    return out
        .put("sine",
             TableWriter(at.line).put_fields(m, sine_fields(""), {"amplitude", "frequency"}).done())
        .done();
  }
  Node operator()(const SmoothStep& m) {
    return out
        .put("step", TableWriter(at.line)
                         .put_fields(m, step_fields(""), {"from", "to", "start", "end"})
                         .done())
        .done();
  }
  Node operator()(const Table& m) {
    if (is_curve(m.time, m.value) && !same_bits(make_table(m.time, m.value).slope, m.slope))
      writing.refuse(at.line, at.path + ".table", "the slopes are not those of its points",
                     "make tables with make_table(time, value)");
    return out.put("table", TableWriter(at.line).put("time", m.time).put("value", m.value).done())
        .done();
  }
  Node operator()(const Formula& m) {
    return out.put("formula", write_formula(writing, m, at.line, at.path + ".formula")).done();
  }
  Node operator()(const Input& m) {
    out.put("input", m.name);
    if (drive ? !m.from_pose : m.start != 0) out.put("start", m.start);
    return out.done();
  }
  Node operator()(const Follow& m) { return out.put("signal", m.signal).done(); }
};

void write_table(Writing& writing, const std::optional<ForceTable>& table, const At& at,
                 TableWriter& out) {
  if (!table) return;
  if (is_curve(table->x, table->force)) {
    const ForceTable made = make_force_table(table->x, table->force);
    if (!same_bits(made.slope, table->slope) || !same_bits(made.area, table->area))
      writing.refuse(at.line, at.path + ".table", "slopes and areas are not those of its points",
                     "make tables with make_force_table(x, force)");
  }
  out.put("table", TableWriter(at.line).put("x", table->x).put("force", table->force).done());
}

/// An element of any type, by what it has.
struct ForceWriter {
  Writing& writing;
  At at;
  TableWriter out = TableWriter(at.line);

  template <class S>
  Node operator()(const S& s) {
    if constexpr (kAtPoint<S>) {
      out.put("body", writing.body(s.at.body));
      if (s.at.point != Vec3::Zero()) out.put("at", writing.points(std::span(&s.at, 1)));
      write_vector(s, true);
    } else if constexpr (kOnBody<S>) {
      out.put("body", writing.body(s.body));
      write_vector(s, !(writing.model.planar && s.direction == Vec3::UnitZ()));
    } else {
      write_line(s);
      write_numbers(s);
      if constexpr (requires { s.table; }) write_table(writing, s.table, at, out);
      if (const Formula* formula = formula_of(s))
        out.put("formula", write_formula(writing, *formula, at.line, at.path + ".formula"));
      if (const Motion* motion = magnitude_of(s)) out.put("magnitude", magnitude(*motion));
    }
    return out.done();
  }

 private:
  template <class S>
  void write_line(const S& s) {
    if (const JointCoordinate* on = coordinate_of(s)) {
      out.put("joint", writing.joint(on->joint));
      out.put("coordinate", word_of(on->coordinate));
      return;
    }
    std::vector<Frame> frames;
    each_frame(s, [&](const Frame& frame) { frames.push_back(frame); });
    Node bodies;
    bodies.value =
        Node::Items{node_of(writing.body(frames[0].body)), node_of(writing.body(frames[1].body))};
    out.put("bodies", std::move(bodies)).put("at", writing.points(frames));
  }
  /// Those that differ from their defaults, and those that have none of their own.
  template <class S>
  void write_numbers(const S& s) {
    std::set<std::string> always;
    for (const dynamics::ForceNumber<S>& n : dynamics::ForceKind<S>::numbers())
      if (n.required || n.placed) always.emplace(n.key);
    if constexpr (requires { s.table; })
      if (!s.table && !s.formula) always.insert("stiffness");
    out.put_fields(s, number_fields<S>(), always);
  }
  Node magnitude(const Motion& motion) {
    return write_motion(writing, motion, false, at.line, at.path + ".magnitude");
  }
  template <class F>
  void write_vector(const F& f, bool has_direction) {
    const auto* constant = std::get_if<Constant>(&f.magnitude);
    if (has_direction && constant && constant->value == 1) {
      out.put("vector", writing.vector(f.direction));
    } else {
      if (has_direction) out.put("direction", writing.vector(f.direction));
      const double length = f.direction.norm();
      if (std::isfinite(length) && length > 0 && !is_unit(f.direction.squaredNorm()))
        writing.refuse(at.line, at.path + ".direction",
                       "the direction has the length " + brief(length) + "; expected a unit vector",
                       "normalise it; how strong the force is, its magnitude says");
      out.put("magnitude", magnitude(f.magnitude));
    }
    if (f.follows_body) out.put("frame", std::string("body"));
  }
};

}  // namespace

Node write_formula(Writing& writing, const Formula& formula, int line, const std::string& path) {
  try {
    const Formula made = make_formula(formula.text);
    const bool same = std::ranges::equal(
        made.code, formula.code, [](const Formula::Instruction& a, const Formula::Instruction& b) {
          return a.op == b.op &&
                 std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
        });
    if (!same)
      writing.refuse(line, path, "the code is not that of the text",
                     "make formulas with make_formula(text)");
    return node_of(made.text);
  } catch (const ModelError&) {
    return node_of(formula.text);  // the reader says what is wrong with it
  }
}

Node write_motion(Writing& writing, const Motion& motion, bool drive, int line,
                  const std::string& path) {
  return std::visit(MotionWriter{writing, drive, {line, path}}, motion);
}

void write_forces(Writing& writing, TableWriter& root) {
  std::vector<std::pair<std::string_view, TableWriter>> sections;
  dynamics::each_force_type([&]<class S>(std::type_identity<S>) {
    const std::string_view name = dynamics::ForceKind<S>::section;
    if (sections.empty() || sections.back().first != name)
      sections.emplace_back(name, TableWriter());
  });
  std::vector<bool> used(sections.size());
  std::set<std::string> names;
  std::size_t last = 0;
  for (const Force& force : writing.model.forces) {
    const std::string_view name = dynamics::section_of(force);
    const auto section = static_cast<std::size_t>(
        std::ranges::find(sections, name, [](const auto& s) { return s.first; }) -
        sections.begin());
    const std::string path = std::string(name) + "." + force.name;
    // Results list forces in the order of the model, and files read them section by section.
    if (section < last)
      writing.refuse(force.line, path,
                     "stands behind " + std::string(sections[last].first) +
                         " in the list of forces, which has " + section_words() + " in this order",
                     "move it");
    last = std::max(last, section);
    if (!names.insert(force.name).second)
      writing.refuse(force.line, path, "the name is used twice",
                     section_words() + " share their names");
    used[section] = true;
    sections[section].second.put(
        force.name, std::visit(ForceWriter{writing, {force.line, path}}, force.element));
  }
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (used[i]) root.put(std::string(sections[i].first), sections[i].second.done());
}

}  // namespace freeplay::io
