// SPDX-License-Identifier: Apache-2.0
#include "io/gltf.hpp"

#include "io/base64.hpp"
#include <freeplay/errors.hpp>

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace freeplay::io {
namespace {

using nlohmann::json;

constexpr std::size_t kMostTriangles = 20'000'000;  // of all copies of all meshes: 1 GB
constexpr int kByte = 5121, kShort = 5123, kInt = 5125, kFloat = 5126;  // unsigned, but the last

const json* member(const json& table, const char* key) {
  if (!table.is_object()) return nullptr;
  const auto found = table.find(key);
  return found == table.end() ? nullptr : &*found;
}

/// Whole numbers that count something; `fallback` where there is none, nothing where it is no such.
std::optional<std::size_t> whole(const json& table, const char* key,
                                 std::optional<std::size_t> fallback = {}) {
  const json* found = member(table, key);
  if (!found) return fallback;
  if (!found->is_number_integer() || found->get<double>() < 0 || found->get<double>() > 1e15)
    return {};
  return found->get<std::size_t>();
}

std::string text_of(const json& table, const char* key) {
  const json* found = member(table, key);
  return found && found->is_string() ? found->get<std::string>() : std::string{};
}

/// `count` numbers under a key into `out`; true where there are none.
bool numbers(const json& table, const char* key, std::size_t count, double* out) {
  const json* found = member(table, key);
  if (!found) return true;
  if (!found->is_array() || found->size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!(*found)[i].is_number()) return false;
    out[i] = (*found)[i].get<double>();
  }
  return true;
}

/// "a%20b.bin" is the file "a b.bin".
std::string unescaped(std::string_view uri) {
  std::string out;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    int code = 0;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(uri.data() + i + 1, uri.data() + i + 3, code, 16).ptr ==
            uri.data() + i + 3) {
      out += static_cast<char>(code);
      i += 2;
    } else {
      out += uri[i];
    }
  }
  return out;
}

/// Numbers of one kind, one element after the other, in a buffer.
struct Accessor {
  std::string_view bytes;  ///< from its first element on
  std::size_t stride = 0, count = 0;
  int component = 0;
};

class Reader {
 public:
  Reader(const ReadBeside& beside, MeshCollector& out, Refusal& why)
      : beside_(beside), out_(out), why_(why) {}

  bool read(std::string_view bytes) {
    std::string_view text = bytes, binary;
    if (bytes.starts_with("glTF") && !open_binary(bytes, text, binary)) return damaged();
    file_ = json::parse(text, nullptr, false);
    const json* asset = member(file_, "asset");
    if (!asset || !text_of(*asset, "version").starts_with("2.")) return damaged();
    if (const json* needed = member(file_, "extensionsRequired"); needed && needed->is_array())
      for (const json& one : *needed)
        if (one.is_string() && one.get<std::string>().find("KHR_materials") != 0)
          return refuse("it needs the extension " + one.get<std::string>() + " of glTF",
                        "export it without compression or quantisation");
    return read_buffers(binary) && place_scene();
  }

 private:
  bool refuse(std::string message, std::string hint) {
    why_ = {std::move(message), std::move(hint)};
    return false;
  }
  bool damaged() {
    return refuse("it is no glTF 2.0 file, or damaged",
                  "expected .glb or .gltf as a drawing program exports it");
  }

  static std::uint32_t word(std::string_view bytes, std::size_t at) {
    std::uint32_t out = 0;
    std::memcpy(&out, bytes.data() + at, 4);
    return out;
  }
  /// Twelve bytes of heading, then pieces with their length and kind: first the text.
  static bool open_binary(std::string_view bytes, std::string_view& text,
                          std::string_view& binary) {
    constexpr std::uint32_t kText = 0x4E4F534A, kBinary = 0x004E4942;
    if (bytes.size() < 20 || word(bytes, 4) != 2) return false;
    bool first = true;
    for (std::size_t at = 12; at + 8 <= bytes.size();) {
      const std::size_t length = word(bytes, at);
      const std::uint32_t kind = word(bytes, at + 4);
      if (length > bytes.size() - at - 8) return false;
      const std::string_view piece = bytes.substr(at + 8, length);
      if (first != (kind == kText)) return false;
      if (first) text = piece;
      if (kind == kBinary && binary.empty()) binary = piece;
      first = false;
      at += 8 + length;
    }
    return !first;
  }

