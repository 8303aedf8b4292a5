// SPDX-License-Identifier: Apache-2.0
#include "io/law_formula.hpp"

#include "io/dimension_forms.hpp"
#include "io/functions.hpp"
#include "io/text.hpp"
#include "joints/read_formula.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::io {
namespace {

using Op = laws::FormulaCode::Op;
using Code = std::vector<laws::FormulaCode::Step>;

/// A part of a formula: its code, what it is if no variable is in it, and its dimension.
struct Part {
  Code code;
  std::optional<double> number;
  DimensionForm dimension;
};

class LawCompiler {
 public:
  LawCompiler(const laws::FormulaUse& use, std::span<const LawParameter> parameters,
              std::optional<bool> angle)
      : use_(use), parameters_(parameters), angle_(angle.value_or(false)), checks_(angle) {
    for (const LawParameter& p : parameters)
      dimensions_.push_back(p.dimension ? DimensionForm(*p.dimension) : forms_.unknown());
  }

  laws::FormulaCode run(const Expression& expression) {
    for (const Step& step : expression.steps) take(step);
    const Part& whole = stack_.back();
    const std::string_view unit = angle_ ? use_.angular_unit : use_.unit;
    const Dimension wanted = parse_unit(unit)->dimension;
    if (checks_ && !forms_.equate(whole.dimension, wanted)) {
      const Dimension found = forms_.known(whole.dimension);
      throw ExpressionError(0,
                            "the " + std::string(use_.result) + " comes out in " +
                                unit_name(found) + "; expected " +
                                (unit == "1" ? "a number without unit" : std::string(unit)),
                            "a factor in " + unit_name(wanted / found) + " is missing");
    }
    return {whole.code};
  }

 private:
  void take(const Step& step) {
    using Kind = Step::Kind;
    switch (step.kind) {
      case Kind::literal:
        return push(step, step.value.value, literal(step.value));
      case Kind::name:
        return name(step);
      case Kind::variable:
        return variable(step);
      case Kind::call:
        return call(step);
      case Kind::negate:
        return unary(step, Op::negate, stack_.back().dimension);
      default:
        return binary(step);
    }
  }

  /// 0 is nothing of whatever it is compared with.
  DimensionForm literal(const Quantity& q) {
    return q.value == 0 && q.dimension.plain() ? forms_.unknown() : DimensionForm(q.dimension);
  }

  void push(const Step& step, double number, DimensionForm dimension) {
    if (!std::isfinite(number))
      throw ExpressionError(step.offset, "the result is not a finite number");
    stack_.push_back({{{Op::number, number}}, number, std::move(dimension)});
  }

  void name(const Step& step) {
    for (std::size_t k = 0; k < parameters_.size(); ++k)
      if (parameters_[k].name == step.name && step.component < 0)
        return push(step, parameters_[k].value, dimensions_[k]);
    std::vector<std::string> known = variables_of(use_, angle_);
    for (const LawParameter& p : parameters_) known.push_back(p.name);
    std::string hint = did_you_mean(step.name, known);
    if (hint.empty() || nearest(step.name, known).empty())
      hint = "parameters stand beside the formula, " + step.name + " = ...; variables are " +
             one_of_these(variables_of(use_, angle_), "and");
    throw ExpressionError(step.offset, "there is no parameter or variable " + quote(step.name),
                          hint);
  }

  void variable(const Step& step) {
    const auto found = std::ranges::find(use_.variables, step.name, &laws::Variable::name);
    const auto unit = std::string(angle_ ? found->angular_unit : found->unit);
    stack_.push_back({{{Op::variable, static_cast<double>(found - use_.variables.begin())}},
                      {},
                      DimensionForm(parse_unit(unit)->dimension)});
  }

  void unary(const Step& step, Op op, DimensionForm dimension, const Function* function = nullptr) {
    Part& a = stack_.back();
    if (a.number) {
      const std::array<Quantity, 1> given{Quantity{*a.number, {}}};
      const double result = function ? function->apply(given, step).value : -*a.number;
      stack_.pop_back();
      return push(step, result, std::move(dimension));
    }
    a.code.push_back({op, 0});
    a.dimension = std::move(dimension);
  }

