// SPDX-License-Identifier: Apache-2.0
#include "io/base64.hpp"
#include "io/mesh.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

// Surfaces from glTF: a box whose mass properties are known, written in every way that files use.
namespace freeplay {
namespace {

using ::testing::HasSubstr;

std::optional<io::Solid> solid_in(std::string_view bytes, std::string_view name, io::Refusal& why,
                                  const io::ReadBeside& beside = {}) {
  const auto mesh = io::read_mesh(bytes, name, why, beside);
  return mesh ? io::enclosed(*mesh, why) : std::nullopt;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Corners of a box from the origin, 96 bytes, and its twelve triangles as two bytes each.
std::string box_bytes(double x, double y, double z) {
  std::vector<float> corners;
  for (int k = 0; k < 8; ++k)
    for (const double c : {(k & 1) * x, (k >> 1 & 1) * y, (k >> 2) * z})
      corners.push_back(static_cast<float>(c));
  const std::vector<std::uint16_t> order{0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                         2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  return bytes_of(corners) + bytes_of(order);
}

std::string description(const std::string& buffer, const std::string& nodes,
                        const std::string& rest = "") {
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [)" +
         nodes + R"(], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
  "bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}],
  "buffers": [)" +
         buffer + "]" + rest + "}";
}

std::string embedded(const std::string& bytes) {
  return R"({"byteLength": 168, "uri": "data:application/octet-stream;base64,)" +
         io::base64(std::as_bytes(std::span(bytes))) + "\"}";
}

std::string binary(std::string text, const std::string& bytes) {
  while (text.size() % 4 != 0) text += ' ';
  const auto words = [](std::vector<std::uint32_t> w) { return bytes_of(w); };
  const auto size = [](const std::string& s) { return static_cast<std::uint32_t>(s.size()); };
  return "glTF" + words({2, 28 + size(text) + size(bytes), size(text), 0x4E4F534A}) + text +
         words({size(bytes), 0x004E4942}) + bytes;
}

void expect_box(const std::optional<io::Solid>& solid, const Vec3& size, const Vec3& centre) {
  ASSERT_TRUE(solid);
  EXPECT_NEAR(solid->volume / size.prod(), 1, 1e-12);
  EXPECT_LT((solid->centre - centre).norm(), 1e-12 * size.norm());
  const Vec3 sides = size.cwiseProduct(size);
  const Vec3 expected = (Vec3::Constant(sides.sum()) - sides) / 12;
  EXPECT_LT((solid->gyration.diagonal() - expected).norm(), 1e-12 * expected.norm());
}

TEST(GltfTest, BoxAsTextAsBinaryAndBesideAnotherFile) {
  const std::string bytes = box_bytes(1, 2, 4);
  io::Refusal why;
  const std::string node = R"({"mesh": 0})";
  expect_box(solid_in(description(embedded(bytes), node), "a.gltf", why), {1, 2, 4}, {0.5, 1, 2});
  expect_box(solid_in(binary(description(R"({"byteLength": 168})", node), bytes), "A.GLB", why),
             {1, 2, 4}, {0.5, 1, 2});
  const std::string beside = description(R"({"byteLength": 168, "uri": "a%20box.bin"})", node);
  std::string asked;
  expect_box(solid_in(beside, "a.gltf", why,
                      [&](const std::string& name) {
                        asked = name;
                        return bytes;
                      }),
             {1, 2, 4}, {0.5, 1, 2});
  EXPECT_EQ(asked, "a box.bin");
  EXPECT_FALSE(solid_in(beside, "a.gltf", why, [](const std::string&) -> std::string {
    throw IoError("there is no such file");
  }));
  EXPECT_THAT(why.message, HasSubstr("no such file"));
}

TEST(GltfTest, NodesPlaceTurnScaleAndMirror) {
  const std::string buffer = embedded(box_bytes(1, 2, 4));
  io::Refusal why;
  // Twice as long along x, then a quarter turn about z, then moved; in two nodes, and as a matrix.
  const std::string apart =
      R"({"children": [1], "translation": [10, 0, 0], "rotation": [0, 0, 0.70710678118654752, 0.70710678118654752]},
         {"mesh": 0, "scale": [2, 1, 1]})";
  expect_box(solid_in(description(buffer, apart), "a.gltf", why), {2, 2, 4}, {9, 1, 2});
  const std::string matrix =
      R"({"mesh": 0, "matrix": [0, 2, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1]})";
  expect_box(solid_in(description(buffer, matrix), "a.gltf", why), {2, 2, 4}, {9, 1, 2});
  // A mirror turns the triangles round, which is put right.
  expect_box(solid_in(description(buffer, R"({"mesh": 0, "scale": [-1, 1, 1]})"), "a.gltf", why),
             {1, 2, 4}, {-0.5, 1, 2});
}

TEST(GltfTest, StripsAndFans) {
  // A tetrahedron as a fan about its tip, closed by a strip.
  const std::vector<float> corners{0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0};
  const std::vector<std::uint8_t> order{0, 1, 2, 3, 1, 1, 3, 2};
  const std::string bytes = bytes_of(corners) + bytes_of(order);
  const std::string text =
      R"({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
      "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 6},
                                 {"attributes": {"POSITION": 0}, "indices": 2, "mode": 5},
                                 {"attributes": {"POSITION": 0}, "mode": 1}]}],
      "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                    {"bufferView": 1, "componentType": 5121, "count": 5, "type": "SCALAR"},
                    {"bufferView": 1, "byteOffset": 5, "componentType": 5121, "count": 3, "type": "SCALAR"}],
      "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 8}],
      "buffers": [{"byteLength": 56}]})";
  io::Refusal why;
  const auto solid = solid_in(binary(text, bytes), "a.glb", why);
  ASSERT_TRUE(solid) << why.message;
  EXPECT_NEAR(solid->volume, 0.5, 1e-15);
}

