// SPDX-License-Identifier: Apache-2.0
#include "gallery/find.hpp"

#include "io/text.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace freeplay::gallery {
namespace {

namespace fs = std::filesystem;

fs::path program() {
  std::error_code error;
  const auto path = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path{} : path;
}

// "f1-fig10" -> "f", 1, "-fig", 10: numbers compare as numbers.
std::vector<std::pair<std::string, int>> pieces(const std::string& name) {
  std::vector<std::pair<std::string, int>> out{{"", 0}};
  bool digits = false;
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digits && !digit) out.emplace_back("", 0);
    digits = digit;
    if (digit)
      out.back().second = std::min(out.back().second, 100000) * 10 + (c - '0');
    else
      out.back().first += c;
  }
  return out;
}

}  // namespace

fs::path shipped_figures() {
  std::error_code ignored;
  const fs::path self = program();
  // bin/freeplay of an installation is one level below its prefix, build/PRESET/bin/freeplay three
  // below the source tree.
  fs::path folder = self.parent_path();
  for (int level = 0; level < 4 && folder.has_relative_path(); ++level) {
    for (const char* place : {"share/freeplay/reproduce", "reproduce"})
      if (!figure_files(folder / place).empty()) return folder / place;
    folder = folder.parent_path();
  }
  throw std::invalid_argument(
      "the shipped figures are not beside this program (share/freeplay/reproduce near " +
      self.parent_path().string() + "); name figure files by their paths");
}

std::vector<fs::path> figure_files(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") out.push_back(entry.path());
  std::ranges::sort(out, {}, [](const fs::path& p) { return pieces(p.stem().string()); });
  return out;
}

std::vector<fs::path> find_figures(const std::vector<std::string>& names) {
  std::vector<fs::path> out;
  const auto add = [&](const fs::path& file) {
    if (std::ranges::find(out, file) == out.end()) out.push_back(file);
  };
  std::vector<fs::path> shipped;
  const bool by_path = !names.empty() && std::ranges::all_of(names, [](const auto& n) {
    return n.ends_with(".toml");
  });
  if (!by_path) shipped = figure_files(shipped_figures());
  if (names.empty()) return shipped;
  for (const std::string& name : names) {
    if (name.ends_with(".toml")) {
      add(name);
      continue;
    }
    bool found = false;
    std::vector<std::string> known;
    for (const fs::path& file : shipped) {
      known.push_back(file.stem().string());
      if (known.back() != name && !known.back().starts_with(name + "-")) continue;
      add(file);
      found = true;
    }
    if (!found)
      throw std::invalid_argument("there is no figure " + io::quote(name) + "; " +
                                  (io::nearest(name, known).empty()
                                       ? "`freeplay reproduce --list` shows what there is"
                                       : io::did_you_mean(name, known)));
  }
  return out;
}

}  // namespace freeplay::gallery