  bool read_buffers(std::string_view binary) {
    const json* list = member(file_, "buffers");
    if (!list || !list->is_array()) return damaged();
    for (const json& one : *list) {
      const auto length = whole(one, "byteLength");
      const std::string uri = text_of(one, "uri");
      if (!length) return damaged();
      std::string bytes;
      if (uri.empty()) {
        bytes = binary;
      } else if (uri.starts_with("data:")) {
        const std::size_t comma = uri.find(";base64,");
        const auto decoded =
            comma == uri.npos ? std::nullopt : from_base64(std::string_view(uri).substr(comma + 8));
        if (!decoded) return damaged();
        bytes.assign(reinterpret_cast<const char*>(decoded->data()), decoded->size());
      } else if (beside_) {
        try {
          bytes = beside_(unescaped(uri));
        } catch (const IoError& error) {
          return refuse(error.what(),
                        "a .gltf names files that lie beside it; .glb holds them all");
        }
      }
      if (bytes.size() < *length) return damaged();
      buffers_.push_back(std::move(bytes));
    }
    return true;
  }

  const json* item(const char* list, std::optional<std::size_t> index) const {
    const json* found = member(file_, list);
    return found && found->is_array() && index && *index < found->size() ? &(*found)[*index]
                                                                         : nullptr;
  }

  /// `width` numbers in each element.
  std::optional<Accessor> accessor(std::optional<std::size_t> index, const char* type,
                                   std::size_t width) const {
    const json* table = item("accessors", index);
    if (!table || text_of(*table, "type") != type || member(*table, "sparse")) return {};
    const json* view = item("bufferViews", whole(*table, "bufferView"));
    const auto component = whole(*table, "componentType"), count = whole(*table, "count"),
               inside = whole(*table, "byteOffset", 0);
    if (!view || !component || !count || !inside) return {};
    const auto buffer = whole(*view, "buffer"), offset = whole(*view, "byteOffset", 0),
               length = whole(*view, "byteLength"), stride = whole(*view, "byteStride", 0);
    if (!buffer || *buffer >= buffers_.size() || !offset || !length || !stride) return {};
    const std::string& bytes = buffers_[*buffer];
    if (*offset > bytes.size() || *length > bytes.size() - *offset || *inside > *length) return {};
    Accessor out;
    out.component = static_cast<int>(*component);
    const std::size_t size = out.component == kByte                             ? 1
                             : out.component == kShort                          ? 2
                             : out.component == kInt || out.component == kFloat ? 4
                                                                                : 0;
    out.stride = *stride ? *stride : size * width;
    out.count = *count;
    out.bytes = std::string_view(bytes).substr(*offset + *inside, *length - *inside);
    if (size == 0 || (*count > 0 && (out.bytes.size() < size * width ||
                                     (out.bytes.size() - size * width) / out.stride < *count - 1)))
      return {};
    return out;
  }

  /// Nodes of the scene, each with its children, from the roots.
  bool place_scene() {
    const json* scene = item("scenes", whole(file_, "scene", 0));
    const json* roots = scene ? member(*scene, "nodes") : nullptr;
    const json* nodes = member(file_, "nodes");
    const std::size_t count = nodes && nodes->is_array() ? nodes->size() : 0;
    std::vector<std::pair<std::size_t, Eigen::Affine3d>> open;
    const auto add = [&](const json* list, const Eigen::Affine3d& at) {
      if (!list) return true;
      if (!list->is_array()) return false;
      for (const json& one : *list) {
        if (!one.is_number_unsigned() || one.get<std::size_t>() >= count) return false;
        open.emplace_back(one.get<std::size_t>(), at);
      }
      return true;
    };
    if (!roots || !add(roots, Eigen::Affine3d::Identity())) return damaged();
    std::vector<bool> seen(count, false);
    while (!open.empty()) {
      const auto [index, parent] = open.back();
      open.pop_back();
      if (seen[index]) return damaged();  // a tree has no node twice
      seen[index] = true;
      const json& node = (*nodes)[index];
      Eigen::Affine3d at = parent;
      if (!move(node, at) || !add(member(node, "children"), at)) return damaged();
      if (!member(node, "mesh")) continue;
      if (member(node, "skin"))
        return refuse("a mesh in it hangs on a skeleton, whose pose is not known",
                      "apply the skeleton to the mesh before it is exported");
      const json* mesh = item("meshes", whole(node, "mesh"));
      const json* parts = mesh ? member(*mesh, "primitives") : nullptr;
      if (!parts || !parts->is_array()) return damaged();
      for (const json& part : *parts)
        if (!place(part, at)) return false;
    }
    return true;
  }

