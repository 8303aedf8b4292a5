// SPDX-License-Identifier: Apache-2.0
#include "study/parts.hpp"

#include "study/lock_file.hpp"
#include "study/scheduler.hpp"
#include "study/study_table.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

namespace freeplay::study {
namespace {

namespace fs = std::filesystem;

JournalHead head_of_part(const Study& study, const Part& part) {
  JournalHead head = head_of(study);
  head.part = part.text();
  return head;
}

/// "3-of-7"
std::optional<Part> part_named(std::string_view text) {
  Part part;
  const std::size_t of = text.find("-of-");
  if (of == text.npos) return {};
  const auto whole = [](std::string_view digits, std::int64_t& to) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), to);
    return error == std::errc{} && end == digits.data() + digits.size();
  };
  if (!whole(text.substr(0, of), part.number) || !whole(text.substr(of + 4), part.count)) return {};
  if (part.number < 1 || part.number > part.count) return {};
  return part;
}

/// Parts whose files lie beside the result, by their count and number.
std::vector<Part> parts_beside(const fs::path& output) {
  std::vector<Part> out;
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  const std::string begin = output.filename().string() + ".part-";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin)) continue;
    if (const auto part = part_named(std::string_view(name).substr(begin.size())))
      out.push_back(*part);
  }
  std::ranges::sort(out, {}, [](const Part& p) { return std::pair(p.count, p.number); });
  return out;
}

/// "3 to 7, 9"
std::string ranges_of(const std::vector<std::int64_t>& rows, std::size_t most) {
  std::string out;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t k = i + 1;
    while (k < rows.size() && rows[k] == rows[k - 1] + 1) ++k;
    if (++shown > most) return out + " ...";
    out += (out.empty() ? "" : ", ") + std::to_string(rows[i]);
    if (k > i + 1) out += (k > i + 2 ? " to " : ", ") + std::to_string(rows[k - 1]);
    i = k;
  }
  return out;
}

/// Rows of a part that is being looked at; a file with rows of others is no file of ours.
void expect_own_rows(const Journal& journal, const RowPlan& plan, const Part& part) {
  std::int64_t own = 0;
  plan.for_each_row(part, [&](std::int64_t row) { own += journal.has(row) ? 1 : 0; });
  if (own != journal.count())
    throw IoError(journal.path().string() + " is damaged: it has rows that are not those of part " +
                  part.text());
}

}  // namespace

fs::path part_file(const fs::path& output, const Part& part) {
  return fs::path(output).concat(fmt::format(".part-{}-of-{}", part.number, part.count));
}

void expect_divisible(const Study& study) {
  if (study.kind != Kind::optimise && study.kind != Kind::fit && study.kind != Kind::wear) return;
  throw ModelError({Issue{study.file.string(), 0, 0, "kind",
                          fmt::format("a study of kind '{}' cannot be computed in parts: each of "
                                      "its rows follows from those before",
                                      name_of(study.kind)),
                          "run it as a whole; it can be resumed", true}});
}

StudySummary run_part(const Study& study, const RowPlan& plan, const Part& part,
                      const fs::path& output, const StudyOptions& options, bool& asked) {
  const fs::path file = part_file(output, part);
  const auto note = [&](const std::string& text) {
    if (options.note) options.note(text);
  };
  const LockFile lock(fs::path(file).concat(".lock"));
  if (!lock.stale_owner().empty())
    note("the lock of " + lock.stale_owner() + " was left behind and is taken over");
  const JournalHead head = head_of_part(study, part);
  std::error_code ignored;
  const bool continued = fs::exists(file, ignored);
  Journal journal = continued ? Journal::resume(file, head) : Journal::create(file, head);
  StudySummary summary;
  summary.kind = name_of(study.kind);
  summary.part = part.text();
  summary.result = file;
  const std::int64_t rows = plan.rows_of(part);
  if (continued)
    note(journal.count() >= rows ? fmt::format("{} is complete already", file.string())
                                 : fmt::format("{} rows are there already", journal.count()));
  if (rows == 0)
    note(fmt::format("part {} has no rows: there are {}{}", part.text(), plan.jobs(),
                     study.continuation ? " chains, which are not divided" : " in all"));
  std::int64_t done = journal.count();
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int workers = options.workers > 0 ? options.workers : options.team ? 1 : cores;
  asked = true;
  summary.complete = run_rows(study, plan, journal,
                              {workers, options.stop,
                               [&] {
                                 ++done;
                                 if (options.progress) options.progress({done, rows});
                               },
                               options.team, part});
  summary.rows = journal.count();
  plan.for_each_row(part, [&](std::int64_t row) {
    if (!journal.has(row)) return;
    const RowOutcome outcome = journal.read(row).outcome;
    if (outcome.status == RowStatus::done) return;
    ++summary.failed;
    if (summary.failures.size() < 10) summary.failures.push_back({row, outcome.error});
  });
  return summary;
}

