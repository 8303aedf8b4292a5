// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <variant>
#include <vector>

// Functions of time: what a drive prescribes, what a force follows. Each knows its value and its
// first two time derivatives, which a prescribed motion needs in the acceleration equations.
namespace freeplay {

/// Value, rate and second rate of a function of time; units of the function, /s, /s^2.
struct Jet {
  double x = 0, dx = 0, ddx = 0;
};

/// x = value
struct Constant {
  double value = 0;
};
/// x = start + speed * t; with `from_pose` the loader's start is replaced by the assembled
/// coordinate at the start of the simulation, so that the drive takes over the mechanism where it
/// stands
struct ConstantSpeed {
  double speed = 0, start = 0;
  bool from_pose = true;
};
/// x = c0 + c1 t + c2 t^2 + ...
struct Polynomial {
  std::vector<double> coefficients;
};
/// x = offset + amplitude * sin(2 pi frequency t + phase); frequency in Hz
struct Sine {
  double amplitude = 0, frequency = 0, phase = 0, offset = 0;
};
/// x goes from `from` to `to` between t0 and t1 by 6u^5 - 15u^4 + 10u^3, at rest at both ends (C2)
struct SmoothStep {
  double from = 0, to = 0, t0 = 0, t1 = 1;
};
/// Cubic pieces through (time, value) by `smooth_slopes`: velocities are continuous everywhere,
/// accelerations wherever the data allow. Outside its range it is an error to evaluate
/// it: the loader refuses tables that end too early.
struct Table {
  std::vector<double> time, value, slope;
};
/// An arithmetic expression as postfix code, made by the loader or by make_formula (load.hpp).
/// Functions of time know t alone; the laws of force elements also x and v, the element's own
/// coordinate and its rate; laws written as formulas, the variables of their catalogue.
struct Formula {
  enum class Op : unsigned char {
    number,
    time,
    coordinate,
    speed,
    variable,  ///< number `value` of those that whoever evaluates it offers
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    exp,
    log,
    sqrt,
    abs
  };
  struct Instruction {
    Op op = Op::number;
    double value = 0;
  };
  std::vector<Instruction> code;
  std::string text;  ///< as written, for messages and the resolved model
  /// True when the value depends on the motion, not on time alone.
  [[nodiscard]] bool of_motion() const;
};

/// What an input is told to follow: c0 + c1 u + c2 u^2 + c3 u^3 with u = t - begin up to `end`,
/// from there on the straight line `last` + `rate` (t - end).
struct Signal {
  double begin = 0, end = 0;  ///< s
  std::array<double, 4> c{};
  double last = 0, rate = 0;
};
[[nodiscard]] Jet evaluate(const Signal& signal, double t);

/// x is set from outside while a Simulator runs; `start` until then. With `from_pose` (drives) the
/// start is the assembled coordinate. A model only names its inputs: the signal belongs to one
/// Simulator, which lends it to its own copy of the model.
struct Input {
  std::string name;
  double start = 0;
  bool from_pose = false;
  std::shared_ptr<const Signal> signal = nullptr;
};

/// x is the output of a signal or a controller (control.hpp): no function of time, so that only
/// forces, torques and efforts can follow one.
struct Follow {
  std::string signal;
};

using Motion = std::variant<Constant, ConstantSpeed, Polynomial, Sine, SmoothStep, Table, Formula,
                            Input, Follow>;

/// Value and derivatives at time t (s); of what follows a signal, zero.
[[nodiscard]] Jet evaluate(const Motion& motion, double t);

/// Natural period of the motion in s (one turn at constant speed, 1/frequency of a sine); 0 if
/// none. `turn` is the coordinate change that counts as one period (2 pi for angles, 0 for
/// lengths).
[[nodiscard]] double period(const Motion& motion, double turn);

/// Table through the points; times must increase strictly and there must be at least two.
[[nodiscard]] Table make_table(std::vector<double> time, std::vector<double> value);

}  // namespace freeplay
