// SPDX-License-Identifier: Apache-2.0
#include "study/study_file.hpp"

#include "io/check.hpp"
#include "io/expression.hpp"
#include "io/sha256.hpp"
#include "io/source_files.hpp"
#include "io/text.hpp"
#include "io/toml_reader.hpp"
#include "study/random.hpp"
#include "study/series_columns.hpp"
#include <freeplay/version.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace freeplay::study {
namespace {

using io::Diagnostics;
using io::Entry;
using io::Node;
using io::Place;
using io::quote;

const std::vector<std::string> kKinds{"sweep",    "bifurcation", "monte-carlo", "sensitivity",
                                      "interval", "optimise",    "fit"};
const std::vector<std::string> kSamplings{"random", "latin-hypercube", "sobol", "grid", "list"};
const std::vector<std::string> kAlgorithms{"cobyla", "bobyqa", "nelder-mead", "subplex",
                                           "direct", "crs",    "isres",       "kriging"};
const std::vector<std::string> kTakes{"at", "min", "max", "mean", "rms", "range"};
const std::vector<std::string> kRunNumbers{"contacts", "peak_force", "energy_residual"};

template <class E>
E enumerator(const std::vector<std::string>& words, const std::string& word) {
  return static_cast<E>(std::ranges::find(words, word) - words.begin());
}

// ---- the words of the file

io::TableShape section_shape() {
  using namespace io;
  return {"section",
          "Where one looks, once a turn.",
          {key("joint", text(), "a driven joint, or the joint of an event"),
           key("angle", quantity("rad"), "of the joint, modulo a turn; default 0").needs({"joint"}),
           key("every", quantity("s").above(0), "period, to look by the clock"),
           key("from", quantity("s").at_least(0), "first look, from the start").needs({"every"}),
           key("series", text(), "a recorded series that passes a level"),
           key("level", quantity(""), "default 0").needs({"series"}),
           key("direction", choice({"up", "down"}), "default up").needs({"series"}),
           key("event", choice({"touch", "separation", "stick", "slip"}), "a located event")}};
}

io::TableShape top_shape() {
  using namespace io;
  const std::vector<std::string> sampled{"monte-carlo", "sensitivity"}, searched{"optimise", "fit"};
  const TableShape turns{
      "turns",
      "How long a row runs.",
      {key("transient", number().at_least(0).at_most(1e7), "turns before anything is recorded"),
       key("record", number().at_least(1).at_most(1e7), "turns recorded").require()}};
  const TableShape measured{
      "measured",
      "What a fit is compared with.",
      {key("series", text(), "the recorded series it belongs to").require(),
       key("file", columns({"time", "value"}), "two columns: s, and the unit of the series")
           .require()}};
  const TableShape anything{"", "", {}};
  return {
      "study",
      "One model, many runs.",
      {key("model", text(), "model file, beside this one or by a relative path").require(),
       key("kind", choice(kKinds), "what is made of the rows").require(),
       key("vary", table(anything), "paths of the model and the values they take"),
       key("set", table(anything), "paths of the model that are changed for every row"),
       key("limits", table(anything), "bounds on outputs").only_for({"monte-carlo", "optimise"}),
       key("observe", list(text()), "series, or \"max SERIES\""),
       key("section", table(section_shape()), "one sample a turn"),
       key("turns", table(turns), "how long a row runs").needs({"section"}),
       key("seed", number().at_least(0).at_most(9e15), "of everything random"),
       key("time_limit", quantity("s").above(0), "CPU time of a row"),
       key("lyapunov", truth(), "largest exponent by two trajectories").needs({"section"}),
       key("start", choice({"fresh", "continue"}), "of each row").only_for({"bifurcation"}),
       key("direction", choice({"up", "down", "both"}), "in which rows follow each other")
           .only_for({"bifurcation"}),
       key("chains", number().at_least(1).at_most(1e6),
           "pieces that are continued independently, and in parallel")
           .only_for({"bifurcation"}),
       key("sampling", choice(kSamplings), "how rows are chosen"),
       key("samples", number().at_least(1).at_most(1e9), "rows, or base points"),
       key("correlation", list(list(number().at_least(-1).at_most(1))),
           "of the variables, in the order of vary")
           .only_for({"monte-carlo"}),
       key("confidence", number().above(0).at_most(0.999999), "of intervals; default 0.95")
           .only_for(sampled),
       key("nodes", number().at_least(2).at_most(100), "Chebyshev nodes per variable")
           .only_for({"interval"}),
       key("minimise", text(), "an output").only_for({"optimise"}),
       key("maximise", text(), "an output").only_for({"optimise"}),
       key("measured", table(measured), "what a fit is compared with").only_for({"fit"}).require(),
       key("algorithm", choice(kAlgorithms), "default cobyla; kriging for costly and noisy goals")
           .only_for(searched),
       key("evaluations", number().at_least(1).at_most(1e7), "at most").only_for(searched),
       key("precision", number().above(0).at_most(1), "relative to the ranges").only_for(searched)},
      "kind"};
}

io::TableShape vary_shape() {
  using namespace io;
  return {"vary",
          "The values of one path.",
          {key("from", quantity(""), "first value").needs({"to"}),
           key("to", quantity(""), "last value").needs({"from"}),
           key("count", number().at_least(1).at_most(1e9), "how many").needs({"from"}),
           key("spacing", choice({"linear", "logarithmic"}), "default linear").needs({"from"}),
           key("distribution", choice({"uniform", "normal", "lognormal", "triangular"}), "a law"),
           key("mean", quantity(""), "normal, lognormal"),
           key("standard_deviation", quantity("").above(0), "normal, lognormal"),
           key("mode", quantity(""), "triangular"), key("lower", quantity(""), "truncation"),
           key("upper", quantity(""), "truncation")}};
}

// ---- reading

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) {
    study_.file = file;
    study_.text = io::read_text(file);
  }

  Study read() {
    document_ = io::read_document(study_.file, diagnostics_);
    if (!document_.root.broken()) {
      const std::vector<Entry> vary = take_out("vary"), set = take_out("set"),
                               limits = take_out("limits");
      const Node tree = io::check(top_shape(), {document_, parameters_, diagnostics_, false});
      read_plain(tree);
      read_vary(vary, document_.root.place);
      for (const Entry& entry : set) read_set(entry);
      for (const Entry& entry : limits) read_limit(entry);
      read_observe(tree);
      read_section(tree);
      check_kind(tree);
      read_model(tree, vary, set);
    }
    diagnostics_.finish(nullptr);
    return std::move(study_);
  }

 private:
  void error(Place place, std::string path, std::string message, std::string hint = {}) {
    diagnostics_.error(place, std::move(path), std::move(message), std::move(hint));
  }

  /// Tables whose keys are paths, which the checker of model files has no notion of.
  std::vector<Entry> take_out(const std::string& name) {
    Entry* found = document_.root.entry(name);
    if (!found || !found->node.is_table()) return {};
    std::vector<Entry> out;
    flatten(found->node, "", out);
    if (out.empty()) error(found->place, name, quote(name) + " is empty");
    std::erase_if(document_.root.entries(), [&](const Entry& e) { return e.key == name; });
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

  [[nodiscard]] static double number(const Node& table, const char* key, double otherwise) {
    const Node* node = table.find(key);
    return node ? node->number() : otherwise;
  }
  [[nodiscard]] static std::string word(const Node& table, const char* key, std::string otherwise) {
    const Node* node = table.find(key);
    return node ? node->text() : otherwise;
  }
  std::int64_t whole(const Node& table, const char* key, std::int64_t otherwise) {
    const Node* node = table.find(key);
    if (!node) return otherwise;
    if (node->number() != std::floor(node->number()))
      error(node->place, key, "found " + io::brief(node->number()) + "; expected a whole number");
    return static_cast<std::int64_t>(node->number());
  }

  void read_plain(const Node& tree) {
    study_.kind = enumerator<Kind>(kKinds, word(tree, "kind", "sweep"));
    study_.seed = static_cast<std::uint64_t>(whole(tree, "seed", 0));
    study_.time_limit = number(tree, "time_limit", 0);
    if (const Node* node = tree.find("lyapunov")) study_.lyapunov = node->truth();
    study_.continuation = word(tree, "start", "fresh") == "continue";
    study_.backward = word(tree, "direction", "up") == "down";
    study_.both_ways = word(tree, "direction", "up") == "both";
    study_.chains = static_cast<int>(whole(tree, "chains", 1));
    study_.samples = whole(tree, "samples", 0);
    study_.confidence = number(tree, "confidence", 0.95);
    study_.nodes = static_cast<int>(whole(tree, "nodes", 5));
    study_.evaluations = whole(tree, "evaluations", 200);
    study_.precision = number(tree, "precision", 1e-4);
    study_.algorithm = enumerator<Algorithm>(kAlgorithms, word(tree, "algorithm", "cobyla"));
    const bool sampled = study_.kind == Kind::monte_carlo || study_.kind == Kind::sensitivity;
    const std::string usual = study_.kind == Kind::monte_carlo   ? "random"
                              : study_.kind == Kind::sensitivity ? "sobol"
                                                                 : "grid";
    study_.sampling = enumerator<Sampling>(kSamplings, word(tree, "sampling", usual));
    const bool gridded = study_.sampling == Sampling::grid || study_.sampling == Sampling::list;
    if (const Node* node = tree.find("sampling"); node && sampled && gridded)
      error(node->place, "sampling", "a " + word(tree, "kind", "") + " study cannot be a grid",
            "use 'random', 'latin-hypercube' or 'sobol'");
    if (const Node* turns = tree.find("turns")) {
      study_.transient = static_cast<int>(whole(*turns, "transient", 0));
      study_.record = static_cast<int>(whole(*turns, "record", 1));
    }
    if (const Node* node = tree.find("measured")) {
      study_.measured_series = word(*node, "series", "");
      for (const auto& [key, to] :
           {std::pair{"time", &study_.measured_time}, std::pair{"value", &study_.measured_value}})
        if (const Node* list = node->find(key))
          for (const Node& item : list->items()) to->push_back(item.number());
      if (!std::ranges::is_sorted(study_.measured_time, std::less_equal<>{}))
        error(node->place, "measured.file", "times must increase");
      else if (study_.measured_time.size() < 2)
        error(node->place, "measured.file", "at least two rows are needed");
    }
    if (const Node* node = tree.find("correlation")) read_correlation(*node);
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
    study_.correlation = c;
  }

  // ---- vary

  void read_vary(const std::vector<Entry>& entries, Place top) {
    if (entries.empty() && !diagnostics_.failed())
      error(top, "vary", "'vary' is missing; expected paths of the model and their values",
            "vary.\"joints.pin.clearance.radial\" = { from = \"0.1 mm\", to = \"0.5 mm\", count = "
            "9 }");
    for (const Entry& entry : entries) {
      Variable variable;
      variable.path = entry.key;
      if (std::ranges::any_of(study_.vary, [&](const auto& v) { return v.path == entry.key; }))
        error(entry.place, entry.key, "is varied twice");
      if (entry.node.is_array())
        read_values(entry.node, variable);
      else if (entry.node.is_table())
        read_range(entry, variable);
      else
        error(entry.node.place, entry.key,
              "found " + entry.node.described() +
                  "; expected { from, to, count }, a list of values, or { distribution, ... }");
      study_.vary.push_back(std::move(variable));
    }
  }

  void read_values(const Node& list, Variable& variable) {
    if (list.items().empty()) error(list.place, variable.path, "the list of values is empty");
    for (const Node& item : list.items()) {
      if (item.is_number()) {
        if (!std::isfinite(item.number()))
          error(item.place, variable.path,
                "found " + io::brief(item.number()) + "; expected a finite number");
        variable.values.push_back(item.number());
        continue;
      }
      if (item.is_text()) {
        try {
          const auto q = io::evaluate(io::parse_expression(item.text()), io::Parameters().lookup());
          variable.values.push_back(q.value);
          note_unit(q, variable);
          continue;
        } catch (const io::ExpressionError&) {  // a word
        }
      }
      if (!item.is_text() && !item.is_truth()) {
        error(item.place, variable.path, "found " + item.described() + "; expected a value");
        continue;
      }
      variable.words.push_back(item.is_text() ? "\"" + item.text() + "\""
                                              : (item.truth() ? "true" : "false"));
    }
    if (!variable.words.empty() && !variable.values.empty())
      error(list.place, variable.path, "numbers and words do not mix");
    if (!variable.words.empty() && variable.values.empty())
      for (std::size_t i = 0; i < variable.words.size(); ++i)
        variable.values.push_back(static_cast<double>(i));
  }

  /// Parameters of a model have the units that were written, so those of the study are handed on.
  static void note_unit(const io::Quantity& q, Variable& variable) {
    if (!q.dimension.plain()) variable.unit = io::unit_name(q.dimension);
  }
  static void note_units(const Node& table, Variable& variable) {
    for (const char* key : {"from", "to", "mean", "mode", "lower", "upper"}) {
      const Node* node = table.find(key);
      if (!node || !node->is_text()) continue;
      try {
        note_unit(io::evaluate(io::parse_expression(node->text()), io::Parameters().lookup()),
                  variable);
      } catch (const io::ExpressionError&) {  // reported where it is checked
      }
    }
  }

  void read_range(const Entry& entry, Variable& variable) {
    Node table = entry.node;
    std::optional<Node> values;
    if (const Node* node = table.find("values")) {
      values = *node;
      std::erase_if(table.entries(), [](const Entry& e) { return e.key == "values"; });
    }
    io::Document part = document_;
    part.root = table;
    const Node checked = io::check(vary_shape(), {part, parameters_, diagnostics_, false});
    if (values) {
      if (!table.entries().empty())
        return error(entry.place, entry.key, "'values' stands alone", "keep one");
      if (!values->is_array())
        return error(values->place, entry.key,
                     "found " + values->described() + "; expected a list");
      return read_values(*values, variable);
    }
    note_units(table, variable);
    const bool ranged = checked.has("from");
    variable.from = number(checked, "from", 0);
    variable.to = number(checked, "to", 1);
    const std::string law = word(checked, "distribution", "");
    if (!ranged && law.empty())
      return error(entry.place, entry.key,
                   "expected { from, to, count }, { values } or { distribution, ... }");
    if (!law.empty()) return read_distribution(entry, checked, law, variable);
    const std::int64_t count = whole(checked, "count", 0);
    const bool logarithmic = word(checked, "spacing", "linear") == "logarithmic";
    if (logarithmic && !(variable.from * variable.to > 0))
      return error(entry.place, entry.key, "a logarithmic range cannot contain 0");
    for (std::int64_t i = 0; i < count; ++i) {
      // The ends are exactly those of the file.
      const double u = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
      const double value = logarithmic ? variable.from * std::pow(variable.to / variable.from, u)
                                       : variable.from + u * (variable.to - variable.from);
      variable.values.push_back(i > 0 && i == count - 1 ? variable.to : value);
    }
    variable.distribution = Distribution{};
    variable.distribution->from = variable.from;
    variable.distribution->to = variable.to;
    if (variable.to < variable.from && study_.kind != Kind::sweep &&
        study_.kind != Kind::bifurcation)
      error(entry.place, entry.key, "'to' lies below 'from'");
  }

  void read_distribution(const Entry& entry, const Node& checked, const std::string& law,
                         Variable& variable) {
    Distribution d;
    const auto need = [&](std::initializer_list<const char*> keys) {
      for (const char* key : keys)
        if (!checked.has(key))
          error(entry.place, entry.key, "a " + law + " distribution needs " + quote(key));
    };
    d.from = variable.from;
    d.to = variable.to;
    d.mean = number(checked, "mean", 0);
    d.standard_deviation = number(checked, "standard_deviation", 1);
    d.mode = number(checked, "mode", 0.5 * (d.from + d.to));
    d.lower = number(checked, "lower", d.lower);
    d.upper = number(checked, "upper", d.upper);
    if (law == "uniform" || law == "triangular") {
      d.law = law == "uniform" ? Distribution::Law::uniform : Distribution::Law::triangular;
      need({"from", "to"});
      if (!(d.from < d.to)) error(entry.place, entry.key, "'to' must lie above 'from'");
      if (law == "triangular" && !(d.from <= d.mode && d.mode <= d.to))
        error(entry.place, entry.key, "'mode' must lie between 'from' and 'to'");
    } else {
      d.law = law == "normal" ? Distribution::Law::normal : Distribution::Law::lognormal;
      need({"mean", "standard_deviation"});
      if (law == "lognormal" && !(d.mean > 0))
        error(entry.place, entry.key, "the mean of a lognormal distribution must be positive");
      if (!(d.lower < d.upper)) error(entry.place, entry.key, "'upper' must lie above 'lower'");
    }
    variable.from = d.quantile(0.5);
    variable.distribution = d;
  }

  // ---- set, limits, observe, section

  void read_set(const Entry& entry) {
    if (entry.node.is_text())
      study_.set.push_back({entry.key, "\"" + entry.node.text() + "\""});
    else if (entry.node.is_number())
      study_.set.push_back({entry.key, io::shortest(entry.node.number())});
    else if (entry.node.is_truth())
      study_.set.push_back({entry.key, entry.node.truth() ? "true" : "false"});
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
    io::Document part = document_;
    part.root = entry.node;
    const io::TableShape shape{"limits",
                               "",
                               {io::key("above", io::quantity(""), "lower bound"),
                                io::key("below", io::quantity(""), "upper bound")}};
    const Node checked = io::check(shape, {part, parameters_, diagnostics_, false});
    limit.above = number(checked, "above", limit.above);
    limit.below = number(checked, "below", limit.below);
    if (!checked.has("above") && !checked.has("below"))
      error(entry.place, entry.key, "expected { above = ... } or { below = ... }");
    limit_places_.push_back(entry.place);
    study_.limits.push_back(limit);
  }

  static std::optional<Observable> parse_observable(const std::string& text) {
    if (const auto run = std::ranges::find(kRunNumbers, text); run != kRunNumbers.end())
      return Observable{static_cast<Take>(static_cast<int>(Take::contacts) +
                                          static_cast<int>(run - kRunNumbers.begin())),
                        ""};
    const std::size_t blank = text.find(' ');
    if (blank == std::string::npos) return Observable{Take::at, text};
    const auto take = std::ranges::find(kTakes, text.substr(0, blank));
    if (take == kTakes.end()) return {};
    return Observable{static_cast<Take>(take - kTakes.begin()), text.substr(blank + 1)};
  }

  void observe(const std::string& text, Place place, const std::string& path) {
    const auto observable = parse_observable(text);
    if (!observable)
      return error(place, path,
                   quote(text.substr(0, text.find(' '))) + " cannot be taken of a series",
                   "use " + io::one_of_these(kTakes));
    const bool known = std::ranges::any_of(
        study_.observe, [&](const auto& o) { return o.name() == observable->name(); });
    if (known) return;
    study_.observe.push_back(*observable);
    observe_places_.push_back(place);
  }

  void read_observe(const Node& tree) {
    if (const Node* list = tree.find("observe"))
      for (std::size_t i = 0; i < list->items().size(); ++i)
        observe(list->items()[i].text(), list->items()[i].place, "observe." + std::to_string(i));
    for (const char* key : {"minimise", "maximise"}) {
      const Node* goal = tree.find(key);
      if (!goal) continue;
      if (!study_.goal.empty())
        error(goal->place, key, "'minimise' and 'maximise' exclude each other", "keep one");
      study_.maximise = std::string_view(key) == "maximise";
      const auto observable = parse_observable(goal->text());
      study_.goal = observable ? observable->name() : goal->text();
      goal_place_ = goal->place;
      // What a run without section gives may be named here alone.
      if (!tree.has("section")) observe(goal->text(), goal->place, key);
    }
    for (std::size_t i = 0; i < study_.limits.size() && !tree.has("section"); ++i) {
      const std::string& output = study_.limits[i].output;
      const bool known =
          std::ranges::any_of(study_.observe, [&](const auto& o) { return o.name() == output; });
      if (!known) error(limit_places_[i], output, "is not observed", "add it to 'observe'");
    }
    if (study_.observe.empty() && study_.kind != Kind::fit && !diagnostics_.failed())
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
    study_.section = s;
    if (!tree.has("turns"))
      error(node->place, "turns", "'turns' is missing; expected { transient, record }");
  }

  void check_kind(const Node& tree) {
    const bool gridded = study_.sampling == Sampling::grid || study_.sampling == Sampling::list;
    const bool stepped =
        (study_.kind == Kind::sweep || study_.kind == Kind::bifurcation) && gridded;
    for (const Variable& v : study_.vary) {
      if (stepped && v.values.empty())
        error(tree.place, v.path, "needs 'count' or a list of values in this study");
      if (!stepped && (!v.distribution || !v.words.empty()))
        error(tree.place, v.path, "needs { from, to } or a distribution in this study");
      const bool searched = study_.kind == Kind::optimise || study_.kind == Kind::fit ||
                            study_.kind == Kind::interval;
      if (searched && v.distribution && v.distribution->law != Distribution::Law::uniform)
        error(tree.place, v.path, "needs { from, to } in this study");
    }
    if (study_.sampling == Sampling::list && stepped)
      for (const Variable& v : study_.vary)
        if (v.values.size() != study_.vary[0].values.size())
          error(tree.place, v.path,
                "has " + std::to_string(v.values.size()) + " values and " + study_.vary[0].path +
                    " has " + std::to_string(study_.vary[0].values.size()),
                "sampling = \"grid\" combines all with all");
    const bool needs_samples =
        study_.kind == Kind::monte_carlo || study_.kind == Kind::sensitivity ||
        ((study_.kind == Kind::sweep || study_.kind == Kind::bifurcation) && !gridded);
    if (needs_samples && study_.samples == 0)
      error(tree.place, "samples", "'samples' is missing; expected how many rows");
    if (!study_.limits.empty() && study_.kind != Kind::monte_carlo && study_.kind != Kind::optimise)
      error(limit_places_[0], "limits", "belongs to 'monte-carlo' and 'optimise'");
    if (study_.kind == Kind::bifurcation && !study_.section)
      error(tree.place, "section", "'section' is missing; a bifurcation study looks once a turn");
    const bool takes_limits = study_.algorithm == Algorithm::cobyla ||
                              study_.algorithm == Algorithm::isres ||
                              study_.algorithm == Algorithm::kriging;
    if (study_.kind == Kind::optimise && !study_.limits.empty() && !takes_limits)
      error(tree.place, "algorithm", "this algorithm cannot keep to limits",
            "use 'cobyla', 'isres' or 'kriging'");
    if (study_.kind == Kind::optimise && study_.goal.empty())
      error(tree.place, "minimise", "'minimise' or 'maximise' is missing; expected an output");
    if (study_.correlation &&
        study_.correlation->rows() != static_cast<Eigen::Index>(study_.vary.size()))
      error(tree.place, "correlation", "needs a row for each variable");
    if (study_.continuation && (study_.vary.size() != 1 || !gridded))
      error(tree.place, "start", "only a study of one variable can be continued from row to row");
    if (study_.kind == Kind::sensitivity && 2 * study_.vary.size() > kMostSobolDimensions)
      error(tree.place, "vary", "too many variables");
  }

  // ---- the model

  void read_model(const Node& tree, const std::vector<Entry>& vary, const std::vector<Entry>& set) {
    const Node* name = tree.find("model");
    if (!name || diagnostics_.failed()) return;
    study_.model_file = study_.file.parent_path() / name->text();
    std::vector<Override> overrides = study_.set;
    for (const Variable& v : study_.vary)
      overrides.push_back({v.path, v.text(v.values.empty() ? v.from : v.values[0])});
    try {
      study_.model_text = io::read_text(study_.model_file);
      const Model model = parse_model(study_.model_text, study_.model_file.string(),
                                      {overrides, nullptr}, study_.model_file.parent_path());
      const RunHeader header = describe(model);
      check_series(header, model);
      std::string everything = study_.text + '\0' + model.resolved + '\0' + version();
      for (double v : study_.measured_time) everything += io::shortest(v) + ' ';
      for (double v : study_.measured_value) everything += io::shortest(v) + ' ';
      study_.digest = io::sha256(everything);
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
    for (std::size_t i = 0; i < study_.observe.size(); ++i)
      check_one(study_.observe[i].series, observe_places_[i], "observe");
    check_one(study_.measured_series, document_.root.place, "measured.series");
    if (study_.section) {
      check_one(study_.section->series, section_place_, "section.series");
      std::vector<std::string> joints;
      for (const Joint& joint : model.joints) joints.push_back(joint.name);
      if (!study_.section->joint.empty() &&
          std::ranges::find(joints, study_.section->joint) == joints.end())
        error(section_place_, "section.joint", "there is no joint " + quote(study_.section->joint),
              io::did_you_mean(study_.section->joint, joints));
    }
    const std::vector<std::string> outputs = outputs_of(study_);
    if (!study_.goal.empty() && std::ranges::find(outputs, study_.goal) == outputs.end())
      error(goal_place_, study_.maximise ? "maximise" : "minimise",
            "there is no output " + quote(study_.goal), io::did_you_mean(study_.goal, outputs));
    for (std::size_t i = 0; i < study_.limits.size(); ++i)
      if (std::ranges::find(outputs, study_.limits[i].output) == outputs.end())
        error(limit_places_[i], "limits", "there is no output " + quote(study_.limits[i].output),
              io::did_you_mean(study_.limits[i].output, outputs));
  }

  Study study_;
  Diagnostics diagnostics_;
  io::Document document_;
  io::Parameters parameters_;
  std::vector<Place> observe_places_, limit_places_;
  Place goal_place_, section_place_;
};

}  // namespace

