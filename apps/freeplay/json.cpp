// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include "campbell.hpp"
#include "fem/make_part.hpp"
#include "films/chart.hpp"
#include "gallery/gallery.hpp"
#include "study/study_rows.hpp"
#include "terminal.hpp"
#include <freeplay/result.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace freeplay::cli {
namespace {

using Json = nlohmann::ordered_json;

// Names in a model may be any bytes; JSON is UTF-8.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json array_of(const std::vector<Issue>& issues) {
  auto out = Json::array();
  for (const auto& i : issues)
    out.push_back({{"file", i.file},
                   {"line", i.line},
                   {"column", i.column},
                   {"path", i.path},
                   {"message", i.message},
                   {"hint", i.hint},
                   {"fatal", i.fatal}});
  return out;
}

}  // namespace

std::string json_of(const RunResult& r, const std::string& path,
                    const std::optional<Trust>& trust) {
  Json out{{"status", name_of(r.status)},
           {"time", r.time},
           {"steps", r.stats.steps},
           {"rejected", r.stats.rejected},
           {"evaluations", r.stats.evaluations},
           {"cpu_seconds", r.stats.cpu_seconds},
           {"contacts", r.contacts},
           {"energy_residual", r.energy_residual},
           {"energy_scale", r.energy_scale},
           {"friction_use", r.friction_use},
           {"warnings", r.warnings},
           {"result", path}};
  if (trust)
    out["trust"] = {{trust->knob, trust->value},
                    {"difference", trust->difference},
                    {"rotation", trust->rotation},
                    {"converged_until", trust->until},
                    {"end", trust->end}};
  if (r.status != RunStatus::done) {
    out["reason"] = r.reason;
    out["remedy"] = r.remedy;
  }
  return text_of(out);
}

std::string json_of(const Model& model, const Assembly& a, const Scales& scales,
                    const std::vector<Issue>& warnings, const io::Forecast& forecast) {
  const auto band = [](const io::Band& b) {
    return Json{{"value", b.value}, {"low", b.low}, {"high", b.high}};
  };
  Json ahead{{"simulated", forecast.simulated}, {"whole", forecast.whole}};
  if (forecast.reason.empty()) {
    ahead["cpu_seconds"] = band(forecast.seconds);
    ahead["bytes"] = band(forecast.bytes);
  } else {
    ahead["reason"] = forecast.reason;
  }
  auto bodies = Json::array(), joints = Json::array();
  for (const Body& body : model.bodies) bodies.push_back(body.name);
  for (const Joint& joint : model.joints)
    joints.push_back({{"name", joint.name},
                      {"type", name_of(joint.type)},
                      {"first", model.bodies[static_cast<std::size_t>(joint.first.body)].name},
                      {"second", model.bodies[static_cast<std::size_t>(joint.second.body)].name}});
  bodies.erase(0);  // the ground
  return text_of(
      {{"status", "ok"},
       {"name", model.name},
       {"planar", model.planar},
       {"bodies", bodies},
       {"joints", joints},
       {"degrees_of_freedom", a.freedom},
       {"coordinates", a.coordinates},
       {"constraint_rows", a.rows},
       {"rank", a.rank},
       {"redundant", a.redundant},
       {"not_unique", a.not_unique},
       {"residual_before", a.residual_before},
       {"residual_after", a.residual_after},
       {"largest_move", a.largest_move},
       {"largest_turn", a.largest_turn},
       {"scales", {{"length", scales.length}, {"time", scales.time}, {"mass", scales.mass}}},
       {"forecast", ahead},
       {"notes", a.notes},
       {"warnings", array_of(warnings)}});
}

std::string json_of(const Equilibrium& e, const std::vector<Channel>& channels) {
  auto values = Json::object();
  for (const auto& c : channels) {
    if (e.row.size() < static_cast<std::size_t>(c.offset + c.width)) continue;
    const auto begin = e.row.begin() + c.offset;
    if (c.width == 1)
      values[c.path] = *begin;
    else
      values[c.path] = std::vector<double>(begin, begin + c.width);
  }
  auto loads = Json::array();
  for (const CarriedLoad& load : e.loads) {
    Json carried{{"joint", load.joint}, {"by", load.by}, {"force", load.force}};
    if (load.depth > 0) carried["depth"] = load.depth;
    if (load.ratio > 0) carried["eccentricity_ratio"] = load.ratio;
    loads.push_back(std::move(carried));
  }
  Json out{{"status", e.found ? "done" : "failed"},
           {"found", e.found},
           {"spinning", e.spinning},
           {"iterations", e.iterations},
           {"residual", e.residual},
           {"unbalanced", e.unbalanced},
           {"free_motions", e.free_motions},
           {"loads", loads},
           {"values", values}};
  if (!e.found) out["reason"] = e.reason + "; " + e.remedy;
  return text_of(out);
}

