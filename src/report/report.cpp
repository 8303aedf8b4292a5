// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "io/model_to_look_at.hpp"
#include "report/data_block.hpp"
#include "report/decimate.hpp"
#include "report/output_body.hpp"
#include "report/page.hpp"
#include "report/picture.hpp"
#include "report/spectrum.hpp"
#include "report/surfaces.hpp"
#include <freeplay/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

// What the page gets of a result: a description in JSON, which names pieces of one block of
// numbers. web/src/data.ts is the other end of this contract.
namespace freeplay::report {
namespace {

using nlohmann::json;

json run_of(const Result& result) {
  const auto total = result.total();
  json run = {{"status", std::string(name_of(total.status))},
              {"reason", total.reason},
              {"remedy", total.remedy},
              {"end", total.time},
              {"steps", total.stats.steps},
              {"rejected", total.stats.rejected},
              {"evaluations", total.stats.evaluations},
              {"jacobians", total.stats.jacobians},
              {"events", total.stats.events},
              {"contacts", total.contacts},
              {"cpu_seconds", total.stats.cpu_seconds},
              {"energy_residual", total.energy_residual},
              {"energy_scale", total.energy_scale},
              {"warnings", total.warnings},
              {"trust", nullptr}};
  if (const auto trust = result.trust())
    run["trust"] = {
        {"knob", trust->knob},         {"value", trust->value}, {"difference", trust->difference},
        {"rotation", trust->rotation}, {"until", trust->until}, {"end", trust->end}};
  for (const char* name : {"program_version", "created", "command", "seed", "model_sha256"})
    run[name] = result.attribute(name);
  return run;
}

// Series whose frequencies say something: what is felt and heard.
bool has_spectrum(const std::string& path) {
  for (const char* leaf :
       {"/velocity", "/acceleration", "/angular_velocity", "/angular_acceleration",
        "/reaction_force", "/normal_force", "/eccentricity", "/ratio", "/drive_effort"})
    if (path.ends_with(leaf)) return true;
  // Tooth frequencies and their side bands.
  return path.starts_with("couplings/") && path.ends_with("/force");
}

json events_of(const Result& result, DataBlock& block) {
  const auto events = result.events();
  std::vector<std::string> names, kinds;
  std::vector<double> time, speed;
  json joint = json::array(), contact = json::array(), kind = json::array();
  const auto index_in = [](std::vector<std::string>& list, const std::string& text) {
    auto at = std::find(list.begin(), list.end(), text);
    if (at == list.end()) at = list.insert(list.end(), text);
    return at - list.begin();
  };
  for (const auto& e : events) {
    time.push_back(e.time);
    speed.push_back(e.speed);
    joint.push_back(index_in(names, e.joint));
    kind.push_back(index_in(kinds, e.kind));
    contact.push_back(e.contact);
  }
  return {{"count", events.size()},
          {"joints", names},
          {"kinds", kinds},
          {"joint", joint},
          {"kind", kind},
          {"contact", contact},
          {"time", block.add_doubles(time)},
          {"speed", block.add_doubles(speed)}};
}

json impacts_of(const Result& result, DataBlock& block) {
  const auto impacts = result.impacts();
  json out = {{"count", impacts.size()},
              {"joint", json::array()},
              {"contact", json::array()},
              {"open", json::array()}};
  for (const auto& i : impacts) {
    out["joint"].push_back(i.joint);
    out["contact"].push_back(i.contact);
    out["open"].push_back(i.open);
  }
  const auto column = [&](const char* name, auto member) {
    std::vector<double> values(impacts.size());
    std::transform(impacts.begin(), impacts.end(), values.begin(),
                   [&](const Impact& i) { return i.*member; });
    out[name] = block.add_doubles(values);
  };
  column("start", &Impact::start);
  column("end", &Impact::end);
  column("approach_speed", &Impact::approach_speed);
  column("separation_speed", &Impact::separation_speed);
  column("peak_force", &Impact::peak_force);
  column("peak_depth", &Impact::peak_depth);
  column("energy_lost", &Impact::energy_lost);
  column("impulse", &Impact::impulse);
  return out;
}

// Rows that must be frames: every event, and the largest normal force of every contact.
std::vector<std::size_t> wanted_rows(const Result& result, const Timeline& timeline) {
  std::vector<std::size_t> rows;
  for (const auto& event : result.events()) rows.push_back(timeline.nearest(event.time));
  std::map<std::string, std::vector<double>> force;  // by joint
  for (const auto& impact : result.impacts()) {
    if (!force.contains(impact.joint)) {
      const auto path = "joints/" + impact.joint + "/normal_force";
      auto& values = force[impact.joint];
      for (const auto& c : result.channels())
        if (c.path == path && c.width == 1)
          values = timeline.merge(result.series(path).values,
                                  result.series("uniform/" + path).values, 1, 0);
    }
    const auto& values = force[impact.joint];
    if (values.empty()) continue;
    const auto begin = timeline.nearest(impact.start), end = timeline.nearest(impact.end);
    rows.push_back(static_cast<std::size_t>(
        std::max_element(values.begin() + static_cast<std::ptrdiff_t>(begin),
                         values.begin() + static_cast<std::ptrdiff_t>(end) + 1) -
        values.begin()));
  }
  return rows;
}

// Many numbers at each instant: not a vector.
bool is_field(const Channel& channel) { return channel.width > 4; }
bool is_along_beam(const Channel& channel, const Model& model) {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [&](const Body& body) {
    return body.flexible && channel.path.starts_with("bodies/" + body.name + "/");
  });
}

// What a page of a huge mechanism still shows.
bool is_essential(const Channel& channel, const Model& model) {
  const auto& path = channel.path;
  if (path.starts_with("energy/")) return true;
  if (path.starts_with("bodies/"))
    return path.ends_with("/position") || path.ends_with("/quaternion") || path.ends_with("/angle");
  return std::any_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
    return joint.clearance && path.starts_with("joints/" + joint.name + "/");
  });
}

