// SPDX-License-Identifier: Apache-2.0
#include "study_rows.hpp"

#include "io/csv.hpp"
#include "io/text.hpp"
#include "terminal.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>

namespace freeplay::cli {
namespace {

using study::StudyColumn;
using study::StudyRows;

/// What stands in a row: nothing was computed for the outputs of one that failed.
std::string cell(const StudyRows& table, const StudyColumn& column, std::size_t row, int digits) {
  if (column.group == "outputs" && table.status[row] != 0) return digits > 6 ? "nan" : "-";
  return column.shown.text(column.values[row], digits);
}

std::vector<std::string> headings_of(const StudyRows& table) {
  std::vector<std::string> out{"row"};
  for (const StudyColumn& column : table.columns) out.push_back(column.shown.heading());
  out.emplace_back("status");
  return out;
}

/// A column by its path ("joints.pin.clearance.radial"), with or without its group, or by its name.
const StudyColumn& column_named(const StudyRows& table, const std::string& name) {
  std::vector<std::string> known;
  for (const auto* columns : {&table.columns, &table.samples, &table.results})
    for (const StudyColumn& c : *columns) {
      const bool result = columns == &table.results || columns == &table.samples;
      if (name == c.group + "/" + c.path || (!result && (name == c.path || name == c.shown.name)))
        return c;
      const bool by_name = name.find(' ') != name.npos;
      known.push_back(result ? c.group + "/" + c.path : by_name ? c.shown.name : c.path);
    }
  throw NotInResult("there is no column " + io::quote(name) + "; " + io::did_you_mean(name, known));
}

void print_list(const StudyRows& table) {
  for (const StudyColumn& c : table.columns)
    print(fmt::format("{}\t{}\t{}\t{}\n", c.path, c.shown.unit, c.group, c.shown.name));
  for (const auto* columns : {&table.samples, &table.results})
    for (const StudyColumn& c : *columns)
      print(
          fmt::format("{}/{}\t{}\t{}\t{}\n", c.group, c.path, c.shown.unit, c.group, c.shown.name));
  print(fmt::format("rows\t-\t-\ttable: {} rows, inputs and outputs\n", table.rows));
}

void print_table(const StudyRows& table) {
  print(fmt::format("{}\n", fmt::join(headings_of(table), "\t")));
  for (std::size_t row = 0; row < table.status.size(); ++row) {
    std::string line = std::to_string(row);
    for (const StudyColumn& column : table.columns) line += "\t" + cell(table, column, row, 15);
    if (!print(line + "\t" + study::status_name(table.status[row]) + "\n")) return;
  }
}

/// One line for each row that has the value: its number, and the value.
void print_column(const StudyRows& table, const StudyColumn& column) {
  const StudyColumn* row = nullptr;
  for (const StudyColumn& c : table.samples)
    if (c.path == "row" && column.group == "section") row = &c;
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    const bool of_row = column.group == "inputs" || column.group == "outputs";
    const auto number = row ? static_cast<std::size_t>(row->values[i]) : i;
    const std::string text =
        of_row ? cell(table, column, i, 15) : column.shown.text(column.values[i], 15);
    if (!print(fmt::format("{}\t{}\n", number, text))) return;
  }
}

void print_stats(const StudyRows& table, const StudyColumn& column) {
  if (!column.shown.words.empty())
    throw UsageError(column.path + " consists of words, which have no statistics");
  print("column\tunit\tmin\tmax\tmean\trms\tat_min\tat_max\n");
  double least = INFINITY, greatest = -INFINITY, sum = 0, square = 0;
  std::size_t at_least = 0, at_greatest = 0, count = 0;
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    if (column.group == "outputs" && table.status[i] != 0) continue;
    const double v = column.shown.number(column.values[i]);
    if (v < least) least = v, at_least = i;
    if (v > greatest) greatest = v, at_greatest = i;
    sum += v;
    square += v * v;
    ++count;
  }
  if (count == 0) throw NotInResult("no row of " + column.path + " is done");
  const auto n = static_cast<double>(count);
  print(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", column.path, column.shown.unit,
                    digits15(least), digits15(greatest), digits15(sum / n),
                    digits15(std::sqrt(square / n)), at_least, at_greatest));
}

