// SPDX-License-Identifier: Apache-2.0
#include "io/schema.hpp"

#include "io/model_tables.hpp"
#include "io/units.hpp"
#include "support/paths.hpp"
#include "unit/io/model_text.hpp"
#include <freeplay/load.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

// What is derived from the field tables: schema and reference page.
namespace freeplay {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void spill(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// Visits every shape of the file.
void for_each_shape(const io::Shape& shape,
                    const std::function<void(const io::Shape&, const std::string&)>& visit,
                    const std::string& path) {
  visit(shape, path);
  for (const io::Shape& s : shape.of) for_each_shape(s, visit, path + ".NAME");
  if (shape.table)
    for (const io::Key& key : shape.table->keys)
      for_each_shape(key.shape, visit, path + "." + key.name);
}
void for_each_shape(const std::function<void(const io::Shape&, const std::string&)>& visit) {
  for (const io::Key& key : io::model_table().keys) for_each_shape(key.shape, visit, key.name);
}

TEST(SchemaTest, EveryUnitOfTheTablesParses) {
  int count = 0;
  for_each_shape([&](const io::Shape& shape, const std::string& path) {
    if (shape.kind != io::Shape::Kind::quantity || shape.unit.empty()) return;
    for (const io::Measure measure : {io::Measure::angle, io::Measure::length})
      EXPECT_TRUE(io::parse_unit(io::unit_for(shape.unit, measure, 2)))
          << path << ": " << shape.unit;
    ++count;
  });
  EXPECT_GT(count, 50);
}

TEST(SchemaTest, EveryKeyIsDocumented) {
  std::function<void(const io::TableShape&)> visit = [&](const io::TableShape& table) {
    EXPECT_FALSE(table.doc.empty()) << table.name;
    for (const io::Key& key : table.keys)
      EXPECT_FALSE(key.doc.empty()) << table.name << " " << key.name;
    for (const std::string& name : table.one_of)
      EXPECT_TRUE(table.find(name, nullptr)) << table.name << " " << name;
    for (const io::Key& key : table.keys) {
      for (const std::string& name : key.with)
        EXPECT_TRUE(table.find(name, nullptr)) << table.name << " " << name;
      for (const std::string& name : key.without)
        EXPECT_TRUE(table.find(name, nullptr)) << table.name << " " << name;
    }
  };
  visit(io::model_table());
  for_each_shape([&](const io::Shape& shape, const std::string&) {
    if (shape.table) visit(*shape.table);
  });
}

/// Runs the Python validator over models; returns its exit status, or -1 when Python lacks the
/// package.
int validate(const fs::path& folder, const std::string& models, std::string& said) {
  spill(folder / "schema.json", model_schema());
  spill(folder / "validate.py", R"python(
import json, sys, tomllib
try:
    import jsonschema
except ImportError:
    sys.exit(77)
with open(sys.argv[1]) as f:
    schema = json.load(f)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = 0
for name in sys.argv[2:]:
    with open(name, "rb") as f:
        for error in validator.iter_errors(tomllib.load(f)):
            print(name, ".".join(map(str, error.absolute_path)), error.message[:200])
            bad = 1
sys.exit(bad)
)python");
  const std::string command = "/usr/bin/python3 '" + (folder / "validate.py").string() + "' '" +
                              (folder / "schema.json").string() + "' " + models + " > '" +
                              (folder / "said").string() + "' 2>&1";
  const int status = std::system(command.c_str());
  said = slurp(folder / "said");
  return status == -1                                              ? -1
         : WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127 ? -1
                                                                   : WEXITSTATUS(status);
}

TEST(SchemaTest, ShippedModelsConform) {
  const fs::path folder = testing::scratch_dir();
  spill(folder / "spatial.toml", testing::everything_spatial());
  spill(folder / "planar.toml", testing::everything_planar());
  spill(folder / "short.toml", testing::everything_short());
  spill(folder / "short_spatial.toml", testing::everything_short_spatial());
  spill(folder / "resolved.toml", write_model(testing::read(testing::everything_spatial())));
  std::string models =
      "'" + (folder / "spatial.toml").string() + "' '" + (folder / "planar.toml").string() + "' '" +
      (folder / "short.toml").string() + "' '" + (folder / "short_spatial.toml").string() + "' '" +
      (folder / "resolved.toml").string() + "'";
  for (const auto& entry : fs::directory_iterator(testing::source_dir() / "examples/12_machines"))
    if (entry.path().extension() == ".toml") models += " '" + entry.path().string() + "'";
  for (const auto& entry : fs::directory_iterator(testing::source_dir() / "mechanisms"))
    if (entry.path().extension() == ".toml") {
      // A file laid over another is only whole once they are put together.
      fs::path path = entry.path();
      if (slurp(path).find("\ninclude = ") != std::string::npos) {
        path = folder / entry.path().filename();
        spill(path, write_model(load_model(entry.path())));
      }
      models += " '" + path.string() + "'";
    }
  std::string said;
  const int status = validate(folder, models, said);
  ASSERT_GE(status, 0) << "python3-jsonschema is missing; ./dev deps installs it";
  EXPECT_EQ(status, 0) << said;
}

TEST(SchemaTest, MistakesDoNotConform) {
  const fs::path folder = testing::scratch_dir();
  const std::vector<std::string> wrong = {
      testing::small_model("mas = 2\n"),
      testing::small_model("position = 3\n"),
      testing::small_model("[bodies.b]\n"),
      testing::small_model("[bodies.b]\nmass = -1\n"),
      testing::small_model("[joints.j]\ntype = \"revolut\"\n"),
      testing::small_model("[joints.j]\ntype = \"revolute\"\npitch = 3\n"),
      testing::small_model("[joints.j]\ntype = \"screw\"\n"),
      testing::small_model("orientation = { axis = [0, 0, 1] }\n"),
      testing::small_model("orientation = { xyz = [0, 0, 0], rotation_vector = [0, 0, 0] }\n"),
      "[simulation]\ntolerance = 1\n",
      "[simulation]\nduration = 0\n",
      "[wrong]\n"};
  std::string models;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const fs::path file = folder / ("wrong" + std::to_string(i) + ".toml");
    spill(file, wrong[i]);
    models += " '" + file.string() + "'";
  }
  std::string said;
  ASSERT_GE(validate(folder, models, said), 0)
      << "python3-jsonschema is missing; ./dev deps installs it";
  for (std::size_t i = 0; i < wrong.size(); ++i)
    EXPECT_NE(said.find("wrong" + std::to_string(i) + ".toml"), std::string::npos) << wrong[i];
}

const char* const kBegin = "<!-- begin generated reference -->\n";
const char* const kEnd = "<!-- end generated reference -->\n";

TEST(SchemaTest, GuideIsUpToDate) {
  const fs::path guide = testing::source_dir() / "docs/guide/model_file.md";
  const std::string text = slurp(guide);
  const std::size_t begin = text.find(kBegin), end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::string expected =
      text.substr(0, begin) + kBegin + "\n" + model_reference() + "\n" + text.substr(end);
  if (std::getenv("FREEPLAY_UPDATE_DOCS"))
    spill(guide, expected);
  else
    EXPECT_TRUE(text == expected)
        << "docs/guide/model_file.md is out of date: run this test with FREEPLAY_UPDATE_DOCS=1";
}

/// Every example of the guide loads: those with a [mechanism] stand alone, the others are laid over
/// the first, or over what they include themselves.
TEST(SchemaTest, ExamplesOfTheGuideLoad) {
  const fs::path folder = testing::scratch_dir();
  const std::string text = slurp(testing::source_dir() / "docs/guide/model_file.md");
  const std::string open = "```toml\n";
  int count = 0;
  for (std::size_t at = text.find(open); at != std::string::npos;
       at = text.find(open, at + 1), ++count) {
    const std::size_t start = at + open.size();
    const std::string block = text.substr(start, text.find("```", start) - start);
    const bool alone = block.find("[mechanism]") != std::string::npos;
    if (count == 0) spill(folder / "base.toml", block);
    if (block.find("\"four-bar\"") != std::string::npos) spill(folder / "four_bar.toml", block);
    spill(folder / "model.toml",
          (alone || block.starts_with("include") ? "" : "include = [\"base.toml\"]\n") + block);
    EXPECT_NO_THROW(static_cast<void>(load_model(folder / "model.toml"))) << block;
  }
  EXPECT_GE(count, 5);
}

}  // namespace
}  // namespace freeplay
