// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.hpp"

#include "support/paths.hpp"
#include <freeplay/errors.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace freeplay::io {
namespace {

void write(OutputFile& file, std::uint64_t offset, const std::string& text) {
  file.write(offset, std::as_bytes(std::span(text)));
}
std::string read(const OutputFile& file, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  EXPECT_TRUE(file.read(offset, std::as_writable_bytes(std::span(text))));
  return text;
}
std::string on_disk(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(OutputFileTest, ReadsBackWhatWasWrittenCommittedOrNot) {
  const auto file = OutputFile::create(testing::scratch_dir() / "f");
  write(*file, 0, "hello");
  EXPECT_EQ(read(*file, 0, 7), std::string("hello\0\0", 7));
  file->commit();
  write(*file, 1, "ipp");
  EXPECT_EQ(read(*file, 0, 5), "hippo");
  file->commit();
  EXPECT_EQ(read(*file, 0, 5), "hippo");
}

TEST(OutputFileTest, DiskKeepsTheLastCommit) {
  const auto path = testing::scratch_dir() / "f";
  {
    const auto file = OutputFile::create(path);
    write(*file, 0, std::string(10000, 'a'));
    file->commit();
    write(*file, 5000, std::string(20000, 'b'));  // changes the old part and adds to it
    EXPECT_EQ(on_disk(path).substr(0, 10000), std::string(10000, 'a'));
  }
  EXPECT_EQ(on_disk(path).substr(0, 10000), std::string(10000, 'a'));
}

// The same writes on a string: whatever the order of writes, commits and resizes, both agree.
TEST(OutputFileTest, AgreesWithAStringUnderRandomWrites) {
  const auto path = testing::scratch_dir() / "f";
  std::mt19937 random(1);
  const auto below = [&](int n) {
    return static_cast<std::size_t>(random() % static_cast<unsigned>(n));
  };
  const auto file = OutputFile::create(path);
  std::string expected;
  for (int i = 0; i < 2000; ++i) {
    const auto offset = below(30000), size = below(9000);
    if (expected.size() < offset + size) expected.resize(offset + size);
    const std::string text(size, static_cast<char>('a' + i % 26));
    expected.replace(offset, size, text);
    write(*file, offset, text);
    const auto from = below(30000), count = below(9000);
    auto slice = from < expected.size() ? expected.substr(from, count) : "";
    slice.resize(count);
    ASSERT_EQ(read(*file, from, count), slice) << i;
    if (i % 50 == 49) {
      file->commit();
      ASSERT_EQ(on_disk(path), expected) << i;
    }
  }
}

TEST(OutputFileTest, BelongsToOneProgram) {
  const auto path = testing::scratch_dir() / "f";
  EXPECT_FALSE(is_being_written(path));
  {
    const auto file = OutputFile::create(path);
    EXPECT_TRUE(is_being_written(path));
    EXPECT_THROW(OutputFile::create(path), IoError);
    EXPECT_THROW(OutputFile::open(path), IoError);
  }
  EXPECT_FALSE(is_being_written(path));
  EXPECT_NO_THROW(OutputFile::open(path));
}

TEST(OutputFileTest, AbandonedFileStaysAsItWas) {
  const auto path = testing::scratch_dir() / "f";
  const auto file = OutputFile::create(path);
  write(*file, 0, "kept");
  file->commit();
  file->abandon();
  write(*file, 0, "lost");
  EXPECT_THROW(file->commit(), IoError);
  EXPECT_EQ(on_disk(path), "kept");
}

}  // namespace
}  // namespace freeplay::io
