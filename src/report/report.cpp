// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "model/force_parts.hpp"
#include "model/joint_types.hpp"
#include "report/data_block.hpp"
#include "report/decimate.hpp"
#include "report/page.hpp"
#include "report/spectrum.hpp"
#include <freeplay/load.hpp>
#include <freeplay/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

// What the page gets of a result: a description in JSON, which names pieces of one block of
// numbers. web/src/data.ts is the other end of this contract.
namespace freeplay::report {
namespace {

using nlohmann::json;

json vector_of(const Vec3& v) { return {v[0], v[1], v[2]}; }

// Columns of the axes one after the other: x, y, z of the marker in body axes.
json frame_of(const Frame& frame) {
  json axes = json::array();
  for (int column = 0; column < 3; ++column)
    for (int row = 0; row < 3; ++row) axes.push_back(frame.axes(row, column));
  return {
      {"body", static_cast<int>(frame.body)}, {"point", vector_of(frame.point)}, {"axes", axes}};
}

/// How joints of a type are drawn (web/src/data.ts, JointKind).
json kind_json(const JointKind::Page& page) {
  return {{"slides", page.slides}, {"shape", page.shape}, {"play", page.play}};
}

// What is drawn: bodies by their joints and inertias, joints by their frames, springs by their
// ends.
json geometry_of(const Model& model) {
  json bodies = json::array(), joints = json::array(), springs = json::array(),
       markers = json::array();
  for (const auto& body : model.bodies)
    bodies.push_back({{"name", body.name},
                      {"mass", body.mass},
                      {"inertia", {body.inertia(0, 0), body.inertia(1, 1), body.inertia(2, 2)}}});
  for (const auto& joint : model.joints) {
    json j = {{"name", joint.name},
              {"type", std::string(name_of(joint.type))},
              {"kind", kind_json(kind_of(joint).page)},
              {"first", frame_of(joint.first)},
              {"second", frame_of(joint.second)},
              {"driven", !joint.drives.empty()}};
    if (const auto& c = joint.clearance)
      j["clearance"] = {{"outer", c->outer_radius},
                        {"inner", c->inner_radius},
                        {"width", {c->outer_width, c->inner_width}},
                        {"length", {c->outer_length, c->inner_length}},
                        {"ends", c->ends ? json{c->ends->from, c->ends->to} : json()},
                        {"contact", c->contact.key},
                        {"friction", c->friction ? json(c->friction->key) : json()}};
    if (joint.curve) {
      j["curve"] = json::array();
      for (const Vec3& p : joint.curve->outline()) j["curve"].push_back(vector_of(p));
    }
    if (joint.pitch_radius > 0) j["pitch_radius"] = joint.pitch_radius;
    joints.push_back(std::move(j));
  }
  for (const auto& force : model.forces)
    if (const std::vector<Frame> ends = line_of(force); !ends.empty())
      springs.push_back({{"name", force.name},
                         {"first", frame_of(ends.front())},
                         {"second", frame_of(ends.back())}});
  for (const auto& marker : model.markers)
    markers.push_back({{"name", marker.name}, {"frame", frame_of(marker.frame)}});
  return {{"name", model.name},
          {"planar", model.planar},
          {"gravity", vector_of(model.gravity)},
          {"bodies", bodies},
          {"joints", joints},
          {"springs", springs},
          {"markers", markers},
          {"tolerance", model.simulation.tolerance},
          {"duration", model.simulation.duration}};
}

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
  return false;
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
  // Fields, such as the pressure in a bearing, are for other programs.
  std::erase_if(out.channels, [](const Channel& c) { return c.width > 4; });
  if (columns(out.channels) * kFewest > options.budget)
    out.left_out =
        std::erase_if(out.channels, [&](const Channel& c) { return !is_essential(c, model); });
  out.frames = std::clamp(options.budget / columns(out.channels), std::min(kFewest, options.frames),
                          options.frames);
  return out;
}

/// What the surfaces of joints that wear have lost by a few instants, sector by sector.
json wear_of(const Result& result, const Model& model, DataBlock& block) {
  constexpr std::size_t kInstants = 25;
  json out = json::array();
  for (const Joint& joint : model.joints) {
    if (!joint.clearance || !joint.clearance->wear) continue;
    const auto sectors = static_cast<std::size_t>(joint.clearance->wear->sectors);
    const auto time = result.series("uniform/time").values;
    if (time.empty()) continue;
    const std::size_t instants = std::min(kInstants, time.size());
    std::vector<double> when;
    std::array<std::vector<double>, 2> depth;
    for (const std::size_t part : {0, 1}) {
      const auto all = result
                           .series("uniform/joints/" + joint.name +
                                   (part == 0 ? "/wear_depth_outer" : "/wear_depth_inner"))
                           .values;
      for (std::size_t k = 0; k < instants; ++k) {
        const std::size_t row = instants > 1 ? k * (time.size() - 1) / (instants - 1) : 0;
        if (part == 0) when.push_back(time[row]);
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * sectors);
        depth[part].insert(depth[part].end(), first, first + static_cast<std::ptrdiff_t>(sectors));
      }
    }
    out.push_back({{"joint", joint.name},
                   {"sectors", sectors},
                   {"time", when},
                   {"outer", block.add_floats(depth[0])},
                   {"inner", block.add_floats(depth[1])}});
  }
  return out;
}

struct ResultText {
  json description;
  std::string block;
};

ResultText describe_result(const Result& result, const std::string& label,
                           const ReportOptions& options) {
  DataBlock block;
  const auto model = parse_model(result.model_text(), result.path().string() + ": model");
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
  out["model"] = geometry_of(model);
  out["source"] = result.model_source();
  out["resolved"] = result.model_text();
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
      const auto rows = missed_peaks(timeline, values, frames, options.peaks);
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
  out["channels"] = std::move(channels);
  out["spectra"] = std::move(spectra);
  out["events"] = events_of(result, block);
  out["impacts"] = impacts_of(result, block);
  out["wear"] = wear_of(result, model, block);
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
    auto one = describe_result(results[i], labels[i], options);
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
