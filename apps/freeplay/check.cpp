// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "io/forecast.hpp"
#include "io/record_choice.hpp"
#include "joints/imperfect_joint.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "terminal.hpp"
#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

// `freeplay check`: what is known of a mechanism before it moves.
namespace freeplay::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string joints_table(const Model& model) {
  Table table({"joint", "type", "between", "free", "driven"});
  for (const Joint& joint : model.joints) {
    std::vector<std::string> free, driven;
    for (const auto c : coordinates_of(joint.type)) free.emplace_back(name_of(c));
    for (const Drive& drive : joint.drives) driven.emplace_back(name_of(drive.coordinate));
    table.add({joint.name, std::string(name_of(joint.type)),
               model.bodies[static_cast<std::size_t>(joint.first.body)].name + ", " +
                   model.bodies[static_cast<std::size_t>(joint.second.body)].name,
               free.empty() ? "-" : joined(free), driven.empty() ? "-" : joined(driven)});
  }
  return table.text();
}

// As assembled: where a loop can close in two ways, this shows which one was taken.
std::string bodies_table(const Model& model, const StartRow& start) {
  Table table({"body", "mass, kg", "x, m", "y, m", model.planar ? "angle, deg" : "z, m",
               "inertia, kg m^2"});
  for (const Body& body : model.bodies) {
    if (&body == &model.bodies[kGround]) continue;
    std::vector<std::string> row{body.name, brief(body.mass)};
    for (const double x : start.at("bodies/" + body.name + "/position")) row.push_back(brief(x));
    if (model.planar)
      for (const double angle : start.at("bodies/" + body.name + "/angle"))
        row.push_back(brief(angle * 180 / std::numbers::pi));
    const Vec3 inertia = body.inertia.diagonal();
    row.push_back(model.planar ? brief(inertia[2])
                               : fmt::format("{} {} {}", brief(inertia[0]), brief(inertia[1]),
                                             brief(inertia[2])));
    table.add(row);
  }
  return table.text();
}

// What the laws made of material, radii and masses.
std::string contacts_table(const Model& model) {
  Table table({"joint", "contact law", "friction law", "clearance, mm", "derived"});
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!joint.clearance) continue;
    const Clearance& c = *joint.clearance;
    std::vector<std::string> derived;
    const joints::ImperfectJoint part(model, static_cast<JointIndex>(j));
    for (const auto& d : part.derived())
      derived.push_back(
          fmt::format("{} = {}{}", d.name, brief(d.value), d.unit == "1" ? "" : " " + d.unit));
    table.add({joint.name, c.contact.key, c.friction ? c.friction->key : "-",
               brief(1e3 * part.half_play()), joined(derived)});
  }
  return table.text();
}

/// chosen: as long as one waits without wondering
constexpr double kTrialSeconds = 0.25;

// A mechanism that a run refuses gets no forecast, but is checked all the same.
io::Forecast forecast_of(const Model& model, const Assembly& assembly, const Record& record) {
  (void)io::chosen_channels(record, describe(model).channels);  // a mistake of the file's
  try {
    return io::forecast(model, assembly.start, record, kTrialSeconds);
  } catch (const std::exception& error) {
    io::Forecast none;
    none.reason = error.what();
    return none;
  }
}

void add_forecast(Table& table, const io::Forecast& f) {
  if (!f.reason.empty()) return table.add({"forecast", "none: " + f.reason});
  if (f.whole)
    return table.add(
        {"forecast", fmt::format("{:.2g} CPU s, result {} (the run was tried as a whole)",
                                 f.seconds.value, bytes_text(f.bytes.value))});
  table.add({"forecast",
             fmt::format("about {:.2g} CPU s ({:.2g} to {:.2g}), result about {} ({} to "
                         "{}), from the first {:.3g} s",
                         f.seconds.value, f.seconds.low, f.seconds.high, bytes_text(f.bytes.value),
                         bytes_text(f.bytes.low), bytes_text(f.bytes.high), f.simulated)});
}

}  // namespace

int check_command(const CheckArguments& a) {
  const LoadedModel loaded = load(a.model);
  const Model& model = loaded.model;
  const auto& warnings = loaded.warnings;
  const Assembly assembly = assemble(a.model, model);
  const Scales scales = scales_of(model);
  const io::Forecast forecast = naming_the_file(
      a.model, model, [&](const Model& m) { return forecast_of(m, assembly, loaded.record); });
  if (a.json) {
    print(json_of(model, assembly, scales, warnings, forecast));
    return kDone;
  }
  show(warnings);
  for (const auto& text : assembly.notes) note(text);
  const StartRow start = start_row(model, assembly);
  for (const auto& text : contacts_at_start(model, start)) note(text);

  const Simulation& simulation = model.simulation;
  const double output = simulation.output > 0 ? simulation.output : simulation.duration / 1000;
  const double points = simulation.duration / output + 1;
  Table table;
  table.add({"bodies", std::to_string(assembly.bodies)});
  table.add({"joints", std::to_string(model.joints.size())});
  table.add({"degrees of freedom",
             fmt::format("{} ({} coordinates, {} constraint rows of rank {})", assembly.freedom,
                         assembly.coordinates, assembly.rows, assembly.rank)});
  table.add(
      {"redundant constraints", assembly.redundant.empty() ? "none" : joined(assembly.redundant)});
  if (!assembly.not_unique.empty())
    table.add({"reactions not unique in", joined(assembly.not_unique)});
  table.add({"assembly residual", fmt::format("{:.2g} as written, {:.2g} assembled",
                                              assembly.residual_before, assembly.residual_after)});
  table.add({"moved in assembly", fmt::format("{:.3g} m, {:.3g} rad at most", assembly.largest_move,
                                              assembly.largest_turn)});
  table.add({"characteristic scales", fmt::format("length {:.4g} m, time {:.4g} s, mass {:.4g} kg",
                                                  scales.length, scales.time, scales.mass)});
  table.add(
      {"simulation", fmt::format("{:.6g} s from t = {:.6g} s, tolerance {:.3g}",
                                 simulation.duration, simulation.start, simulation.tolerance)});
  table.add(
      {"uniform series", fmt::format("{:.0f} points, every {:.4g} s; at most {}", points, output,
                                     bytes_text(8 * points * (1 + describe(model).width)))});
  add_forecast(table, forecast);
  print(bold(model.name.empty() ? "mechanism" : model.name) + "\n" + table.text() + "\n" +
        bodies_table(model, start));
  if (!model.joints.empty()) print("\n" + joints_table(model));
  if (std::any_of(model.joints.begin(), model.joints.end(),
                  [](const Joint& joint) { return joint.clearance.has_value(); }))
    print("\n" + contacts_table(model));
  return kDone;
}

}  // namespace freeplay::cli
