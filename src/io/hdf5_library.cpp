// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_library.hpp"

#include <freeplay/errors.hpp>

#include <system_error>
#include <utility>
#include <vector>

namespace freeplay::io {

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  if (this != &other) {
    close();
    id_ = std::exchange(other.id_, -1);
  }
  return *this;
}

void Hdf5Handle::close() noexcept {
  if (id_ < 0) return;
  const Visit visit;
  if (H5Iis_valid(id_) > 0) H5Idec_ref(id_);
  id_ = -1;
}

// The error stack from the inside out: what the operating system said, else what went wrong first.
std::string last_reason() {
  std::vector<std::string> lines;
  const auto collect = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    if (error->desc) static_cast<std::vector<std::string>*>(out)->emplace_back(error->desc);
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &lines);
  for (const auto& line : lines) {
    if (line.find("truncated file") != line.npos) return "the file is truncated";
    const std::string key = "errno = ";
    if (const auto at = line.find(key); at != line.npos)
      return std::generic_category().message(std::atoi(line.c_str() + at + key.size()));
  }
  return lines.empty() ? "HDF5 gave no reason" : "HDF5: " + lines.front();
}

void fail(const char* doing, const std::string& name) {
  throw IoError(std::string("cannot ") + doing + " " + name + ": " + last_reason());
}

Hdf5Handle text_type(std::size_t bytes) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), bytes);
  H5Tset_strpad(type.id(), bytes == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

namespace {

// In memory; the library writes it down in the same byte order, which every reader converts.
Hdf5Handle number_type(Scalar scalar) {
  switch (scalar) {
    case Scalar::i64:
      return Hdf5Handle(H5Tcopy(H5T_NATIVE_INT64));
    case Scalar::i32:
      return Hdf5Handle(H5Tcopy(H5T_NATIVE_INT32));
    default:
      return Hdf5Handle(H5Tcopy(H5T_NATIVE_DOUBLE));
  }
}

}  // namespace

Hdf5Handle element_type(const RowType& row) {
  if (row.fields.empty()) return number_type(row.scalar);
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, row.bytes()));
  std::size_t offset = 0;
  for (const auto& field : row.fields) {
    const auto member =
        field.type == Scalar::text ? text_type(field.bytes) : number_type(field.type);
    H5Tinsert(type.id(), field.name.c_str(), offset, member.id());
    offset += field.bytes;
  }
  return type;
}

Hdf5Handle creation_list(hid_t kind) {
  Hdf5Handle list(H5Pcreate(kind));
  H5Pset_obj_track_times(list.id(), false);
  // What an object has stays in its header, which has a checksum; heaps have none, and each takes
  // some kB. chosen: more are looked up slowly there.
  constexpr unsigned kCompact = 64, kDense = 48;
  H5Pset_attr_phase_change(list.id(), kCompact, kDense);
  if (kind == H5P_GROUP_CREATE || kind == H5P_FILE_CREATE) {
    H5Pset_link_creation_order(list.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_link_phase_change(list.id(), kCompact, kDense);
  }
  // Nodes of the index of chunks: 2 kB each, and one per series, by default.
  if (kind == H5P_FILE_CREATE) H5Pset_istore_k(list.id(), 2);
  return list;
}

}  // namespace freeplay::io
