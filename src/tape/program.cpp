// SPDX-License-Identifier: Apache-2.0
#include "tape/program.hpp"

#include "tape/encoder.hpp"
#include "tape/turn_code.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>
#include <utility>

namespace freeplay::tape {
namespace {

/// Which steps have to be carried out, and where in memory values wait: those that later stages
/// need, and those that registers have no room for.
class Plan {
 public:
  Plan(const Tape& tape, Place first) : tape_(tape), first_(first) {
    needed_.assign(tape.steps().size(), false);
    home_.assign(tape.steps().size(), kNone);
    for (const Tape::Output& output : tape.outputs()) {
      needed_[output.step] = true;
      if (computed(output.step) && tape.stage_of(output.step) != output.stage)
        give_home(output.step);
    }
    for (int s = static_cast<int>(needed_.size()); s-- > 0;) {
      if (!carried_out(s)) continue;
      for (const int operand : {tape.steps()[s].a, tape.steps()[s].b}) {
        needed_[operand] = true;
        if (computed(operand) && tape.stage_of(operand) != tape.stage_of(s)) give_home(operand);
      }
    }
    kept_ = size_;
  }
  [[nodiscard]] bool carried_out(int step) const { return needed_[step] && computed(step); }
  [[nodiscard]] bool has_home(int step) const { return home_[step] != kNone; }
  [[nodiscard]] Place home(int step) const { return {first_.block, home_[step]}; }
  Place give_home(int step) {
    if (!has_home(step)) home_[step] = scratch(1).index;
    return home(step);
  }
  /// Room for so many numbers.
  Place scratch(int count) {
    const Place out{first_.block, first_.index + size_};
    size_ += count;
    return out;
  }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int kept() const { return kept_; }

 private:
  static constexpr int kNone = -1;
  [[nodiscard]] bool computed(int step) const {
    const Op op = tape_.steps()[step].op;
    return op != Op::constant && op != Op::input;
  }

  const Tape& tape_;
  Place first_;
  std::vector<char> needed_;
  std::vector<int> home_;
  int size_ = 0, kept_ = 0;
};

/// Writes the machine code of one stage. Without branches it is known when every value is needed
/// next: the one that is needed last makes room when registers run out (Belady 1966). Inputs and
/// constants stay in memory.
class Writer {
 public:
  /// `constants`: the block they are in; -1: they are part of the code.
  Writer(Encoder& code, const Tape& tape, Plan& plan, int stage, int constants)
      : code_(code), tape_(tape), plan_(plan), stage_(stage) {
    if (constants >= 0) {
      constant_.resize(tape.steps().size());
      Place next{constants, 0};
      for (std::size_t s = 0; s < constant_.size(); ++s)
        if (tape.steps()[s].op == Op::constant) {
          constant_[s] = next;
          ++next.index;
        }
    }
    const std::size_t count = tape.steps().size();
    register_.assign(count, -1);
    next_use_.assign(count, kNever);
    later_use_.resize(count);
    holds_.fill(-1);
    for (int s = static_cast<int>(count); s-- > 0;) {
      if (!is_made_here(s)) continue;
      const Tape::Step& step = tape.steps()[s];
      later_use_[s] = {next_use_[step.a], next_use_[step.b]};
      next_use_[step.a] = next_use_[step.b] = s;
      if (step.op == Op::sine) turns_[step.a].sine = s;
      if (step.op == Op::cosine) turns_[step.a].cosine = s;
      calls_ = calls_ || step.op == Op::call;
      steps_.push_back(s);
    }
    std::reverse(steps_.begin(), steps_.end());
    for (const Tape::Output& output : tape.outputs())
      if (output.stage == stage) outputs_.push_back({output.step, output.place});
    std::stable_sort(outputs_.begin(), outputs_.end(),
                     [](const Result& x, const Result& y) { return x.step < y.step; });
  }

  void write() {
    for (std::size_t k = 0; k < kBlocks; ++k) block_[k] = calls_ ? kSaved[k] : kGiven[k];
    if (calls_) {
      // An odd number of them, and of the blocks: calls want the stack in sixteens.
      for (const Gp r : kSaved) code_.push(r);
      for (std::size_t k = 0; k < kBlocks; ++k) code_.mov(kSaved[k], kGiven[k]);
    }
    for (const int s : steps_) carry_out(s);
    for (const Result& result : outputs_)  // what was there before
      if (!is_made_here(result.step)) put(result);
    if (calls_)
      for (std::size_t k = kBlocks; k-- > 0;) code_.pop(kSaved[k]);
    if (code_.width() > 1) code_.vzeroupper();
    code_.ret();
    for (const TurnCode& turn : turn_codes_)
      turn.write_way_round(code_, calls_ ? std::span<const Gp>() : kGiven);
  }

