// SPDX-License-Identifier: Apache-2.0
#include "io/state_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace freeplay::io {
namespace {

constexpr std::string_view kHeadings = "name\tkind\tplace\tsize\tunit\tscale\tneighbour";
constexpr std::string_view kShared = "shared", kOwn = "own";

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line)
    if (c == '\t')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

std::optional<BlockKind> kind_of(std::string_view name) {
  for (const BlockKind kind : {BlockKind::position, BlockKind::velocity, BlockKind::state,
                               BlockKind::work, BlockKind::memory})
    if (name_of(kind) == name) return kind;
  return {};
}

}  // namespace

std::string layout_text(const Layout& layout) {
  std::string out(kHeadings);
  for (const Block& b : layout.blocks())
    out += fmt::format("\n{}\t{}\t{}\t{}\t{}\t{}\t{}", b.name, name_of(b.kind), b.offset, b.size,
                       b.unit, b.scale, b.perturbation == Perturbation::shared ? kShared : kOwn);
  return out;
}

std::shared_ptr<const Layout> parse_layout(const std::string& formulation,
                                           const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kHeadings) return nullptr;
  auto out = std::make_shared<Layout>(formulation);
  std::vector<int> places;
  while (std::getline(lines, line)) {
    const auto column = columns_of(line);
    if (column.size() != 7) return nullptr;
    const auto kind = kind_of(column[1]);
    if (!kind || (column[6] != kShared && column[6] != kOwn)) return nullptr;
    Block block{.name = column[0], .kind = *kind, .unit = column[4]};
    try {
      places.push_back(std::stoi(column[2]));
      block.size = std::stoi(column[3]);
      block.scale = std::stod(column[5]);
      if (column[6] == kShared) block.perturbation = Perturbation::shared;
      out->declare(std::move(block));
    } catch (const std::logic_error&) {  // no number, or no block
      return nullptr;
    }
  }
  const auto blocks = out->blocks();
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (blocks[k].offset != places[k]) return nullptr;
  return out;
}

}  // namespace freeplay::io
