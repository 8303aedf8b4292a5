// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "interrupt.hpp"
#include "io/source_files.hpp"
#include "json.hpp"
#include "mpi_team.hpp"
#include "study/parts.hpp"
#include "study/study_file.hpp"
#include "study/study_table.hpp"
#include "study_batch.hpp"
#include "study_rows.hpp"
#include "terminal.hpp"
#include <freeplay/study.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

// `freeplay study`: many runs of one model into one file.
namespace freeplay::cli {
namespace {

// Rate and remaining time where there is no terminal to draw on: a line every so often.
class PlainProgress {
 public:
  explicit PlainProgress(bool wanted) : wanted_(wanted) {}

  /// `rate`: rows a second.
  void show(const StudyProgress& p, double rate) {
    const auto now = Clock::now();
    if (!wanted_ || now - last_ < std::chrono::seconds(10)) return;
    last_ = now;
    note(fmt::format("{} of {} rows, {:.3g} a second, about {:.0f} s left", p.done, p.total, rate,
                     static_cast<double>(p.total - p.done) / rate));
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_;
  Clock::time_point last_ = Clock::now();
};

std::string summary_text(const StudySummary& s) {
  const std::string of = s.part.empty() ? "" : fmt::format(", part {}", s.part);
  std::string out = bold(fmt::format("{}{}, {} rows", s.kind, of, s.rows)) + "\n";
  if (!s.table.empty()) {
    Table table(s.table[0]);
    for (std::size_t i = 1; i < s.table.size(); ++i) table.add(s.table[i]);
    out += table.text();
  }
  Table tail;
  tail.add({"failed rows", std::to_string(s.failed)});
  tail.add({"result", s.result.string()});
  return out + tail.text();
}

/// The run behind one point of a diagram, with everything recorded. Runs as long as the model says.
int run_row(const StudyArguments& a) {
  const study::Study study = study::read_study(a.file);
  const std::filesystem::path table =
      a.output.empty() ? std::filesystem::path(a.file).stem().string() + ".h5" : a.output;
  RunArguments run;
  run.model.file = study.model_file.string();
  for (const Override& o : study::overrides_of_row(table, study, a.row))
    run.model.set.push_back(o.path + "=" + o.value);
  run.output = fmt::format("{}_row_{}.h5", (table.parent_path() / table.stem()).string(), a.row);
  run.command = a.command;
  run.json = a.json;
  run.quiet = a.quiet;
  return run_command(run);
}

/// "3 to 7, 9"
std::string ranges_of(const std::vector<std::int64_t>& rows) {
  std::string out;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t k = i + 1;
    while (k < rows.size() && rows[k] == rows[k - 1] + 1) ++k;
    out += (out.empty() ? "" : ", ") + std::to_string(rows[i]);
    if (k > i + 1) out += (k > i + 2 ? " to " : ", ") + std::to_string(rows[k - 1]);
    i = k;
  }
  return out;
}

/// Parts that lack rows, each with its rows.
int list_missing(const StudyArguments& a) {
  const StudyMissing found = missing_rows(a.file, a.output);
  if (a.json) {
    print(json_of(found));
    return kDone;
  }
  std::int64_t failed = 0;
  Table table({"part", "rows", "missing", "which"});
  for (const StudyMissing::Part& p : found.parts) {
    failed += p.failed;
    if (!p.missing.empty())
      table.add(
          {p.name, std::to_string(p.rows), std::to_string(p.missing.size()), ranges_of(p.missing)});
  }
  print(bold(fmt::format("{} of {} rows are missing", found.missing.size(), found.rows)) + "\n");
  if (!found.missing.empty()) print(table.text());
  if (failed > 0) warn(fmt::format("{} of the rows that are there failed", failed));
  return kDone;
}

int print_script(const StudyArguments& a) {
  const study::Study s = study::read_study(a.file);
  study::expect_divisible(s);
  const std::int64_t parts = tasks_of(a.part);
  if (const std::int64_t jobs = study::RowPlan(s).jobs(); parts > jobs)
    throw UsageError(
        fmt::format("{} tasks are more than there is work for: {} {}", parts, jobs,
                    s.continuation ? "chains, which are not divided (key 'chains')" : "rows"));
  print(submit_script(a, parts));
  return kDone;
}

/// What was asked for of a table that is complete.
void show_rows(const StudyArguments& a, const StudySummary& s) {
  const bool wanted = a.rows || !a.csv.empty();
  study::StudyRows rows;
  if (wanted) rows = study::read_rows(s.result);
  if (!a.csv.empty()) write_rows(rows, a.csv);
  if (a.json) return print(json_of(s, a.rows ? &rows : nullptr)), void();
  if (a.rows) print_rows(rows);
  if (!a.quiet) print(summary_text(s));
}

void expect_sense(const StudyArguments& a) {
  if (!a.part.empty() && (a.rows || !a.csv.empty()))
    throw UsageError("a part has no table; ask for its rows with --join");
  if (a.csv.empty()) return;
  std::vector<std::filesystem::path> taken = study::read_study(a.file).files;
  taken.push_back(a.output.empty() ? std::filesystem::path(a.file).stem().concat(".h5")
                                   : std::filesystem::path(a.output));
  const bool result =
      std::filesystem::path(a.csv).lexically_normal() == taken.back().lexically_normal();
  if (result || io::same_file(taken, a.csv))
    throw UsageError("--csv would overwrite " + a.csv +
                     ", which the study reads or writes; name another");
}

}  // namespace

int study_command(const StudyArguments& a) {
  expect_sense(a);
  if (a.row >= 0) return run_row(a);
  if (!a.submit.empty()) return print_script(a);
  const auto team = join_team();
  const bool leader = !team || team->rank() == 0;
  const bool quiet = a.quiet || !leader;
  const Interrupt interrupt;
  ProgressBar bar(!quiet);
  PlainProgress plain(!quiet && !is_terminal_stderr());
  const auto begin = std::chrono::steady_clock::now();

  StudyOptions options;
  if (!a.part.empty()) {
    const study::Part part = part_of(a.part);
    options.part = part.number;
    options.parts = part.count;
  } else if (const std::string batch = array_job();
             leader && !a.quiet && !a.join && !a.missing && !batch.empty()) {
    note("this is a task of an array job of " + batch +
         " and computes all rows; --part auto would make it compute its part");
  }
  options.output = a.output;
  options.resume = a.resume;
  options.workers = a.workers;
  options.command = a.command;
  options.stop = interrupt.flag();
  options.team = team.get();
  options.note = [&](const std::string& text) {
    if (!quiet) note(text);
  };
  std::int64_t before = -1;  // rows of an earlier run; told of first when one more is done
  options.progress = [&](const StudyProgress& p) {
    if (before < 0) before = p.done - 1;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double rate = static_cast<double>(p.done - before) / seconds;
    bar.show(static_cast<double>(p.done) / static_cast<double>(std::max<std::int64_t>(1, p.total)),
             fmt::format("{} of {} rows, {:.3g} rows/s", p.done, p.total, rate));
    plain.show(p, rate);
  };
  if (!leader && (a.join || a.missing)) return kDone;
  if (a.missing) return list_missing(a);
  const StudySummary s = a.join ? join_study(a.file, options) : run_study(a.file, options);
  bar.clear();
  if (!leader) return kDone;

  if (!s.complete) {
    if (a.json) print(json_of(s, nullptr));
    complain(fmt::format("interrupted; {} rows are in {}; continue with {}", s.rows,
                         s.result.string(),
                         s.part.empty() ? "'study --resume'" : "the same command"));
    return kInterrupted;
  }
  if (!s.part.empty()) {
    if (a.json)
      print(json_of(s, nullptr));
    else if (!quiet)
      print(summary_text(s));
  } else {
    show_rows(a, s);
  }
  for (const StudyFailure& f : s.failures) warn(fmt::format("row {}: {}", f.row, f.error));
  if (s.failed > 0) {
    complain(fmt::format("{} of {} rows failed; they are marked in {}", s.failed, s.rows,
                         s.result.string()));
    return kFailed;
  }
  return kDone;
}

}  // namespace freeplay::cli
