// SPDX-License-Identifier: Apache-2.0
#include "study/study_file.hpp"

#include "io/check.hpp"
#include "io/sha256.hpp"
#include "io/source_files.hpp"
#include "io/text.hpp"
#include "io/toml_reader.hpp"
#include "io/units.hpp"
#include "study/random.hpp"
#include "study/row_plan.hpp"
#include "study/row_slopes.hpp"
#include "study/series_columns.hpp"
#include "study/shown.hpp"
#include "study/study_reading.hpp"
#include "study/study_words.hpp"
#include "study/wear_life.hpp"
#include <freeplay/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace freeplay::study {
namespace {

using io::Diagnostics;
using io::Entry;
using io::Node;
using io::Place;
using io::quote;

// ---- reading

class Reader : StudyReading {
 public:
  explicit Reader(const std::filesystem::path& file) {
    study.file = file;
    study.text = io::read_text(file);
    document = io::read_document(study.file, diagnostics);
  }
  Reader(std::string_view text, const Model& model)
      : Reader(text, ModelSource{write_model(model), {}, {}}) {}
  Reader(std::string_view text, const ModelSource& model) : in_memory_(true) {
    study.text = text;
    study.model_text = model.text;
    study.model_file = model.file;
    study.set = model.set;
    document = io::parse_document(text, "study", model.study_folder, diagnostics);
    if (document.root.broken()) return;
    if (const Entry* given = document.root.entry("model"))
      error(given->place, "model", "the model is one in memory", "leave the key out");
    else
      document.root.entries().push_back({"model", {}, {std::string("model"), {}}});
  }

  /// Every key of it would be unknown.
  void refuse_a_model() {
    Node& root = document.root;
    if (in_memory_ || !root.is_table() || root.has("model") || root.has("kind")) return;
    const Entry* bodies = root.entry("bodies");
    if (!bodies) return;
    error(bodies->place, "bodies", "this is a model, not a study of one",
          "run it with `freeplay run`; a study is a file of its own, with model = \"FILE.toml\", "
          "kind "
          "and vary");
    root.value = Node::Broken{};
  }

  Study read() {
    refuse_a_model();
    if (!document.root.broken()) {
      const std::vector<Entry> vary = take_out("vary"), set = take_out("set"),
                               limits = take_out("limits");
      const Node tree = io::check(top_shape(), {document, parameters, diagnostics, false});
      read_plain(tree);
      if (study.kind != Kind::wear)
        read_vary(*this, vary, document.root.place);
      else if (!vary.empty())
        error(vary[0].place, "vary", "a life varies nothing but its surfaces", "use 'set'");
      for (const Entry& entry : set) read_set(entry);
      for (const Entry& entry : limits) read_limit(entry);
      read_observe(tree);
      read_section(tree);
      check_kind(tree);
      read_model(tree, vary, set);
    }
    diagnostics.finish(nullptr);
    return std::move(study);
  }

 private:
  /// Tables whose keys are paths, which the checker of model files has no notion of.
  std::vector<Entry> take_out(const std::string& name) {
    Entry* found = document.root.entry(name);
    if (!found || !found->node.is_table()) return {};
    std::vector<Entry> out;
    flatten(found->node, "", out);
    if (out.empty()) error(found->place, name, quote(name) + " is empty");
    std::erase_if(document.root.entries(), [&](const Entry& e) { return e.key == name; });
    return out;
  }

  /// vary.bodies.rod.mass = {...} means the same as vary."bodies.rod.mass".
  static void flatten(const Node& table, const std::string& prefix, std::vector<Entry>& out) {
    for (const Entry& entry : table.entries()) {
      const std::string path = prefix.empty() ? entry.key : prefix + "." + entry.key;
      const bool leaf =
          !entry.node.is_table() || std::ranges::any_of(entry.node.entries(), [](const Entry& e) {
            static const std::array<std::string_view, 14> words{
                "from", "to",      "count", "values", "distribution", "mean",  "standard_deviation",
                "mode", "spacing", "lower", "upper",  "above",        "below", "steps"};
            return std::ranges::find(words, e.key) != words.end();
          });
      if (leaf || entry.key.find('.') != std::string::npos)
        out.push_back({path, entry.place, entry.node});
      else
        flatten(entry.node, path, out);
    }
  }

