// SPDX-License-Identifier: Apache-2.0
#include "fem/deck.hpp"

#include "fem/refuse.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

namespace freeplay::fem {
namespace fs = std::filesystem;
namespace {

constexpr int kDeepestInclude = 16;

std::string_view trimmed(std::string_view s) {
  const auto first = s.find_first_not_of(" \t\r");
  if (first == s.npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto comma = line.find(',');
    out.push_back(trimmed(line.substr(0, comma)));
    if (comma == line.npos) return out;
    line.remove_prefix(comma + 1);
  }
}

/// "*ELEMENT, TYPE=C3D10, ELSET=ROD"
struct Card {
  std::string word;  // with its star
  std::map<std::string, std::string> options;
  bool has(const char* option) const { return options.contains(option); }
  std::string get(const char* option) const {
    const auto found = options.find(option);
    return found == options.end() ? std::string() : upper(found->second);
  }
};
Card card_of(std::string_view line) {
  Card out;
  for (const std::string_view field : split(line)) {
    if (out.word.empty()) {
      out.word = upper(field);
      continue;
    }
    const auto equals = field.find('=');
    const std::string key = upper(trimmed(field.substr(0, equals)));
    out.options[key] =
        equals == field.npos ? std::string() : std::string(trimmed(field.substr(equals + 1)));
  }
  return out;
}

struct ElementKind {
  std::string_view type;
  int corners;
  std::size_t nodes;
};
constexpr std::array<ElementKind, 6> kSolids{{{"C3D4", 4, 4},
                                              {"C3D6", 6, 6},
                                              {"C3D8", 8, 8},
                                              {"C3D10", 4, 10},
                                              {"C3D15", 6, 15},
                                              {"C3D20", 8, 20}}};
/// Reduced integration and the like are the affair of the matrices.
std::optional<ElementKind> solid(const std::string& type) {
  const auto end = type.find_last_of("0123456789");
  const std::string_view shape = std::string_view(type).substr(0, end == type.npos ? 0 : end + 1);
  for (const ElementKind& kind : kSolids)
    if (shape == kind.type) return kind;
  return {};
}
/// What gmsh and others write beside the solids for named faces and edges.
bool is_skin(const std::string& type) {
  return type.starts_with("CPS") || type.starts_with("CPE") || type.starts_with("T3D");
}

class Reader {
 public:
  explicit Reader(Deck& out) : out_(out) {}

  void read(const fs::path& file, const std::string& shown, int depth) {
    const std::string text = read_file(file, shown);
    Place outer = std::exchange(place_, {shown, 0});
    std::string_view rest = text;
    while (!rest.empty()) {
      const auto end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++place_.line;
      if (line.empty() || line.starts_with("**")) continue;
      if (line.front() == '*')
        begin(line, file, depth);
      else
        take(line);
    }
    place_ = std::move(outer);
  }

  void finish() {
    end_block();
    if (out_.elements.empty())
      refuse({out_.name, 0}, "elements", "the deck has no solid elements that are known here",
             "known are C3D4, C3D6, C3D8, C3D10, C3D15 and C3D20");
    for (Element& e : out_.elements)
      for (int& node : e.nodes) node = index_of(node);
    for (auto& set : out_.sets) {
      std::vector<int>& members = set.second;
      std::sort(members.begin(), members.end());
      members.erase(std::unique(members.begin(), members.end()), members.end());
      for (int& node : members) node = index_of(node);
    }
  }

 private:
  enum class Block { other, nodes, solids, skins, node_set, element_set };

  int index_of(int number) const {
    const auto found = out_.index.find(number);
    if (found == out_.index.end())
      refuse({out_.name, 0}, "nodes", fmt::format("node {} is used but not defined", number), "");
    return found->second;
  }

  void begin(std::string_view line, const fs::path& file, int depth) {
    end_block();
    const Card card = card_of(line);
    block_ = Block::other;
    if (card.word == "*INCLUDE") {
      if (depth >= kDeepestInclude)
        refuse(place_, "*INCLUDE", "files include each other too deep", "");
      const auto name = card.options.find("INPUT");
      if (name == card.options.end())
        refuse(place_, "*INCLUDE", "names no file", "write *INCLUDE, INPUT=mesh.inp");
      std::string written = name->second;
      std::erase(written, '"');
      read(file.parent_path() / written, (file.parent_path() / written).string(), depth + 1);
      block_ = Block::other;
      return;
    }
    keep_ = true;
    head_ = std::string(line);
    if (card.word == "*NODE") {
      block_ = Block::nodes;
      set_ = card.get("NSET");
    } else if (card.word == "*ELEMENT") {
      begin_elements(card);
    } else if (card.word == "*NSET") {
      block_ = Block::node_set;
      set_ = card.get("NSET");
      generate_ = card.has("GENERATE");
    } else if (card.word == "*ELSET") {
      block_ = Block::element_set;
      generate_ = card.has("GENERATE");
    } else if (card.word == "*STEP") {
      out_.has_step = true;
    } else if (card.word == "*FREQUENCY" && card.get("SOLVER") == "MATRIXSTORAGE") {
      out_.stores_matrices = true;
    } else if (card.word == "*DENSITY") {
      out_.has_density = true;
    }
  }

