// SPDX-License-Identifier: Apache-2.0
#include "report/study_page.hpp"

#include "io/hdf5_file.hpp"
#include "report/data_block.hpp"
#include "report/page.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

// web/src/study.ts is the other end of this contract.
namespace freeplay::report {
namespace {

using nlohmann::json;

// Drawn points of a section; a larger one is thinned evenly, and the page says so.
constexpr std::size_t kMostSamples = 400000;
constexpr std::size_t kMostErrors = 100;

std::string text_attribute(const io::Hdf5File& file, const std::string& object,
                           const std::string& name) {
  const auto value = file.attribute(object, name);
  if (!value) return {};
  return std::visit(
      [](const auto& v) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>)
          return v;
        else
          return fmt::format("{}", v);
      },
      *value);
}
std::int64_t whole_attribute(const io::Hdf5File& file, const std::string& name) {
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

/// Every n-th value, so that at most `most` are left.
std::vector<double> thinned(const std::vector<double>& all, std::size_t every) {
  if (every == 1) return all;
  std::vector<double> out;
  for (std::size_t i = 0; i < all.size(); i += every) out.push_back(all[i]);
  return out;
}

io::Hdf5File open_study(const std::filesystem::path& path) {
  io::Hdf5File file = io::Hdf5File::open(path);
  if (text_attribute(file, "/", "format") != "freeplay-study")
    throw IoError(fmt::format("cannot read {}: it is not the table of a study", path.string()));
  return file;
}

/// Messages of the rows that failed, the first ones.
json failures_of(const io::Hdf5File& file, const std::vector<double>& status) {
  json out = json::array();
  const io::Hdf5Dataset errors =
      file.dataset("rows/error", {io::Scalar::text, 1, {{"error", io::Scalar::text, 0}}});
  const std::size_t bytes = errors.row().bytes();
  for (std::size_t row = 0; row < status.size() && out.size() < kMostErrors; ++row) {
    if (status[row] == 0) continue;
    std::string text(bytes, '\0');
    errors.read(row, 1, text.data());
    text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
    out.push_back({{"row", row}, {"error", text}});
  }
  return out;
}

/// A column as people read it: its name, and its values in the unit of the study file.
struct Shown {
  std::string name, unit;
  double factor = 1;
};
Shown shown_of(const io::Hdf5File& file, const std::string& dataset, const std::string& group,
               const std::string& name) {
  Shown out{name, text_attribute(file, dataset, "unit"), 1};
  const bool counted = name == "row" || name == "turn";
  if (const std::string plain = text_attribute(file, dataset, "long_name");
      !plain.empty() && group != "rows" && !counted)
    out.name = plain;
  const auto factor = file.attribute(dataset, "shown_factor");
  if (const auto* number = factor ? std::get_if<double>(&*factor) : nullptr) {
    out.unit = text_attribute(file, dataset, "shown_unit");
    out.factor = *number;
  }
  return out;
}

/// "max pin normal force/first" of "joints/pin/normal_force/max/first".
std::string shown_result(const io::Hdf5File& file, const std::string& name) {
  for (const std::string& column : file.datasets("outputs")) {
    const std::string output = text_attribute(file, "outputs/" + column, "output");
    if (!output.empty() && name.starts_with(output + "/"))
      return text_attribute(file, "outputs/" + column, "long_name") + name.substr(output.size());
  }
  return name;
}

}  // namespace

bool is_study(const std::filesystem::path& file) {
  return text_attribute(io::Hdf5File::open(file), "/", "format") == "freeplay-study";
}

StudyAbout about_study(const std::filesystem::path& path) {
  const io::Hdf5File file = open_study(path);
  return {
      fmt::format("{}, {} rows", text_attribute(file, "/", "kind"), whole_attribute(file, "rows")),
      text_attribute(file, "/", "created")};
}

std::string render_study(const std::filesystem::path& path) {
  const io::Hdf5File file = open_study(path);
  DataBlock block;
  json columns = json::array();
  const auto add = [&](const std::string& group, const std::string& name, bool drawn_only,
                       std::size_t every = 1) {
    const std::string dataset = (group == "rows" ? "section" : group) + "/" + name;
    auto values = thinned(numbers(file, dataset), every);
    const Shown shown = shown_of(file, dataset, group, name);
    for (double& v : values) v /= shown.factor;
    // What has no place on an axis (the exponent of a motion that forgets its start) is not drawn.
    std::ranges::replace_if(
        values, [](double v) { return !std::isfinite(v); },
        std::numeric_limits<double>::quiet_NaN());
    json column = {{"group", group},
                   {"name", shown.name},
                   {"unit", shown.unit},
                   {"count", values.size()},
                   {"float", drawn_only},
                   {"at", drawn_only ? block.add_floats(values) : block.add_doubles(values)}};
    const std::string words = text_attribute(file, dataset, "words");
    if (!words.empty()) column["words"] = words;
    columns.push_back(std::move(column));
  };
  for (const char* group : {"inputs", "outputs"})
    if (file.contains(group))
      for (const auto& name : file.datasets(group)) add(group, name, false);
  const auto status = numbers(file, "rows/status");
  json left_out = 0;
  if (file.contains("section")) {
    const std::size_t samples = file.dataset("section/row", {io::Scalar::i64, 1, {}}).rows();
    const std::size_t every = std::max<std::size_t>(1, (samples + kMostSamples - 1) / kMostSamples);
    left_out = samples - (samples + every - 1) / every;
    add("rows", "row", false, every);
    for (const auto& name : file.datasets("section"))
      if (name != "row") add("section", name, true, every);
  }
  json results = json::array();
  if (file.contains("results"))
    for (const auto& name : file.datasets("results"))
      results.push_back({{"name", shown_result(file, name)},
                         {"unit", text_attribute(file, "results/" + name, "unit")},
                         {"values", numbers(file, "results/" + name)}});
  json study = {{"file", path.filename().string()},
                {"kind", text_attribute(file, "/", "kind")},
                {"rows", whole_attribute(file, "rows")},
                {"failed", whole_attribute(file, "failed")},
                {"seed", text_attribute(file, "/", "seed")},
                {"version", text_attribute(file, "/", "program_version")},
                {"created", text_attribute(file, "/", "created")},
                {"command", text_attribute(file, "/", "command")},
                {"sha256", text_attribute(file, "/", "study_sha256")},
                {"columns", columns},
                {"status", block.add_doubles(status)},
                {"failures", failures_of(file, status)},
                {"left_out", left_out},
                {"results", results},
                {"text", file.text("study")},
                {"model", file.text("model")}};
  study["doubles"] = block.doubles();
  const json description = {
      {"format", 1}, {"generator", std::string("freeplay ") + version()}, {"study", study}};
  return make_page(path.stem().string() + " – Freeplay", description,
                   block_element(0, block.text()));
}

}  // namespace freeplay::report
