// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
  cosine,
  call,  ///< a function of one or two numbers
  // Comparisons give numbers without a value: all bits are 1 where the relation holds, and 0 where
  // it does not or where there is none (NaN). They choose between numbers bit by bit.
  less,
  at_most,
  equal,
  both,     ///< the bits that are set in both
  without,  ///< those of the first that the second has not
  either    ///< those that are set in one of them
};

/// What an operation makes of plain numbers; not of constants, inputs and calls.
[[nodiscard]] double carried_out(Op op, double a, double b);

/// Without effects; one of a single number leaves the second alone.
using Function = double(double, double);

/// A number in one of the blocks of memory that a program works on.
struct Place {
  int block = 0, index = 0;
  bool operator==(const Place&) const = default;
};
inline constexpr int kBlocks = 5;

class Tape {
 public:
  struct Step {
    Op op = Op::constant;
    int a = 0, b = 0;              ///< earlier steps
    double number = 0;             ///< constants
    Place place;                   ///< inputs
    Function* function = nullptr;  ///< calls
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
  /// Whether 0 x, 0/x and x - x are 0 whatever x is. In mechanics they are; a law may be asked for
  /// what is infinite or no number, and then they are none.
  void expect_numbers(bool expect) { numbers_ = expect; }
  /// `a` where a comparison holds, `b` where not.
  int select(int comparison, int a, int b);
  int call(Function* function, int a, int b);
  void output(Place place, int step);
  /// Ends a stage. Each of those that follow is carried out some time after the first, in any order
  /// or not at all: it may use what the first has found, and nothing of the others.
  void cut();

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] const std::vector<Output>& outputs() const { return outputs_; }
  [[nodiscard]] int stages() const { return static_cast<int>(ends_.size()) + 1; }
  /// The stage in which a step is carried out.
  [[nodiscard]] int stage_of(int step) const;
  /// Its constants, in the order of the steps.
  [[nodiscard]] std::vector<double> constants() const;
  /// Equal but for the values of constants: one packed program can carry out both.
  [[nodiscard]] bool has_structure_of(const Tape& other) const;

 private:
  int find_or_add(const Step& step);
  void enter(int step);
  [[nodiscard]] bool is(int step, double number) const {
    return steps_[step].op == Op::constant && steps_[step].number == number;
  }
  [[nodiscard]] bool negated(int step) const { return steps_[step].op == Op::negate; }

  std::vector<Step> steps_;
  std::vector<Output> outputs_;
  std::vector<int> ends_;  // of all stages but the last
  // Hash table of what may be found again: steps, -1 where there is none; a power of two in size.
  std::vector<int> known_;
  int entered_ = 0;
  bool numbers_ = true;
};

}  // namespace freeplay::tape
