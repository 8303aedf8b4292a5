// SPDX-License-Identifier: Apache-2.0
#include "io/mesh.hpp"

#include "io/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <unordered_map>

namespace freeplay::io {
namespace {

using Corner = std::array<double, 3>;
using Triangle = std::array<std::uint32_t, 3>;

/// Corners that are the same to the last bit are one.
struct Mesh {
  std::vector<Vec3> corners;
  std::vector<Triangle> triangles;
};

struct CornerHash {
  std::size_t operator()(const Corner& c) const {
    std::size_t out = 0;
    for (const double x : c) out = out * 1000003 + std::hash<double>{}(x);
    return out;
  }
};

class Collector {
 public:
  std::uint32_t corner(Corner c) {
    for (double& x : c) {
      finite = finite && std::isfinite(x);
      x += 0.0;  // -0 is 0
    }
    const auto [known, is_new] = known_.emplace(c, static_cast<std::uint32_t>(mesh.corners.size()));
    if (is_new) mesh.corners.emplace_back(c[0], c[1], c[2]);
    return known->second;
  }
  void triangle(const Triangle& t) {
    // Triangles of no area come from welding; they enclose nothing and leave no hole.
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
  }

  Mesh mesh;
  bool finite = true;

 private:
  std::unordered_map<Corner, std::uint32_t, CornerHash> known_;
};

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
  std::vector<std::uint32_t> corners;
  Words lines(text);
  for (std::string_view line = lines.next("\r\n"); !line.empty(); line = lines.next("\r\n")) {
    Words words(line);
    const std::string_view what = words.next();
    if (what == "v") {
      Corner c{};
      if (!words.corner(c)) return false;
      corners.push_back(out.corner(c));
    } else if (what == "f") {
      std::vector<std::uint32_t> face;
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
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sides;
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
Solid enclosed(const Mesh& mesh) {
  Vec3 middle = Vec3::Zero();
  for (const Vec3& c : mesh.corners) middle += c / static_cast<double>(mesh.corners.size());
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.corners[t[0]] - middle, b = mesh.corners[t[1]] - middle,
               c = mesh.corners[t[2]] - middle, s = a + b + c;
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

}  // namespace

std::optional<Solid> read_mesh(std::string_view bytes, std::string_view name, Refusal& why) {
  Collector out;
  const bool is_obj = name.ends_with(".obj") || name.ends_with(".OBJ");
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
           "expected triangles as a drawing program exports them, .stl or .obj"};
    return {};
  }
  if (!is_closed(out.mesh, why)) return {};
  Vec3 low = out.mesh.corners[0], high = low;
  for (const Vec3& c : out.mesh.corners) {
    low = low.cwiseMin(c);
    high = high.cwiseMax(c);
  }
  const Solid solid = enclosed(out.mesh);
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

}  // namespace freeplay::io