namespace {

Json list_of(const std::vector<Mode>& modes) {
  auto out = Json::array();
  for (const Mode& m : modes)
    out.push_back({{"frequency", m.frequency},
                   {"damping", m.damping},
                   {"real", m.real},
                   {"imaginary", m.imaginary},
                   {"motion", m.motion}});
  return out;
}

}  // namespace

std::string json_of(const ModesOver& over) {
  auto at = Json::array(), tracks = Json::array(), critical = Json::array(), onsets = Json::array();
  for (std::size_t k = 0; k < over.x.size(); ++k)
    at.push_back({{"value", over.x[k]}, {"modes", list_of(over.modes[k])}});
  for (const auto& track : over.tracks) {
    auto values = Json::array();
    for (const auto& v : track.values) values.push_back({v.real(), v.imag()});
    tracks.push_back({{"first", track.first}, {"values", values}});
  }
  for (const auto& c : over.critical)
    critical.push_back({{"track", c.track}, {"speed", c.speed}, {"damping", c.damping}});
  for (const auto& o : over.onsets) onsets.push_back({{"value", o.at}, {"unstable", o.grows}});
  return text_of({{"status", "done"},
                  {"path", over.path},
                  {"unit", over.unit},
                  {"at", at},
                  {"tracks", tracks},
                  {"critical_speeds", critical},
                  {"onsets", onsets}});
}

std::string json_of(const std::vector<Mode>& modes) {
  const Json out = list_of(modes);
  const bool stable =
      std::none_of(modes.begin(), modes.end(), [](const Mode& m) { return m.grows(); });
  return text_of({{"status", "done"}, {"stable", stable}, {"modes", out}});
}

std::string json_of(const Tolerances& found) {
  auto loose = Json::array(), outputs = Json::array();
  for (const Looseness& l : found.loose)
    loose.push_back({{"path", l.path}, {"what", l.what}, {"size", l.size}});
  for (const OutputTolerance& o : found.outputs) {
    auto at = Json::array();
    for (const OutputError& e : o.at)
      at.push_back({{"time", e.time},
                    {"nominal", e.nominal},
                    {"low", e.low},
                    {"high", e.high},
                    {"linear", e.linear},
                    {"deviation", e.deviation},
                    {"shares", e.shares}});
    Json output{{"path", o.path}, {"unit", o.unit}, {"worst", o.worst}, {"at", at}};
    if (o.sampled.samples > 0)
      output["sampled"] = {{"samples", o.sampled.samples}, {"time", o.sampled.time},
                           {"mean", o.sampled.mean},       {"deviation", o.sampled.deviation},
                           {"low", o.sampled.low},         {"high", o.sampled.high}};
    outputs.push_back(std::move(output));
  }
  return text_of(
      {{"status", "done"}, {"loose", loose}, {"outputs", outputs}, {"notes", found.notes}});
}

std::string json_of(const Gradient& found) {
  auto variables = Json::array(), outputs = Json::array();
  for (const GradientVariable& v : found.variables)
    variables.push_back({{"path", v.path}, {"unit", v.unit}, {"value", v.value}, {"step", v.step}});
  for (const GradientOutput& o : found.outputs) {
    Json output{{"name", o.name}, {"unit", o.unit}, {"value", o.value}};
    if (o.refused.empty()) {
      output["slope"] = o.slope;
      output["error"] = o.error;
    } else {
      output["refused"] = o.refused;
    }
    outputs.push_back(std::move(output));
  }
  return text_of({{"status", "done"},
                  {"variables", variables},
                  {"outputs", outputs},
                  {"trusted_until", found.trusted_until},
                  {"horizon", found.horizon},
                  {"neighbours", found.neighbours},
                  {"run_seconds", found.run_seconds},
                  {"cpu_seconds", found.cpu_seconds}});
}

