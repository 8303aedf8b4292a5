// SPDX-License-Identifier: Apache-2.0
#include "tape/encoder.hpp"

#include "support/paths.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace freeplay::tape {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::array kGpNames = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                 "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
const std::map<Arithmetic, std::string> kArithmetic = {{Arithmetic::vsqrtsd, "vsqrtsd"},
                                                       {Arithmetic::vaddsd, "vaddsd"},
                                                       {Arithmetic::vmulsd, "vmulsd"},
                                                       {Arithmetic::vsubsd, "vsubsd"},
                                                       {Arithmetic::vdivsd, "vdivsd"}};
const std::map<Bitwise, std::string> kBitwise = {{Bitwise::vandpd, "vandpd"},
                                                 {Bitwise::vandnpd, "vandnpd"},
                                                 {Bitwise::vorpd, "vorpd"},
                                                 {Bitwise::vxorpd, "vxorpd"}};
const std::map<Relation, std::string> kRelations = {{Relation::equal, "vcmpeqsd"},
                                                    {Relation::less, "vcmplt_oqsd"},
                                                    {Relation::at_most, "vcmple_oqsd"}};
// On both sides of where an address becomes longer: none, one byte, four bytes.
constexpr std::array kDisplacements = {0,    8,    -8,      120,        127,        128,
                                       -128, -129, 1 << 20, -(1 << 20), 0x7FFFFFF8, -0x7FFFFFF8};

Gp gp(int k) { return static_cast<Gp>(k); }
Xmm xmm(int k) { return {static_cast<std::uint8_t>(k)}; }
std::string name(Gp r) { return kGpNames[static_cast<std::size_t>(r)]; }
std::string name(Xmm r) { return fmt::format("xmm{}", r.number); }

Bytes written(const std::function<void(Encoder&)>& what) {
  Encoder code;
  what(code);
  return std::move(code).finish();
}

TEST(Encoder, WritesTheBytesOfTheManual) {
  // By hand from the tables of Intel's manual, volume 2.
  const auto mem = [](Gp base, int displacement) { return Operand::at(base, displacement); };
  EXPECT_EQ(written([](Encoder& c) { c.push(Gp::rbx); }), (Bytes{0x53}));
  EXPECT_EQ(written([](Encoder& c) { c.push(Gp::r14); }), (Bytes{0x41, 0x56}));
  EXPECT_EQ(written([](Encoder& c) { c.pop(Gp::r15); }), (Bytes{0x41, 0x5F}));
  EXPECT_EQ(written([](Encoder& c) { c.mov(Gp::rbx, Gp::rdi); }), (Bytes{0x48, 0x89, 0xFB}));
  EXPECT_EQ(written([](Encoder& c) { c.mov(Gp::r14, Gp::rdx); }), (Bytes{0x49, 0x89, 0xD6}));
  EXPECT_EQ(written([](Encoder& c) { c.ret(); }), (Bytes{0xC3}));
  EXPECT_EQ(written([&](Encoder& c) { c.lea(Gp::rdi, mem(Gp::r14, 8)); }),
            (Bytes{0x49, 0x8D, 0x7E, 0x08}));
  EXPECT_EQ(written([&](Encoder& c) { c.vmovsd(xmm(1), mem(Gp::rbx, 0)); }),
            (Bytes{0xC5, 0xFB, 0x10, 0x0B}));
  EXPECT_EQ(written([&](Encoder& c) { c.vmovsd(mem(Gp::rbp, 0), xmm(9)); }),
            (Bytes{0xC5, 0x7B, 0x11, 0x4D, 0x00}));
  EXPECT_EQ(written([&](Encoder& c) { c.scalar(Arithmetic::vaddsd, xmm(1), xmm(2), xmm(3)); }),
            (Bytes{0xC5, 0xEB, 0x58, 0xCB}));
  EXPECT_EQ(written([&](Encoder& c) { c.scalar(Arithmetic::vsubsd, xmm(8), xmm(15), xmm(9)); }),
            (Bytes{0xC4, 0x41, 0x03, 0x5C, 0xC1}));
  EXPECT_EQ(
      written([&](Encoder& c) { c.scalar(Arithmetic::vmulsd, xmm(0), xmm(1), mem(Gp::r12, 256)); }),
      (Bytes{0xC4, 0xC1, 0x73, 0x59, 0x84, 0x24, 0x00, 0x01, 0x00, 0x00}));
  EXPECT_EQ(written([](Encoder& c) { c.vmovapd(xmm(0), xmm(9)); }),
            (Bytes{0xC5, 0x79, 0x29, 0xC8}));
  EXPECT_EQ(written([](Encoder& c) { c.vmovapd(xmm(8), xmm(1)); }),
            (Bytes{0xC5, 0x79, 0x28, 0xC1}));
}

