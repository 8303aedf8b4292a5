// SPDX-License-Identifier: Apache-2.0
#include "io/chunk_filter.hpp"
#include "io/hdf5_library.hpp"
#include "io/output_file.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

// Tables of rows.
namespace freeplay::io {

std::size_t RowType::bytes() const {
  return fields.empty() ? static_cast<std::size_t>(width) * element_bytes() : element_bytes();
}

std::size_t RowType::element_bytes() const {
  if (fields.empty()) return scalar == Scalar::i32 ? 4 : 8;
  std::size_t sum = 0;
  for (const auto& field : fields) sum += field.bytes;
  return sum;
}

namespace {

constexpr double kLost = std::numeric_limits<double>::quiet_NaN();

// Behind the last row of a chunk as the library would leave it.
void pad(std::vector<std::byte>& chunk, std::size_t from, const RowType& row) {
  if (row.has_fractions())
    for (; from < chunk.size(); from += sizeof kLost)
      std::memcpy(chunk.data() + from, &kLost, sizeof kLost);
}

// Rows to be written arrive in whole chunks, which need no cache.
Hdf5Handle dataset_access(bool to_write) {
  Hdf5Handle list(H5Pcreate(H5P_DATASET_ACCESS));
  if (to_write) H5Pset_chunk_cache(list.id(), 0, 0, 1);
  return list;
}

// The part of a dataset that `count` rows from `first` on occupy.
Hdf5Handle select_rows(const Hdf5Handle& dataset, std::size_t first, std::size_t count, int width) {
  Hdf5Handle space(H5Dget_space(dataset.id()));
  const hsize_t start[2] = {first, 0}, size[2] = {count, static_cast<hsize_t>(width)};
  H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, size, nullptr);
  return space;
}

Hdf5Handle memory_space(std::size_t count, int width) {
  const hsize_t size = count * static_cast<hsize_t>(width);
  return Hdf5Handle(H5Screate_simple(1, &size, nullptr));
}

/// What is wrong with the list of chunks, which has no checksum of its own in files of our format:
/// a chunk that is not where it should be would read as fill values, and one said to have skipped a
/// filter as other numbers. Empty when nothing is.
std::string lost_chunk(const Hdf5Handle& dataset, const Hdf5Handle& creation, int rank,
                       const hsize_t* size, const hsize_t* chunk) {
  const int filters = H5Pget_nfilters(creation.id());
  unsigned deflate = 0;  // may be skipped, where nothing is gained by it
  hsize_t whole = H5Tget_size(Hdf5Handle(H5Dget_type(dataset.id())).id());
  for (int k = 0; k < rank; ++k) whole *= chunk[k];
  for (int k = 0; k < filters; ++k) {
    unsigned flags = 0, configuration = 0;
    std::size_t values = 0;
    const auto filter = H5Pget_filter2(creation.id(), static_cast<unsigned>(k), &flags, &values,
                                       nullptr, 0, nullptr, &configuration);
    if (filter == H5Z_FILTER_DEFLATE) deflate = 1U << k;
    if (filter == H5Z_FILTER_FLETCHER32) whole += sizeof(std::uint32_t);
  }
  hsize_t place[2] = {0, 0};
  for (; place[0] < size[0]; place[0] += chunk[0])
    for (place[1] = 0; place[1] < (rank > 1 ? size[1] : 1); place[1] += chunk[1]) {
      unsigned skipped = 0;
      haddr_t address = HADDR_UNDEF;
      hsize_t bytes = 0;
      if (H5Dget_chunk_info_by_coord(dataset.id(), place, &skipped, &address, &bytes) < 0 ||
          address == HADDR_UNDEF)
        return fmt::format("rows from {} on are lost", place[0]);
      if (skipped != 0 && (skipped != deflate || bytes != whole))
        return fmt::format("rows from {} on are damaged", place[0]);
      if (rank == 1) break;
    }
  return {};
}

}  // namespace

std::string Hdf5Dataset::name() const { return file_->path_.string() + ": " + path_; }

