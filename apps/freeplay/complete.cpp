// SPDX-License-Identifier: Apache-2.0
#include "complete.hpp"

#include "films/catalogue.hpp"
#include "io/document.hpp"
#include "io/model_tables.hpp"
#include "io/paths.hpp"
#include "laws/catalogue.hpp"
#include "model/words.hpp"
#include "templates.hpp"
#include "terminal.hpp"
#include <freeplay/errors.hpp>

#include <algorithm>
#include <filesystem>

// Completion in a shell: the script asks the program itself, which knows its verbs, options and
// laws and reads the model named on the line.
namespace freeplay::cli {
namespace {

std::vector<std::string> law_names(bool films_only) {
  std::vector<std::string> out;
  const auto add = [&](const std::vector<laws::Entry>& catalogue) {
    for (const laws::Entry& law : catalogue) out.emplace_back(law.key);
  };
  add(films::film_catalogue());
  if (films_only) return out;
  add(laws::contact_catalogue());
  add(laws::friction_catalogue());
  add(films::transition_catalogue());
  return out;
}

std::vector<std::string> template_names() {
  std::vector<std::string> out{"slider-crank"};
  for (const Template& t : templates()) out.emplace_back(t.name);
  return out;
}

std::vector<std::string> method_names() {
  std::vector<std::string> out;
  for (const Method method : methods()) out.emplace_back(name_of(method));
  return out;
}

/// Paths of the model that the line names.
std::vector<std::string> paths(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!word.ends_with(".toml")) continue;
    try {
      io::Diagnostics diagnostics;
      const io::Document document = io::read_document(word, diagnostics);
      return io::paths_from(document.root, io::model_table(), words.back());
    } catch (const IoError&) {  // not there (yet): nothing is known of it
    }
  }
  return {};
}

std::vector<std::string> candidates(const VerbOptions& verbs,
                                    const std::vector<std::string>& words) {
  if (words.size() < 2) {
    std::vector<std::string> out{"--help", "--version"};
    for (const auto& [verb, options] : verbs) out.push_back(verb);
    return out;
  }
  const auto verb = verbs.find(words[0]);
  if (verb == verbs.end()) return {};
  const std::string &before = words[words.size() - 2], &name = words[0];
  if (words.back().starts_with('-')) return verb->second;
  if (before == "--set") return paths(words);
  if (before == "--from") return template_names();
  if (before == "--law") return law_names(true);
  if (before == "--integrator") return method_names();
  if (before == "--formulation") return {"auto", "cartesian", "tree"};
  if (before == "--submit") return {"slurm"};
  if (name == "laws") return law_names(false);
  if (name == "new" && words.size() == 2) return template_names();
  if (name == "completion") return {"bash"};
  return {};
}

}  // namespace

std::vector<std::string> completions(const VerbOptions& verbs,
                                     const std::vector<std::string>& words) {
  std::vector<std::string> out;
  const std::string begun = words.empty() ? "" : words.back();
  for (std::string& word : candidates(verbs, words))
    if (word.starts_with(begun)) out.push_back(std::move(word));
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace freeplay::cli