std::string Variable::text(double value) const {
  if (words.empty() && unit.empty()) return io::shortest(value);
  if (words.empty()) return "\"" + io::shortest(value) + " " + unit + "\"";
  return words[static_cast<std::size_t>(value)];
}

std::string Observable::name() const {
  switch (take) {
    case Take::contacts:
    case Take::peak_force:
    case Take::energy_residual:
      return kRunNumbers[static_cast<std::size_t>(take) - static_cast<std::size_t>(Take::contacts)];
    case Take::at:
      return series;
    default:
      return series + "/" + kTakes[static_cast<std::size_t>(take)];
  }
}

Study read_study(const std::filesystem::path& file) { return Reader(file).read(); }

std::string_view name_of(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::vector<std::string> outputs_of(const Study& study) {
  std::vector<std::string> out;
  if (study.kind == Kind::fit) out.push_back("misfit");
  for (const Observable& o : study.observe) {
    if (!study.section) {
      out.push_back(o.name());
      continue;
    }
    for (const char* statistic : {"/mean", "/range", "/standard_deviation"})
      out.push_back(o.name() + statistic);
  }
  if (study.section) out.push_back("period");
  if (study.lyapunov) out.insert(out.end(), {"lyapunov", "lyapunov_error"});
  return out;
}

}  // namespace freeplay::study