/// What an instruction of scalar code is in packed code.
std::string packed(std::string text) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  if (text.starts_with("call")) return text;
  replace("vmovsd", "vmovupd");
  for (const auto& [op, word] : kArithmetic) replace(word, word.substr(0, word.size() - 2) + "pd");
  for (const auto& [op, word] : kRelations) replace(word, word.substr(0, word.size() - 2) + "pd");
  if (text.starts_with("vsqrtpd")) {  // which has one operand less
    const std::size_t first = text.find(',');
    text.erase(first, text.find(',', first + 1) - first);
  }
  replace("QWORD PTR", "YMMWORD PTR");
  replace("XMMWORD PTR", "YMMWORD PTR");
  replace("xmm", "ymm");
  return text;
}

/// All instructions with all their operands, and what a disassembler has to make of them.
class EveryInstruction {
 public:
  explicit EveryInstruction(int width) : code_(width) {
    for (int a = 0; a < 16; ++a) {
      add("push " + name(gp(a)), [&](Encoder& c) { c.push(gp(a)); });
      add("pop " + name(gp(a)), [&](Encoder& c) { c.pop(gp(a)); });
      for (int b = 0; b < 16; ++b) {
        add("mov " + name(gp(a)) + "," + name(gp(b)), [&](Encoder& c) { c.mov(gp(a), gp(b)); });
        add("vmovapd " + name(xmm(a)) + "," + name(xmm(b)),
            [&](Encoder& c) { c.vmovapd(xmm(a), xmm(b)); });
        for (const int displacement : kDisplacements) add_based(a, gp(b), displacement);
        if (width == 1)
          add("vucomisd " + name(xmm(a)) + "," + name(xmm(b)),
              [&](Encoder& c) { c.vucomisd(xmm(a), xmm(b)); });
        for (const int places : {1, 62, 63})
          add(fmt::format("vpsllq {},{},{:#x}", name(xmm(a)), name(xmm(b)), places),
              [&](Encoder& c) { c.vpsllq(xmm(a), xmm(b), static_cast<std::uint8_t>(places)); });
        for (int d = 0; d < 16; ++d) add_threes(a, b, d);
      }
      add_literals(a);
      if (width == 1) continue;
      add("vmovmskpd eax," + name(xmm(a)), [&](Encoder& c) { c.all_signs(xmm(a)); });
      expected_.emplace_back("cmp eax,0xf");
    }
    if (width > 1) add("vzeroupper", [](Encoder& c) { c.vzeroupper(); });
    add("ret", [](Encoder& c) { c.ret(); });
    bytes_ = std::move(code_).finish();
  }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<std::string>& expected() const { return expected_; }

