// SPDX-License-Identifier: Apache-2.0
#include "study/journal.hpp"

#include "study/lock_file.hpp"
#include "support/paths.hpp"
#include <freeplay/errors.hpp>

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace freeplay::study {
namespace {

Record sample(std::int64_t row) {
  Record r;
  r.row = row;
  r.inputs = {1.5, static_cast<double>(row)};
  r.outcome.outputs = {0.1 * static_cast<double>(row)};
  r.outcome.samples = {1, 2, 3};
  r.outcome.error = row % 2 ? "it broke" : "all fine";
  r.outcome.status = row % 2 ? RowStatus::failed : RowStatus::done;
  Carry carry;
  carry.coordinate = 7;
  carry.state.time = 0.25;
  carry.state.y = VecX::LinSpaced(4, 0, 1);
  carry.state.memory = {1, 2};
  r.outcome.carry = carry;
  return r;
}

void expect_same(const Record& a, const Record& b) { EXPECT_EQ(pack(a), pack(b)); }

TEST(JournalTest, RowsComeBackInAnyOrderAfterTheProgramEnded) {
  const auto path = testing::scratch_dir() / "a.journal";
  {
    Journal journal = Journal::create(path, std::string(64, 'a'));
    for (std::int64_t row : {5, 0, 3}) journal.append(sample(row));
  }
  const Journal journal = Journal::resume(path, std::string(64, 'a'));
  EXPECT_EQ(journal.count(), 3);
  EXPECT_TRUE(journal.has(3));
  EXPECT_FALSE(journal.has(4));
  for (std::int64_t row : {0, 3, 5}) expect_same(journal.read(row), sample(row));
}

TEST(JournalTest, CutOffAnywhereItKeepsTheWholeRecords) {
  const auto folder = testing::scratch_dir();
  const auto path = folder / "a.journal";
  {
    Journal journal = Journal::create(path, std::string(64, 'a'));
    for (std::int64_t row = 0; row < 3; ++row) journal.append(sample(row));
  }
  const auto size = std::filesystem::file_size(path);
  const auto title = std::filesystem::file_size(path) - 3 * ((size - 90) / 3);
  for (auto length = size; length >= title; length -= 13) {
    const auto copy = folder / "b.journal";
    std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(copy, length);
    Journal journal = Journal::resume(copy, std::string(64, 'a'));
    EXPECT_EQ(journal.count(), static_cast<std::int64_t>((length - 90) / ((size - 90) / 3)));
    journal.append(sample(7));  // and goes on behind them
    expect_same(journal.read(7), sample(7));
  }
}

TEST(JournalTest, FlippedByteEndsWhatIsTrusted) {
  const auto path = testing::scratch_dir() / "a.journal";
  {
    Journal journal = Journal::create(path, std::string(64, 'a'));
    for (std::int64_t row = 0; row < 3; ++row) journal.append(sample(row));
  }
  const auto size = std::filesystem::file_size(path);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(90 + (size - 90) / 3 + 40));
    file.put('\x7f');
  }
  EXPECT_EQ(Journal::resume(path, std::string(64, 'a')).count(), 1);
}

TEST(JournalTest, AnotherStudyIsRefused) {
  const auto path = testing::scratch_dir() / "a.journal";
  { const Journal journal = Journal::create(path, std::string(64, 'a')); }
  EXPECT_THROW((void)Journal::resume(path, std::string(64, 'b')), IoError);
}

TEST(LockFileTest, SecondOwnerIsRefusedAndAStaleLockTakenOver) {
  const auto path = testing::scratch_dir() / "a.lock";
  {
    const LockFile mine(path);
    EXPECT_TRUE(mine.stale_owner().empty());
    try {
      const LockFile other(path);
      ADD_FAILURE() << "locked twice";
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("held by process"));
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  std::ofstream(path) << "process 1 on elsewhere\n";  // left behind by a program that was killed
  EXPECT_EQ(LockFile(path).stale_owner(), "process 1 on elsewhere");
}

}  // namespace
}  // namespace freeplay::study
