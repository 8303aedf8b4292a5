// SPDX-License-Identifier: Apache-2.0
#include "study/study_words.hpp"

#include "io/text.hpp"
#include "study/row_life.hpp"

namespace freeplay::study {

const std::vector<std::string> kKinds{"sweep",       "bifurcation", "monte-carlo",
                                      "sensitivity", "interval",    "optimise",
                                      "fit",         "wear",        "periodic"};
const std::vector<std::string> kSamplings{"random", "latin-hypercube", "sobol", "grid", "list"};
const std::vector<std::string> kAlgorithms{"cobyla", "bobyqa", "nelder-mead", "subplex", "direct",
                                           "crs",    "isres",  "kriging",     "slsqp",   "mma"};
const std::vector<std::string> kTakes{"at", "min", "max", "mean", "rms", "range"};
namespace {

const std::vector<std::string> kRunNumbers{"contacts", "peak_force", "energy_residual"};

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

}  // namespace

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
  const TableShape until{
      "until",
      "Where a life ends: at the first of these.",
      {key("cycles", number().at_least(1).at_most(1e15), "this many"),
       key("clearance", quantity("m").above(0), "of any joint that wears"),
       key("peak_force", quantity("N").above(0), "between the parts of any joint that wears")}};
  const auto settle = key("settle", number().at_least(0).at_most(1e6),
                          "cycles before the first one that counts; default 1");
  const auto average = key("average", number().at_least(1).at_most(1e6),
                           "cycles over which wear is averaged; default 1");
  const auto update = key("update", truth(), "false: the surfaces keep their shape; default true");
  const TableShape life{
      "life",
      "Every row is a life that wears.",
      {key("cycle", quantity("s").above(0), "period of the motion").require(),
       key("until", table(until), "where the life ends").require(), settle, average, update,
       key("precision", number().above(0).at_most(1),
           "of a step in the profile, over the greatest depth; default 5e-3")}};
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
       key("lyapunov", either({truth(), number().at_least(1).at_most(100)}),
           "true: the largest exponent; a number: so many, from the largest")
           .needs({"section"}),
       key("recurrence", truth(), "how often the section returns to where it was")
           .needs({"section"}),
       key("start", choice({"fresh", "continue"}), "of each row")
           .only_for({"bifurcation", "periodic"}),
       key("direction", choice({"up", "down", "both"}), "in which rows follow each other")
           .only_for({"bifurcation", "periodic"}),
       key("chains", number().at_least(1).at_most(1e6),
           "pieces that are continued independently, and in parallel")
           .only_for({"bifurcation", "periodic"}),
       key("multipliers", number().at_least(1).at_most(100),
           "how many are stored, from the largest; default 2")
           .only_for({"periodic"}),
       key("sampling", choice(kSamplings), "how rows are chosen"),
       key("samples", number().at_least(1).at_most(kMostRows), "rows, or base points"),
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
       key("algorithm", choice(kAlgorithms),
           "default cobyla; kriging for costly and noisy goals; slsqp and mma go by slopes")
           .only_for(searched),
       key("evaluations", number().at_least(1).at_most(1e7), "at most").only_for(searched),
       key("precision", number().above(0).at_most(1),
           "relative to the ranges; of a life, of a step in the profile over the greatest depth")
           .only_for({"optimise", "fit", "wear"}),
       key("cycle", quantity("s").above(0), "period of the motion").only_for({"wear"}).require(),
       key("until", table(until), "where the life ends").only_for({"wear"}).require(),
       Key(settle).only_for({"wear"}),
       Key(average).only_for({"wear"}),
       Key(update).only_for({"wear"}),
       key("life", table(life), "every row is a life that wears")
           .only_for({"sweep", "monte-carlo", "sensitivity", "interval", "optimise"})},
      "kind"};
}

