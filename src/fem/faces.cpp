// SPDX-License-Identifier: Apache-2.0
#include "fem/faces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace freeplay::fem {
namespace {

using Edge = std::array<int, 2>;
constexpr std::array<Edge, 6> kTetEdges{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
constexpr std::array<Edge, 9> kWedgeEdges{
    {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}};
constexpr std::array<Edge, 12> kHexEdges{{{0, 1},
                                          {1, 2},
                                          {2, 3},
                                          {3, 0},
                                          {4, 5},
                                          {5, 6},
                                          {6, 7},
                                          {7, 4},
                                          {0, 4},
                                          {1, 5},
                                          {2, 6},
                                          {3, 7}}};
/// Corners of a face; the last is -1 for a triangle.
using Corners = std::array<int, 4>;
constexpr std::array<Corners, 4> kTetFaces{
    {{0, 1, 2, -1}, {0, 3, 1, -1}, {1, 3, 2, -1}, {2, 3, 0, -1}}};
constexpr std::array<Corners, 5> kWedgeFaces{
    {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}};
constexpr std::array<Corners, 6> kHexFaces{
    {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}}};

struct Shape {
  std::span<const Edge> edges;
  std::span<const Corners> faces;
};
Shape shape_of(int corners) {
  if (corners == 4) return {kTetEdges, kTetFaces};
  if (corners == 6) return {kWedgeEdges, kWedgeFaces};
  return {kHexEdges, kHexFaces};
}

std::size_t at(int k) { return static_cast<std::size_t>(k); }

Face face_of(const Element& element, const Shape& shape, const Corners& corners) {
  const int n = corners[3] < 0 ? 3 : 4;
  Face out;
  for (int k = 0; k < n; ++k) out.push_back(element.nodes[at(corners[at(k)])]);
  if (static_cast<int>(element.nodes.size()) == element.corners) return out;
  for (int k = 0; k < n; ++k) {
    const int a = corners[at(k)], b = corners[at((k + 1) % n)];
    for (std::size_t e = 0; e < shape.edges.size(); ++e)
      if (shape.edges[e] == Edge{a, b} || shape.edges[e] == Edge{b, a})
        out.push_back(element.nodes[at(element.corners) + e]);
  }
  return out;
}

int corners_of(const Face& face) { return face.size() == 3 || face.size() == 6 ? 3 : 4; }

/// The same face from the other side.
void turn_over(Face& face) {
  const int n = corners_of(face);
  std::reverse(face.begin(), face.begin() + n);
  // The edge between corners k and k + 1 is now between n - 1 - k and n - 2 - k.
  if (static_cast<int>(face.size()) > n) std::reverse(face.begin() + n, face.end() - 1);
}

Vec3 middle(const Deck& deck, std::span<const int> nodes) {
  Vec3 out = Vec3::Zero();
  for (const int node : nodes) out += deck.points[at(node)];
  return out / static_cast<double>(nodes.size());
}

Vec3 normal(const Deck& deck, const Face& face) {
  const Vec3 &a = deck.points[at(face[0])], &b = deck.points[at(face[1])],
             &c = deck.points[at(face[2])];
  if (corners_of(face) == 3) return (b - a).cross(c - a);
  return (c - a).cross(deck.points[at(face[3])] - b);
}

/// Values and slopes of the shape functions of a face at a point of the reference triangle or
/// square.
struct Functions {
  std::array<double, 8> N{}, s{}, t{};
};
Functions triangle(std::size_t nodes, double s, double t) {
  const double r = 1 - s - t;
  if (nodes == 3) return {{r, s, t}, {-1, 1, 0}, {-1, 0, 1}};
  return {{r * (2 * r - 1), s * (2 * s - 1), t * (2 * t - 1), 4 * r * s, 4 * s * t, 4 * t * r},
          {1 - 4 * r, 4 * s - 1, 0, 4 * (r - s), 4 * t, -4 * t},
          {1 - 4 * r, 0, 4 * t - 1, -4 * s, 4 * s, 4 * (r - t)}};
}
Functions square(std::size_t nodes, double s, double t) {
  constexpr std::array<Edge, 4> kSigns{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  Functions out;
  for (std::size_t k = 0; k < 4; ++k) {
    const double a = kSigns[k][0], b = kSigns[k][1], u = 1 + a * s, v = 1 + b * t;
    if (nodes == 4) {
      out.N[k] = u * v / 4, out.s[k] = a * v / 4, out.t[k] = b * u / 4;
    } else {
      out.N[k] = u * v * (a * s + b * t - 1) / 4;
      out.s[k] = a * v * (2 * a * s + b * t) / 4;
      out.t[k] = b * u * (a * s + 2 * b * t) / 4;
    }
  }
  if (nodes == 8) {
    const double q = 1 - s * s, p = 1 - t * t;
    out.N[4] = q * (1 - t) / 2, out.s[4] = -s * (1 - t), out.t[4] = -q / 2;
    out.N[5] = p * (1 + s) / 2, out.s[5] = p / 2, out.t[5] = -t * (1 + s);
    out.N[6] = q * (1 + t) / 2, out.s[6] = -s * (1 + t), out.t[6] = q / 2;
    out.N[7] = p * (1 - s) / 2, out.s[7] = -p / 2, out.t[7] = -t * (1 - s);
  }
  return out;
}

struct Sample {
  double s, t, weight;
};
/// Degree 4 on the triangle (Dunavant 1985); 3 x 3 points of Gauss on the square.
std::vector<Sample> samples(int corners) {
  std::vector<Sample> out;
  if (corners == 3) {
    constexpr double a = 0.445948490915965, b = 0.091576213509771, u = 0.1116907948390055,
                     v = 0.0549758718276610;
    for (const auto& [p, w] : {std::pair{a, u}, std::pair{b, v}}) {
      out.push_back({p, p, w});
      out.push_back({1 - 2 * p, p, w});
      out.push_back({p, 1 - 2 * p, w});
    }
    return out;
  }
  const std::array<double, 3> x{-std::sqrt(0.6), 0, std::sqrt(0.6)}, w{5.0 / 9, 8.0 / 9, 5.0 / 9};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) out.push_back({x[i], x[k], w[i] * w[k]});
  return out;
}

}  // namespace

