// SPDX-License-Identifier: Apache-2.0
#include "io/part_file.hpp"

#include "fem/free_modes.hpp"
#include "io/hdf5_file.hpp"
#include "io/replace_file.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace freeplay::io {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPartFormat = "freeplay-part";
constexpr std::int64_t kPartVersion = 1;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void put(Hdf5File& file, const std::string& path, const MatX& m, const std::string& unit,
         const std::string& name) {
  constexpr std::size_t kChunkBytes = 1 << 16;
  const auto width = static_cast<std::size_t>(std::max<Eigen::Index>(m.cols(), 1)),
             rows = static_cast<std::size_t>(m.rows());
  RowType row;
  row.width = static_cast<int>(width);
  auto dataset = file.create_dataset(
      path, row,
      std::clamp<std::size_t>(kChunkBytes / (8 * width), 1, std::max<std::size_t>(rows, 1)));
  const RowMajor flat = m;
  if (m.size() > 0) dataset.append(flat.data(), rows);
  const std::vector<std::pair<const char*, std::string>> texts{{"unit", unit}, {"long_name", name}};
  dataset.describe(texts);
}

std::string joined(const std::vector<fem::Interface>& interfaces,
                   const std::function<std::string(const fem::Interface&)>& word) {
  std::string out;
  for (const fem::Interface& i : interfaces) out += (out.empty() ? "" : "\n") + word(i);
  return out;
}
std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::size_t from = 0;
  for (;;) {
    const auto end = text.find('\n', from);
    out.push_back(text.substr(from, end - from));
    if (end == text.npos) return out;
    from = end + 1;
  }
}

class PartReader {
 public:
  explicit PartReader(const fs::path& path) : path_(path), file_(Hdf5File::open(path)) {}

  fem::ReducedPart read(bool with_skin) {
    if (text_attribute("format") != kPartFormat)
      refuse("it is not a part that `freeplay flex` wrote");
    const auto version = file_.attribute("/", "format_version");
    if (!version || *version != Hdf5Attribute(kPartVersion))
      refuse(fmt::format("its format version is not {}, which this program reads", kPartVersion));
    fem::ReducedPart out;
    out.source = text_attribute("source");
    out.mass = number_attribute("mass");
    out.size = number_attribute("size");
    if (!(out.mass > 0) || !(out.size > 0)) refuse("its mass and size are not positive");
    out.centre = matrix("centre", 1, 3).transpose();
    out.inertia = matrix("inertia", 3, 3);
    read_interfaces(out);
    const Eigen::Index held = out.held();
    out.fixed_frequency = matrix("fixed_frequency", -1, 1);
    const Eigen::Index n = held + out.fixed_frequency.size();
    if (out.fixed_frequency.size() > 0 && !(out.fixed_frequency.minCoeff() > 0))
      refuse("its frequencies are not positive");
    out.stiffness = matrix("stiffness", n, n);
    out.first = matrix("first", 3, n);
    out.moments = matrix("moments", 9, n);
    const MatX products = matrix("products", 9 * n, n);
    for (Eigen::Index k = 0; k < 9; ++k)
      out.products[static_cast<std::size_t>(k)] = products.middleRows(k * n, n);
    if (with_skin) read_skin(out, n);
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw IoError(fmt::format("cannot read {}: {}", path_.string(), why));
  }

