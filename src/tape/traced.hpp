// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/tape.hpp"

#include <Eigen/Core>

// A number that writes down what is done with it. Mechanics that is templated on its scalar becomes
// a tape of one mechanism's arithmetic when it is run with these.
namespace freeplay::tape {

class Traced {
 public:
  Traced() = default;
  Traced(double number) : number_(number) {}  // NOLINT: constants mix freely with traced numbers
  static Traced step(int index) {
    Traced x;
    x.step_ = index;
    return x;
  }
  [[nodiscard]] bool is_constant() const { return step_ < 0; }
  [[nodiscard]] double number() const { return number_; }
  /// Where it is on the tape that is being recorded.
  [[nodiscard]] int on(Tape& tape) const { return is_constant() ? tape.constant(number_) : step_; }

  Traced& operator+=(const Traced& o) { return *this = *this + o; }
  Traced& operator-=(const Traced& o) { return *this = *this - o; }
  Traced& operator*=(const Traced& o) { return *this = *this * o; }
  Traced& operator/=(const Traced& o) { return *this = *this / o; }

  friend Traced operator-(const Traced& a) { return apply(Op::negate, a, a); }
  friend Traced operator+(const Traced& a, const Traced& b) { return apply(Op::add, a, b); }
  friend Traced operator-(const Traced& a, const Traced& b) { return apply(Op::subtract, a, b); }
  friend Traced operator*(const Traced& a, const Traced& b) { return apply(Op::multiply, a, b); }
  friend Traced operator/(const Traced& a, const Traced& b) { return apply(Op::divide, a, b); }
  friend Traced sqrt(const Traced& a) { return apply(Op::root, a, a); }
  friend Traced sin(const Traced& a) { return apply(Op::sine, a, a); }
  friend Traced cos(const Traced& a) { return apply(Op::cosine, a, a); }
  friend Traced call(Function* function, const Traced& a, const Traced& b);

  // While branches are recorded (tape/branches.hpp) both answers are given, one after the other.
  friend bool operator<(const Traced& a, const Traced& b) { return holds(Op::less, a, b); }
  friend bool operator>(const Traced& a, const Traced& b) { return holds(Op::less, b, a); }
  friend bool operator<=(const Traced& a, const Traced& b) { return holds(Op::at_most, a, b); }
  friend bool operator>=(const Traced& a, const Traced& b) { return holds(Op::at_most, b, a); }
  friend bool operator==(const Traced& a, const Traced& b) { return holds(Op::equal, a, b); }
  friend bool operator!=(const Traced& a, const Traced& b) { return !holds(Op::equal, a, b); }

  // What cannot be recorded: the recording breaks.
  friend Traced pow(const Traced&, double) { return broken(); }
  friend Traced exp(const Traced&) { return broken(); }
  friend Traced log(const Traced&) { return broken(); }
  friend Traced tanh(const Traced&) { return broken(); }

 private:
  static Traced apply(Op op, const Traced& a, const Traced& b);
  static bool holds(Op comparison, const Traced& a, const Traced& b);
  static Traced broken();

  double number_ = 0;
  int step_ = -1;  // on the tape; -1: a constant
};

/// What such a function makes of traced numbers.
Traced call(Function* function, const Traced& a, const Traced& b);

inline Traced abs(const Traced& x) { return x < Traced(0.0) ? -x : x; }
inline void sin_cos(const Traced& x, Traced& sine, Traced& cosine) {
  sine = sin(x);
  cosine = cos(x);
}
/// Signs are not known while recording; a result that is not finite says afterwards what was wrong.
inline bool positive(const Traced&) { return true; }

/// Everything done with traced numbers in its lifetime goes on the tape; one at a time in a thread.
class Recording {
 public:
  explicit Recording(Tape& tape);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  [[nodiscard]] Traced input(Place place) const;
  void output(Place place, const Traced& value) const;
  /// True when something was asked of traced numbers that only plain ones can answer.
  [[nodiscard]] bool broke() const;

 private:
  Tape& tape_;
};

}  // namespace freeplay::tape

namespace Eigen {
template <>
struct NumTraits<freeplay::tape::Traced> : NumTraits<double> {
  using Real = freeplay::tape::Traced;
  using NonInteger = freeplay::tape::Traced;
  using Nested = freeplay::tape::Traced;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};
template <class Op>
struct ScalarBinaryOpTraits<freeplay::tape::Traced, double, Op> {
  using ReturnType = freeplay::tape::Traced;
};
template <class Op>
struct ScalarBinaryOpTraits<double, freeplay::tape::Traced, Op> {
  using ReturnType = freeplay::tape::Traced;
};
}  // namespace Eigen