// The series to show and the frames for them, such that both fit into the budget.
struct Selection {
  std::vector<Channel> channels;
  std::size_t frames = 0;
  std::size_t left_out = 0;  // series
};
Selection select(const Result& result, const Model& model, const ReportOptions& options) {
  // Fewer frames than this make no motion.
  constexpr std::size_t kFewest = 200;
  const auto columns = [](const std::vector<Channel>& list) {
    std::size_t sum = 1;
    for (const auto& c : list) sum += static_cast<std::size_t>(c.width);
    return sum;
  };
  Selection out{result.channels()};
  // Fields, such as the pressure in a bearing, are for other programs; what is along a beam is
  // drawn.
  std::erase_if(out.channels,
                [&](const Channel& c) { return is_field(c) && !is_along_beam(c, model); });
  if (columns(out.channels) * kFewest > options.budget)
    out.left_out =
        std::erase_if(out.channels, [&](const Channel& c) { return !is_essential(c, model); });
  out.frames = std::clamp(options.budget / columns(out.channels), std::min(kFewest, options.frames),
                          options.frames);
  return out;
}

struct ResultText {
  json description;
  std::string block;
};

/// Largest bending moment along a beam, row by row, from the channels with its components.
std::vector<double> largest_moment(const std::vector<Series>& components) {
  const auto width = static_cast<std::size_t>(components.front().channel.width);
  std::vector<double> out(components.front().values.size() / width);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t k = i * width; k < (i + 1) * width; ++k) {
      double sum = 0;
      for (const Series& one : components) sum += one.values[k] * one.values[k];
      out[i] = std::max(out[i], std::sqrt(sum));
    }
  return out;
}

/// A model as text without the surfaces in it, which nobody reads.
std::string without_surfaces(const std::string& text) {
  constexpr std::size_t kLong = 400;  // chosen: no name, formula or path is as long
  std::string out;
  std::size_t from = 0;
  for (std::size_t open = text.find('"'); open != text.npos; open = text.find('"', from)) {
    const std::size_t close = text.find('"', open + 1);
    if (close == text.npos) break;
    const bool surface =
        close - open > kLong &&
        text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=",
                               open + 1) == close;
    out.append(text, from, surface ? open + 1 - from : close + 1 - from);
    if (surface) out += fmt::format("... {} kB ...\"", (close - open) / 1000);
    from = close + 1;
  }
  return out.append(text, from, text.npos);
}