  void call(const Step& step) {
    const Function& function = *find_function(step.name);
    if (const auto two = of_two(step.name)) {
      for (int k = 1; k < step.arguments; ++k) {
        const Part& b = stack_.back();
        const Part& a = stack_[stack_.size() - 2];
        if (checks_ && !forms_.equate(a.dimension, b.dimension))
          throw ExpressionError(step.offset,
                                step.name + "() of " + name_of(a) + " and " + name_of(b),
                                "give both the same unit");
        join(step, *two, *two == Op::arctangent ? DimensionForm(Dimension{}) : a.dimension);
      }
      return;
    }
    const auto op = of_one(step.name);
    if (!op)
      throw ExpressionError(step.offset, step.name + "() has no place in the formula of a law",
                            "give what it computes a name in [parameters]");
    const DimensionForm given = stack_.back().dimension;
    if (*op == Op::abs) return unary(step, *op, given, &function);
    if (*op == Op::sqrt) return unary(step, *op, given.times(0.5), &function);
    if (checks_ && !forms_.equate(given, Dimension{}))
      throw ExpressionError(
          step.offset,
          step.name + "() of " + name_of(stack_.back()) + "; a number without unit was expected",
          "divide by a parameter of the same unit");
    unary(step, *op, DimensionForm(Dimension{}), &function);
  }

  void binary(const Step& step) {
    using Kind = Step::Kind;
    const Part& b = stack_.back();
    const Part& a = stack_[stack_.size() - 2];
    switch (step.kind) {
      case Kind::add:
      case Kind::subtract:
        if (checks_ && !forms_.equate(a.dimension, b.dimension))
          throw ExpressionError(
              step.offset,
              std::string(step.kind == Kind::add ? "cannot add " : "cannot subtract ") +
                  name_of(a) + " and " + name_of(b));
        return join(step, step.kind == Kind::add ? Op::add : Op::subtract, a.dimension);
      case Kind::multiply:
        return join(step, Op::multiply, a.dimension.plus(b.dimension, 1));
      case Kind::divide:
        if (b.number && *b.number == 0) throw ExpressionError(step.offset, "division by zero");
        return join(step, Op::divide, a.dimension.plus(b.dimension, -1));
      default: {
        if (checks_ && !forms_.equate(b.dimension, Dimension{}))
          throw ExpressionError(
              step.offset, "the exponent is in " + name_of(b) + "; a plain number was expected");
        if (b.number) return join(step, Op::power, a.dimension.times(*b.number));
        if (checks_ && !forms_.equate(a.dimension, Dimension{}))
          throw ExpressionError(step.offset, name_of(a) + " to a power that varies has no unit",
                                "divide the base by a parameter of the same unit");
        return join(step, Op::power, DimensionForm(Dimension{}));
      }
    }
  }

  /// The two last parts become one.
  void join(const Step& step, Op op, DimensionForm dimension) {
    const Part b = std::move(stack_.back());
    stack_.pop_back();
    Part& a = stack_.back();
    if (a.number && b.number) {
      const double result = constant(op, *a.number, *b.number);
      stack_.pop_back();
      return push(step, result, std::move(dimension));
    }
    a.number.reset();
    a.code.insert(a.code.end(), b.code.begin(), b.code.end());
    a.code.push_back({op, 0});
    a.dimension = std::move(dimension);
  }

  static double constant(Op op, double a, double b) {
    switch (op) {
      case Op::add:
        return a + b;
      case Op::subtract:
        return a - b;
      case Op::multiply:
        return a * b;
      case Op::divide:
        return a / b;
      case Op::minimum:
        return std::min(a, b);
      case Op::maximum:
        return std::max(a, b);
      case Op::arctangent:
        return std::atan2(a, b);
      default:
        return std::pow(a, b);
    }
  }

  static std::optional<Op> of_two(std::string_view name) {
    if (name == "min") return Op::minimum;
    if (name == "max") return Op::maximum;
    if (name == "atan2") return Op::arctangent;
    return {};
  }
  static std::optional<Op> of_one(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, Op>, 13> known{{{"sin", Op::sin},
                                                                     {"cos", Op::cos},
                                                                     {"tan", Op::tan},
                                                                     {"asin", Op::asin},
                                                                     {"acos", Op::acos},
                                                                     {"atan", Op::atan},
                                                                     {"sinh", Op::sinh},
                                                                     {"cosh", Op::cosh},
                                                                     {"tanh", Op::tanh},
                                                                     {"exp", Op::exp},
                                                                     {"log", Op::log},
                                                                     {"sqrt", Op::sqrt},
                                                                     {"abs", Op::abs}}};
    for (const auto& [word, op] : known)
      if (word == name) return op;
    return {};
  }

