// SPDX-License-Identifier: Apache-2.0
#include "laws/formula.hpp"

#include "core/sin_cos.hpp"
#include "tape/program.hpp"
#include "tape/traced.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::laws {
namespace {

using tape::Traced;
using Op = FormulaCode::Op;

constexpr int kInputs = 0, kResults = 1, kScratch = 2;  // blocks of a program

// ---- functions of a tape: of two numbers, of which most look at the first

double power_function(double a, double b) { return std::pow(a, b); }
double tan_function(double a, double) { return std::tan(a); }
double asin_function(double a, double) { return std::asin(a); }
double acos_function(double a, double) { return std::acos(a); }
double atan_function(double a, double) { return std::atan(a); }
double atan2_function(double a, double b) { return std::atan2(a, b); }
double sinh_function(double a, double) { return std::sinh(a); }
double cosh_function(double a, double) { return std::cosh(a); }
double tanh_function(double a, double) { return std::tanh(a); }
double exp_function(double a, double) { return std::exp(a); }
double log_function(double a, double) { return std::log(a); }
// What is not a number stays so.
double smaller(double a, double b) { return a <= b || std::isnan(a) ? a : b; }
double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }
double if_positive(double a, double b) { return a > 0 ? b : 0; }
double if_not_positive(double a, double b) { return a > 0 ? 0 : b; }

Traced of(tape::Function* function, const Traced& a) { return call(function, a, a); }

bool is(const Traced& x, double number) { return x.is_constant() && x.number() == number; }

/// x^n: products and roots where they are cheaper than a power, which costs ten of them.
Traced raised(const Traced& x, double n) {
  constexpr double kMost = 8;
  if (4 * n != std::floor(4 * n) || std::abs(n) > kMost) return call(&power_function, x, n);
  if (n < 0) return 1.0 / raised(x, -n);
  Traced out(1.0), square = x;
  for (auto whole = static_cast<unsigned>(n); whole > 0; whole /= 2) {
    if (whole % 2 == 1) out = out * square;
    if (whole > 1) square = square * square;
  }
  const auto quarters = static_cast<unsigned>(4 * (n - std::floor(n)));
  if (quarters == 0) return out;
  const Traced root = sqrt(x);
  if (quarters >= 2) out = out * root;
  return quarters % 2 == 1 ? out * sqrt(root) : out;
}

/// A number with its derivatives.
struct Slopes {
  Traced value;
  std::array<Traced, CompiledFormula::kSlopes> d{};

  /// f(a) whose derivative at a is `slope`.
  [[nodiscard]] Slopes through(const Traced& f, const Traced& slope) const {
    Slopes out{f};
    for (std::size_t k = 0; k < d.size(); ++k) out.d[k] = slope * d[k];
    return out;
  }
};

template <class F>
Slopes combined(const Traced& value, const Slopes& a, const Slopes& b, F&& slope) {
  Slopes out{value};
  for (std::size_t k = 0; k < a.d.size(); ++k) out.d[k] = slope(a.d[k], b.d[k]);
  return out;
}

/// The slope of the one of two numbers that was chosen: the first where `first` is positive.
Slopes chosen(const Traced& value, const Traced& first, const Slopes& a, const Slopes& b) {
  return combined(value, a, b, [&](const Traced& da, const Traced& db) {
    const Traced left = is(da, 0) ? da : call(&if_positive, first, da);
    return left + (is(db, 0) ? db : call(&if_not_positive, first, db));
  });
}

Slopes binary(Op op, const Slopes& a, const Slopes& b) {
  using D = const Traced&;
  const Traced &x = a.value, &y = b.value;
  switch (op) {
    case Op::add:
      return combined(x + y, a, b, [](D da, D db) { return da + db; });
    case Op::subtract:
      return combined(x - y, a, b, [](D da, D db) { return da - db; });
    case Op::multiply:
      return combined(x * y, a, b, [&](D da, D db) { return da * y + x * db; });
    case Op::divide: {
      const Traced q = x / y;
      return combined(q, a, b, [&](D da, D db) { return (da - q * db) / y; });
    }
    case Op::minimum:
      return chosen(call(&smaller, x, y), y - x, a, b);
    case Op::maximum:
      return chosen(call(&larger, x, y), x - y, a, b);
    case Op::arctangent: {
      const Traced square = x * x + y * y;
      return combined(call(&atan2_function, x, y), a, b,
                      [&](D da, D db) { return (da * y - x * db) / square; });
    }
    default: {  // power
      if (y.is_constant()) {
        const double n = y.number();
        return a.through(raised(x, n), n == 0 ? Traced(0.0) : n * raised(x, n - 1));
      }
      const Traced p = call(&power_function, x, y), rate = p * of(&log_function, x),
                   slope = y * p / x;
      return combined(p, a, b, [&](D da, D db) {
        return (is(da, 0) ? da : slope * da) + (is(db, 0) ? db : rate * db);
      });
    }
  }
}

