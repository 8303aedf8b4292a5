// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/fields.hpp"
#include "io/node.hpp"
#include "laws/catalogue.hpp"
#include <freeplay/model.hpp>

#include <set>
#include <span>
#include <string>
#include <vector>

// From a Model back to the tree of a model file: the reverse of build.hpp, in canonical form. Every
// part of the model is written under the key that reads it, whether it fits there or not: what is
// wrong with it is then found by the reader of files, which has all the rules, and said in the
// words of the file. An index without an object becomes a name that nothing can have, a member that
// the type of a joint does not use becomes the key of the type that does. Only what no file can
// express is reported here.
namespace freeplay::io {

/// What the writers of the sections share.
struct Writing {
  const Model& model;
  Diagnostics& diagnostics;

  void refuse(int line, std::string path, std::string message, std::string hint = {}) {
    diagnostics.error({-1, line, 0}, std::move(path), std::move(message), std::move(hint));
  }
  [[nodiscard]] std::string body(BodyIndex index) const;
  [[nodiscard]] std::string joint(JointIndex index) const;
  /// Three entries, two in a planar mechanism (unless it leaves the plane, for the reader to say
  /// so).
  [[nodiscard]] Node vector(const Vec3& v) const;
  /// { BODY = point, ... }
  [[nodiscard]] Node points(std::span<const Frame> frames) const;
};

/// A table under construction.
class TableWriter {
 public:
  explicit TableWriter(int line = 0) : place_{-1, line, 0} {}

  TableWriter& put(std::string key, Node node);
  TableWriter& put(std::string key, double value);
  TableWriter& put(std::string key, std::string text);
  TableWriter& put(std::string key, std::span<const double> numbers);
  /// Leaves out what reading would assume anyway, to the sign of a zero.
  TableWriter& put_unless(double usual, std::string key, double value);
  TableWriter& put_flag(std::string key, bool value);
  /// The members that differ from those of a T as it is made, and those that `always` names.
  template <class T>
  TableWriter& put_fields(const T& from, const std::vector<Field<T>>& fields,
                          const std::set<std::string>& always = {}) {
    const T usual{};
    for (const Field<T>& f : fields) {
      Node node = f.get(from);
      if (!node.broken() && (always.contains(f.key.name) || !same(node, f.get(usual))))
        put(f.key.name, std::move(node));
    }
    return *this;
  }
  [[nodiscard]] Node done();

 private:
  Place place_;
  Node::Entries entries_;
};

[[nodiscard]] Node node_of(double value);
[[nodiscard]] Node node_of(std::string text);
[[nodiscard]] Node node_of(std::span<const double> numbers);

/// Columns x, y, z one after the other.
[[nodiscard]] Node node_of_axes(const Mat3& axes);
/// A law as a table; parameters in alphabetical order, for their order means nothing.
[[nodiscard]] TableWriter law_writer(const LawChoice& law,
                                     const std::vector<laws::Entry>& catalogue);
/// The word of a joint type or coordinate; one that nothing has for a number out of range.
[[nodiscard]] std::string word_of(JointType type);
[[nodiscard]] std::string word_of(Coordinate coordinate);

// ---- the sections

[[nodiscard]] Node write_joint(Writing& writing, const Joint& joint);
/// Force elements: section by section, those that have entries.
void write_forces(Writing& writing, TableWriter& root);
/// A drive, or the magnitude of a force. `path`: for what the reader cannot see.
[[nodiscard]] Node write_formula(Writing& writing, const Formula& formula, int line,
                                 const std::string& path);
[[nodiscard]] Node write_motion(Writing& writing, const Motion& motion, bool drive, int line,
                                const std::string& path);

/// The whole model. What no file can express is reported.
[[nodiscard]] Node tree_of(const Model& model, Diagnostics& diagnostics);

/// Reports where a model that was read differs from the one that was written.
void report_differences(const Node& given, const Node& read, Diagnostics& diagnostics);

}  // namespace freeplay::io
