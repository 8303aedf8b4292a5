// SPDX-License-Identifier: Apache-2.0
#include "io/model_to_look_at.hpp"
#include "report/decimate.hpp"
#include "report/figure.hpp"
#include "report/output_body.hpp"

#include <algorithm>
#include <map>

namespace freeplay::report {
namespace {

// A series with every row there is: the steps, and the uniform grid between them.
struct Column {
  std::string path, unit;
  std::vector<double> time, value;
};

std::vector<Column> columns_of(const Result& result, const std::string& asked) {
  const auto path = asked.starts_with('/') ? asked.substr(1) : asked;
  const auto steps = result.series(path);
  const bool from_grid = path.starts_with("uniform/");
  // Series of the solver exist at the steps only.
  const bool at_steps_only = from_grid || path.starts_with("solver/") || path.starts_with("state/");
  const auto grid = at_steps_only ? Series{} : result.series("uniform/" + path);
  const Timeline timeline(steps.time, grid.time);
  const auto names = component_names(steps.channel.width);
  std::vector<Column> out;
  out.reserve(names.size() + 1);
  for (int c = 0; c < steps.channel.width; ++c)
    out.push_back({steps.channel.path + (names.empty() ? "" : "." + names[std::size_t(c)]),
                   steps.channel.unit, timeline.time(),
                   timeline.merge(steps.values, grid.values, steps.channel.width, c)});
  return out;
}

bool has_series(const Result& result, const std::string& path) {
  const auto channels = result.channels();
  return std::any_of(channels.begin(), channels.end(),
                     [&](const Channel& c) { return c.path == path; });
}

std::vector<std::string> usual_series(std::span<const Result> results) {
  const Result& result = results.front();
  const auto model = io::model_to_look_at(result.model_text(), result.path().string() + ": model");
  std::vector<std::string> out;
  if (const auto body = output_body(model, result, results); body > 0) {
    const auto prefix = "bodies/" + model.bodies[static_cast<std::size_t>(body)].name;
    for (const char* leaf : {"/position", "/velocity", "/acceleration"})
      out.push_back(prefix + leaf);
  }
  for (const auto& joint : model.joints)
    if (joint.clearance)
      for (const char* leaf : {"/ratio", "/normal_force"})
        if (const auto path = "joints/" + joint.name + leaf; has_series(result, path))
          out.push_back(path);
  return out;
}

struct Words {
  std::string leaf, owner;  // "position x", "slider"
};
Words words_of(const std::string& path) {
  const auto first = path.find('/'), last = path.rfind('/');
  auto leaf = last == path.npos ? path : path.substr(last + 1);
  std::replace(leaf.begin(), leaf.end(), '_', ' ');
  std::replace(leaf.begin(), leaf.end(), '.', ' ');
  return {leaf, first == last ? "" : path.substr(first + 1, last - first - 1)};
}
// "bodies/slider/position.x" -> "position x of slider"
std::string spoken(const std::string& path) {
  const auto [leaf, owner] = words_of(path);
  return owner.empty() ? leaf : leaf + " of " + owner;
}

// Scalar series of one unit that were named next to each other share a diagram; a vector has its
// own.
struct Group {
  std::vector<std::string> series;
  std::string unit;
  bool vector = false;
};
std::vector<Group> groups_of(const Result& result, const std::vector<std::string>& series,
                             bool may_share) {
  std::vector<Group> out;
  for (const auto& path : series) {
    const auto channel = result.series(path, 0, 0).channel;
    const bool vector = channel.width > 1;
    if (may_share && !out.empty() && !vector && !out.back().vector &&
        out.back().unit == channel.unit)
      out.back().series.push_back(path);
    else
      out.push_back({{path}, channel.unit, vector});
  }
  return out;
}

// What the lines of a diagram have in common: "position of slider", or just "velocity x".
std::string label_of(const Group& group) {
  if (group.series.size() == 1) return spoken(group.series.front());
  auto leaf = words_of(group.series.front()).leaf;
  for (const auto& path : group.series)
    if (words_of(path).leaf != leaf) {
      static const std::map<std::string, const char*> kQuantities{
          {"m", "length"},     {"rad", "angle"},
          {"m/s", "velocity"}, {"m/s^2", "acceleration"},
          {"N", "force"},      {"N m", "moment"},
          {"J", "energy"},     {"rad/s", "angular velocity"},
          {"Pa", "pressure"},  {"s", "time step"},
          {"1", "ratio"}};
      const auto known = kQuantities.find(group.unit);
      return known == kQuantities.end() ? "value" : known->second;
    }
  return leaf;
}

// The series over time, or over `against`; only between the asked times.
FigureLine line_of(const Column& column, const std::optional<Column>& against,
                   const FigureRequest& request) {
  FigureLine line;
  for (std::size_t i = 0; i < column.time.size(); ++i) {
    if (column.time[i] < request.from || column.time[i] > request.to) continue;
    line.x.push_back(against ? against->value[i] : column.time[i]);
    line.y.push_back(column.value[i]);
  }
  return line;
}

}  // namespace

FigureData figure_of(std::span<const Result> results, const FigureRequest& request) {
  FigureData figure;
  if (results.empty()) return figure;
  const bool asked = !request.series.empty();
  const auto series = asked ? request.series : usual_series(results);
  std::vector<std::optional<Column>> against(results.size());
  if (request.against) {
    for (std::size_t r = 0; r < results.size(); ++r) {
      const auto columns = columns_of(results[r], *request.against);
      if (columns.size() != 1)
        throw NotInResult("--x wants one component, such as " + columns.front().path);
      against[r] = columns.front();
    }
    figure.x_label = spoken(against[0]->path);
    figure.x_unit = against[0]->unit;
  }
  for (const auto& group : groups_of(results.front(), series, asked)) {
    FigurePanel panel{label_of(group), group.unit, {}};
    for (const auto& path : group.series)
      for (std::size_t r = 0; r < results.size(); ++r)
        for (const auto& column : columns_of(results[r], path)) {
          if (against[r] && against[r]->time != column.time)
            throw NotInResult("the series " + path + " and " + *request.against +
                              " have different times");
          auto line = line_of(column, against[r], request);
          if (group.vector)
            line.label = column.path.substr(column.path.rfind('.') + 1);
          else if (group.series.size() > 1)
            line.label = spoken(column.path);
          if (results.size() > 1)
            line.label =
                results[r].path().stem().string() + (line.label.empty() ? "" : ", " + line.label);
          panel.lines.push_back(std::move(line));
        }
    figure.panels.push_back(std::move(panel));
  }
  figure.equal =
      request.against && figure.panels.size() == 1 && figure.panels[0].unit == figure.x_unit;
  return figure;
}

}  // namespace freeplay::report
