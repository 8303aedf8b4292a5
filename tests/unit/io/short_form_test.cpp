// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include "support/recording.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

// Six mechanisms written twice: with points, links, repetitions and shared tables, and with every
// body and joint spelled out (long_form/), as one had to before. They are the same mechanisms, to
// the last digits that arithmetic in another order moves.
namespace freeplay {
namespace {

struct Pair {
  std::string name, short_form;
  double loose, ideal;  // s, as shipped and without play: until motion depends on the last digits
  std::vector<Override> set = {};
};

std::ostream& operator<<(std::ostream& out, const Pair& pair) { return out << pair.name; }

class ShortFormTest : public ::testing::TestWithParam<Pair> {
 protected:
  [[nodiscard]] static std::filesystem::path long_form() {
    return testing::source_dir() / "tests/unit/io/long_form" / (GetParam().name + ".toml");
  }
  [[nodiscard]] static std::filesystem::path short_form() {
    return testing::source_dir() / GetParam().short_form;
  }
  [[nodiscard]] static Model brief() {
    LoadOptions options;
    options.overrides = GetParam().set;
    return load_model(short_form(), options);
  }
  [[nodiscard]] static Model full() { return load_model(long_form()); }
};

Model without_play(Model model) {
  for (Joint& joint : model.joints) {
    joint.clearance.reset();
    joint.stops.clear();
  }
  return model;
}

int lines(const std::filesystem::path& file) {
  std::ifstream in(file);
  int count = 0;
  for (std::string line; std::getline(in, line);) ++count;
  return count;
}

/// How far two runs are apart at most, in poses and velocities, in units of the run's own scales.
double apart(Model brief, Model full, double duration) {
  for (Model* model : {&brief, &full}) {
    model->simulation.duration = duration;
    model->simulation.output = duration / 50;
    model->simulation.tolerance = 1e-13;
  }
  const testing::Simulated a = testing::simulate(brief), b = testing::simulate(full);
  const auto scales = testing::unit_scales(b);
  EXPECT_EQ(a.series.channels.size(), b.series.channels.size());
  EXPECT_EQ(a.series.rows.size(), b.series.rows.size());
  if (a.series.rows.size() != b.series.rows.size()) return 1;
  double worst = 0;
  for (std::size_t c = 0; c < a.series.channels.size(); ++c) {
    const Channel &one = a.series.channels[c], &other = b.series.channels[c];
    EXPECT_EQ(one.path, other.path);
    const double scale = scales.contains(one.unit) ? scales.at(one.unit) : 1.0;
    // Poses and velocities; what follows from them through stiff contacts is coarser.
    if (!one.path.starts_with("bodies/") || one.path.find("acceleration") != std::string::npos)
      continue;
    for (int k = 0; k < one.width; ++k) {
      const auto column = static_cast<std::size_t>(one.offset + k);
      for (std::size_t row = 0; row < a.series.rows.size(); ++row)
        worst = std::max(worst,
                         std::abs(a.series.rows[row][column] - b.series.rows[row][column]) / scale);
    }
  }
  return worst;
}

TEST_P(ShortFormTest, IsTheSameModel) {
  // Written out, word by word; numbers to the digits that another order of operations moves.
  // What a link with a section looks like is known to the short form only.
  Model drawn = brief();
  for (Body& body : drawn.bodies) body.shapes.clear();
  std::istringstream a(write_model(drawn)), b(write_model(full()));
  std::string one, other;
  while (a >> one && b >> other) {
    if (one == other) continue;
    const auto number = [](std::string text) {
      std::erase_if(text, [](char c) { return c == '[' || c == ']' || c == ','; });
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      EXPECT_EQ(*end, '\0') << text;
      return value;
    };
    const double x = number(one), y = number(other);
    EXPECT_NEAR(x, y, 1e-13 * std::max(std::abs(x), std::abs(y)) + 1e-15);
  }
  EXPECT_TRUE(a.eof() && !(b >> other));
}

TEST_P(ShortFormTest, GivesTheSameResults) {
  const double loose = apart(brief(), full(), GetParam().loose),
               ideal = apart(without_play(brief()), without_play(full()), GetParam().ideal);
  fmt::print("{}: {:.2g} apart in {} s with play, {:.2g} in {} s without; {} and {} lines\n",
             GetParam().name, loose, GetParam().loose, ideal, GetParam().ideal, lines(short_form()),
             lines(long_form()));
  EXPECT_LE(loose, 1e-10);
  EXPECT_LE(ideal, 1e-10);
}

TEST_P(ShortFormTest, TakesHalfTheLines) { EXPECT_LE(2 * lines(short_form()), lines(long_form())); }

INSTANTIATE_TEST_SUITE_P(
    Six, ShortFormTest,
    ::testing::Values(Pair{"toggle_press", "examples/12_machines/toggle_press.toml", 0.01, 0.5},
                      Pair{"jansen_leg", "examples/12_machines/jansen_leg.toml", 0.005, 0.5},
                      Pair{"rssr", "examples/12_machines/rssr.toml", 0.02, 0.5},
                      Pair{"rotor", "examples/12_machines/rotor.toml", 0.05, 0.05},
                      Pair{"latch", "examples/12_machines/latch.toml", 0.002, 0.05},
                      Pair{"scissor_mast",
                           "examples/12_machines/scissor_mast.toml",
                           0.001,
                           0.4,
                           {{"parameters.units", "6"}}}),
    [](const auto& test) { return test.param.name; });

TEST(ScissorMastTest, AnyNumberOfUnitsInFortyLines) {
  const auto file = testing::source_dir() / "examples/12_machines/scissor_mast.toml";
  EXPECT_LE(lines(file), 40);
  for (const char* units : {"1", "2", "14", "100"}) {
    LoadOptions options;
    options.overrides = {{"parameters.units", units}};
    const auto n = static_cast<std::size_t>(std::atoi(units));
    const Model model = load_model(file, options);
    EXPECT_EQ(model.bodies.size(), 1 + 2 * n);
    EXPECT_EQ(model.joints.size(), n + 2 * (n - 1) + 2);
  }
}

}  // namespace
}  // namespace freeplay
