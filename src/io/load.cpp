// SPDX-License-Identifier: Apache-2.0
#include "io/build.hpp"
#include "io/check.hpp"
#include "io/document.hpp"
#include "io/model_tables.hpp"
#include "io/overrides.hpp"
#include "io/parameters.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"
#include "io/toml_writer.hpp"
#include "model/words.hpp"
#include "sim/features.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>

// From a file to a Model:
//
//   text -> tree as written (document) -> with --set (overrides) -> checked, SI (check) -> Model
//   (build)
//
// Every stage reports what it finds and leaves the rest in a state the next one can work on, so
// that the user hears of all mistakes at once. The checked tree, printed, is Model::resolved:
// reading it again goes through the same stages to the same numbers.
namespace freeplay {
namespace io {
namespace {

bool is_planar(const Node& root) {
  const Node* mechanism = root.find("mechanism");
  const Node* planar = mechanism ? mechanism->find("planar") : nullptr;
  return planar && planar->is_truth() && planar->truth();
}

Model build_model(const Node& tree, Diagnostics& diagnostics) {
  Build build{tree, diagnostics};
  read_mechanism(build);
  read_simulation(build);
  read_bodies(build);
  read_markers(build);
  read_joints(build);
  read_couplings(build);
  read_forces(build);
  check_laws(build);
  check_imperfections(build);
  return std::move(build.model);
}

/// Physical impossibilities, told with their place in the file.
void validate_with_places(const Model& model, const Node& root, Diagnostics& diagnostics) {
  try {
    validate(model);
  } catch (const ModelError& error) {
    for (const Issue& issue : error.issues()) {
      const Place place = locate(root, issue.path);
      if (issue.fatal)
        diagnostics.error(place, issue.path, issue.message, issue.hint);
      else
        diagnostics.warn(place, issue.path, issue.message, issue.hint);
    }
  }
}

/// A fixed step sees nothing of what happens within it.
void warn_of_brief_formulas(const Model& model, const Node& root, Diagnostics& diagnostics) {
  const Simulation& run = model.simulation;
  if (!has_fixed_step(run.method)) return;
  for (const sim::Unresolved& u : sim::unresolved_by(model, run.step))
    diagnostics.warn(locate(root, u.path), u.path,
                     fmt::format("{} changes within {:.2g} s at t = {:.6g} s; steps of {:g} s may "
                                 "miss it",
                                 quote(u.text), u.width, u.time, run.step),
                     "use shorter steps, or an integrator that chooses them, such as \"auto\"");
}

Model read_model(Document document, Diagnostics& diagnostics, const LoadOptions& options) {
  Model model;
  if (!document.root.broken()) {
    apply_overrides(document.root, model_table(), options.overrides, diagnostics);
    const Parameters parameters(document.root.find("parameters"), diagnostics);
    const Node tree =
        check(model_table(), {document, parameters, diagnostics, is_planar(document.root)});
    model = build_model(tree, diagnostics);
    if (!diagnostics.failed()) validate_with_places(model, document.root, diagnostics);
    if (!diagnostics.failed()) warn_of_brief_formulas(model, document.root, diagnostics);
    if (!diagnostics.failed()) model.resolved = write_toml(tree);
    model.source = std::move(document.source);
  }
  if (options.files) *options.files = std::move(document.files);
  diagnostics.finish(options.warnings);
  return model;
}

}  // namespace
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

std::string model_schema() { return io::json_schema(io::model_table()); }
std::string model_reference() { return io::markdown_reference(io::model_table()); }

}  // namespace freeplay