  void read_plain(const Node& tree) {
    study.kind = enumerator<Kind>(kKinds, word(tree, "kind", "sweep"));
    study.seed = static_cast<std::uint64_t>(whole(tree, "seed", 0));
    study.time_limit = number(tree, "time_limit", 0);
    if (const Node* node = tree.find("lyapunov"))
      study.lyapunov =
          node->is_truth() ? (node->truth() ? 1 : 0) : static_cast<int>(whole(tree, "lyapunov", 0));
    if (const Node* node = tree.find("recurrence")) study.recurrence = node->truth();
    study.multipliers = static_cast<int>(whole(tree, "multipliers", study.multipliers));
    study.continuation = word(tree, "start", "fresh") == "continue";
    study.backward = word(tree, "direction", "up") == "down";
    study.both_ways = word(tree, "direction", "up") == "both";
    study.chains = static_cast<int>(whole(tree, "chains", 1));
    study.samples = whole(tree, "samples", 0);
    study.confidence = number(tree, "confidence", 0.95);
    study.nodes = static_cast<int>(whole(tree, "nodes", 5));
    study.evaluations = whole(tree, "evaluations", 200);
    study.precision = number(tree, "precision", 1e-4);
    study.algorithm = enumerator<Algorithm>(kAlgorithms, word(tree, "algorithm", "cobyla"));
    const bool sampled = study.kind == Kind::monte_carlo || study.kind == Kind::sensitivity;
    const std::string usual = study.kind == Kind::monte_carlo   ? "random"
                              : study.kind == Kind::sensitivity ? "sobol"
                                                                : "grid";
    study.sampling = enumerator<Sampling>(kSamplings, word(tree, "sampling", usual));
    const bool gridded = study.sampling == Sampling::grid || study.sampling == Sampling::list;
    if (const Node* node = tree.find("sampling"); node && sampled && gridded)
      error(node->place, "sampling", "a " + word(tree, "kind", "") + " study cannot be a grid",
            "use 'random', 'latin-hypercube' or 'sobol'");
    if (const Node* turns = tree.find("turns")) {
      study.transient = static_cast<int>(whole(*turns, "transient", 0));
      study.record = static_cast<int>(whole(*turns, "record", 1));
    }
    if (const Node* node = tree.find("measured")) {
      study.measured_series = word(*node, "series", "");
      for (const auto& [key, to] :
           {std::pair{"time", &study.measured_time}, std::pair{"value", &study.measured_value}})
        if (const Node* list = node->find(key))
          for (const Node& item : list->items()) to->push_back(item.number());
      if (!std::ranges::is_sorted(study.measured_time, std::less_equal<>{}))
        error(node->place, "measured.file", "times must increase");
      else if (study.measured_time.size() < 2)
        error(node->place, "measured.file", "at least two rows are needed");
    }
    if (const Node* node = tree.find("correlation")) read_correlation(*node);
    if (study.kind == Kind::wear) read_life(tree, tree);
    if (const Node* life = tree.find("life")) {
      study.lives = true;
      read_life(*life, tree);
    }
  }

