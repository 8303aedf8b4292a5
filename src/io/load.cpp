// SPDX-License-Identifier: Apache-2.0
#include "io/build.hpp"
#include "io/check.hpp"
#include "io/control_tables.hpp"
#include "io/coupling_table.hpp"
#include "io/document.hpp"
#include "io/expression.hpp"
#include "io/model_tables.hpp"
#include "io/model_to_look_at.hpp"
#include "io/model_tree.hpp"
#include "io/named_tables.hpp"
#include "io/overrides.hpp"
#include "io/parameters.hpp"
#include "io/part_table.hpp"
#include "io/repeat.hpp"
#include "io/schema.hpp"
#include "io/shapes.hpp"
#include "io/text.hpp"
#include "io/time_stepping_rules.hpp"
#include "io/toml_writer.hpp"
#include "model/impossible.hpp"
#include "model/words.hpp"
#include "sim/features.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>

// From a file to a Model:
//
//   text -> tree as written (document) -> with --set (overrides) -> repetitions and shared tables
//   written out (repeat, named_tables) -> checked, SI (check) -> Model (build)
//
// Every stage reports what it finds and leaves the rest in a state the next one can work on, so
// that the user hears of all mistakes at once. A model built in code takes the same way: it is
// written as a tree (model_tree.hpp), checked and built, and has to come out as it went in.
namespace freeplay {
namespace io {
namespace {

bool is_planar(const Node& root) {
  const Node* mechanism = root.find("mechanism");
  const Node* planar = mechanism ? mechanism->find("planar") : nullptr;
  return planar && planar->is_truth() && planar->truth();
}

Model build_model(const Node& tree, const CheckInput& input, PartFiles parts) {
  Build build{tree, input.diagnostics};
  build.parts = std::move(parts);
  read_mechanism(build);
  read_simulation(build);
  read_bodies(build);
  read_markers(build);
  read_joints(build);
  read_couplings(build);
  read_forces(build);
  read_control(build);
  if (!input.closed_plugins) {  // which could not be asked
    check_laws(build);
    check_imperfections(build);
  }
  check_teeth(build);
  return std::move(build.model);
}

/// Told with their place in the file.
void report_impossibilities(const Model& model, const Node& root, Diagnostics& diagnostics) {
  for (const Issue& issue : impossibilities(model))
    diagnostics.error(locate(root, issue.path), issue.path, issue.message, issue.hint);
}

/// A fixed step sees nothing of what happens within it.
void warn_of_brief_formulas(const Model& model, const Node& root, Diagnostics& diagnostics) {
  const Simulation& run = model.simulation;
  if (!has_fixed_step(run)) return;
  for (const sim::Unresolved& u : sim::unresolved_by(model, run.step))
    diagnostics.warn(locate(root, u.path), u.path,
                     fmt::format("{} changes within {:.2g} s at t = {:.6g} s; steps of {:g} s may "
                                 "miss it",
                                 quote(u.text), u.width, u.time, run.step),
                     "use shorter steps, or an integrator that chooses them, such as \"auto\"");
}

/// A tree as written, checked and built. Whoever made the tree, a file or a model in memory, these
/// are the rules.
/// `later`: changes of what repeated tables make.
Model interpret(Document& document, Diagnostics& diagnostics, std::span<const Override> later = {},
                Record* record = nullptr, bool closed_plugins = false) {
  const bool planar = is_planar(document.root);
  Parameters parameters(document.root, planar, diagnostics);
  unfold_repeats(document.root, model_table(), parameters, diagnostics);
  apply_overrides(document.root, model_table(), later, diagnostics);
  const CheckInput input{document, parameters, diagnostics, planar, closed_plugins};
  lay_named_tables(document.root, input);
  read_mesh_files(document.root, input);
  PartFiles parts = read_part_files(document.root, input);
  const Node tree = check(model_table(), input);
  Model model = build_model(tree, input, std::move(parts));
  if (record) *record = read_record(tree);
  if (!diagnostics.failed()) report_impossibilities(model, document.root, diagnostics);
  if (!diagnostics.failed()) check_control(model, document.root, diagnostics);
  if (!diagnostics.failed()) check_time_stepping(model, document.root, diagnostics);
  if (!diagnostics.failed()) warn_of_brief_formulas(model, document.root, diagnostics);
  return model;
}

Model read_model(Document document, Diagnostics& diagnostics, const LoadOptions& options,
                 bool closed_plugins = false) {
  Model model;
  if (!document.root.broken()) {
    std::vector<Override> later;
    apply_overrides(document.root, model_table(), options.overrides, diagnostics, &later);
    model = interpret(document, diagnostics, later, options.record, closed_plugins);
    model.source = std::move(document.source);
  }
  if (options.files) *options.files = std::move(document.files);
  diagnostics.finish(options.warnings);
  return model;
}

}  // namespace

Model model_to_look_at(std::string_view text, std::string_view name) {
  Diagnostics diagnostics;
  return read_model(parse_document(text, name, {}, diagnostics), diagnostics, {}, true);
}

}  // namespace io

Model load_model(const std::filesystem::path& file, const LoadOptions& options) {
  io::Diagnostics diagnostics;
  io::Document document = io::read_document(file, diagnostics);
  return io::read_model(std::move(document), diagnostics, options);
}

Model parse_model(std::string_view text, std::string_view name, const LoadOptions& options,
                  const std::filesystem::path& directory) {
  io::Diagnostics diagnostics;
  io::Document document = io::parse_document(text, name, directory, diagnostics);
  return io::read_model(std::move(document), diagnostics, options);
}

void validate(const Model& model) {
  io::Diagnostics diagnostics;
  io::Document document;
  document.root = io::tree_of(model, diagnostics);
  const Model read = io::interpret(document, diagnostics);
  if (!diagnostics.failed()) {
    io::Diagnostics said;  // once is enough
    io::report_differences(document.root, io::tree_of(read, said), diagnostics);
  }
  diagnostics.finish(nullptr);
}

std::string write_model(const Model& model) {
  io::Diagnostics diagnostics;  // of `validate`
  return io::write_toml(io::tree_of(model, diagnostics));
}

Formula make_formula(std::string_view text) {
  try {
    return io::compile_formula(text, io::kOfMotion);
  } catch (const io::ExpressionError& error) {
    Issue issue;
    issue.path = "formula";
    issue.message = io::quote(text) + ": " + error.what();
    issue.hint = error.hint();
    throw ModelError(issue);
  }
}

std::string model_schema() { return io::json_schema(io::model_table()); }
std::string model_reference() { return io::markdown_reference(io::model_table()); }

}  // namespace freeplay
