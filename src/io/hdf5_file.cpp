// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_file.hpp"

#include "io/chunk_filter.hpp"
#include "io/file_seal.hpp"
#include "io/hdf5_driver.hpp"
#include "io/hdf5_library.hpp"
#include "io/output_file.hpp"
#include <freeplay/errors.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace freeplay::io {
namespace {

constexpr std::size_t kLongestText = 1U << 30U;  // what claims to be longer is damaged

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
Seal expect_hdf5(const std::filesystem::path& path) {
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
  const Seal seal = check_seal(path);
  if (seal == Seal::broken) refuse("it is damaged: its checksum does not match");
  const Visit visit;
  const htri_t is_hdf5 = H5Fis_hdf5(path.string().c_str());
  if (is_hdf5 < 0) refuse(last_reason());
  if (is_hdf5 == 0)
    refuse(path.extension() == ".toml"
               ? "it is a model or a study, not a result: run it first, with freeplay run or study"
               : "it is not an HDF5 file");
  if (seal != Seal::good) expect_readable(path);
  return seal;
}

}  // namespace

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
  const Seal seal = expect_hdf5(path);
  Hdf5File out = open_unchecked(path);
  out.sealed_ = seal == Seal::good;
  return out;
}

Hdf5File Hdf5File::open_unchecked(const std::filesystem::path& path) {
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
  group_.close();
  file_.close();
}

std::int64_t Hdf5File::group(const std::string& path) {
  if (group_.id() >= 0 && path == group_path_) return group_.id();
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
  group_ = std::move(here);
  group_path_ = path;
  return group_.id();
}

void Hdf5File::create_group(const std::string& path) {
  const Visit visit;
  (void)group(path);
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

void Hdf5File::visit_objects(std::int64_t group, const std::string& prefix,
                             const ObjectVisitor& visitor, int depth) const {
  // Hard links only: a result file never refers to others. The depth ends loops of links.
  constexpr int kDeepest = 8;
  const auto where = path_.string() + ": " + prefix;
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5L_info_t* info, void* out) -> herr_t {
    if (info->type == H5L_TYPE_HARD)
      static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  // Files of other programs may not know in which order things were made. This is asked for, not
  // found out by a failure: in a damaged file the library may not survive one (1.10.8 frees a
  // pointer it never set).
  const Hdf5Handle creation(require(H5Gget_create_plist(group), "list", where));
  unsigned order = 0;
  require(H5Pget_link_creation_order(creation.id(), &order), "list", where);
  const auto index = order & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  require(H5Literate(group, index, H5_ITER_INC, nullptr, collect, &names), "list", where);
  for (const auto& name : names) {
    const Hdf5Handle object(
        require(H5Oopen(group, name.c_str(), H5P_DEFAULT), "read", where + name));
    visitor(prefix + name, object.id());
    if (H5Iget_type(object.id()) == H5I_GROUP && depth < kDeepest)
      visit_objects(object.id(), prefix + name + "/", visitor, depth + 1);
  }
}

std::vector<std::string> Hdf5File::datasets(const std::string& group) const {
  const Visit visit;
  std::vector<std::string> found;
  const Hdf5Handle top(require(H5Gopen2(file_.id(), group.c_str(), H5P_DEFAULT), "read",
                               path_.string() + ": " + group));
  visit_objects(
      top.id(), "",
      [&](const std::string& path, std::int64_t id) {
        if (H5Iget_type(id) == H5I_DATASET) found.push_back(path);
      },
      0);
  return found;
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
  const Hdf5Handle dataset(require(H5Dcreate2(parent, name.c_str(), type.id(), space.id(),
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

// ---- end

void Hdf5File::flush() {
  const Visit visit;
  require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "write", path_.string());
  output_->commit();
}

void Hdf5File::finish() {
  const Visit visit;
  group_.close();
  require(H5Fclose(file_.id()), "write", path_.string());
  file_.close();
  seal(*output_);
  output_->commit();
}

void Hdf5File::close() {
  finish();
  output_.reset();
}

void Hdf5File::close_as(const std::filesystem::path& target) {
  finish();
  output_->rename_to(target);  // it is still ours alone
  output_.reset();
}

void Hdf5File::abandon() noexcept {
  if (output_) output_->abandon();
}

}  // namespace freeplay::io
