// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

// How Freeplay says no. What the user wrote is wrong: ModelError, carrying every mistake found,
// each with its place. A file cannot be read or written: IoError. A computation that does not get
// there is not an exception but a returned status (see run.hpp).
namespace freeplay {

/// One mistake in a model file: where, what was found, what was expected, what may have been meant.
struct Issue {
  std::string file;     ///< as the user named it; empty when the model was built in code
  int line = 0;         ///< 1-based; 0 when unknown
  int column = 0;       ///< 1-based; 0 when unknown
  std::string path;     ///< dotted model path, e.g. "joints.ball.clearance.radial"
  std::string message;  ///< one sentence: what is wrong, with the value found and what was expected
  std::string hint;     ///< what to try ("did you mean 'radial'?"); may be empty
  bool fatal = true;    ///< false: a warning (a plausible but suspicious value)

  /// "file:line:column: path: message (hint)", leaving out what is unknown.
  [[nodiscard]] std::string text() const;
};

/// The model is wrong; `issues()` lists all mistakes at once. CLI exit status 2.
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(std::vector<Issue> issues);
  explicit ModelError(Issue issue);
  [[nodiscard]] const std::vector<Issue>& issues() const { return issues_; }

 private:
  std::vector<Issue> issues_;
};

/// The mechanism cannot be put together: no pose satisfies its joints. CLI exit status 3.
class AssemblyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file could not be read or written. CLI exit status 5.
class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace freeplay
