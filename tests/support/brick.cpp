// SPDX-License-Identifier: Apache-2.0
#include "support/brick.hpp"

#include "fem/make_part.hpp"
#include "support/paths.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <cmath>
#include <fstream>

namespace freeplay::testing {
namespace {

/// Places of the nodes in the order of CalculiX, in half edges.
constexpr std::array<std::array<int, 3>, 20> kPlaces{
    {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
     {-1, 1, 1},   {0, -1, -1}, {1, 0, -1},  {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
     {0, 1, 1},    {-1, 0, 1},  {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},   {-1, 1, 0}}};

/// Value and slopes of a shape function (Zienkiewicz & Taylor, serendipity family).
std::array<double, 4> shape(const std::array<int, 3>& at, const Vec3& x) {
  double f[3], d[3], sum = -2;
  int middle = -1;
  for (int c = 0; c < 3; ++c) {
    const double s = at[static_cast<std::size_t>(c)];
    if (s == 0) middle = c;
    f[c] = s == 0 ? 1 - x[c] * x[c] : 1 + s * x[c];
    d[c] = s == 0 ? -2 * x[c] : s;
    sum += s * x[c];
  }
  const double product = f[0] * f[1] * f[2];
  std::array<double, 4> out{};
  if (middle >= 0) {
    out[0] = product / 4;
    for (int c = 0; c < 3; ++c)
      out[static_cast<std::size_t>(c) + 1] = d[c] * f[(c + 1) % 3] * f[(c + 2) % 3] / 4;
  } else {
    out[0] = product * sum / 8;
    for (int c = 0; c < 3; ++c)
      out[static_cast<std::size_t>(c) + 1] =
          (d[c] * f[(c + 1) % 3] * f[(c + 2) % 3] * sum + product * d[c]) / 8;
  }
  return out;
}

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

Brick::Brick(Vec3 edges, std::array<int, 3> cells, double young, double poisson, double density)
    : size(std::move(edges)) {
  const Vec3 edge(size[0] / cells[0], size[1] / cells[1], size[2] / cells[2]);
  std::map<std::array<int, 3>, int> number;
  for (int i = 0; i <= 2 * cells[0]; ++i)
    for (int j = 0; j <= 2 * cells[1]; ++j)
      for (int k = 0; k <= 2 * cells[2]; ++k) {
        if (i % 2 + j % 2 + k % 2 > 1) continue;
        number[{i, j, k}] = nodes();
        points.emplace_back(edge[0] * i / 2, edge[1] * j / 2 - size[1] / 2,
                            edge[2] * k / 2 - size[2] / 2);
      }
  stiffness = MatX::Zero(3 * nodes(), 3 * nodes());
  mass = MatX::Zero(nodes(), nodes());
  for (int i = 0; i < cells[0]; ++i)
    for (int j = 0; j < cells[1]; ++j)
      for (int k = 0; k < cells[2]; ++k) {
        std::array<int, 20> element{};
        for (std::size_t n = 0; n < 20; ++n)
          element[n] = number.at(
              {2 * i + 1 + kPlaces[n][0], 2 * j + 1 + kPlaces[n][1], 2 * k + 1 + kPlaces[n][2]});
        elements.push_back(element);
        add_element(element, edge, young, poisson, density);
      }
}

void Brick::add_element(const std::array<int, 20>& element, const Vec3& edge, double young,
                        double poisson, double density) {
  const double lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
               shear = young / (2 * (1 + poisson));
  const double x[3] = {-std::sqrt(0.6), 0, std::sqrt(0.6)}, w[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const double volume = edge[0] * edge[1] * edge[2] / 8;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 3; ++c) {
        const double weight = w[a] * w[b] * w[c] * volume;
        double N[20];
        Vec3 g[20];
        for (std::size_t n = 0; n < 20; ++n) {
          const auto s = shape(kPlaces[n], Vec3(x[a], x[b], x[c]));
          N[n] = s[0];
          g[n] = Vec3(2 * s[1] / edge[0], 2 * s[2] / edge[1], 2 * s[3] / edge[2]);
        }
        for (std::size_t i = 0; i < 20; ++i)
          for (std::size_t j = 0; j < 20; ++j) {
            mass(element[i], element[j]) += weight * density * N[i] * N[j];
            stiffness.block<3, 3>(3 * element[i], 3 * element[j]) +=
                weight * (lame * g[i] * g[j].transpose() + shear * g[j] * g[i].transpose() +
                          shear * g[i].dot(g[j]) * Mat3::Identity());
          }
      }
}

std::vector<int> Brick::end(bool far) const {
  std::vector<int> out;
  for (int k = 0; k < nodes(); ++k)
    if (std::abs(points[at(k)][0] - (far ? size[0] : 0)) < 1e-9 * size[0]) out.push_back(k);
  return out;
}

void Brick::write(const std::filesystem::path& stem) const {
  const auto open = [&](const char* ending) {
    return std::ofstream(std::filesystem::path(stem) += ending);
  };
  auto deck = open(".inp");
  deck << "** made by a test\n*NODE\n";
  for (int k = 0; k < nodes(); ++k) {
    const Vec3 p = 1e3 * points[at(k)];
    deck << fmt::format("{}, {:.17g}, {:.17g}, {:.17g}\n", k + 1, p[0], p[1], p[2]);
  }
  deck << "*ELEMENT, TYPE=C3D20, ELSET=ALL\n";
  for (std::size_t e = 0; e < elements.size(); ++e) {
    deck << e + 1;
    for (std::size_t n = 0; n < 20; ++n) deck << (n == 11 ? ",\n" : ", ") << elements[e][n] + 1;
    deck << "\n";
  }
  for (const bool far : {false, true}) {
    deck << "*NSET, NSET=" << (far ? "RIGHT" : "LEFT") << "\n";
    for (const int node : end(far)) deck << node + 1 << ",\n";
  }
  auto dof = open(".dof"), sti = open(".sti"), mas = open(".mas");
  for (int k = 0; k < nodes(); ++k)
    for (int c = 1; c <= 3; ++c) dof << k + 1 << "." << c << "\n";
  // N/mm and t: what CalculiX would write for that deck.
  for (int i = 0; i < 3 * nodes(); ++i)
    for (int j = i; j < 3 * nodes(); ++j) {
      const double k = 1e-3 * stiffness(i, j), m = i % 3 == j % 3 ? 1e-3 * mass(i / 3, j / 3) : 0;
      if (k == 0 && m == 0 && i != j) continue;
      sti << fmt::format("{} {} {:.13e}\n", i + 1, j + 1, k);
      mas << fmt::format("{} {} {:.13e}\n", i + 1, j + 1, m);
    }
}

MatX follow(const Brick& brick, const std::vector<int>& nodes, const Vec3& point) {
  MatX out(3 * static_cast<Eigen::Index>(nodes.size()), 6);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Vec3 r = brick.points[at(nodes[k])] - point;
    for (int c = 0; c < 3; ++c) {
      out.block<3, 1>(3 * static_cast<Eigen::Index>(k), c) = Vec3::Unit(c);
      out.block<3, 1>(3 * static_cast<Eigen::Index>(k), 3 + c) = Vec3::Unit(c).cross(r);
    }
  }
  return out;
}

MatX mean_motion(const Brick& brick, bool far, const Vec3& point) {
  // Of the area of an eight-node face each corner has -1/12, each middle of an edge 1/3.
  std::map<int, double> weight;
  for (const auto& element : brick.elements) {
    const int plane = far ? 1 : -1;
    bool there = false;
    for (std::size_t n = 0; n < 20; ++n)
      there |= kPlaces[n][0] == plane &&
               std::abs(brick.points[at(element[n])][0] - (far ? brick.size[0] : 0)) < 1e-12;
    for (std::size_t n = 0; there && n < 20; ++n)
      if (kPlaces[n][0] == plane)
        weight[element[n]] += kPlaces[n][1] * kPlaces[n][2] != 0 ? -1.0 / 12 : 1.0 / 3;
  }
  MatX G = MatX::Zero(6, 6), right = MatX::Zero(6, 3 * brick.nodes());
  for (const auto& entry : weight) {
    const MatX T = follow(brick, {entry.first}, point);
    G += entry.second * T.transpose() * T;
    right.middleCols<3>(3 * entry.first) = entry.second * T.transpose();
  }
  return G.fullPivLu().solve(right);
}

fem::ReducedPart reduced(const Brick& brick, const std::string& left, const std::string& right,
                         int modes) {
  const auto stem = scratch_dir() / "brick";
  brick.write(stem);
  fem::PartJob job;
  job.deck = stem.string() + ".inp";
  job.units = *fem::parse_deck_units("mm-t-s");
  job.interfaces = {fem::parse_interface("LEFT=" + left), fem::parse_interface("RIGHT=" + right)};
  job.modes = modes;
  return fem::make_part(job).reduction.part;
}

}  // namespace freeplay::testing