ResultText describe_result(const Result& result, std::span<const Result> others,
                           const std::string& label, const ReportOptions& options) {
  DataBlock block;
  const auto model = io::model_to_look_at(result.model_text(), result.path().string() + ": model");
  const auto steps = result.series("time").values;
  const auto grid = result.series("uniform/time").values;
  const Timeline timeline(steps, grid);
  const auto selection = select(result, model, options);
  const auto frames = choose_frames(timeline, wanted_rows(result, timeline), selection.frames);
  const auto at = [](const std::vector<double>& all, const std::vector<std::size_t>& rows) {
    std::vector<double> out;
    out.reserve(rows.size());
    for (const auto row : rows) out.push_back(all[row]);
    return out;
  };

  json out;
  out["label"] = label;
  out["file"] = result.path().filename().string();
  out["complete"] = result.complete();
  out["run"] = run_of(result);
  out["model"] = picture_of(model, block, options.triangles);
  out["model"]["output"] = static_cast<int>(output_body(model, result, others));
  out["source"] = result.model_source();
  out["resolved"] = without_surfaces(result.model_text());
  out["frames"] = frames.size();
  out["left_out"] = selection.left_out;
  out["rows"] = {{"steps", steps.size()}, {"uniform", grid.size()}};
  const double dt =
      grid.size() > 1 ? (grid.back() - grid.front()) / static_cast<double>(grid.size() - 1) : 0;
  out["uniform_step"] = dt;
  out["time"] = block.add_doubles(at(timeline.time(), frames));

  json channels = json::array(), spectra = json::array();
  const auto add_channel = [&](const Channel& channel, const std::vector<double>& at_steps,
                               const std::vector<double>& on_grid) {
    json data = json::array(), peaks = json::array();
    for (int c = 0; c < channel.width; ++c) {
      const auto values = timeline.merge(at_steps, on_grid, channel.width, c);
      const bool constant =
          std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
      if (constant && !values.empty())
        data.push_back({{"constant", values.front()}});
      else
        data.push_back(block.add_doubles(at(values, frames)));
      const auto rows = is_field(channel) ? std::vector<std::size_t>{}
                                          : missed_peaks(timeline, values, frames, options.peaks);
      if (rows.empty())
        peaks.push_back(nullptr);
      else
        peaks.push_back({{"count", rows.size()},
                         {"time", block.add_doubles(at(timeline.time(), rows))},
                         {"value", block.add_floats(at(values, rows))}});
    }
    channels.push_back({{"path", channel.path},
                        {"unit", channel.unit},
                        {"name", channel.long_name},
                        {"frame", channel.frame},
                        {"width", channel.width},
                        {"data", data},
                        {"peaks", peaks}});
  };
  for (const auto& channel : selection.channels) {
    const auto at_steps = result.series(channel.path).values;
    const auto on_grid = result.series("uniform/" + channel.path).values;
    add_channel(channel, at_steps, on_grid);
    if (selection.left_out > 0 || !has_spectrum(channel.path)) continue;
    const auto width = static_cast<std::size_t>(channel.width);
    for (std::size_t c = 0; c < width; ++c) {
      std::vector<double> column(grid.size());
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = on_grid[i * width + c];
      const auto s = spectrum(column, dt, options.lines);
      if (s.samples == 0) continue;
      spectra.push_back({{"path", channel.path},
                         {"component", c},
                         {"count", s.frequency.size()},
                         {"samples", s.samples},
                         {"frequency", block.add_floats(s.frequency)},
                         {"amplitude", block.add_floats(s.amplitude)}});
    }
  }
  for (const Body& body : model.bodies) {
    if (!body.flexible) continue;
    std::vector<Series> at_steps, on_grid;
    for (const Channel& channel : selection.channels)
      if (channel.path.starts_with("bodies/" + body.name + "/bending_moment")) {
        at_steps.push_back(result.series(channel.path));
        on_grid.push_back(result.series("uniform/" + channel.path));
      }
    if (at_steps.empty()) continue;
    Channel channel = at_steps.front().channel;
    channel.path = "bodies/" + body.name + "/largest_bending_moment";
    channel.long_name = "largest along the axis, magnitude";
    channel.width = 1;
    add_channel(channel, largest_moment(at_steps), largest_moment(on_grid));
  }
  out["channels"] = std::move(channels);
  out["spectra"] = std::move(spectra);
  out["events"] = events_of(result, block);
  out["impacts"] = impacts_of(result, block);
  out["wear"] = wear_of(result, model, block);
  out["pressure"] = pressure_of(result, model, block);
  out["doubles"] = block.doubles();
  return {std::move(out), block.text()};
}

// Short names that tell results apart: the stem of the file, with a number where two are alike.
std::vector<std::string> labels_of(std::span<const Result> results) {
  std::vector<std::string> labels;
  std::map<std::string, int> seen;
  for (const auto& result : results) {
    auto label = result.path().stem().string();
    if (const int count = ++seen[label]; count > 1) label += fmt::format(" ({})", count);
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace

std::string render(std::span<const Result> results, const ReportOptions& options) {
  const auto labels = labels_of(results);
  json data = {{"format", 1},
               {"generator", std::string("freeplay ") + version()},
               {"results", json::array()}};
  std::string blocks;
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto one = describe_result(results[i], results, labels[i], options);
    data["results"].push_back(std::move(one.description));
    blocks += block_element(i, one.block);
  }
  std::string title = "Freeplay";
  if (!results.empty()) {
    const auto& name = data["results"][0]["model"]["name"].get_ref<const std::string&>();
    title = (name.empty() ? labels[0] : name) + " – Freeplay";
  }
  return make_page(title, data, blocks);
}

}  // namespace freeplay::report
