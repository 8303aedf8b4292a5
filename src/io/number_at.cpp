// SPDX-License-Identifier: Apache-2.0
#include "io/number_at.hpp"

#include "io/document.hpp"
#include "io/expression.hpp"
#include "io/model_tables.hpp"
#include "io/overrides.hpp"
#include "io/parameters.hpp"
#include "io/paths.hpp"
#include "io/repeat.hpp"
#include "io/text.hpp"

#include <charconv>
#include <cmath>

namespace freeplay::io {
namespace {

/// What is written at a path; null: nothing.
const Node* written_at(const Node& root, std::string_view path) {
  const Node* node = &root;
  while (node && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    if (node->is_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
      const bool there =
          error == std::errc{} && end == part.data() + part.size() && index < node->items().size();
      node = there ? &node->items()[index] : nullptr;
    } else {
      const Entry* entry = node->entry(part);
      node = entry ? &entry->node : nullptr;
    }
  }
  return node;
}

bool is_planar(const Node& root) {
  const Node* mechanism = root.find("mechanism");
  const Node* planar = mechanism ? mechanism->find("planar") : nullptr;
  return planar && planar->is_truth() && planar->truth();
}

class Numbers {
 public:
  Numbers(const Node& root, const Parameters& parameters, Diagnostics& diagnostics)
      : root_(root), parameters_(parameters), diagnostics_(diagnostics) {}

  NumberAt find(const std::string& path) {
    NumberAt out{path, 0, {}, {}};
    const Node* node = written_at(root_, path);
    if (!node) {
      absent(path);
      return out;
    }
    if (node->is_number())
      out.value = node->number();
    else if (node->is_text())
      read_text(*node, out);
    else
      diagnostics_.error(node->place, path, "found " + node->described() + "; expected a number");
    if (out.dimension.empty())
      out.unit = path.starts_with("parameters.") ? "1" : unit_at(root_, model_table(), path);
    else
      out.unit = out.dimension;
    if (!std::isfinite(out.value)) diagnostics_.error(node->place, path, "is not finite");
    return out;
  }

 private:
  void read_text(const Node& node, NumberAt& out) {
    try {
      const Quantity q = evaluate(parse_expression(node.text()), parameters_.lookup(node.scope));
      out.value = q.value;
      if (!q.dimension.plain()) out.dimension = unit_name(q.dimension);
    } catch (const ExpressionError& error) {
      diagnostics_.error(node.place, out.path,
                         quote(node.text()) + " is no number: " + error.what(), error.hint());
    } catch (const BrokenParameter&) {  // reported
    }
  }

  /// Either there could be something, or the path is wrong, which who changes values knows best.
  void absent(const std::string& path) {
    Node probe = root_;
    const std::size_t before = diagnostics_.errors();
    const Override change{path, "0"};
    apply_overrides(probe, model_table(), {&change, 1}, diagnostics_);
    if (diagnostics_.errors() == before)
      diagnostics_.error({}, path, "has no value in the file",
                         "give it one: --set " + path + "=...");
  }

  const Node& root_;
  const Parameters& parameters_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::string NumberAt::text(double other) const {
  return dimension.empty() ? shortest(other) : "\"" + shortest(other) + " " + dimension + "\"";
}

std::vector<NumberAt> numbers_at(std::string_view text, std::string_view name,
                                 const std::filesystem::path& folder,
                                 std::span<const Override> changes,
                                 std::span<const std::string> paths) {
  Diagnostics diagnostics;
  Document document = parse_document(text, name, folder, diagnostics);
  std::vector<NumberAt> out;
  if (!document.root.broken()) {
    std::vector<Override> later;
    apply_overrides(document.root, model_table(), changes, diagnostics, &later);
    Parameters parameters(document.root, is_planar(document.root), diagnostics);
    unfold_repeats(document.root, model_table(), parameters, diagnostics);
    apply_overrides(document.root, model_table(), later, diagnostics);
    Numbers numbers(document.root, parameters, diagnostics);
    for (const std::string& path : paths) out.push_back(numbers.find(path));
  }
  diagnostics.finish(nullptr);
  return out;
}

}  // namespace freeplay::io
