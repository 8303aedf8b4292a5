// SPDX-License-Identifier: Apache-2.0
#include "tape/program.hpp"

#include "core/sin_cos.hpp"

#if defined(__x86_64__) && !defined(_WIN32)  // the calls are those of System V
#include <asmjit/asmjit.h>

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>
#endif

namespace freeplay::tape {

#if defined(__x86_64__) && !defined(_WIN32)  // the calls are those of System V
namespace {

namespace x86 = asmjit::x86;

/// Memory that may be executed; one for all threads, which it can deal with.
asmjit::JitRuntime& runtime() {
  static asmjit::JitRuntime all;
  return all;
}

/// Instructions that could not be written: no memory, or a mistake of ours.
struct Refusals final : asmjit::ErrorHandler {
  bool any = false;
  void handleError(asmjit::Error, const char*, asmjit::BaseEmitter*) override { any = true; }
};

void sine_and_cosine(double angle, double* sine, double* cosine) { sin_cos(angle, *sine, *cosine); }

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
  int size_ = 0;
};

/// Writes the machine code of one stage. Without branches it is known when every value is needed
/// next: the one that is needed last makes room when registers run out (Belady 1966). Inputs and
/// constants stay in memory.
class Writer {
 public:
  Writer(x86::Assembler& code, const Tape& tape, Plan& plan, int stage)
      : code_(code), tape_(tape), plan_(plan), stage_(stage), constants_(code.newLabel()) {
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
      steps_.push_back(s);
    }
    std::reverse(steps_.begin(), steps_.end());
    for (const Tape::Output& output : tape.outputs())
      if (output.stage == stage) outputs_.push_back({output.step, output.place});
    std::stable_sort(outputs_.begin(), outputs_.end(),
                     [](const Result& x, const Result& y) { return x.step < y.step; });
  }

  void write() {
    const bool calls = !turns_.empty();
    for (std::size_t k = 0; k < kBlocks; ++k) block_[k] = calls ? kSaved[k] : kGiven[k];
    if (calls) {
      for (const x86::Gp& r : kSaved) code_.push(r);
      code_.push(x86::rax);  // calls want the stack in sixteens
      for (std::size_t k = 0; k < kBlocks; ++k) code_.mov(kSaved[k], kGiven[k]);
    }
    for (const int s : steps_) carry_out(s);
    for (const Result& result : outputs_)  // what was there before
      if (!is_made_here(result.step)) put(result);
    if (calls) {
      code_.pop(x86::rax);
      for (std::size_t k = kBlocks; k-- > 0;) code_.pop(kSaved[k]);
    }
    code_.ret();
    code_.align(asmjit::AlignMode::kZero, 16);
    code_.bind(constants_);
    for (const std::uint64_t bits : pool_) code_.embedUInt64(bits);
  }