  [[nodiscard]] std::string name_of(const Part& part) const {
    return unit_name(forms_.known(part.dimension));
  }

  const laws::FormulaUse& use_;
  std::span<const LawParameter> parameters_;
  bool angle_, checks_;
  DimensionForms forms_;
  std::vector<DimensionForm> dimensions_;  // of the parameters
  std::vector<Part> stack_;
};

bool is_name(std::string_view text) {
  return !text.empty() && starts_name(text[0]) && text[0] != '%' &&
         std::ranges::all_of(text, [](char c) { return continues_name(c); });
}

/// The parameters of one table as they are read.
class LawTableChecker {
 public:
  LawTableChecker(const LawTable& table, const CheckInput& input, Node::Entries& checked)
      : table_(table), input_(input), checked_(checked) {
    for (const Key& key : table.shape.keys)
      if (key.shape.use) key_ = &key;
  }

  void run() {
    const Node* text = table_.raw.find(key_->name);
    for (const Entry& entry : table_.raw.entries())
      if (is_parameter(entry)) parameter(entry);
    if (!text || !text->is_text()) return;
    const std::string path = table_.path + "." + key_->name;
    try {
      const Expression parsed =
          parse_expression(text->text(), variables_of(*key_->shape.use, table_.angle));
      const Lookup lookup = input_.parameters.lookup(text->scope);
      for (const Step& step : parsed.steps) look_up(step, lookup, *text);
      if (sound_)
        static_cast<void>(compile_law(parsed, *key_->shape.use, parameters_, table_.angle));
      if (sound_) refuse_unused(parsed);
    } catch (const ExpressionError& error) {
      if (sound_) report(error, *text, path, input_.diagnostics);
      sound_ = false;
    } catch (const BrokenParameter&) {
      sound_ = false;
    }
    if (!sound_)
      for (Entry& entry : checked_)
        if (entry.key == key_->name) entry.node.value = Node::Broken{};
  }

 private:
  bool is_parameter(const Entry& entry) const {
    return !entry.node.is_false() && !table_.shape.find(entry.key, &table_.kind);
  }

  void refuse(const Entry& entry, const std::string& why, const std::string& hint) {
    sound_ = false;
    input_.diagnostics.error(entry.place, table_.path + "." + entry.key, why, hint);
  }

  void parameter(const Entry& entry) {
    if (!is_name(entry.key))
      return refuse(
          entry,
          "the name " + quote(entry.key) + " cannot stand in a formula; letters, digits and _ can",
          "choose another name");
    if (is_reserved_name(entry.key))
      return refuse(entry, quote(entry.key) + " is a function or constant", "choose another name");
    const auto& variables = key_->shape.use->variables;
    const auto variable = std::ranges::find(variables, entry.key, &laws::Variable::name);
    if (variable != variables.end())
      return refuse(entry,
                    quote(entry.key) + " is a variable of the law: " + std::string(variable->doc),
                    "give the parameter another name");
    const std::string path = table_.path + "." + entry.key;
    const Node number = check_value(table_.shape.others->shape, entry.node, path, input_);
    if (number.broken()) {
      sound_ = false;
      return;
    }
    LawParameter out{entry.key, number.number(), {}};
    if (entry.node.is_text()) {
      const Quantity q =
          evaluate(parse_expression(entry.node.text()), input_.parameters.lookup(entry.node.scope));
      out.dimension = q.dimension;
    }
    add(out, entry.node, entry.place);
  }

  void add(LawParameter parameter, const Node& raw, Place place) {
    const bool bare = !parameter.dimension || parameter.dimension->plain();
    // A number in quotes is as bare as one without.
    if (bare) parameter.dimension.reset();
    const std::string unit = bare ? "" : written_unit(raw, *parameter.dimension);
    checked_.push_back({parameter.name, place, described_number(parameter.value, unit, place)});
    parameters_.push_back(std::move(parameter));
  }