TEST(GltfTest, WhatCannotBeUsedIsRefusedByName) {
  const std::string buffer = embedded(box_bytes(1, 2, 4)), node = R"({"mesh": 0})";
  const auto refusal = [&](const std::string& text) {
    io::Refusal why;
    EXPECT_FALSE(solid_in(text, "a.gltf", why)) << text;
    return why.message;
  };
  EXPECT_THAT(refusal(description(buffer, node,
                                  R"(, "extensionsRequired": ["KHR_draco_mesh_compression"])")),
              HasSubstr("KHR_draco_mesh_compression"));
  EXPECT_THAT(refusal(description(buffer, R"({"mesh": 0, "skin": 0})")), HasSubstr("skeleton"));
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("glTF"), std::string("solid x"),
        description(R"({"byteLength": 169, "uri": "data:;base64,AAAA"})", node),
        description(buffer, R"({"mesh": 1})"),
        description(buffer, R"({"mesh": 0, "children": [0]})"),
        description(buffer, R"({"mesh": 0, "rotation": [0, 0, 0, 0]})")})
    EXPECT_THAT(refusal(text), HasSubstr("no glTF 2.0 file, or damaged"));
  EXPECT_THAT(refusal(description(buffer, "{}")), HasSubstr("no triangles"));
}

TEST(GltfTest, TenThousandDamagedFiles) {
  std::mt19937 random(11);
  const std::string bytes = box_bytes(1, 2, 3);
  const std::array<std::pair<std::string, const char*>, 2> whole{
      std::pair(binary(description(R"({"byteLength": 168})", R"({"mesh": 0, "scale": [1, 1, 2]})"),
                       bytes),
                "a.glb"),
      std::pair(description(embedded(bytes), R"({"mesh": 0, "children": [1]}, {"mesh": 0})"),
                "a.gltf")};
  int closed = 0;
  for (std::size_t i = 0; i < 10000; ++i) {
    auto [text, name] = whole[i % whole.size()];
    for (unsigned k = random() % 4 + 1; k > 0; --k) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:  // numbers are what leads astray
          text[at] = static_cast<char>('0' + random() % 10);
          break;
        case 2:
          text.erase(at, random() % 20);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
      }
      if (text.empty()) text = " ";
    }
    io::Refusal why;
    const auto solid = solid_in(text, name, why);
    if (solid) {
      EXPECT_TRUE(solid->volume > 0 && std::isfinite(solid->volume));
      ++closed;
    } else {
      EXPECT_FALSE(why.message.empty());
    }
  }
  fmt::print("{} of 10000 damaged files still enclose something\n", closed);
}

}  // namespace
}  // namespace freeplay