 private:
  static constexpr x86::Gp kSaved[kBlocks] = {x86::rbx, x86::rbp, x86::r12, x86::r13};
  static constexpr x86::Gp kGiven[kBlocks] = {x86::rdi, x86::rsi, x86::rdx, x86::rcx};
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
  static x86::Xmm xmm(int r) { return x86::xmm(static_cast<std::uint32_t>(r)); }
  [[nodiscard]] x86::Mem at(Place place) const {
    return x86::qword_ptr(block_[place.block], 8 * place.index);
  }
  x86::Mem constant(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    const auto [known, fresh] = pooled_.try_emplace(bits, static_cast<std::int32_t>(pool_.size()));
    if (fresh) pool_.push_back(bits);
    return x86::qword_ptr(constants_, 8 * known->second);
  }
  [[nodiscard]] bool in_register(int s) const { return register_[s] >= 0; }
  asmjit::Operand operand(int s) {
    if (in_register(s)) return xmm(register_[s]);
    const Tape::Step& step = tape_.steps()[s];
    if (step.op == Op::constant) return constant(step.number);
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
  int free_register() {
    int best = 0, last = -1;
    for (int r = 0; r < kRegisters; ++r) {
      if (holds_[r] < 0) return r;
      const int next = next_use_[holds_[r]];
      if (next > last) best = r, last = next;
    }
    evict(best);
    return best;
  }

  void carry_out(int s) {
    const Tape::Step& step = tape_.steps()[s];
    if (step.op == Op::sine || step.op == Op::cosine) {
      if (!turns_[step.a].done) turn(step.a);
      used(s, step.a);
      put_all(s);
      return;
    }
    int a = step.a, b = step.b;
    if ((step.op == Op::add || step.op == Op::multiply) && !in_register(a)) std::swap(a, b);
    asmjit::Operand first = operand(a), second = operand(b);
    // The result may take the place of an operand, unless it has to be there before the operand is
    // read.
    const bool load = first.isMem();
    used(s, a);
    if (!load) used(s, b);
    const int r = free_register();
    if (load) {
      used(s, b);
      code_.vmovsd(xmm(r), first.as<x86::Mem>());
      if (a == b) second = xmm(r);
      first = xmm(r);
    }
    if (step.op == Op::negate)
      code_.vxorpd(xmm(r), first.as<x86::Xmm>(), x86::xmmword_ptr(constants_));
    else
      code_.emit(instruction(step.op), xmm(r), first, step.op == Op::root ? first : second);
    holds_[r] = s;
    register_[s] = r;
    if (plan_.has_home(s)) code_.vmovsd(at(plan_.home(s)), xmm(r));
    put_all(s);
    if (next_use_[s] == kNever) release(r);
  }
  static asmjit::InstId instruction(Op op) {
    switch (op) {
      case Op::add:
        return x86::Inst::kIdVaddsd;
      case Op::subtract:
        return x86::Inst::kIdVsubsd;
      case Op::multiply:
        return x86::Inst::kIdVmulsd;
      case Op::divide:
        return x86::Inst::kIdVdivsd;
      default:
        return x86::Inst::kIdVsqrtsd;
    }
  }
  /// Sine and cosine of an angle, in one call, which leaves no register as it was.
  void turn(int angle) {
    Turn& both = turns_[angle];
    const asmjit::Operand from = operand(angle);
    for (int r = 0; r < kRegisters; ++r) evict(r);
    code_.emit(from.isMem() ? x86::Inst::kIdVmovsd : x86::Inst::kIdVmovapd, x86::xmm0, from);
    const auto place = [&](int s) { return at(s < 0 ? plan_.scratch(1) : plan_.give_home(s)); };
    code_.lea(x86::rdi, place(both.sine));
    code_.lea(x86::rsi, place(both.cosine));
    code_.mov(x86::rax, asmjit::imm(reinterpret_cast<void*>(&sine_and_cosine)));
    code_.call(x86::rax);
    both.done = true;
  }
  /// A value as a result of the stage.
  void put(const Result& result) {
    asmjit::Operand from = operand(result.step);
    if (from.isMem()) {
      const x86::Xmm passing = xmm(free_register());
      code_.vmovsd(passing, from.as<x86::Mem>());
      from = passing;
    }
    code_.vmovsd(at(result.place), from.as<x86::Xmm>());
  }
  void put_all(int s) {
    auto result = std::lower_bound(outputs_.begin(), outputs_.end(), s,
                                   [](const Result& x, int step) { return x.step < step; });
    for (; result != outputs_.end() && result->step == s; ++result) put(*result);
  }

  x86::Assembler& code_;
  const Tape& tape_;
  Plan& plan_;
  int stage_;
  asmjit::Label constants_;
  std::vector<std::uint64_t> pool_ = {1ULL << 63, 0};       // the sign bit, then constants
  std::unordered_map<std::uint64_t, std::int32_t> pooled_;  // where a constant is among them
  x86::Gp block_[kBlocks];
  std::vector<int> steps_;                     // carried out here
  std::vector<int> next_use_;                  // of each step: who reads it next
  std::vector<std::array<int, 2>> later_use_;  // of the operands of each step: who reads them then
  std::vector<Result> outputs_;                // by steps
  std::vector<int> register_;                  // of each step; -1: none
  std::array<int, kRegisters> holds_{};        // of each register: a step, -1: none
  std::unordered_map<int, Turn> turns_;
};

}  // namespace

bool Program::available() {
  return asmjit::CpuInfo::host().hasFeature(asmjit::CpuFeatures::X86::kAVX);
}

std::unique_ptr<const Program> Program::compile(const Tape& tape, Place shared) {
  if (!available()) return nullptr;
  Plan plan(tape, shared);
  std::unique_ptr<Program> program(new Program);
  for (int stage = 0; stage < tape.stages(); ++stage) {
    asmjit::CodeHolder holder;
    Refusals refusals;
    if (holder.init(runtime().environment()) != asmjit::kErrorOk) return nullptr;
    holder.setErrorHandler(&refusals);
    x86::Assembler code(&holder);
    Writer(code, tape, plan, stage).write();
    Function function = nullptr;
    if (refusals.any || runtime().add(&function, &holder) != asmjit::kErrorOk) return nullptr;
    program->functions_.push_back(function);
  }
  program->shared_size_ = plan.size();
  return program;
}

Program::~Program() {
  for (const Function function : functions_) runtime().release(function);
}

#else

bool Program::available() { return false; }
std::unique_ptr<const Program> Program::compile(const Tape&, Place) { return nullptr; }
Program::~Program() = default;

#endif

}  // namespace freeplay::tape