Slopes unary(Op op, const Slopes& a) {
  const Traced& x = a.value;
  switch (op) {
    case Op::negate:
      return a.through(-x, -1.0);
    case Op::sin:
      return a.through(sin(x), cos(x));
    case Op::cos:
      return a.through(cos(x), -sin(x));
    case Op::tan: {
      const Traced t = of(&tan_function, x);
      return a.through(t, 1.0 + t * t);
    }
    case Op::asin:
      return a.through(of(&asin_function, x), 1.0 / sqrt(1.0 - x * x));
    case Op::acos:
      return a.through(of(&acos_function, x), -1.0 / sqrt(1.0 - x * x));
    case Op::atan:
      return a.through(of(&atan_function, x), 1.0 / (1.0 + x * x));
    case Op::sinh:
      return a.through(of(&sinh_function, x), of(&cosh_function, x));
    case Op::cosh:
      return a.through(of(&cosh_function, x), of(&sinh_function, x));
    case Op::tanh: {
      const Traced t = of(&tanh_function, x);
      return a.through(t, 1.0 - t * t);
    }
    case Op::exp: {
      const Traced e = of(&exp_function, x);
      return a.through(e, e);
    }
    case Op::log:
      return a.through(of(&log_function, x), 1.0 / x);
    case Op::sqrt: {
      const Traced root = sqrt(x);
      return a.through(root, 0.5 / root);
    }
    default: {  // abs
      const Slopes minus = a.through(-x, -1.0);
      return chosen(call(&larger, x, minus.value), x, a, minus);
    }
  }
}

/// What the code says, written on the tape that is being recorded.
Slopes traced(const FormulaCode& code, std::span<const double> fixed,
              const tape::Recording& recording) {
  std::vector<Slopes> stack;
  for (const FormulaCode::Step& step : code.steps) {
    if (step.op == Op::number) {
      stack.push_back({Traced(step.value)});
    } else if (step.op == Op::variable) {
      const auto k = static_cast<std::size_t>(step.value);
      const bool open = k >= fixed.size() || std::isnan(fixed[k]);
      Slopes x{open ? recording.input({kInputs, static_cast<int>(k)}) : Traced(fixed[k])};
      if (open && k < x.d.size()) x.d[k] = Traced(1.0);
      stack.push_back(x);
    } else if (step.op < Op::negate) {
      const Slopes right = stack.back();
      stack.pop_back();
      stack.back() = binary(step.op, stack.back(), right);
    } else {
      stack.back() = unary(step.op, stack.back());
    }
  }
  return stack.back();
}

}  // namespace

bool FormulaCode::uses(int variable) const {
  return std::any_of(steps.begin(), steps.end(),
                     [=](const Step& s) { return s.op == Op::variable && s.value == variable; });
}

/// One tape of value and slopes (tape/tape.hpp), and the machine code of the value.
struct CompiledFormula::Recorded {
  tape::Tape tape;
  std::array<int, 1 + kSlopes> results{};        // steps of the value and of the slopes
  std::vector<int> value_order, slope_order;     // the steps that they need
  std::unique_ptr<const tape::Program> program;  // null: the tape is walked

  [[nodiscard]] std::vector<int> needed_by(std::span<const int> wanted) const;
  void carry_out(std::span<const int> order, const double* at, double* x) const;
};

CompiledFormula::CompiledFormula() : recorded_(std::make_unique<Recorded>()) {}
CompiledFormula::~CompiledFormula() = default;

std::shared_ptr<const CompiledFormula> CompiledFormula::make(const FormulaCode& code,
                                                             std::span<const double> fixed) {
  auto out = std::make_shared<CompiledFormula>();
  Recorded& r = *out->recorded_;
  {
    const tape::Recording recording(r.tape);
    const Slopes all = traced(code, fixed, recording);
    recording.output({kResults, 0}, all.value);
    r.results = {all.value.on(r.tape), all.d[0].on(r.tape), all.d[1].on(r.tape)};
  }
  if (r.tape.steps().size() > kMostSteps) return nullptr;
  r.value_order = r.needed_by(std::span(r.results).first(1));
  r.slope_order = r.needed_by(r.results);
  r.program = tape::Program::compile(r.tape, {kScratch, 0});
  if (r.program && r.program->shared_size() > kMostSteps) r.program.reset();
  return out;
}

