// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include "unit/io/model_text.hpp"
#include <freeplay/load.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

// Files: includes, and whatever else may stand at a path.
namespace freeplay {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::small_model;

class DocumentTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  Model load(const std::string& name, std::vector<Override> overrides = {}) {
    return load_model(folder_ / name, {std::move(overrides), nullptr});
  }
  /// Messages with the scratch folder left out.
  std::string said(const std::string& name) {
    std::string out;
    try {
      static_cast<void>(load(name));
    } catch (const std::exception& error) {
      out = error.what();
    }
    const std::string prefix = folder_.string() + "/";
    for (std::size_t at = out.find(prefix); at != std::string::npos; at = out.find(prefix))
      out.erase(at, prefix.size());
    return out;
  }
  fs::path folder_ = testing::scratch_dir();
};

TEST_F(DocumentTest, IncludingFileWins) {
  write("base.toml",
        small_model(
            "[bodies.b]\nmass = 5\nposition = [1, 2, 3]\n[parameters]\nx = 1\ny = \"2*x\"\n"));
  write("more.toml", "[bodies.b]\nmass = 6\n[bodies.c]\nmass = 7\n");
  write("model.toml",
        "include = [\"base.toml\", \"more.toml\"]\n[bodies.b]\nvelocity = [0, 0, "
        "\"y\"]\n[parameters]\nx = 4\n");
  const Model m = load("model.toml");
  ASSERT_EQ(m.bodies.size(), 4u);
  EXPECT_EQ(m.bodies[2].name, "b");
  EXPECT_EQ(m.bodies[2].mass, 6);
  EXPECT_EQ(m.bodies[2].position, Vec3(1, 2, 3));
  EXPECT_EQ(m.bodies[2].velocity->z(), 8);
  EXPECT_EQ(m.bodies[3].name, "c");
  EXPECT_EQ(write_model(m).find("include"), std::string::npos);
  EXPECT_EQ(testing::dump(m), testing::dump(testing::read(write_model(m))));
  EXPECT_EQ(load("model.toml", {{"bodies.c.mass", "9"}}).bodies[3].mass, 9);
}

TEST_F(DocumentTest, IncludesAreRelativeToTheirFile) {
  write("parts/deep/body.toml", "[bodies.a]\nmass = 3\n");
  write("parts/part.toml", "include = \"deep/body.toml\"\n");
  write("model.toml", "include = [\"parts/part.toml\"]\n");
  EXPECT_EQ(load("model.toml").bodies[1].mass, 3);
}

TEST_F(DocumentTest, FalseTakesAwayWhatAnIncludeGave) {
  write("base.toml",
        small_model("[joints.j]\ntype = \"revolute\"\nbodies = [\"ground\", \"a\"]\nat = [0, 0, "
                    "0]\naxis = [0, 0, 1]\ndrive = { speed = 1 }\n"));
  write("model.toml", "include = [\"base.toml\"]\n[joints.j]\ndrive = false\n");
  EXPECT_EQ(load("base.toml").joints[0].drives.size(), 1u);
  EXPECT_EQ(load("model.toml").joints[0].drives.size(), 0u);
}

TEST_F(DocumentTest, MistakesPointIntoTheRightFile) {
  write("parts/base.toml", "[bodies.a]\nmass = -1\n");
  write("model.toml", "include = [\"parts/base.toml\"]\n\n[bodies.b]\nmas = 2\nmass = 1\n");
  EXPECT_EQ(said("model.toml"),
            "model.toml:4:1: bodies.b.mas: unknown key 'mas' (did you mean 'mass'?)\n"
            "parts/base.toml:2:8: bodies.a.mass: found -1; expected a number >= 0 in kg");
  write("parts/base.toml", "[bodies.a\n");
  EXPECT_THAT(said("model.toml"), HasSubstr("parts/base.toml:1:"));
}

TEST_F(DocumentTest, CirclesAreRefused) {
  write("a.toml", "include = [\"b.toml\"]\n[bodies.a]\nmass = 1\n");
  write("b.toml", "\ninclude = [\"c.toml\"]\n");
  write("c.toml", "include = [\"a.toml\"]\n");
  EXPECT_EQ(said("a.toml"),
            "c.toml:1:12: include: files include each other in a circle: a.toml -> b.toml -> "
            "c.toml -> a.toml");
  write("self.toml", "include = [\"self.toml\"]\n");
  EXPECT_THAT(said("self.toml"), HasSubstr("self.toml -> self.toml"));
}

