// SPDX-License-Identifier: Apache-2.0
#include "study/shown.hpp"

#include "io/diagnostics.hpp"
#include "io/document.hpp"
#include "io/model_tables.hpp"
#include "io/paths.hpp"
#include "io/units.hpp"
#include "study/life_course.hpp"
#include "study/series_columns.hpp"
#include "study/study_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace freeplay::study {
namespace {

/// Tables whose entries have names of their own, which say enough; and one entry of each.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kThings{{
    {"bodies", "body"},
    {"dampers", "damper"},
    {"forces", "force"},
    {"joints", "joint"},
    {"parameters", "parameter"},
    {"points", "point"},
    {"springs", "spring"},
}};

void show_in(const std::string& written, Shown& shown) {
  shown.unit = shown.si;
  const auto unit = io::parse_unit(written);
  if (written.empty() || !unit) return;
  shown.unit = written;
  shown.factor = unit->in_si();
}

RunHeader header_of(const Study& study) {
  LoadOptions options{study.set, nullptr};
  for (const Variable& v : study.vary)
    options.overrides.push_back({v.path, v.text(v.values.empty() ? v.from : v.values[0])});
  const Model model =
      parse_model(study.model_text, study.model_file.string(), options, study.model_folder());
  RunHeader header = describe(model);
  header.model = nullptr;
  return header;
}

/// Of an output, whose name begins with that of what is observed.
Shown shown_output(const Study& study, const RunHeader& header, const std::string& name) {
  Shown out;
  out.name = plain_name(name);
  if (study.kind == Kind::wear || study.lives) {
    // "pin/outer_depth", by which the page of a life finds what it draws.
    if (study.kind == Kind::wear) out.name = name;
    out.si = out.unit = life_unit(name);
    return out;
  }
  for (const Observable& o : study.observe) {
    if (name != o.name() && !name.starts_with(o.name() + "/")) continue;
    out.si = unit_of_observable(header, o);
    show_in(o.written, out);
    if (o.take < Take::contacts && o.take != Take::at)
      out.name = kTakes[static_cast<std::size_t>(o.take)] + " " + plain_name(o.series);
    else
      out.name = plain_name(o.name());
    if (name != o.name()) out.name += ", " + plain_name(name.substr(o.name().size() + 1));
    return out;
  }
  if (name == "misfit") out.si = out.unit = unit_of(header, study.measured_series);
  if (name.starts_with("lyapunov")) out.si = out.unit = "1/s";
  return out;
}

/// Two columns of one name get the kinds of things they belong to as well.
void tell_apart(std::vector<Shown*> all, const std::vector<std::string>& paths) {
  std::map<std::string, int> count;
  for (const Shown* s : all) ++count[s->name];
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (count[all[i]->name] == 1) continue;
    const std::string brief = plain_name(paths[i]), full = plain_name(paths[i], true);
    const std::size_t at = all[i]->name.find(brief);
    if (at != std::string::npos) all[i]->name.replace(at, brief.size(), full);
  }
}

}  // namespace

std::string Shown::text(double stored, int digits) const {
  if (!words.empty()) {
    const auto k = static_cast<std::size_t>(stored);
    std::string word = k < words.size() ? words[k] : std::string("?");
    if (word.size() > 1 && word.front() == '"') word = word.substr(1, word.size() - 2);
    return word;
  }
  return fmt::format("{:.{}g}", number(stored), digits);
}

std::string Shown::heading() const {
  return unit == "1" || !words.empty() ? name : name + " [" + unit + "]";
}

std::string plain_name(std::string_view path, bool kind) {
  const char separator = path.find('/') == path.npos ? '.' : '/';
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= path.size();) {
    std::size_t end = std::min(path.find(separator, start), path.size());
    parts.emplace_back(path.substr(start, end - start));
    start = end + 1;
  }
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string part = parts[i];
    if (i == 0 && parts.size() > 1) {
      const auto known = std::ranges::find(kThings, part, [](const auto& k) { return k.first; });
      if (known != kThings.end()) {
        if (kind) out = known->second;
        continue;
      }
    }
    // Components of vectors: the third entry of a list, or what follows the dot of a series.
    if (separator == '.' && i > 1 && (part == "0" || part == "1" || part == "2"))
      part = std::string(1, "xyz"[part[0] - '0']);
    std::ranges::replace(part, '.', ' ');
    if (i > 1 || separator == '/' || parts.size() == 1) std::ranges::replace(part, '_', ' ');
    out += (out.empty() ? "" : " ") + part;
  }
  return out;
}

std::string unit_of_observable(const RunHeader& header, const Observable& o) {
  switch (o.take) {
    case Take::contacts:
      return "1";
    case Take::peak_force:
      return "N";
    case Take::energy_residual:
      return "J";
    default:
      return unit_of(header, o.series);
  }
}

ShownColumns shown_columns(const Study& study) {
  const RunHeader header = header_of(study);
  ShownColumns out;
  io::Diagnostics ignored;  // the model was read without mistakes
  const io::Document document = io::parse_document(study.model_text, study.model_file.string(),
                                                   study.model_folder(), ignored);
  std::vector<Shown*> all;
  std::vector<std::string> paths;
  for (const Variable& v : study.vary) {
    Shown shown;
    shown.name = plain_name(v.path);
    shown.words = v.words;
    if (v.words.empty()) {
      const bool parameter = v.path.starts_with("parameters.");
      const std::string own =
          parameter ? "1" : io::unit_at(document.root, io::model_table(), v.path);
      shown.si = !v.unit.empty() ? v.unit : own.empty() ? "SI" : own;
      show_in(v.written, shown);
    }
    out.inputs.push_back(std::move(shown));
    paths.push_back(v.path);
  }
  for (const std::string& name : outputs_of(study)) {
    out.outputs.push_back(shown_output(study, header, name));
    paths.push_back(name);
  }
  for (Shown& s : out.inputs) all.push_back(&s);
  for (Shown& s : out.outputs) all.push_back(&s);
  tell_apart(std::move(all), paths);
  if (study.samples_turns())
    for (const Observable& o : study.observe)
      out.samples.push_back(shown_output(study, header, o.name()));
  return out;
}

}  // namespace freeplay::study