std::shared_ptr<const Hdf5Handle> Hdf5Dataset::open() const {
  if (held_) return held_;
  const auto access = dataset_access(file_->output_ != nullptr);
  return std::make_shared<const Hdf5Handle>(
      require(H5Dopen2(file_->file_.id(), path_.c_str(), access.id()), "open", name()));
}

void Hdf5Dataset::append(const void* rows, std::size_t count) {
  if (count == 0) return;
  const Visit visit;
  const auto dataset = open();
  const hsize_t size[2] = {rows_ + count, static_cast<hsize_t>(row_.width)};
  require(H5Dset_extent(dataset->id(), size), "write", name());
  const auto file = select_rows(*dataset, rows_, count, row_.width);
  const auto memory = memory_space(count, row_.width);
  const auto element = element_type(row_);
  require(H5Dwrite(dataset->id(), element.id(), memory.id(), file.id(), H5P_DEFAULT, rows), "write",
          name());
  file_->output_->expect_written();
  rows_ += count;
}

void Hdf5Dataset::write_chunks(const void* rows, std::size_t first, std::size_t count) {
  const Visit visit;
  const auto bytes = row_.bytes();
  auto& filter = file_->filter_;
  if (!filter) filter = std::make_unique<ChunkFilter>();
  const auto dataset = open();
  const hsize_t size[2] = {first + count, static_cast<hsize_t>(row_.width)};
  require(H5Dset_extent(dataset->id(), size), "write", name());
  const auto* next = static_cast<const std::byte*>(rows);
  std::vector<std::byte> chunk(chunk_rows_ * bytes);
  for (std::size_t left = count; left > 0;) {
    const std::size_t now = std::min(left, chunk_rows_);
    std::memcpy(chunk.data(), next, now * bytes);
    if (now < chunk_rows_) {
      std::fill(chunk.begin() + static_cast<std::ptrdiff_t>(now * bytes), chunk.end(),
                std::byte{0});
      pad(chunk, now * bytes, row_);
    }
    const auto packed = filter->pack(chunk, row_.element_bytes());
    const hsize_t place[2] = {first + count - left, 0};
    require(H5Dwrite_chunk(dataset->id(), H5P_DEFAULT, 0, place, packed.size(), packed.data()),
            "write", name());
    next += now * bytes;
    left -= now;
  }
  file_->output_->expect_written();
  rows_ = first + count;
}

void Hdf5Dataset::write_last_chunk(const void* rows, std::size_t first, std::size_t count) {
  write_chunks(rows, first, count);
}

void Hdf5Dataset::replace(const void* rows, std::size_t count) { write_chunks(rows, 0, count); }

void Hdf5Dataset::read(std::size_t first, std::size_t count, void* rows) const {
  if (count == 0) return;
  const Visit visit;
  const auto dataset = open();
  const auto file = select_rows(*dataset, first, count, row_.width);
  const auto memory = memory_space(count, row_.width);
  const auto element = element_type(row_);
  require(H5Dread(dataset->id(), element.id(), memory.id(), file.id(), H5P_DEFAULT, rows), "read",
          name());
}

void Hdf5Dataset::truncate(std::size_t rows) {
  if (rows == rows_) return;
  const Visit visit;
  const hsize_t size[2] = {rows, static_cast<hsize_t>(row_.width)};
  require(H5Dset_extent(open()->id(), size), "shorten", name());
  file_->output_->expect_written();
  rows_ = rows;
}

