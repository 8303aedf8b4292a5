// SPDX-License-Identifier: Apache-2.0
#include "gallery/figure_file.hpp"

#include "gallery/numbers.hpp"
#include "io/check.hpp"
#include "io/expression.hpp"
#include "io/text.hpp"
#include "study/series_columns.hpp"
#include <freeplay/run.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

namespace freeplay::gallery {
namespace {

using io::Diagnostics;
using io::Node;
using io::Place;
using io::quote;

// ---- the words of the file

io::TableShape top_shape() {
  using namespace io;
  const io::Shape changes = list(text());
  const TableShape edition{
      "edition",
      "What sets the printed, or the corrected, model apart.",
      {key("set", changes, "changes of the model, PATH=VALUE as --set takes them"),
       key("note", text(), "what they are").require()}};
  const TableShape variant{
      "variants",
      "One of the things compared.",
      {key("label", text(), "in the legend").require(),
       key("set", changes, "changes of the model, PATH=VALUE as --set takes them"),
       key("at", quantity(""), "place on the abscissa of a diagram over variants"),
       key("turn", quantity("s").above(0), "duration of a turn, for what is taken by turn"),
       key("from", quantity("s").at_least(0), "measures begin here: the transient is over")}};
  const TableShape diagram{
      "diagrams",
      "What is drawn.",
      {key("label", text(), "of the ordinate").require(),
       key("series", text(), "series, or a sum of series, of each variant"),
       key("against", text(), "series on the abscissa instead of time").needs({"series"}),
       key("measure", text(), "one number per variant"), key("x_label", text(), "of the abscissa"),
       key("x_unit", text(), "of 'at', for the abscissa").needs({"measure"}),
       key("variants", list(text()), "labels; default: all"),
       key("from", quantity("s").at_least(0), "first time"),
       key("to", quantity("s").above(0), "last time")},
      {},
      {"series", "measure"}};
  const TableShape claim{
      "claims",
      "A sentence of the paper and the number that decides whether it holds.",
      {key("id", text(), "short name").require(), key("says", text(), "the sentence").require(),
       key("paper", text(), "the paper's number or word").require(),
       key("measure", text(), "what is taken of a run: \"peak SERIES\", \"contacts\"").require(),
       key("of", either({text(), list(text())}), "variants; each must be within the bounds"),
       key("rising", list(text()), "variants along which the number rises"),
       key("falling", list(text()), "variants along which the number falls"),
       key("minus", text(), "variant whose series is subtracted first"),
       key("over", text(), "variant whose number it is divided by"),
       key("above", quantity(""), "lower bound"), key("below", quantity(""), "upper bound"),
       key("from", quantity("s").at_least(0), "first time"),
       key("to", quantity("s").above(0), "last time"),
       key("reason", text(), "most likely one, told where the claim does not hold")},
      {},
      {"of", "rising", "falling"}};
  return {"figure",
          "One figure of a paper.",
          {key("paper", text(), "authors and year").require(),
           key("figure", text(), "its number").require(),
           key("shows", text(), "what it shows").require(),
           key("model", text(), "model file, by a path relative to this one").require(),
           key("set", changes, "changes of the model in every run"),
           key("printed", table(edition), "the model with the paper's misprints"),
           key("corrected", table(edition), "the model without them").needs({"printed"}),
           key("variants", list(table(variant)), "what is compared").require(),
           key("diagrams", list(table(diagram)), "what is drawn").require(),
           key("claims", list(table(claim)), "what the paper says of it").require()}};
}

// ---- reading

class Reader {
 public:
  explicit Reader(std::filesystem::path file) : file_(std::move(file)) {
    figure_.name = file_.stem().string();
  }

  Figure read() {
    document_ = io::read_document(file_, diagnostics_);
    if (!document_.root.broken()) {
      tree_ = io::check(top_shape(), {document_, parameters_, diagnostics_, false});
      if (!diagnostics_.failed()) read_tree();
    }
    diagnostics_.finish(nullptr);
    return std::move(figure_);
  }

 private:
  void error(Place place, std::string path, std::string message, std::string hint = {}) {
    diagnostics_.error(place, std::move(path), std::move(message), std::move(hint));
  }

