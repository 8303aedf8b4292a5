// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

// The instructions of x86-64 that tapes are made of, as bytes: moves, calls and the arithmetic of
// AVX (Intel's manual, volume 2: instruction formats in chapter 2, instructions in 3 to 5). Each is
// written in its shortest form. What is written runs wherever it is put: it refers to nothing
// outside by distance.
//
// Instructions are named as in scalar code, which works on one number. The same methods write
// packed code, which does the same to four numbers side by side: vaddpd on ymm registers for vaddsd
// and so on. Only moves to and from memory read and write four then, at any address.
namespace freeplay::tape {

/// General registers, numbered as in the encoding.
enum class Gp : std::uint8_t {
  rax,
  rcx,
  rdx,
  rbx,
  rsp,
  rbp,
  rsi,
  rdi,
  r8,
  r9,
  r10,
  r11,
  r12,
  r13,
  r14,
  r15
};

/// A register for floating-point numbers, 0 to 15; scalar code uses its lowest quarter.
struct Xmm {
  std::uint8_t number = 0;
};

/// What an instruction reads or writes: a register, or a place in memory.
class Operand {
 public:
  Operand(Xmm xmm) : kind_(Kind::xmm), code_(xmm.number) {}
  /// So many bytes after where `base` points to.
  static Operand at(Gp base, std::int32_t displacement) {
    return {Kind::based, static_cast<std::uint8_t>(base), displacement};
  }

  [[nodiscard]] bool is_memory() const { return kind_ != Kind::xmm; }
  /// The register, of an operand that is one.
  [[nodiscard]] Xmm xmm() const { return {code_}; }

 private:
  friend class Encoder;
  enum class Kind : std::uint8_t { xmm, based, literal };
  Operand(Kind kind, std::uint8_t code, std::int32_t offset)
      : kind_(kind), code_(code), offset_(offset) {}

  Kind kind_;
  std::uint8_t code_ = 0;    // of the register, or of the base; literals have none
  std::int32_t offset_ = 0;  // bytes: from the base, or from the first literal
};

/// Of scalar arithmetic: how its instruction is numbered.
enum class Arithmetic : std::uint8_t {
  vsqrtsd = 0x51,
  vaddsd = 0x58,
  vmulsd = 0x59,
  vsubsd = 0x5C,
  vdivsd = 0x5E
};

/// Likewise of what is done bit by bit, to registers only.
enum class Bitwise : std::uint8_t { vandpd = 0x54, vandnpd = 0x55, vorpd = 0x56, vxorpd = 0x57 };

/// Which relation a comparison looks for; false where there is none (NaN).
enum class Relation : std::uint8_t { equal = 0x00, less = 0x11, at_most = 0x12 };

class Encoder {
 public:
  /// Numbers in a register: 1, or 4 in packed code.
  explicit Encoder(int width = 1) : width_(width) {}
  [[nodiscard]] int width() const { return width_; }

  void push(Gp from);
  void pop(Gp to);
  void mov(Gp to, Gp from);
  void lea(Gp to, const Operand& memory);
  /// A function whose address is in memory.
  void call(const Operand& memory);
  void ret();

  void vmovsd(Xmm to, const Operand& memory);
  void vmovsd(const Operand& memory, Xmm from);
  void vmovapd(Xmm to, Xmm from);
  /// `to` = `first` op `second`; the root is that of `second`.
  void scalar(Arithmetic op, Xmm to, Xmm first, const Operand& second);
  /// `to` = -`first`.
  void negate(Xmm to, Xmm first);
  /// `to` = the sign bit of `first` alone.
  void sign_bit(Xmm to, Xmm first);
  /// `to` = `first` op `second`; vandnpd: `second` without the bits of `first`.
  void bitwise(Bitwise op, Xmm to, Xmm first, Xmm second);
  /// All bits of `to` are 1 where the relation holds, 0 where not.
  void vcmpsd(Relation relation, Xmm to, Xmm first, const Operand& second);
  /// `to` = `second` where the sign bit of `mask` is set, `first` where not.
  void vblendvpd(Xmm to, Xmm first, Xmm second, Xmm mask);
  /// `to` = the bits of `from` so many places further up.
  void vpsllq(Xmm to, Xmm from, std::uint8_t places);
  /// What the next jump goes by: which of the two is larger. Scalar code only.
  void vucomisd(Xmm first, Xmm second);
  /// Likewise, for jne: whether not all sign bits of a register are set. Packed code only; changes
  /// eax.
  void all_signs(Xmm from);
  /// Clears the upper halves of all registers, without which scalar code that follows would wait
  /// for them. Packed code only.
  void vzeroupper();

  /// A place in the code; open until it is bound, once.
  using Label = std::size_t;
  Label label();
  void bind(Label label);
  void jmp(Label to);
  /// Unless the first operand of vucomisd was larger; also where there is no order.
  void jbe(Label to);
  void jne(Label to);

  /// Eight bytes that the code reads, in packed code four times; equal ones are kept once.
  Operand literal(std::uint64_t bits);

  /// Begins a function, at a line of the cache. Returns how many bytes it is from the first.
  std::size_t begin_function();
  /// Writes the literals behind the code; nothing can be added after that. It has to be put at a
  /// multiple of kAlignment.
  std::vector<std::uint8_t> finish() &&;
  static constexpr std::size_t kAlignment = 64;

 private:
  /// A distance to a literal, open until it is known where these are.
  struct Reference {
    std::size_t at;  // of the four bytes of the distance
    std::int32_t offset;
    std::size_t behind;  // bytes of the instruction that follow them
  };
  /// A distance to a label.
  struct Jump {
    std::size_t at;  // of the four bytes of the distance, which end the instruction
    Label to;
  };

  /// Whether the instructions are those for one number (the prefix stands for F2), or for four; and
  /// the same for those that scalar code has on 128 bits only.
  [[nodiscard]] unsigned on_numbers() const;
  [[nodiscard]] unsigned on_bits() const;
  void byte(unsigned value) { bytes_.push_back(static_cast<std::uint8_t>(value)); }
  void four_bytes(std::uint32_t value);
  void align(std::size_t multiple, std::uint8_t filling);
  void with_rex(bool wide, unsigned reg, unsigned base);
  void with_vex(unsigned prefix, unsigned opcode, unsigned reg, unsigned second, const Operand& rm);
  void modrm(unsigned reg, const Operand& rm);
  void immediate(unsigned value);
  void jump(Label to);
  void put_distance(std::size_t at, std::size_t distance);

  int width_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint64_t> literals_ = {1ULL << 63U, 0};   // first the sign bit, for `negate`
  std::unordered_map<std::uint64_t, std::int32_t> offsets_;  // of literals, by their bits
  std::vector<Reference> references_;
  std::vector<std::size_t> labels_;  // where they are
  std::vector<Jump> jumps_;
};

}  // namespace freeplay::tape