std::vector<Face> outer_faces(const Deck& deck) {
  struct Seen {
    std::array<int, 4> key;  // corners in ascending order
    std::size_t number;
    bool operator<(const Seen& other) const {
      return key != other.key ? key < other.key : number < other.number;
    }
  };
  std::vector<Face> all;
  std::vector<Seen> seen;
  for (const Element& element : deck.elements) {
    const Shape shape = shape_of(element.corners);
    const Vec3 inside =
        middle(deck, std::span(element.nodes).first(static_cast<std::size_t>(element.corners)));
    for (const Corners& corners : shape.faces) {
      Face face = face_of(element, shape, corners);
      const auto n = static_cast<std::size_t>(corners_of(face));
      if (normal(deck, face).dot(middle(deck, std::span(face).first(n)) - inside) < 0)
        turn_over(face);
      Seen is{{-1, -1, -1, -1}, all.size()};
      std::copy_n(face.begin(), n, is.key.begin());
      std::sort(is.key.begin(), is.key.end());
      seen.push_back(is);
      all.push_back(std::move(face));
    }
  }
  std::sort(seen.begin(), seen.end());
  std::vector<bool> inner(all.size(), false);
  for (std::size_t k = 1; k < seen.size(); ++k)
    if (seen[k].key == seen[k - 1].key) inner[seen[k].number] = inner[seen[k - 1].number] = true;
  std::vector<Face> out;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (!inner[k]) out.push_back(std::move(all[k]));
  return out;
}

Areas areas_of(const Deck& deck, const std::vector<Face>& faces, const std::vector<int>& set) {
  Areas out;
  out.of_node.assign(deck.points.size(), 0);
  std::vector<bool> member(deck.points.size(), false);
  for (const int node : set) member[at(node)] = true;
  for (const Face& face : faces) {
    const int corners = corners_of(face);
    if (!std::all_of(face.begin(), face.end(), [&](int node) { return member[at(node)]; }))
      continue;
    for (const Sample& sample : samples(corners)) {
      const Functions is = corners == 3 ? triangle(face.size(), sample.s, sample.t)
                                        : square(face.size(), sample.s, sample.t);
      Vec3 place = Vec3::Zero(), along_s = Vec3::Zero(), along_t = Vec3::Zero();
      for (std::size_t k = 0; k < face.size(); ++k) {
        const Vec3& p = deck.points[at(face[k])];
        place += is.N[k] * p, along_s += is.s[k] * p, along_t += is.t[k] * p;
      }
      const double area = sample.weight * along_s.cross(along_t).norm();
      out.total += area;
      out.centroid += area * place;
      for (std::size_t k = 0; k < face.size(); ++k) out.of_node[at(face[k])] += area * is.N[k];
    }
  }
  if (out.total > 0) out.centroid /= out.total;
  return out;
}

std::vector<std::array<int, 3>> triangles_of(const std::vector<Face>& faces) {
  std::vector<std::array<int, 3>> out;
  for (const Face& face : faces) {
    out.push_back({face[0], face[1], face[2]});
    if (corners_of(face) == 4) out.push_back({face[0], face[2], face[3]});
  }
  return out;
}

}  // namespace freeplay::fem