/// Columns of equal length, as they are.
void write_columns(const std::vector<StudyColumn>& columns, const std::filesystem::path& file) {
  io::CsvFile csv(file);
  for (const StudyColumn& column : columns)
    csv.text(column.path == "row" || column.path == "turn" ? column.path : column.shown.heading());
  csv.end_line();
  const std::size_t count = columns.empty() ? 0 : columns[0].values.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (const StudyColumn& column : columns) csv.text(column.shown.text(column.values[i], 15));
    csv.end_line();
  }
  csv.finish();
}

/// Conclusions are of any length: a line for each number.
void write_results(const std::vector<StudyColumn>& results, const std::filesystem::path& file) {
  io::CsvFile csv(file);
  for (const char* heading : {"result", "index", "value", "unit"}) csv.text(heading);
  csv.end_line();
  for (const StudyColumn& column : results)
    for (std::size_t i = 0; i < column.values.size(); ++i) {
      csv.text(column.path);
      csv.text(std::to_string(i));
      csv.text(digits15(column.values[i]));
      csv.text(column.shown.unit);
      csv.end_line();
    }
  csv.finish();
}

}  // namespace

void print_rows(const StudyRows& rows) {
  Table table(headings_of(rows));
  for (std::size_t row = 0; row < rows.status.size(); ++row) {
    std::vector<std::string> line{std::to_string(row)};
    for (const StudyColumn& column : rows.columns) line.push_back(cell(rows, column, row, 6));
    line.emplace_back(study::status_name(rows.status[row]));
    table.add(std::move(line));
  }
  print(table.text());
}

void write_rows(const StudyRows& rows, const std::filesystem::path& file) {
  io::CsvFile csv(file);
  for (const std::string& heading : headings_of(rows)) csv.text(heading);
  csv.text("error");
  csv.end_line();
  for (std::size_t row = 0; row < rows.status.size(); ++row) {
    csv.text(std::to_string(row));
    for (const StudyColumn& column : rows.columns) csv.text(cell(rows, column, row, 15));
    csv.text(study::status_name(rows.status[row]));
    csv.text(rows.errors[row]);
    csv.end_line();
  }
  csv.finish();
}

int get_of_study(const GetArguments& a) {
  if (!a.at.empty())
    throw UsageError(
        "the rows of a study have no instants; leave out --at, or run one of them "
        "alone (freeplay study FILE --row N) and ask its result");
  const StudyRows table = study::read_rows(a.result);
  if (a.list)
    print_list(table);
  else if (a.series == "rows" && a.stats)
    throw UsageError("rows is a table, not a column; leave out --stats");
  else if (a.series == "rows")
    print_table(table);
  else if (a.stats)
    print_stats(table, column_named(table, a.series));
  else
    print_column(table, column_named(table, a.series));
  return kDone;
}

int export_of_study(const ExportArguments& a) {
  const StudyRows table = study::read_rows(a.result);
  const std::filesystem::path folder = a.csv;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder))
    throw IoError("cannot make the directory " + a.csv +
                  (error ? ": " + error.message() : ": another file has that name"));
  write_rows(table, folder / "rows.csv");
  print((folder / "rows.csv").string() + "\n");
  if (!table.samples.empty()) {
    write_columns(table.samples, folder / "section.csv");
    print((folder / "section.csv").string() + "\n");
  }
  if (!table.results.empty()) {
    write_results(table.results, folder / "results.csv");
    print((folder / "results.csv").string() + "\n");
  }
  return kDone;
}

}  // namespace freeplay::cli