 private:
  // Where functions of System V find their arguments, and registers that calls leave as they are:
  // of those the ones with the shortest addresses (r12 and r13 take a byte more).
  static constexpr Gp kGiven[kBlocks] = {Gp::rdi, Gp::rsi, Gp::rdx, Gp::rcx, Gp::r8};
  static constexpr Gp kSaved[kBlocks] = {Gp::rbx, Gp::rbp, Gp::r14, Gp::r15, Gp::r12};
  static constexpr int kRegisters = 16;
  static constexpr int kNever = -1;
  struct Turn {
    int sine = -1, cosine = -1;
    bool done = false;
  };
  struct Result {
    int step = 0;
    Place place;
  };

  [[nodiscard]] bool is_made_here(int s) const {
    return plan_.carried_out(s) && tape_.stage_of(s) == stage_;
  }
  static Xmm xmm(int r) { return {static_cast<std::uint8_t>(r)}; }
  [[nodiscard]] Operand at(Place place) const {
    return Operand::at(block_[place.block], 8 * code_.width() * place.index);
  }
  [[nodiscard]] bool in_register(int s) const { return register_[s] >= 0; }
  Operand operand(int s) {
    if (in_register(s)) return xmm(register_[s]);
    const Tape::Step& step = tape_.steps()[s];
    if (step.op == Op::constant)
      return constant_.empty() ? code_.literal(std::bit_cast<std::uint64_t>(step.number))
                               : at(constant_[static_cast<std::size_t>(s)]);
    return at(step.op == Op::input ? step.place : plan_.home(s));
  }

  void release(int r) {
    register_[holds_[r]] = -1;
    holds_[r] = -1;
  }
  /// Empties a register; what is still needed goes to memory.
  void evict(int r) {
    const int s = holds_[r];
    if (s < 0) return;
    if (next_use_[s] != kNever && !plan_.has_home(s)) code_.vmovsd(at(plan_.give_home(s)), xmm(r));
    release(r);
  }
  /// Step s has read this operand.
  void used(int s, int operand) {
    next_use_[operand] = later_use_[s][operand == tape_.steps()[s].a ? 0 : 1];
    if (next_use_[operand] == kNever && in_register(operand)) release(register_[operand]);
  }
  /// One that none of those in `taken` is.
  int free_register(unsigned taken = 0) {
    int best = 0, last = -1;
    for (int r = 0; r < kRegisters; ++r) {
      if ((taken >> static_cast<unsigned>(r) & 1U) != 0) continue;
      if (holds_[r] < 0) return r;
      const int next = next_use_[holds_[r]];
      if (next > last) best = r, last = next;
    }
    evict(best);
    return best;
  }
  /// A number as an operand that is a register, though it may lie in memory.
  Xmm loaded(int s, unsigned& taken) {
    const Operand from = operand(s);
    const Xmm r = from.is_memory() ? xmm(free_register(taken)) : from.xmm();
    if (from.is_memory()) code_.vmovsd(r, from);
    taken |= 1U << r.number;
    return r;
  }

