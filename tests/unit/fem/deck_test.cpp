// SPDX-License-Identifier: Apache-2.0
#include "fem/deck.hpp"

#include "fem/faces.hpp"
#include "fem/make_part.hpp"
#include "support/brick.hpp"
#include "support/paths.hpp"
#include <freeplay/errors.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>

// Decks and matrix files, right and wrong.
namespace freeplay::fem {
namespace {

namespace fs = std::filesystem;
using testing::Brick;

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Two tetrahedra of four nodes that share a face, and what mesh programs write around them.
constexpr const char* kTwoTets = R"(*HEADING
 two tetrahedra
** a comment
*Node, nset=everything
1, 0, 0, 0
2, 1., 0, 0
3, 0, 1.0E0, 0
4, 0, 0, 1
5, +1, 1, 1
*ELEMENT, type=CPS3, ELSET=Surface1
11, 1, 2, 3
*ELEMENT, TYPE=C3D4, ELSET=Part
1, 1, 2, 3, 4
2, 2, 3, 4, 5
*ELSET, ELSET=FACE
11
*ELSET, ELSET=SOLIDS
1, 2
*NSET, NSET=Base
1, 2,
3
*NSET, NSET=RANGE, GENERATE
2, 5, 2
*NSET, NSET=BOTH
base, 4
)";

TEST(DeckTest, IsReadWithItsSetsAndWithoutItsSkin) {
  const auto folder = testing::scratch_dir();
  write(folder / "mesh.inp", kTwoTets);
  write(folder / "deck.inp", "*INCLUDE, INPUT=mesh.inp\n*DENSITY\n7.85e-9\n");
  const Deck deck = read_deck(folder / "deck.inp");
  EXPECT_EQ(deck.points.size(), 5u);
  EXPECT_EQ(deck.elements.size(), 2u);
  EXPECT_EQ(deck.skins, 1);
  EXPECT_TRUE(deck.has_density);
  EXPECT_FALSE(deck.has_step);
  EXPECT_EQ(deck.sets.at("BASE"), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(deck.sets.at("RANGE"), (std::vector<int>{1, 3}));
  EXPECT_EQ(deck.sets.at("BOTH"), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(deck.sets.at("EVERYTHING").size(), 5u);
  // What CalculiX gets: no plane elements and no set of them.
  EXPECT_EQ(deck.text.find("CPS3"), std::string::npos);
  EXPECT_EQ(deck.text.find("FACE"), std::string::npos);
  EXPECT_NE(deck.text.find("SOLIDS"), std::string::npos);
  EXPECT_EQ(deck.text.find("INCLUDE"), std::string::npos);
}

TEST(DeckTest, OuterFacesPointOutwards) {
  const auto folder = testing::scratch_dir();
  write(folder / "mesh.inp", kTwoTets);
  const Deck tets = read_deck(folder / "mesh.inp");
  const auto faces = outer_faces(tets);
  EXPECT_EQ(faces.size(), 6u);
  double volume = 0;
  for (const auto& t : triangles_of(faces)) {
    const auto p = [&](std::size_t k) { return tets.points[static_cast<std::size_t>(t[k])]; };
    volume += p(0).dot(p(1).cross(p(2))) / 6;
  }
  EXPECT_NEAR(volume, 1.0 / 6 + 1.0 / 3, 1e-12);
  const Areas base = areas_of(tets, faces, tets.sets.at("BASE"));
  EXPECT_NEAR(base.total, 0.5, 1e-12);
  EXPECT_NEAR(base.of_node[0], 0.5 / 3, 1e-12);
  EXPECT_LT((base.centroid - Vec3(1.0 / 3, 1.0 / 3, 0)).norm(), 1e-12);

  const Brick brick(Vec3(0.08, 0.012, 0.01), {3, 2, 1});
  brick.write(folder / "brick");
  const Deck box = read_deck(folder / "brick.inp");
  const auto skin = outer_faces(box);
  EXPECT_EQ(skin.size(), 2u * (3 * 2 + 3 * 1 + 2 * 1));
  volume = 0;
  for (const auto& t : triangles_of(skin)) {
    const auto p = [&](std::size_t k) { return box.points[static_cast<std::size_t>(t[k])]; };
    volume += p(0).dot(p(1).cross(p(2))) / 6;
  }
  EXPECT_NEAR(volume, 80.0 * 12 * 10, 1e-6);
  const Areas end = areas_of(box, skin, box.sets.at("LEFT"));
  EXPECT_NEAR(end.total, 120, 1e-9);
  EXPECT_LT(end.centroid.norm(), 1e-9);
}

struct Mistake {
  const char *from, *to, *says;
};

template <class Act>
std::string said(Act&& act) {
  try {
    act();
  } catch (const ModelError& error) {
    return error.issues().front().text();
  } catch (const IoError& error) {
    return error.what();
  }
  return "accepted";
}

std::string with(std::string text, const Mistake& mistake) {
  const auto at = text.find(mistake.from);
  EXPECT_NE(at, text.npos) << mistake.from;
  return at == text.npos ? text : text.replace(at, std::string(mistake.from).size(), mistake.to);
}

TEST(DeckTest, MistakesAreNamedWithTheirLine) {
  const auto folder = testing::scratch_dir();
  const Mistake mistakes[] = {
      {"2, 1., 0, 0", "2, 1., 0", ":6: *NODE: a node needs its number and three coordinates"},
      {"2, 1., 0, 0", "2, one, 0, 0", ":6: *NODE: 'one' is no coordinate"},
      {"2, 1., 0, 0", "2, nan, 0, 0", "is no coordinate"},
      {"2, 2, 3, 4, 5", "2, 2, 3, 4, 7", "node 7 is used but not defined"},
      {"2, 2, 3, 4, 5", "2, 2, 3, 4", "the last element has 3 of its 4 nodes"},
      {"2, 2, 3, 4, 5", "2, 2, 3, 4, 5, 1", "more than the 4 nodes of C3D4"},
      {"C3D4", "S3", "elements of type 'S3' are not taken"},
      {"base, 4", "bas, 4", "there is no set 'bas' yet"},
      {"2, 5, 2", "5, 2", "no such range"}};
  for (const Mistake& m : mistakes) {
    write(folder / "deck.inp", with(kTwoTets, m));
    const std::string found = said([&] { (void)read_deck(folder / "deck.inp"); });
    EXPECT_NE(found.find(m.says), std::string::npos) << m.to << ": " << found;
  }
  write(folder / "deck.inp", "*INCLUDE, INPUT=deck.inp\n");
  EXPECT_NE(said([&] { (void)read_deck(folder / "deck.inp"); }).find("too deep"),
            std::string::npos);
  write(folder / "deck.inp", "");
  EXPECT_NE(said([&] { (void)read_deck(folder / "deck.inp"); }).find("no solid elements"),
            std::string::npos);
  EXPECT_NE(said([&] { (void)read_deck(folder / "missing.inp"); }).find("no such file"),
            std::string::npos);
  EXPECT_NE(said([&] { (void)read_deck(folder); }).find("not a regular file"), std::string::npos);
}

class MatrixFiles : public ::testing::Test {
 protected:
  MatrixFiles() : folder_(testing::scratch_dir()) {
    brick_.write(folder_ / "brick");
    job_.deck = folder_ / "brick.inp";
    job_.units = *parse_deck_units("mm-t-s");
    job_.interfaces = {parse_interface("LEFT=rigid"), parse_interface("RIGHT=averaged")};
    job_.modes = 3;
  }
  std::string answer() const {
    return said([&] { (void)make_part(job_); });
  }
  /// With one of the files changed.
  std::string after(const char* ending, const std::function<void(std::string&)>& change) {
    const fs::path file = folder_ / (std::string("brick") + ending);
    const std::string whole = read(file);
    std::string text = whole;
    change(text);
    write(file, text);
    const std::string out = answer();
    write(file, whole);
    return out;
  }

  fs::path folder_;
  Brick brick_{Vec3(0.08, 0.012, 0.01), {2, 1, 1}};
  PartJob job_;
};

TEST_F(MatrixFiles, OfWrongSizesOrContentsAreRefused) {
  ASSERT_EQ(answer(), "accepted");
  const auto has = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  for (const char* ending : {".sti", ".mas"}) {
    EXPECT_NE(after(ending, [](std::string& t) { t.resize(t.size() / 2); }), "accepted");
    has(after(ending, [](std::string& t) { t += "1 9999 1.0\n"; }), "lines");
    has(after(ending, [](std::string& t) { t += "1 2\n"; }), "expected ROW COLUMN VALUE");
    has(after(ending, [](std::string& t) { t += "1 2 x\n"; }), "expected ROW COLUMN VALUE");
    has(after(ending, [](std::string& t) { t += "1 2 inf\n"; }), "not finite");
    has(after(ending, [](std::string& t) { t.clear(); }), "row 1");
  }
  has(after(".mas", [](std::string& t) { t += "1 2 1.0\n"; }), "same in all directions");
  has(after(".mas", [](std::string& t) { t += "1 1 1.0\n"; }), "same in all directions");
  has(after(".dof", [](std::string& t) { t.clear(); }), "empty");
  has(after(".dof", [](std::string& t) { t.replace(0, 3, "1.4"); }), "degree of freedom 4");
  has(after(".dof", [](std::string& t) { t.replace(0, 3, "999.1"); }), "not in the deck");
  has(after(".dof", [](std::string& t) { t.replace(0, 4, "2.1\n"); }), "there twice");
  has(after(".dof", [](std::string& t) { t.erase(0, 4); }), "cannot move in all directions");
  has(after(".dof", [](std::string& t) { t += "rubbish\n"; }), "expected NODE.DIRECTION");
  fs::remove(folder_ / "brick.mas");
  has(answer(), "there is no");
}

TEST_F(MatrixFiles, NeedInterfacesThatExist) {
  const auto has = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  job_.interfaces = {parse_interface("BORE=rigid")};
  has(answer(), "it has LEFT, RIGHT");
  job_.interfaces = {parse_interface("LEFT=rigid"), parse_interface("left=averaged")};
  has(answer(), "named twice");
  for (const char* bad : {"LEFT", "=rigid", "LEFT=stiff", "LEFT=rigid@1,2", "LEFT=rigid@1,2,3,4",
                          "LEFT=rigid@1,2,x", "LEFT=rigid@1,2,nan"})
    EXPECT_THROW((void)parse_interface(bad), ModelError) << bad;
  const InterfaceRequest at = parse_interface("LEFT=averaged@0,-1.5,2e1");
  EXPECT_TRUE(at.averaged);
  EXPECT_EQ(*at.point, Vec3(0, -1.5, 20));
}

TEST(UnitsTest, OfADeckAreLengthMassAndTime) {
  EXPECT_EQ(parse_deck_units("mm-t-s")->mass, 1e3);
  EXPECT_EQ(parse_deck_units("m-kg-s")->length, 1);
  EXPECT_EQ(parse_deck_units("mm-kg-ms")->time, 1e-3);
  for (const char* bad : {"", "mm", "mm-t", "mm-t-s-x", "t-mm-s", "SI", "mm--s"})
    EXPECT_FALSE(parse_deck_units(bad)) << bad;
}

// The unit of a stiffness follows from the three: the same part in other words has the same
// frequencies.
TEST(UnitsTest, DoNotChangeThePart) {
  const Brick brick(Vec3(0.08, 0.012, 0.01), {2, 1, 1});
  const ReducedPart part = testing::reduced(brick, "rigid", "rigid", 3);
  // 0.08 m of steel held at both ends: around 6 kHz, not a thousand times that.
  EXPECT_GT(part.fixed_frequency[0], 2e4);
  EXPECT_LT(part.fixed_frequency[0], 2e5);
  EXPECT_NEAR(part.mass, 7850 * 0.08 * 0.012 * 0.01, 1e-10);
}

}  // namespace
}  // namespace freeplay::fem
