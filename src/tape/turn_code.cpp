// SPDX-License-Identifier: Apache-2.0
#include "tape/turn_code.hpp"

#include "core/sin_cos.hpp"

#include <bit>

namespace freeplay::tape {
namespace {

// The way round finds its angle in memory, and leaves its results there.
void sine_and_cosine(const double* angle, double* sine, double* cosine) {
  sin_cos(*angle, *sine, *cosine);
}
void four_sines_and_cosines(const double* angle, double* sine, double* cosine) {
  for (int k = 0; k < 4; ++k) sin_cos(angle[k], sine[k], cosine[k]);
}

constexpr int kRegisters = 16;

}  // namespace

TurnCode::TurnCode(Encoder& code, Xmm angle, const Scratch& scratch)
    : angle_(angle),
      sine_(scratch[2]),
      cosine_(scratch[1]),
      round_(code.label()),
      back_(code.label()) {
  using namespace turns;
  const Xmm n = scratch[0], r = scratch[1], t = scratch[2], z = scratch[3], z2 = scratch[4],
            p = scratch[5], q = scratch[6], u = scratch[7], w = scratch[8];
  const auto number = [&](double x) { return code.literal(std::bit_cast<std::uint64_t>(x)); };
  const auto add = [&](Xmm to, Xmm a, const Operand& b) {
    code.scalar(Arithmetic::vaddsd, to, a, b);
  };
  const auto subtract = [&](Xmm to, Xmm a, const Operand& b) {
    code.scalar(Arithmetic::vsubsd, to, a, b);
  };
  const auto multiply = [&](Xmm to, Xmm a, const Operand& b) {
    code.scalar(Arithmetic::vmulsd, to, a, b);
  };
  /// to = c0 + z c1
  const auto line = [&](Xmm to, double c0, double c1) {
    multiply(to, z, number(c1));
    add(to, to, number(c0));
  };

  // n: the number of quarter turns in its lowest bits
  multiply(n, angle, number(kQuarters));
  add(n, n, number(kRound));
  code.sign_bit(z, angle);
  code.bitwise(Bitwise::vxorpd, z, z, angle);
  code.vmovsd(p, number(kLargest));
  if (code.width() == 1) {
    code.vucomisd(p, z);
    code.jbe(round_);
  } else {
    code.vcmpsd(Relation::less, p, z, p);
    code.all_signs(p);
    code.jne(round_);
  }
  // r + t: what is left of the angle
  subtract(z, n, number(kRound));
  multiply(t, z, number(kQuarter[0]));
  subtract(p, angle, t);
  multiply(q, z, number(kQuarter[1]));
  multiply(u, z, number(kQuarter[2]));
  subtract(w, p, q);
  subtract(p, p, w);
  subtract(p, p, q);
  subtract(p, p, u);
  add(r, w, p);
  subtract(t, w, r);
  add(t, t, p);
  multiply(z, r, r);
  multiply(z2, z, z);
  // q: its sine
  line(p, kSine[1], kSine[2]);
  line(q, kSine[3], kSine[4]);
  multiply(u, z2, number(kSine[5]));
  add(q, q, u);
  multiply(q, q, z2);
  add(p, p, q);
  multiply(u, z, r);
  multiply(p, u, p);
  multiply(q, t, number(0.5));
  subtract(q, q, p);
  multiply(q, z, q);
  subtract(q, q, t);
  multiply(u, u, number(kSine[0]));
  add(q, q, u);
  subtract(q, r, q);
  // w: its cosine
  line(p, kCosine[0], kCosine[1]);
  line(u, kCosine[2], kCosine[3]);
  line(w, kCosine[4], kCosine[5]);
  multiply(w, w, z2);
  add(u, u, w);
  multiply(u, u, z2);
  add(p, p, u);
  multiply(p, p, z);
  multiply(u, z, number(0.5));
  code.vmovsd(z2, number(1));
  subtract(w, z2, u);
  subtract(z2, z2, w);
  subtract(z2, z2, u);
  multiply(p, z, p);
  multiply(r, r, t);
  subtract(p, p, r);
  add(z2, z2, p);
  add(w, w, z2);
  // An odd number of quarters exchanges them; the second bit is the sign.
  code.vpsllq(z, n, 63);
  code.vpsllq(p, n, 62);
  code.sign_bit(p, p);
  code.vblendvpd(sine_, q, w, z);
  code.vblendvpd(cosine_, w, q, z);
  code.bitwise(Bitwise::vxorpd, sine_, sine_, p);
  code.bitwise(Bitwise::vxorpd, z, z, p);
  code.bitwise(Bitwise::vxorpd, cosine_, cosine_, z);
  code.bind(back_);
}

void TurnCode::write_way_round(Encoder& code, std::span<const Gp> volatile_registers) const {
  const int size = 8 * code.width();
  const auto place = [&](Xmm r) { return Operand::at(Gp::rsp, size * r.number); };
  const auto each = [&](auto&& visit) {
    for (int r = 0; r < kRegisters; ++r) visit(Xmm{static_cast<std::uint8_t>(r)});
  };
  code.bind(round_);
  for (const Gp r : volatile_registers) code.push(r);
  code.lea(Gp::rsp, Operand::at(Gp::rsp, -size * kRegisters));
  each([&](Xmm r) { code.vmovsd(place(r), r); });
  code.lea(Gp::rdi, place(angle_));
  code.lea(Gp::rsi, place(sine_));
  code.lea(Gp::rdx, place(cosine_));
  if (code.width() > 1) code.vzeroupper();
  code.call(code.literal(reinterpret_cast<std::uintptr_t>(
      code.width() == 1 ? &sine_and_cosine : &four_sines_and_cosines)));
  each([&](Xmm r) { code.vmovsd(r, place(r)); });
  code.lea(Gp::rsp, Operand::at(Gp::rsp, size * kRegisters));
  for (std::size_t k = volatile_registers.size(); k-- > 0;) code.pop(volatile_registers[k]);
  code.jmp(back_);
}

}  // namespace freeplay::tape