  static std::string word(const Node& table, const char* key) {
    const Node* node = table.find(key);
    return node ? node->text() : std::string();
  }
  static double number(const Node& table, const char* key, double otherwise) {
    const Node* node = table.find(key);
    return node ? node->number() : otherwise;
  }

  void read_tree() {
    figure_.paper = word(tree_, "paper");
    figure_.figure = word(tree_, "figure");
    figure_.shows = word(tree_, "shows");
    for (const Node& node : tree_.find("variants")->items()) read_variant(node);
    read_editions();
    if (diagnostics_.failed()) return;
    load_models();
    if (diagnostics_.failed()) return;
    for (const Node& node : tree_.find("diagrams")->items()) read_diagram(node);
    const auto& raw = document_.root.find("claims")->items();
    for (std::size_t i = 0; i < raw.size(); ++i)
      read_claim(tree_.find("claims")->items()[i], raw[i], "claims." + std::to_string(i));
  }

  std::vector<Override> read_set(const Node& table) {
    std::vector<Override> out;
    const Node* list = table.find("set");
    if (!list) return out;
    for (const Node& item : list->items()) {
      const auto equals = item.text().find('=');
      if (equals == std::string::npos || equals == 0)
        error(item.place, "set", "expected PATH=VALUE, not " + quote(item.text()));
      else {
        out.push_back({item.text().substr(0, equals), item.text().substr(equals + 1)});
        set_places_[out.back().path] = item.place;
      }
    }
    return out;
  }

  void read_variant(const Node& node) {
    Variant v;
    v.label = word(node, "label");
    v.set = read_set(node);
    if (const Node* at = node.find("at")) v.at = at->number();
    v.turn = number(node, "turn", 0);
    v.from = number(node, "from", v.from);
    if (std::ranges::any_of(figure_.variants, [&](const Variant& o) { return o.label == v.label; }))
      error(node.find("label")->place, "variants", "two variants are called " + quote(v.label));
    figure_.variants.push_back(std::move(v));
  }

  void read_editions() {
    const auto add = [&](const char* key, const char* name) {
      const Node* node = tree_.find(key);
      if (!node) return;
      figure_.editions.push_back({name, word(*node, "note"), read_set(*node), {}});
    };
    add("printed", "as printed");
    add("corrected", "corrected");
    if (figure_.editions.empty()) figure_.editions.push_back({"as printed", "", {}, {}});
  }

  void load_models() {
    const Node* name = tree_.find("model");
    const auto path = file_.parent_path() / name->text();
    const std::vector<Override> common = read_set(tree_);
    for (Edition& edition : figure_.editions)
      for (const Variant& variant : figure_.variants) {
        // What makes a variant is laid over the edition, which is laid over the figure.
        LoadOptions options;
        options.overrides = common;
        for (const auto* set : {&std::as_const(edition).set, &variant.set})
          options.overrides.insert(options.overrides.end(), set->begin(), set->end());
        try {
          edition.models.push_back(load_model(path, options));
          headers_.push_back(describe(edition.models.back()));
        } catch (const IoError& e) {
          return error(name->place, "model", e.what());
        } catch (const ModelError& e) {
          return pass_on(e, name->place, variant.label);
        }
      }
  }

  void pass_on(const ModelError& e, Place model, const std::string& variant) {
    for (const Issue& issue : e.issues()) {
      if (!issue.fatal) continue;
      const auto place = set_places_.find(issue.path);
      const bool given = issue.file == "--set" || issue.file.empty();
      const std::string where = given ? "" : issue.file + ":" + std::to_string(issue.line) + ": ";
      error(place == set_places_.end() ? model : place->second, issue.path,
            where + issue.message + " (variant " + quote(variant) + ")", issue.hint);
    }
  }

  // ---- series and measures

  [[nodiscard]] const RunHeader& header(std::size_t variant) const { return headers_[variant]; }