TEST_F(DocumentTest, IncludesStayInTheFolderOfTheModel) {
  write("outside.toml", small_model());
  write("inside/model.toml", "include = [\"../outside.toml\"]\n");
  EXPECT_THAT(
      said("inside/model.toml"),
      HasSubstr(
          "inside/model.toml:1:12: include: cannot include '../outside.toml': it lies outside"));
  write("inside/model.toml", "include = [\"" + (folder_ / "outside.toml").string() + "\"]\n");
  EXPECT_THAT(said("inside/model.toml"), HasSubstr("absolute paths are refused"));
  fs::create_symlink(folder_ / "outside.toml", folder_ / "inside/link.toml");
  write("inside/model.toml", "include = [\"link.toml\"]\n");
  EXPECT_THAT(said("inside/model.toml"), HasSubstr("it lies outside"));
  // A folder whose name merely begins alike is outside too.
  write("inside2/x.toml", small_model());
  write("inside/model.toml", "include = [\"../inside2/x.toml\"]\n");
  EXPECT_THAT(said("inside/model.toml"), HasSubstr("it lies outside"));
  // So is a table of numbers.
  write("secret.csv", "0,0\n1,1\n");
  write("inside/model.toml",
        small_model("[forces.f]\nbody = \"a\"\ndirection = [1, 0, 0]\nmagnitude = { table = { file "
                    "= \"../secret.csv\" } }\n"));
  EXPECT_THAT(
      said("inside/model.toml"),
      HasSubstr("forces.f.magnitude.table.file: cannot read '../secret.csv': it lies outside"));
}

TEST_F(DocumentTest, MissingAndOddIncludes) {
  write("model.toml", "include = [\"nothing.toml\", 3]\n");
  EXPECT_EQ(said("model.toml"),
            "model.toml:1:12: include: cannot include 'nothing.toml': there is no such file\n"
            "model.toml:1:28: include: found the number 3; expected a file name");
  write("model.toml", "include = 7\n");
  EXPECT_EQ(said("model.toml"),
            "model.toml:1:11: include: found the number 7; expected a list of file names");
  fs::create_directories(folder_ / "sub");
  write("model.toml", "include = [\"sub\"]\n");
  EXPECT_THAT(said("model.toml"), HasSubstr("it is a folder"));
  write("model.toml", "include = [\"\"]\n");
  EXPECT_THAT(said("model.toml"), HasSubstr("the file name is empty"));
  EXPECT_THAT(testing::mistakes("include = [\"x.toml\"]\n"),
              HasSubstr("a model without a folder of its own"));
}

TEST_F(DocumentTest, ManyIncludesEndInAMessage) {
  // Each file includes the next twice: 2^30 files if followed blindly.
  for (int i = 0; i < 31; ++i) {
    const std::string next = "\"f" + std::to_string(i + 1) + ".toml\"";
    write("f" + std::to_string(i) + ".toml",
          i < 30 ? "include = [" + next + ", " + next + "]\n" : small_model());
  }
  EXPECT_THAT(said("f0.toml"), HasSubstr("more than 1000 files are included"));
}

TEST_F(DocumentTest, ParseModelIncludesFromAFolder) {
  write("base.toml", small_model());
  EXPECT_EQ(parse_model("include = [\"base.toml\"]\n", "text", {}, folder_).bodies[1].mass, 1);
}

TEST_F(DocumentTest, WhateverStandsAtAPath) {
  EXPECT_EQ(said("nothing.toml"), "cannot read 'nothing.toml': there is no such file");
  fs::create_directories(folder_ / "folder");
  EXPECT_EQ(said("folder"), "cannot read 'folder': it is a folder");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(said("pipe"), "cannot read 'pipe': it is not a regular file");
  fs::create_symlink("loop_b", folder_ / "loop_a");
  fs::create_symlink("loop_a", folder_ / "loop_b");
  EXPECT_EQ(said("loop_a"), "cannot read 'loop_a': its symbolic links go round in a circle");
  write("locked.toml", small_model());
  fs::permissions(folder_ / "locked.toml", fs::perms::none);
  if (::geteuid() != 0) {
    EXPECT_THAT(said("locked.toml"), HasSubstr("permissions"));
  }
  write("huge.toml", "");
  fs::resize_file(folder_ / "huge.toml", std::uintmax_t{3} << 30);  // sparse
  EXPECT_EQ(said("huge.toml"), "cannot read 'huge.toml': it has 3072 MB; at most 64 MB are read");
  for (const char* name : {"nothing.toml", "folder", "pipe", "loop_a", "huge.toml"})
    EXPECT_THROW(static_cast<void>(load(name)), IoError) << name;
  write("name with 'quotes' and \xc3\xa4.toml", small_model());
  EXPECT_EQ(said("name with 'quotes' and \xc3\xa4.toml"), "");
}

TEST_F(DocumentTest, ThingsThatAreNoText) {
  std::string utf16 = "\xff\xfe";
  for (const char c : small_model()) (utf16 += c) += '\0';
  write("utf16.toml", utf16);
  EXPECT_EQ(said("utf16.toml"), "utf16.toml: the text is UTF-16 or UTF-32; save it as UTF-8");
  write("utf16le.toml", utf16.substr(2));
  EXPECT_THAT(said("utf16le.toml"), HasSubstr("UTF-16"));
  write("nul.toml", small_model() + std::string("ab\0cd", 5));
  EXPECT_EQ(said("nul.toml"), "nul.toml:8:3: the file contains a NUL byte: it is not text");
  write("latin1.toml", "[bodies.\"\xe4\"]\nmass = 1\n");
  EXPECT_THAT(said("latin1.toml"), HasSubstr("UTF-8"));
}

}  // namespace
}  // namespace freeplay
