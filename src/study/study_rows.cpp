// SPDX-License-Identifier: Apache-2.0
#include "study/study_rows.hpp"

#include "io/hdf5_file.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace freeplay::study {
namespace {

std::string text_of(const io::Hdf5File& file, const std::string& object, const char* name) {
  const auto value = file.attribute(object, name);
  const auto* text = value ? std::get_if<std::string>(&*value) : nullptr;
  return text ? *text : std::string();
}
std::int64_t whole_of(const io::Hdf5File& file, const char* name) {
  const auto value = file.attribute("/", name);
  const auto* whole = value ? std::get_if<std::int64_t>(&*value) : nullptr;
  return whole ? *whole : 0;
}

std::vector<double> numbers(const io::Hdf5File& file, const std::string& path) {
  const io::Hdf5Dataset data = file.dataset(path, {io::Scalar::f64, 1, {}});
  std::vector<double> out(data.rows());
  if (!out.empty()) data.read(0, out.size(), out.data());
  return out;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> out;
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = std::min(list.find(", ", start), list.size());
    out.push_back(list.substr(start, end - start));
    start = end + 2;
  }
  return out;
}

std::vector<StudyColumn> columns_of(const io::Hdf5File& file, const std::string& group) {
  std::vector<StudyColumn> out;
  if (!file.contains(group)) return out;
  for (const std::string& name : file.datasets(group)) {
    const std::string place = group + "/" + name;
    StudyColumn column{group, name, {}, numbers(file, place)};
    if (const std::string output = text_of(file, place, "output"); !output.empty())
      column.path = output;
    Shown& s = column.shown;
    s.name = text_of(file, place, "long_name");
    s.unit = s.si = text_of(file, place, "unit");
    s.words = words_of(text_of(file, place, "words"));
    if (const auto factor = file.attribute(place, "shown_factor"))
      if (const auto* number = std::get_if<double>(&*factor)) {
        s.unit = text_of(file, place, "shown_unit");
        s.factor = *number;
      }
    out.push_back(std::move(column));
  }
  return out;
}

}  // namespace

bool is_study(const std::filesystem::path& file) {
  return text_of(io::Hdf5File::open(file), "/", "format") == "freeplay-study";
}

StudyRows read_rows(const std::filesystem::path& path) {
  const io::Hdf5File file = io::Hdf5File::open(path);
  if (text_of(file, "/", "format") != "freeplay-study")
    throw IoError(fmt::format("cannot read {}: it is not the table of a study", path.string()));
  StudyRows out;
  out.kind = text_of(file, "/", "kind");
  out.rows = whole_of(file, "rows");
  out.failed = whole_of(file, "failed");
  out.columns = columns_of(file, "inputs");
  for (StudyColumn& column : columns_of(file, "outputs")) out.columns.push_back(std::move(column));
  for (const double s : numbers(file, "rows/status")) out.status.push_back(static_cast<int>(s));
  const auto count = static_cast<std::size_t>(out.rows);
  const bool whole =
      out.status.size() == count && std::ranges::all_of(out.columns, [&](const StudyColumn& c) {
        return c.values.size() == count;
      });
  if (!whole) throw IoError(path.string() + " is damaged: its columns differ in length");
  const io::Hdf5Dataset errors =
      file.dataset("rows/error", {io::Scalar::text, 1, {{"error", io::Scalar::text, 0}}});
  if (errors.rows() != count)
    throw IoError(path.string() + " is damaged: its columns differ in length");
  std::string text(errors.row().bytes(), '\0');
  for (std::size_t row = 0; row < count; ++row) {
    out.errors.emplace_back();
    if (out.status[row] == 0) continue;
    errors.read(row, 1, text.data());
    out.errors.back() = text.substr(0, text.find('\0'));
  }
  out.samples = columns_of(file, "section");
  out.results = columns_of(file, "results");
  return out;
}

const char* status_name(int status) {
  static constexpr std::array kNames{"done",   "bad model",    "not assembled",
                                     "failed", "audit broken", "out of time"};
  return status >= 0 && static_cast<std::size_t>(status) < kNames.size()
             ? kNames[static_cast<std::size_t>(status)]
             : "unknown";
}

}  // namespace freeplay::study
