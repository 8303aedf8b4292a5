// SPDX-License-Identifier: Apache-2.0
#include "tape/encoder.hpp"

#include <utility>

namespace freeplay::tape {
namespace {

// The two bits of a VEX prefix that stand for an older prefix byte, and the one above them for 256
// bits.
constexpr unsigned k66 = 1, kF2 = 3, k256 = 4;
constexpr unsigned k0F3A = 3;        // the third table of opcodes
constexpr unsigned kNoRegister = 0;  // as the second operand of instructions that have none

constexpr std::uint8_t kBreakpoint = 0xCC;  // int3: fills what is never reached

constexpr unsigned low(unsigned code) { return code & 7U; }
constexpr unsigned high(unsigned code) { return code >> 3U; }
constexpr unsigned number(Gp r) { return static_cast<unsigned>(r); }

}  // namespace

unsigned Encoder::on_numbers() const { return width_ == 1 ? kF2 : k66 | k256; }
unsigned Encoder::on_bits() const { return width_ == 1 ? k66 : k66 | k256; }

void Encoder::four_bytes(std::uint32_t value) {
  for (int k = 0; k < 4; ++k, value >>= 8U) byte(value & 0xFFU);
}

void Encoder::align(std::size_t multiple, std::uint8_t filling) {
  while (bytes_.size() % multiple != 0) bytes_.push_back(filling);
}

/// The prefix that widens operands to 64 bits and reaches registers 8 to 15, where needed.
void Encoder::with_rex(bool wide, unsigned reg, unsigned base) {
  const unsigned rex = (wide ? 8U : 0U) | high(reg) << 2U | high(base);
  if (rex != 0) byte(0x40U | rex);
}

/// How an instruction names its operands: a register by its number, and a register or memory.
void Encoder::modrm(unsigned reg, const Operand& rm) {
  const auto mode = [&](unsigned mod) { byte(mod << 6U | low(reg) << 3U | low(rm.code_)); };
  switch (rm.kind_) {
    case Operand::Kind::xmm:
      mode(3);
      break;
    case Operand::Kind::literal:
      byte(low(reg) << 3U | 5U);  // by its distance from the next instruction
      references_.push_back({bytes_.size(), rm.offset_, 0});
      four_bytes(0);
      break;
    case Operand::Kind::based: {
      // rbp and r13 cannot be written without a displacement; rsp and r12 ask for one more byte,
      // which says that there is no index.
      const bool none = rm.offset_ == 0 && low(rm.code_) != number(Gp::rbp);
      const bool small = rm.offset_ >= -128 && rm.offset_ <= 127;
      mode(none ? 0 : small ? 1 : 2);
      if (low(rm.code_) == number(Gp::rsp)) byte(0x24);
      if (none) return;
      if (small)
        byte(static_cast<std::uint32_t>(rm.offset_) & 0xFFU);
      else
        four_bytes(static_cast<std::uint32_t>(rm.offset_));
    }
  }
}

/// An instruction of AVX. Its prefix has two forms; the short one cannot
/// reach registers 8 to 15 by `rm`. The bits of register numbers are stored inverted.
void Encoder::with_vex(unsigned prefix, unsigned opcode, unsigned reg, unsigned second,
                       const Operand& rm) {
  const unsigned rest = (~second & 15U) << 3U | prefix;
  const unsigned not_reg = (high(reg) ^ 1U) << 7U;
  if (high(rm.code_) != 0) {
    byte(0xC4);
    byte(not_reg | 1U << 6U | 0x01U);  // no index register; opcodes that begin with 0F
    byte(rest);
  } else {
    byte(0xC5);
    byte(not_reg | rest);
  }
  byte(opcode);
  modrm(reg, rm);
}

/// A byte behind the operands.
void Encoder::immediate(unsigned value) {
  if (!references_.empty() && references_.back().at + 4 == bytes_.size())
    references_.back().behind = 1;
  byte(value & 0xFFU);
}

void Encoder::jump(Label to) {
  jumps_.push_back({bytes_.size(), to});
  four_bytes(0);
}

void Encoder::put_distance(std::size_t at, std::size_t distance) {
  for (unsigned k = 0; k < 4; ++k)
    bytes_[at + k] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(distance) >> (8U * k));
}

void Encoder::push(Gp from) {
  with_rex(false, 0, number(from));
  byte(0x50U | low(number(from)));
}

void Encoder::pop(Gp to) {
  with_rex(false, 0, number(to));
  byte(0x58U | low(number(to)));
}

void Encoder::mov(Gp to, Gp from) {
  with_rex(true, number(from), number(to));
  byte(0x89);
  byte(3U << 6U | low(number(from)) << 3U | low(number(to)));
}

void Encoder::lea(Gp to, const Operand& memory) {
  with_rex(true, number(to), memory.code_);
  byte(0x8D);
  modrm(number(to), memory);
}

void Encoder::call(const Operand& memory) {
  with_rex(false, 0, memory.code_);
  byte(0xFF);
  modrm(2, memory);  // the second of the instructions that share this opcode
}

