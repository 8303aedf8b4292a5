// SPDX-License-Identifier: Apache-2.0
#include "report/folder.hpp"

#include "support/paths.hpp"
#include <freeplay/errors.hpp>

#include <gmock/gmock.h>

#include <fstream>

namespace freeplay::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

void touch(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "not a result";
}

class FolderTest : public ::testing::Test {
 protected:
  FolderTest() : base_(testing::scratch_dir()), root_(base_ / "served") {
    touch(root_ / "a.h5");
    touch(root_ / "sub" / "b c.h5");
    touch(root_ / "notes.txt");
    touch(base_ / "secret.h5");
    touch(base_ / "served_too" / "x.h5");  // its path begins like the folder's
    fs::create_symlink(base_ / "secret.h5", root_ / "link.h5");
    fs::create_directory_symlink(base_, root_ / "up");
    fs::create_symlink(root_ / "a.h5", root_ / "inside.h5");
    fs::create_symlink(root_ / "loop.h5", root_ / "loop.h5");
  }
  fs::path base_, root_;
};

TEST_F(FolderTest, ListsResultsInsideOnly) {
  EXPECT_THAT(Folder(root_).results(), ElementsAre("a.h5", "inside.h5", "sub/b c.h5"));
}

TEST_F(FolderTest, FindsNothingOutside) {
  const Folder folder(root_);
  EXPECT_TRUE(folder.find("a.h5"));
  EXPECT_TRUE(folder.find("sub/b c.h5"));
  EXPECT_TRUE(folder.find("inside.h5"));
  for (const std::string& name : std::vector<std::string>{"",
                                                          ".",
                                                          "..",
                                                          "../secret.h5",
                                                          "sub/../../secret.h5",
                                                          "sub/../a.h5",
                                                          "./../secret.h5",
                                                          "/etc/passwd",
                                                          (base_ / "secret.h5").string(),
                                                          "..\\secret.h5",
                                                          "sub\\b c.h5",
                                                          "link.h5",
                                                          "up/secret.h5",
                                                          "up/served/a.h5/../../secret.h5",
                                                          "loop.h5",
                                                          "notes.txt",
                                                          "missing.h5",
                                                          "sub",
                                                          "../served_too/x.h5",
                                                          "%2e%2e/secret.h5",
                                                          std::string("a.h5\0.txt", 9),
                                                          std::string("x\0/../a.h5", 10),
                                                          std::string(100000, 'a').append(".h5"),
                                                          std::string(5000, '/').append("a.h5")})
    EXPECT_FALSE(folder.find(name)) << name.substr(0, 80);
}

TEST_F(FolderTest, AnswersRequests) {
  const Folder folder(root_);
  EXPECT_EQ(answer_get(folder, "/").status, 200);
  EXPECT_EQ(answer_get(folder, "/?x=1").status, 200);
  EXPECT_EQ(answer_get(folder, "/report").status, 400);
  for (const char* target :
       {"/../secret.h5", "/a.h5", "//", "/%2e%2e/secret.h5", "*", "", "report",
        "http://elsewhere/report?r=a.h5", "/report?r=../secret.h5", "/report?r=%2e%2e%2fsecret.h5",
        "/report?r=%252e%252e%252fsecret.h5", "/report?r=..%5csecret.h5", "/report?r=a.h5%00",
        "/report?r=%2fetc%2fpasswd", "/report?r=link.h5", "/report?r=%zz", "/report?r=%4",
        "/report?r="})
    EXPECT_EQ(answer_get(folder, target).status, 404) << target;
  // Inside, but no result: said so, and nothing worse.
  const auto broken = answer_get(folder, "/report?r=a.h5");
  EXPECT_EQ(broken.status, 500);
  EXPECT_THAT(broken.body, HasSubstr("not an HDF5 file"));
  std::string many = "/report?r=a.h5";
  for (int i = 0; i < 20; ++i) many += "&r=a.h5";
  EXPECT_EQ(answer_get(folder, many).status, 400);
}

TEST_F(FolderTest, EscapesNamesInTheList) {
  touch(root_ / "<script>alert(1)<-script>.h5");
  touch(root_ / "\"quoted\" & 'more'.h5");
  const auto page = Folder(root_).list_page();
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;-script&gt;.h5"));
  EXPECT_THAT(page, HasSubstr("/report?r=%3Cscript%3Ealert%281%29%3C-script%3E.h5"));
  EXPECT_THAT(page, HasSubstr("&quot;quoted&quot; &amp; &#39;more&#39;.h5"));
  EXPECT_THAT(page, Not(HasSubstr("secret")));
}

TEST_F(FolderTest, DecodesOnce) {
  EXPECT_EQ(decode_query("a%20b+c"), "a b c");
  EXPECT_EQ(decode_query("%2525"), "%25");
  EXPECT_EQ(decode_query("%"), std::nullopt);
  EXPECT_EQ(decode_query("%g0"), std::nullopt);
  EXPECT_EQ(decode_query(encode_query("ü &=+%/x.h5")), "ü &=+%/x.h5");
}

TEST_F(FolderTest, MissingFolderIsAnError) {
  EXPECT_THROW(Folder(base_ / "nowhere"), IoError);
  EXPECT_THROW(Folder(root_ / "a.h5"), IoError);
}

}  // namespace
}  // namespace freeplay::report
