// SPDX-License-Identifier: Apache-2.0
#include "io/schema.hpp"

#include "io/text.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace freeplay::io {
namespace {

using Json = nlohmann::ordered_json;  // keys stay in the order of the tables

class SchemaWriter {
 public:
  Json whole(const TableShape& shape) {
    Json out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", "Freeplay model"}};
    out.update(of_table(shape));
    out["$defs"] = definitions_;
    return out;
  }

 private:
  Json of(const Shape& shape) {
    using Kind = Shape::Kind;
    switch (shape.kind) {
      case Kind::quantity:
        return of_quantity(shape);
      case Kind::truth:
        return {{"type", "boolean"}};
      case Kind::text:
      case Kind::formula:
      case Kind::law:
      case Kind::file:
        return {{"type", "string"}};
      case Kind::choice: {
        Json words = shape.words;
        for (const auto& [other, word] : shape.aliases) words.push_back(other);
        return {{"enum", words}};
      }
      case Kind::list:
        return of_list(shape);
      case Kind::table:
        return reference(*shape.table);
      case Kind::map:
        return {{"type", "object"}, {"additionalProperties", removable(of(shape.of[0]))}};
      case Kind::either: {
        Json any = Json::array();
        for (const Shape& s : shape.of) any.push_back(of(s));
        return {{"anyOf", any}};
      }
    }
    return Json::object();
  }

  static Json of_quantity(const Shape& shape) {
    Json out = {
        {"type", {"number", "string"}}};  // bounds apply to numbers only, as JSON Schema has it
    if (std::isfinite(shape.min)) out[shape.min_open ? "exclusiveMinimum" : "minimum"] = shape.min;
    if (std::isfinite(shape.max)) out["maximum"] = shape.max;
    if (shape.no_zero) out["not"] = {{"const", 0}};
    return out;
  }

  Json of_list(const Shape& shape) {
    Json out = {{"type", "array"}, {"items", of(shape.of[0])}};
    std::vector<std::size_t> counts = shape.counts;
    if (shape.spatial) counts = {2, 3};
    out["minItems"] = counts.empty() ? 1 : counts.front();
    if (!counts.empty()) out["maxItems"] = counts.back();
    if (shape.spatial) return {{"anyOf", {std::move(out), Json{{"type", "string"}}}}};
    return out;
  }

  /// `false` takes an optional thing away.
  static Json removable(Json shape) {
    return {{"anyOf", {std::move(shape), Json{{"const", false}}}}};
  }

  Json reference(const TableShape& shape) {
    // Tables with the same name differ in their units only, which a schema cannot say.
    std::string name = shape.name;
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    if (!definitions_.contains(name)) {
      definitions_[name] = Json::object();  // reserved, should a table ever contain itself
      definitions_[name] = of_table(shape);
    }
    return {{"$ref", "#/$defs/" + name}};
  }

  Json of_table(const TableShape& shape) {
    Json properties = Json::object(), required = Json::array(), dependent = Json::object(),
         rules = Json::array();
    for (const std::string& name : shape.names()) {
      // A key that has one form in the plane and another in space may have either here.
      Json forms = Json::array();
      std::string doc;
      bool always = true;
      for (const Key& key : shape.keys) {
        if (key.name != name) continue;
        Json form = of(key.shape);
        if (std::find(forms.begin(), forms.end(), form) == forms.end())
          forms.push_back(std::move(form));
        if (doc.find(key.doc) == std::string::npos) doc += (doc.empty() ? "" : "; ") + key.doc;
        always = always && key.required && key.only.empty() && key.space == Key::Space::any;
      }
      const Key& first = *shape.find(name, nullptr);
      Json property = forms.size() == 1 ? forms[0] : Json{{"anyOf", forms}};
      if (always)
        required.push_back(name);
      else if (first.shape.kind != Shape::Kind::truth)
        property = removable(std::move(property));
      const std::string unit = unit_of(first.shape);
      if (!unit.empty() && unit != "1") doc.append(" [").append(unit).append("]");
      property["description"] = doc;
      properties[name] = std::move(property);
      if (first.with.size() == 1 && first.space == Key::Space::any) dependent[name] = first.with;
    }
    Json out = {{"type", "object"},
                {"description", shape.doc},
                {"properties", properties},
                {"additionalProperties", shape.others ? of(shape.others->shape) : Json(false)}};
    if (!required.empty()) out["required"] = required;
    if (!dependent.empty()) out["dependentRequired"] = dependent;
    for (const auto& [word, keys] :
         {std::pair("oneOf", &shape.one_of), std::pair("anyOf", &shape.some_of)}) {
      if (keys->empty()) continue;
      Json choices = Json::array();
      for (const std::string& name : *keys) choices.push_back({{"required", Json::array({name})}});
      rules.push_back({{word, choices}});
    }
    add_variants(shape, rules);
    if (!rules.empty()) out["allOf"] = rules;
    return out;
  }

