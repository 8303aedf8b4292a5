// SPDX-License-Identifier: Apache-2.0
#include "study/study_table.hpp"

#include "io/hdf5_file.hpp"
#include "io/replace_file.hpp"
#include "study/shown.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/version.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>

namespace freeplay::study {
namespace {

constexpr std::size_t kChunk = 1024;      // rows
constexpr std::size_t kErrorBytes = 160;  // a sentence
const io::RowType kNumber{io::Scalar::f64, 1, {}};
const io::RowType kWhole{io::Scalar::i64, 1, {}};

/// A column of numbers that is written chunk by chunk.
class Column {
 public:
  Column(io::Hdf5File& file, const std::string& path, bool whole) : whole_(whole) {
    dataset_ = file.create_dataset(path, whole ? kWhole : kNumber, kChunk);
  }
  void add(double value) {
    if (whole_)
      wholes_.push_back(static_cast<std::int64_t>(value));
    else
      numbers_.push_back(value);
    if (wholes_.size() + numbers_.size() >= kChunk) flush();
  }
  void flush() {
    if (!wholes_.empty()) dataset_.append(wholes_.data(), wholes_.size());
    if (!numbers_.empty()) dataset_.append(numbers_.data(), numbers_.size());
    wholes_.clear();
    numbers_.clear();
  }

 private:
  io::Hdf5Dataset dataset_;
  bool whole_;
  std::vector<double> numbers_;
  std::vector<std::int64_t> wholes_;
};

/// Where a number of that name goes: itself, unless another lies below it ("angle" and
/// "angle/max"), since HDF5 has no place for numbers in a group.
std::string place_of(const std::string& name, const std::vector<std::string>& all) {
  const bool group = std::ranges::any_of(
      all, [&](const std::string& other) { return other.starts_with(name + "/"); });
  return group ? name + "/value" : name;
}

}  // namespace

void write_table(const std::filesystem::path& file, const Study& study, const Journal& journal,
                 std::int64_t rows, const std::vector<StudyNumber>& results,
                 const std::string& command) {
  const ShownColumns shown = shown_columns(study);
  const std::filesystem::path temporary = io::temporary_name(file);
  try {
    io::Hdf5File h5 = io::Hdf5File::create(temporary);
    const auto describe_column = [&](const std::string& path, const std::string& unit,
                                     const std::string& name) {
      h5.set_attribute(path, "unit", unit);
      h5.set_attribute(path, "long_name", name);
    };
    const auto describe_shown = [&](const std::string& path, const Shown& column) {
      describe_column(path, column.si, column.name);
      if (column.factor == 1) return;
      h5.set_attribute(path, "shown_unit", column.unit);
      h5.set_attribute(path, "shown_factor", column.factor);  // one of it in the unit stored
    };
    h5.write_text("study", study.text);
    h5.write_text("model", study.model_text);
    std::vector<Column> inputs, outputs, samples;
    for (std::size_t k = 0; k < study.vary.size(); ++k) {
      const Variable& v = study.vary[k];
      const std::string path = "inputs/" + v.path;
      inputs.emplace_back(h5, path, false);
      describe_shown(path, shown.inputs[k]);
      std::string words;
      for (const auto& word : v.words) words += (words.empty() ? "" : ", ") + word;
      if (!words.empty()) h5.set_attribute(path, "words", words);
    }
    const std::vector<std::string> names = outputs_of(study);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::string path = "outputs/" + place_of(names[k], names);
      outputs.emplace_back(h5, path, names[k] == "period");
      describe_shown(path, shown.outputs[k]);
      h5.set_attribute(path, "output", names[k]);
    }
    Column status(h5, "rows/status", true);
    describe_column(
        "rows/status", "1",
        "0 done, 1 bad model, 2 not assembled, 3 failed, 4 audit broken, 5 out of time");
    io::Hdf5Dataset errors = h5.create_dataset(
        "rows/error", {io::Scalar::text, 1, {{"error", io::Scalar::text, kErrorBytes}}}, kChunk);
    std::optional<Column> sample_row, sample_turn;
    if (study.samples_turns()) {
      sample_row.emplace(h5, "section/row", true);
      sample_turn.emplace(h5, "section/turn", true);
      describe_column("section/row", "1", "row the sample belongs to");
      describe_column("section/turn", "1", "turn after the transient");
      std::vector<std::string> observed;
      for (const Observable& o : study.observe) observed.push_back(o.name());
      for (std::size_t k = 0; k < observed.size(); ++k) {
        const std::string path = "section/" + place_of(observed[k], observed);
        samples.emplace_back(h5, path, false);
        describe_shown(path, shown.samples[k]);
      }
    }

    std::int64_t failed = 0;
    std::string error_text;
    for (std::int64_t row = 0; row < rows; ++row) {
      const Record record = journal.read(row);
      const RowOutcome& o = record.outcome;
      failed += o.status == RowStatus::done ? 0 : 1;
      for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k].add(record.inputs[k]);
      for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k].add(o.outputs[k]);
      status.add(static_cast<double>(o.status));
      std::string text = o.error.substr(0, kErrorBytes);
      text.resize(kErrorBytes, '\0');
      error_text += text;
      if (error_text.size() == kChunk * kErrorBytes || row + 1 == rows) {
        errors.append(error_text.data(), error_text.size() / kErrorBytes);
        error_text.clear();
      }
      if (!study.samples_turns() || o.status != RowStatus::done) continue;
      const std::size_t turns = samples.empty() ? 0 : o.samples.size() / samples.size();
      for (std::size_t turn = 0; turn < turns; ++turn) {
        sample_row->add(static_cast<double>(row));
        sample_turn->add(static_cast<double>(turn));
        for (std::size_t k = 0; k < samples.size(); ++k)
          samples[k].add(o.samples[turn * samples.size() + k]);
      }
    }
    for (auto* columns : {&inputs, &outputs, &samples})
      for (Column& column : *columns) column.flush();
    status.flush();
    if (sample_row) sample_row->flush();
    if (sample_turn) sample_turn->flush();

    for (const StudyNumber& number : results) {
      const std::string path = "results/" + number.name;
      io::Hdf5Dataset dataset = h5.create_dataset(
          path, kNumber, std::max<std::size_t>(1, std::min(kChunk, number.values.size())));
      if (!number.values.empty()) dataset.append(number.values.data(), number.values.size());
      describe_column(path, number.unit, number.name);
    }

    h5.set_attribute("/", "format", std::string("freeplay-study"));
    h5.set_attribute("/", "format_version", std::int64_t{1});
    h5.set_attribute("/", "program_version", std::string(version()));
    h5.set_attribute("/", "kind", std::string(name_of(study.kind)));
    h5.set_attribute("/", "created",
                     fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))));
    h5.set_attribute("/", "command", command);
    h5.set_attribute("/", "seed", study.seed);
    h5.set_attribute("/", "study_sha256", study.digest);
    h5.set_attribute("/", "rows", rows);
    h5.set_attribute("/", "failed", failed);
    h5.set_attribute("/", "complete", std::int64_t{1});
    h5.close_as(file);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

