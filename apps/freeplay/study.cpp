// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "interrupt.hpp"
#include "json.hpp"
#include "mpi_team.hpp"
#include "study/study_file.hpp"
#include "study/study_table.hpp"
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

  void show(const StudyProgress& p) {
    const auto now = Clock::now();
    if (!wanted_ || now - last_ < std::chrono::seconds(10)) return;
    last_ = now;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    if (first_ < 0) first_ = p.done - 1;
    const double rate = static_cast<double>(p.done - first_) / seconds;
    note(fmt::format("{} of {} rows, {:.3g} a second, about {:.0f} s left", p.done, p.total, rate,
                     static_cast<double>(p.total - p.done) / rate));
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_;
  std::int64_t first_ = -1;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

std::string summary_text(const StudySummary& s) {
  std::string out = bold(fmt::format("{}, {} rows", s.kind, s.rows)) + "\n";
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

}  // namespace

int study_command(const StudyArguments& a) {
  if (a.row >= 0) return run_row(a);
  const auto team = join_team();
  const bool leader = !team || team->rank() == 0;
  const bool quiet = a.quiet || !leader;
  const Interrupt interrupt;
  ProgressBar bar(!quiet);
  PlainProgress plain(!quiet && !is_terminal_stderr());
  const auto begin = std::chrono::steady_clock::now();

  StudyOptions options;
  options.output = a.output;
  options.resume = a.resume;
  options.workers = a.workers;
  options.command = a.command;
  options.stop = interrupt.flag();
  options.team = team.get();
  options.note = [&](const std::string& text) {
    if (!quiet) note(text);
  };
  options.progress = [&](const StudyProgress& p) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    bar.show(static_cast<double>(p.done) / static_cast<double>(std::max<std::int64_t>(1, p.total)),
             fmt::format("{} of {} rows, {:.3g} rows/s", p.done, p.total,
                         static_cast<double>(p.done) / seconds));
    plain.show(p);
  };
  const StudySummary s = run_study(a.file, options);
  bar.clear();
  if (!leader) return kDone;

  if (a.json)
    print(json_of(s));
  else if (!quiet && s.complete)
    print(summary_text(s));
  if (!s.complete) {
    complain(fmt::format("interrupted; {} rows are in {}; continue with 'study --resume'", s.rows,
                         s.result.string()));
    return kInterrupted;
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