  /// For each value of the discriminator: what it requires, and what it has not.
  void add_variants(const TableShape& shape, Json& rules) {
    if (shape.discriminator.empty()) return;
    const Shape& choice = shape.find(shape.discriminator, nullptr)->shape;
    for (const std::string& word : choice.words) {
      Json words = Json::array({word});
      for (const auto& [other, meant] : choice.aliases)
        if (meant == word) words.push_back(other);
      Json required = Json::array(), forbidden = Json::object();
      for (const std::string& name : shape.names()) {
        const Key* key = shape.find(name, &word);
        if (!key)
          forbidden[name] = Json{{"const", false}};
        else if (key->required && !key->only.empty())
          required.push_back(name);
      }
      Json then = Json::object();
      if (shape.others && !shape.find_or_other("", &word))
        then["propertyNames"] = {{"enum", shape.names()}};
      if (!required.empty()) then["required"] = required;
      if (!forbidden.empty()) then["properties"] = forbidden;
      if (then.empty()) continue;
      Json chosen = {{"properties", {{shape.discriminator, {{"enum", words}}}}}};
      if (word != shape.fallback) chosen["required"] = Json::array({shape.discriminator});
      rules.push_back({{"if", chosen}, {"then", then}});
    }
  }

  static std::string unit_of(const Shape& shape) {
    if (shape.kind == Shape::Kind::quantity) return unit_for(shape.unit, Measure::unknown);
    return shape.of.empty() ? "" : unit_of(shape.of[0]);
  }

  Json definitions_ = Json::object();
};

/// | key | value | meaning |
class ReferenceWriter {
 public:
  std::string whole(const TableShape& shape) {
    for (const Key& key : shape.keys) visit(key.shape);
    return out_;
  }

 private:
  void visit(const Shape& shape) {
    if (shape.kind == Shape::Kind::table && !is_catalogue(*shape.table)) section(*shape.table);
    for (const Shape& s : shape.of) visit(s);
  }

  void section(const TableShape& shape) {
    if (out_.find("### " + heading(shape) + "\n") != std::string::npos)
      return;  // used in several places
    out_ += (out_.empty() ? "### " : "\n### ") + heading(shape) + "\n\n" + shape.doc +
            "\n\n| key | value | meaning |\n|---|---|---|\n";
    for (const Key& key : shape.keys) {
      std::string meaning = key.doc;
      if (!key.only.empty() && key.only.size() < 5) meaning += " (" + joined(key.only) + ")";
      if (key.space == Key::Space::planar) meaning += " (planar)";
      if (key.space == Key::Space::spatial) meaning += " (spatial)";
      out_ += "| `" + key.name + "`" + (key.required ? " *" : "") + " | " +
              escaped(value(key.shape)) + " | " + escaped(meaning) + " |\n";
    }
    for (const Key& key : shape.keys) visit(key.shape);
  }

  /// Laws have pages of their own, with formulas and limits (`freeplay laws`).
  static bool is_catalogue(const TableShape& shape) { return shape.discriminator == "law"; }

  static std::string heading(const TableShape& shape) { return "`" + shape.name + "`"; }

  static std::string value(const Shape& shape) {
    using Kind = Shape::Kind;
    switch (shape.kind) {
      case Kind::quantity:
        return described(shape, false, Measure::unknown).substr(2);
      case Kind::truth:
        return "true or false";
      case Kind::text:
        return "string";
      case Kind::formula:
      case Kind::law:
        return described(shape, false, Measure::unknown).substr(2);
      case Kind::file:
        return "file name";
      case Kind::choice: {
        std::string out;
        for (const std::string& word : shape.words)
          out += (out.empty() ? "`\"" : ", `\"") + word + "\"`";
        return out;
      }
      case Kind::list:
        return list_value(shape);
      case Kind::table:
        return is_catalogue(*shape.table) ? "a law, see `freeplay laws`"
                                          : "`" + shape.table->name + "` table";
      case Kind::map:
        return "{ NAME = " + value(shape.of[0]) + " }";
      case Kind::either: {
        std::string out;
        for (const Shape& s : shape.of) out += (out.empty() ? "" : "; or ") + value(s);
        return out;
      }
    }
    return {};
  }

  static std::string list_value(const Shape& shape) {
    if (shape.spatial)
      return shape.of[0].unit == "1" ? "vector"
                                     : "vector in " + unit_for(shape.of[0].unit, Measure::unknown);
    std::string count;
    for (const std::size_t n : shape.counts)
      count += (count.empty() ? "" : " or ") + std::to_string(n);
    std::string item = value(shape.of[0]);
    // "3 numbers in rad", "2 strings", "list of `drive` tables"
    for (const std::string_view noun : {"number", "string", "vector", "table"})
      if (const std::size_t at = item.find(noun); at != std::string::npos) {
        item.insert(at + noun.size(), "s");
        break;
      }
    return (count.empty() ? "list of " : count + " ") + item;
  }

  static std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
    return out;
  }

  static std::string escaped(std::string text) {
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
      text.replace(at, 1, "\\|");
    return text;
  }

  std::string out_;
};

}  // namespace

std::string json_schema(const TableShape& shape) {
  return SchemaWriter().whole(shape).dump(2) + "\n";
}

std::string markdown_reference(const TableShape& shape) { return ReferenceWriter().whole(shape); }

}  // namespace freeplay::io