void Encoder::ret() { byte(0xC3); }

void Encoder::vmovsd(Xmm to, const Operand& memory) {
  with_vex(on_numbers(), 0x10, to.number, kNoRegister, memory);
}

void Encoder::vmovsd(const Operand& memory, Xmm from) {
  with_vex(on_numbers(), 0x11, from.number, kNoRegister, memory);
}

void Encoder::vmovapd(Xmm to, Xmm from) {
  if (high(from.number) > high(to.number))  // the other of its two forms has the shorter prefix
    with_vex(on_bits(), 0x29, from.number, kNoRegister, to);
  else
    with_vex(on_bits(), 0x28, to.number, kNoRegister, from);
}

void Encoder::scalar(Arithmetic op, Xmm to, Xmm first, const Operand& second) {
  // The root of four numbers has no place for a second operand.
  const bool no_first = op == Arithmetic::vsqrtsd && width_ > 1;
  with_vex(on_numbers(), static_cast<unsigned>(op), to.number,
           no_first ? kNoRegister : first.number, second);
}

void Encoder::negate(Xmm to, Xmm first) {
  // vxorpd reads sixteen bytes of memory, at a multiple of sixteen: the first two literals; or
  // 32 bytes: four times the first.
  with_vex(on_bits(), 0x57, to.number, first.number, Operand(Operand::Kind::literal, 0, 0));
}

void Encoder::sign_bit(Xmm to, Xmm first) {
  with_vex(on_bits(), 0x54, to.number, first.number, Operand(Operand::Kind::literal, 0, 0));
}

void Encoder::bitwise(Bitwise op, Xmm to, Xmm first, Xmm second) {
  with_vex(on_bits(), static_cast<unsigned>(op), to.number, first.number, second);
}

void Encoder::vcmpsd(Relation relation, Xmm to, Xmm first, const Operand& second) {
  with_vex(on_numbers(), 0xC2, to.number, first.number, second);
  immediate(static_cast<unsigned>(relation));
}

void Encoder::vblendvpd(Xmm to, Xmm first, Xmm second, Xmm mask) {
  byte(0xC4);
  byte((high(to.number) ^ 1U) << 7U | 1U << 6U | (high(second.number) ^ 1U) << 5U | k0F3A);
  byte((~unsigned{first.number} & 15U) << 3U | on_bits());
  byte(0x4B);
  modrm(to.number, second);
  immediate(unsigned{mask.number} << 4U);
}

void Encoder::vpsllq(Xmm to, Xmm from, std::uint8_t places) {
  with_vex(on_bits(), 0x73, 6, to.number,
           from);  // the sixth of the instructions that share this opcode
  immediate(places);
}

void Encoder::vucomisd(Xmm first, Xmm second) {
  with_vex(k66, 0x2E, first.number, kNoRegister, second);
}

void Encoder::all_signs(Xmm from) {
  constexpr unsigned kAll = 15, kEax = 0;
  with_vex(k66 | k256, 0x50, kEax, kNoRegister, from);  // vmovmskpd eax, from
  byte(0x83);                                           // cmp eax, 15
  byte(0xF8);
  byte(kAll);
}

void Encoder::vzeroupper() {
  byte(0xC5);
  byte(0xF8);
  byte(0x77);
}

Encoder::Label Encoder::label() {
  labels_.push_back(0);
  return labels_.size() - 1;
}

void Encoder::bind(Label label) { labels_[label] = bytes_.size(); }

void Encoder::jmp(Label to) {
  byte(0xE9);
  jump(to);
}

void Encoder::jbe(Label to) {
  byte(0x0F);
  byte(0x86);
  jump(to);
}

void Encoder::jne(Label to) {
  byte(0x0F);
  byte(0x85);
  jump(to);
}

Operand Encoder::literal(std::uint64_t bits) {
  const auto [known, fresh] = offsets_.try_emplace(
      bits, static_cast<std::int32_t>(8 * literals_.size() * static_cast<std::size_t>(width_)));
  if (fresh) literals_.push_back(bits);
  return {Operand::Kind::literal, 0, known->second};
}

std::size_t Encoder::begin_function() {
  align(kAlignment, kBreakpoint);
  return bytes_.size();
}

std::vector<std::uint8_t> Encoder::finish() && {
  for (const Jump& jump : jumps_) put_distance(jump.at, labels_[jump.to] - jump.at - 4);
  if (references_.empty()) return std::move(bytes_);
  align(static_cast<std::size_t>(width_ == 1 ? 16 : 32), kBreakpoint);
  const std::size_t literals = bytes_.size();
  for (const Reference& reference : references_)
    put_distance(reference.at, literals + static_cast<std::size_t>(reference.offset) -
                                   reference.at - 4 - reference.behind);
  for (const std::uint64_t bits : literals_)
    for (int copy = 0; copy < width_; ++copy)
      for (unsigned k = 0; k < 8; ++k) byte(bits >> (8U * k) & 0xFFU);
  return std::move(bytes_);
}

}  // namespace freeplay::tape