Hdf5Dataset Hdf5File::create_dataset(const std::string& path, const RowType& row,
                                     std::size_t chunk_rows) {
  const Visit visit;
  Hdf5Dataset out;
  out.file_ = this;
  out.path_ = path;
  out.row_ = row;
  out.chunk_rows_ = chunk_rows;

  const bool vector = row.fields.empty() && row.width > 1;
  const hsize_t empty[2] = {0, static_cast<hsize_t>(row.width)};
  const hsize_t limit[2] = {H5S_UNLIMITED, static_cast<hsize_t>(row.width)};
  const hsize_t chunk[2] = {chunk_rows, static_cast<hsize_t>(row.width)};
  const Hdf5Handle space(H5Screate_simple(vector ? 2 : 1, empty, limit));
  const auto element = element_type(row);

  const auto creation = creation_list(H5P_DATASET_CREATE);
  H5Pset_chunk(creation.id(), vector ? 2 : 1, chunk);
  // ChunkFilter does the same.
  H5Pset_shuffle(creation.id());
  H5Pset_deflate(creation.id(), 1);
  H5Pset_fletcher32(creation.id());  // a flipped bit is an error, not another number
  // A chunk that got lost reads as NaN, which the reader refuses, not as a plausible zero.
  if (row.has_fractions()) H5Pset_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &kLost);
  const auto slash = path.rfind('/');
  const auto parent = group(slash == path.npos ? "" : path.substr(0, slash));
  const auto name = slash == path.npos ? path : path.substr(slash + 1);
  const auto access = dataset_access(true);
  auto dataset = std::make_shared<const Hdf5Handle>(
      require(H5Dcreate2(parent, name.c_str(), element.id(), space.id(), H5P_DEFAULT, creation.id(),
                         access.id()),
              "write", out.name()));
  // chosen: some ten MB; opening a dataset again costs as much as writing a chunk of it
  constexpr int kMostHeld = 400;
  if (held_ < kMostHeld) {
    ++held_;
    out.held_ = std::move(dataset);
  }
  return out;
}

Hdf5Dataset Hdf5File::dataset(const std::string& path, RowType row) const {
  const Visit visit;
  Hdf5Dataset out;
  out.file_ = const_cast<Hdf5File*>(this);  // which only writing makes use of
  out.path_ = path;
  const auto refuse = [&](const std::string& why) {
    throw IoError("cannot read " + out.name() + ": " + why);
  };

  const auto dataset = out.open();
  const Hdf5Handle space(require(H5Dget_space(dataset->id()), "read", out.name()));
  const Hdf5Handle type(require(H5Dget_type(dataset->id()), "read", out.name()));

  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 1 || rank > 2) refuse("it is not a table of rows");
  hsize_t size[2] = {0, 1};
  H5Sget_simple_extent_dims(space.id(), size, nullptr);
  if (size[1] == 0 || size[1] > std::numeric_limits<int>::max())
    refuse("its rows have no sensible width");
  if (row.width == 0) row.width = static_cast<int>(size[1]);
  if (row.fields.empty() && row.width != static_cast<int>(size[1]))
    refuse("its rows have another width");

  const auto kind = H5Tget_class(type.id());
  if (row.fields.empty() ? kind != H5T_FLOAT && kind != H5T_INTEGER
                         : kind != H5T_COMPOUND || rank != 1)
    refuse("its rows are of another type");
  for (auto& field : row.fields) {
    const int index = H5Tget_member_index(type.id(), field.name.c_str());
    if (index < 0) refuse("it has no column " + field.name);
    if (field.type != Scalar::text || field.bytes != 0) continue;
    const Hdf5Handle member(H5Tget_member_type(type.id(), static_cast<unsigned>(index)));
    if (H5Tget_class(member.id()) != H5T_STRING || H5Tis_variable_str(member.id()) != 0)
      refuse("its column " + field.name + " is not fixed-length text");
    field.bytes = H5Tget_size(member.id());
  }

  // More numbers than the bytes could hold (deflate packs 1032 : 1 at best) are not to be believed.
  std::error_code ignored;
  const auto bytes = static_cast<double>(std::filesystem::file_size(path_, ignored));
  if (static_cast<double>(size[0]) * static_cast<double>(size[1]) > 1100 * bytes)
    refuse("it claims more numbers than the file can hold");

  const Hdf5Handle creation(require(H5Dget_create_plist(dataset->id()), "read", out.name()));
  hsize_t chunk[2] = {0, 0};
  if (H5Pget_layout(creation.id()) == H5D_CHUNKED) H5Pget_chunk(creation.id(), rank, chunk);
  if (chunk[0] > 0)
    if (const std::string lost = lost_chunk(*dataset, creation, rank, size, chunk); !lost.empty())
      refuse(lost);
  out.chunk_rows_ = chunk[0];
  out.rows_ = size[0];
  out.row_ = std::move(row);
  return out;
}

}  // namespace freeplay::io
