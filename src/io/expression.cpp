// SPDX-License-Identifier: Apache-2.0
#include "io/expression.hpp"

#include "io/functions.hpp"
#include "io/text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freeplay::io {
namespace {

constexpr int kDeepest = 200;  // chosen: parentheses, signs and powers inside each other

class Parser {
 public:
  Parser(std::string_view text, const Variables& variables) : text_(text), variables_(variables) {
    out_.text = text;
    open_ = std::ranges::find(variables, kAnything) != variables.end();
  }

  Expression run() {
    if (text_.size() > kLongestExpression)
      throw ExpressionError(0, "an expression of " + std::to_string(text_.size()) +
                                   " characters; at most " + std::to_string(kLongestExpression) +
                                   " are read");
    skip_blanks();
    if (at_ == text_.size())
      throw ExpressionError(at_, "nothing is written here; a value was expected");
    sum();
    if (at_ < text_.size()) unexpected();
    return std::move(out_);
  }

 private:
  // Counts how deep the rules have called each other, so that a million parentheses are a message.
  struct Level {
    explicit Level(Parser& p) : parser(p) {
      if (++p.depth_ > kDeepest)
        throw ExpressionError(p.at_, "nested more than " + std::to_string(kDeepest) + " deep");
    }
    ~Level() { --parser.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Parser& parser;
  };

  void sum() {
    const Level level(*this);
    product();
    for (;;) {
      const std::size_t where = at_;
      if (take('+'))
        product(), emit(Step::Kind::add, where);
      else if (take('-'))
        product(), emit(Step::Kind::subtract, where);
      else
        return;
    }
  }

  void product() {
    sign();
    for (;;) {
      const std::size_t where = at_;
      if (take('*'))
        sign(), emit(Step::Kind::multiply, where);
      else if (take('/'))
        sign(), emit(Step::Kind::divide, where);
      else
        return;
    }
  }

  void sign() {
    const Level level(*this);
    const std::size_t where = at_;
    if (take('-')) {
      sign();
      emit(Step::Kind::negate, where);
    } else if (take('+')) {
      sign();
    } else {
      power();
    }
  }

  void power() {
    primary();
    const std::size_t where = at_;
    if (!take('^')) return;
    sign();
    emit(Step::Kind::power, where);
  }

  void primary() {
    const std::size_t where = at_;
    if (take('(')) {
      sum();
      if (!take(')')) throw ExpressionError(at_, "a closing ')' is missing");
      return;
    }
    if (at_ < text_.size() && starts_name(text_[at_]) && text_[at_] != '%') return name();
    if (open_ && at_ < text_.size() && text_[at_] == '\'') return quoted_path();
    double number = 0;
    if (const std::size_t length = scan_number(text_.substr(at_), number)) return literal(length);
    at_ = where;
    if (at_ == text_.size())
      throw ExpressionError(at_, "the expression ends where a value was expected");
    unexpected();
  }

  // A number and, behind it, perhaps a unit.
  void literal(std::size_t length) {
    const std::size_t where = at_;
    at_ += length;
    Unit unit;
    std::size_t end = at_;
    Step step;
    if (const auto found = scan_unit(text_, end)) {
      unit = *found;
      note_names(text_.substr(at_, end - at_), step);
      at_ = end;
    } else {
      skip_blanks();
      if (at_ < text_.size() && starts_name(text_[at_])) unknown_unit(where);
    }
    step.offset = where;
    scan_number(text_.substr(where, length), step.value.value, unit.tens);
    step.value.value *= unit.factor;
    step.value.dimension = unit.dimension;
    if (!std::isfinite(step.value.value))
      throw ExpressionError(where,
                            "the number " + quote(text_.substr(where, length)) + " is too large");
    out_.steps.push_back(std::move(step));
    skip_blanks();
  }