std::string json_of(const ContactLoss& found) {
  // An unloaded joint has no direction and no finite index; JSON has no infinity.
  const auto finite = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  const auto stretches = [](const std::vector<LossInterval>& list) {
    auto out = Json::array();
    for (const LossInterval& i : list) out.push_back({{"from", i.from}, {"to", i.to}});
    return out;
  };
  auto joints = Json::array();
  for (const JointContactLoss& j : found.joints) {
    auto at = Json::array();
    for (const JointLoad& l : j.at)
      at.push_back({{"time", l.time},
                    {"force", l.force},
                    {"turning", finite(l.turning)},
                    {"mass", l.mass},
                    {"following", finite(l.following)},
                    {"swerving", finite(l.swerving)},
                    {"earles_wu", finite(l.earles_wu)},
                    {"lost", l.lost}});
    Json joint{{"joint", j.joint},
               {"play", j.play},
               {"lost", stretches(j.lost)},
               {"beyond_earles_wu", stretches(j.earles_wu)},
               {"at", at}};
    if (found.compared) {
      joint["separations"] = j.separations;
      joint["losses"] = j.losses;
      joint["foreseen"] = j.foreseen;
    }
    joints.push_back(std::move(joint));
  }
  return text_of({{"status", "done"}, {"joints", joints}, {"notes", found.notes}});
}

std::string json_of(const Convergence& report) {
  const auto settled = [](const Settled& s) {
    return Json{{"difference", s.difference},
                {"rotation", s.rotation},
                {"digits", s.digits},
                {"settled_until", s.until}};
  };
  auto bodies = Json::object();
  for (const auto& body : report.bodies)
    bodies[body.name] = {{"asked", settled(body.asked)}, {"finer", settled(body.finer)}};
  return text_of({{"status", "done"},
                  {report.knob, report.values},
                  {"characteristic_length", report.length},
                  {"end", report.end},
                  {"bodies", bodies}});
}

std::string json_of(const std::vector<films::BearingPoint>& points, const std::string& law) {
  // What a law does not know is left out: JSON has no NaN and no infinity.
  auto list = Json::array();
  for (const films::BearingPoint& p : points) {
    Json out{{"eccentricity_ratio", p.ratio},
             {"attitude", p.attitude},
             {"load", p.load},
             {"sommerfeld", p.sommerfeld},
             {"friction_variable", p.friction},
             {"torque", p.torque},
             {"power", p.power},
             {"min_film", p.min_film}};
    if (std::isfinite(p.side_flow)) out["side_flow"] = p.side_flow;
    if (std::isfinite(p.max_pressure)) out["max_pressure"] = p.max_pressure;
    if (std::isfinite(p.critical_mass)) out["critical_mass"] = p.critical_mass;
    if (p.cells_around > 0) out["cells"] = {p.cells_around, p.cells_along};
    if (std::isfinite(p.load_error)) out["load_error"] = p.load_error;
    if (std::isfinite(p.stiffness_error)) out["stiffness_error"] = p.stiffness_error;
    out["stiffness"] = p.stiffness;
    out["damping"] = p.damping;
    out["stiffness_number"] = p.stiffness_number;
    out["damping_number"] = p.damping_number;
    list.push_back(std::move(out));
  }
  return text_of({{"law", law}, {"points", list}});
}

