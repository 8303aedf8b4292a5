// SPDX-License-Identifier: Apache-2.0
#include "io/csv.hpp"

#include "io/impact_units.hpp"
#include "io/replace_file.hpp"
#include "io/result_layout.hpp"
#include "io/text.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace freeplay::io {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

CsvFile::CsvFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(temporary_name(path_)) {
  file_ = std::fopen(temporary_.string().c_str(), "wb");
  if (!file_)
    throw IoError("cannot write " + path_.string() + ": " + std::generic_category().message(errno));
}

CsvFile::~CsvFile() {
  if (!file_) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void CsvFile::text(std::string_view value) {
  if (line_begun_) buffer_ += ',';
  line_begun_ = true;
  buffer_ += csv_field(value);
}

void CsvFile::number(double value) { text(shortest(value)); }

void CsvFile::end_line() {
  buffer_ += '\n';
  line_begun_ = false;
  if (buffer_.size() > (1U << 20U)) write_out();
}

void CsvFile::write_out() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size() ||
      std::fflush(file_) != 0)
    throw IoError("cannot write " + path_.string() + ": " + std::generic_category().message(errno));
  buffer_.clear();
}

void CsvFile::finish() {
  write_out();
  std::fclose(std::exchange(file_, nullptr));
  replace_file(temporary_, path_);
}

}  // namespace freeplay::io

namespace freeplay {
namespace {

std::string heading(const std::string& name, const std::string& unit) {
  return name + " [" + unit + "]";
}

// One wide table: time, then every component of every channel. Rows are read in blocks, so that a
// file larger than memory passes through.
void write_table(const Result& result, bool uniform, const std::filesystem::path& path) {
  const std::string prefix = uniform ? "uniform/" : "";
  const auto channels = result.channels();
  io::CsvFile csv(path);
  csv.text(heading("time", "s"));
  std::size_t columns = 1;
  for (const auto& channel : channels) {
    const auto names = component_names(channel.width);
    if (names.empty()) csv.text(heading(channel.path, channel.unit));
    for (const auto& name : names) csv.text(heading(channel.path + "." + name, channel.unit));
    columns += static_cast<std::size_t>(channel.width);
  }
  csv.end_line();

  constexpr std::size_t kNumbers = 4U << 20U;  // 32 MB at a time
  const auto block = std::clamp<std::size_t>(kNumbers / columns, 64, 65536);
  const auto rows = result.rows(uniform);
  for (std::size_t first = 0; first < rows; first += block) {
    const auto count = std::min(block, rows - first);
    std::vector<Series> series;
    for (const auto& channel : channels)
      series.push_back(result.series(prefix + channel.path, first, count));
    const auto times = result.series(prefix + "time", first, count);
    for (std::size_t i = 0; i < count; ++i) {
      csv.number(times.values[i]);
      for (const auto& s : series) {
        const auto width = static_cast<std::size_t>(s.channel.width);
        for (std::size_t k = 0; k < width; ++k) csv.number(s.values[i * width + k]);
      }
      csv.end_line();
    }
  }
  csv.finish();
}

void write_events(const Result& result, const std::filesystem::path& path) {
  io::CsvFile csv(path);
  for (const auto& name : io::event_headings(result)) csv.text(name);
  csv.end_line();
  for (const auto& event : result.events()) {
    csv.number(event.time);
    csv.text(event.joint);
    csv.text(std::to_string(event.contact));
    csv.text(event.kind);
    csv.number(event.speed);
    csv.end_line();
  }
  csv.finish();
}

void write_impacts(const Result& result, const std::filesystem::path& path) {
  io::CsvFile csv(path);
  for (const auto& name : io::impact_headings(result)) csv.text(name);
  csv.end_line();
  for (const auto& impact : result.impacts()) {
    csv.number(impact.start);
    csv.number(impact.end);
    csv.text(impact.joint);
    csv.text(std::to_string(impact.contact));
    for (const double value : io::impact_numbers(impact)) csv.number(value);
    csv.text(impact.open ? "1" : "0");
    csv.end_line();
  }
  csv.finish();
}

}  // namespace

std::vector<std::filesystem::path> export_csv(const Result& result,
                                              const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory))
    throw IoError("cannot make the directory " + directory.string() +
                  (error ? ": " + error.message() : ": another file has that name"));
  write_table(result, false, directory / "steps.csv");
  write_table(result, true, directory / "uniform.csv");
  write_events(result, directory / "events.csv");
  write_impacts(result, directory / "impacts.csv");
  return {directory / "steps.csv", directory / "uniform.csv", directory / "events.csv",
          directory / "impacts.csv"};
}

}  // namespace freeplay