  /// A name of the whole file becomes a parameter of the law.
  void look_up(const Step& step, const Lookup& lookup, const Node& text) {
    if (step.kind == Step::Kind::literal)
      return refuse_doubtful_units(step, [&](const std::string& name, std::size_t offset) {
        const Variables own = variables_of(*key_->shape.use, table_.angle);
        if (table_.raw.has(name) || std::ranges::find(own, name) != own.end()) return Value();
        return lookup(name, offset);
      });
    if (step.kind == Step::Kind::variable) {
      if (is_known(step.name, lookup))
        throw ExpressionError(
            step.offset,
            quote(step.name) + " is a parameter of the file, and here also a variable of the law",
            "give the parameter another name");
      return;
    }
    if (step.kind != Step::Kind::name) return;
    const bool known =
        std::ranges::find(parameters_, step.name, &LawParameter::name) != parameters_.end();
    if (known || table_.raw.has(step.name) || !is_known(step.name, lookup)) return;
    if (step.component >= 0)
      throw ExpressionError(step.offset, "components of points have no place in a law",
                            "give the number a name in [parameters]");
    const Quantity q = value_of_name(step, lookup).parts[0];
    add({step.name, q.value, q.dimension}, {}, text.place);
  }

  void refuse_unused(const Expression& parsed) {
    for (const Entry& entry : table_.raw.entries()) {
      if (!is_parameter(entry)) continue;
      const bool used = std::ranges::any_of(parsed.steps, [&](const Step& s) {
        return s.kind == Step::Kind::name && s.name == entry.key;
      });
      if (!used)
        refuse(entry, "the formula does not use " + quote(entry.key),
               "leave it out, or name it in '" + key_->name + "'");
    }
  }

  const LawTable& table_;
  const CheckInput& input_;
  Node::Entries& checked_;
  const Key* key_ = nullptr;
  std::vector<LawParameter> parameters_;
  bool sound_ = true;
};

}  // namespace

Variables variables_of(const laws::FormulaUse& use, bool angle) {
  Variables out;
  for (const laws::Variable& v : use.variables)
    if (!angle || !v.angular_unit.empty()) out.emplace_back(v.name);
  return out;
}

laws::FormulaCode compile_law(const Expression& expression, const laws::FormulaUse& use,
                              std::span<const LawParameter> parameters, std::optional<bool> angle) {
  return LawCompiler(use, parameters, angle).run(expression);
}

void check_law_formula(const LawTable& table, const CheckInput& input, Node::Entries& checked) {
  LawTableChecker(table, input, checked).run();
}

Node described_number(double value, const std::string& unit, Place place) {
  const auto entry = [&](const char* key, auto x) {
    Node node;
    node.value = x;
    node.place = place;
    return Entry{key, place, std::move(node)};
  };
  Node out;
  out.place = place;
  out.value = Node::Entries{entry("value", value), entry("unit", unit)};
  return out;
}

std::string written_unit(const Node& raw, const Dimension& dimension) {
  double number = 0;
  if (raw.is_text()) {
    const std::string& text = raw.text();
    const std::size_t sign = text.starts_with('-') ? 1 : 0,
                      digits = scan_number(std::string_view(text).substr(sign), number);
    std::size_t at = digits > 0 ? sign + digits : 0;
    while (at > 0 && at < text.size() && text[at] == ' ') ++at;
    const auto unit = at > 0 ? parse_unit(std::string_view(text).substr(at)) : std::nullopt;
    if (unit && unit->factor == 1 && unit->tens == 0) return text.substr(at);
  }
  return si_unit(dimension);
}

std::string si_unit(const Dimension& d) {
  std::string out;
  const auto put = [&](std::string_view name, double exponent) {
    if (std::abs(exponent) < 1e-9) return;
    out += (out.empty() ? "" : " ") + std::string(name);
    if (exponent != 1) out += "^" + shortest(exponent);
  };
  const double cycles = d.turn == Turn::cycle && d.s < 0 ? 1 : 0;
  put("kg", d.kg);
  put("m", d.m);
  put("K", d.K);
  if (cycles > 0) put("Hz", 1);
  if (d.turn == Turn::angle) put("rad", 1);
  put("s", d.s + cycles);
  return out;
}

}  // namespace freeplay::io

namespace freeplay::joints {

laws::FormulaCode read_formula(const Expression& expression, const laws::FormulaUse& use) {
  std::vector<io::LawParameter> parameters;
  for (const auto& p : expression.parameters) parameters.push_back({p.name, p.value, {}});
  try {
    // A name that only the other kind of stop has was found when the model was checked.
    return io::compile_law(io::parse_expression(expression.text, io::variables_of(use, false)), use,
                           parameters, {});
  } catch (const io::ExpressionError& error) {
    throw FormulaError(io::quote(expression.text) + ": " + error.what(), error.hint());
  }
}

}  // namespace freeplay::joints