Journal join_parts(const Study& study, const RowPlan& plan, const fs::path& output,
                   const fs::path& joined) {
  const std::vector<Part> parts = parts_beside(output);
  if (parts.empty())
    throw IoError(fmt::format("there are no parts of {}; --part K/N computes them as {}",
                              output.string(), part_file(output, {1, 1}).string()));
  // Part after part into one journal, which finds a row wherever it lies.
  Journal all = Journal::create(joined, head_of(study));
  std::vector<std::uint32_t> from(static_cast<std::size_t>(plan.rows()), 0);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Journal journal =
        Journal::look(part_file(output, parts[k]), head_of_part(study, parts[k]));
    expect_own_rows(journal, plan, parts[k]);
    plan.for_each_row(parts[k], [&](std::int64_t row) {
      if (!journal.has(row)) return;
      const std::string packed = journal.read_packed(row);
      if (!all.has(row)) {
        all.append(row, packed);
        from[static_cast<std::size_t>(row)] = static_cast<std::uint32_t>(k);
      } else if (all.read_packed(row) != packed) {
        // A row follows from its number alone, but for what a limit of CPU time cuts off.
        throw IoError(
            fmt::format("row {} differs between {} and {}; delete one of them", row,
                        part_file(output, parts[from[static_cast<std::size_t>(row)]]).string(),
                        journal.path().string()));
      }
    });
  }
  std::vector<std::int64_t> missing;
  for (std::int64_t row = 0; row < plan.rows(); ++row)
    if (!all.has(row)) missing.push_back(row);
  if (!missing.empty())
    throw IoError(
        fmt::format("{} of {} rows are missing: {}; --missing says which part they "
                    "belong to",
                    missing.size(), plan.rows(), ranges_of(missing, 5)));
  return all;
}

StudyMissing missing_of(const Study& study, const RowPlan& plan, const fs::path& output) {
  StudyMissing out;
  out.rows = plan.rows();
  if (const auto head = read_table_head(output, study.digest)) {
    out.parts.push_back({"all", output, head->rows, head->failed, {}});
    return out;
  }
  std::vector<bool> there(static_cast<std::size_t>(plan.rows()), false);
  const auto look = [&](const std::string& name, const fs::path& file, const Part& part,
                        const JournalHead& head) {
    StudyMissing::Part entry{name, file, plan.rows_of(part), 0, {}};
    std::error_code ignored;
    std::optional<Journal> journal;
    if (fs::exists(file, ignored)) journal.emplace(Journal::look(file, head));
    if (journal) expect_own_rows(*journal, plan, part);
    plan.for_each_row(part, [&](std::int64_t row) {
      if (!journal || !journal->has(row)) {
        entry.missing.push_back(row);
        return;
      }
      there[static_cast<std::size_t>(row)] = true;
      entry.failed += journal->read(row).outcome.status == RowStatus::done ? 0 : 1;
    });
    std::ranges::sort(entry.missing);
    out.parts.push_back(std::move(entry));
  };
  std::set<std::int64_t> counts;
  for (const Part& part : parts_beside(output)) counts.insert(part.count);
  for (const std::int64_t count : counts)
    for (std::int64_t number = 1; number <= count && number <= plan.jobs(); ++number) {
      const Part part{number, count};
      look(part.text(), part_file(output, part), part, head_of_part(study, part));
    }
  if (counts.empty()) look("all", fs::path(output).concat(".journal"), {}, head_of(study));
  for (std::size_t row = 0; row < there.size(); ++row)
    if (!there[row]) out.missing.push_back(static_cast<std::int64_t>(row));
  return out;
}

}  // namespace freeplay::study
