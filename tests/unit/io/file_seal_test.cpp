// SPDX-License-Identifier: Apache-2.0
#include "io/file_seal.hpp"

#include "support/paths.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace freeplay::io {
namespace {

std::uint64_t hash(const std::string& text) { return xxhash64(std::as_bytes(std::span(text))); }

// Expected values: published with the reference implementation and its Python binding.
TEST(FileSealTest, HashIsXxhash64) {
  EXPECT_EQ(hash(""), 0xef46db3751d8e999U);
  EXPECT_EQ(hash("a"), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(hash("abc"), 0x44bc2cf5ad770999U);
  EXPECT_EQ(hash("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1U);
}

TEST(FileSealTest, EveryChangeBreaksTheSeal) {
  const auto file = testing::scratch_dir() / "data";
  {
    const auto output = OutputFile::create(file);
    const std::string text(5000, 'x');
    output->write(0, std::as_bytes(std::span(text)));
    output->commit();
    EXPECT_EQ(check_seal(file), Seal::none);
    seal(*output);
    output->commit();
  }
  EXPECT_EQ(std::filesystem::file_size(file), 5000 + kSealBytes);
  EXPECT_EQ(check_seal(file), Seal::good);
  for (const int at : {0, 1234, 4999, 5030}) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(at);
    const char was = static_cast<char>(stream.get());
    stream.seekp(at);
    stream.put(static_cast<char>(was ^ 1));
    stream.flush();
    EXPECT_EQ(check_seal(file), Seal::broken) << at;
    stream.seekp(at);
    stream.put(was);
  }
  EXPECT_EQ(check_seal(file), Seal::good);
}

TEST(FileSealTest, UnsealedFileIsAsBefore) {
  const auto file = testing::scratch_dir() / "data";
  const auto output = OutputFile::create(file);
  const std::string text(100, 'x');
  output->write(0, std::as_bytes(std::span(text)));
  seal(*output);
  unseal(*output);
  unseal(*output);  // nothing left to cut off
  output->commit();
  EXPECT_EQ(std::filesystem::file_size(file), 100U);
}

}  // namespace
}  // namespace freeplay::io
