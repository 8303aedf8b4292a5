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

JournalHead head(char digest) {
  return {std::string(64, digest), "1.2.3", std::string(64, 's'), std::string(64, 'm'), "1/1"};
}

/// Bytes of a journal without rows.
std::uintmax_t head_size(const std::filesystem::path& folder) {
  const auto path = folder / "empty.journal";
  { const Journal journal = Journal::create(path, head('a')); }
  return std::filesystem::file_size(path);
}

TEST(JournalTest, RowsComeBackInAnyOrderAfterTheProgramEnded) {
  const auto path = testing::scratch_dir() / "a.journal";
  {
    Journal journal = Journal::create(path, head('a'));
    for (std::int64_t row : {5, 0, 3}) journal.append(sample(row));
  }
  const Journal journal = Journal::resume(path, head('a'));
  EXPECT_EQ(journal.count(), 3);
  EXPECT_TRUE(journal.has(3));
  EXPECT_FALSE(journal.has(4));
  for (std::int64_t row : {0, 3, 5}) expect_same(journal.read(row), sample(row));
}

TEST(JournalTest, CutOffAnywhereItKeepsTheWholeRecords) {
  const auto folder = testing::scratch_dir();
  const auto path = folder / "a.journal";
  {
    Journal journal = Journal::create(path, head('a'));
    for (std::int64_t row = 0; row < 3; ++row) journal.append(sample(row));
  }
  const auto size = std::filesystem::file_size(path);
  const auto title = head_size(folder);
  for (auto length = size; length >= title; length -= 13) {
    const auto copy = folder / "b.journal";
    std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(copy, length);
    Journal journal = Journal::resume(copy, head('a'));
    EXPECT_EQ(journal.count(), static_cast<std::int64_t>((length - title) / ((size - title) / 3)));
    journal.append(sample(7));  // and goes on behind them
    expect_same(journal.read(7), sample(7));
  }
}

TEST(JournalTest, FlippedByteEndsWhatIsTrusted) {
  const auto path = testing::scratch_dir() / "a.journal";
  {
    Journal journal = Journal::create(path, head('a'));
    for (std::int64_t row = 0; row < 3; ++row) journal.append(sample(row));
  }
  const auto size = std::filesystem::file_size(path), title = head_size(path.parent_path());
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(title + (size - title) / 3 + 40));
    file.put('\x7f');
  }
  EXPECT_EQ(Journal::resume(path, head('a')).count(), 1);
}

TEST(JournalTest, WhatBelongsElsewhereIsRefusedByName) {
  const auto path = testing::scratch_dir() / "a.journal";
  { const Journal journal = Journal::create(path, head('a')); }
  const auto refusal = [&](const JournalHead& wanted) -> std::string {
    try {
      (void)Journal::resume(path, wanted);
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  };
  JournalHead other = head('b');
  EXPECT_THAT(refusal(other), ::testing::HasSubstr("contradict"));
  other.model = std::string(64, 'n');
  EXPECT_THAT(refusal(other), ::testing::HasSubstr("another model"));
  other.text = std::string(64, 't');
  EXPECT_THAT(refusal(other), ::testing::HasSubstr("another study"));
  other.program = "1.2.4";
  EXPECT_THAT(refusal(other),
              ::testing::HasSubstr("by freeplay 1.2.3, and this is freeplay 1.2.4"));
  other = head('a');
  other.part = "2/3";
  EXPECT_THAT(refusal(other), ::testing::HasSubstr("part 1/1 of the rows, not part 2/3"));
}

TEST(JournalTest, LookingLeavesTheTornEndAlone) {
  const auto path = testing::scratch_dir() / "a.journal";
  {
    Journal journal = Journal::create(path, head('a'));
    for (std::int64_t row = 0; row < 3; ++row) journal.append(sample(row));
  }
  const auto size = std::filesystem::file_size(path) - 5;
  std::filesystem::resize_file(path, size);  // another program is writing row 2
  EXPECT_EQ(Journal::look(path, head('a')).count(), 2);
  EXPECT_EQ(std::filesystem::file_size(path), size);
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
