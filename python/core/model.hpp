// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core.hpp"
#include "io/node.hpp"
#include <freeplay/load.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace freeplay::python {

/// A Python value as it would stand in a model file: numbers, words, lists, tables; None is
/// `false`, which takes a key away. Throws TypeError for what no file can hold.
[[nodiscard]] io::Node node_of(const py::handle& value);
[[nodiscard]] py::object object_of(const io::Node& node);

/// A model ready to run: never changes, shared by threads.
struct ReadyModel {
  std::shared_ptr<const Model> model;
  std::vector<Issue> warnings;
  Record record;  ///< what its result files keep
};

/// The text of a model and what was changed of it since, by paths as `--set` has them.
class ModelText {
 public:
  ModelText(std::string text, std::string name, std::string folder, std::vector<Override> changes,
            bool in_code);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] const std::vector<Override>& changes() const { return changes_; }
  [[nodiscard]] bool in_code() const { return in_code_; }

  /// What the path has now, as written; null: nothing, but it could. Throws NotInResult when the
  /// file has no such key.
  [[nodiscard]] const io::Node* find(const std::string& path) const;
  void change(const std::string& path, const io::Node& value);
  /// The whole as a file, changes included.
  [[nodiscard]] std::string toml() const;
  /// Reads, checks and resolves. Throws ModelError.
  [[nodiscard]] ReadyModel ready() const;

 private:
  [[nodiscard]] const io::Node& tree() const;

  std::string text_, name_, folder_;
  std::vector<Override> changes_;
  bool in_code_;
  mutable std::optional<io::Node> tree_;
};

}  // namespace freeplay::python