std::optional<TableHead> read_table_head(const std::filesystem::path& file,
                                         const std::string& digest) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  const io::Hdf5File h5 = io::Hdf5File::open(file);
  const auto stored = h5.attribute("/", "study_sha256");
  if (!stored || *stored != io::Hdf5Attribute(digest)) return {};
  const auto whole = [&](const char* name) {
    const auto value = h5.attribute("/", name);
    return value && std::holds_alternative<std::int64_t>(*value) ? std::get<std::int64_t>(*value)
                                                                 : 0;
  };
  return TableHead{whole("rows"), whole("failed")};
}

std::vector<Override> overrides_of_row(const std::filesystem::path& table, const Study& study,
                                       std::int64_t row) {
  const auto head = read_table_head(table, study.digest);
  if (!head) throw IoError(fmt::format("{} is not a finished table of this study", table.string()));
  if (row < 0 || row >= head->rows)
    throw IoError(fmt::format("{} has the rows 0 to {}", table.string(), head->rows - 1));
  const io::Hdf5File h5 = io::Hdf5File::open(table);
  std::vector<Override> out = study.set;
  for (const Variable& v : study.vary) {
    double value = 0;
    h5.dataset("inputs/" + v.path, kNumber).read(static_cast<std::size_t>(row), 1, &value);
    out.push_back({v.path, v.text(value)});
  }
  return out;
}

}  // namespace freeplay::study
