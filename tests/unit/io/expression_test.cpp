// SPDX-License-Identifier: Apache-2.0
#include "io/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>

namespace freeplay::io {
namespace {

constexpr double kPi = std::numbers::pi;

Quantity lookup(const std::string& name, std::size_t offset) {
  static const std::map<std::string, Quantity> known = {{"l", {}},
                                                        {"crank", {0.15, {.m = 1}}},
                                                        {"n", {3, {}}},
                                                        {"f", {5, {.s = -1, .turn = Turn::cycle}}},
                                                        {"phi", {0.5, {.turn = Turn::angle}}}};
  const auto found = known.find(name);
  if (found == known.end()) throw ExpressionError(offset, "there is no parameter '" + name + "'");
  return found->second;
}

Quantity value(std::string_view text) { return evaluate(parse_expression(text), lookup); }

/// "offset: message" of what is wrong with an expression.
std::string complaint(std::string_view text, bool time = false) {
  try {
    const Expression e = parse_expression(text, time ? kOfTime : Variables{});
    if (time)
      static_cast<void>(compile_formula(e, lookup));
    else
      static_cast<void>(evaluate(e, lookup));
    return {};
  } catch (const ExpressionError& error) {
    return std::to_string(error.offset()) + ": " + error.what() +
           (error.hint().empty() ? "" : " (" + error.hint() + ")");
  }
}

TEST(ExpressionTest, Arithmetic) {
  EXPECT_EQ(value("1 + 2*3").value, 7);
  EXPECT_EQ(value("(1 + 2)*3").value, 9);
  EXPECT_EQ(value("2^3^2").value, 512);
  EXPECT_EQ(value("-2^2").value, -4);
  EXPECT_EQ(value("2^-2").value, 0.25);
  EXPECT_EQ(value("--3").value, 3);
  EXPECT_EQ(value("+3 - -2").value, 5);
  EXPECT_EQ(value("7/2/2").value, 1.75);
  EXPECT_EQ(value(" 1e3 ").value, 1000);
  EXPECT_EQ(value("2*pi").value, 2 * kPi);
}

TEST(ExpressionTest, QuantitiesCarryTheirUnits) {
  EXPECT_EQ(value("0.2 mm").value,
            0.0002);  // exactly: the decimal point is shifted before rounding
  EXPECT_EQ(value("9.8 mm").value, 0.0098);
  EXPECT_EQ(value("400 cP").value, 0.4);
  EXPECT_EQ(value("207 GPa").value, 207e9);
  EXPECT_DOUBLE_EQ(value("300 rpm").value, 10 * kPi);
  EXPECT_DOUBLE_EQ(value("30 deg").value, kPi / 6);
  EXPECT_EQ(value("0.1mm").value, 0.0001);
  EXPECT_EQ(value("1e-14 1/Pa").value, 1e-14);
  EXPECT_TRUE(value("1e-14 1/Pa").dimension.same_physics({.m = 1, .kg = -1, .s = 2}));
  EXPECT_DOUBLE_EQ(value("5 g cm^2").value, 5e-7);
  EXPECT_EQ(value("2 N m/rad").value, 2);
  EXPECT_EQ(value("6 N m / 2 s").value, 3);  // a number starts a new factor
  EXPECT_TRUE(value("6 N m / 2 s").dimension.same_physics({.m = 2, .kg = 1, .s = -3}));
  EXPECT_EQ(value("6 mm/2").value, 0.003);
  EXPECT_DOUBLE_EQ(value("2*crank - 3 mm").value, 0.297);
  EXPECT_TRUE(value("2*crank - 3 mm").dimension.same_physics({.m = 1}));
  EXPECT_TRUE(value("crank^2").dimension.same_physics({.m = 2}));
  EXPECT_TRUE(value("sqrt(crank^2 + (4 cm)^2)").dimension.same_physics({.m = 1}));
  EXPECT_TRUE(value("crank/crank").dimension.plain());
}

TEST(ExpressionTest, AnglesAndCycles) {
  EXPECT_EQ(value("2*30 deg").dimension.turn, Turn::angle);
  EXPECT_EQ(value("crank*30 deg").dimension.turn, Turn::none);  // an arc is a length
  EXPECT_EQ(value("f").dimension.turn, Turn::cycle);
  EXPECT_EQ(value("2*pi*f").dimension.turn,
            Turn::none);  // how a frequency becomes an angular speed
  EXPECT_EQ(value("atan2(1 m, 2 m)").dimension.turn, Turn::angle);
  EXPECT_DOUBLE_EQ(value("sin(30 deg)").value, 0.5);
  EXPECT_EQ(value("phi + 0.25").value, 0.75);
}

TEST(ExpressionTest, Functions) {
  EXPECT_EQ(value("min(3 mm, 2 mm, 5 mm)").value, 0.002);
  EXPECT_EQ(value("max(n, 2)").value, 3);
  EXPECT_EQ(value("abs(-3 mm)").value, 0.003);
  EXPECT_EQ(value("exp(0) + log(1) + sqrt(4) + cosh(0) + sinh(0) + tanh(0)").value, 4);
  EXPECT_DOUBLE_EQ(value("asin(1) + acos(1) + atan(0) + tan(0) + cos(0)").value, kPi / 2 + 1);
  EXPECT_EQ(value("2 min").value, 120);  // the minute, not the function
}

TEST(ExpressionTest, MistakesSayWhereAndWhy) {
  EXPECT_EQ(complaint("crank + 3"),
            "6: cannot add m and a number without unit (give both a unit, such as '3 mm')");
  EXPECT_EQ(complaint("crank - 3 kg"), "6: cannot subtract m and kg");
  EXPECT_EQ(complaint("30 deg + 5 Hz*1 s*1"), "");
  EXPECT_EQ(complaint("3 mmm"), "2: 'mmm' is not a unit (did you mean 'mm'?)");
  EXPECT_EQ(complaint("3 Nm"), "2: 'Nm' is not a unit (did you mean 'N m'?)");
  EXPECT_EQ(complaint("3 mm2"), "2: 'mm2' is not a unit (did you mean 'mm^2'?)");
  EXPECT_EQ(complaint("0x10"), "0: numbers in strings are decimal");
  EXPECT_EQ(complaint("1,5"),
            "1: unexpected ',' in an expression (decimals are written with a point)");
  EXPECT_EQ(complaint("(1 + 2"), "6: a closing ')' is missing");
  EXPECT_EQ(complaint("1 +"), "3: the expression ends where a value was expected");
  EXPECT_EQ(complaint(""), "0: nothing is written here; a value was expected");
  EXPECT_EQ(complaint("1 2"), "2: unexpected '2' in an expression");
  EXPECT_EQ(complaint("sinn(1)"), "0: 'sinn' is not a function (did you mean 'sin'?)");
  EXPECT_EQ(complaint("sin"), "0: sin is a function and needs arguments in parentheses");
  EXPECT_EQ(complaint("sin(1, 2)"), "0: sin() has 2 arguments; expected 1");
  EXPECT_EQ(complaint("sin(1 m)"), "0: sin() of m; a number without unit was expected");
  EXPECT_EQ(complaint("min(1 m, 1)"), "0: min() of m and a number without unit");
  EXPECT_EQ(complaint("2^(1 m)"), "1: the exponent is in m; a plain number was expected");
  EXPECT_EQ(complaint("1/0"), "1: division by zero");
  EXPECT_EQ(complaint("sqrt(-1)"), "0: the result is not a finite number");
  EXPECT_EQ(complaint("1e999"), "0: the number '1e999' is too large");
  EXPECT_EQ(complaint("10^400"), "2: the result is not a finite number");
  EXPECT_EQ(complaint("mm"), "0: the unit 'mm' has no number before it (write '1 mm')");
  EXPECT_EQ(complaint("nothing*2"), "0: there is no parameter 'nothing'");
  EXPECT_EQ(complaint("2*t"),
            "2: the time t has no place in a fixed value (functions of time are written { formula "
            "= \"...\" })");
  EXPECT_EQ(complaint("1 \xc3\xa4"), "2: '\xc3\xa4' is not a unit (write products with '*')");
}

TEST(ExpressionTest, DepthAndLengthAreLimited) {
  EXPECT_NE(complaint(std::string(5000, '(')).find("nested more than"), std::string::npos);
  EXPECT_NE(complaint(std::string(5000, '-') + "1").find("nested more than"), std::string::npos);
  EXPECT_NE(complaint(std::string(1000000, '1')).find("characters"), std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 4000; ++i) sum += "+1";
  EXPECT_EQ(value(sum).value, 4001);
  std::string tower = "1";
  for (int i = 0; i < 3000; ++i) tower += "^1";
  EXPECT_NE(complaint(tower).find("nested more than"), std::string::npos);
}

// ---- formulas of time

Formula formula(std::string_view text) {
  return compile_formula(parse_expression(text, kOfTime), lookup);
}

TEST(FormulaTest, EvaluatesAsWritten) {
  const std::vector<std::pair<const char*, double (*)(double)>> cases = {
      {"0.1*sin(3*t)", [](double t) { return 0.1 * std::sin(3 * t); }},
      {"n*t^2 - t/4", [](double t) { return 3 * t * t - t / 4; }},
      {"-t^2", [](double t) { return -t * t; }},
      {"2^-t", [](double t) { return std::pow(2, -t); }},
      {"crank*cos(2*pi*f*t + 30 deg)",
       [](double t) { return 0.15 * std::cos(2 * kPi * 5 * t + kPi / 6); }},
      {"exp(-(t - 1)^2)/(1 + t)", [](double t) { return std::exp(-(t - 1) * (t - 1)) / (1 + t); }},
      {"tanh(t) + sinh(t) - cosh(t) + atan(t) + abs(t - 1) + sqrt(t + 1) + log(t + 2)",
       [](double t) {
         return std::tanh(t) + std::sinh(t) - std::cosh(t) + std::atan(t) + std::abs(t - 1) +
                std::sqrt(t + 1) + std::log(t + 2);
       }},
      {"5", [](double) { return 5.0; }}};
  for (const auto& [text, expected] : cases)
    for (const double t : {0.0, 0.3, 1.7})
      EXPECT_NEAR(freeplay::evaluate(Motion(formula(text)), t).x, expected(t),
                  1e-14 * (1 + std::abs(expected(t))))
          << text;
}

TEST(FormulaTest, ConstantsAreFolded) {
  EXPECT_EQ(formula("2*pi*f*t").text, "31.41592653589793*t");
  EXPECT_EQ(formula("sin(pi/2)*t + max(1, n)").text, "1*t + 3");
  EXPECT_EQ(formula("-crank + t").text, "-0.15 + t");
  EXPECT_EQ(formula("3 - -t").text, "3 - -t");
  EXPECT_EQ(formula("t - (1 - t)").text, "t - (1 - t)");
  EXPECT_EQ(formula("(t + 1)*2 mm").text, "(t + 1)*0.002");
  EXPECT_EQ(formula("(-t)^2").text, "(-t)^2");
}

TEST(FormulaTest, MistakesAreFound) {
  EXPECT_EQ(complaint("min(t, 1)", true),
            "0: min() of a variable has no smooth derivatives (use a 'table', a 'step' or smooth "
            "functions)");
  EXPECT_EQ(complaint("t/0 + log(0)*t", true), "6: the result is not a finite number");
  EXPECT_EQ(complaint("sin(t", true), "5: a closing ')' is missing");
  EXPECT_EQ(complaint("q*t", true), "0: there is no parameter 'q'");
  std::string deep = "t";
  for (int i = 0; i < 70; ++i) deep = "t - (" + deep + ")";
  EXPECT_EQ(complaint(deep, true), "0: the formula is nested too deep");
}

/// A random expression in t.
std::string random_formula(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0) {
    const char* leaves[] = {"t", "2", "0.1", "crank", "n", "1.5e-3", "pi"};
    return leaves[pick(7)];
  }
  const std::string a = random_formula(random, depth - 1), b = random_formula(random, pick(depth));
  switch (pick(8)) {
    case 0:
      return "(" + a + ") + (" + b + ")";
    case 1:
      return "(" + a + ") - (" + b + ")";
    case 2:
      return "(" + a + ")*(" + b + ")";
    case 3:
      return "(" + a + ")/(7 + abs(" + b + "))";
    case 4:
      return "-(" + a + ")";
    case 5:
      return "(" + a + ")^2";
    case 6:
      return "sin(" + a + ")";
    default:
      return a + "*" + b;
  }
}

TEST(FormulaTest, TextCompilesToTheSameCodeAgain) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    Formula once;
    try {
      once = formula(random_formula(random, 5));
    } catch (const ExpressionError&) {
      continue;  // overflow of a folded constant
    }
    const Formula twice = formula(once.text);
    ASSERT_EQ(once.text, twice.text);
    ASSERT_EQ(once.code.size(), twice.code.size()) << once.text;
    for (std::size_t k = 0; k < once.code.size(); ++k) {
      ASSERT_EQ(once.code[k].op, twice.code[k].op) << once.text;
      ASSERT_EQ(once.code[k].value, twice.code[k].value) << once.text;
    }
  }
}

}  // namespace
}  // namespace freeplay::io
