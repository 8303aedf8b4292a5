// SPDX-License-Identifier: Apache-2.0
#include "io/mesh.hpp"

#include "io/base64.hpp"
#include "io/gltf.hpp"
#include "io/mesh_collector.hpp"
#include "io/text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <unordered_map>

namespace freeplay::io {
namespace {

using Corner = std::array<double, 3>;
using Triangle = std::array<int, 3>;

using Collector = MeshCollector;

/// 80 bytes of heading, the number of triangles, 50 bytes for each: normal, three corners, two
/// more.
bool is_binary(std::string_view bytes) {
  if (bytes.size() < 84) return false;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  return bytes.size() == 84 + 50 * static_cast<std::size_t>(count);
}

void read_binary(std::string_view bytes, Collector& out) {
  for (std::size_t at = 84; at + 50 <= bytes.size(); at += 50) {
    Triangle t{};
    for (std::size_t k = 0; k < 3; ++k) {
      std::array<float, 3> x{};
      std::memcpy(x.data(), bytes.data() + at + 12 + 12 * k, 12);
      t[k] = out.corner({x[0], x[1], x[2]});
    }
    out.triangle(t);
  }
}

/// Words of a text, one after the other.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  std::string_view next(std::string_view ends = " \t\r\n\v\f") {
    at_ = text_.find_first_not_of(ends, at_);
    if (at_ == std::string_view::npos) return at_ = text_.size(), std::string_view{};
    const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
  }
  bool number(double& out) {
    std::string_view word = next();
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
    return error == std::errc{} && end == word.data() + word.size();
  }
  bool corner(Corner& out) { return number(out[0]) && number(out[1]) && number(out[2]); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool read_text_stl(std::string_view text, Collector& out) {
  Words words(text);
  Triangle t{};
  std::size_t count = 0;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == "vertex") {
      Corner c{};
      if (count > 2 || !words.corner(c)) return false;
      t[count++] = out.corner(c);
    } else if (word == "endfacet") {
      if (count != 3) return false;
      out.triangle(t);
      count = 0;
    }
  }
  return count == 0;
}

bool read_obj(std::string_view text, Collector& out) {
  std::vector<int> corners;
  Words lines(text);
  for (std::string_view line = lines.next("\r\n"); !line.empty(); line = lines.next("\r\n")) {
    Words words(line);
    const std::string_view what = words.next();
    if (what == "v") {
      Corner c{};
      if (!words.corner(c)) return false;
      corners.push_back(out.corner(c));
    } else if (what == "f") {
      std::vector<int> face;
      for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        word = word.substr(0, word.find('/'));
        long index = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
        const long count = static_cast<long>(corners.size());
        if (error != std::errc{} || end != word.data() + word.size()) return false;
        if (index < 0) index += count + 1;  // counted from the last
        if (index < 1 || index > count) return false;
        face.push_back(corners[static_cast<std::size_t>(index) - 1]);
      }
      if (face.size() < 3) return false;
      for (std::size_t k = 2; k < face.size(); ++k) out.triangle({face[0], face[k - 1], face[k]});
    }
  }
  return true;
}

/// Every side of a triangle is that of exactly one other, run through the other way.
bool is_closed(const Mesh& mesh, Refusal& why) {
  std::vector<std::pair<int, int>> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) sides.emplace_back(t[k], t[(k + 1) % 3]);
  std::ranges::sort(sides);
  if (std::ranges::adjacent_find(sides) != sides.end()) {
    why = {
        "the sides of its triangles do not fit: two neighbours point to different ways, or more "
        "than two meet in one edge",
        "let the drawing program repair the mesh"};
    return false;
  }
  std::size_t open = 0;
  for (const auto& [a, b] : sides)
    if (!std::ranges::binary_search(sides, std::pair(b, a))) ++open;
  if (open == 0) return true;
  why = {"the surface is open: " + std::to_string(open) + " sides have no neighbour",
         "only a closed surface encloses a volume; let the drawing program close it"};
  return false;
}

/// Sums over the tetrahedra between the triangles and a point near the middle.
Solid sum(const Mesh& mesh) {
  Vec3 middle = Vec3::Zero();
  for (const Vec3& c : mesh.vertices) middle += c / static_cast<double>(mesh.vertices.size());
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Triangle& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) -> Vec3 {
      return mesh.vertices[static_cast<std::size_t>(t[k])] - middle;
    };
    const Vec3 a = corner(0), b = corner(1), c = corner(2), s = a + b + c;
    const double v = a.dot(b.cross(c)) / 6;
    volume += v;
    first += v / 4 * s;
    second +=
        v / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  Solid out;
  out.volume = volume;
  if (!(volume > 0)) return out;
  const Vec3 centre = first / volume;
  const Mat3 spread = second / volume - centre * centre.transpose();
  out.centre = middle + centre;
  out.gyration = spread.trace() * Mat3::Identity() - spread;
  return out;
}

/// Is p inside the triangle abc, or on its border?
bool is_inside(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto side = [](const Vec3& u, const Vec3& v, const Vec3& w) {
    return (v[0] - u[0]) * (w[1] - u[1]) - (v[1] - u[1]) * (w[0] - u[0]);
  };
  return side(a, b, p) >= 0 && side(b, c, p) >= 0 && side(c, a, p) >= 0;
}