  /// Checks that every variant has the series, and returns their common unit.
  std::string check_terms(const std::vector<Term>& terms, const std::vector<std::size_t>& variants,
                          Place place, const std::string& path) {
    std::string unit;
    for (const Term& term : terms) {
      for (const std::size_t v : variants) {
        const auto known = study::all_series(header(v));
        if (!study::column_of(header(v), term.series)) {
          error(place, path,
                "variant " + quote(figure_.variants[v].label) + " has no series " +
                    quote(term.series),
                io::did_you_mean(term.series, known));
          return unit;
        }
        const std::string found = study::unit_of(header(v), term.series);
        if (unit.empty()) unit = found;
        if (unit != found)
          error(place, path, quote(term.series) + " is in " + found + ", the others in " + unit);
      }
      figure_.series.insert(term.series);
    }
    return unit;
  }

  std::vector<Term> read_terms(const Node& node, const std::string& path) {
    const auto terms = parse_terms(node.text());
    if (!terms) error(node.place, path, quote(node.text()) + " is no series, nor a sum of series");
    return terms.value_or(std::vector<Term>{});
  }

  std::optional<Measure> read_measure(const Node& node, const std::string& path) {
    try {
      return parse_measure(node.text());
    } catch (const std::invalid_argument& wrong) {
      error(node.place, path, wrong.what());
      return {};
    }
  }

  std::optional<std::size_t> variant_of(const Node& node, const std::string& path) {
    std::vector<std::string> labels;
    for (const Variant& v : figure_.variants) labels.push_back(v.label);
    const auto found = std::ranges::find(labels, node.text());
    if (found != labels.end()) return static_cast<std::size_t>(found - labels.begin());
    error(node.place, path, "there is no variant " + quote(node.text()),
          io::did_you_mean(node.text(), labels));
    return {};
  }

  std::vector<std::size_t> variants_of(const Node* node, const std::string& path) {
    std::vector<std::size_t> out;
    if (!node)
      for (std::size_t i = 0; i < figure_.variants.size(); ++i) out.push_back(i);
    else if (node->is_text()) {
      if (const auto v = variant_of(*node, path)) out.push_back(*v);
    } else
      for (const Node& item : node->items())
        if (const auto v = variant_of(item, path)) out.push_back(*v);
    return out;
  }

  Window read_window(const Node& node, const std::string& path) {
    Window out;
    out.from = number(node, "from", out.from);
    out.to = number(node, "to", out.to);
    if (!(out.from < out.to)) error(node.place, path, "'to' must lie above 'from'");
    return out;
  }

  void check_turns(const Measure& measure, const std::vector<std::size_t>& variants, Place place,
                   const std::string& path) {
    if (!measure.by_turn()) return;
    for (const std::size_t v : variants)
      if (!(figure_.variants[v].turn > 0))
        error(place, path,
              "is taken by turn, and variant " + quote(figure_.variants[v].label) +
                  " does not say how long one is",
              "add turn = \"0.2 s\" to the variant");
  }

  void read_diagram(const Node& node) {
    const std::string path = "diagrams." + std::to_string(figure_.diagrams.size());
    Diagram d;
    d.label = word(node, "label");
    d.x_label = word(node, "x_label");
    d.variants = variants_of(node.find("variants"), path + ".variants");
    d.window = read_window(node, path);
    if (const Node* series = node.find("series")) {
      d.series = read_terms(*series, path + ".series");
      d.unit = check_terms(d.series, d.variants, series->place, path + ".series");
    }
    if (const Node* against = node.find("against")) {
      d.against = read_terms(*against, path + ".against");
      d.x_unit = check_terms(d.against, d.variants, against->place, path + ".against");
    }
    if (const Node* measure = node.find("measure")) {
      d.measure = read_measure(*measure, path + ".measure");
      d.x_unit = word(node, "x_unit");
      if (d.measure) {
        d.unit = unit_of(d.measure->take, check_terms(d.measure->terms, d.variants, measure->place,
                                                      path + ".measure"));
        check_turns(*d.measure, d.variants, measure->place, path + ".measure");
      }
      for (const std::size_t v : d.variants)
        if (!d.x_label.empty() && !figure_.variants[v].at)
          error(node.place, path,
                "variant " + quote(figure_.variants[v].label) + " has no place on the abscissa",
                "add 'at' to the variant, or leave out 'x_label' for bars");
    }
    figure_.diagrams.push_back(std::move(d));
  }