  /// `own`: the table with the keys of the life, which of a life alone is the study itself.
  void read_life(const Node& own, const Node& tree) {
    StudyLife& life = study.life;
    life.precision = number(own, "precision", life.precision);
    life.cycle = number(own, "cycle", 0);
    life.settle = static_cast<int>(whole(own, "settle", 1));
    life.average = static_cast<int>(whole(own, "average", 1));
    if (const Node* node = own.find("update")) life.update = node->truth();
    if (const Node* until = own.find("until")) {
      life.cycles = number(*until, "cycles", life.cycles);
      life.clearance = number(*until, "clearance", life.clearance);
      life.peak_force = number(*until, "peak_force", life.peak_force);
      if (!until->has("cycles"))
        error(until->place, "until.cycles", "'cycles' is missing",
              "a life must end even where nothing else ends it");
    }
    for (const char* key : {"observe", "section"})
      if (const Node* node = tree.find(key))
        error(node->place, key,
              "does not belong to a life, which stores clearance, peak force, "
              "depths and rates of every joint that wears");
  }

  void read_correlation(const Node& node) {
    const auto n = static_cast<Eigen::Index>(node.items().size());
    MatX c(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& row = node.items()[static_cast<std::size_t>(i)].items();
      if (row.size() != static_cast<std::size_t>(n))
        return error(node.place, "correlation", "must be square");
      for (Eigen::Index k = 0; k < n; ++k) c(i, k) = row[static_cast<std::size_t>(k)].number();
    }
    if (!c.isApprox(c.transpose()) || !c.diagonal().isApproxToConstant(1) ||
        c.llt().info() != Eigen::Success)
      return error(node.place, "correlation",
                   "must be symmetric and positive definite with ones on its diagonal");
    study.correlation = c;
  }

  // ---- set, limits, observe, section

  void read_set(const Entry& entry) {
    if (entry.node.is_text())
      study.set.push_back({entry.key, "\"" + entry.node.text() + "\""});
    else if (entry.node.is_number())
      study.set.push_back({entry.key, io::shortest(entry.node.number())});
    else if (entry.node.is_truth())
      study.set.push_back({entry.key, entry.node.truth() ? "true" : "false"});
    else
      error(entry.node.place, entry.key,
            "found " + entry.node.described() + "; expected a number, a string, true or false");
  }

  void read_limit(const Entry& entry) {
    Limit limit;
    const auto observable = parse_observable(entry.key);
    limit.output = observable ? observable->name() : entry.key;
    if (!entry.node.is_table())
      return error(entry.node.place, entry.key, "expected { above = ... } or { below = ... }");
    io::Document part = document;
    part.root = entry.node;
    const Node checked = io::check(limit_shape(), {part, parameters, diagnostics, false});
    limit.above = number(checked, "above", limit.above);
    limit.below = number(checked, "below", limit.below);
    if (!checked.has("above") && !checked.has("below"))
      error(entry.place, entry.key, "expected { above = ... } or { below = ... }");
    for (const char* key : {"above", "below"})
      if (const Node* bound = entry.node.find(key);
          bound && bound->is_text() && limit_units_[limit.output].empty())
        limit_units_[limit.output] = written_unit(bound->text());
    limit_places_.push_back(entry.place);
    study.limits.push_back(limit);
  }

  void observe(const std::string& text, Place place, const std::string& path) {
    const auto observable = parse_observable(text);
    if (!observable)
      return error(place, path,
                   quote(text.substr(0, text.find(' '))) + " cannot be taken of a series",
                   "use " + io::one_of_these(kTakes) + ", and the unit, if any, last: [mm]");
    const bool known = std::ranges::any_of(
        study.observe, [&](const auto& o) { return o.name() == observable->name(); });
    if (known) return;
    study.observe.push_back(*observable);
    observe_places_.push_back(place);
    std::string& unit = study.observe.back().written;
    if (unit.empty()) unit = limit_units_[observable->name()];
  }

