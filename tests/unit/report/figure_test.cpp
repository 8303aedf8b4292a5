// SPDX-License-Identifier: Apache-2.0
#include "report/figure.hpp"

#include "report/html.hpp"
#include "report/ticks.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

namespace freeplay::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(TicksTest, AreRoundNumbersInsideTheRange) {
  EXPECT_THAT(ticks({0, 1}, 5), ElementsAre(0, 0.2, 0.4, 0.6000000000000001, 0.8, 1));
  EXPECT_THAT(ticks({-0.3, 0.3}, 3), ElementsAre(-0.2, 0, 0.2));
  EXPECT_THAT(tick_labels(ticks({0, 1}, 4)), ElementsAre("0", "0.25", "0.50", "0.75", "1.00"));
  EXPECT_THAT(tick_labels({-20, 0, 20}), ElementsAre("−20", "0", "20"));
  EXPECT_THAT(tick_labels({-1e5, 0, 1e5, 2e5}), ElementsAre("−10⁵", "0", "10⁵", "2×10⁵"));
  EXPECT_THAT(tick_labels({0, 2.5e-7, 5e-7}), ElementsAre("0", "2.5×10⁻⁷", "5.0×10⁻⁷"));
}

TEST(TicksTest, SurviveEveryRange) {
  const double huge = std::numeric_limits<double>::max();
  for (const Range range : {padded(0, 0), padded(3, 3), padded(-huge, huge), padded(huge, huge),
                            padded(1e300, 1.0000001e300), padded(5e-324, 1e-323),
                            padded(std::nan(""), 1), padded(1e15, 1e15 + 0.25)}) {
    EXPECT_LT(range.low, range.high);
    const auto at = ticks(range, 5);
    EXPECT_FALSE(at.empty());
    EXPECT_LE(at.size(), 200U);
    for (const double t : at) EXPECT_TRUE(std::isfinite(t));
    EXPECT_EQ(tick_labels(at).size(), at.size());
  }
}

TEST(DisplayUnitTest, TakesThePrefixThatGivesReadableNumbers) {
  EXPECT_EQ(display_unit("m", 0.07).name, "mm");
  EXPECT_EQ(display_unit("m", 2e-6).name, "µm");
  EXPECT_EQ(display_unit("m", 5000).name, "m");
  EXPECT_EQ(display_unit("N", 45000).name, "kN");
  EXPECT_EQ(display_unit("m/s^2", 1e6).name, "m/s²");
  EXPECT_EQ(display_unit("1", 0.2).name, "");
  EXPECT_EQ(display_unit("J", 0).name, "J");
}

FigureData figure_with(std::vector<double> x, std::vector<double> y) {
  FigureData figure;
  figure.panels.push_back({"force", "N", {{std::move(x), std::move(y), "a <b> & c"}}});
  return figure;
}

TEST(FigureTest, SvgHasAxesUnitsAndEscapedLegend) {
  const auto svg = draw(figure_with({0, 1, 2}, {0, 1500, -3000}), FigureFormat::svg);
  EXPECT_THAT(svg, StartsWith("<?xml"));
  EXPECT_THAT(svg, HasSubstr("force, kN"));
  EXPECT_THAT(svg, HasSubstr("time, s"));
  EXPECT_THAT(svg, HasSubstr("a &lt;b&gt; &amp; c"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(FigureTest, DrawsWhateverThereIs) {
  const double huge = 1e300;
  for (const auto& figure :
       {FigureData{}, figure_with({}, {}), figure_with({1}, {2}), figure_with({0, 1}, {5, 5}),
        figure_with({0, 1, 2}, {-huge, huge, 0}), figure_with({0, 0, 0}, {1, 2, 3})}) {
    const auto svg = draw(figure, FigureFormat::svg);
    EXPECT_THAT(svg, HasSubstr("</svg>"));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
    EXPECT_THAT(draw(figure, FigureFormat::png, {60, 30, 72}), StartsWith("\x89PNG"));
  }
  EXPECT_THAT(draw(FigureData{}, FigureFormat::svg), HasSubstr("no data"));
  EXPECT_THAT(draw(figure_with({1}, {2}), FigureFormat::svg), HasSubstr("<circle"));
}

TEST(FigureTest, ManySamplesKeepTheirPeakAndCostNoMoreThanTheirWidth) {
  std::vector<double> x, y;
  for (int i = 0; i < 500000; ++i) {
    x.push_back(i * 1e-6);
    y.push_back(i == 123456 ? 1.0 : 0.0);
  }
  const auto svg = draw(figure_with(x, y), FigureFormat::svg);
  EXPECT_LT(svg.size(), 1000000U);
  const auto without = draw(figure_with(x, std::vector<double>(x.size(), 0.0)), FigureFormat::svg);
  EXPECT_NE(svg, without);
  EXPECT_THAT(svg, HasSubstr("1.00"));
}

TEST(FigureTest, APathIsNotDistorted) {
  // A circle of radius 3 mm as a path of lengths: as wide as high, in one unit.
  std::vector<double> x, y;
  for (int i = 0; i <= 360; ++i) {
    x.push_back(3e-3 * std::cos(i * 0.017453292519943295));
    y.push_back(3e-3 * std::sin(i * 0.017453292519943295));
  }
  FigureData figure = figure_with(x, y);
  figure.x_unit = figure.panels[0].unit = "m";
  figure.equal = true;
  const auto extents = [&](const FigureOptions& options) {
    const std::string svg = draw(figure, FigureFormat::svg, options);
    double low_x = 1e9, high_x = -1e9, low_y = 1e9, high_y = -1e9;
    const auto begin = svg.find("d=\"M", svg.rfind("<path", svg.rfind("#0072b2"))) + 3;
    std::string text = svg.substr(begin, svg.find('"', begin) - begin);
    for (char& c : text)
      if ((c < '0' || c > '9') && c != '.' && c != '-') c = ' ';
    std::istringstream numbers(text);
    std::vector<double> all;
    for (double v = 0; numbers >> v;) all.push_back(v);
    EXPECT_GT(all.size(), 100u);
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
      low_x = std::min(low_x, all[i]), high_x = std::max(high_x, all[i]);
      low_y = std::min(low_y, all[i + 1]), high_y = std::max(high_y, all[i + 1]);
    }
    return std::pair(high_x - low_x, high_y - low_y);
  };
  for (const FigureOptions& options : {FigureOptions{160, 112, 200}, FigureOptions{60, 150, 200}}) {
    const auto [wide, high] = extents(options);
    EXPECT_NEAR(wide / high, 1, 0.01);
  }
}

TEST(FigureTest, RefusesPicturesWithoutEnd) {
  EXPECT_THROW((void)draw(figure_with({0, 1}, {0, 1}), FigureFormat::png, {20000, 60, 2400}),
               IoError);
}

TEST(MarkupTest, EscapesAndReplaces) {
  EXPECT_EQ(escape_markup("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escape_markup("Kurbel ü – 日本"), "Kurbel ü – 日本");
  EXPECT_EQ(escape_markup(std::string_view("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(escape_markup("\xC0\xAF\xFF"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong '/'
}

}  // namespace
}  // namespace freeplay::report
