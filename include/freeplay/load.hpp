// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/errors.hpp>
#include <freeplay/model.hpp>
#include <freeplay/record.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Model files in. TOML, SI inside; every mistake of a file is reported at once.
namespace freeplay {

/// One `--set path=value`.
struct Override {
  std::string path, value;
};

struct LoadOptions {
  std::vector<Override> overrides;
  std::vector<Issue>* warnings = nullptr;  ///< receives suspicious but legal values, and notes
  /// Receives every file that was read: the model, what it includes, its tables.
  std::vector<std::filesystem::path>* files = nullptr;
  /// Receives what the file wants its results to keep.
  Record* record = nullptr;
};

/// Reads, checks and resolves a model file. Throws ModelError (all mistakes) or IoError.
[[nodiscard]] Model load_model(const std::filesystem::path& file, const LoadOptions& options = {});

/// The same from text; `name` stands for the file in messages. Includes are refused unless
/// `directory` says where they are.
[[nodiscard]] Model parse_model(std::string_view text, std::string_view name,
                                const LoadOptions& options = {},
                                const std::filesystem::path& directory = {});

/// A formula for models built in code, such as "-40*x - 0.5*v + sin(3*t)"; a drive knows t alone.
/// Throws ModelError where it cannot be read.
[[nodiscard]] Formula make_formula(std::string_view text);
/// A signal of this formula, as in [signals.NAME], which may also name what is recorded and other
/// signals and controllers: "joints/pin/rate - 31.4".
[[nodiscard]] ControlSignal make_signal(std::string name, std::string_view text);

/// JSON Schema of the model file, generated from the tables that parse it.
[[nodiscard]] std::string model_schema();

/// The keys of the model file as Markdown tables, from the same source.
[[nodiscard]] std::string model_reference();

}  // namespace freeplay
