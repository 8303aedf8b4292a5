// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include "unit/io/synthetic_run.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <limits>

namespace freeplay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::scratch_dir;
using testing::SyntheticRun;
namespace fs = std::filesystem;

template <class F>
std::string complaint(F&& action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

std::string read_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_bytes(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST(ResultReaderTest, GivesBackWhatWasWritten) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  run.write(file, 1234);
  const Result result(file);
  EXPECT_EQ(result.attribute("command"), "freeplay run synthetic.toml");
  EXPECT_EQ(result.attribute("seed"), "7");
  EXPECT_EQ(result.attribute("name"), "synthetic");
  EXPECT_EQ(result.attribute("model_sha256"), model_digest(run.model));
  EXPECT_EQ(result.model_text(), write_model(run.model));

  const auto channels = result.channels();
  ASSERT_EQ(channels.size(), 3U);
  EXPECT_EQ(channels[0].path, "bodies/rod/position");
  EXPECT_EQ(channels[0].unit, "m");
  EXPECT_EQ(channels[0].frame, "global");
  EXPECT_EQ(channels[2].long_name, "kinetic energy");
  EXPECT_EQ(channels[2].frame, "");

  const auto position = result.series("bodies/rod/position");
  ASSERT_EQ(position.time.size(), 1235U);
  for (int i = 0; i <= 1234; ++i) {
    const auto row = SyntheticRun::row(run.time(i));
    const auto k = static_cast<std::size_t>(i);
    EXPECT_EQ(position.time[k], run.time(i));
    EXPECT_EQ(position.values[3 * k + 1], row[1]);
  }
  EXPECT_EQ(result.series("uniform/energy/kinetic").time.size(), 1234U);
  EXPECT_EQ(result.series("/energy/kinetic").values.back(), 0.5 * 12.34 * 12.34);
  ASSERT_EQ(result.events().size(), 123U);
  EXPECT_EQ(result.events()[1].kind, "touch");
  EXPECT_EQ(result.events()[1].joint, "pin");
  EXPECT_EQ(result.events()[1].speed, 5.0);
  ASSERT_EQ(result.impacts().size(), 61U);
  EXPECT_EQ(result.impacts()[60].joint, "pin");
  EXPECT_EQ(result.impacts()[60].end, run.time(1220));
  EXPECT_EQ(result.impacts()[60].peak_force, 1220);
  EXPECT_EQ(result.impacts()[60].approach_speed, 0.5);
  EXPECT_EQ(result.impacts()[60].separation_speed, 0.25);
  EXPECT_EQ(result.attribute("impacts/unit"),
            "start: s, end: s, approach_speed: m/s, separation_speed: m/s, peak_force: N, "
            "peak_depth: m, energy_lost: J, achieved_restitution: 1, impulse: N s");
  EXPECT_EQ(result.attribute("events/unit"), "time: s, speed: m/s");
}

TEST(ResultReaderTest, ComponentsAreNamedAfterADot) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  run.write(file, 10);
  const Result result(file);
  const auto row = SyntheticRun::row(run.time(4));
  EXPECT_EQ(result.series("bodies/rod/position.y").values[4], row[1]);
  EXPECT_EQ(result.series("bodies/rod/position.y").channel.width, 1);
  EXPECT_EQ(result.series("bodies/rod/quaternion.w").values[4], row[3]);
  EXPECT_EQ(result.series("bodies/rod/quaternion.z").values[4], row[6]);
  EXPECT_EQ(result.series("uniform/bodies/rod/position.x").values[0], 0.005);
}

TEST(ResultReaderTest, UnknownSeriesIsAnsweredWithTheNearest) {
  const auto file = scratch_dir() / "out.h5";
  SyntheticRun().write(file, 10);
  const Result result(file);
  const auto ask = [&](const char* path) { return complaint([&] { (void)result.series(path); }); };
  EXPECT_THAT(ask("bodies/rod/positon"), HasSubstr("did you mean 'bodies/rod/position'?"));
  EXPECT_THAT(ask("bodies/rod/position.w"), HasSubstr("did you mean 'bodies/rod/position"));
  EXPECT_THAT(ask("uniform/energy/kinetik"), HasSubstr("did you mean 'uniform/energy/kinetic'?"));
  EXPECT_THAT(ask("bodies/rod"), HasSubstr("did you mean 'bodies/rod/position'?"));
  EXPECT_THAT(ask("impact"), HasSubstr("did you mean 'impacts'?"));
  for (const char* path : {"", "/", ".", "..", "a//b", "events", "impacts", "model/source",
                           "uniform/", "bodies/rod/", ".x", "time.x", "no/such/thing/at/all"})
    EXPECT_NE(ask(path), "") << path;
}

