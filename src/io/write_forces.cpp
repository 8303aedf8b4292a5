// SPDX-License-Identifier: Apache-2.0
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

Node write_formula(Writing& writing, const Formula& formula, const At& at) {
  try {
    const Formula made = make_formula(formula.text);
    const bool same = std::ranges::equal(
        made.code, formula.code, [](const Formula::Instruction& a, const Formula::Instruction& b) {
          return a.op == b.op &&
                 std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
        });
    if (!same)
      writing.refuse(at.line, at.path + ".formula", "the code is not that of the text",
                     "make formulas with make_formula(text)");
    return node_of(made.text);
  } catch (const ModelError&) {
    return node_of(formula.text);  // the reader says what is wrong with it
  }
}

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
    return out.put("formula", write_formula(writing, m, at)).done();
  }
  Node operator()(const Input& m) {
    out.put("input", m.name);
    if (drive ? !m.from_pose : m.start != 0) out.put("start", m.start);
    return out.done();
  }
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

/// Of either kind of spring. `always`: what has no default of its own.
template <class S>
void write_spring(Writing& writing, const S& spring, const std::vector<Field<S>>& fields,
                  std::set<std::string> always, const At& at, TableWriter& out) {
  if (!spring.table && !spring.formula) always.insert("stiffness");
  out.put_fields(spring, fields, always);
  write_table(writing, spring.table, at, out);
  if (spring.formula) out.put("formula", write_formula(writing, *spring.formula, at));
}

struct ForceWriter {
  Writing& writing;
  At at;
  TableWriter out = TableWriter(at.line);

  void on(const JointCoordinate& coordinate) {
    out.put("joint", writing.joint(coordinate.joint));
    out.put("coordinate", word_of(coordinate.coordinate));
  }

  Node operator()(const PointSpring& s) {
    const std::array frames{s.first, s.second};
    Node bodies;
    bodies.value =
        Node::Items{node_of(writing.body(s.first.body)), node_of(writing.body(s.second.body))};
    out.put("bodies", std::move(bodies)).put("at", writing.points(frames));
    write_spring(writing, s, point_spring_fields(), {"free_length"}, at, out);
    return out.done();
  }
  Node operator()(const CoordinateSpring& s) {
    on(s.on);
    write_spring(writing, s, coordinate_spring_fields(), {}, at, out);
    return out.done();
  }
  Node operator()(const PointForce& f) {
    out.put("body", writing.body(f.at.body));
    if (f.at.point != Vec3::Zero()) out.put("at", writing.points(std::span(&f.at, 1)));
    write_vector(f, true);
    return out.done();
  }
  Node operator()(const BodyTorque& f) {
    out.put("body", writing.body(f.body));
    const bool about_z = writing.model.planar && f.direction == Vec3::UnitZ();
    write_vector(f, !about_z);
    return out.done();
  }
  Node operator()(const JointEffort& f) {
    on(f.on);
    return out.put("magnitude", magnitude(f.magnitude)).done();
  }

 private:
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

constexpr std::array kSections{"springs", "forces", "torques", "efforts"};

std::size_t section_of(const Force& force) {
  struct Sections {
    std::size_t operator()(const PointSpring&) const { return 0; }
    std::size_t operator()(const CoordinateSpring&) const { return 0; }
    std::size_t operator()(const PointForce&) const { return 1; }
    std::size_t operator()(const BodyTorque&) const { return 2; }
    std::size_t operator()(const JointEffort&) const { return 3; }
  };
  return std::visit(Sections{}, force.law);
}

}  // namespace

Node write_motion(Writing& writing, const Motion& motion, bool drive, int line,
                  const std::string& path) {
  return std::visit(MotionWriter{writing, drive, {line, path}}, motion);
}

void write_forces(Writing& writing, TableWriter& root) {
  std::array<TableWriter, kSections.size()> sections;
  std::array<bool, kSections.size()> used{};
  std::set<std::string> names;
  std::size_t last = 0;
  for (const Force& force : writing.model.forces) {
    const std::size_t section = section_of(force);
    const std::string path = std::string(kSections[section]) + "." + force.name;
    // Results list forces in the order of the model, and files read them section by section.
    if (section < last)
      writing.refuse(force.line, path,
                     std::string("stands behind ") + kSections[last] +
                         " in the list of forces, which has springs, forces, torques and efforts "
                         "in this order",
                     "move it");
    last = std::max(last, section);
    if (!names.insert(force.name).second)
      writing.refuse(force.line, path, "the name is used twice",
                     "springs, forces, torques and efforts share their names");
    used[section] = true;
    sections[section].put(force.name,
                          std::visit(ForceWriter{writing, {force.line, path}}, force.law));
  }
  for (std::size_t i = 0; i < kSections.size(); ++i)
    if (used[i]) root.put(kSections[i], sections[i].done());
}

}  // namespace freeplay::io