  void read_interfaces(fem::ReducedPart& out) const {
    if (!file_.is_dataset("interfaces/names") || !file_.is_dataset("interfaces/kinds"))
      refuse("its interfaces are missing");
    const auto names = lines(file_.text("interfaces/names")),
               kinds = lines(file_.text("interfaces/kinds"));
    constexpr std::size_t kMost = 1000;
    if (names.size() != kinds.size() || names.size() > kMost)
      refuse("its interfaces do not fit each other");
    const MatX points = matrix("interfaces/points", static_cast<Eigen::Index>(names.size()), 3);
    std::set<std::string> seen;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k].empty() || !seen.insert(names[k]).second)
        refuse("the names of its interfaces are not different ones");
      out.interfaces.push_back(
          {names[k], kinds[k] == "averaged", points.row(static_cast<Eigen::Index>(k)).transpose()});
    }
  }

  void read_skin(fem::ReducedPart& out, Eigen::Index n) const {
    out.skin = matrix("skin/points", -1, 3).transpose();
    const Eigen::Index corners = out.skin.cols();
    const MatX triangles = matrix("skin/triangles", -1, 3);
    out.triangles.resize(3, triangles.rows());
    for (Eigen::Index t = 0; t < triangles.rows(); ++t)
      for (Eigen::Index k = 0; k < 3; ++k) {
        const double corner = triangles(t, k);
        if (!(corner >= 0 && corner < static_cast<double>(corners)) || corner != std::floor(corner))
          refuse("a triangle of its skin has a corner that does not exist");
        out.triangles(k, t) = static_cast<int>(corner);
      }
    out.skin_shapes = matrix("skin/shapes", 3 * corners, n);
  }

  [[nodiscard]] std::string text_attribute(const char* name) const {
    const auto value = file_.attribute("/", name);
    const auto* text = value ? std::get_if<std::string>(&*value) : nullptr;
    if (!text) refuse("it is not a part that `freeplay flex` wrote");
    return *text;
  }
  [[nodiscard]] double number_attribute(const char* name) const {
    const auto value = file_.attribute("/", name);
    const auto* number = value ? std::get_if<double>(&*value) : nullptr;
    if (!number || !std::isfinite(*number)) refuse(fmt::format("it has no {}", name));
    return *number;
  }
  /// Rows -1: as many as there are.
  [[nodiscard]] MatX matrix(const std::string& name, Eigen::Index rows,
                            Eigen::Index columns) const {
    if (!file_.is_dataset(name)) refuse(fmt::format("its {} is missing", name));
    RowType row;
    row.width = 0;
    const Hdf5Dataset dataset = file_.dataset(name, row);
    constexpr std::size_t kMost = std::size_t{1} << 28;  // 2 GB
    const auto found = static_cast<Eigen::Index>(dataset.rows());
    if ((rows >= 0 && found != rows) || dataset.row().width != columns ||
        dataset.rows() > kMost / static_cast<std::size_t>(std::max<Eigen::Index>(columns, 1)))
      refuse(fmt::format("its {} has {} rows of {} numbers; expected {} of {}", name, found,
                         dataset.row().width, rows < 0 ? "some" : std::to_string(rows), columns));
    RowMajor out(found, columns);
    if (out.size() > 0) dataset.read(0, dataset.rows(), out.data());
    if (!out.allFinite()) refuse(fmt::format("its {} has numbers that are not finite", name));
    return out;
  }

  fs::path path_;
  Hdf5File file_;
};

}  // namespace

void write_part(const fs::path& file, const fem::ReducedPart& part) {
  const fs::path temporary = temporary_name(file);
  try {
    Hdf5File out = Hdf5File::create(temporary);
    out.set_attribute("/", "format", std::string(kPartFormat));
    out.set_attribute("/", "format_version", kPartVersion);
    out.set_attribute("/", "program_version", std::string(version()));
    out.set_attribute("/", "source", part.source);
    out.set_attribute("/", "mass", part.mass);
    out.set_attribute("/", "size", part.size);
    put(out, "centre", part.centre.transpose(), "m", "centre of mass in the mesh");
    put(out, "inertia", part.inertia, "kg m^2", "about the centre of mass, axes of the mesh");
    out.write_text("interfaces/names",
                   joined(part.interfaces, [](const fem::Interface& i) { return i.name; }));
    out.write_text("interfaces/kinds", joined(part.interfaces, [](const fem::Interface& i) {
                     return std::string(i.averaged ? "averaged" : "rigid");
                   }));
    MatX points(part.interfaces.size(), 3);
    for (std::size_t k = 0; k < part.interfaces.size(); ++k)
      points.row(static_cast<Eigen::Index>(k)) = part.interfaces[k].point.transpose();
    put(out, "interfaces/points", points, "m", "where joints take hold, from the centre of mass");
    put(out, "fixed_frequency", part.fixed_frequency, "rad/s", "of modes with held interfaces");
    put(out, "free_frequency", fem::free_modes(part, {}).frequency / (2 * std::numbers::pi), "Hz",
        "of the part in free flight");
    put(out, "stiffness", part.stiffness, "", "of the coordinates of the part");
    put(out, "first", part.first, "", "int psi dm");
    put(out, "moments", part.moments, "", "int x_a psi_b dm, row 3 a + b");
    MatX products(9 * part.stiffness.rows(), part.stiffness.cols());
    products << part.products[0], part.products[1], part.products[2], part.products[3],
        part.products[4], part.products[5], part.products[6], part.products[7], part.products[8];
    put(out, "products", products, "", "int psi_a psi_b dm, block 3 a + b");
    put(out, "skin/points", part.skin.transpose(), "m", "corners of the surface");
    put(out, "skin/triangles", part.triangles.transpose().cast<double>(), "", "corners, outward");
    put(out, "skin/shapes", part.skin_shapes, "", "motion of the corners, 3 rows each");
    out.close_as(file);
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

fem::ReducedPart read_part(const fs::path& file, bool with_skin) {
  return PartReader(file).read(with_skin);
}

}  // namespace freeplay::io
