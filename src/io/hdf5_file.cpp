// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_file.hpp"

#include "io/file_seal.hpp"
#include "io/hdf5_driver.hpp"
#include "io/output_file.hpp"
#include <freeplay/errors.hpp>

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <system_error>
#include <utility>

namespace freeplay::io {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>);

constexpr std::size_t kLongestText = 1U << 30U;  // what claims to be longer is damaged

// One visit to the library. HDF5 keeps global state and is not built thread-safe everywhere, so
// visits take turns; and it must not print to stderr, which belongs to the program.
class Visit {
 public:
  Visit() : turn_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Visit() { H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_); }
  Visit(const Visit&) = delete;

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex the_mutex;
    return the_mutex;
  }
  std::scoped_lock<std::recursive_mutex> turn_;
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

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

[[noreturn]] void fail(const char* doing, const std::string& name) {
  throw IoError(std::string("cannot ") + doing + " " + name + ": " + last_reason());
}

// Both kinds of HDF5 answer, identifiers and statuses, are negative on failure. Must be called
// before any handle is closed, since every call of the library clears its error stack.
template <class Answer>
Answer require(Answer answer, const char* doing, const std::string& name) {
  if (answer < 0) fail(doing, name);
  return answer;
}

Hdf5Handle text_type(std::size_t bytes) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), bytes);
  H5Tset_strpad(type.id(), bytes == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

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

// Element type of a row: the number, or the packed compound.
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

// No time stamps on objects: the datasets of two runs of one input are the same, byte for byte.
Hdf5Handle creation_list(hid_t kind) {
  Hdf5Handle list(H5Pcreate(kind));
  H5Pset_obj_track_times(list.id(), false);
  if (kind == H5P_GROUP_CREATE || kind == H5P_FILE_CREATE)
    H5Pset_link_creation_order(list.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  return list;
}

// To write through `output`.
Hdf5Handle access_list(OutputFile& output) {
  Hdf5Handle list(H5Pcreate(H5P_FILE_ACCESS));
  if (!set_output_driver(list.id(), output)) fail("write", output.path().string());
  // Since 1.8: checksums on object headers. Not later: older readers should manage, and newer
  // superblocks carry a mark that makes a file unreadable after a crash.
  H5Pset_libver_bounds(list.id(), H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  H5Pset_fclose_degree(list.id(), H5F_CLOSE_STRONG);
  return list;
}

// Fails early and in plain words where the library would be obscure, or would wait on a pipe.
void expect_hdf5(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  const auto refuse = [&](const std::string& why) {
    throw IoError("cannot read " + path.string() + ": " + why);
  };
  if (error && error != std::errc::no_such_file_or_directory) refuse(error.message());
  if (!std::filesystem::exists(status)) refuse("there is no such file");
  if (!std::filesystem::is_regular_file(status)) refuse("it is not a file");
  if (std::filesystem::file_size(path, error) == 0 && !error) refuse("it is empty");
  if (is_being_written(path)) refuse("a run is still writing it");
  if (check_seal(path) == Seal::broken) refuse("it is damaged: its checksum does not match");
  const Visit visit;
  const htri_t is_hdf5 = H5Fis_hdf5(path.string().c_str());
  if (is_hdf5 < 0) refuse(last_reason());
  if (is_hdf5 == 0) refuse("it is not an HDF5 file");
}

}  // namespace

// ---- handles

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

std::size_t RowType::bytes() const {
  if (fields.empty()) return static_cast<std::size_t>(width) * (scalar == Scalar::i32 ? 4 : 8);
  std::size_t sum = 0;
  for (const auto& field : fields) sum += field.bytes;
  return sum;
}

// ---- datasets

namespace {

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

}  // namespace

std::string Hdf5Dataset::name() const { return file_->path_.string() + ": " + path_; }

Hdf5Handle Hdf5Dataset::open() const {
  const auto access = dataset_access(file_->output_ != nullptr);
  return Hdf5Handle(
      require(H5Dopen2(file_->file_.id(), path_.c_str(), access.id()), "open", name()));
}

void Hdf5Dataset::append(const void* rows, std::size_t count) {
  if (count == 0) return;
  const Visit visit;
  const auto dataset = open();
  const hsize_t size[2] = {rows_ + count, static_cast<hsize_t>(row_.width)};
  require(H5Dset_extent(dataset.id(), size), "write", name());
  const auto file = select_rows(dataset, rows_, count, row_.width);
  const auto memory = memory_space(count, row_.width);
  const auto element = element_type(row_);
  require(H5Dwrite(dataset.id(), element.id(), memory.id(), file.id(), H5P_DEFAULT, rows), "write",
          name());
  file_->output_->expect_written();
  rows_ += count;
}

void Hdf5Dataset::read(std::size_t first, std::size_t count, void* rows) const {
  if (count == 0) return;
  const Visit visit;
  const auto dataset = open();
  const auto file = select_rows(dataset, first, count, row_.width);
  const auto memory = memory_space(count, row_.width);
  const auto element = element_type(row_);
  require(H5Dread(dataset.id(), element.id(), memory.id(), file.id(), H5P_DEFAULT, rows), "read",
          name());
}

void Hdf5Dataset::truncate(std::size_t rows) {
  if (rows == rows_) return;
  const Visit visit;
  const hsize_t size[2] = {rows, static_cast<hsize_t>(row_.width)};
  require(H5Dset_extent(open().id(), size), "shorten", name());
  file_->output_->expect_written();
  rows_ = rows;
}

// ---- files

Hdf5File Hdf5File::create(const std::filesystem::path& path) {
  const Visit visit;
  Hdf5File out(path, OutputFile::create(path));
  const auto creation = creation_list(H5P_FILE_CREATE);
  const auto access = access_list(*out.output_);
  out.file_ = Hdf5Handle(
      require(H5Fcreate(path.string().c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), "write",
              path.string()));
  out.output_->expect_written();
  return out;
}

Hdf5File Hdf5File::open(const std::filesystem::path& path) {
  expect_hdf5(path);
  const Visit visit;
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
  Hdf5File out(path, nullptr);
  out.file_ = Hdf5Handle(
      require(H5Fopen(path.string().c_str(), H5F_ACC_RDONLY, access.id()), "read", path.string()));
  return out;
}

Hdf5File Hdf5File::open_to_append(const std::filesystem::path& path) {
  const Visit visit;
  if (is_being_written(path)) throw IoError(path.string() + " is being written by another run");
  expect_hdf5(path);
  Hdf5File out(path, OutputFile::open(path));
  unseal(*out.output_);
  const auto access = access_list(*out.output_);
  out.file_ = Hdf5Handle(require(H5Fopen(path.string().c_str(), H5F_ACC_RDWR, access.id()),
                                 "continue", path.string()));
  out.output_->expect_written();
  return out;
}

Hdf5File::Hdf5File(std::filesystem::path path, std::unique_ptr<OutputFile> output)
    : path_(std::move(path)), output_(std::move(output)) {}
Hdf5File::Hdf5File(Hdf5File&&) noexcept = default;

Hdf5File::~Hdf5File() {
  const Visit visit;
  file_.close();
}

Hdf5Handle Hdf5File::group(const std::string& path) const {
  Hdf5Handle here(H5Gopen2(file_.id(), "/", H5P_DEFAULT));
  for (std::size_t begin = 0; begin < path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    const auto name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) continue;
    if (H5Lexists(here.id(), name.c_str(), H5P_DEFAULT) > 0) {
      here = Hdf5Handle(require(H5Gopen2(here.id(), name.c_str(), H5P_DEFAULT), "open", path));
    } else {
      const auto creation = creation_list(H5P_GROUP_CREATE);
      here = Hdf5Handle(
          require(H5Gcreate2(here.id(), name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                  "write", path));
    }
  }
  return here;
}

bool Hdf5File::contains(const std::string& path) const {
  const Visit visit;
  // Each step of the way must exist before the next may be asked for.
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const auto part = path.substr(0, end);
    if (!part.empty() && part != "/" && H5Lexists(file_.id(), part.c_str(), H5P_DEFAULT) <= 0)
      return false;
    if (end == path.npos) return true;
  }
}

bool Hdf5File::is_dataset(const std::string& path) const {
  const Visit visit;
  if (path.empty() || path.ends_with('/') || !contains(path)) return false;
  const Hdf5Handle object(H5Oopen(file_.id(), path.c_str(), H5P_DEFAULT));
  return object.id() >= 0 && H5Iget_type(object.id()) == H5I_DATASET;
}

std::vector<std::string> Hdf5File::datasets(const std::string& group) const {
  const Visit visit;
  std::vector<std::string> found;
  // Hard links only: a result file never refers to others. The depth ends loops of links.
  constexpr int kDeepest = 8;
  const auto walk = [&](const auto& self, hid_t here, const std::string& prefix,
                        int depth) -> void {
    std::vector<std::string> names;
    const auto collect = [](hid_t, const char* name, const H5L_info_t* info, void* out) -> herr_t {
      if (info->type == H5L_TYPE_HARD)
        static_cast<std::vector<std::string>*>(out)->emplace_back(name);
      return 0;
    };
    if (H5Literate(here, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, collect, &names) < 0) {
      names.clear();
      require(H5Literate(here, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names), "list",
              path_.string());
    }
    for (const auto& name : names) {
      const Hdf5Handle object(require(H5Oopen(here, name.c_str(), H5P_DEFAULT), "read",
                                      path_.string() + ": " + prefix + name));
      const auto type = H5Iget_type(object.id());
      if (type == H5I_DATASET) found.push_back(prefix + name);
      if (type == H5I_GROUP && depth < kDeepest)
        self(self, object.id(), prefix + name + "/", depth + 1);
    }
  };
  const Hdf5Handle top(require(H5Gopen2(file_.id(), group.c_str(), H5P_DEFAULT), "read",
                               path_.string() + ": " + group));
  walk(walk, top.id(), "", 0);
  return found;
}

Hdf5Dataset Hdf5File::create_dataset(const std::string& path, const RowType& row,
                                     std::size_t chunk_rows) {
  const Visit visit;
  Hdf5Dataset out;
  out.file_ = this;
  out.path_ = path;
  out.row_ = row;

  const bool vector = row.fields.empty() && row.width > 1;
  const hsize_t empty[2] = {0, static_cast<hsize_t>(row.width)};
  const hsize_t limit[2] = {H5S_UNLIMITED, static_cast<hsize_t>(row.width)};
  const hsize_t chunk[2] = {chunk_rows, static_cast<hsize_t>(row.width)};
  const Hdf5Handle space(H5Screate_simple(vector ? 2 : 1, empty, limit));
  const auto element = element_type(row);

  const auto creation = creation_list(H5P_DATASET_CREATE);
  H5Pset_chunk(creation.id(), vector ? 2 : 1, chunk);
  H5Pset_shuffle(creation.id());
  H5Pset_deflate(creation.id(), 1);
  H5Pset_fletcher32(creation.id());  // a flipped bit is an error, not another number
  if (row.fields.empty() && row.scalar == Scalar::f64) {
    // A chunk that got lost reads as NaN, which the reader refuses, not as a plausible zero.
    const double lost = std::numeric_limits<double>::quiet_NaN();
    H5Pset_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &lost);
  }
  const auto slash = path.rfind('/');
  const auto parent = group(slash == path.npos ? "" : path.substr(0, slash));
  const auto name = slash == path.npos ? path : path.substr(slash + 1);
  const Hdf5Handle dataset(require(H5Dcreate2(parent.id(), name.c_str(), element.id(), space.id(),
                                              H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                                   "write", out.name()));
  return out;
}

Hdf5Dataset Hdf5File::dataset(const std::string& path, RowType row) const {
  const Visit visit;
  Hdf5Dataset out;
  out.file_ = this;
  out.path_ = path;
  const auto refuse = [&](const std::string& why) {
    throw IoError("cannot read " + out.name() + ": " + why);
  };

  const auto dataset = out.open();
  const Hdf5Handle space(require(H5Dget_space(dataset.id()), "read", out.name()));
  const Hdf5Handle type(require(H5Dget_type(dataset.id()), "read", out.name()));

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

  out.rows_ = size[0];
  out.row_ = std::move(row);
  return out;
}

void Hdf5File::write_text(const std::string& path, const std::string& text) {
  const Visit visit;
  const auto slash = path.rfind('/');
  const auto parent = group(slash == path.npos ? "" : path.substr(0, slash));
  const auto name = slash == path.npos ? path : path.substr(slash + 1);
  const auto type = text_type(std::max<std::size_t>(text.size(), 1));
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const auto creation = creation_list(H5P_DATASET_CREATE);
  const auto where = path_.string() + ": " + path;
  const Hdf5Handle dataset(require(H5Dcreate2(parent.id(), name.c_str(), type.id(), space.id(),
                                              H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                                   "write", where));
  require(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), "write",
          where);
  output_->expect_written();
}

std::string Hdf5File::text(const std::string& path) const {
  const Visit visit;
  const auto where = path_.string() + ": " + path;
  const Hdf5Handle dataset(require(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), "read", where));
  const Hdf5Handle type(require(H5Dget_type(dataset.id()), "read", where));
  const Hdf5Handle space(require(H5Dget_space(dataset.id()), "read", where));
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) != 0 ||
      H5Sget_simple_extent_npoints(space.id()) != 1 || H5Tget_size(type.id()) > kLongestText)
    throw IoError("cannot read " + where + ": it is not a text");
  std::string text(H5Tget_size(type.id()), '\0');
  const auto memory = text_type(text.size());
  require(H5Dread(dataset.id(), memory.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "read",
          where);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

// ---- attributes

void Hdf5File::set_attribute(const std::string& object, const std::string& name,
                             const Hdf5Attribute& value) {
  const Visit visit;
  const auto where = path_.string() + ": attribute " + name;
  const Hdf5Handle owner(require(H5Oopen(file_.id(), object.c_str(), H5P_DEFAULT), "write", where));

  Hdf5Handle type;
  const void* data = nullptr;
  const char* text = nullptr;
  std::visit(
      [&]<class T>(const T& v) {
        data = &v;
        if constexpr (std::is_same_v<T, std::int64_t>) type = Hdf5Handle(H5Tcopy(H5T_NATIVE_INT64));
        if constexpr (std::is_same_v<T, std::uint64_t>)
          type = Hdf5Handle(H5Tcopy(H5T_NATIVE_UINT64));
        if constexpr (std::is_same_v<T, double>) type = Hdf5Handle(H5Tcopy(H5T_NATIVE_DOUBLE));
        if constexpr (std::is_same_v<T, std::string>) {
          type = text_type(H5T_VARIABLE);  // which h5py shows as str
          text = v.c_str();
          data = &text;
        }
      },
      value);
  if (H5Aexists(owner.id(), name.c_str()) > 0) {
    // In place where possible: that needs no room on the disk.
    const Hdf5Handle attribute(
        require(H5Aopen(owner.id(), name.c_str(), H5P_DEFAULT), "write", where));
    const Hdf5Handle stored(H5Aget_type(attribute.id()));
    if (H5Tequal(stored.id(), type.id()) > 0) {
      require(H5Awrite(attribute.id(), type.id(), data), "write", where);
      return;
    }
    require(H5Adelete(owner.id(), name.c_str()), "write", where);
  }
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(
      require(H5Acreate2(owner.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
              "write", where));
  require(H5Awrite(attribute.id(), type.id(), data), "write", where);
}

std::optional<Hdf5Attribute> Hdf5File::attribute(const std::string& object,
                                                 const std::string& name) const {
  const Visit visit;
  const auto where = path_.string() + ": attribute " + name;
  const Hdf5Handle owner(require(H5Oopen(file_.id(), object.c_str(), H5P_DEFAULT), "read", where));
  if (H5Aexists(owner.id(), name.c_str()) <= 0) return std::nullopt;
  const Hdf5Handle attribute(
      require(H5Aopen(owner.id(), name.c_str(), H5P_DEFAULT), "read", where));
  const Hdf5Handle type(require(H5Aget_type(attribute.id()), "read", where));
  const Hdf5Handle space(require(H5Aget_space(attribute.id()), "read", where));
  if (H5Sget_simple_extent_npoints(space.id()) != 1) return std::nullopt;

  const auto number = [&]<class T>(T value, hid_t memory) -> Hdf5Attribute {
    require(H5Aread(attribute.id(), memory, &value), "read", where);
    return value;
  };
  switch (H5Tget_class(type.id())) {
    case H5T_INTEGER:
      if (H5Tget_sign(type.id()) == H5T_SGN_NONE) return number(std::uint64_t{}, H5T_NATIVE_UINT64);
      return number(std::int64_t{}, H5T_NATIVE_INT64);
    case H5T_FLOAT:
      return number(double{}, H5T_NATIVE_DOUBLE);
    case H5T_STRING:
      break;
    default:
      return std::nullopt;
  }
  if (H5Tis_variable_str(type.id()) > 0) {
    char* text = nullptr;
    require(H5Aread(attribute.id(), type.id(), &text), "read", where);
    std::string out = text ? text : "";
    H5free_memory(text);
    return out;
  }
  std::string out(H5Tget_size(type.id()), '\0');
  require(H5Aread(attribute.id(), type.id(), out.data()), "read", where);
  out.resize(std::min(out.find('\0'), out.size()));
  return out;
}

// ---- end

void Hdf5File::flush() {
  const Visit visit;
  require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "write", path_.string());
  output_->commit();
}

void Hdf5File::close() {
  const Visit visit;
  require(H5Fclose(file_.id()), "write", path_.string());
  file_.close();
  seal(*output_);
  output_->commit();
  output_.reset();
}

void Hdf5File::abandon() noexcept {
  if (output_) output_->abandon();
}

}  // namespace freeplay::io
