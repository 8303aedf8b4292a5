// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core.hpp"
#include "kept_run.hpp"
#include <freeplay/result.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace freeplay::python {

/// How a run ended, under the names that `freeplay run --json` gives.
[[nodiscard]] py::dict dict_of(const RunResult& result);
/// A dictionary of columns, named as in result files; `joint` and `kind` are numbers of names.
[[nodiscard]] py::dict columns_of(const std::vector<Event>& events);
[[nodiscard]] py::dict columns_of(const std::vector<Impact>& impacts);

/// A run in memory, as Python sees it.
struct MemoryResult {
  std::shared_ptr<const KeptRun> run;

  [[nodiscard]] py::list channels() const;
  /// A view of the numbers of a series, [rows] or [rows, width]; None if there is none.
  [[nodiscard]] py::object values(const std::string& path, bool uniform) const;
  [[nodiscard]] py::array at(const std::string& path, const std::vector<double>& times) const;
  /// Returns where it is: an incomplete run is a partial file.
  [[nodiscard]] std::filesystem::path save(const std::filesystem::path& file,
                                           const std::string& command) const;
};

/// A result file. Series are read when they are first asked for, and kept.
class FileResult {
 public:
  explicit FileResult(const std::filesystem::path& file) : file_(file) {}

  [[nodiscard]] const Result& file() const { return file_; }
  [[nodiscard]] py::list channels();
  [[nodiscard]] py::object values(const std::string& path, bool uniform);
  [[nodiscard]] py::array at(const std::string& path, const std::vector<double>& times) const;

 private:
  Result file_;
  std::map<std::string, py::array> known_;
};

}  // namespace freeplay::python