  void read_observe(const Node& tree) {
    if (const Node* list = tree.find("observe"))
      for (std::size_t i = 0; i < list->items().size(); ++i)
        observe(list->items()[i].text(), list->items()[i].place, "observe." + std::to_string(i));
    for (const char* key : {"minimise", "maximise"}) {
      const Node* goal = tree.find(key);
      if (!goal) continue;
      if (!study.goal.empty())
        error(goal->place, key, "'minimise' and 'maximise' exclude each other", "keep one");
      study.maximise = std::string_view(key) == "maximise";
      const auto observable = parse_observable(goal->text());
      study.goal = observable ? observable->name() : goal->text();
      goal_place_ = goal->place;
      // What a run without section gives may be named here alone.
      if (!tree.has("section") && !study.lives) observe(goal->text(), goal->place, key);
    }
    for (std::size_t i = 0; i < study.limits.size() && !tree.has("section") && !study.lives; ++i) {
      const std::string& output = study.limits[i].output;
      const bool known =
          std::ranges::any_of(study.observe, [&](const auto& o) { return o.name() == output; });
      if (!known) error(limit_places_[i], output, "is not observed", "add it to 'observe'");
    }
    const bool observes = study.kind != Kind::fit && study.kind != Kind::wear && !study.lives;
    if (study.observe.empty() && observes && !diagnostics.failed())
      error(tree.place, "observe", "'observe' is missing; expected a list of series",
            "observe = [\"bodies/slider/velocity.x\", \"max joints/pin/normal_force\"]");
  }

  void read_section(const Node& tree) {
    const Node* node = tree.find("section");
    if (!node) return;
    Section s;
    s.joint = word(*node, "joint", "");
    s.angle = number(*node, "angle", 0);
    s.every = number(*node, "every", 0);
    s.from = number(*node, "from", 0);
    s.series = word(*node, "series", "");
    s.level = number(*node, "level", 0);
    s.falling = word(*node, "direction", "up") == "down";
    s.event = word(*node, "event", "");
    const int given = (node->has("every") ? 1 : 0) + (node->has("series") ? 1 : 0) +
                      (node->has("event") || node->has("joint") ? 1 : 0);
    if (given != 1)
      error(node->place, "section",
            "expected one of { joint, angle }, { every }, { series, level } and { event, joint }");
    s.by = node->has("event")    ? Section::By::event
           : node->has("every")  ? Section::By::time
           : node->has("series") ? Section::By::series
                                 : Section::By::joint;
    section_place_ = node->place;
    study.section = s;
    if (!tree.has("turns"))
      error(node->place, "turns", "'turns' is missing; expected { transient, record }");
  }