namespace {

/// 300, not 300.00000000000006, of 0.3 m in millimetres.
double fifteen_digits(double value) {
  const std::string text = digits15(value);
  double rounded = value;  // kept where it is no number
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

/// Rows in the units of the study file; null where nothing was computed.
Json json_of_rows(const study::StudyRows& rows) {
  auto columns = Json::array(), lines = Json::array();
  for (const study::StudyColumn& c : rows.columns)
    columns.push_back({{"name", c.shown.name},
                       {"path", c.path},
                       {"group", c.group},
                       {"unit", c.shown.words.empty() ? c.shown.unit : "word"}});
  for (std::size_t row = 0; row < rows.status.size(); ++row) {
    auto line = Json::array();
    for (const study::StudyColumn& c : rows.columns) {
      if (c.group == "outputs" && rows.status[row] != 0)
        line.push_back(nullptr);
      else if (!c.shown.words.empty())
        line.push_back(c.shown.text(c.values[row]));
      else
        line.push_back(fifteen_digits(c.shown.number(c.values[row])));
    }
    lines.push_back(std::move(line));
  }
  return {{"columns", columns}, {"rows", lines}, {"status", rows.status}};
}

}  // namespace

std::string json_of(const StudySummary& s, const study::StudyRows* rows) {
  auto failures = Json::array(), results = Json::object();
  for (const StudyFailure& f : s.failures) failures.push_back({{"row", f.row}, {"error", f.error}});
  for (const StudyNumber& n : s.numbers) {
    if (n.values.size() == 1)
      results[n.name] = n.values[0];
    else
      results[n.name] = n.values;
  }
  Json out{{"status", !s.complete    ? "interrupted"
                      : s.failed > 0 ? "failed_rows"
                                     : "done"},
           {"kind", s.kind},
           {"rows", s.rows},
           {"failed", s.failed},
           {"result", s.result.string()},
           {"failures", failures},
           {"results", results}};
  if (!s.part.empty()) out["part"] = s.part;
  if (rows) out["table"] = json_of_rows(*rows);
  return text_of(out);
}

std::string json_of(const StudyMissing& missing) {
  auto parts = Json::array();
  for (const StudyMissing::Part& p : missing.parts)
    parts.push_back({{"part", p.name},
                     {"file", p.file.string()},
                     {"rows", p.rows},
                     {"failed", p.failed},
                     {"missing", p.missing}});
  return text_of({{"status", missing.missing.empty() ? "complete" : "missing"},
                  {"rows", missing.rows},
                  {"missing", missing.missing},
                  {"parts", parts}});
}

std::string json_of(const gallery::GalleryResult& result, const std::string& page) {
  auto figures = Json::array();
  for (const gallery::FigureResult& f : result.figures) {
    auto claims = Json::array();
    for (std::size_t i = 0; i < f.claims.size(); ++i) {
      const gallery::Claim& c = f.figure.claims[i];
      auto variants = Json::array(), measured = Json::array();
      for (const std::size_t v : c.of) variants.push_back(f.figure.variants[v].label);
      for (std::size_t e = 0; e < f.claims[i].measured.size(); ++e) {
        const gallery::Measured& m = f.claims[i].measured[e];
        Json out{{"edition", f.figure.editions[e].name}, {"holds", m.holds}};
        if (m.failure.empty())
          out["values"] = m.values;
        else
          out["failure"] = m.failure;
        measured.push_back(std::move(out));
      }
      claims.push_back({{"id", c.id},
                        {"says", c.says},
                        {"paper", c.paper},
                        {"condition", c.condition()},
                        {"unit", c.unit},
                        {"variants", variants},
                        {"measured", measured},
                        {"verdict", gallery::name_of(f.claims[i].verdict)}});
    }
    figures.push_back({{"name", f.figure.name},
                       {"paper", f.figure.paper},
                       {"figure", f.figure.figure},
                       {"claims", claims}});
  }
  return text_of({{"status", result.failures.empty() ? "done" : "failed_runs"},
                  {"runs", result.runs},
                  {"failures", result.failures},
                  {"page", page},
                  {"figures", figures}});
}

std::string json_of(const fem::MadePart& made, const VecX& free_frequency,
                    const std::string& file) {
  const fem::Reduction& r = made.reduction;
  const auto list = [](const auto& v) { return std::vector<double>(v.begin(), v.end()); };
  const auto hertz = [&](const VecX& w) { return list(VecX(w / (2 * std::numbers::pi))); };
  auto interfaces = Json::array();
  for (const fem::Interface& i : r.part.interfaces)
    interfaces.push_back({{"name", i.name},
                          {"coupling", i.averaged ? "averaged" : "rigid"},
                          {"point", list(Vec3(i.point + r.part.centre))}});
  return text_of({{"status", "done"},
                  {"part", file},
                  {"nodes", made.nodes},
                  {"elements", made.elements},
                  {"mass", r.part.mass},
                  {"centre", list(r.part.centre)},
                  {"interfaces", interfaces},
                  {"free_frequency", hertz(free_frequency)},
                  {"fixed_frequency", hertz(r.part.fixed_frequency)},
                  {"rigid_stiffness", r.rigid_stiffness},
                  {"imbalance", r.imbalance},
                  {"rigid_mass", r.rigid_mass}});
}

std::string json_of_error(const std::string& status, const std::string& reason,
                          const std::vector<Issue>& issues) {
  Json out{{"status", status}, {"reason", reason}};
  if (!issues.empty()) out["issues"] = array_of(issues);
  return text_of(out);
}

}  // namespace freeplay::cli