TEST(ResultReaderTest, StateBeforeATimeIsTheStoredOne) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  run.write(file, 100);
  const Result result(file);
  EXPECT_EQ(result.state_before(0.505).time, run.time(50));
  EXPECT_EQ(result.state_before(0.505).y, run.state(50).y);
  EXPECT_EQ(result.state_before(0).memory, run.state(0).memory);
  EXPECT_EQ(result.state_before(std::numeric_limits<double>::infinity()).time, run.time(100));
  EXPECT_THAT(complaint([&] { (void)result.state_before(-1); }), HasSubstr("before the start"));
  EXPECT_THAT(complaint([&] { (void)result.state_before(std::nan("")); }),
              HasSubstr("before the start"));
}

TEST(ResultReaderTest, ValueAtAStepIsTheStoredOne) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  run.write(file, 100);
  const Result result(file);
  const auto row = SyntheticRun::row(run.time(50));
  EXPECT_THAT(result.at("bodies/rod/position", run.time(50)), ElementsAre(row[0], row[1], row[2]));
  EXPECT_THAT(result.at("bodies/rod/position.z", run.time(50)), ElementsAre(row[2]));
  EXPECT_THAT(complaint([&] { (void)result.at("bodies/rod/position", 1.5); }),
              HasSubstr("after the end"));
}

TEST(ResultReaderTest, OtherFilesAreRefusedWithAReason) {
  const auto dir = scratch_dir();
  const auto complain = [](const fs::path& file) {
    return complaint([&] { const Result result(file); });
  };
  EXPECT_THAT(complain(dir / "missing.h5"), HasSubstr("no such file"));
  EXPECT_THAT(complain(dir), HasSubstr("not a file"));
  write_bytes(dir / "empty.h5", "");
  EXPECT_THAT(complain(dir / "empty.h5"), HasSubstr("empty"));
  write_bytes(dir / "text.h5", "time,position\n0,1\n");
  EXPECT_THAT(complain(dir / "text.h5"), HasSubstr("not an HDF5 file"));
}

// Reliability section 5, item 17: the reader refuses, or the numbers are the right ones.
class DamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = scratch_dir();
    run_.write(dir_ / "whole.h5", 40);
    whole_ = read_bytes(dir_ / "whole.h5");
    const Result result(dir_ / "whole.h5");
    position_ = result.series("bodies/rod/position").values;
    uniform_ = result.series("uniform/energy/kinetic").values;
  }
  // Returns false when the file was refused; wrong numbers are a failure of the test.
  bool read(const std::string& bytes, std::size_t where) {
    write_bytes(dir_ / "damaged.h5", bytes);
    try {
      const Result result(dir_ / "damaged.h5");
      EXPECT_EQ(result.series("bodies/rod/position").values, position_) << "byte " << where;
      EXPECT_EQ(result.series("uniform/energy/kinetic").values, uniform_) << "byte " << where;
      (void)result.events();
      (void)result.model_text();
      (void)result.state_before(0.2);
      return true;
    } catch (const IoError&) {
      return false;
    }
  }
  SyntheticRun run_;
  fs::path dir_;
  std::string whole_;
  std::vector<double> position_, uniform_;
};

TEST_F(DamageTest, TruncatedFilesAreRefused) {
  // The last 68 bytes are the seal, whose loss harms no number.
  const auto sealed = whole_.size() - 68;
  for (std::size_t size = 0; size < sealed; size += 1 + sealed / 300)
    EXPECT_FALSE(read(whole_.substr(0, size), size)) << size;
  EXPECT_FALSE(read(whole_.substr(0, sealed - 1), sealed - 1));
  EXPECT_TRUE(read(whole_.substr(0, sealed), sealed));
}

TEST_F(DamageTest, FlippedBitsAreRefused) {
  const auto sealed = whole_.size() - 68;
  for (std::size_t at = 0; at < sealed; at += 1 + sealed / 500) {
    auto bytes = whole_;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    EXPECT_FALSE(read(bytes, at)) << at;
  }
}

}  // namespace
}  // namespace freeplay