/// Triangles of an anticlockwise outline: ears are cut off until one is left.
std::vector<Triangle> triangulated(const std::vector<Vec3>& outline) {
  std::vector<Triangle> out;
  std::vector<int> left(outline.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<int>(i);
  const auto at = [&](int k) -> const Vec3& { return outline[static_cast<std::size_t>(k)]; };
  while (left.size() > 3) {
    const std::size_t n = left.size();
    std::size_t ear = n;
    for (std::size_t i = 0; i < n && ear == n; ++i) {
      const int a = left[(i + n - 1) % n], b = left[i], c = left[(i + 1) % n];
      const Vec3 u = at(b) - at(a), v = at(c) - at(b);
      if (!(u[0] * v[1] - u[1] * v[0] > 0)) continue;
      const bool empty = std::ranges::none_of(left, [&](int k) {
        return k != a && k != b && k != c && is_inside(at(k), at(a), at(b), at(c));
      });
      if (empty) ear = i;
    }
    if (ear == n) ear = 0;  // what is left has no area to rounding
    out.push_back({left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  out.push_back({left[0], left[1], left[2]});
  return out;
}

/// Letters of either case.
bool has_ending(std::string_view name, std::string_view ending) {
  return name.size() > ending.size() && name[name.size() - ending.size() - 1] == '.' &&
         std::ranges::equal(name.substr(name.size() - ending.size()), ending, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
         });
}

template <class T>
std::string text_of(const std::vector<T>& list) {
  static_assert(std::endian::native == std::endian::little);
  return base64(std::as_bytes(std::span(list)));
}

template <class T>
bool copy_from(std::string_view text, std::vector<T>& out) {
  const auto bytes = from_base64(text);
  if (!bytes || bytes->size() % sizeof(T) != 0) return false;
  out.resize(bytes->size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes->data(), bytes->size());
  return true;
}

}  // namespace

std::optional<Mesh> read_mesh(std::string_view bytes, std::string_view name, Refusal& why,
                              const ReadBeside& beside) {
  Collector out;
  if (has_ending(name, "glb") || has_ending(name, "gltf")) {
    if (!read_gltf(bytes, beside, out, why)) return {};
    if (!out.finite || out.mesh.triangles.empty()) {
      why = {"there are no triangles in it, or some are not finite", ""};
      return {};
    }
    return std::move(out.mesh);
  }
  const bool is_obj = has_ending(name, "obj");
  bool sound = true;
  if (is_obj) {
    sound = read_obj(bytes, out);
  } else if (is_binary(bytes)) {
    read_binary(bytes, out);
  } else {
    sound = bytes.find("facet") != std::string_view::npos && read_text_stl(bytes, out);
  }
  if (!sound || !out.finite || out.mesh.triangles.empty()) {
    why = {std::string("it is no ") + (is_obj ? "OBJ" : "STL") + " file, or damaged",
           "expected triangles as a drawing program exports them, .stl, .obj, .glb or .gltf"};
    return {};
  }
  return std::move(out.mesh);
}

std::optional<Solid> enclosed(const Mesh& mesh, Refusal& why) {
  if (!is_closed(mesh, why)) return {};
  Vec3 low = mesh.vertices[0], high = low;
  for (const Vec3& c : mesh.vertices) {
    low = low.cwiseMin(c);
    high = high.cwiseMax(c);
  }
  const Solid solid = sum(mesh);
  const double size = (high - low).norm();
  if (!std::isfinite(solid.volume) || std::abs(solid.volume) <= 1e-12 * size * size * size) {
    why = {"the surface encloses nothing", "is it flat?"};
    return {};
  }
  if (solid.volume < 0) {
    why = {"the surface is inside out: its triangles turn clockwise, seen from outside",
           "let the drawing program flip its normals"};
    return {};
  }
  return solid;
}

Mesh extruded(const std::vector<Vec3>& outline, double thickness) {
  std::vector<Vec3> ring = outline;
  double twice = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Vec3 &p = ring[i], &q = ring[(i + 1) % ring.size()];
    twice += p[0] * q[1] - q[0] * p[1];
  }
  if (twice < 0) std::ranges::reverse(ring);
  const int n = static_cast<int>(ring.size());
  Mesh out;
  for (const double z : {-thickness / 2, thickness / 2})
    for (const Vec3& p : ring) out.vertices.emplace_back(p[0], p[1], z);
  for (const auto& [a, b, c] : triangulated(ring)) {
    out.triangles.push_back({c, b, a});
    out.triangles.push_back({n + a, n + b, n + c});
  }
  for (int i = 0; i < n; ++i) {
    const int next = (i + 1) % n;
    out.triangles.push_back({i, next, n + next});
    out.triangles.push_back({i, n + next, n + i});
  }
  return out;
}

std::string vertices_text(const std::vector<Vec3>& vertices) {
  std::vector<Corner> plain;
  plain.reserve(vertices.size());
  for (const Vec3& v : vertices) plain.push_back({v[0], v[1], v[2]});
  return text_of(plain);
}

std::string triangles_text(const std::vector<Triangle>& triangles) { return text_of(triangles); }

std::optional<Mesh> mesh_of(std::string_view vertices, std::string_view triangles, Refusal& why) {
  std::vector<Corner> plain;
  Mesh out;
  if (!copy_from(vertices, plain) || !copy_from(triangles, out.triangles) ||
      out.triangles.empty()) {
    why = {"vertices and triangles are not what programs write",
           "give the surface as a file, or leave the text as it was written"};
    return {};
  }
  for (const Corner& c : plain) {
    out.vertices.emplace_back(c[0], c[1], c[2]);
    if (!out.vertices.back().allFinite()) {
      why = {"a vertex is not finite", ""};
      return {};
    }
  }
  const int count = static_cast<int>(plain.size());
  for (const Triangle& t : out.triangles)
    for (const int k : t)
      if (k < 0 || k >= count) {
        why = {"a triangle has the corner " + std::to_string(k) + " of " + std::to_string(count) +
                   " vertices",
               ""};
        return {};
      }
  return out;
}

}  // namespace freeplay::io
