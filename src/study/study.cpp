// SPDX-License-Identifier: Apache-2.0
#include "io/source_files.hpp"
#include "study/conclusions.hpp"
#include "study/lock_file.hpp"
#include "study/parts.hpp"
#include "study/scheduler.hpp"
#include "study/search_study.hpp"
#include "study/study_table.hpp"
#include "study/wear_life.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/study.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

// A study from file to file: read it, take the lock, compute the rows that the journal lacks,
// conclude, write the table, remove the journal.
namespace freeplay {
namespace study {
namespace {

namespace fs = std::filesystem;

fs::path beside(const fs::path& output, const char* ending) {
  return fs::path(output).concat(ending);
}

/// Rows follow from the results of those before.
bool is_search(const Study& s) {
  return s.kind == Kind::optimise || s.kind == Kind::fit || s.kind == Kind::wear;
}

/// chosen: about as many cycles as most lives take, for the bar of progress alone
constexpr std::int64_t kCyclesOfLife = 150;

/// Counts rows as they come in and passes it on.
class Tally {
 public:
  Tally(const StudyOptions& options, std::int64_t done, std::int64_t total)
      : options_(options), progress_{done, total} {}
  void row_done() {
    ++progress_.done;
    if (options_.progress) options_.progress(progress_);
  }

 private:
  const StudyOptions& options_;
  StudyProgress progress_;
};

/// Where the result goes, which may not be one of the files that the study is read from.
fs::path output_of(const Study& s, const StudyOptions& options) {
  const fs::path output =
      options.output.empty() ? fs::path(s.file).stem().concat(".h5") : options.output;
  std::error_code ignored;
  for (const fs::path& written : {output, beside(output, ".journal"), beside(output, ".lock")})
    if (const fs::path* source = io::same_file(s.files, written))
      throw IoError("the result would overwrite " + source->string() +
                    ", which the study is read from; name another with -o");
  if (fs::exists(output, ignored) && !fs::is_regular_file(output, ignored))
    throw IoError("cannot write " + output.string() + ": it is not a file");
  return output;
}

/// Everything but the help of other processes. `asked` is set once they have been given work.
StudySummary lead(const Study& s, const RowPlan& plan, const StudyOptions& options, bool& asked) {
  StudySummary summary;
  summary.kind = name_of(s.kind);
  const bool search = is_search(s);
  const fs::path output = output_of(s, options);
  if (options.parts > 0)
    return run_part(s, plan, {options.part, options.parts}, output, options, asked);
  std::error_code ignored;
  const auto note = [&](const std::string& text) {
    if (options.note) options.note(text);
  };
  const LockFile lock(beside(output, ".lock"));
  if (!lock.stale_owner().empty())
    note("the lock of " + lock.stale_owner() + " was left behind and is taken over");

  const fs::path journal_path = beside(output, ".journal");
  summary.result = output;
  const bool continued = options.resume && fs::exists(journal_path, ignored);
  if (options.resume && !continued) {
    if (const auto head = read_table_head(output, s.digest)) {
      note(output.string() + " is complete already");
      summary.rows = head->rows;
      summary.failed = head->failed;
      summary.complete = true;
      return summary;
    }
    note(journal_path.string() + " is not there: starting from the beginning");
  }
  Journal journal = continued ? Journal::resume(journal_path, head_of(s))
                              : Journal::create(journal_path, head_of(s));
  if (continued) note(fmt::format("{} rows are there already", journal.count()));

  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  // Processes of a team compute with one thread each, unless told otherwise.
  const int workers = options.workers > 0 ? options.workers : options.team ? 1 : cores;
  if (s.kind == Kind::wear) {
    Tally tally(options, journal.count(), std::max(kCyclesOfLife, journal.count()));
    run_life(
        s, journal, options, [&] { tally.row_done(); }, summary);
  } else if (search) {
    Tally tally(options, journal.count(), s.evaluations);
    run_search(
        s, journal, options, workers, [&] { tally.row_done(); }, summary);
  } else {
    summary.rows = plan.rows();
    Tally tally(options, journal.count(), plan.rows());
    asked = true;
    summary.complete = run_rows(s, plan, journal,
                                {workers, options.stop, [&] { tally.row_done(); }, options.team});
  }
  if (!summary.complete) {
    summary.rows = journal.count();
    summary.result = journal_path;
    summary.table.clear();
    summary.numbers.clear();
    return summary;
  }
  conclude(s, journal, summary.rows, summary);
  write_table(output, s, journal, summary.rows, summary.numbers, options.command);
  fs::remove(journal_path, ignored);
  return summary;
}

StudySummary carry_out(const Study& s, const StudyOptions& options) {
  const RowPlan plan(s);
  if (options.parts > 0) expect_divisible(s);
  if (options.team && options.team->rank() > 0) {
    // A search knows its next row only when it has seen the last: one process does it.
    if (!is_search(s)) help_with_rows(s, plan, *options.team, options.stop);
    StudySummary summary;
    summary.complete = true;
    return summary;
  }
  bool asked = is_search(s);
  try {
    StudySummary summary = lead(s, plan, options, asked);
    if (options.team && !asked) dismiss(*options.team);
    return summary;
  } catch (...) {
    if (options.team && !asked) dismiss(*options.team);
    throw;
  }
}

/// Parts to a table: the end of `lead`, with rows that are there already.
StudySummary join(const Study& s, const StudyOptions& options) {
  expect_divisible(s);
  const RowPlan plan(s);
  const fs::path output = output_of(s, options), joined = beside(output, ".joining");
  const LockFile lock(beside(output, ".lock"));
  StudySummary summary;
  summary.kind = name_of(s.kind);
  summary.result = output;
  summary.rows = plan.rows();
  summary.complete = true;
  std::error_code ignored;
  try {
    const Journal journal = join_parts(s, plan, output, joined);
    conclude(s, journal, summary.rows, summary);
    write_table(output, s, journal, summary.rows, summary.numbers, options.command);
  } catch (...) {
    fs::remove(joined, ignored);
    throw;
  }
  fs::remove(joined, ignored);
  return summary;
}

}  // namespace
}  // namespace study

StudySummary run_study(const std::filesystem::path& file, const StudyOptions& options) {
  return study::carry_out(study::read_study(file), options);
}

StudySummary join_study(const std::filesystem::path& file, const StudyOptions& options) {
  return study::join(study::read_study(file), options);
}

StudyMissing missing_rows(const std::filesystem::path& file, const std::filesystem::path& output) {
  const study::Study s = study::read_study(file);
  study::expect_divisible(s);
  StudyOptions options;
  options.output = output;
  return study::missing_of(s, study::RowPlan(s), study::output_of(s, options));
}

namespace {
void expect_name(const StudyOptions& options) {
  if (options.output.empty())
    throw IoError("a study of a model in memory has no name: say where its result goes");
}
}  // namespace

StudySummary run_study(const ModelSource& model, std::string_view text,
                       const StudyOptions& options) {
  expect_name(options);
  return study::carry_out(study::read_study(text, model), options);
}

StudySummary run_study(const Model& model, std::string_view text, const StudyOptions& options) {
  expect_name(options);
  validate(model);
  return study::carry_out(study::read_study(text, model), options);
}

}  // namespace freeplay