  void begin_elements(const Card& card) {
    const std::string type = card.get("TYPE");
    set_.clear();
    partial_.clear();
    if (const auto kind = solid(type)) {
      block_ = Block::solids;
      kind_ = *kind;
    } else if (is_skin(type)) {
      block_ = Block::skins;
      keep_ = false;
    } else {
      refuse(place_, "*ELEMENT", fmt::format("elements of type '{}' are not taken", type),
             "a part is made of solids: C3D4, C3D6, C3D8, C3D10, C3D15, C3D20");
    }
  }

  void take(std::string_view line) {
    body_ += std::string(line) + "\n";
    switch (block_) {
      case Block::nodes:
        return take_node(split(line));
      case Block::solids:
        return take_solid(split(line));
      case Block::skins:
        // The second line of a large element begins with a node; no plane element has one.
        skins_.insert(whole(split(line).front()));
        ++out_.skins;
        return;
      case Block::node_set:
        return take_set(split(line), out_.sets[set_]);
      case Block::element_set:
        return take_elements(split(line));
      case Block::other:
        return;
    }
  }

  /// A block that named faces or edges alone is left out.
  void end_block() {
    if (block_ == Block::solids && !partial_.empty())
      refuse(
          place_, "*ELEMENT",
          fmt::format("the last element has {} of its {} nodes", partial_.size() - 1, kind_.nodes),
          "");
    if (keep_ && !head_.empty()) out_.text += head_ + "\n" + body_;
    head_.clear();
    body_.clear();
  }

  void take_node(const std::vector<std::string_view>& fields) {
    if (fields.size() < 4)
      refuse(place_, "*NODE", "a node needs its number and three coordinates", "");
    const int number = whole(fields[0]);
    const Vec3 point(real(fields[1]), real(fields[2]), real(fields[3]));
    const auto [at, is_new] = out_.index.emplace(number, static_cast<int>(out_.points.size()));
    if (is_new) {
      out_.points.push_back(point);
      out_.numbers.push_back(number);
    } else {
      out_.points[static_cast<std::size_t>(at->second)] = point;
    }
    if (!set_.empty()) out_.sets[set_].push_back(number);
  }

  void take_solid(const std::vector<std::string_view>& fields) {
    for (const std::string_view field : fields)
      if (!field.empty()) partial_.push_back(whole(field));
    if (partial_.size() < kind_.nodes + 1) return;
    if (partial_.size() > kind_.nodes + 1)
      refuse(place_, "*ELEMENT",
             fmt::format("element {} has more than the {} nodes of {}", partial_.front(),
                         kind_.nodes, kind_.type),
             "");
    out_.elements.push_back({kind_.corners, {partial_.begin() + 1, partial_.end()}});
    partial_.clear();
  }

  void take_set(const std::vector<std::string_view>& fields, std::vector<int>& members) {
    if (generate_) {
      if (fields.size() < 2) refuse(place_, "*NSET", "GENERATE needs a first and a last node", "");
      const int from = whole(fields[0]), to = whole(fields[1]),
                by = fields.size() > 2 && !fields[2].empty() ? whole(fields[2]) : 1;
      constexpr int kMost = 100'000'000;
      if (by < 1 || to < from || to - from > kMost)
        refuse(place_, "*NSET", "no such range of nodes", "write first, last, step");
      for (int k = from; k <= to; k += by)
        if (out_.index.contains(k)) members.push_back(k);
      return;
    }
    for (const std::string_view field : fields) {
      if (field.empty()) continue;
      const bool number = field.find_first_not_of("0123456789") == field.npos;
      if (number) {
        members.push_back(whole(field));
        continue;
      }
      const auto other = out_.sets.find(upper(field));
      if (other == out_.sets.end())
        refuse(place_, "*NSET", fmt::format("there is no set '{}' yet", field), "");
      const std::vector<int> copy = other->second;
      members.insert(members.end(), copy.begin(), copy.end());
    }
  }

  void take_elements(const std::vector<std::string_view>& fields) {
    if (generate_) return;
    for (const std::string_view field : fields)
      if (!field.empty() && field.find_first_not_of("0123456789") == field.npos &&
          skins_.contains(whole(field)))
        keep_ = false;
  }

  int whole(std::string_view field) const {
    int value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || value < 0)
      refuse(place_, "", fmt::format("'{}' is no node or element number", field), "");
    return value;
  }
  double real(std::string_view field) const {
    if (field.starts_with('+')) field.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
      refuse(place_, "*NODE", fmt::format("'{}' is no coordinate", field), "");
    return value;
  }

  Deck& out_;
  Place place_;
  Block block_ = Block::other;
  std::string head_, body_;
  bool keep_ = true, generate_ = false;
  std::string set_;
  ElementKind kind_{};
  std::vector<int> partial_;
  std::set<int> skins_;
};

}  // namespace

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string Deck::set_names() const {
  std::string out;
  for (const auto& set : sets)
    if (!set.first.empty()) out += (out.empty() ? "" : ", ") + set.first;
  return out.empty() ? "none" : out;
}

Deck read_deck(const fs::path& file) {
  Deck out;
  out.name = file.string();
  Reader reader(out);
  reader.read(file, out.name, 0);
  reader.finish();
  return out;
}

}  // namespace freeplay::fem