 private:
  void add(const std::string& text, const std::function<void(Encoder&)>& what) {
    expected_.push_back(code_.width() == 1 ? text : packed(text));
    what(code_);
  }
  void add_threes(int a, int b, int d) {
    const std::string threes = " " + name(xmm(a)) + "," + name(xmm(b)) + "," + name(xmm(d));
    for (const auto& [op, word] : kArithmetic)
      add(word + threes, [&, op = op](Encoder& c) { c.scalar(op, xmm(a), xmm(b), xmm(d)); });
    for (const auto& [op, word] : kBitwise)
      add(word + threes, [&, op = op](Encoder& c) { c.bitwise(op, xmm(a), xmm(b), xmm(d)); });
    for (const auto& [relation, word] : kRelations)
      add(word + threes,
          [&, relation = relation](Encoder& c) { c.vcmpsd(relation, xmm(a), xmm(b), xmm(d)); });
    const int mask = (a + 3 * b + 5 * d) % 16;
    add("vblendvpd" + threes + "," + name(xmm(mask)),
        [&](Encoder& c) { c.vblendvpd(xmm(a), xmm(b), xmm(d), xmm(mask)); });
  }
  void add_based(int a, Gp base, int displacement) {
    const Operand memory = Operand::at(base, displacement);
    const bool written_out = displacement != 0 || base == Gp::rbp || base == Gp::r13;
    const std::string distance = fmt::format("{:c}{:#x}", displacement < 0 ? '-' : '+',
                                             displacement < 0 ? -displacement : displacement),
                      place = "[" + name(base) + (written_out ? distance : "") + "]";
    add("lea " + name(gp(a)) + "," + place, [&](Encoder& c) { c.lea(gp(a), memory); });
    add("vmovsd " + name(xmm(a)) + ",QWORD PTR " + place,
        [&](Encoder& c) { c.vmovsd(xmm(a), memory); });
    add("vmovsd QWORD PTR " + place + "," + name(xmm(a)),
        [&](Encoder& c) { c.vmovsd(memory, xmm(a)); });
    for (const auto& [op, word] : kArithmetic)
      add(word + " " + name(xmm(a)) + "," + name(xmm(15 - a)) + ",QWORD PTR " + place,
          [&, op = op](Encoder& c) { c.scalar(op, xmm(a), xmm(15 - a), memory); });
    for (const auto& [relation, word] : kRelations)
      add(word + " " + name(xmm(a)) + "," + name(xmm(15 - a)) + ",QWORD PTR " + place,
          [&, relation = relation](Encoder& c) {
            c.vcmpsd(relation, xmm(a), xmm(15 - a), memory);
          });
    if (a == 0) add("call QWORD PTR " + place, [&](Encoder& c) { c.call(memory); });
  }
  /// The text ends with what the address it names holds.
  void add_literals(int a) {
    const std::uint64_t bits = 0x1234'5678'9ABC'DE00ULL + static_cast<unsigned>(a);
    const std::string literal = fmt::format("[{:x}]", bits);
    add("vmovsd " + name(xmm(a)) + ",QWORD PTR " + literal,
        [&](Encoder& c) { c.vmovsd(xmm(a), c.literal(bits)); });
    for (const auto& [op, word] : kArithmetic)
      add(word + " " + name(xmm(15 - a)) + "," + name(xmm(a)) + ",QWORD PTR " + literal,
          [&, op = op](Encoder& c) { c.scalar(op, xmm(15 - a), xmm(a), c.literal(bits)); });
    for (const auto& [relation, word] : kRelations)
      add(word + " " + name(xmm(15 - a)) + "," + name(xmm(a)) + ",QWORD PTR " + literal,
          [&, relation = relation](Encoder& c) {
            c.vcmpsd(relation, xmm(15 - a), xmm(a), c.literal(bits));
          });
    add("call QWORD PTR " + literal, [&](Encoder& c) { c.call(c.literal(bits)); });
    for (int b = 0; b < 16; ++b) {
      add("vandpd " + name(xmm(a)) + "," + name(xmm(b)) + ",XMMWORD PTR [8000000000000000]",
          [&](Encoder& c) { c.sign_bit(xmm(a), xmm(b)); });
      add("vxorpd " + name(xmm(a)) + "," + name(xmm(b)) + ",XMMWORD PTR [8000000000000000]",
          [&](Encoder& c) { c.negate(xmm(a), xmm(b)); });
    }
  }

  Encoder code_;
  std::vector<std::string> expected_;
  Bytes bytes_;
};