  void read_claim(const Node& node, const Node& raw, const std::string& path) {
    Claim c;
    c.id = word(node, "id");
    c.says = word(node, "says");
    c.paper = word(node, "paper");
    c.reason = word(node, "reason");
    c.window = read_window(node, path);
    for (const char* key : {"of", "rising", "falling"})
      if (const Node* list = node.find(key)) {
        c.of = variants_of(list, path + "." + key);
        c.order = std::string_view(key) == "rising"    ? Claim::Order::rising
                  : std::string_view(key) == "falling" ? Claim::Order::falling
                                                       : Claim::Order::none;
        if (c.order != Claim::Order::none && c.of.size() < 2)
          error(list->place, path + "." + key, "needs at least two variants");
      }
    if (const Node* minus = node.find("minus")) c.minus = variant_of(*minus, path + ".minus");
    if (const Node* over = node.find("over")) c.over = variant_of(*over, path + ".over");
    const auto measure = read_measure(*node.find("measure"), path + ".measure");
    if (!measure) return;
    c.measure = *measure;
    auto used = c.of;
    for (const auto& other : {c.minus, c.over})
      if (other) used.push_back(*other);
    const Place place = node.find("measure")->place;
    c.unit = unit_of(c.measure.take, check_terms(c.measure.terms, used, place, path + ".measure"));
    if (c.over) c.unit = "1";
    if (c.minus && c.measure.of_run())
      error(place, path + ".minus", "only series can be subtracted");
    check_turns(c.measure, c.of, place, path + ".measure");
    c.measured = in_words(c, node.find("measure")->text());
    c.above = bound(node, raw, "above", c, c.above, path);
    c.below = bound(node, raw, "below", c, c.below, path);
    if (!node.has("above") && !node.has("below") && c.order == Claim::Order::none)
      error(node.place, path, "nothing decides whether the claim holds",
            "add 'above' or 'below', or use 'rising' or 'falling'");
    if (std::ranges::any_of(figure_.claims, [&](const Claim& o) { return o.id == c.id; }))
      error(node.place, path + ".id", "two claims are called " + quote(c.id));
    figure_.claims.push_back(std::move(c));
  }

  std::string in_words(const Claim& c, const std::string& measure) const {
    std::string out = measure;
    const char* before = " of ";
    for (const std::size_t v : c.of) {
      out += before + figure_.variants[v].label;
      before = c.order == Claim::Order::none ? ", " : " → ";
    }
    if (c.minus) out += " minus " + figure_.variants[*c.minus].label;
    if (c.over) out += " relative to " + figure_.variants[*c.over].label;
    return out;
  }

  /// A bound has to be in a unit of the number it bounds.
  double bound(const Node& checked, const Node& raw, const char* key, const Claim& claim,
               double otherwise, const std::string& path) {
    const Node* node = raw.find(key);
    if (!node) return otherwise;
    if (node->is_text()) {
      const auto q = io::evaluate(io::parse_expression(node->text()), parameters_.lookup());
      const auto unit = io::parse_unit(claim.unit);
      if (unit && !q.dimension.plain() && !io::fits(q.dimension, unit->dimension))
        error(node->place, path + "." + key,
              "the number is in " + (claim.unit == "1" ? "no unit" : claim.unit) + ", not in " +
                  io::unit_name(q.dimension));
    }
    return number(checked, key, otherwise);
  }

  std::filesystem::path file_;
  Figure figure_;
  Diagnostics diagnostics_;
  io::Document document_;
  io::Parameters parameters_;
  Node tree_;
  std::vector<RunHeader> headers_;  // of the first edition's variants, then of the second's
  std::map<std::string, Place> set_places_;
};

}  // namespace

std::string Claim::condition() const {
  std::string out = order == Order::rising ? "rising" : order == Order::falling ? "falling" : "";
  const auto add = [&](const char* word, double value) {
    if (std::isfinite(value))
      out += (out.empty() ? "" : ", ") + std::string(word) + " " + with_unit(value, unit);
  };
  add("above", above);
  add("below", below);
  return out;
}

std::set<std::string> Figure::series_of(std::size_t variant) const {
  std::set<std::string> out;
  const RunHeader header = describe(editions[0].models[variant]);
  for (const std::string& one : series)
    if (study::column_of(header, one)) out.insert(one);
  return out;
}

Figure read_figure(const std::filesystem::path& file) { return Reader(file).read(); }

}  // namespace freeplay::gallery