  /// Names in a unit; behind a * or / they could be parameters as well.
  static void note_names(std::string_view unit, Step& step) {
    bool behind = false;
    for (std::size_t i = 0; i < unit.size();) {
      behind = behind || unit[i] == '*' || unit[i] == '/';
      if (!starts_name(unit[i])) {
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      while (end < unit.size() && continues_name(unit[end])) ++end;
      step.units.emplace_back(unit.substr(i, end - i));
      if (behind) step.doubtful.push_back(step.units.back());
      i = end;
    }
  }

  [[noreturn]] void unknown_unit(std::size_t number) {
    const std::size_t where = at_;
    const std::string word = identifier();
    if (at_ < text_.size() && text_[at_] == '(')
      throw ExpressionError(where, "an operator is missing before " + quote(word));
    if (text_[number] == '0' && (word[0] == 'x' || word[0] == 'b' || word[0] == 'o'))
      throw ExpressionError(number, "numbers in strings are decimal");
    throw ExpressionError(where, quote(word) + " is not a unit", unit_remedy(word));
  }

  /// "Nm" is "N m", "mm2" is "mm^2"; anything else, the nearest unit.
  static std::string unit_remedy(const std::string& word) {
    std::string guess;
    const std::string_view view = word;
    for (std::size_t i = 1; i < view.size() && guess.empty(); ++i) {
      const std::string_view head = view.substr(0, i), tail = view.substr(i);
      double exponent = 0;
      const auto first = find_unit(head), second = find_unit(tail);
      if (!first) continue;
      if (second && !first->dimension.same_physics(second->dimension))
        guess = std::string(head) + " " + std::string(tail);
      else if (scan_number(tail, exponent) == tail.size())
        guess = std::string(head) + "^" + std::string(tail);
    }
    if (guess.empty()) guess = nearest(word, unit_names());
    return guess.empty() ? "write products with '*'" : "did you mean " + quote(guess) + "?";
  }

  void name() {
    Step step;
    step.offset = at_;
    step.name = identifier();
    if (open_ && at_ < text_.size() && text_[at_] == '/' && is_group_of_paths(step.name))
      return path(std::move(step));
    if (at_ < text_.size() && text_[at_] == '(') {
      step.kind = Step::Kind::call;
      const Function* function = find_function(step.name);
      if (!function)
        throw ExpressionError(step.offset, quote(step.name) + " is not a function",
                              did_you_mean(step.name, function_names()));
      ++at_;
      skip_blanks();
      do {
        sum();
        ++step.arguments;
      } while (take(','));
      if (!take(')')) throw ExpressionError(at_, "a closing ')' is missing");
      if (step.arguments < function->least || step.arguments > function->most)
        throw ExpressionError(step.offset,
                              step.name + "() has " + std::to_string(step.arguments) +
                                  " arguments; expected " + std::to_string(function->least) +
                                  (function->most > function->least ? " or more" : ""));
    } else if (step.name == "pi") {
      step.value.value = std::numbers::pi;
    } else if (std::find(variables_.begin(), variables_.end(), step.name) != variables_.end()) {
      step.kind = Step::Kind::variable;
    } else if (is_reserved_name(step.name) && step.name != "min") {
      throw ExpressionError(step.offset,
                            step.name + " is a function and needs arguments in parentheses");
    } else {
      step.kind = Step::Kind::name;
      component(step);
    }
    out_.steps.push_back(std::move(step));
    skip_blanks();
  }

  /// "joints/pin/rate", "bodies/rod/position.x"
  void path(Step step) {
    // What follows the last part is divided by: "joints/pin/rate/2".
    int parts = step.name == "energy" ? 100 : step.name == "signals" ? 1 : 2;
    const auto goes_on = [&] {
      return continues_name(text_[at_]) || (text_[at_] == '/' && parts-- > 0);
    };
    while (at_ < text_.size() && goes_on()) step.name += text_[at_++];
    if (at_ + 1 < text_.size() && text_[at_] == '.' && starts_name(text_[at_ + 1])) {
      step.name += text_[at_++];
      step.name += identifier();
    }
    read(std::move(step));
  }
  /// 'joints/crank-pin/rate', where a name has characters of its own.
  void quoted_path() {
    Step step;
    step.offset = at_++;
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos || end == at_)
      throw ExpressionError(step.offset, "the name that begins here has no end",
                            "a path stands between two ' marks");
    step.name = text_.substr(at_, end - at_);
    at_ = end + 1;
    read(std::move(step));
  }
  void read(Step step) {
    step.kind = Step::Kind::variable;
    out_.steps.push_back(std::move(step));
    skip_blanks();
  }

  /// ".x" behind the name of a vector.
  void component(Step& step) {
    if (at_ + 1 >= text_.size() || text_[at_] != '.') return;
    const std::size_t which = std::string_view("xyz").find(text_[at_ + 1]);
    if (which == std::string_view::npos ||
        (at_ + 2 < text_.size() && continues_name(text_[at_ + 2])))
      throw ExpressionError(at_, "unexpected '.' behind " + quote(step.name),
                            "components of a point are " + step.name + ".x, .y and .z");
    step.component = static_cast<int>(which);
    at_ += 2;
  }

  std::string identifier() {
    const std::size_t start = at_++;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  void emit(Step::Kind kind, std::size_t where) {
    Step step;
    step.kind = kind;
    step.offset = where;
    out_.steps.push_back(std::move(step));
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_blanks();
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  [[noreturn]] void unexpected() {
    std::size_t end = at_ + 1;  // a whole UTF-8 sequence
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80) ++end;
    const std::string_view seen = text_.substr(at_, end - at_);
    throw ExpressionError(at_, "unexpected " + quote(seen) + " in an expression",
                          seen == "," ? "decimals are written with a point" : "");
  }

  std::string_view text_;
  const Variables& variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool open_ = false;  // names of what is recorded may stand in it
  Expression out_;
};

}  // namespace

Expression parse_expression(std::string_view text, const Variables& variables) {
  return Parser(text, variables).run();
}

bool is_group_of_paths(std::string_view word) {
  constexpr std::string_view kGroups[] = {"bodies", "joints",  "markers",     "couplings",
                                          "forces", "signals", "controllers", "energy"};
  return std::ranges::find(kGroups, word) != std::end(kGroups);
}

bool is_reserved_name(std::string_view name) {
  const Function* function = find_function(name);
  return name == "pi" || (function && !function->of_points);
}

}  // namespace freeplay::io