  static bool move(const json& node, Eigen::Affine3d& at) {
    if (!node.is_object()) return false;
    if (member(node, "matrix")) {
      Eigen::Matrix4d m;
      if (!numbers(node, "matrix", 16, m.data()) ||
          !m.row(3).isApprox(Eigen::RowVector4d(0, 0, 0, 1)))
        return false;
      at = at * Eigen::Affine3d(m);
      return true;
    }
    Vec3 translation = Vec3::Zero(), scale = Vec3::Ones();
    Eigen::Vector4d turn(0, 0, 0, 1);
    if (!numbers(node, "translation", 3, translation.data()) ||
        !numbers(node, "scale", 3, scale.data()) || !numbers(node, "rotation", 4, turn.data()) ||
        !(turn.norm() > 0.5))
      return false;
    const Eigen::Quaterniond q = Eigen::Quaterniond(turn).normalized();
    at = at * Eigen::Translation3d(translation) * q * Eigen::Scaling(scale);
    return true;
  }

  bool place(const json& part, const Eigen::Affine3d& at) {
    const auto mode = whole(part, "mode", 4);
    if (!mode || *mode > 6) return damaged();
    if (*mode < 4) return true;  // points and lines
    const json* attributes = member(part, "attributes");
    if (!attributes) return damaged();
    const auto points = accessor(whole(*attributes, "POSITION"), "VEC3", 3);
    if (!points || points->component != kFloat) return damaged();
    std::vector<int> corners;
    corners.reserve(points->count);
    for (std::size_t i = 0; i < points->count; ++i) {
      std::array<float, 3> x{};
      std::memcpy(x.data(), points->bytes.data() + i * points->stride, 12);
      const Vec3 p = at * Vec3(x[0], x[1], x[2]);
      corners.push_back(out_.corner({p[0], p[1], p[2]}));
    }
    std::vector<int> order;
    if (member(part, "indices")) {
      if (!read_indices(whole(part, "indices"), corners, order)) return damaged();
    } else {
      order = std::move(corners);
    }
    return add_triangles(order, *mode, at.linear().determinant() < 0);
  }

  bool read_indices(std::optional<std::size_t> index, const std::vector<int>& corners,
                    std::vector<int>& order) const {
    const auto list = accessor(index, "SCALAR", 1);
    if (!list || list->component == kFloat) return false;
    const std::size_t size = list->component == kByte ? 1 : list->component == kShort ? 2 : 4;
    order.reserve(list->count);
    for (std::size_t i = 0; i < list->count; ++i) {
      std::uint32_t k = 0;  // little-endian, as the file
      std::memcpy(&k, list->bytes.data() + i * list->stride, size);
      if (k >= corners.size()) return false;
      order.push_back(corners[k]);
    }
    return true;
  }

  /// 4: triangles; 5: a strip of them; 6: a fan. Mirrored, they turn the other way.
  bool add_triangles(const std::vector<int>& k, std::size_t mode, bool mirrored) {
    const std::size_t count = mode == 4 ? k.size() / 3 : k.size() < 3 ? 0 : k.size() - 2;
    triangles_ += count;
    if (triangles_ > kMostTriangles)
      return refuse("it has more than 20 million triangles", "export it coarser");
    for (std::size_t i = 0; i < count; ++i) {
      std::array<int, 3> t = mode == 4   ? std::array{k[3 * i], k[3 * i + 1], k[3 * i + 2]}
                             : mode == 6 ? std::array{k[0], k[i + 1], k[i + 2]}
                                         : std::array{k[i], k[i + 1 + i % 2], k[i + 2 - i % 2]};
      if (mirrored) std::swap(t[1], t[2]);
      out_.triangle(t);
    }
    return true;
  }

  const ReadBeside& beside_;
  MeshCollector& out_;
  Refusal& why_;
  json file_;
  std::vector<std::string> buffers_;
  std::size_t triangles_ = 0;
};

}  // namespace

bool read_gltf(std::string_view bytes, const ReadBeside& beside, MeshCollector& out, Refusal& why) {
  return Reader(beside, out, why).read(bytes);
}

}  // namespace freeplay::io