  void check_kind(const Node& tree) {
    const bool gridded = study.sampling == Sampling::grid || study.sampling == Sampling::list;
    const bool by_rows = study.kind == Kind::sweep || study.kind == Kind::bifurcation ||
                         study.kind == Kind::periodic;
    const bool stepped = by_rows && gridded;
    for (const Variable& v : study.vary) {
      if (stepped && v.values.empty())
        error(tree.place, v.path, "needs 'count' or a list of values in this study");
      if (!stepped && (!v.distribution || !v.words.empty()))
        error(tree.place, v.path, "needs { from, to } or a distribution in this study");
      const bool searched =
          study.kind == Kind::optimise || study.kind == Kind::fit || study.kind == Kind::interval;
      if (searched && v.distribution && v.distribution->law != Distribution::Law::uniform)
        error(tree.place, v.path, "needs { from, to } in this study");
    }
    if (study.sampling == Sampling::list && stepped)
      for (const Variable& v : study.vary)
        if (v.values.size() != study.vary[0].values.size())
          error(tree.place, v.path,
                "has " + std::to_string(v.values.size()) + " values and " + study.vary[0].path +
                    " has " + std::to_string(study.vary[0].values.size()),
                "sampling = \"grid\" combines them into a full grid");
    const bool needs_samples =
        study.kind == Kind::monte_carlo || study.kind == Kind::sensitivity || (by_rows && !gridded);
    if (const double rows = count_rows(study); rows > kMostRows)
      error(tree.place, "vary", fmt::format("{:.6g} rows would follow", rows),
            fmt::format("at most {:.0f} are computed; vary less, or sample", kMostRows));
    if (needs_samples && study.samples == 0)
      error(tree.place, "samples", "'samples' is missing; expected how many rows");
    if (!study.limits.empty() && study.kind != Kind::monte_carlo && study.kind != Kind::optimise)
      error(limit_places_[0], "limits", "belongs to 'monte-carlo' and 'optimise'");
    if (study.kind == Kind::bifurcation && !study.section)
      error(tree.place, "section", "'section' is missing; a bifurcation study looks once a turn");
    if (study.kind == Kind::periodic) check_periodic(tree);
    if (study.kind == Kind::optimise && !study.limits.empty() && !takes_limits(study.algorithm))
      error(tree.place, "algorithm", "this algorithm cannot keep to limits",
            "use 'cobyla', 'slsqp', 'mma', 'isres' or 'kriging'");
    if (const std::string why = needs_slopes(study.algorithm) ? no_slopes(study) : ""; !why.empty())
      error(tree.place, "algorithm", why, "or use 'cobyla'");
    if (study.kind == Kind::optimise && study.goal.empty())
      error(tree.place, "minimise", "'minimise' or 'maximise' is missing; expected an output");
    if (study.correlation &&
        study.correlation->rows() != static_cast<Eigen::Index>(study.vary.size()))
      error(tree.place, "correlation", "needs a row for each variable");
    if (study.continuation && (study.vary.size() != 1 || !gridded))
      error(tree.place, "start", "only a study of one variable can be continued from row to row");
    if (study.kind == Kind::sensitivity && 2 * study.vary.size() > kMostSobolDimensions)
      error(tree.place, "vary", "too many variables");
  }

  void check_periodic(const Node& tree) {
    if (!study.section)
      return error(tree.place, "section",
                   "'section' is missing; expected the period: { every } or { joint, angle }");
    if (study.section->by != Section::By::time && study.section->by != Section::By::joint)
      error(section_place_, "section", "a periodic orbit needs a period",
            "use { every = \"12 ms\" } or { joint = \"crank_bearing\" }");
    for (const char* key : {"lyapunov", "recurrence"})
      if (const Node* node = tree.find(key))
        error(node->place, key, "belongs to 'bifurcation'; an orbit has its multipliers");
  }

  // ---- the model

  void read_model(const Node& tree, const std::vector<Entry>& vary, const std::vector<Entry>& set) {
    const Node* name = tree.find("model");
    if (!name || diagnostics.failed()) return;
    if (!in_memory_) study.model_file = study.file.parent_path() / name->text();
    std::vector<Override> overrides = study.set;
    for (const Variable& v : study.vary)
      overrides.push_back({v.path, v.text(v.values.empty() ? v.from : v.values[0])});
    try {
      if (!in_memory_) study.model_text = io::read_text(study.model_file);
      study.files = document.files;
      if (!in_memory_) study.files.push_back(study.model_file);
      std::vector<std::filesystem::path> files;
      const Model model = parse_model(study.model_text, study.model_file.string(),
                                      {overrides, nullptr, &files}, study.model_folder());
      study.files.insert(study.files.end(), files.begin(), files.end());
      if (study.kind == Kind::wear || study.lives) {
        for (const Joint& joint : model.joints)
          if (joint.clearance && joint.clearance->wear) study.life.joints.push_back(joint.name);
        check_life(study.life, model);
      }
      const RunHeader header = describe(model);
      check_series(header, model);
      std::string measured;
      for (double v : study.measured_time) measured += io::shortest(v) + ' ';
      for (double v : study.measured_value) measured += io::shortest(v) + ' ';
      for (std::size_t i = 1; i < document.files.size(); ++i)  // what it includes
        measured += io::read_text(document.files[i]) + '\0';
      const std::string written = write_model(model);
      study.digest = io::sha256(study.text + '\0' + written + '\0' + version() + measured);
      study.text_digest = io::sha256(study.text + '\0' + measured);
      study.model_digest = io::sha256(written);
    } catch (const IoError& e) {
      error(name->place, "model", e.what());
    } catch (const ModelError& e) {
      for (const Issue& issue : e.issues()) {
        if (!issue.fatal) continue;
        Place place = name->place;
        for (const auto* entries : {&vary, &set})
          for (const Entry& entry : *entries)
            if (entry.key == issue.path) place = entry.place;
        const std::string where = issue.file == "--set" || issue.file.empty()
                                      ? ""
                                      : issue.file + ":" + std::to_string(issue.line) + ": ";
        error(place, issue.path, where + issue.message, issue.hint);
      }
    }
  }

