// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

// Straight-line arithmetic: what is computed from which numbers in memory, and where the results
// go. No branches. Recorded by Traced numbers, carried out by a Program.
namespace freeplay::tape {

enum class Op : std::uint8_t {
  constant,
  input,
  add,
  subtract,
  multiply,
  divide,
  negate,
  root,
  sine,
  cosine
};

/// A number in one of the blocks of memory that a program works on.
struct Place {
  int block = 0, index = 0;
};
inline constexpr int kBlocks = 4;

class Tape {
 public:
  struct Step {
    Op op = Op::constant;
    int a = 0, b = 0;   ///< earlier steps
    double number = 0;  ///< constants
    Place place;        ///< inputs
  };
  struct Output {
    int step = 0, stage = 0;
    Place place;
  };

  int constant(double number);
  int input(Place place);
  /// What has been found before is found again; what has no effect is left out. Results are those
  /// of the plain arithmetic to the last bit, except for the sign of zeros.
  int apply(Op op, int a, int b);
  void output(Place place, int step);
  /// Ends a stage. Each of those that follow is carried out some time after the first, in any order
  /// or not at all: it may use what the first has found, and nothing of the others.
  void cut();

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] const std::vector<Output>& outputs() const { return outputs_; }
  [[nodiscard]] int stages() const { return static_cast<int>(ends_.size()) + 1; }
  /// The stage in which a step is carried out.
  [[nodiscard]] int stage_of(int step) const;

 private:
  struct Key {
    Op op;
    std::uint64_t a, b;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      std::uint64_t h = k.a * 0x9E3779B97F4A7C15ULL + k.b;
      h ^= h >> 29;
      h = h * 0xBF58476D1CE4E5B9ULL + static_cast<std::uint64_t>(k.op);
      return static_cast<std::size_t>(h ^ (h >> 32));
    }
  };
  int find_or_add(const Key& key, const Step& step);
  [[nodiscard]] bool is(int step, double number) const {
    return steps_[step].op == Op::constant && steps_[step].number == number;
  }
  [[nodiscard]] bool negated(int step) const { return steps_[step].op == Op::negate; }

  std::vector<Step> steps_;
  std::vector<Output> outputs_;
  std::vector<int> ends_;  // of all stages but the last
  std::unordered_map<Key, int, Hash> known_;
};

}  // namespace freeplay::tape
