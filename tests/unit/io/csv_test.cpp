// SPDX-License-Identifier: Apache-2.0
#include "io/csv.hpp"

#include "support/paths.hpp"
#include "unit/io/synthetic_run.hpp"
#include <freeplay/errors.hpp>

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace freeplay::io {
namespace {

using freeplay::testing::scratch_dir;
using freeplay::testing::SyntheticRun;

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(CsvTest, FieldsAreQuotedOnlyWhereNeeded) {
  EXPECT_EQ(csv_field("bodies/rod/position.x [m]"), "bodies/rod/position.x [m]");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(CsvTest, ExportHasUnitsInTheHeaderAndNumbersThatReadBackExactly) {
  const auto dir = scratch_dir();
  const SyntheticRun run;
  run.write(dir / "out.h5", 1100);
  const auto written = export_csv(Result(dir / "out.h5"), dir / "new" / "csv");
  ASSERT_EQ(written.size(), 4U);
  const auto steps = lines_of(written[0]);
  ASSERT_EQ(steps.size(), 1102U);
  EXPECT_THAT(steps[0], ::testing::StartsWith(
                            "time [s],bodies/rod/position.x [m],bodies/rod/position.y [m]"));
  EXPECT_THAT(steps[0], ::testing::EndsWith("energy/kinetic [J]"));
  double time = 0, x = 0, y = 0;
  ASSERT_EQ(std::sscanf(steps[778].c_str(), "%lf,%lf,%lf", &time, &x, &y), 3);
  EXPECT_EQ(time, run.time(777));
  EXPECT_EQ(y, SyntheticRun::row(time)[1]);
  EXPECT_EQ(lines_of(written[1]).size(), 1101U);
  const auto events = lines_of(written[2]);
  EXPECT_EQ(events[0], "time [s],joint,contact,kind,speed [m/s]");
  EXPECT_EQ(events[1], "0.1,pin,1,separation,2.5");
  const auto impacts = lines_of(written[3]);
  EXPECT_EQ(impacts[0],
            "start [s],end [s],joint,contact,approach_speed [m/s],separation_speed [m/s],"
            "peak_force [N],peak_depth [m],energy_lost [J],achieved_restitution [1],"
            "impulse [N s],open");
  EXPECT_EQ(impacts[1], "0.19,0.2,pin,0,0.5,0.25,20,0,0,0.5,0,0");
  EXPECT_EQ(impacts.size(), 1U + 1100U / 20U);
}

TEST(CsvTest, NothingIsLeftOfAFileThatWasNotFinished) {
  const auto dir = scratch_dir();
  {
    CsvFile csv(dir / "half.csv");
    csv.text("x");
    csv.end_line();
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir));
}

TEST(CsvTest, DirectoryThatCannotBeMadeIsAnError) {
  const auto dir = scratch_dir();
  SyntheticRun().write(dir / "out.h5", 3);
  EXPECT_THROW(export_csv(Result(dir / "out.h5"), dir / "out.h5" / "csv"), IoError);
  EXPECT_THROW(export_csv(Result(dir / "out.h5"), dir / "out.h5"), IoError);
}

}  // namespace
}  // namespace freeplay::io