  void check_series(const RunHeader& header, const Model& model) {
    const std::vector<std::string> known = all_series(header);
    const auto check_one = [&](const std::string& series, Place place, const std::string& path) {
      if (series.empty() || column_of(header, series)) return;
      error(place, path, "there is no series " + quote(series), io::did_you_mean(series, known));
    };
    for (std::size_t i = 0; i < study.observe.size(); ++i) {
      check_one(study.observe[i].series, observe_places_[i], "observe");
      if (!diagnostics.failed()) check_unit(study.observe[i], observe_places_[i], header);
    }
    check_one(study.measured_series, document.root.place, "measured.series");
    if (study.section) {
      check_one(study.section->series, section_place_, "section.series");
      std::vector<std::string> joints;
      for (const Joint& joint : model.joints) joints.push_back(joint.name);
      if (!study.section->joint.empty() &&
          std::ranges::find(joints, study.section->joint) == joints.end())
        error(section_place_, "section.joint", "there is no joint " + quote(study.section->joint),
              io::did_you_mean(study.section->joint, joints));
    }
    const std::vector<std::string> outputs = outputs_of(study);
    if (!study.goal.empty() && std::ranges::find(outputs, study.goal) == outputs.end())
      error(goal_place_, study.maximise ? "maximise" : "minimise",
            "there is no output " + quote(study.goal), io::did_you_mean(study.goal, outputs));
    for (std::size_t i = 0; i < study.limits.size(); ++i)
      if (std::ranges::find(outputs, study.limits[i].output) == outputs.end())
        error(limit_places_[i], "limits", "there is no output " + quote(study.limits[i].output),
              io::did_you_mean(study.limits[i].output, outputs));
  }

  void check_unit(const Observable& o, Place place, const RunHeader& header) {
    if (o.written.empty()) return;
    const std::string si = unit_of_observable(header, o);
    const auto unit = io::parse_unit(o.written), own = io::parse_unit(si);
    if (!unit)
      error(place, "observe", quote(o.written) + " is no unit",
            io::did_you_mean(o.written, io::unit_names()));
    else if (!own || !io::fits(unit->dimension, own->dimension))
      error(place, "observe", quote(o.written) + " is no unit of " + quote(o.name()),
            "its SI unit is " + si);
  }

  std::vector<Place> observe_places_, limit_places_;
  std::map<std::string, std::string> limit_units_;  // of outputs, as written
  Place goal_place_, section_place_;
  bool in_memory_ = false;
};

}  // namespace

std::int64_t StudyReading::whole(const Node& table, const char* key, std::int64_t otherwise) {
  const Node* node = table.find(key);
  if (!node) return otherwise;
  if (node->number() != std::floor(node->number()))
    error(node->place, key, "found " + io::brief(node->number()) + "; expected a whole number");
  return static_cast<std::int64_t>(node->number());
}

Study read_study(const std::filesystem::path& file) { return Reader(file).read(); }
Study read_study(std::string_view text, const Model& model) { return Reader(text, model).read(); }
Study read_study(std::string_view text, const ModelSource& model) {
  return Reader(text, model).read();
}

}  // namespace freeplay::study
