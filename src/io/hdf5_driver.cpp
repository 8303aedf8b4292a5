// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_driver.hpp"

#include <hdf5.h>
#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <limits>

// A virtual file driver in the sense of the HDF5 library: a table of C functions. The library knows
// the first member of each open file, the rest is ours.
namespace freeplay::io {
namespace {

struct Open {
  H5FD_t public_part;
  OutputFile* file;
  haddr_t end_of_allocation;
};

// Handed over in the access list.
struct Info {
  OutputFile* file;
};

Open* ours(H5FD_t* file) { return reinterpret_cast<Open*>(file); }
const Open* ours(const H5FD_t* file) { return reinterpret_cast<const Open*>(file); }

H5FD_t* open_file(const char*, unsigned flags, hid_t access_list, haddr_t) {
  const auto* info = static_cast<const Info*>(H5Pget_driver_info(access_list));
  if (!info || !info->file) return nullptr;
  if (flags & H5F_ACC_TRUNC) info->file->resize(0);
  return &(new Open{{}, info->file, 0})->public_part;
}

herr_t close_file(H5FD_t* file) {
  delete ours(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  if (ours(a)->file == ours(b)->file) return 0;
  return ours(a)->file < ours(b)->file ? -1 : 1;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) { return ours(file)->end_of_allocation; }

herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  ours(file)->end_of_allocation = address;
  return 0;
}

haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) { return ours(file)->file->size(); }

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* out) {
  return ours(file)->file->read(address, {static_cast<std::byte*>(out), size}) ? 0 : -1;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                   const void* in) {
  ours(file)->file->write(address, {static_cast<const std::byte*>(in), size});
  return 0;
}

herr_t resize(H5FD_t* file, hid_t, hbool_t) {
  ours(file)->file->resize(ours(file)->end_of_allocation);
  return 0;
}

const H5FD_class_t& driver() {
  static const H5FD_class_t table = [] {
    H5FD_class_t t{};
#if H5_VERSION_GE(1, 14, 0)
    t.version = H5FD_CLASS_VERSION;
    t.value = 600;  // of the range for private drivers
#endif
    t.name = "freeplay";
    t.maxaddr = std::numeric_limits<std::int64_t>::max();
    t.fc_degree = H5F_CLOSE_STRONG;
    t.fapl_size = sizeof(Info);
    t.open = open_file;
    t.close = close_file;
    t.cmp = compare;
    t.query = query;
    t.get_eoa = get_eoa;
    t.set_eoa = set_eoa;
    t.get_eof = get_eof;
    t.read = read_bytes;
    t.write = write_bytes;
    t.truncate = resize;
    const H5FD_mem_t one_list[H5FD_MEM_NTYPES] = H5FD_FLMAP_SINGLE;
    std::copy(std::begin(one_list), std::end(one_list), std::begin(t.fl_map));
    return t;
  }();
  return table;
}

}  // namespace

bool set_output_driver(std::int64_t access_list, OutputFile& file) {
  static const hid_t registered = H5FDregister(&driver());
  const Info info{&file};
  return registered >= 0 && H5Pset_driver(access_list, registered, &info) >= 0;
}

}  // namespace freeplay::io