io::TableShape vary_shape() {
  using namespace io;
  return {"vary",
          "The values of one path.",
          {key("from", quantity(""), "first value").needs({"to"}),
           key("to", quantity(""), "last value").needs({"from"}),
           key("count", number().at_least(1).at_most(kMostRows), "how many").needs({"from"}),
           key("spacing", choice({"linear", "logarithmic"}), "default linear").needs({"from"}),
           key("distribution", choice({"uniform", "normal", "lognormal", "triangular"}), "a law"),
           key("mean", quantity(""), "normal, lognormal"),
           key("standard_deviation", quantity("").above(0), "normal, lognormal"),
           key("mode", quantity(""), "triangular"), key("lower", quantity(""), "truncation"),
           key("upper", quantity(""), "truncation")}};
}

io::TableShape limit_shape() {
  using namespace io;
  return {"limits",
          "",
          {key("above", quantity(""), "lower bound"), key("below", quantity(""), "upper bound")}};
}

namespace {
bool is_search_by_slopes(const Study& study) {
  return (study.kind == Kind::optimise || study.kind == Kind::fit) && needs_slopes(study.algorithm);
}
}  // namespace

std::optional<Observable> parse_observable(const std::string& given) {
  std::string text = given, written;
  if (const std::size_t bracket = text.find('['); bracket != std::string::npos) {
    if (!text.ends_with(']')) return {};
    written = text.substr(bracket + 1, text.size() - bracket - 2);
    text.resize(bracket);
    while (text.ends_with(' ')) text.pop_back();
  }
  if (const auto run = std::ranges::find(kRunNumbers, text); run != kRunNumbers.end())
    return Observable{static_cast<Take>(static_cast<int>(Take::contacts) +
                                        static_cast<int>(run - kRunNumbers.begin())),
                      "", written};
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos) return Observable{Take::at, text, written};
  const auto take = std::ranges::find(kTakes, text.substr(0, blank));
  if (take == kTakes.end()) return {};
  return Observable{static_cast<Take>(take - kTakes.begin()), text.substr(blank + 1), written};
}

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

bool takes_limits(Algorithm a) {
  return a == Algorithm::cobyla || a == Algorithm::isres || a == Algorithm::kriging ||
         needs_slopes(a);
}
bool needs_slopes(Algorithm a) { return a == Algorithm::slsqp || a == Algorithm::mma; }
std::string slope_name(const std::string& output, const std::string& path) {
  return output + "/slope/" + path;
}

std::string_view name_of(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::vector<std::string> outputs_of(const Study& study) {
  if (study.kind == Kind::wear) return life_outputs(study.life);
  if (study.lives) return row_life_outputs(study.life);
  std::vector<std::string> out;
  if (study.kind == Kind::fit) out.push_back("misfit");
  for (const Observable& o : study.observe) {
    if (!study.section || study.kind == Kind::periodic) {
      out.push_back(o.name());
      continue;
    }
    for (const char* statistic : {"/mean", "/range", "/standard_deviation"})
      out.push_back(o.name() + statistic);
  }
  if (is_search_by_slopes(study)) {
    const std::vector<std::string> values = out;
    for (const std::string& output : values)
      for (const Variable& v : study.vary) out.push_back(slope_name(output, v.path));
  }
  if (study.kind == Kind::periodic) {
    for (int k = 1; k <= study.multipliers; ++k) {
      const std::string name = "multiplier_" + std::to_string(k);
      out.insert(out.end(), {name + "/real", name + "/imaginary", name + "/size"});
    }
    out.insert(out.end(), {"multiplier_error", "unstable", "closure", "newton_steps", "bifurcation",
                           "bifurcation_at"});
    return out;
  }
  if (study.section) out.push_back("period");
  if (study.recurrence) out.insert(out.end(), {"recurrence_rate", "determinism"});
  for (int k = 1; k <= study.lyapunov; ++k) {
    const std::string name = k == 1 ? "lyapunov" : "lyapunov_" + std::to_string(k);
    out.insert(out.end(), {name, name + "_error"});
  }
  return out;
}

}  // namespace freeplay::study