  void carry_out(int s) {
    const Tape::Step& step = tape_.steps()[s];
    if (step.op == Op::sine || step.op == Op::cosine) {
      if (!turns_[step.a].done) turn(step.a);
      return used(s, step.a);
    }
    if (step.op == Op::call) return call(s);
    if (step.op >= Op::both) return bit_by_bit(s);
    int a = step.a, b = step.b;
    if ((step.op == Op::add || step.op == Op::multiply) && !in_register(a)) std::swap(a, b);
    Operand first = operand(a), second = operand(b);
    // The result may take the place of an operand, unless it has to be there before the operand is
    // read.
    const bool load = first.is_memory();
    used(s, a);
    if (!load) used(s, b);
    const int r = free_register();
    if (load) {
      used(s, b);
      code_.vmovsd(xmm(r), first);
      if (a == b) second = xmm(r);
      first = xmm(r);
    }
    if (step.op == Op::negate)
      code_.negate(xmm(r), first.xmm());
    else if (step.op >= Op::less)
      code_.vcmpsd(relation(step.op), xmm(r), first.xmm(), second);
    else
      code_.scalar(instruction(step.op), xmm(r), first.xmm(), step.op == Op::root ? first : second);
    keep(s, r);
  }
  /// The result of a step, in that register.
  void keep(int s, int r) {
    holds_[r] = s;
    register_[s] = r;
    if (plan_.has_home(s)) code_.vmovsd(at(plan_.home(s)), xmm(r));
    put_all(s);
    if (next_use_[s] == kNever) release(r);
  }
  /// A function, which finds its arguments in the first two registers and leaves none as it was.
  void call(int s) {
    const Tape::Step& step = tape_.steps()[s];
    for (int r = 0; r < kRegisters; ++r) evict(r);
    code_.vmovsd(xmm(0), operand(step.a));
    code_.vmovsd(xmm(1), operand(step.b));
    code_.call(code_.literal(reinterpret_cast<std::uintptr_t>(step.function)));
    used(s, step.a);
    used(s, step.b);
    keep(s, 0);
  }
  static Arithmetic instruction(Op op) {
    switch (op) {
      case Op::add:
        return Arithmetic::vaddsd;
      case Op::subtract:
        return Arithmetic::vsubsd;
      case Op::multiply:
        return Arithmetic::vmulsd;
      case Op::divide:
        return Arithmetic::vdivsd;
      default:
        return Arithmetic::vsqrtsd;
    }
  }
  static Relation relation(Op op) {
    return op == Op::less      ? Relation::less
           : op == Op::at_most ? Relation::at_most
                               : Relation::equal;
  }
  /// Such instructions read sixteen bytes of memory, more than a number has.
  void bit_by_bit(int s) {
    const Tape::Step& step = tape_.steps()[s];
    unsigned taken = 0;
    const Xmm a = loaded(step.a, taken), b = loaded(step.b, taken);
    used(s, step.a);
    used(s, step.b);
    const int r = free_register();
    if (step.op == Op::both)
      code_.bitwise(Bitwise::vandpd, xmm(r), a, b);
    else if (step.op == Op::either)
      code_.bitwise(Bitwise::vorpd, xmm(r), a, b);
    else
      code_.bitwise(Bitwise::vandnpd, xmm(r), b, a);
    keep(s, r);
  }
  /// Sine and cosine of an angle.
  void turn(int angle) {
    Turn& both = turns_[angle];
    both.done = true;
    unsigned taken = 0;
    const Xmm from = loaded(angle, taken);
    TurnCode::Scratch scratch;
    for (Xmm& r : scratch) {
      r = xmm(free_register(taken));
      taken |= 1U << r.number;
    }
    const TurnCode& made = turn_codes_.emplace_back(code_, from, scratch);
    if (both.sine >= 0) keep(both.sine, made.sine().number);
    if (both.cosine >= 0) keep(both.cosine, made.cosine().number);
  }
  /// A value as a result of the stage.
  void put(const Result& result) {
    Operand from = operand(result.step);
    if (from.is_memory()) {
      const Xmm passing = xmm(free_register());
      code_.vmovsd(passing, from);
      from = passing;
    }
    code_.vmovsd(at(result.place), from.xmm());
  }
  void put_all(int s) {
    auto result = std::lower_bound(outputs_.begin(), outputs_.end(), s,
                                   [](const Result& x, int step) { return x.step < step; });
    for (; result != outputs_.end() && result->step == s; ++result) put(*result);
  }

  Encoder& code_;
  const Tape& tape_;
  Plan& plan_;
  int stage_;
  Gp block_[kBlocks] = {};
  std::vector<Place> constant_;                // of each step that is one; empty: in the code
  std::vector<int> steps_;                     // carried out here
  std::vector<int> next_use_;                  // of each step: who reads it next
  std::vector<std::array<int, 2>> later_use_;  // of the operands of each step: who reads them then
  std::vector<Result> outputs_;                // by steps
  std::vector<int> register_;                  // of each step; -1: none
  std::array<int, kRegisters> holds_{};        // of each register: a step, -1: none
  std::unordered_map<int, Turn> turns_;
  std::vector<TurnCode> turn_codes_;
  bool calls_ = false;
};

}  // namespace

bool Program::available() {
#if defined(__x86_64__) && !defined(_WIN32)  // the calls are those of System V
  return __builtin_cpu_supports("avx");
#else
  return false;
#endif
}

bool Program::packed_available() {
#if defined(__x86_64__) && !defined(_WIN32)
  return available() && __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

std::unique_ptr<const Program> Program::compile(const Tape& tape, Place shared) {
  return available() ? make(tape, shared, 1, -1) : nullptr;
}

std::unique_ptr<const Program> Program::compile_packed(const Tape& tape, Place shared,
                                                       int constants) {
  const bool calls = std::any_of(tape.steps().begin(), tape.steps().end(),
                                 [](const Tape::Step& s) { return s.op == Op::call; });
  return packed_available() && !calls ? make(tape, shared, kLanes, constants) : nullptr;
}

std::unique_ptr<const Program> Program::make(const Tape& tape, Place shared, int width,
                                             int constants) {
  Plan plan(tape, shared);
  Encoder code(width);
  std::vector<std::size_t> begins;
  for (int stage = 0; stage < tape.stages(); ++stage) {
    begins.push_back(code.begin_function());
    Writer(code, tape, plan, stage, constants).write();
  }
  std::unique_ptr<Program> program(new Program);
  program->code_ = ExecutableMemory(std::move(code).finish());
  if (!program->code_) return nullptr;
  for (const std::size_t begin : begins)
    program->functions_.push_back(program->code_.function<Function>(begin));
  program->shared_size_ = plan.size();
  program->kept_size_ = plan.kept();
  return program;
}

}  // namespace freeplay::tape
