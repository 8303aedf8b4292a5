// SPDX-License-Identifier: Apache-2.0
#include "io/law_plugin.hpp"

#include "io/plugin_file.hpp"
#include "io/text.hpp"
#include "joints/choose_law.hpp"
#include "laws/plugin_law.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::io {
namespace {

class PluginTableChecker {
 public:
  PluginTableChecker(const LawTable& table, const CheckInput& input, Node::Entries& checked)
      : table_(table), input_(input), checked_(checked) {}

  void run() {
    const Node* file = table_.raw.find("plugin");
    if (!file || !file->is_text()) return;  // said already
    if (input_.closed_plugins) return closed();
    const auto law = find(*file);
    if (!law) return spoil("plugin");
    for (const Entry& entry : table_.raw.entries())
      if (is_parameter(entry)) parameter(entry, *law);
    for (const laws::PluginParameter& p : law->parameters)
      if (std::isnan(p.fallback) && !table_.raw.has(p.name))
        refuse(table_.raw.place, p.name,
               quote(p.name) + " is missing; expected " + described(shape_of(p), false, {}) +
                   (p.doc.empty() ? "" : ": " + p.doc));
  }

 private:
  [[nodiscard]] bool is_parameter(const Entry& entry) const {
    return !entry.node.is_false() && !table_.shape.find(entry.key, &table_.kind);
  }

  void refuse(Place place, const std::string& key, const std::string& why,
              const std::string& hint = {}) {
    input_.diagnostics.error(place, table_.path + "." + key, why, hint);
  }

  void spoil(const std::string& key) {
    for (Entry& entry : checked_)
      if (entry.key == key) entry.node.value = Node::Broken{};
  }

  /// Only to be looked at: any numbers may stand there.
  void closed() {
    for (const Entry& entry : table_.raw.entries())
      if (is_parameter(entry)) add(entry, quantity(""));
  }

  std::shared_ptr<const laws::PluginLaw> find(const Node& file) {
    const auto which = laws::PluginReference::read(file.text());
    if (!which.digest.empty()) {
      refuse(file.place, "plugin", "the digest stands in a key of its own",
             "digest = " + quote(which.digest, 70));
      return {};
    }
    const laws::PluginLaws all = open(file, which);
    if (all.empty()) return {};
    std::string why;
    auto out = laws::choose(all, kind(), which.name, why);
    if (!out) refuse(file.place, "plugin", quote(which.file) + ": " + why);
    if (out && !units_known(*out, file)) return {};
    return out;
  }

  [[nodiscard]] const std::string& kind() const {
    return table_.shape.find("plugin", &table_.kind)->shape.words.front();
  }

  bool units_known(const laws::PluginLaw& law, const Node& file) {
    for (const laws::PluginParameter& p : law.parameters)
      if (!p.unit.empty() && !parse_unit(p.unit)) {
        refuse(file.place, "plugin",
               "law " + quote(law.name) + " gives its parameter " + quote(p.name) + " the unit " +
                   quote(p.unit) + ", which is none");
        return false;
      }
    return true;
  }

  laws::PluginLaws open(const Node& file, const laws::PluginReference& which) {
    const std::string& text = which.file;
    if (which.of_program()) {
      laws::PluginLaws out = laws::find_plugin(text);
      if (!out.empty()) return out;
      const std::vector<std::string> known = laws::registered_laws(kind());
      refuse(file.place, "plugin", "this program has no law " + quote(text),
             known.empty() ? "register it before the model is used" : did_you_mean(text, known));
      return {};
    }
    const Node* pinned = table_.raw.find("digest");
    const std::string digest = pinned && pinned->is_text() ? pinned->text() : "";
    laws::PluginLaws out;
    if (!digest.empty()) out = laws::find_plugin(digest);  // a model that was written out
    if (!out.empty()) return out;
    if (!plugins_allowed()) {
      refuse(file.place, "plugin",
             quote(text) + " is compiled code that this model asks to run, which is not allowed",
             joints::kAllowPlugins);
      return {};
    }
    try {
      const std::string found = open_plugin(input_.document.find_beside(file.place, text));
      if (!digest.empty() && digest != found) {
        refuse(pinned->place, "digest",
               "the plug-in has changed: its digest is " + quote(found, 70),
               "write that one where the new plug-in is wanted");
        return {};
      }
      if (digest.empty()) add_text("digest", found, file.place);
      return laws::find_plugin(found);
    } catch (const IoError& error) {
      refuse(file.place, "plugin", "cannot use " + quote(text) + ": " + error.what(),
             "a plug-in lies beside the model, or beside the result that it is computed from; "
             "docs/guide/plugins.md");
      return {};
    }
  }

  static Shape shape_of(const laws::PluginParameter& p) {
    Shape out = quantity(p.unit.empty() ? "1" : p.unit);
    if (std::isfinite(p.least)) out.at_least(p.least);
    if (std::isfinite(p.most)) out.at_most(p.most);
    return out;
  }

  void parameter(const Entry& entry, const laws::PluginLaw& law) {
    const auto p = std::ranges::find(law.parameters, entry.key, &laws::PluginParameter::name);
    if (p != law.parameters.end()) return add(entry, shape_of(*p));
    std::vector<std::string> known;
    for (const laws::PluginParameter& other : law.parameters) known.push_back(other.name);
    const std::string mine = "law " + quote(law.name) + " of the plug-in has no ";
    refuse(entry.place, entry.key,
           mine + (known.empty() ? "parameters" : "parameter " + quote(entry.key)),
           known.empty() ? "" : did_you_mean(entry.key, known));
  }

  void add(const Entry& entry, const Shape& shape) {
    const Node number = check_value(shape, entry.node, table_.path + "." + entry.key, input_);
    if (number.broken()) return spoil("plugin");
    std::string unit;
    if (entry.node.is_text()) {
      const Dimension is =
          evaluate(parse_expression(entry.node.text()), input_.parameters.lookup(entry.node.scope))
              .dimension;
      if (!is.plain()) unit = written_unit(entry.node, is);
    }
    checked_.push_back(
        {entry.key, entry.place, described_number(number.number(), unit, entry.place)});
  }

  void add_text(const std::string& key, const std::string& text, Place place) {
    Node node;
    node.value = text;
    node.place = place;
    checked_.push_back({key, place, std::move(node)});
  }

  const LawTable& table_;
  const CheckInput& input_;
  Node::Entries& checked_;
};

}  // namespace

void check_law_plugin(const LawTable& table, const CheckInput& input, Node::Entries& checked) {
  PluginTableChecker(table, input, checked).run();
}

}  // namespace freeplay::io