/// The instructions of a listing of objdump, their addresses relative to the next instruction
/// replaced by what is there.
std::vector<std::string> instructions(const std::filesystem::path& listing, const Bytes& bytes) {
  std::vector<std::string> out;
  std::ifstream file(listing);
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find('\t');
    if (begin == std::string::npos || line.find(':') > begin) continue;
    std::string text = line.substr(begin + 1);
    if (const std::size_t comment = text.find('#'); comment != std::string::npos) {
      const std::size_t address = std::stoul(text.substr(comment + 1), nullptr, 16);
      std::uint64_t bits = 0;
      if (address + sizeof bits <= bytes.size())
        std::memcpy(&bits, bytes.data() + address, sizeof bits);
      const std::size_t from = text.find("[rip+"), to = text.find(']');
      if (from == std::string::npos) continue;
      text = text.substr(0, from) + fmt::format("[{:x}]", bits) +
             text.substr(to + 1, comment - to - 1);
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    for (std::size_t gap = text.find("  "); gap != std::string::npos; gap = text.find("  "))
      text.erase(gap, 1);
    out.push_back(text);
  }
  return out;
}

void expect_disassembled(const EveryInstruction& all) {
  const std::filesystem::path folder = testing::scratch_dir(), code = folder / "code.bin",
                              listing = folder / "listing.txt";
  std::ofstream(code, std::ios::binary)
      .write(reinterpret_cast<const char*>(all.bytes().data()),
             static_cast<std::streamsize>(all.bytes().size()));
  const std::string command = "objdump -D -b binary -m i386:x86-64 -M intel --no-show-raw-insn '" +
                              code.string() + "' > '" + listing.string() + "' 2> /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << "needs GNU objdump, which comes with the compiler";
  const std::vector<std::string> read = instructions(listing, all.bytes());
  ASSERT_GE(read.size(), all.expected().size());
  for (std::size_t k = 0; k < all.expected().size(); ++k) ASSERT_EQ(read[k], all.expected()[k]);
}

TEST(Encoder, WritesWhatADisassemblerReads) {
  for (const int width : {1, 4}) expect_disassembled(EveryInstruction(width));
}

TEST(Encoder, KeepsEqualLiteralsOnceAndAlignsThemAndFunctions) {
  Encoder code;
  EXPECT_EQ(code.begin_function(), 0U);
  code.vmovsd(xmm(0), code.literal(7));
  code.vmovsd(xmm(1), code.literal(8));
  code.vmovsd(xmm(2), code.literal(7));
  code.ret();
  EXPECT_EQ(code.begin_function(), Encoder::kAlignment);
  code.negate(xmm(0), xmm(0));
  code.ret();
  const Bytes bytes = std::move(code).finish();
  // 64 bytes, 9 bytes of the second function, and at the next multiple of 16 the mask of the sign,
  // 7, 8.
  ASSERT_EQ(bytes.size(), 64U + 16U + 16U + 2 * 8U);
  EXPECT_EQ(bytes[64 + 16 + 7], 0x80);
  EXPECT_EQ(bytes[64 + 16 + 16], 7);
  EXPECT_EQ(bytes[64 + 16 + 24], 8);
}

TEST(Encoder, JumpsForwardAndBack) {
  EXPECT_EQ(written([](Encoder& c) {
              const auto back = c.label(), on = c.label();
              c.bind(back);
              c.jbe(on);
              c.jmp(back);
              c.bind(on);
              c.ret();
            }),
            (Bytes{0x0F, 0x86, 0x05, 0, 0, 0, 0xE9, 0xF5, 0xFF, 0xFF, 0xFF, 0xC3}));
}

TEST(Encoder, CodeWithoutLiteralsEndsWithItsLastInstruction) {
  EXPECT_TRUE(written([](Encoder&) {}).empty());
  EXPECT_EQ(written([](Encoder& c) { c.ret(); }).size(), 1U);
}

}  // namespace
}  // namespace freeplay::tape
