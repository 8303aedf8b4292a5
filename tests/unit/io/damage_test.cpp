// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include "unit/io/synthetic_run.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <random>

// Result files with flipped bits and cut-off ends, sealed and not: the reader gives a reason or the
// right numbers, and lives. How many, the build says: some in passing, ten thousand at leisure.
#ifndef FREEPLAY_DAMAGED_FILES
#define FREEPLAY_DAMAGED_FILES 150
#endif

namespace freeplay {
namespace {

namespace fs = std::filesystem;
using testing::SyntheticRun;

std::string read_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Every number of a result.
std::map<std::string, std::vector<double>> numbers_of(const Result& result) {
  std::map<std::string, std::vector<double>> out;
  for (const Channel& c : result.channels())
    for (const char* prefix : {"", "uniform/"})
      out[prefix + c.path] = result.series(prefix + c.path).values;
  for (const Event& e : result.events()) {
    out["events"].push_back(e.time);
    out["events"].push_back(e.speed);
  }
  for (const Impact& i : result.impacts()) out["impacts"].push_back(i.peak_force);
  const State state = result.state_before(0.2);
  out["state"].assign(state.y.begin(), state.y.end());
  (void)result.total();
  (void)result.model_text();
  return out;
}

TEST(DamagedFilesTest, AreRefusedOrReadRight) {
  const auto file = testing::scratch_dir() / "damaged.h5";
  SyntheticRun().write(file, 40);
  const std::string whole = read_bytes(file);
  const auto expected = numbers_of(Result(file));
  const std::string unsealed = whole.substr(0, whole.size() - 68);
  std::mt19937_64 random(20260101);
  int refused = 0;
  for (int i = 0; i < FREEPLAY_DAMAGED_FILES; ++i) {
    std::string bytes = i % 2 == 0 ? whole : unsealed;
    const auto at = random() % bytes.size();
    if (i % 5 == 4)
      bytes.resize(at);
    else
      for (auto flips = 1 + random() % 3; flips > 0; --flips)
        bytes[(at + random() % 64) % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    fs::remove(file);
    std::ofstream(file, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    try {
      const auto found = numbers_of(Result(file));
      EXPECT_EQ(found, expected) << "damage " << i << " at byte " << at;
    } catch (const IoError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, FREEPLAY_DAMAGED_FILES / 2);
}

// The lists of chunks have no checksum: how many there are, which filters they skipped, where they
// begin and lie. Symptom: impacts of no force, numbers never shuffled back.
TEST(DamagedFilesTest, ListsOfChunksAreRefusedOrReadRight) {
  const auto file = testing::scratch_dir() / "damaged.h5";
  SyntheticRun().write(file, 40);
  const std::string whole = read_bytes(file);
  const auto expected = numbers_of(Result(file));
  const std::string unsealed = whole.substr(0, whole.size() - 68);
  const std::string head("TREE\x01", 5);
  int lists = 0, refused = 0;
  for (auto at = unsealed.find(head); at != std::string::npos; at = unsealed.find(head, at + 1)) {
    ++lists;
    // Version 1 nodes: entries, then, of the first, skipped filters, first row, address.
    for (const auto& [place, bit] : {std::pair{6, 0}, {28, 0}, {28, 1}, {28, 2}, {33, 4}}) {
      std::string bytes = unsealed;
      bytes[at + static_cast<std::size_t>(place)] ^= static_cast<char>(1 << bit);
      fs::remove(file);
      std::ofstream(file, std::ios::binary)
          .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      try {
        const auto found = numbers_of(Result(file));
        EXPECT_EQ(found, expected) << "list " << lists << ", byte " << place << ", bit " << bit;
      } catch (const IoError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(lists, 5);
  EXPECT_GT(refused, lists);  // some are of columns that nobody asked for here
}

}  // namespace
}  // namespace freeplay
