// SPDX-License-Identifier: Apache-2.0
#include <freeplay/layout.hpp>
#include <freeplay/state.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace freeplay {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"position", "velocity", "state", "work",
                                                    "memory"};

std::string text(const Block& block) {
  return fmt::format("{} ({}, {} x {}, {})", block.name, name_of(block.kind), block.size,
                     block.unit,
                     block.perturbation == Perturbation::shared ? "shared" : "continuous");
}

}  // namespace

std::string_view name_of(BlockKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

int Layout::declare(Block block) {
  if (block.size <= 0 || block.name.empty())
    throw std::invalid_argument("a block of a state needs a name and a size");
  const auto kind = static_cast<std::size_t>(block.kind);
  block.offset = size_[kind];
  size_[kind] += block.size;
  return blocks_[kind].emplace_back(std::move(block)).offset;
}

int Layout::declare(const std::string& owner, std::span<const MemoryField> fields) {
  const int first = memory_size();
  for (const MemoryField& field : fields)
    declare({.name = fmt::format("{}/{}", owner, field.name),
             .kind = BlockKind::memory,
             .size = field.size,
             .unit = std::string(field.unit),
             .perturbation = field.perturbation});
  return first;
}

std::vector<Block> Layout::blocks() const {
  std::vector<Block> out;
  for (const auto& list : blocks_)
    for (const Block& block : list) {
      out.push_back(block);
      if (block.kind != BlockKind::memory) out.back().offset += begin(block.kind);
    }
  return out;
}

const std::string& Layout::owner(int place) const {
  for (const auto& list : blocks_)
    for (const Block& block : list)
      if (block.kind != BlockKind::memory && place < begin(block.kind) + block.offset + block.size)
        return block.name;
  throw std::out_of_range("a state has no such number");
}

int Layout::begin(BlockKind kind) const {
  int out = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(kind); ++k) out += size_[k];
  return out;
}

std::string Layout::difference(const Layout& other) const {
  if (this == &other) return {};
  if (formulation_ != other.formulation_)
    return fmt::format("it is {}, not {}", formulation_, other.formulation_);
  const std::vector<Block> mine = blocks(), theirs = other.blocks();
  for (std::size_t k = 0; k < std::max(mine.size(), theirs.size()); ++k) {
    if (k >= theirs.size()) return fmt::format("it also has {}", text(mine[k]));
    if (k >= mine.size()) return fmt::format("it lacks {}", text(theirs[k]));
    if (text(mine[k]) != text(theirs[k]))
      return fmt::format("it has {} where {} is expected", text(mine[k]), text(theirs[k]));
  }
  return {};
}

std::uint64_t Layout::digest() const {
  // FNV-1a, 64 bit.
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto mix = [&](std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    hash = (hash ^ 0xffU) * 0x100000001b3U;
  };
  mix(formulation_);
  for (const Block& block : blocks()) mix(text(block));
  return hash;
}

void expect_layout(const State& state, const Layout& layout) {
  const std::string why =
      !state.layout ? "nothing says what its numbers are" : state.layout->difference(layout);
  if (!why.empty())
    throw std::invalid_argument(
        "this is no state of the model as it is run (assemble() makes one): " + why);
  if (state.y.size() != layout.y_size() ||
      static_cast<int>(state.memory.size()) != layout.memory_size())
    throw std::invalid_argument("the state has more or fewer numbers than its layout");
}

}  // namespace freeplay
