// SPDX-License-Identifier: Apache-2.0
#include "gallery/gallery.hpp"

#include "gallery/numbers.hpp"
#include "gallery/thin.hpp"
#include "report/bars.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace freeplay::gallery {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Three runs whose one series ends at these values.
struct Runs {
  Figure figure;
  std::vector<Track> tracks;

  explicit Runs(const std::vector<std::vector<double>>& editions) {
    for (const auto& values : editions)
      for (const double v : values) {
        Track track;
        track.time = {0, 1};
        track.series["y"] = {0, v};
        tracks.push_back(track);
      }
    for (std::size_t i = 0; i < editions[0].size(); ++i)
      figure.variants.push_back({.label = "v" + std::to_string(i), .set = {}, .at = {}});
  }

  Verdict verdict(const Claim& claim, std::size_t editions) {
    std::vector<std::vector<const Track*>> by;
    const std::size_t n = figure.variants.size();
    for (std::size_t e = 0; e < editions; ++e) {
      by.emplace_back();
      for (std::size_t v = 0; v < n; ++v) by.back().push_back(&tracks[e * n + v]);
    }
    return judge(claim, figure, by).verdict;
  }
};

Claim final_of(std::vector<std::size_t> of) {
  Claim claim;
  claim.measure = parse_measure("final y");
  claim.of = std::move(of);
  return claim;
}

TEST(JudgeTest, BoundsDecide) {
  Claim claim = final_of({0, 1});
  claim.above = 1;
  EXPECT_EQ(Runs({{2, 3, 0}}).verdict(claim, 1), Verdict::holds);
  EXPECT_EQ(Runs({{2, 1, 0}}).verdict(claim, 1), Verdict::fails);  // a bound is not within itself
  claim.over = 2;
  EXPECT_EQ(Runs({{2, 3, 4}}).verdict(claim, 1), Verdict::fails);
  EXPECT_EQ(Runs({{2, 3, 1}}).verdict(claim, 1), Verdict::holds);
  EXPECT_EQ(Runs({{2, 3, 0}}).verdict(claim, 1), Verdict::not_measured);  // relative to nothing
}

TEST(JudgeTest, OrderDecides) {
  Claim claim = final_of({0, 1, 2});
  claim.order = Claim::Order::rising;
  EXPECT_EQ(Runs({{1, 2, 3}}).verdict(claim, 1), Verdict::holds);
  EXPECT_EQ(Runs({{1, 3, 2}}).verdict(claim, 1), Verdict::fails);
  EXPECT_EQ(Runs({{1, 1, 2}}).verdict(claim, 1), Verdict::fails);
  claim.order = Claim::Order::falling;
  EXPECT_EQ(Runs({{3, 2, -1}}).verdict(claim, 1), Verdict::holds);
}

TEST(JudgeTest, EditionsAreToldApart) {
  Claim claim = final_of({0});
  claim.below = 1;
  EXPECT_EQ(Runs({{0}, {0}}).verdict(claim, 2), Verdict::holds);
  EXPECT_EQ(Runs({{0}, {2}}).verdict(claim, 2), Verdict::only_printed);
  EXPECT_EQ(Runs({{2}, {0}}).verdict(claim, 2), Verdict::only_corrected);
  EXPECT_EQ(Runs({{2}, {2}}).verdict(claim, 2), Verdict::fails);
}

TEST(JudgeTest, AFailedRunIsNoVerdict) {
  Runs runs({{0}, {0}});
  runs.tracks[1].failure = "step size underflow";
  Claim claim = final_of({0});
  claim.below = 1;
  EXPECT_EQ(runs.verdict(claim, 2), Verdict::not_measured);
}

TEST(NumbersTest, HaveReadableUnitsAndEnoughDigits) {
  EXPECT_EQ(with_unit(0.47621, "m/s"), "476.2 mm/s");
  EXPECT_EQ(with_unit(23, "1"), "23");
  EXPECT_EQ(with_unit(std::vector{0.001, 0.0125}, "m"), "1, 12.5 mm");
  EXPECT_EQ(with_unit(std::vector{1e-12, 0.0125}, "J", " → "), "≈0 → 12.5 mJ");
  EXPECT_EQ(with_unit(std::vector{-0.36511234, -0.365134}, "m"), "-365.1123, -365.134 mm");
  EXPECT_EQ(with_unit(std::nan(""), "m"), "-");
}

TEST(ThinTest, KeepsPeaksAndEnds) {
  Curve curve;
  for (int i = 0; i <= 100000; ++i) {
    curve.time.push_back(i * 1e-5);
    curve.value.push_back(i == 33333 ? 50 : i == 66666 ? -20 : std::sin(i * 1e-4));
  }
  const auto line = thinned(curve);
  EXPECT_LT(line.x.size(), 500U);
  EXPECT_THAT(line.y, ::testing::Contains(50));
  EXPECT_THAT(line.y, ::testing::Contains(-20));
  EXPECT_EQ(line.x.back(), 1);
}

TEST(ThinTest, LeavesOutWhatLiesOnTheLine) {
  report::FigureLine line;
  line.x = {0, 1, 2, 3, 4};
  line.y = {0, 1, 2, 1, 0};
  EXPECT_THAT(simplified(line, 1e-3).x, ElementsAre(0, 2, 4));
  // There and back again: the turning point stays.
  line.y = line.x = {0, 1, 2, 1, 0};
  EXPECT_THAT(simplified(line, 1e-3).x, ElementsAre(0, 2, 0));
}

TEST(BarsTest, DrawEveryNumber) {
  const auto svg = report::draw_bars(
      {"cost <of it>", "1", {"a", "b"}, {{"one", {12, 345678}}, {"two", {std::nan(""), 0}}}}, 120);
  EXPECT_THAT(svg, HasSubstr(">345678<"));
  EXPECT_THAT(svg, HasSubstr("no number"));
  EXPECT_THAT(svg, HasSubstr("cost &lt;of it&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(PageTest, EscapesWhatAFileMaySay) {
  GalleryResult gallery;
  FigureResult f;
  f.figure.name = f.figure.shows = "<script>alert(1)</script>";
  f.figure.editions.push_back({"as printed", "a & b", {}, {}});
  Claim claim = final_of({});
  claim.says = "a | b <i>";
  f.figure.claims.push_back(claim);
  f.claims.push_back({{Measured{{1}, false, ""}}, Verdict::fails});
  gallery.figures.push_back(f);
  EXPECT_THAT(page_of(gallery), Not(HasSubstr("<script")));
  EXPECT_THAT(page_of(gallery), HasSubstr("does not hold"));
  EXPECT_THAT(markdown_of(gallery), HasSubstr("a \\| b"));
}

}  // namespace
}  // namespace freeplay::gallery
