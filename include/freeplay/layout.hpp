// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What the numbers of a state are. Whoever owns some of them (a body, a contact, a film, the audit)
// declares them as blocks when a system is made; nobody infers a meaning from a size or a place.
namespace freeplay {

enum class BlockKind {
  position,  ///< coordinates of bodies or joints
  velocity,  ///< their rates, or spins in body axes
  state,     ///< internal states that are integrated: bristles, rubber
  work,      ///< work integrals, which the energy audit adds up
  memory,    ///< changes at events and between steps only
};
[[nodiscard]] std::string_view name_of(BlockKind kind);

/// How a neighbouring motion treats a number (Lyapunov exponents): it has its own value, a small
/// difference away, or shares that of the reference (modes, counts, the zero of the audit).
enum class Perturbation { continuous, shared };

struct Block {
  std::string name;  ///< path: "bodies/rod/position"
  BlockKind kind = BlockKind::state;
  int size = 1;
  std::string unit;  ///< "m", "rad/s", "1"
  /// What the error of an integrated number is compared with, besides its own size; in `unit`.
  /// Work: 0, the energy in motion is only known once it moves.
  double scale = 0;
  Perturbation perturbation = Perturbation::continuous;
  int offset = 0;  ///< of its first number in State::y, or in State::memory
};

/// One number, or a few of one kind, of a record that lies in State::memory.
struct MemoryField {
  std::string_view name, unit;
  Perturbation perturbation = Perturbation::continuous;
  int size = 1;
};

/// Numbers that a record of such fields takes.
[[nodiscard]] constexpr int count_numbers(std::span<const MemoryField> fields) {
  int out = 0;
  for (const MemoryField& field : fields) out += field.size;
  return out;
}

/// The blocks of a state. Those of one kind lie side by side, in the order in which they were
/// declared: y = [ positions | velocities | states | works ], memory is an array of its own.
class Layout {
 public:
  explicit Layout(std::string formulation) : formulation_(std::move(formulation)) {}

  /// Adds a block behind those of its kind. Returns its place among them.
  int declare(Block block);
  /// Adds the fields of one record of memory; returns the place of the first.
  int declare(const std::string& owner, std::span<const MemoryField> fields);

  [[nodiscard]] const std::string& formulation() const { return formulation_; }
  /// All of them, kind by kind, with their offsets.
  [[nodiscard]] std::vector<Block> blocks() const;
  /// Those of one kind; their offsets count among that kind.
  [[nodiscard]] const std::vector<Block>& of(BlockKind kind) const {
    return blocks_[static_cast<std::size_t>(kind)];
  }
  /// Name of the block that a number of y belongs to.
  [[nodiscard]] const std::string& owner(int place_in_y) const;

  /// Numbers of a kind, and where they begin in y.
  [[nodiscard]] int size(BlockKind kind) const { return size_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] int begin(BlockKind kind) const;
  [[nodiscard]] int y_size() const { return begin(BlockKind::memory); }
  [[nodiscard]] int memory_size() const { return size(BlockKind::memory); }

  /// What a state of this layout has and one of the other has not, or otherwise; in words, empty
  /// when they are the same. Scales do not count: they follow from the parameters of a model.
  [[nodiscard]] std::string difference(const Layout& other) const;
  /// Equal for layouts without a difference, and in practice only for those.
  [[nodiscard]] std::uint64_t digest() const;

 private:
  std::string formulation_;
  std::array<std::vector<Block>, 5> blocks_;
  std::array<int, 5> size_{};
};

}  // namespace freeplay