std::vector<int> CompiledFormula::Recorded::needed_by(std::span<const int> wanted) const {
  const auto& steps = tape.steps();
  std::vector<char> needed(steps.size(), 0);
  for (const int step : wanted) needed[step] = 1;
  std::vector<int> out;
  for (int k = static_cast<int>(steps.size()); k-- > 0;) {
    if (!needed[k]) continue;
    out.push_back(k);
    if (steps[k].op == tape::Op::constant || steps[k].op == tape::Op::input) continue;
    needed[steps[k].a] = needed[steps[k].b] = 1;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

/// Step by step, with the results of the machine code to the last bit.
void CompiledFormula::Recorded::carry_out(std::span<const int> order, const double* at,
                                          double* x) const {
  const tape::Tape::Step* steps = tape.steps().data();
  double sine = 0, cosine = 0;
  for (const int k : order) {
    const tape::Tape::Step& s = steps[k];
    switch (s.op) {
      case tape::Op::constant:
        x[k] = s.number;
        break;
      case tape::Op::input:
        x[k] = at[s.place.index];
        break;
      case tape::Op::add:
        x[k] = x[s.a] + x[s.b];
        break;
      case tape::Op::subtract:
        x[k] = x[s.a] - x[s.b];
        break;
      case tape::Op::multiply:
        x[k] = x[s.a] * x[s.b];
        break;
      case tape::Op::divide:
        x[k] = x[s.a] / x[s.b];
        break;
      case tape::Op::negate:
        x[k] = -x[s.a];
        break;
      case tape::Op::root:
        x[k] = std::sqrt(x[s.a]);
        break;
      case tape::Op::call:
        x[k] = s.function(x[s.a], x[s.b]);
        break;
      case tape::Op::sine:
      case tape::Op::cosine:
        sin_cos(x[s.a], sine, cosine);
        x[k] = s.op == tape::Op::sine ? sine : cosine;
        break;
      default:
        x[k] = tape::carried_out(s.op, x[s.a], x[s.b]);
    }
  }
}

double CompiledFormula::value(const double* at) const {
  const Recorded& r = *recorded_;
  std::array<double, kMostSteps> x;  // only as much of it is touched as the formula is long
  if (!r.program) {
    r.carry_out(r.value_order, at, x.data());
    return x[r.results[0]];
  }
  double out = 0;
  r.program->run(0, {const_cast<double*>(at), &out, x.data(), nullptr});  // inputs are only read
  return out;
}

std::array<double, 1 + CompiledFormula::kSlopes> CompiledFormula::with_slopes(
    const double* at) const {
  const Recorded& r = *recorded_;
  std::array<double, kMostSteps> x;
  r.carry_out(r.slope_order, at, x.data());
  return {x[r.results[0]], x[r.results[1]], x[r.results[2]]};
}

std::optional<Traced> CompiledFormula::on_tape(std::span<const Traced> at) const {
  const Recorded& r = *recorded_;
  std::vector<Traced> x(r.tape.steps().size());
  for (const int k : r.value_order) {
    const tape::Tape::Step& s = r.tape.steps()[static_cast<std::size_t>(k)];
    if (s.op == tape::Op::constant) {
      x[k] = s.number;
      continue;
    }
    if (s.op == tape::Op::input) {
      x[k] = at[static_cast<std::size_t>(s.place.index)];
      continue;
    }
    const Traced &a = x[s.a], &b = x[s.b];
    switch (s.op) {
      case tape::Op::add:
        x[k] = a + b;
        break;
      case tape::Op::subtract:
        x[k] = a - b;
        break;
      case tape::Op::multiply:
        x[k] = a * b;
        break;
      case tape::Op::divide:
        x[k] = a / b;
        break;
      case tape::Op::negate:
        x[k] = -a;
        break;
      case tape::Op::root:
        x[k] = sqrt(a);
        break;
      case tape::Op::sine:
        x[k] = sin(a);
        break;
      case tape::Op::cosine:
        x[k] = cos(a);
        break;
      default:
        return {};
    }
  }
  return x[r.results[0]];
}

CompiledFormula::Probe::Probe(const CompiledFormula& formula)
    : formula_(formula), signs_(formula.recorded_->tape.steps().size(), 0) {}

double CompiledFormula::Probe::operator()(const double* at) {
  const Recorded& r = *formula_.recorded_;
  std::array<double, kMostSteps> x;
  r.carry_out(r.value_order, at, x.data());
  for (const int k : r.value_order) {
    const tape::Tape::Step& step = r.tape.steps()[k];
    if (step.op != tape::Op::divide) continue;
    const double divisor = x[step.b];
    const auto sign = static_cast<signed char>(divisor > 0 ? 1 : -1);
    if (divisor == 0 || signs_[k] * sign < 0) zero_ = true;
    signs_[k] = sign;
  }
  const double value = x[r.results[0]];
  return std::isfinite(value) ? value : std::nan("");
}

std::vector<double> decades(double from, double to) {
  std::vector<double> out{from};
  for (double x = 10 * from; x < 0.999 * to; x *= 10) out.push_back(x);
  out.push_back(to);
  return out;
}

}  // namespace freeplay::laws
