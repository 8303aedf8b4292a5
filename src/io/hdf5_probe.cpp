// SPDX-License-Identifier: Apache-2.0
#include "io/child_work.hpp"
#include "io/hdf5_library.hpp"
#include <freeplay/errors.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

// Files without a seal: left behind by a kill, made by other programs, cut short. What HDF5 keeps
// in them carries few checksums, and the library trusts it. So a child goes first and reads all of
// it, by the ways this program goes later; only where it comes back is the file opened here.
namespace freeplay::io {
namespace {

constexpr std::size_t kPiece = 1U << 20U;        // bytes read at a time
constexpr std::size_t kLongestRow = 64U << 20U;  // bytes; what claims to be longer is damaged

/// All rows, in pieces. Numbers that do not match their checksum harm nobody here: whoever asks for
/// them is told, and the rest of the file is still good.
void read_rows(hid_t dataset, const std::string& where) {
  const Hdf5Handle stored(require(H5Dget_type(dataset), "read", where));
  const Hdf5Handle space(require(H5Dget_space(dataset), "read", where));
  if (H5Tdetect_class(stored.id(), H5T_VLEN) != 0 || H5Tis_variable_str(stored.id()) != 0) return;
  const Hdf5Handle type(require(H5Tget_native_type(stored.id(), H5T_DIR_ASCEND), "read", where));
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 0 || rank > 2) return;
  std::array<hsize_t, 2> size{1, 1};
  require(H5Sget_simple_extent_dims(space.id(), size.data(), nullptr), "read", where);
  const std::size_t element = H5Tget_size(type.id());
  if (element == 0 || size[1] == 0) return;
  if (element > kLongestRow || size[1] > kLongestRow / element)
    throw IoError("cannot read " + where + ": its rows have no sensible width");
  const std::size_t row = element * size[1];
  if (rank == 0) {
    std::vector<std::byte> value(row);
    (void)H5Dread(dataset, type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data());
    return;
  }
  const hsize_t rows_at_a_time = std::max<hsize_t>(1, kPiece / row);
  std::vector<std::byte> piece(rows_at_a_time * row);
  for (hsize_t first = 0; first < size[0]; first += rows_at_a_time) {
    const std::array<hsize_t, 2> start{first, 0};
    const std::array<hsize_t, 2> count{std::min(rows_at_a_time, size[0] - first), size[1]};
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    const Hdf5Handle memory(H5Screate_simple(rank, count.data(), nullptr));
    if (H5Dread(dataset, type.id(), memory.id(), space.id(), H5P_DEFAULT, piece.data()) < 0) return;
  }
}

/// What tells one state of a file from another.
using Identity = std::array<std::int64_t, 6>;
Identity identity_of(const std::filesystem::path& path) {
  struct stat s {};
  if (stat(path.c_str(), &s) != 0) return {};
  return {static_cast<std::int64_t>(s.st_dev),
          static_cast<std::int64_t>(s.st_ino),
          s.st_size,
          s.st_mtim.tv_sec,
          s.st_mtim.tv_nsec,
          s.st_ctim.tv_nsec};
}

}  // namespace

void Hdf5File::read_everything() const {
  const auto look_at = [&](const std::string& path, std::int64_t object) {
    const auto where = path_.string() + ": " + path;
    const auto attributes = static_cast<hsize_t>(require(H5Aget_num_attrs(object), "read", where));
    for (hsize_t i = 0; i < attributes; ++i) {
      std::array<char, 256> name{};
      require(H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(),
                                 name.size(), H5P_DEFAULT),
              "read", where);
      (void)attribute(path, name.data());
    }
    if (H5Iget_type(object) == H5I_DATASET) read_rows(object, where);
  };
  const Hdf5Handle top(require(H5Gopen2(file_.id(), "/", H5P_DEFAULT), "read", path_.string()));
  look_at("/", top.id());
  visit_objects(top.id(), "", look_at, 0);
}

void expect_readable(const std::filesystem::path& path) {
  const Visit visit;  // the child gets the library as it is now: nobody may be at work in it
  static Identity known{};
  const Identity now = identity_of(path);
  if (now == known) return;
  const auto megabytes = static_cast<unsigned>(std::max<std::int64_t>(0, now[2]) >> 20);
  ChildWork probe(
      [&]() -> std::string {
        Visit::stay_alone();
        Hdf5File::open_unchecked(path).read_everything();
        return {};
      },
      {.memory = std::uint64_t{1} << 30, .cpu_seconds = 20 + megabytes / 5});
  try {
    (void)probe.answer();
  } catch (const IoError& problem) {
    const std::string reason = problem.what();
    throw IoError(reason.starts_with("cannot ")
                      ? reason
                      : "cannot read " + path.string() + ": it is damaged; " + reason);
  }
  // A change within the tick of the file system's clock would go unnoticed (git's "racily clean").
  if (std::time(nullptr) > now[3] + 2) known = now;
}

}  // namespace freeplay::io
