// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/load.hpp>
#include <freeplay/model.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Many runs of one model: sweeps, bifurcation diagrams, uncertainty, sensitivity, optimisation. A
// study file says what is varied and what is looked at; the result is one HDF5 file.
namespace freeplay {

namespace study {
class Team;
}

struct StudyProgress {
  std::int64_t done = 0, total = 0;  ///< rows
};

struct StudyOptions {
  std::filesystem::path output;             ///< empty: name of the study with .h5, here
  bool resume = false;                      ///< go on with what an interrupted study has stored
  int workers = 0;                          ///< threads; 0: one per core
  std::string command;                      ///< for the record
  const std::atomic<bool>* stop = nullptr;  ///< finish the rows at hand and end
  std::function<void(const StudyProgress&)> progress;  ///< by one thread at a time
  std::function<void(const std::string&)> note;        ///< things worth knowing, one sentence each
  study::Team* team = nullptr;                         ///< other processes; null: none
  std::int64_t part = 0, parts = 0;  ///< only part 1 ... parts of the rows; 0: all of them
};

/// One number of a summary: "joints/pin/normal_force/max/mean" and its value.
struct StudyNumber {
  std::string name;
  std::vector<double> values;
  std::string unit;
};

struct StudyFailure {
  std::int64_t row = 0;
  std::string error;
};

struct StudySummary {
  std::string kind;
  std::string part;  ///< "3/7", of a part; its rows are counted, and nothing is concluded
  std::int64_t rows = 0, failed = 0;
  bool complete = false;  ///< false: stopped, can be resumed
  std::filesystem::path result;
  std::vector<StudyFailure> failures;           ///< the first few
  std::vector<std::vector<std::string>> table;  ///< for people; the first row is the heading
  std::vector<StudyNumber> numbers;             ///< the same for programs, also under /results
};

/// Reads the study, runs its rows, stores each as soon as it is done, and puts them together in one
/// file. Throws ModelError (every mistake of the study file, or of the model), or IoError.
StudySummary run_study(const std::filesystem::path& file, const StudyOptions& options);

/// The same of a model in memory: `text` is a study file without its key `model`. Paths to vary are
/// those of the model as write_model() writes it; options.output has to be named.
StudySummary run_study(const Model& model, std::string_view text, const StudyOptions& options);

/// Puts the parts of a study together that were computed apart (StudyOptions::part), whatever their
/// order and number: the file is that of one process. Throws IoError when rows are missing, or when
/// a part belongs to another study, model or version.
StudySummary join_study(const std::filesystem::path& file, const StudyOptions& options);

/// Which rows of a study are not there yet.
struct StudyMissing {
  struct Part {
    std::string name;            ///< "3/7"; "all" of a study that is computed as a whole
    std::filesystem::path file;  ///< of its rows, which need not be there
    std::int64_t rows = 0;       ///< that it should have
    std::int64_t failed = 0;     ///< of those that it has
    std::vector<std::int64_t> missing;
  };
  std::int64_t rows = 0;
  std::vector<std::int64_t> missing;  ///< in order
  std::vector<Part> parts;
};
[[nodiscard]] StudyMissing missing_rows(const std::filesystem::path& file,
                                        const std::filesystem::path& output);

/// A model file as text, and what `--set` changes of it.
struct ModelSource {
  std::string text;
  std::filesystem::path file;  ///< names it in messages; what it includes lies beside it
  std::vector<Override> set;
  std::filesystem::path study_folder = {};  ///< of files that the study names; empty: it has none
};
/// The same of such a text: paths to vary are those that it is written in.
StudySummary run_study(const ModelSource& model, std::string_view text,
                       const StudyOptions& options);

}  // namespace freeplay
